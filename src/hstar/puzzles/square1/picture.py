"""A Square-1 drawn as its two layers, each seen from outside, and the front of the equator between them."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin, sqrt, tan
from xml.etree import ElementTree as ET

from hstar.puzzles.painter import PALETTE, Labels, Style
from hstar.puzzles.square1.layers import FIRSTS
from hstar.svg import INK, MUTED, Point, centroid, group, label, polygon, readable_on

_SIZE = 82.0
_NEAR, _FAR = 1 / cos(radians(15)), sqrt(2)
#: how much of a layer is its upper or lower side; the rest shows the sides of its pieces
_CAP = 0.74
_HEADING = 24.0
#: by how much the cut is beside the middle of the front
_BESIDE = tan(radians(15))
#: around each layer, clockwise, beginning with the piece that ends the cut; the cut is left of the front's middle
_SIDES = (("orange", "blue", "red", "green"), ("green", "red", "blue", "orange"))


class Square1Painter:
    """Corners are kites of 60 degrees, edges triangles of 30; a line shows where the slash parts the layers."""

    small_labels: Labels = "none"

    def __init__(self, own_names: Callable[[bytes], bytes]) -> None:
        """``own_names``: the state with the names that pieces have where a cube is solved."""
        self._own_names = own_names
        reach = _FAR * _SIZE
        self._centres = (reach + 8, reach + 8 + _HEADING), (3 * reach + 24, reach + 8 + _HEADING)
        self.width = 4 * reach + 32
        self.height = 2 * reach + 72 + _HEADING

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        held = self._own_names(state)
        for layer, name in enumerate(("upper layer", "lower layer, from below")):
            centre, first = self._centres[layer], (195, -15)[layer]
            if style.labels != "none":
                label(parent, (centre[0], _HEADING / 2 + 2), name, 13, fill=MUTED, font_weight="bold")
            for place in range(12):
                slot = 12 * layer + place
                piece = held[slot]
                if piece in FIRSTS:
                    self._piece(parent, centre, first + 30 * place, (piece, piece + 1), slot, style)
                elif piece - 1 not in FIRSTS:
                    self._piece(parent, centre, first + 30 * place, (piece,), slot, style)
            ends = [_at(centre, first + turn, 1.12) for turn in (0, 180)]
            polygon(parent, ends, fill="none", stroke=INK, stroke_width=2.5, stroke_dasharray="6 4")
        self._equator(parent, bool(held[24]), style)

    def _piece(
        self, parent: ET.Element, centre: Point, angle: float, halves: tuple[int, ...], slot: int, style: Style
    ) -> None:
        drawn = group(parent, data_slot=slot, data_piece=halves[0])
        turns = [angle, angle + 30] if len(halves) == 1 else [angle, angle + 30, angle + 60]
        radii = [_NEAR, _NEAR] if len(halves) == 1 else [_NEAR, _FAR, _NEAR]
        rim = [_at(centre, turn, radius) for turn, radius in zip(turns, radii, strict=True)]
        cap = [_at(centre, turn, radius * _CAP) for turn, radius in zip(turns, radii, strict=True)]
        colour = PALETTE["white" if halves[0] < 12 else "yellow"]
        polygon(drawn, [centre, *cap], fill=colour, stroke=INK, stroke_width=1.2)
        for number, half in enumerate(halves):
            corners = [cap[number], rim[number], rim[number + 1], cap[number + 1]]
            polygon(drawn, corners, fill=PALETTE[_side(half)], stroke=INK, stroke_width=1.2)
        if style.labels in ("facelets", "numbers"):
            label(drawn, centroid([centre, *cap]), str(halves[0]), 13, fill=readable_on(colour), stroke="none")

    def _equator(self, parent: ET.Element, over: bool, style: Style) -> None:
        middle, top = self.width / 2, self.height - 40
        drawn = group(parent, data_equator=int(over))
        right = 1 - 2 * _BESIDE if over else 1.0
        for begin, end, colour in ((-1.0, -_BESIDE, "green"), (-_BESIDE, right, "blue" if over else "green")):
            left, width = middle + begin * _SIZE, (end - begin) * _SIZE
            box = [(left, top), (left + width, top), (left + width, top + 26), (left, top + 26)]
            polygon(drawn, box, fill=PALETTE[colour], stroke=INK, stroke_width=1.2)
        if style.labels != "none":
            label(drawn, (middle, top - 10), "front of the middle", 13, fill=MUTED, font_weight="bold")

    def describe(self, state: bytes, style: Style) -> str:
        held = self._own_names(state)
        lines = ["Corners (C) and edges (E) with the slots in which they begin when solved, clockwise from the cut."]
        for name, begin in (("upper layer", 0), ("lower layer, from below", 12)):
            slots = range(begin, begin + 12)
            words = [
                f"{'C' if held[slot] in FIRSTS else 'E'}{held[slot]}" for slot in slots if self._begins(held[slot])
            ]
            lines.append(f"{name}: {' '.join(words)}.")
        lines.append(f"The right half of the middle is {'turned over' if held[24] else 'as when solved'}.")
        return "\n".join(lines)

    @staticmethod
    def _begins(piece: int) -> bool:
        return piece - 1 not in FIRSTS


def _side(half: int) -> str:
    """The colour of the side of half a corner, or of an edge."""
    layer, place = divmod(half, 12)
    return _SIDES[layer][(place - 1) % 12 // 3 if layer == 0 else (place + 1) % 12 // 3]


def _at(centre: Point, angle: float, radius: float) -> Point:
    """A point so many degrees clockwise from the top."""
    turn = radians(angle)
    return centre[0] + _SIZE * radius * sin(turn), centre[1] - _SIZE * radius * cos(turn)
