"""The Megaminx and the Kilominx unfolded: two flowers of six pentagons, joined at a side, to be cut out and folded."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from hstar.puzzles.base import State
from hstar.puzzles.megaminx.geometry import COLOURS, FACES, NEIGHBOURS
from hstar.puzzles.painter import PALETTE, Labels, Style, badge, paint_facelet
from hstar.svg import INK, Point, between, direction, group, label, plus, polygon, readable_on

_RADIUS = 66.0  # from the centre of a face to its corners
#: from the centre of a face to its sides
APOTHEM = _RADIUS * math.cos(math.pi / 5)
_MARGIN = 16.0
#: the fraction of a side that a corner facelet covers at either end; times sin 72 degrees, the distance of a cut
_CORNER = 0.355


@dataclass(frozen=True, slots=True)
class _Face:
    """Where a face lies on the page: its centre, and the direction of the side against its first neighbour."""

    centre: Point
    angle: float

    def side(self, k: int) -> float:
        return self.angle + 72 * k

    def corner(self, k: int) -> Point:
        """The corner that ends side k, clockwise; the corner facelet between neighbours k and k + 1 is there."""
        return plus(self.centre, direction(self.side(k) + 36, _RADIUS))


def _across(placed: dict[str, _Face], face: str, neighbour: str) -> _Face:
    """The neighbour, unfolded about the side that it shares with a face that is placed already."""
    here = placed[face]
    towards = here.side(NEIGHBOURS[face].index(neighbour))
    centre = plus(here.centre, direction(towards, 2 * APOTHEM))
    return _Face(centre, towards + 180 - 72 * NEIGHBOURS[neighbour].index(face))


def _net() -> dict[str, _Face]:
    """U in the left flower with F below it, D in the right one; R and DR join them."""
    placed = {"U": _Face((0.0, 0.0), 90.0)}
    for face, neighbours in (("U", NEIGHBOURS["U"]), ("R", ("DR",)), ("DR", ("D",)), ("D", NEIGHBOURS["D"])):
        for neighbour in neighbours:
            if neighbour not in placed:
                placed[neighbour] = _across(placed, face, neighbour)
    corners = [placed[face].corner(k) for face in FACES for k in range(5)]
    left, top = min(x for x, _ in corners) - _MARGIN, min(y for _, y in corners) - _MARGIN
    return {face: _Face(plus(placed[face].centre, (-left, -top)), placed[face].angle) for face in FACES}


class MegaminxPainter:
    """Draws any state of the Megaminx; facelet i of a face is polygon i of its group."""

    small_labels: Labels = "none"
    _order = "Unfolded Megaminx. Each face with the colours of its facelets: centre, then clockwise edge and corner."

    def __init__(self, format_facelets: Callable[[State], Mapping[str, list[str]]]) -> None:
        self._format_facelets = format_facelets
        self._net = _net()
        corners = [face.corner(k) for face in self._net.values() for k in range(5)]
        self.width = max(x for x, _ in corners) + _MARGIN
        self.height = max(y for _, y in corners) + _MARGIN

    def paint(self, parent: ET.Element, state: State, style: Style) -> None:
        for face, shown in self._format_facelets(state).items():
            drawn = group(parent, data_face=style.name(face), stroke=INK, stroke_width=1.6, stroke_linejoin="round")
            self._paint_face(drawn, self._net[face], shown, style)
        for face, where in self._net.items():
            outline = [where.corner(k) for k in range(5)]
            polygon(parent, outline, fill="none", stroke=INK, stroke_width=2.8, stroke_linejoin="round")
            if style.labels in ("faces", "numbers"):
                self._name(parent, face, where, style)

    def _paint_face(self, drawn: ET.Element, where: _Face, shown: list[str], style: Style) -> None:
        for i, points in enumerate(_facelets(where)):
            own = style if i or style.labels != "numbers" else Style("none")  # the centre has the face's name
            paint_facelet(drawn, points, i, shown[i], COLOURS[shown[i]], own, 11 if i else 17, 17 if i else 40)

    def _name(self, parent: ET.Element, face: str, where: _Face, style: Style) -> None:
        ink = readable_on(PALETTE[COLOURS[face]])
        label(parent, where.centre, style.name(face), 22, width=46, fill=ink, font_weight="bold")

    def describe(self, state: State, style: Style) -> str:
        lines = [self._order]
        for face, shown in self._format_facelets(state).items():
            first = style.name(NEIGHBOURS[face][0])
            lines.append(f"{style.name(face)} ({COLOURS[face]}), from {first}: {' '.join(COLOURS[c] for c in shown)}.")
        return "\n".join(lines)


class KilominxPainter(MegaminxPainter):
    """The same of a Kilominx, whose faces have five corners and no centre."""

    _order = "Unfolded Kilominx. Each face with the colours of its corners, clockwise."

    def _paint_face(self, drawn: ET.Element, where: _Face, shown: list[str], style: Style) -> None:
        for k, points in enumerate(_kites(where)):
            paint_facelet(drawn, points, k, shown[k], COLOURS[shown[k]], style, 15, 30)

    def _name(self, parent: ET.Element, face: str, where: _Face, style: Style) -> None:
        badge(parent, where.centre, style.name(face))


def flat_facelets(kilominx: bool = False) -> list[list[Point]]:
    """The facelets of a face around (0, 0): x points to the first neighbour, and from there clockwise to y."""
    return (_kites if kilominx else _facelets)(_Face((0.0, 0.0), 0.0))


def _kites(face: _Face) -> list[list[Point]]:
    """Of a Kilominx: the corner between neighbours 0 and 1, the one between 1 and 2, ..."""
    corners = [face.corner(k) for k in range(5)]
    halves = [between(corners[k - 1], corners[k], 0.5) for k in range(5)]
    return [[halves[k], corners[k], halves[(k + 1) % 5], face.centre] for k in range(5)]


def _facelets(face: _Face) -> list[list[Point]]:
    """The centre, then clockwise the edge against neighbour 0, the corner between 0 and 1, the edge against 1, ..."""
    corners = [face.corner(k) for k in range(5)]
    # The cut beside side k meets the cut beside side k + 1 here, near the corner between them.
    crossing = [between(corners[k], face.centre, _depth()) for k in range(5)]
    facelets = [list(crossing)]
    for k in range(5):
        start, end, after = corners[k - 1], corners[k], corners[(k + 1) % 5]
        first, last = between(start, end, _CORNER), between(start, end, 1 - _CORNER)
        facelets.append([first, last, crossing[k], crossing[k - 1]])
        facelets.append([end, between(end, after, _CORNER), crossing[k], last])
    return facelets


def _depth() -> float:
    """How far along the way from a corner to the centre the two cuts beside it cross."""
    side = 2 * _RADIUS * math.sin(math.pi / 5)
    return _CORNER * side * math.sin(math.radians(72)) / APOTHEM
