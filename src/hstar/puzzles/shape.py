"""A puzzle whose faces can be given other names: its solid, and how facelets and moves refer to its faces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hstar.polyhedra import Neighbours

__all__ = ["Shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A puzzle with one name for each face.

    ``places(turn)`` lists, for a face whose first neighbour is our neighbour number ``turn``, the position in our list
    of each of its facelets. ``read`` makes our token from layers (as written, counted from the face), face, count and
    prime; ``write`` splits one of our moves into these.
    """

    solid: str
    neighbours: Neighbours
    colours: Mapping[str, str]
    #: the face opposite to each corner that moves and messages name
    corners: Mapping[str, str]
    places: Callable[[int], list[int]]
    read: Callable[[str, str, str, str], str]
    write: Callable[[str], tuple[str, str, str, str]]

    @property
    def sides(self) -> int:
        return len(next(iter(self.neighbours.values())))
