"""Named permutations of the same slots, and their properties that do not depend on numbering."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hstar.groups.permutations import CycleType, Permutation, commutator, cycle_type, then

__all__ = ["TurnSystem"]

PairType = tuple[CycleType, CycleType, CycleType, CycleType]


@dataclass(frozen=True, eq=False)
class TurnSystem:
    """Turns as permutations of the same slots."""

    names: tuple[str, ...]
    turns: tuple[Permutation, ...]
    #: the name of each slot; empty: its number
    slots: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.turns[0]) if self.turns else 0

    @cached_property
    def types(self) -> tuple[CycleType, ...]:
        """The cycle type of each turn."""
        return tuple(cycle_type(turn) for turn in self.turns)

    @cached_property
    def movers(self) -> tuple[frozenset[int], ...]:
        """For each slot, the turns that move it. Pieces are recognised by them."""
        return tuple(
            frozenset(number for number, turn in enumerate(self.turns) if turn[slot] != slot)
            for slot in range(self.size)
        )

    @cached_property
    def moved(self) -> tuple[int, ...]:
        """The slots that at least one turn moves."""
        return tuple(slot for slot in range(self.size) if self.movers[slot])

    @cached_property
    def pieces(self) -> dict[frozenset[int], tuple[int, ...]]:
        """The slots that are moved by the same turns: facelets of one piece."""
        groups: dict[frozenset[int], list[int]] = defaultdict(list)
        for slot in self.moved:
            groups[self.movers[slot]].append(slot)
        return {movers: tuple(slots) for movers, slots in groups.items()}

    @cached_property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """The sets of slots that turns map to each other, without slots that never move."""
        seen: set[int] = set()
        found = []
        for start in self.moved:
            if start in seen:
                continue
            seen.add(start)
            orbit = [start]
            for slot in orbit:
                for turn in self.turns:
                    if turn[slot] not in seen:
                        seen.add(turn[slot])
                        orbit.append(turn[slot])
            found.append(tuple(orbit))
        return tuple(found)

    def pair(self, a: int, b: int) -> PairType:
        """The properties of a pair of turns that do not depend on numbering."""
        key = a, b
        if key not in self._pairs:
            first, second = self.turns[a], self.turns[b]
            both = then(first, second)
            self._pairs[key] = (
                cycle_type(both),
                self.commutator_types(a, b),
                cycle_type(then(both, first)),
                cycle_type(then(both, second)),
            )
        return self._pairs[key]

    def commutator_types(self, a: int, b: int) -> CycleType:
        """The cycle type of a b a' b'."""
        key = min(a, b), max(a, b)  # that of b a b' a' is the same: it is the inverse
        if key not in self._commutators:
            self._commutators[key] = cycle_type(commutator(self.turns[key[0]], self.turns[key[1]]))
        return self._commutators[key]

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], PairType]:
        return {}

    @cached_property
    def _commutators(self) -> dict[tuple[int, int], CycleType]:
        return {}

    def only(self, numbers: Sequence[int]) -> TurnSystem:
        """The system with only some of the turns."""
        return TurnSystem(tuple(self.names[n] for n in numbers), tuple(self.turns[n] for n in numbers), self.slots)

    def without(self, number: int) -> TurnSystem:
        """The system without one turn."""
        return self.only([n for n in range(len(self.turns)) if n != number])
