"""States of puzzles defined by permutations of points, as lists of the label that each point shows.

``points`` of the definition are, for each orbit, slot and orientation, the points that the piece there covers;
``labels`` are what each point shows when the puzzle is solved (its own number, if all are different).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hstar.errors import Fault, InvalidState
from hstar.puzzles.base import Orbit
from hstar.puzzles.definition import KPuzzle
from hstar.puzzles.held import reflections
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["PointList"]

#: the labels of a piece's points, for each of its orientations
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

        :raises InvalidState: it is not such a list, or shows pieces that do not exist; has all faults
        """
        count = len(self._labels)
        if not isinstance(value, list) or len(value) != count or any(type(v) not in (int, str) for v in value):
            raise InvalidState("cannot read the points", [Fault("/points", f"expected a list of {count} labels")])
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
            raise InvalidState("the points show an impossible state", faults)
        return held

    def other_convention(self, value: Sequence[object], puzzle: PermutationPuzzle) -> str | None:
        """The convention by which a list is a state: with other names for the colours, recognised by points that no
        move moves, or as a mirror image; None if it is not a state by any of these."""
        if len(value) != len(self._labels):
            return None
        seen = [str(v) for v in value]
        for listing in self._mirrored(seen, puzzle):
            if self._is_state(listing, puzzle):
                return "these are points as in a mirror: list the points of each face the other way round"
        names = self._named_by_centres(seen)
        if names is not None and self._is_state(names, puzzle):
            whats, ways = (
                "in another colour scheme, or held rotated",
                "name each colour by its point that no move moves",
            )
            return f"these are points {whats}: {ways}"
        return None

    def _is_state(self, seen: Sequence[str], puzzle: PermutationPuzzle) -> bool:
        try:
            return not puzzle.reachability_faults(puzzle.state_of(self.read(list(seen))))
        except InvalidState:
            return False

    def _named_by_centres(self, seen: Sequence[str]) -> list[str] | None:
        """The list with each label renamed by the points that no move moves, if these determine every label."""
        name = {seen[point]: self._labels[point] for point in self._fixed}
        if set(name) != set(seen) or set(name.values()) != set(self._labels) or len(name) != len(set(self._labels)):
            return None
        return [name[label] for label in seen]

    def _mirrored(self, seen: Sequence[str], puzzle: PermutationPuzzle) -> Iterator[list[str]]:
        """The list as its mirror images have it; where a slot and orientation is one point, whose image is known."""
        if any(len(place) > 1 for slots in self._points.values() for slot in slots for place in slot):
            return
        fixed = {self._labels[point]: point for point in self._fixed}
        for symmetry in reflections(puzzle):
            image, face = list(range(len(seen))), dict[str, str]()
            for orbit, places in zip(puzzle.orbits, symmetry.images, strict=True):
                points = [place[0] for slot in self._points[orbit.name] for place in slot]
                for number, there in enumerate(places):
                    image[points[number]] = points[there]
                    face[self._labels[points[number]]] = self._labels[points[there]]
            for label, point in fixed.items():
                image[point] = fixed.get(face.get(label, label), point)
            yield [seen[there] for there in image]

    def _look(self, slot: Sequence[Sequence[int]]) -> Look:
        return tuple(tuple(self._labels[p] for p in place) for place in slot)
