"""The nets match the solids: facelets fill their faces, and facelets that touch on the page touch on the puzzle."""

from __future__ import annotations

import math
from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from hstar.pictures import draw
from hstar.puzzles import get_puzzle
from hstar.puzzles.master_pyraminx.geometry import FACELETS
from hstar.puzzles.megaminx import FACES, NEIGHBOURS
from tests.pictures.reading import SVG, Point, facelet_polygons, points

Net = dict[str, list[list[Point]]]


def net(name: str) -> Net:
    puzzle = get_puzzle(name)
    drawn = facelet_polygons(ET.fromstring(draw(puzzle, puzzle.solved)))
    return {face: [points(p) for p in polygons] for face, polygons in drawn.items()}


def area(polygon: list[Point]) -> float:
    """The signed area: positive if the corners are clockwise on the page, where y points down."""
    following = [*polygon[1:], polygon[0]]
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(polygon, following, strict=True)) / 2


def middle(polygon: list[Point]) -> Point:
    return sum(x for x, _ in polygon) / len(polygon), sum(y for _, y in polygon) / len(polygon)


def shared(a: list[Point], b: list[Point]) -> int:
    """How many corners two polygons have in common."""
    return sum(any(math.dist(p, q) < 0.03 for q in b) for p in a)


@pytest.mark.parametrize("name", ["megaminx", "kilominx", "master_pyraminx", "master_tetraminx", "pyraminx"])
def test_the_facelets_fill_each_face_and_faces_do_not_overlap(name: str) -> None:
    puzzle = get_puzzle(name)
    picture = ET.fromstring(draw(puzzle, puzzle.solved))
    outlines = [points(p) for p in picture.findall(f"{SVG}polygon")]
    faces = net(name)
    assert len(outlines) == len(faces)
    for outline, (face, polygons) in zip(outlines, faces.items(), strict=True):
        assert all(area(p) > 0 for p in polygons), f"every facelet of {face} runs clockwise"
        assert sum(map(area, polygons)) == pytest.approx(area(outline), rel=1e-3)
    # Faces are regular and of one size, so they do not overlap if their middles are two apothems apart.
    centres = [middle(outline) for outline in outlines]
    apothem = min(math.dist(centres[0], middle([p, q])) for p, q in combinations(outlines[0], 2))
    closest = min(math.dist(a, b) for a, b in combinations(centres, 2))
    assert closest > 2 * apothem - 0.05


def test_the_facelets_of_an_octahedron_fill_two_squares() -> None:
    """One has the faces around the corner in front, clockwise, the other those behind as they are seen from there."""
    faces = net("fto")
    side = 300.0
    for names, left in (("U R F L", 16.0), ("B BL D BR", 332.0)):
        middles = []
        for face in names.split():
            assert all(area(p) == pytest.approx(side * side / 36, rel=1e-3) for p in faces[face]), (
                "clockwise, of one size"
            )
            middles.append(middle([p for polygon in faces[face] for p in polygon]))
        x, y = left + side / 2, 16 + side / 2
        assert [(round(math.copysign(1, a - x)) if abs(a - x) > 1 else 0,
                 round(math.copysign(1, b - y)) if abs(b - y) > 1 else 0) for a, b in middles] == [
            (0, -1), (1, 0), (0, 1), (-1, 0)
        ]  # fmt: skip


def test_the_facelets_of_a_skewb_fill_its_faces() -> None:
    faces = net("skewb")
    assert len(faces) == 6
    for polygons in faces.values():
        assert all(area(p) > 0 for p in polygons)
        assert [area(p) / area(polygons[2]) for p in polygons] == pytest.approx(
            [1 / 4, 1 / 4, 1, 1 / 4, 1 / 4], rel=1e-3
        )


def test_facelets_of_the_megaminx_go_clockwise_around_their_centre() -> None:
    for polygons in net("megaminx").values():
        x, y = middle(polygons[0])
        angles = [math.degrees(math.atan2(q - y, p - x)) for p, q in map(middle, polygons[1:])]
        steps = [(b - a) % 360 for a, b in zip(angles, [*angles[1:], angles[0]], strict=True)]
        assert steps == pytest.approx([36] * 10, abs=1)


def test_cuts_of_the_megaminx_run_straight_through_a_face() -> None:
    for polygons in net("megaminx").values():
        centre = polygons[0]
        corners = {p for polygon in polygons for p in polygon}
        for k, (x0, y0) in enumerate(centre):
            x1, y1 = centre[(k + 1) % 5]
            length = math.dist((x0, y0), (x1, y1))
            off = [abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length for x, y in corners]
            # both ends on the rim, and the crossings with the cuts beside the two next sides
            assert sum(d < 0.1 for d in off) == 4


def test_faces_of_the_megaminx_are_joined_as_on_the_solid() -> None:
    faces = net("megaminx")
    joined = set()
    for a, b in combinations(FACES, 2):
        if b not in NEIGHBOURS[a]:
            continue
        k, j = NEIGHBOURS[a].index(b), NEIGHBOURS[b].index(a)
        # edge of the two, and at its ends the corners; clockwise on the one is counter-clockwise on the other
        meeting = [(1 + (2 * k + d) % 10, 1 + (2 * j - d) % 10) for d in (-1, 0, 1)]
        touching = [shared(faces[a][m], faces[b][n]) == 2 for m, n in meeting]
        assert all(touching) or not any(touching)
        if all(touching):
            joined.add((a, b))
    assert len(joined) == 11, "twelve faces, cut out in one piece"
    assert {pair for pair in joined if "U" in pair} == {("U", f) for f in ("F", "L", "R", "BL", "BR")}
    assert len([pair for pair in joined if "D" in pair]) == 5


def test_faces_of_the_master_pyraminx_are_joined_as_on_the_solid() -> None:
    faces = net("master_pyraminx")
    places = {(face, number): where[0] for face, row in FACELETS.items() for number, where in enumerate(row)}
    touching = [
        (places[a, m], places[b, n])
        for a, b in combinations(faces, 2)
        for m, p in enumerate(faces[a])
        for n, q in enumerate(faces[b])
        if shared(p, q) == 2
    ]
    assert len(touching) == 3 * 4, "three sides of F, of four facelets each"
    assert all(a == b for a, b in touching), "across a side lie facelets of one piece"
