"""Pattern databases: distances of abstractions, computed once, kept in files, and read through symmetries.

>>> databases = strongest(puzzle, puzzle.move_set("ccw"))                         # doctest: +SKIP
>>> outcome = search(databases, state, control=Control())                         # doctest: +SKIP

`symmetry` finds the symmetries of a puzzle, `patterns` chooses pieces, `permutation` and `tiles` put databases
together, `files` keeps them, `features` makes them part of the language of heuristics, `solver` searches with them.
"""

from hstar.databases.building import watching
from hstar.databases.features import database_feature
from hstar.databases.permutation import PatternDatabases, pattern_databases
from hstar.databases.solver import Databases, matching, search, strongest
from hstar.databases.tiles import TileDatabases, tile_databases

__all__ = [
    "Databases",
    "PatternDatabases",
    "TileDatabases",
    "database_feature",
    "matching",
    "pattern_databases",
    "search",
    "strongest",
    "tile_databases",
    "watching",
]
