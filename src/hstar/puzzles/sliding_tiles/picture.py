"""A board of sliding tiles; tiles in their goal cells are shaded."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hstar.puzzles.base import State
from hstar.puzzles.painter import AT_HOME, AWAY, Labels, Style
from hstar.svg import INK, group, label, rectangle

_CELL = 60.0
_GAP = 5.0
_FRAME = 9.0
_MARGIN = 14.0

FRAME, RECESS = "#4a4f57", "#33373d"


class BoardPainter:
    """Draws any board; each tile is a group with its cell and its number."""

    small_labels: Labels = "faces"

    def __init__(self, rows: int, columns: int, goal: State) -> None:
        self._columns, self._goal = columns, goal
        inner = 2 * (_FRAME + _MARGIN) + _GAP
        self.width = columns * (_CELL + _GAP) + inner
        self.height = rows * (_CELL + _GAP) + inner

    def paint(self, parent: ET.Element, state: State, style: Style) -> None:
        size = {"width": self.width - 2 * _MARGIN, "height": self.height - 2 * _MARGIN}
        rectangle(parent, _MARGIN, _MARGIN, rx=10, fill=FRAME, **size)
        inside = _MARGIN + _FRAME
        rectangle(parent, inside, inside, size["width"] - 2 * _FRAME, size["height"] - 2 * _FRAME, rx=4, fill=RECESS)
        for cell, tile in enumerate(state):
            if tile == 0:
                continue
            row, column = divmod(cell, self._columns)
            x, y = (inside + _GAP + i * (_CELL + _GAP) for i in (column, row))
            drawn = group(parent, data_cell=cell, data_tile=tile)
            home = self._goal[cell] == tile
            rectangle(drawn, x, y, _CELL, _CELL, rx=6, fill=AT_HOME if home else AWAY, stroke=INK, stroke_width=1)
            if style.labels != "none":
                label(drawn, (x + _CELL / 2, y + _CELL / 2), str(tile), 28, font_weight="bold")

    def describe(self, state: State, style: Style) -> str:
        columns = self._columns
        rows = (state[i : i + columns] for i in range(0, len(state), columns))
        text = " / ".join(" ".join(str(tile) if tile else "blank" for tile in row) for row in rows)
        return f"Board, row by row: {text}. Tiles in their goal cells are shaded."
