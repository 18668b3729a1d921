"""Additive pattern databases of boards as certificates have them: with an entry for each cell of the blank.

The tables of searches keep the minimum over all cells of the blank. A checker could not see of such a table that no
move lowers it by too much; of these it can, by looking at each entry and each move. They are at least as large.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hstar.databases.tiles import TileDatabases
from hstar.features.databases import DatabaseFeature
from hstar.heuristics.expression import Expression
from hstar.polling import poll
from hstar.puzzles import Puzzle
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["MOST_ENTRIES", "PatternTerm", "pattern_terms"]

Numbers = np.ndarray[Any, np.dtype[np.int64]]

PATTERNS = 2
#: the most entries of a file's tables together
MOST_ENTRIES = 1 << 25
UNKNOWN = 255


@dataclass(frozen=True)
class PatternTerm:
    """The sum of tables of disjoint patterns of tiles."""

    board: SlidingTiles
    patterns: tuple[tuple[int, ...], ...]

    @property
    def entries(self) -> int:
        cells = self.board.cells
        return sum(int(np.prod([cells - i for i in range(len(tiles) + 1)])) for tiles in self.patterns)

    def section(self, puzzle: Puzzle) -> bytes:
        """The term as a file has it; the tables are made now, which takes about a second for a million entries."""
        parts = [struct.pack("<BIH", PATTERNS, 1, len(self.patterns))]
        for tiles in self.patterns:
            table = _distances(self.board, tiles)
            parts.append(struct.pack("<H", len(tiles) + 1))
            parts += [struct.pack("<4H", 0, self.board.cells, tile, 1) for tile in (*tiles, 0)]
            parts += [struct.pack("<Q", len(table)), table.tobytes()]
        return b"".join(parts)


def pattern_terms(expression: Expression) -> list[PatternTerm]:
    """The databases of boards that an expression names, if their tables are not too large."""
    found = [
        PatternTerm(databases.puzzle, databases.groups)
        for databases in (f.databases for f in expression.features if isinstance(f, DatabaseFeature))
        if isinstance(databases, TileDatabases)
    ]
    return [term for term in found if term.entries <= MOST_ENTRIES // len(found)]


def _distances(board: SlidingTiles, tiles: Sequence[int]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """For each arrangement of these tiles and the blank, the fewest moves of the tiles that bring them home."""
    cells = board.cells
    beside = np.full((4, cells), -1)
    for (cell, move), other in board.beside.items():
        beside[board.moves.index(move), cell] = other
    size = int(np.prod([cells - i for i in range(len(tiles) + 1)]))
    table = np.full(size, UNKNOWN, dtype=np.uint8)
    layer = _rank(np.array([[board.solved.index(tile)] for tile in (*tiles, 0)]), cells)
    distance = 0
    while layer.size:
        table[layer] = distance
        reached, begun = [layer], layer
        while begun.size:  # the blank goes where no tile of the pattern is
            begun = _moved(begun, cells, beside, table, len(tiles), free=True)
            table[begun] = distance
            reached.append(begun)
        layer = _moved(np.concatenate(reached), cells, beside, table, len(tiles), free=False)
        distance += 1
    return table


def _moved(
    ranks: Numbers, cells: int, beside: Numbers, table: np.ndarray[Any, np.dtype[np.uint8]], tiles: int, *, free: bool
) -> Numbers:
    """The arrangements, not yet in the table, that one move makes: of the blank alone (``free``), or of a tile."""
    poll()
    placed = _placed(ranks, cells, tiles + 1)
    found = []
    for to in beside:
        there = to[placed[tiles]]
        holds = placed[:tiles] == there
        chosen = (there >= 0) & (holds.any(axis=0) != free)
        after = placed[:, chosen]
        if not free:
            after[:tiles] = np.where(holds[:, chosen], after[tiles], after[:tiles])
        after[tiles] = there[chosen]
        after_ranks = _rank(after, cells)
        found.append(after_ranks[table[after_ranks] == UNKNOWN])
    return np.unique(np.concatenate(found))


def _rank(placed: Numbers, cells: int) -> Numbers:
    """The numbers of arrangements, by piece and arrangement the cell: each among those that the earlier pieces left."""
    ranks = np.zeros(placed.shape[1], dtype=np.int64)
    for i, cell in enumerate(placed):
        ranks = ranks * (cells - i) + cell - (placed[:i] < cell).sum(axis=0)
    return ranks


def _placed(ranks: Numbers, cells: int, pieces: int) -> Numbers:
    """The inverse of `_rank`."""
    placed = np.zeros((pieces, len(ranks)), dtype=np.int64)
    for i in reversed(range(pieces)):
        ranks, placed[i] = np.divmod(ranks, cells - i)
    for i in range(1, pieces):
        for other in np.sort(placed[:i], axis=0):
            placed[i] += placed[i] >= other  # past the earlier ones, from the lowest on
    return placed
