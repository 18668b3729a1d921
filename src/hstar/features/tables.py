"""Features of a permutation puzzle that read one entry of a table for each slot."""

from __future__ import annotations

import functools
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
    changes = _changes(puzzle, table)
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
    changes = _changes(puzzle, table)
    reach = [table[i, : puzzle.values[i]] for i in range(len(puzzle.values))]
    return MaximumFeature(
        name=name,
        low=max(int(r.min()) for r in reach),
        high=max(int(r.max()) for r in reach),
        at_goal=max(int(table[i, v]) for i, v in enumerate(puzzle.home)),
        changes={
            move: (max((0, *(drop for drop, _ in each))), max((0, *(rise for _, rise in each))))
            for move, each in changes.items()
        },
        table=table,
    )


def _changes(puzzle: PermutationPuzzle, table: Table) -> dict[str, list[tuple[int, int]]]:
    """By move, for each slot whose content it changes: by how much the content's entry can at most fall and rise.
    Slots without entries are left out."""
    filled: Any = table.any(axis=1)
    found: dict[str, list[tuple[int, int]]] = {move: [] for move in puzzle.moves}
    for move, own in found.items():
        for to, of, values in _alike(puzzle, move):
            if not (counted := filled[to] | filled[of]).any():
                continue
            dst, src = to[counted], of[counted]
            change = table[dst][:, values] - table[src][:, : len(values)]
            own += zip((-change.min(axis=1)).tolist(), change.max(axis=1).tolist(), strict=True)
    return found


@lru_cache(maxsize=1024)
def _alike(puzzle: PermutationPuzzle, move: str) -> tuple[tuple[Indices, Indices, Indices], ...]:
    """The slots whose content a move changes, those together whose values it changes alike: the slots, those that their
    contents come from, and the map of the values."""
    slots: dict[int, tuple[list[int], list[int]]] = {}
    maps: dict[int, tuple[int, ...]] = {}
    for dst, src, values in puzzle.touched(move):  # equal maps are one object, mostly
        maps[id(values)] = values
        together = slots.setdefault(id(values), ([], []))
        together[0].append(dst)
        together[1].append(src)
    as_array = functools.partial(np.array, dtype=np.intp)
    return tuple((as_array(to), as_array(of), as_array(maps[key])) for key, (to, of) in slots.items())
