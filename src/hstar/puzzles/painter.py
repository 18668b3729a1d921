"""What every picture of a state is made of, whatever the puzzle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol
from xml.etree import ElementTree as ET

from hstar.svg import Point, centroid, label, polygon, readable_on

#: shades that stay apart on paper and for most colour-blind readers; the names of the faces tell the rest
PALETTE = {
    "white": "#ffffff", "green": "#168a3c", "purple": "#7a3fa6", "red": "#d92b2b", "yellow": "#f8d41c",
    "blue": "#1d56b8", "grey": "#8b9098", "lime": "#98d83a", "cyan": "#5cc8ee", "tan": "#ecdcae", "orange": "#f5861f",
    "pink": "#f49cc3",
}  # fmt: skip

#: of what is in its place at the goal, and of what is not
AT_HOME, AWAY = "#bfe0cf", "#fbf6ea"

Labels = Literal["faces", "facelets", "none"]


@dataclass(frozen=True, slots=True)
class Style:
    """What is written on the picture: names of faces, of the colour of every facelet as well, or nothing.

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
    #: what is written on pictures that are drawn small
    small_labels: Labels

    def paint(self, parent: ET.Element, state: bytes, style: Style) -> None:
        """Draw the state into ``parent``, from (0, 0) to (``width``, ``height``)."""

    def describe(self, state: bytes, style: Style) -> str:
        """The same in words."""


def paint_facelet(
    parent: ET.Element, points: list[Point], index: int, face: str, colour: str, style: Style, size: float, width: float
) -> None:
    """One facelet.

    :param index: its place in the format of the face that it lies on
    :param face: the face whose colour it shows
    :param size: of its label, which is at most ``width`` wide
    """
    fill = PALETTE[colour]
    polygon(parent, points, fill=fill, data_facelet=index, data_colour=style.name(face))
    if style.labels == "facelets":
        label(parent, centroid(points), style.name(face), size, width=width, fill=readable_on(fill), stroke="none")
