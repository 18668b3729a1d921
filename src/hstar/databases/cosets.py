"""Distances to a subgroup, as a pattern database: all its cosets, for all symmetric images of the subgroup.

The subgroup is the one that `hstar.puzzles.subgroups` finds. On the 3x3x3 this is the table of Kociemba's optimal
solver. Cosets that symmetries of the subgroup carry onto one another share an entry.

``cosets+corners/2`` has the cosets of a smaller subgroup: of the elements that also keep the corners in two blocks,
which the symmetries of the subgroup carry onto one another. On the 3x3x3 these are 70 times as many. And
``cosets+corners/2+edges/3`` has three times as many again: the edges of the middle slice are in two pairs, which are
not told apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from hstar import _kernel
from hstar.databases.base import Databases
from hstar.databases.coset_table import CosetTable, OverCosets, few
from hstar.databases.permutation import touches
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import COSETS, Coordinate, Subgroup, coset_of, subgroup_of, text_of, with_blocks
from hstar.puzzles.symmetry import Symmetry, images_of_moves

__all__ = ["CosetDatabases", "SubgroupTable", "coset_databases", "forget", "read"]

#: databases with blocks of an orbit, and of another
_WITH_BLOCKS = re.compile(r"^cosets(\+[A-Za-z][A-Za-z0-9_]*/[0-9]{1,2}){1,2}$")


@dataclass(frozen=True, eq=False)
class SubgroupTable(CosetTable):
    """The distances to a subgroup, for one puzzle and move set.

    ``blocks``: of an orbit, which the elements of the subgroup keep as well. ``finer``: takes the place of a coordinate
    of the subgroup.
    """

    puzzle: PermutationPuzzle
    moves: MoveSet
    subgroup: Subgroup
    blocks: Coordinate | None
    finer: Coordinate | None

    @property
    def name(self) -> str:
        return text_of(self.puzzle, self.blocks, self.finer)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """They tell the cosets apart."""
        finer = self.finer
        own = (finer if finer and c.orbit == finer.orbit and not c.oriented else c for c in self.subgroup.cosets)
        return (*own, *filter(None, [self.blocks]))

    @cached_property
    def split(self) -> tuple[list[Coordinate], list[Coordinate]]:
        """The coordinates of the orbit with most values, which are reduced, and those of the others."""

        def size(orbit: int) -> int:
            return prod(c.size for c in self.coordinates if c.orbit == orbit)

        orbits = {c.orbit for c in self.coordinates}
        largest = max(orbits, key=lambda orbit: (size(orbit), -orbit))
        return (
            [c for c in self.coordinates if c.orbit == largest],
            [c for c in self.coordinates if c.orbit != largest],
        )

    @cached_property
    def carried(self) -> list[list[int]]:
        return few([images for _, images in self.subgroup.symmetries(self.puzzle, self.moves)])

    @cached_property
    def views(self) -> list[tuple[Symmetry, list[int]]]:
        """One symmetry for each image of the subgroup that is looked up."""
        chosen: dict[frozenset[int], tuple[Symmetry, list[int]]] = {}
        for symmetry, images in images_of_moves(self.puzzle, self.moves):
            chosen.setdefault(self.subgroup.looked_up(self.puzzle, symmetry), (symmetry, images))
        return list(chosen.values())

    @property
    def made_of(self) -> dict[str, Any]:
        blocks = None if self.blocks is None else self.blocks.key
        finer = {} if self.finer is None else {"finer": self.finer.key}
        return {"kind": "cosets", "subgroup": self.subgroup.moves, "blocks": blocks} | finer

    @property
    def meeting(self) -> bool:
        """Whether each move is, in some view, one of the subgroup: whether its image is."""
        solved = coset_of(self.puzzle, self.coordinates, self.puzzle.solved)
        left = {
            number
            for number, move in enumerate(self.moves.moves)
            if coset_of(self.puzzle, self.coordinates, self.puzzle.turned(self.puzzle.solved, move)) == solved
        }
        return all(any(images[number] in left for _, images in self.views) for number in range(len(self.moves.moves)))


@dataclass(frozen=True, eq=False)
class CosetDatabases(OverCosets):
    """The distances to a subgroup, looked up for all its images."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    subgroup: Subgroup
    blocks: Coordinate | None = None
    finer: Coordinate | None = None

    @cached_property
    def own(self) -> tuple[SubgroupTable]:
        return (SubgroupTable(self.puzzle, self.moves, self.subgroup, self.blocks, self.finer),)

    @property
    def name(self) -> str:
        return self.own[0].name

    @property
    def identity(self) -> str:
        return f"{self.puzzle.name} {self.moves.name} {self.name}"

    def changed_by(self, move: str) -> bool:
        return touches(self.puzzle, move, {self.puzzle.orbits[c.orbit].name for c in self.own[0].coordinates})

    @cached_property
    def kernel(self) -> _kernel.CosetHeuristic:
        (table,) = self.own
        return _kernel.CosetHeuristic(self.puzzle.kernel_space, [table.kernel], table.meeting)

    def together_with(self, others: Sequence[Databases], moves: MoveSet) -> CosetDatabases | None:
        return self if moves == self.moves and not others else None


@lru_cache(maxsize=16)
def coset_databases(puzzle: PermutationPuzzle, moves: MoveSet) -> CosetDatabases | None:
    """The same object each time; None if the puzzle has no such subgroup with these moves."""
    subgroup = subgroup_of(puzzle, moves)
    return None if subgroup is None else CosetDatabases(puzzle, moves, subgroup)


def read(puzzle: PermutationPuzzle, moves: MoveSet, text: str) -> CosetDatabases | None:
    """The databases of a text such as ``cosets`` or ``cosets+corners/2``, the same object each time; None for texts
    that name no cosets.

    :raises FeatureError: the puzzle has no such subgroup with these moves, or no such blocks
    """
    if text.strip() == COSETS:
        databases = coset_databases(puzzle, moves)
        if databases is None:
            raise FeatureError(f"orbits and sizes: {puzzle.name} has no subgroup of use with the moves {moves.name}")
        return databases
    match = _WITH_BLOCKS.match(text.replace(" ", ""))
    if match is None:
        return None
    found = {own.lower(): parts for own, parts in with_blocks(puzzle, moves).items()}
    if match[0].lower() not in found:
        none = f"orbits and sizes: {puzzle.name} has no subgroup with blocks for the moves {moves.name}"
        raise FeatureError(" or ".join(text_of(puzzle, *parts) for parts in found.values()) or none)
    return _with(puzzle, moves, *found[match[0].lower()])


@lru_cache(maxsize=16)
def _with(puzzle: PermutationPuzzle, moves: MoveSet, blocks: Coordinate, finer: Coordinate | None) -> CosetDatabases:
    subgroup = subgroup_of(puzzle, moves)
    assert subgroup is not None
    return CosetDatabases(puzzle, moves, subgroup, blocks, finer)


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    coset_databases.cache_clear()
    _with.cache_clear()
