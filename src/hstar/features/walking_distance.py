"""Walking distance (Takahashi 2002) on boards of sliding tiles, with its tables.

If the columns are ignored, a board is only the number of tiles of each goal row in each row; the blank's row has one
tile less. A vertical move exchanges the blank with any tile of the next row; a horizontal one changes nothing. The
graph of these counts is small enough for one breadth-first search from the goal. The same is done with rows and columns
exchanged. The walking distance is the sum of both distances.

A move of the blank follows an edge in one of the two graphs and stays in place in the other. Edges lead both ways, and
the two sides of an edge are in adjacent layers. So the sum changes by exactly 1 with every move, and is consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hstar.puzzles.sliding_tiles.heuristics import WALKING, can_walk

Counts = np.ndarray[Any, np.dtype[np.int64]]


class WalkingDistance:
    """The fewest moves if tiles forget their columns, plus the fewest if they forget their rows.

    :param goal: the tile of each cell at the goal, row by row, 0 for the blank
    :raises ValueError: the board does not fit
    """

    def __init__(self, rows: int, columns: int, goal: Sequence[int]) -> None:
        if not can_walk(rows, columns):
            raise ValueError(f"{rows} x {columns} is not {WALKING}")
        cells = range(rows * columns)
        self._ways = [
            _Way(rows, columns, [cell // columns for cell in cells], goal),
            _Way(columns, rows, [cell % columns for cell in cells], goal),
        ]

    def __call__(self, state: Sequence[int]) -> int:
        """The value on a board; 0 for counts from which the goal's cannot be reached."""
        return sum(way(state) for way in self._ways)

    @property
    def greatest(self) -> int:
        """A bound on all values."""
        return sum(way.greatest for way in self._ways)


class _Way:
    """One direction: ``line_of`` gives each cell's row, or each cell's column."""

    def __init__(self, lines: int, length: int, line_of: Sequence[int], goal: Sequence[int]) -> None:
        home = dict(zip(goal, line_of, strict=True))
        self._digit = [[_one(lines, length, line, home[tile]) if tile else 0 for tile in range(len(goal))]
                       for line in line_of]  # fmt: skip
        self._counts, self._distances = _search(lines, length, home[0])
        self.greatest = int(self._distances.max())

    def __call__(self, state: Sequence[int]) -> int:
        counts = sum(digits[tile] for digits, tile in zip(self._digit, state, strict=True))
        found = int(np.searchsorted(self._counts, counts))
        known = found < len(self._counts) and self._counts[found] == counts
        return int(self._distances[found]) if known else 0


def _one(lines: int, length: int, line: int, home: int) -> int:
    """One tile of goal line ``home`` in ``line``: the counts are a number with a digit for each such pair."""
    return 1 << length.bit_length() * (line * lines + home)


@lru_cache(maxsize=16)
def _search(lines: int, length: int, blank: int) -> tuple[Counts, np.ndarray[Any, np.dtype[np.uint8]]]:
    """All counts that can be reached from the goal's, ascending, and the fewest moves to each.

    :param blank: the blank's line at the goal
    """
    homes = [length - (line == blank) for line in range(lines)]
    goal = sum(count * _one(lines, length, line, line) for line, count in enumerate(homes))
    nothing = np.empty(0, dtype=np.int64)
    before = [nothing] * lines  # the last two layers, by the line of the blank
    layer = [np.array([goal] if line == blank else [], dtype=np.int64) for line in range(lines)]
    layers = []
    while any(len(counts) for counts in layer):
        layers.append(np.concatenate(layer))
        after = []
        for to in range(lines):
            reached = [nothing]
            for line in (to - 1, to + 1):
                if 0 <= line < lines:
                    for home in range(lines):
                        tile = _one(lines, length, to, home)
                        digit = (tile << length.bit_length()) - tile
                        able = layer[line][layer[line] & digit > 0]
                        reached.append(able - tile + _one(lines, length, line, home))
            # Every move takes the blank to another line, so no edge joins two counts of one layer.
            after.append(np.setdiff1d(np.concatenate(reached), before[to]))
        before, layer = layer, after
    counts = np.concatenate(layers)
    distances = np.repeat(np.arange(len(layers), dtype=np.uint8), [len(found) for found in layers])
    order = np.argsort(counts)
    return counts[order], distances[order]
