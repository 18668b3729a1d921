"""Reads states from pictures, using only what a viewer sees: fills, outlines and text."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hstar.puzzles import Puzzle
from hstar.puzzles.painter import PALETTE
from hstar.puzzles.sliding_tiles import SlidingTiles

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]

_COLOURS = {fill: colour for colour, fill in PALETTE.items()}


def points(polygon: ET.Element) -> list[Point]:
    pairs = (pair.split(",") for pair in polygon.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def facelet_polygons(picture: ET.Element) -> dict[str, list[ET.Element]]:
    """The facelets of each face, in their order."""
    found = {}
    for group in picture.iter(f"{SVG}g"):
        if "data-face" in group.attrib:
            drawn = [p for p in group.iter(f"{SVG}polygon") if "data-facelet" in p.attrib]
            assert [int(p.attrib["data-facelet"]) for p in drawn] == list(range(len(drawn)))
            found[group.attrib["data-face"]] = drawn
    return found


def facelets(picture: ET.Element) -> dict[str, list[str]]:
    """The colour of every facelet, by its fill."""
    return {face: [_COLOURS[p.attrib["fill"]] for p in drawn] for face, drawn in facelet_polygons(picture).items()}


def board(picture: ET.Element, puzzle: SlidingTiles) -> list[int]:
    """The tiles by the places of their squares within the recess, which has a gap around each cell."""
    recess = next(r for r in picture.iter(f"{SVG}rect") if r.attrib.get("rx") == "4")
    left, top, width = (float(recess.attrib[name]) for name in ("x", "y", "width"))
    cells = [0] * puzzle.cells
    for group in picture.iter(f"{SVG}g"):
        square, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        if "data-tile" in group.attrib and square is not None and text is not None:
            x, y, size = (float(square.attrib[name]) for name in ("x", "y", "width"))
            gap = (width - puzzle.columns * size) / (puzzle.columns + 1)
            column, row = (x - left - gap) / (size + gap), (y - top - gap) / (size + gap)
            assert abs(column - round(column)) < 0.01
            assert abs(row - round(row)) < 0.01
            # The number stands in the middle of its tile.
            assert abs(float(text.attrib["x"]) - x - size / 2) < 0.01
            assert y < float(text.attrib["y"]) < y + size
            cell = round(row) * puzzle.columns + round(column)
            assert cells[cell] == 0
            cells[cell] = int(text.text or "")
    return cells


def state(picture: ET.Element, puzzle: Puzzle) -> bytes:
    """The state that a picture shows."""
    if isinstance(puzzle, SlidingTiles):
        return puzzle.parse_state(board(picture, puzzle))
    return puzzle.parse_state({"facelets": facelets(picture)})
