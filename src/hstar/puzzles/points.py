"""States of puzzles that were defined by permutations of points, as lists: what each point shows.

``points`` of the definition says, for each orbit, slot and orientation, which points the piece there covers; ``labels``
what each point shows when the puzzle is solved (its own number, where all are different).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hstar.errors import Fault, InvalidState
from hstar.puzzles.base import Orbit
from hstar.puzzles.definition import KPuzzle

__all__ = ["PointList"]

#: what a piece shows: for each of its orientations, the labels of the points there
Look = tuple[tuple[str, ...], ...]


class PointList:
    """Reads and writes states as lists of labels."""

    def __init__(self, definition: KPuzzle, orbits: Sequence[Orbit], home: Sequence[int]) -> None:
        """``home``: what each slot holds when the puzzle is solved."""
        self._orbits, self._home = orbits, home
        self._labels: Sequence[str] = definition.hstar.labels
        self._points: Mapping[str, Sequence[Sequence[Sequence[int]]]] = definition.hstar.points
        #: whether labels are the points' own numbers
        self._numbers = list(self._labels) == [str(i) for i in range(len(self._labels))]
        covered = {p for slots in self._points.values() for slot in slots for place in slot for p in place}
        self._fixed = [i for i in range(len(self._labels)) if i not in covered]

    def write(self, held: Sequence[int]) -> list[str] | list[int]:
        """The label at each point, by what each slot holds."""
        shown = list(self._labels)
        for orbit in self._orbits:
            slots = self._points[orbit.name]
            home = {self._home[slot] // orbit.orientations: slot - orbit.first for slot in orbit.slots}
            for number, slot in enumerate(orbit.slots):
                piece, turned = divmod(held[slot], orbit.orientations)
                look = self._look(slots[home[piece]])
                for k, place in enumerate(slots[number]):
                    for point, text in zip(place, look[(k - turned) % len(look)], strict=True):
                        shown[point] = text
        return [int(text) for text in shown] if self._numbers else shown

    def read(self, value: object) -> list[int]:
        """The inverse of `write`; integers are read as their digits.

        :raises InvalidState: it is no such list, or shows pieces that are not there; all faults are listed
        """
        count = len(self._labels)
        if not isinstance(value, list) or len(value) != count or any(type(v) not in (int, str) for v in value):
            raise InvalidState("the points cannot be read", [Fault("/points", f"expected a list of {count} labels")])
        seen = [str(v) for v in value]
        faults = [
            Fault(f"/points/{i}", f"no move moves this point, so it shows {self._labels[i]!r}")
            for i in self._fixed
            if seen[i] != self._labels[i]
        ]
        held = list(self._home)
        for orbit in self._orbits:
            slots = self._points[orbit.name]
            known: dict[Look, int] = {}
            for number, slot in enumerate(orbit.slots):
                look, piece = self._look(slots[number]), self._home[slot] // orbit.orientations
                for turned in range(orbit.orientations):
                    rotated = tuple(look[(k - turned) % len(look)] for k in range(len(look)))
                    known.setdefault(rotated, piece * orbit.orientations + turned)
            for number, slot in enumerate(orbit.slots):
                shows = tuple(tuple(seen[p] for p in place) for place in slots[number])
                if shows in known:
                    held[slot] = known[shows]
                else:
                    where = ", ".join(str(p) for place in slots[number] for p in place)
                    found = ", ".join(text[:40] for place in shows for text in place)
                    faults.append(Fault(f"points {where}", f"there is no piece with {found}, in this order"))
        if faults:
            raise InvalidState("the points show what cannot be", faults)
        return held

    def _look(self, slot: Sequence[Sequence[int]]) -> Look:
        return tuple(tuple(self._labels[p] for p in place) for place in slot)
