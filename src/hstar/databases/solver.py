"""Optimal solving over pattern databases: which databases are the strongest, and IDA* over them.

>>> databases = strongest(puzzle, moves)                                          # doctest: +SKIP
>>> outcome = search(databases, state, control=Control())                         # doctest: +SKIP
"""

from __future__ import annotations

from math import perm
from typing import TYPE_CHECKING

from hstar import _kernel
from hstar.databases.features import DatabaseFeature
from hstar.databases.permutation import PatternDatabases, pattern_databases
from hstar.databases.tiles import TileDatabases, tile_databases
from hstar.puzzles.base import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles

if TYPE_CHECKING:
    from hstar.heuristics import Heuristic

__all__ = ["Databases", "matching", "search", "strongest"]

Databases = PatternDatabases | TileDatabases

#: which patterns are best together, by measurement; other puzzles take what `_by_rule` says
CHOSEN: dict[str, tuple[str, ...]] = {
    "megaminx": ("corners:4", "edges:4"),
    "master_pyraminx": ("tips:4+axials:4", "tips:2+edges:2+wings:4"),
}
#: of 15 tiles: built in less than a second. 7-8 is faster, but takes half a minute and 1 GB to build
FIFTEEN = "6-6-3"
#: one pattern is no larger than this, in states, if nobody has chosen it
ENTRIES = 12_000_000


def strongest(puzzle: Puzzle, moves: MoveSet) -> Databases | None:
    """The best databases for their size, as far as it was measured; None if there are none for this puzzle."""
    if isinstance(puzzle, PermutationPuzzle):
        return pattern_databases(puzzle, moves, CHOSEN.get(puzzle.name) or _by_rule(puzzle))
    assert isinstance(puzzle, SlidingTiles)
    text = _partition(puzzle)
    return None if text is None else tile_databases(puzzle, text)


def _by_rule(puzzle: PermutationPuzzle) -> tuple[str, ...]:
    """As many pieces of each orbit as fit."""
    texts = []
    for orbit in puzzle.orbits:
        count = 0
        while count < orbit.pieces and perm(orbit.pieces, count + 1) * orbit.orientations ** (count + 1) <= ENTRIES:
            count += 1
        texts.append(f"{orbit.name}:{count}")
    return tuple(texts)


def _partition(puzzle: SlidingTiles) -> str | None:
    tiles = puzzle.cells - 1
    if min(puzzle.rows, puzzle.columns) == 1 or puzzle.cells > 25:
        return None
    if tiles == 15:
        return FIFTEEN
    most = next(size for size in range(tiles, 0, -1) if perm(puzzle.cells, size) <= ENTRIES)
    sizes = [most] * (tiles // most) + [tiles % most] * (tiles % most > 0)
    return "-".join(map(str, sizes))


def matching(heuristic: Heuristic, moves: MoveSet) -> Databases | None:
    """The databases whose maximum the heuristic is, if it is nothing else and they are for these moves."""
    features = [f for f in heuristic.expression.features if isinstance(f, DatabaseFeature)]
    ops = {op for op, _ in heuristic.expression.root.postfix()}
    if not ops <= {"feature", "max"} or len(features) != len(heuristic.expression.features) or not features:
        return None
    puzzle = heuristic.puzzle
    if isinstance(puzzle, SlidingTiles):
        found = features[0].databases
        return found if len(features) == 1 and set(moves.moves) == set(puzzle.moves) else None
    assert isinstance(puzzle, PermutationPuzzle)
    parts = []
    for feature in features:
        assert isinstance(feature.databases, PatternDatabases)
        if feature.databases.moves != moves:
            return None
        parts.append(feature.databases.name)
    return pattern_databases(puzzle, moves, tuple(parts))


def search(
    databases: Databases,
    start: State,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    control: _kernel.Control,
) -> _kernel.Outcome:
    """A shortest solution by IDA*; ``f_bound`` is a proven lower bound however the search ends.

    The databases are built first if they have to be; that does not count as search time. With one thread the counters
    depend on the arguments alone; with more the solution is the same, and the counters of the last iteration are not.
    On sliding tiles there is one thread.
    """
    if isinstance(databases, TileDatabases):
        return _kernel.tile_ida_star(
            databases.kernel, start,
            max_expanded=max_expanded, max_generated=max_generated, seconds=seconds, control=control,
        )  # fmt: skip
    return _kernel.pattern_ida_star(
        databases.kernel, start,
        max_expanded=max_expanded, max_generated=max_generated, seconds=seconds, threads=threads, control=control,
    )  # fmt: skip
