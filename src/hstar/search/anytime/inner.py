"""A part of a puzzle as a puzzle of its own, which a search inside another solves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle, Turn

__all__ = ["InnerPuzzle"]


class InnerPuzzle(PermutationPuzzle):
    """It has one set of moves, ``all``, and no notation of its own."""

    def _be(
        self,
        name: str,
        orbits: Sequence[Orbit],
        turns: Mapping[str, Turn],
        pieces: Sequence[int] | None = None,
        distinct_orientations: Sequence[int] | None = None,
    ) -> None:
        self.name = self.title = name
        self._build(orbits, turns, pieces, distinct_orientations)
        self.move_sets = {"all": MoveSet("all", tuple(turns), "")}
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
