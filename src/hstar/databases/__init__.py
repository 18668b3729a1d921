"""Pattern databases: distances in abstractions, computed once, kept in files, and looked up for all symmetries.

>>> databases = databases_named(puzzle, puzzle.move_set("ccw"), "corners:4")               # doctest: +SKIP
>>> outcome = databases.search(state, control=Control())                                    # doctest: +SKIP

`base` says what all databases have in common. `permutation` has patterns of pieces (which `patterns` chooses), `cosets`
those of a subgroup, `orbits` those of whole orbits, `tiles` those of boards; `files` keeps them.
`hstar.features.databases` makes them part of the language of heuristics. A new kind is one module and one entry of
`_READERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hstar.databases import cosets, orbits, permutation, tiles
from hstar.databases.base import Databases
from hstar.databases.building import watching
from hstar.databases.tiles import TileDatabases, tile_databases
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["Databases", "TileDatabases", "databases_named", "forget", "tile_databases", "watching"]

_KINDS = (cosets, orbits, permutation, tiles)

#: by the class of puzzles: what reads a text, in turn. A reader returns None if the text is for another one
_READERS: tuple[tuple[type[Puzzle], tuple[Callable[[Any, MoveSet, str], Databases | None], ...]], ...] = (
    (PermutationPuzzle, (cosets.read, orbits.read, permutation.read)),
    (SlidingTiles, (tiles.read,)),
)


def databases_named(puzzle: Puzzle, moves: MoveSet, text: str) -> Databases:
    """The databases that ``pdb("text")`` looks up with these moves, the same object each time; nothing is built. Those
    of patterns count what moves cost, all others the moves.

    :raises FeatureError: the puzzle has no such databases; the message says which it has
    """
    for kind, readers in _READERS:
        for read in readers if isinstance(puzzle, kind) else ():
            found = read(puzzle, moves if read is permutation.read else puzzle.at_cost_1(moves), text)
            if found is not None:
                return found
    raise FeatureError(f"another heuristic: {puzzle.name} has no pattern databases")


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    for kind in _KINDS:
        kind.forget()
