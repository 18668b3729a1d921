"""Additive pattern databases of sliding tiles, written as the sizes of the patterns: ``7-8``, ``6-6-3``.

The tiles are split into patterns of these sizes in the order of their goal cells, row by row, so that the tiles of a
pattern are neighbours at the goal. A move moves one tile, so the distances of the patterns can be added (Korf and
Felner 2002). The sum is looked up for all symmetries of the board that keep the blank's goal cell, and the maximum is
taken.

The sum is admissible. It is not consistent: a table has the minimum over all places of the blank, which may change by
more than 1 with one move.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import perm
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.databases.building import cores, run
from hstar.databases.files import TableFile, load_or_build
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["TileDatabases", "board_symmetries", "parse", "patterns", "tile_databases"]

#: the largest table that is built, in states
MAX_ENTRIES = 600_000_000
#: bits of the kernel's sets of cells
MAX_CELLS = 32

Sizes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TileDatabases:
    """Additive databases of a board for one partition of its tiles; built on first use."""

    puzzle: SlidingTiles
    sizes: Sizes

    @property
    def name(self) -> str:
        return "-".join(map(str, self.sizes))

    @property
    def expression(self) -> str:
        """The expression for the value of these databases."""
        return f'pdb("{self.name}")'

    @property
    def identity(self) -> str:
        """A text that no other databases have."""
        return f"{self.puzzle.name} {self.puzzle.goal_board()} {self.name}"

    @property
    def states(self) -> int:
        """Abstract states of all patterns."""
        return sum(perm(self.puzzle.cells, size) for size in self.sizes)

    @property
    def build_bytes(self) -> int:
        """Memory that building takes, one table after the other: a byte for each state, and two bits for each region of
        free cells that the blank may be in. Narrow boards have the most regions."""
        narrow = min(self.puzzle.rows, self.puzzle.columns) < 3
        return (3 if narrow else 2) * perm(self.puzzle.cells, max(self.sizes))

    def load(self) -> None:
        """Build or open the tables."""
        _ = self.tables

    @cached_property
    def kernel(self) -> _kernel.TileHeuristic:
        """The databases as the kernel looks them up and searches with them."""
        return _kernel.TileHeuristic(
            self.puzzle.kernel,
            [
                _kernel.TileDatabase(_kernel.TilePattern(self.puzzle.kernel, list(tiles)), table.data)
                for tiles, table in zip(patterns(self.puzzle, self.sizes), self.tables, strict=True)
            ],
            board_symmetries(self.puzzle),
        )

    @cached_property
    def tables(self) -> list[TableFile]:
        """The table of each pattern, in their order."""
        return [_table(self.puzzle, tiles) for tiles in patterns(self.puzzle, self.sizes)]

    def search(
        self,
        start: State,
        *,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        control: _kernel.Control,
    ) -> _kernel.Outcome:
        """A shortest solution by IDA*; ``f_bound`` is a proven lower bound however the search ends.

        Missing databases are built first, which does not count as search time. There is one thread, whatever
        ``threads`` is.
        """
        return _kernel.tile_ida_star(
            self.kernel, start,
            max_expanded=max_expanded, max_generated=max_generated, seconds=seconds, control=control,
        )  # fmt: skip

    def together_with(self, others: Iterable[object], moves: MoveSet) -> TileDatabases | None:
        """These databases, if there are no others and the move set has all moves of the board."""
        return self if not list(others) and set(moves.moves) == set(self.puzzle.moves) else None

    def evaluate(self, state: State) -> int:
        """The value in plain Python, independent of the kernel except for the tables."""
        goal = self.puzzle.solved
        most = 0
        for image in board_symmetries(self.puzzle):
            cell_of = {goal[image[goal.index(tile)]]: image[cell] for cell, tile in enumerate(state)}
            total = 0
            for tiles, table in zip(patterns(self.puzzle, self.sizes), self.tables, strict=True):
                cells = [cell_of[tile] for tile in tiles]
                rank = _rank(cells, self.puzzle.cells)
                total += 2 * int(table.data[rank // 2] >> rank % 2 * 4 & 15)
                total += sum(self._steps(cell, goal.index(tile)) for tile, cell in zip(tiles, cells, strict=True))
            most = max(most, total)
        return most

    def _steps(self, a: int, b: int) -> int:
        columns = self.puzzle.columns
        return abs(a // columns - b // columns) + abs(a % columns - b % columns)


def _rank(cells: list[int], board: int) -> int:
    rank = 0
    for i, cell in enumerate(cells):
        rank = rank * (board - i) + cell - sum(other < cell for other in cells[:i])
    return rank


def parse(puzzle: SlidingTiles, text: str) -> Sizes:
    """The sizes in a text.

    :raises FeatureError: it cannot be parsed, the sizes do not add up to all tiles, or a pattern is too large
    """
    tiles = puzzle.cells - 1
    example = "7-8" if tiles == 15 else f"{tiles // 2}-{tiles - tiles // 2}" if tiles > 1 else "1"
    if not re.fullmatch(r"[0-9]{1,2}(-[0-9]{1,2})*", text.replace(" ", "")):
        raise FeatureError(f'sizes of patterns that add up to the {tiles} tiles, such as "{example}"')
    sizes = tuple(int(size) for size in text.split("-"))
    if sum(sizes) != tiles or 0 in sizes:
        raise FeatureError(f'sizes that add up to the {tiles} tiles, such as "{example}"')
    largest = perm(puzzle.cells, max(sizes))
    if largest > MAX_ENTRIES or puzzle.cells > MAX_CELLS or max(sizes) > 12 or len(sizes) > 8:
        raise FeatureError(
            f"at most 8 patterns, none of more than {MAX_ENTRIES:,} states, on at most {MAX_CELLS} cells; "
            f"{max(sizes)} tiles on {puzzle.cells} cells have {largest:,}"
        )
    return sizes


def patterns(puzzle: SlidingTiles, sizes: Sizes) -> list[tuple[int, ...]]:
    """The tiles of each pattern, ascending."""
    tiles = [tile for tile in puzzle.solved if tile]
    ends = np.cumsum([0, *sizes]).tolist()
    return [tuple(sorted(tiles[a:b])) for a, b in pairwise(ends)]


@lru_cache(maxsize=64)
def board_symmetries(puzzle: SlidingTiles) -> list[bytes]:
    """The image of each cell, for the rotations and reflections of the board that keep the blank's goal cell."""
    rows, columns = puzzle.rows, puzzle.columns
    grid = np.arange(puzzle.cells).reshape(rows, columns)
    grids = [g for turned in (grid, grid.T) for g in (turned, turned[::-1], turned[:, ::-1], turned[::-1, ::-1])]
    home = puzzle.solved.index(0)
    images = {
        tuple(np.argsort(g.ravel()).tolist()) for g in grids if g.shape == (rows, columns) and g.ravel()[home] == home
    }
    return [bytes(image) for image in sorted(images)]


@lru_cache(maxsize=64)
def tile_databases(puzzle: SlidingTiles, text: str) -> TileDatabases:
    """The same object each time, so that a process builds, checks and maps a table once.

    :raises FeatureError: the text is not a partition of the board's tiles
    """
    return TileDatabases(puzzle, parse(puzzle, text))


def _table(puzzle: SlidingTiles, tiles: tuple[int, ...]) -> TableFile:
    pattern = _kernel.TilePattern(puzzle.kernel, list(tiles))

    def build() -> tuple[dict[str, Any], Any]:
        _, data, counts = run(
            f"{puzzle.name} tiles {' '.join(map(str, tiles))}",
            lambda progress: _kernel.build_tile_database(pattern, threads=cores(), progress=progress),
        )
        return {"counts": counts}, data

    # Boards that differ only in the numbers of their tiles may share a table.
    key = {
        "kind": "tiles",
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "homes": [puzzle.solved.index(tile) for tile in tiles],
        "blank": puzzle.solved.index(0),
    }
    return load_or_build(f"tiles-{puzzle.rows}x{puzzle.columns}-{len(tiles)}", key, build)
