"""A permutation puzzle drawn as a table: for each orbit, the piece in each slot and its orientation."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from hstar.puzzles.base import Orbit, contents
from hstar.puzzles.painter import AT_HOME, AWAY, Labels, Style
from hstar.svg import INK, MUTED, group, label, rectangle

_CELL = 46.0
_GAP = 5.0
_MARGIN = 16.0
_HEADING = 24.0
_COLUMNS = 12


class OrbitsPainter:
    """Draws puzzles without faces; solved pieces are shaded."""

    small_labels: Labels = "faces"

    def __init__(self, orbits: Sequence[Orbit], goal: Sequence[int]) -> None:
        self._orbits, self._goal = orbits, goal
        columns = min(_COLUMNS, max(orbit.pieces for orbit in orbits))
        self.width = 2 * _MARGIN + columns * (_CELL + _GAP) - _GAP
        self.height = 2 * _MARGIN + sum(self._rows(orbit) * (_CELL + _GAP) + _HEADING for orbit in orbits)

    @staticmethod
    def _rows(orbit: Orbit) -> int:
        return -(-orbit.pieces // _COLUMNS)

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        top = _MARGIN
        held = contents(state, len(self._goal))
        for orbit in self._orbits:
            if style.labels != "none":
                label(parent, (self.width / 2, top + _HEADING / 2 - 3), orbit.name, 13, fill=MUTED, font_weight="bold")
            for number, slot in enumerate(orbit.slots):
                row, column = divmod(number, _COLUMNS)
                x, y = _MARGIN + column * (_CELL + _GAP), top + _HEADING + row * (_CELL + _GAP)
                piece, turned = divmod(held[slot], orbit.orientations)
                drawn = group(parent, data_slot=slot, data_piece=piece, data_orientation=turned)
                fill = AT_HOME if held[slot] == self._goal[slot] else AWAY
                rectangle(drawn, x, y, _CELL, _CELL, rx=5, fill=fill, stroke=INK, stroke_width=1)
                if style.labels != "none":
                    label(drawn, (x + _CELL / 2, y + _CELL / 2), _shown(piece, turned), 18, width=_CELL - 6)
            top += _HEADING + self._rows(orbit) * (_CELL + _GAP)

    def describe(self, state: bytes, style: Style) -> str:
        lines = ["Pieces by number, slot by slot; +1 is a piece turned by one. Solved pieces are shaded."]
        held = contents(state, len(self._goal))
        for orbit in self._orbits:
            pieces = (_shown(*divmod(held[slot], orbit.orientations)) for slot in orbit.slots)
            lines.append(f"{orbit.name}: {' '.join(pieces)}.")
        return "\n".join(lines)


def _shown(piece: int, turned: int) -> str:
    return f"{piece}+{turned}" if turned else str(piece)
