"""A tetrahedron unfolded: F in the middle, the other faces folded out around it, B at the three tips.

The Master Pyraminx has four layers from each corner, the Pyraminx three; a Master Tetraminx has no tips.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeVar
from xml.etree import ElementTree as ET

from hstar.puzzles.base import State
from hstar.puzzles.master_pyraminx.geometry import COLOURS, FACES, TOP, corners_of
from hstar.puzzles.painter import Labels, Style, badge, paint_facelet
from hstar.svg import INK, MUTED, Point, between, centroid, direction, group, label, plus, polygon

T = TypeVar("T")

_SIDE = 264.0
_HEIGHT = _SIDE * math.sqrt(3) / 2
_MARGIN = 34.0


def _net() -> dict[str, dict[str, Point]]:
    """For each face, where its corners lie on the page."""
    top = (_MARGIN + _SIDE, _MARGIN)
    left, right = plus(top, direction(120, _SIDE)), plus(top, direction(60, _SIDE))
    places = {"F": {"U": top, "L": left, "R": right}}
    for face, shared in (("BL", ("U", "L")), ("BR", ("U", "R")), ("D", ("L", "R"))):
        a, b = (places["F"][corner] for corner in shared)
        (opposite,) = (places["F"][corner] for corner in ("U", "L", "R") if corner not in shared)
        # The back corner is the mirror image of F's third one in the side that they share.
        back = (a[0] + b[0] - opposite[0], a[1] + b[1] - opposite[1])
        places[face] = {shared[0]: a, shared[1]: b, "B": back}
    return places


class TetrahedronPainter:
    """Draws any state; facelet i of a face is polygon i of its group."""

    width = 2 * (_SIDE + _MARGIN)
    height = 2 * (_HEIGHT + _MARGIN)

    small_labels: Labels = "none"

    def __init__(
        self, title: str, layers: int, format_facelets: Callable[[State], Mapping[str, list[str]]], tips: bool = True
    ) -> None:
        self._title, self._layers, self._tips = title, layers, tips
        self._format_facelets = format_facelets
        self._net = _net()

    def paint(self, parent: ET.Element, state: State, style: Style) -> None:
        outlines = {face: [self._net[face][corner] for corner in corners_of(face)] for face in FACES}
        for face, shown in self._format_facelets(state).items():
            drawn = group(parent, data_face=style.name(face), stroke=INK, stroke_width=1.6, stroke_linejoin="round")
            for i, points in enumerate(self._rest(triangles(self._layers, *outlines[face]))):
                paint_facelet(drawn, points, i, shown[i], COLOURS[shown[i]], style, 15, 26)
        for face, corners in outlines.items():
            cut = [between(a, b, 1 / self._layers)
                   for i, a in enumerate(corners) for b in (corners[i - 1], corners[(i + 1) % 3])]  # fmt: skip
            outline = corners if self._tips else cut
            polygon(parent, outline, fill="none", stroke=INK, stroke_width=4, stroke_linejoin="round")
            if style.labels == "faces":
                badge(parent, centroid(corners), style.name(face))
        if style.labels != "none":
            self._name_corners(parent)

    def _rest(self, facelets: list[T]) -> list[T]:
        """All, or all but the tips."""
        tips = () if self._tips else (0, (self._layers - 1) ** 2, self._layers**2 - 1)
        return [one for number, one in enumerate(facelets) if number not in tips]

    def _name_corners(self, parent: ET.Element) -> None:
        """Moves are named by corners, so the picture says which is which: beside each tip, away from the net."""
        middle = centroid(list(self._net["F"].values()))
        for corner, at in [*self._net["F"].items(), *(("B", self._net[face]["B"]) for face in ("BL", "BR", "D"))]:
            away = math.hypot(at[0] - middle[0], at[1] - middle[1])
            label(parent, between(middle, at, 1 + 19 / away), corner, 17, fill=MUTED, font_weight="bold")

    def describe(self, state: State, style: Style) -> str:
        lines = [f"Unfolded {self._title}. Each face with the colours of its facelets, row by row from its top corner."]
        for face, shown in self._format_facelets(state).items():
            row_of = self._rest([r for r in range(self._layers) for _ in range(2 * r + 1)])
            rows = (" ".join(COLOURS[c] for c, own in zip(shown, row_of, strict=True) if own == r)
                    for r in dict.fromkeys(row_of))  # fmt: skip
            lines.append(f"{style.name(face)} ({COLOURS[face]}), from {TOP[face]}: {' / '.join(rows)}.")
        return "\n".join(lines)


def flat_facelets(layers: int) -> list[list[Point]]:
    """The facelets of a face: its top corner is at (0, 0), the right one at (1, 0), the left one at (0, 1)."""
    return triangles(layers, (0.0, 0.0), (1.0, 0.0), (0.0, 1.0))


def triangles(layers: int, top: Point, right: Point, left: Point) -> list[list[Point]]:
    """Rows of 1, 3, 5 and so on triangles from the top corner, left to right."""

    def at(row: int, column: int) -> Point:
        """A crossing of cuts: ``row`` cuts down from the top corner, ``column`` cuts in from the left side."""
        return plus(
            between(top, left, row / layers),
            (column / layers * (right[0] - left[0]), column / layers * (right[1] - left[1])),
        )

    facelets = []
    for row in range(layers):
        for number in range(2 * row + 1):
            j = number // 2
            if number % 2 == 0:
                facelets.append([at(row, j), at(row + 1, j + 1), at(row + 1, j)])
            else:
                facelets.append([at(row, j), at(row, j + 1), at(row + 1, j + 1)])
    return facelets
