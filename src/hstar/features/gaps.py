"""Neighbours that are apart, in a row of pieces."""

from __future__ import annotations

from collections.abc import Mapping

from hstar.features.base import Feature, WholeStateFeature
from hstar.features.registry import Arguments, FeatureKind, no_arguments
from hstar.puzzles.base import MoveSet, contents
from hstar.puzzles.permutation import PermutationPuzzle


def _docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    if not puzzle.in_a_row:
        return {}
    return {
        "gaps": "slots whose piece does not belong beside that of the next slot; the last piece belongs at the end of "
        "the row (Helmert, Landmark heuristics for the pancake problem, 2010)"
    }


def _make(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    slots = len(puzzle.values)

    def gaps(state: bytes) -> int:
        row = (*contents(state, slots), slots)
        return sum(abs(row[slot] - row[slot + 1]) != 1 for slot in range(slots))

    return WholeStateFeature(
        name=name, low=0, high=slots, at_goal=0, kind=name, function=gaps,
        changes={move: (parts, parts) for move in puzzle.moves for parts in [puzzle.parted(move)]},
    )  # fmt: skip


GAPS = FeatureKind(PermutationPuzzle, _docs, _make)
