"""Whether the puzzle is solved."""

from __future__ import annotations

from hstar.features.base import Feature, WholeStateFeature
from hstar.features.registry import Arguments, FeatureKind, no_arguments
from hstar.puzzles.base import MoveSet, Puzzle


def _make(puzzle: Puzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    goal = puzzle.solved
    return WholeStateFeature(
        name=name, low=0, high=1, at_goal=1, changes=dict.fromkeys(puzzle.moves, (1, 1)),
        kind=name, function=lambda state: int(state == goal),
    )  # fmt: skip


SOLVED = FeatureKind(Puzzle, lambda puzzle: {"solved": "1 at the goal, 0 elsewhere"}, _make)
