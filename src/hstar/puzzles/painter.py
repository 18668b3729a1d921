"""The common parts of all pictures of states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol
from xml.etree import ElementTree as ET

from hstar.svg import INK, Point, centroid, circle, label, polygon, readable_on

#: shades that most colour-blind readers can distinguish, also in print; names of faces help with the rest
PALETTE = {
    "white": "#ffffff", "green": "#168a3c", "purple": "#7a3fa6", "red": "#d92b2b", "yellow": "#f8d41c",
    "blue": "#1d56b8", "grey": "#8b9098", "lime": "#98d83a", "cyan": "#5cc8ee", "tan": "#ecdcae", "orange": "#f5861f",
    "pink": "#f49cc3",
}  # fmt: skip

#: the shades of solved and of misplaced pieces
AT_HOME, AWAY = "#bfe0cf", "#fbf6ea"

Labels = Literal["faces", "facelets", "numbers", "none"]


@dataclass(frozen=True, slots=True)
class Style:
    """The text on a picture: names of faces, also the colour or the number of every facelet, or nothing.

    ``names`` replaces the names of faces, for instance by a student's own.
    """

    labels: Labels = "faces"
    names: Mapping[str, str] | None = None

    def name(self, face: str) -> str:
        return face if self.names is None else self.names.get(face, face)


class Painter(Protocol):
    """Draws the states of one puzzle, all in the same size."""

    width: float
    height: float
    #: the text on small pictures
    small_labels: Labels

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        """Draw the state into ``parent``, from (0, 0) to (``width``, ``height``)."""

    def describe(self, state: bytes, style: Style) -> str:
        """The state in words."""


_BADGE = 15.0


def badge(parent: ET.Element, at: Point, name: str) -> None:
    """The name of a face whose middle facelet moves, or which has none: of no colour."""
    circle(parent, at, _BADGE, fill="#ffffff", stroke=INK, stroke_width=1.2)
    label(parent, at, name, 15, width=2 * _BADGE - 6, font_weight="bold")


def paint_facelet(
    parent: ET.Element, points: list[Point], index: int, face: str, colour: str, style: Style, size: float, width: float
) -> None:
    """One facelet.

    :param index: its position in the list of its face
    :param face: the face whose colour it shows
    :param size: the size of its label, which is at most ``width`` wide
    """
    fill = PALETTE[colour]
    polygon(parent, points, fill=fill, data_facelet=index, data_colour=style.name(face))
    if style.labels in ("facelets", "numbers"):
        text = style.name(face) if style.labels == "facelets" else str(index)
        label(parent, centroid(points), text, size, width=width, fill=readable_on(fill), stroke="none")
