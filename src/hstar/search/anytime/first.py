"""Some orbits of a puzzle as a puzzle of their own, which are solved before the others."""

from __future__ import annotations

from dataclasses import replace

from hstar.puzzles.base import State
from hstar.puzzles.permutation import PermutationPuzzle, Turn
from hstar.search.anytime.inner import InnerPuzzle

__all__ = ["First"]


class First(InnerPuzzle):
    """Some orbits of a puzzle by themselves, with the moves that change them."""

    def __init__(self, puzzle: PermutationPuzzle, firsts: set[int], names: tuple[str, ...]) -> None:
        """
        :param firsts: the first slot of each of the orbits
        :param names: of the moves, with their inverses
        """
        own = [orbit for orbit in puzzle.orbits if orbit.first in firsts]
        slots = [slot for orbit in own for slot in orbit.slots]
        number = {slot: i for i, slot in enumerate(slots)}
        turns = {}
        for name in names:
            turn = puzzle.turns[name]
            part = Turn(tuple(number[turn.source[slot]] for slot in slots), tuple(turn.twist[slot] for slot in slots))
            if not part.is_identity:
                turns[name] = part
        self.slots = slots
        orbits = [replace(orbit, first=number[orbit.first]) for orbit in own]
        self._be(f"{puzzle.name}, the first orbits", orbits, turns)

    def state_in(self, whole: PermutationPuzzle, state: State) -> State:
        """What a state of the whole puzzle is of these orbits."""
        held = whole.contents(state)
        return self.state_of([held[slot] for slot in self.slots])
