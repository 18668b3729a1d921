"""The faces of an octahedron, as it is held in the notation of the Face-Turning Octahedron, and the unfolded puzzle.

A corner points at the viewer. Around it lie U, R, F and L, clockwise; behind each is the face that is opposite to the
one across: B behind U, D behind F, BR behind R and BL behind L.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from xml.etree import ElementTree as ET

from hstar.puzzles.base import State
from hstar.puzzles.master_pyraminx.picture import triangles
from hstar.puzzles.painter import PALETTE, Labels, Style, paint_facelet
from hstar.svg import INK, Point, centroid, group, label, polygon, readable_on

__all__ = ["COLOURS", "CORNERS", "FACELETS", "LAYERS", "OctahedronPainter"]

Vector = tuple[float, float, float]

_HALF = math.sqrt(0.5)
_FRONT, _BACK = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)
_RIGHT_UP, _LEFT_UP, _LEFT_DOWN, _RIGHT_DOWN = (
    (x * _HALF, y * _HALF, 0.0) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))
)
#: of each face its top, right and left corner as seen from outside; x goes to the right, y up, z to the viewer
CORNERS: Mapping[str, tuple[Vector, Vector, Vector]] = {
    "U": (_FRONT, _LEFT_UP, _RIGHT_UP), "R": (_FRONT, _RIGHT_UP, _RIGHT_DOWN),
    "F": (_FRONT, _RIGHT_DOWN, _LEFT_DOWN), "L": (_FRONT, _LEFT_DOWN, _LEFT_UP),
    "B": (_BACK, _RIGHT_UP, _LEFT_UP), "BR": (_BACK, _RIGHT_DOWN, _RIGHT_UP),
    "D": (_BACK, _LEFT_DOWN, _RIGHT_DOWN), "BL": (_BACK, _LEFT_UP, _LEFT_DOWN),
}  # fmt: skip
#: those of cubing.js
COLOURS: Mapping[str, str] = {
    "U": "white", "R": "red", "F": "green", "L": "purple", "B": "blue", "BR": "grey", "D": "yellow", "BL": "orange",
}  # fmt: skip
#: the layers of a face from its top corner, and how many facelets it has: rows of 1, 3 and 5
LAYERS, FACELETS = 3, 9
#: the facelet in the middle of the last row, which has the name of the face
_NAMED = 6

_SIDE, _MARGIN = 300.0, 16.0
#: in the left square the faces around the corner in front, in the right one those around the corner behind
_SQUARES = (("U", "R", "F", "L"), ("B", "BL", "D", "BR"))


def _outlines() -> dict[str, list[Point]]:
    """By face its top, right and left corner on the page: two squares of four triangles, seen from either side."""
    found = {}
    for number, faces in enumerate(_SQUARES):
        left, top = _MARGIN + number * (_SIDE + _MARGIN), _MARGIN
        middle = left + _SIDE / 2, top + _SIDE / 2
        around = [(left, top), (left + _SIDE, top), (left + _SIDE, top + _SIDE), (left, top + _SIDE)]
        for i, face in enumerate(faces):
            found[face] = [middle, around[i], around[(i + 1) % 4]]
    return found


class OctahedronPainter:
    """Draws any state; facelet i of a face is polygon i of its group."""

    width, height = 2 * _SIDE + 3 * _MARGIN, _SIDE + 2 * _MARGIN
    small_labels: Labels = "none"

    def __init__(
        self, title: str, colours: Mapping[str, str], show: Callable[[State], Mapping[str, list[str]]]
    ) -> None:
        self._title, self._colours, self._show = title, colours, show
        self._outlines = _outlines()

    def paint(self, parent: ET.Element, state: State, style: Style) -> None:
        for face, row in self._show(state).items():
            outline = self._outlines[face]
            drawn = group(parent, data_face=style.name(face), stroke=INK, stroke_width=1.6, stroke_linejoin="round")
            facelets = triangles(LAYERS, *outline)
            for i, points in enumerate(facelets):
                paint_facelet(drawn, points, i, row[i], self._colours[row[i]], style, 15, 26)
            polygon(parent, outline, fill="none", stroke=INK, stroke_width=4, stroke_linejoin="round")
            if style.labels == "faces":
                ink = readable_on(PALETTE[self._colours[row[_NAMED]]])
                label(parent, centroid(facelets[_NAMED]), style.name(face), 17, width=30, fill=ink, font_weight="bold")

    def describe(self, state: State, style: Style) -> str:
        order = "Each face with the colours of its facelets, row by row from the corner in the middle."
        lines = [f"{self._title}, seen from in front and from behind. {order}"]
        for face, row in self._show(state).items():
            rows = (" ".join(self._colours[c] for c in row[r * r : (r + 1) * (r + 1)]) for r in range(LAYERS))
            lines.append(f"{style.name(face)} ({self._colours[face]}): {' / '.join(rows)}.")
        return "\n".join(lines)
