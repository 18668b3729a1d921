"""Distances to a subgroup, as a pattern database: all its cosets, for all symmetric images of the subgroup.

The subgroup is the one that `hstar.puzzles.subgroups` finds. On the 3x3x3 this is the table of Kociemba's optimal
solver. Cosets that symmetries of the subgroup carry onto one another share an entry.

``cosets+corners/2`` has the cosets of a smaller subgroup: of the elements that also keep the corners in two blocks,
which the symmetries of the subgroup carry onto one another. On the 3x3x3 these are 70 times as many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Unpack

from hstar import _kernel
from hstar.databases.building import cores, run
from hstar.databases.files import Bytes, TableFile, load_or_build
from hstar.databases.options import SearchOptions
from hstar.databases.permutation import effects, move_numbers
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, Coordinate, Subgroup, blocks_of, coset_of, subgroup_of
from hstar.puzzles.symmetry import Symmetry, images_of_moves

__all__ = ["CosetDatabases", "building_bytes", "coset_databases", "with_blocks"]

#: the text of these databases, where others have orbits and sizes; and with blocks of an orbit
TEXT = "cosets"
_WITH_BLOCKS = re.compile(r"^cosets\+([A-Za-z][A-Za-z0-9_]*)/([0-9]{1,2})$")


@dataclass(frozen=True, eq=False)
class CosetDatabases:
    """The distances to a subgroup, for one puzzle and move set; built on first use.

    ``blocks``: of an orbit, which the elements of the subgroup keep as well.
    """

    puzzle: PermutationPuzzle
    moves: MoveSet
    subgroup: Subgroup
    blocks: Coordinate | None = None

    @property
    def name(self) -> str:
        if self.blocks is None:
            return TEXT
        return f"{TEXT}+{self.puzzle.orbits[self.blocks.orbit].name}/{len(set(self.blocks.classes))}"

    @property
    def expression(self) -> str:
        return f'pdb("{self.name}")'

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """They tell the cosets apart."""
        return self.subgroup.cosets + (() if self.blocks is None else (self.blocks,))

    @property
    def orbits(self) -> set[str]:
        """The orbits of which it knows something."""
        return {self.puzzle.orbits[coordinate.orbit].name for coordinate in self.coordinates}

    @property
    def identity(self) -> str:
        """A text that no other databases have."""
        return f"{self.puzzle.name} {self.moves.name} {self.name}"

    @property
    def states(self) -> int:
        """About how many entries the table has: a few more, for cosets that some symmetry carries onto themselves."""
        return prod(c.size for c in self.coordinates) // len(self._own)

    @property
    def build_bytes(self) -> int:
        """About how much memory building takes: the table, and the images of values under each symmetry."""
        reduced, rest = (prod(c.size for c in part) for part in self._parts)
        return building_bytes(reduced, rest, len(self._own))

    def load(self) -> None:
        """Build or open the table."""
        _ = self.kernel

    @cached_property
    def _images(self) -> list[tuple[Symmetry, list[int]]]:
        return images_of_moves(self.puzzle, self.moves)

    @cached_property
    def _own(self) -> list[list[int]]:
        """The images of the moves under each symmetry of the subgroup."""
        return [images for _, images in self.subgroup.symmetries(self.puzzle, self.moves)]

    @cached_property
    def _views(self) -> list[tuple[Symmetry, list[int]]]:
        """One symmetry for each image of the subgroup."""
        chosen: dict[frozenset[int], tuple[Symmetry, list[int]]] = {}
        for symmetry, images in self._images:
            chosen.setdefault(self.subgroup.image(self.moves, images), (symmetry, images))
        return list(chosen.values())

    @property
    def _parts(self) -> tuple[list[Coordinate], list[Coordinate]]:
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
    def _space(self) -> _kernel.CosetSpace:
        reduced, rest = ([c.kernel for c in part] for part in self._parts)
        return run(
            f"{self.puzzle.name} cosets",
            lambda progress: _kernel.make_coset_space(
                self.puzzle.kernel_space,
                move_numbers(self.puzzle, self.moves),
                reduced,
                rest,
                self._own,
                MOST_VALUES,
                progress,
            ),
        )

    @cached_property
    def tables(self) -> list[TableFile]:
        """The table."""
        chosen = re.sub("[^A-Za-z0-9]+", "_", self.moves.name)[:40]
        key = {
            "kind": "cosets",
            "orbits": [[o.pieces, o.orientations] for o in self.puzzle.orbits],
            "moves": effects(self.puzzle, self.moves.moves),
            "subgroup": self.subgroup.moves,
            "blocks": None if self.blocks is None else self.blocks.kernel,
            "bits": 2,
        }

        def build() -> tuple[dict[str, Any], Bytes]:
            bits, data, counts = run(
                f"{self.puzzle.name} {self.moves.name} {self.name}",
                lambda progress: _kernel.build_coset_distances(self._space, threads=cores(), progress=progress),
            )
            return {"bits": bits, "counts": counts}, data

        return [load_or_build(f"{self.puzzle.name}-{chosen}-{self.name.replace('/', '')}", key, build)]

    @cached_property
    def kernel(self) -> _kernel.CosetHeuristic:
        """Looked up for all images of the subgroup. Admissible and consistent."""
        space, numbers = self.puzzle.kernel_space, move_numbers(self.puzzle, self.moves)
        views = [(_kernel.Symmetry(space, numbers, s.images, False), images) for s, images in self._views]
        solved = coset_of(self.puzzle, self.coordinates, self.puzzle.solved)
        left = [
            number
            for number, move in enumerate(self.moves.moves)
            if coset_of(self.puzzle, self.coordinates, self.puzzle.apply(self.puzzle.solved, move)) == solved
        ]
        kept = {images[number] for _, images in self._views for number in left}
        (table,) = self.tables
        own = _kernel.CosetTable(self._space, table.data, views)
        return _kernel.CosetHeuristic(space, [own], len(kept) == len(self.moves.moves))

    def search(self, start: State, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        """A shortest solution by IDA*, as `PatternDatabases.search`."""
        return _kernel.coset_ida_star(self.kernel, start, **options)

    def together_with(self, others: Iterable[object], moves: MoveSet) -> CosetDatabases | None:
        """These databases, if there are no others and they are for the same moves."""
        return self if moves == self.moves and not list(others) else None


def building_bytes(reduced: int, rest: int, symmetries: int) -> int:
    """About how much memory building takes: the table, and the images of the values of both parts under each symmetry.
    An entry takes two bits, and each class of the values that are reduced begins with a new word of 64."""
    return reduced // symmetries * 8 * -(-rest // 32) + 5 * symmetries * (reduced + rest)


@lru_cache(maxsize=16)
def coset_databases(puzzle: PermutationPuzzle, moves: MoveSet) -> CosetDatabases | None:
    """The same object each time; None if the puzzle has no such subgroup with these moves."""
    subgroup = subgroup_of(puzzle, moves)
    return None if subgroup is None else CosetDatabases(puzzle, moves, subgroup)


def with_blocks(puzzle: PermutationPuzzle, moves: MoveSet, text: str) -> CosetDatabases | None:
    """The databases of a text such as ``cosets+corners/2``, the same object each time; None for other texts.

    :raises FeatureError: there are no such blocks
    """
    match = _WITH_BLOCKS.match(text.replace(" ", ""))
    if match is None:
        return None
    subgroup = subgroup_of(puzzle, moves)
    finer = () if subgroup is None else blocks_of(puzzle, moves, subgroup)
    found = {one.name.lower(): one for one in (_with(puzzle, moves, blocks) for blocks in reversed(finer))}
    if match[0].lower() not in found:
        none = f"orbits and sizes: {puzzle.name} has no subgroup with blocks for the moves {moves.name}"
        raise FeatureError(" or ".join(one.name for one in found.values()) or none)
    return found[match[0].lower()]


@lru_cache(maxsize=16)
def _with(puzzle: PermutationPuzzle, moves: MoveSet, blocks: Coordinate) -> CosetDatabases:
    subgroup = subgroup_of(puzzle, moves)
    assert subgroup is not None
    return CosetDatabases(puzzle, moves, subgroup, blocks)
