"""Features of a permutation puzzle that read one entry of a table for each slot."""

from __future__ import annotations

import numpy as np

from hstar.features.base import Feature, MaximumFeature, Table, TableFeature
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["empty_table", "maximum_feature", "table_feature"]


def empty_table(puzzle: PermutationPuzzle) -> Table:
    """Zeros of the shape that features of this puzzle take: int32, shape (slots, largest number of values)."""
    return np.zeros((len(puzzle.values), max(puzzle.values)), dtype=np.int32)


def table_feature(puzzle: PermutationPuzzle, name: str, table: Table) -> Feature:
    """The sum of ``table[slot, value]`` over the slots."""
    changes = {move: _slot_changes(puzzle, table, move) for move in puzzle.moves}
    reach = [table[i, : puzzle.values[i]] for i in range(len(puzzle.values))]
    return TableFeature(
        name=name,
        low=sum(int(r.min()) for r in reach),
        high=sum(int(r.max()) for r in reach),
        at_goal=sum(int(table[i, v]) for i, v in enumerate(puzzle.solved)),
        changes={move: (sum(d for d, _ in each), sum(r for _, r in each)) for move, each in changes.items()},
        table=table,
    )


def maximum_feature(puzzle: PermutationPuzzle, name: str, table: Table) -> Feature:
    """The greatest ``table[slot, value]`` over the slots.

    No slot's content that a move carries elsewhere loses more than the greatest loss of any, so the maximum, which is
    one of them or of those that stay, does not either.
    """
    changes = {move: _slot_changes(puzzle, table, move) for move in puzzle.moves}
    reach = [table[i, : puzzle.values[i]] for i in range(len(puzzle.values))]
    return MaximumFeature(
        name=name,
        low=max(int(r.min()) for r in reach),
        high=max(int(r.max()) for r in reach),
        at_goal=max(int(table[i, v]) for i, v in enumerate(puzzle.solved)),
        changes={
            move: (max(0, *(drop for drop, _ in each)), max(0, *(rise for _, rise in each)))
            for move, each in changes.items()
        },
        table=table,
    )


def _slot_changes(puzzle: PermutationPuzzle, table: Table, move: str) -> list[tuple[int, int]]:
    """For each slot whose content the move changes, how far the content's entry can at most fall and rise."""
    changes = []
    for dst, src, values in puzzle.touched(move):
        change = table[dst, list(values)] - table[src, : len(values)]
        changes.append((int(-change.min()), int(change.max())))
    return changes
