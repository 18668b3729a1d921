"""Pattern databases: distances in abstractions, computed once, kept in files, and looked up for all symmetries.

>>> databases = pattern_databases(puzzle, puzzle.move_set("ccw"), ("corners:4",))           # doctest: +SKIP
>>> outcome = databases.search(state, control=Control())                                    # doctest: +SKIP

`hstar.puzzles.symmetry` finds the symmetries of a puzzle, `patterns` chooses pieces, `permutation` and `tiles` put
databases together, `cosets` has those of a subgroup,
`orbits` those of whole orbits, `files` keeps them. `hstar.features.databases` makes them part of
the language of heuristics.
"""

from hstar.databases import orbits, permutation
from hstar.databases.building import watching
from hstar.databases.cosets import CosetDatabases, coset_databases
from hstar.databases.orbits import OrbitDatabases, orbit_databases
from hstar.databases.permutation import PatternDatabases, pattern_databases
from hstar.databases.tiles import TileDatabases, tile_databases

Databases = PatternDatabases | CosetDatabases | OrbitDatabases | TileDatabases


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    pattern_databases.cache_clear()
    permutation.load_table.cache_clear()
    coset_databases.cache_clear()
    orbits.forget()
    tile_databases.cache_clear()


__all__ = [
    "CosetDatabases",
    "Databases",
    "OrbitDatabases",
    "PatternDatabases",
    "TileDatabases",
    "coset_databases",
    "forget",
    "orbit_databases",
    "pattern_databases",
    "tile_databases",
    "watching",
]
