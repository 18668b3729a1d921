"""Additive pattern databases of sliding tiles, written as the sizes of the patterns, ``7-8``, ``6-6-3``, or as
``blocks:6``.

The tiles are split into patterns of these sizes in the order of their goal cells, row by row; or into compact blocks of
so many tiles, which is stronger on large boards (`hstar.databases.blocks`). A move moves one tile, so the distances of
the patterns can be added (Korf and Felner 2002, whose partition of the 24-puzzle is ``blocks:6``). The sum is looked up
for all symmetries of the board that keep the blank's goal cell, and the maximum is taken.

The sum is admissible. It is not consistent: a table has the minimum over all places of the blank, which may change by
more than 1 with one move.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import perm
from typing import Any, Unpack

import numpy as np

from hstar import _kernel
from hstar.databases.base import ANY_LENGTH, Databases, SearchOptions, Table
from hstar.databases.blocks import Turned, block_partition, board_images, leaves_connected, turned
from hstar.databases.building import cores, run
from hstar.databases.files import Bytes
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["TileDatabases", "board_symmetries", "parse", "patterns", "tile_databases", "with_goal"]

#: processor seconds to build a table, for each of its states and each cell of the board
STATE_SECONDS = 2e-9
#: the largest table that is built, in states
MAX_ENTRIES = 600_000_000
#: cells of the kernel's sets, and its parts of a sum
MAX_CELLS = 50
MAX_PATTERNS = 16

#: the beginning of the name of a partition into blocks
BLOCKS = "blocks:"

Sizes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TileTable(Table):
    """The table of one pattern of a board.

    :param tiles: of the pattern, ascending
    """

    puzzle: SlidingTiles
    tiles: tuple[int, ...]

    @property
    def states(self) -> int:
        return perm(self.puzzle.cells, len(self.tiles))

    @property
    def bytes(self) -> int:
        return -(-self.states // 2)

    @property
    def build_bytes(self) -> int:
        """A byte for each state, and two bits for each region of free cells that the blank may be in. Narrow boards
        have the most regions."""
        return (3 if min(self.puzzle.rows, self.puzzle.columns) < 3 else 2) * self.states

    @property
    def processor_seconds(self) -> float:
        return STATE_SECONDS * self.states * self.puzzle.cells

    @cached_property
    def kept_as(self) -> tuple[str, dict[str, Any]]:
        # Boards that differ only in the numbers of their tiles may share a table; also those whose blank is at home
        # elsewhere, if it comes to all cells that the tiles leave: then it counts as at home in the last one.
        homes, blank = [self.puzzle.home[tile] for tile in self.tiles], self.puzzle.home[0]
        if leaves_connected(self.puzzle, set(homes)):
            blank = max(set(range(self.puzzle.cells)).difference(homes))
        key = {
            "kind": "tiles",
            "rows": self.puzzle.rows,
            "columns": self.puzzle.columns,
            "homes": homes,
            "blank": blank,
        }
        return f"tiles-{self.puzzle.rows}x{self.puzzle.columns}-{len(self.tiles)}", key

    @cached_property
    def pattern(self) -> _kernel.TilePattern:
        return _kernel.TilePattern(self.puzzle.kernel, list(self.tiles))

    def build(self) -> tuple[dict[str, Any], Bytes]:
        _, data, counts = run(
            f"{self.puzzle.name} tiles {' '.join(map(str, self.tiles))}",
            lambda progress: _kernel.build_tile_database(self.pattern, threads=cores(), progress=progress),
        )
        return {"counts": counts}, data

    @cached_property
    def kernel(self) -> _kernel.TileDatabase:
        return _kernel.TileDatabase(self.pattern, self.file.data)


@dataclass(frozen=True, eq=False)
class TileDatabases(Databases):
    """Additive databases of a board for one partition of its tiles.

    :param groups: the tiles of each pattern, ascending
    """

    puzzle: SlidingTiles
    partition: str
    groups: tuple[tuple[int, ...], ...]

    @cached_property
    def moves(self) -> MoveSet:  # type: ignore[override]  # a field of the others
        """Every move of the board."""
        return self.puzzle.move_set(None)

    @property
    def name(self) -> str:
        return self.partition

    @property
    def sizes(self) -> Sizes:
        return tuple(map(len, self.groups))

    @property
    def identity(self) -> str:
        return f"{self.puzzle.name} {self.puzzle.goal_board()} {self.name}"

    @property
    def consistent(self) -> bool:
        return False

    def changed_by(self, move: str) -> bool:
        return True

    @cached_property
    def parts(self) -> list[Turned]:
        """The patterns, and the tables that they read."""
        if not self.name.startswith(BLOCKS):
            identity = bytes(range(self.puzzle.cells))
            return [Turned(tiles, tiles, identity) for tiles in self.groups]
        return [turned(self.puzzle, tiles) for tiles in self.groups]

    @property
    def own(self) -> list[TileTable]:
        """In the order of the patterns that read them first."""
        return list(self._by_tiles.values())

    @cached_property
    def _by_tiles(self) -> dict[tuple[int, ...], TileTable]:
        return {tiles: TileTable(self.puzzle, tiles) for tiles in dict.fromkeys(part.tiles for part in self.parts)}

    @cached_property
    def kernel(self) -> _kernel.TileHeuristic:
        return _kernel.TileHeuristic(
            self.puzzle.kernel,
            [self._by_tiles[part.tiles].kernel for part in self.parts],
            board_symmetries(self.puzzle),
            [part.image for part in self.parts],
        )

    def value(self, state: State) -> int | None:
        return self.kernel.value(state)

    def search(self, start: State, longest: int | None = None, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        most = ANY_LENGTH if longest is None else longest
        return _kernel.tile_ida_star(self.kernel, start, longest=most, **options)

    def together_with(self, others: Sequence[Databases], moves: MoveSet) -> TileDatabases | None:
        return self if not others and set(moves.moves) == set(self.puzzle.moves) else None

    def evaluate(self, state: State) -> int:
        """The value in plain Python, independent of the kernel except for the tables."""
        goal = self.puzzle.solved
        most = 0
        for image in board_symmetries(self.puzzle):
            cell_of = {goal[image[goal.index(tile)]]: image[cell] for cell, tile in enumerate(state)}
            total = 0
            for part in self.parts:
                rank = _rank([part.image[cell_of[tile]] for tile in part.own], self.puzzle.cells)
                total += 2 * int(self._by_tiles[part.tiles].file.data[rank // 2] >> rank % 2 * 4 & 15)
                total += sum(self._steps(cell_of[tile], goal.index(tile)) for tile in part.own)
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


def blocks(puzzle: SlidingTiles, size: int) -> tuple[tuple[int, ...], ...]:
    """The tiles of each pattern of ``blocks:SIZE``, ascending."""
    cells = block_partition(puzzle.rows, puzzle.columns, puzzle.home[0], size)
    return tuple(tuple(sorted(puzzle.solved[cell] for cell in block)) for block in cells)


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
    _check(puzzle, sizes)
    return sizes


def _check(puzzle: SlidingTiles, sizes: Sizes) -> None:
    largest = perm(puzzle.cells, max(sizes))
    if largest > MAX_ENTRIES or puzzle.cells > MAX_CELLS or max(sizes) > 12 or len(sizes) > MAX_PATTERNS:
        raise FeatureError(
            f"at most {MAX_PATTERNS} patterns, none of more than {MAX_ENTRIES:,} states, on at most {MAX_CELLS} cells; "
            f"{max(sizes)} tiles on {puzzle.cells} cells have {largest:,}"
        )


def patterns(puzzle: SlidingTiles, sizes: Sizes) -> list[tuple[int, ...]]:
    """The tiles of each pattern, ascending."""
    tiles = [tile for tile in puzzle.solved if tile]
    ends = np.cumsum([0, *sizes]).tolist()
    return [tuple(sorted(tiles[a:b])) for a, b in pairwise(ends)]


@lru_cache(maxsize=64)
def board_symmetries(puzzle: SlidingTiles) -> list[bytes]:
    """The image of each cell, for the rotations and reflections of the board that keep the blank's goal cell."""
    home = puzzle.home[0]
    return [image for image in board_images(puzzle) if image[home] == home]


@lru_cache(maxsize=64)
def tile_databases(puzzle: SlidingTiles, text: str) -> TileDatabases:
    """The same object each time, so that a process builds, checks and maps a table once.

    :raises FeatureError: the text is not a partition of the board's tiles
    """
    if match := re.fullmatch(BLOCKS + r"([0-9]{1,2})", text.strip()):
        size = int(match[1])
        if not 1 <= size < puzzle.cells or min(puzzle.rows, puzzle.columns) < 2:
            raise FeatureError(f"blocks of 1 to {puzzle.cells - 1} tiles, on a board of two rows and columns or more")
        left = (puzzle.cells - 1) % size
        _check(puzzle, (size,) * ((puzzle.cells - 1) // size) + (left,) * (left > 0))
        return TileDatabases(puzzle, f"{BLOCKS}{size}", blocks(puzzle, size))
    sizes = parse(puzzle, text)
    return TileDatabases(puzzle, "-".join(map(str, sizes)), tuple(patterns(puzzle, sizes)))


@lru_cache(maxsize=64)
def with_goal(databases: TileDatabases, puzzle: SlidingTiles) -> TileDatabases:
    """The same patterns on a board whose goal differs in where the blank and one tile are: with the same tables, but
    for those of the pattern that the tile was in. It is in none; nor are some that would cut cells off.

    :param databases: a partition into blocks
    """
    before, groups = databases.puzzle, []
    for group in databases.groups:
        homes = [before.home[tile] for tile in group if before.home[tile] != puzzle.home[0]]
        while homes and not leaves_connected(puzzle, set(homes)):
            homes.pop()
        if homes:
            groups.append(tuple(sorted(puzzle.solved[home] for home in homes)))
    return TileDatabases(puzzle, databases.partition, tuple(groups))


def read(puzzle: SlidingTiles, _moves: MoveSet, text: str) -> TileDatabases:
    """The databases of a text, which are for all moves of the board.

    :raises FeatureError: the text is not a partition of the board's tiles
    """
    return tile_databases(puzzle, text)


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    tile_databases.cache_clear()
    with_goal.cache_clear()
