"""Both sides of Rubik's Clock, each as seen from that side: dials with their hands."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hstar.puzzles.painter import AT_HOME, AWAY, Labels, Style
from hstar.svg import INK, MUTED, Point, circle, direction, group, label, plus, polygon

_RADIUS = 32.0
_STEP = 78.0
_MARGIN = 18.0
_HEADING = 26.0
_SIDE = 2 * _MARGIN + 2 * _STEP + 2 * _RADIUS
_NAMES = ("front", "back")
_HOURS = 12


class ClockPainter:
    """Draws a state; solved dials are shaded."""

    small_labels: Labels = "faces"
    width = 2 * _SIDE
    height = _HEADING + _SIDE

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        for slot, value in enumerate(state):
            side, dial = divmod(slot, len(state) // 2)
            row, column = divmod(dial, 3)
            if dial == 0 and style.labels != "none":
                at = (side * _SIDE + _SIDE / 2, _MARGIN + _HEADING / 2 - 4)
                label(parent, at, _NAMES[side], 16, fill=MUTED, font_weight="bold")
            at = (side * _SIDE + _MARGIN + _RADIUS + column * _STEP, _HEADING + _MARGIN + _RADIUS + row * _STEP)
            self._dial(parent, at, slot, value % _HOURS, style)

    def _dial(self, parent: ET.Element, at: Point, slot: int, hour: int, style: Style) -> None:
        drawn = group(parent, data_slot=slot, data_hour=hour or _HOURS)
        circle(drawn, at, _RADIUS, fill=AWAY if hour else AT_HOME, stroke=INK, stroke_width=1.2)
        for mark in range(_HOURS):
            circle(drawn, plus(at, direction(30 * mark, _RADIUS - 5)), 1 if mark % 3 else 2, fill=MUTED)
        ahead = 30 * hour - 90
        tip, left, right, tail = (
            plus(at, direction(ahead + turned, length))
            for turned, length in ((0, _RADIUS - 9), (-90, 4.5), (90, 4.5), (180, 8))
        )
        polygon(drawn, [tip, right, tail, left], fill=INK)
        if style.labels in ("facelets", "numbers"):
            text = str(slot if style.labels == "numbers" else hour or _HOURS)
            label(drawn, plus(at, (0, 17)), text, 11, fill=MUTED)

    def describe(self, state: bytes, style: Style) -> str:
        lines = ["Hours of the dials, row by row, each side as seen from there. Solved dials, at 12, are shaded."]
        half = len(state) // 2
        for side, name in enumerate(_NAMES):
            hours = [value % _HOURS or _HOURS for value in state[side * half : (side + 1) * half]]
            rows = (" ".join(map(str, hours[i : i + 3])) for i in range(0, half, 3))
            lines.append(f"{name}: {' / '.join(rows)}.")
        return "\n".join(lines)
