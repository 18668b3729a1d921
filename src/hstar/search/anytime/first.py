"""Some orbits of a puzzle as a puzzle of their own, which are solved before the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle, Turn

__all__ = ["First"]


class First(PermutationPuzzle):
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
        self.name = f"{puzzle.name}, the first orbits"
        self.title = self.name
        self._build([replace(orbit, first=number[orbit.first]) for orbit in own], turns)
        every = MoveSet("all", tuple(turns), "")
        self.move_sets = {"all": every}
        self.default_moves = self.default_scramble_moves = "all"
        self.default_heuristic = "zero"
        self.state_count = None

    def parse_move(self, token: str) -> tuple[str, ...]:
        return (token,)

    def parse_state(self, value: object) -> State:
        return self.parse_pieces(value)

    def format_state(self, state: State) -> dict[str, Any]:
        return {"pieces": self.format_pieces(state)}

    def describe(self) -> dict[str, Any]:
        return self._describe_base()

    def state_in(self, whole: PermutationPuzzle, state: State) -> State:
        """What a state of the whole puzzle is of these orbits."""
        held = whole.contents(state)
        return self.state_of([held[slot] for slot in self.slots])
