"""Features of a permutation puzzle that read one entry of a table for each slot."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from hstar.features.base import Feature, MaximumFeature, Table, TableFeature
from hstar.puzzles.permutation import PermutationPuzzle

Indices = np.ndarray[Any, np.dtype[np.intp]]

__all__ = ["empty_table", "maximum_feature", "table_feature"]


def empty_table(puzzle: PermutationPuzzle) -> Table:
    """Zeros of the shape of this puzzle's tables: int32, shape (slots, largest number of values)."""
    return np.zeros((len(puzzle.values), max(puzzle.values)), dtype=np.int32)


def table_feature(puzzle: PermutationPuzzle, name: str, table: Table) -> Feature:
    """The sum of ``table[slot, value]`` over the slots."""
    changes = {move: _slot_changes(puzzle, table, move) for move in puzzle.moves}
    reach = [table[i, : puzzle.values[i]] for i in range(len(puzzle.values))]
    return TableFeature(
        name=name,
        low=sum(int(r.min()) for r in reach),
        high=sum(int(r.max()) for r in reach),
        at_goal=sum(int(table[i, v]) for i, v in enumerate(puzzle.home)),
        changes={move: (sum(d for d, _ in each), sum(r for _, r in each)) for move, each in changes.items()},
        table=table,
    )


def maximum_feature(puzzle: PermutationPuzzle, name: str, table: Table) -> Feature:
    """The greatest ``table[slot, value]`` over the slots.

    The maximum is the entry of one slot. Its content either stays or moves, and no content loses more than the largest
    loss, so the maximum does not either.
    """
    changes = {move: _slot_changes(puzzle, table, move) for move in puzzle.moves}
    reach = [table[i, : puzzle.values[i]] for i in range(len(puzzle.values))]
    return MaximumFeature(
        name=name,
        low=max(int(r.min()) for r in reach),
        high=max(int(r.max()) for r in reach),
        at_goal=max(int(table[i, v]) for i, v in enumerate(puzzle.home)),
        changes={
            move: (max(0, *(drop for drop, _ in each)), max(0, *(rise for _, rise in each)))
            for move, each in changes.items()
        },
        table=table,
    )


def _slot_changes(puzzle: PermutationPuzzle, table: Table, move: str) -> list[tuple[int, int]]:
    """For each slot whose content the move changes, by how much the content's entry can at most fall and rise."""
    to, src, begins = _entries(puzzle, move)
    if not len(begins):
        return []
    change = table[to] - table[src]
    falls, rises = -np.minimum.reduceat(change, begins), np.maximum.reduceat(change, begins)
    return list(zip(falls.tolist(), rises.tolist(), strict=True))


@lru_cache(maxsize=1024)
def _entries(puzzle: PermutationPuzzle, move: str) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices], Indices]:
    """The entries of a table after a move, the entries before it, and where those of each slot begin."""
    touched = puzzle.touched(move)
    counts = [len(values) for _, _, values in touched]
    dst = np.repeat([dst for dst, _, _ in touched], counts).astype(np.intp)
    src = np.repeat([src for _, src, _ in touched], counts).astype(np.intp)
    after = np.concatenate([np.array(values, dtype=np.intp) for values in (*(v for _, _, v in touched), ())])
    before = np.concatenate([np.arange(count, dtype=np.intp) for count in (*counts, 0)])
    return (dst, after), (src, before), np.cumsum([0, *counts[:-1]]) if counts else np.zeros(0, np.intp)
