"""Distances to a subgroup, as a pattern database: all its cosets, for all symmetric images of the subgroup.

The subgroup is the one that `hstar.puzzles.subgroups` finds. On the 3x3x3 this is the table of Kociemba's optimal
solver. Cosets that symmetries of the subgroup carry onto one another share an entry.
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
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, Coordinate, Subgroup, subgroup_of
from hstar.puzzles.symmetry import Symmetry, symmetries

__all__ = ["CosetDatabases", "coset_databases", "images_of_moves"]

#: the text of these databases, where others have orbits and sizes
TEXT = "cosets"


@dataclass(frozen=True, eq=False)
class CosetDatabases:
    """The distances to a subgroup, for one puzzle and move set; built on first use."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    subgroup: Subgroup

    name = TEXT
    expression = f'pdb("{TEXT}")'

    @property
    def orbits(self) -> set[str]:
        """The orbits of which it knows something."""
        return {self.puzzle.orbits[coordinate.orbit].name for coordinate in self.subgroup.cosets}

    @property
    def identity(self) -> str:
        """A text that no other databases have."""
        return f"{self.puzzle.name} {self.moves.name} {self.name}"

    @property
    def states(self) -> int:
        """About how many entries the table has: a few more, for cosets that some symmetry carries onto themselves."""
        return self.subgroup.index // len(self._own)

    @property
    def build_bytes(self) -> int:
        """About how much memory building takes: a byte for each entry, the packed table, and the images of the values
        that are reduced under each symmetry."""
        reduced, _ = self._parts
        return 2 * self.states + 5 * len(self._own) * prod(c.size for c in reduced)

    def load(self) -> None:
        """Build or open the table."""
        _ = self.kernel

    @cached_property
    def _images(self) -> list[tuple[Symmetry, list[int]]]:
        return images_of_moves(self.puzzle, self.moves)

    def _subgroup_under(self, images: list[int]) -> frozenset[int]:
        return frozenset(images[self.moves.moves.index(move)] for move in self.subgroup.moves)

    @cached_property
    def _own(self) -> list[list[int]]:
        """The images of the moves under each symmetry of the subgroup."""
        itself = self._subgroup_under(self._images[0][1])
        return [images for _, images in self._images if self._subgroup_under(images) == itself]

    @cached_property
    def _views(self) -> list[tuple[Symmetry, list[int]]]:
        """One symmetry for each image of the subgroup."""
        chosen: dict[frozenset[int], tuple[Symmetry, list[int]]] = {}
        for symmetry, images in self._images:
            chosen.setdefault(self._subgroup_under(images), (symmetry, images))
        return list(chosen.values())

    @property
    def _parts(self) -> tuple[list[Coordinate], list[Coordinate]]:
        """The coordinates of the orbit with most values, which are reduced, and those of the others."""

        def size(orbit: int) -> int:
            return prod(c.size for c in self.subgroup.cosets if c.orbit == orbit)

        largest = max({c.orbit for c in self.subgroup.cosets}, key=lambda orbit: (size(orbit), -orbit))
        cosets = self.subgroup.cosets
        return [c for c in cosets if c.orbit == largest], [c for c in cosets if c.orbit != largest]

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
        }

        def build() -> tuple[dict[str, Any], Bytes]:
            bits, data, counts = run(
                f"{self.puzzle.name} {self.moves.name} {self.name}",
                lambda progress: _kernel.build_coset_distances(self._space, threads=cores(), progress=progress),
            )
            return {"bits": bits, "counts": counts}, data

        return [load_or_build(f"{self.puzzle.name}-{chosen}-{self.name}", key, build)]

    @cached_property
    def kernel(self) -> _kernel.CosetHeuristic:
        """Looked up for all images of the subgroup. Admissible and consistent."""
        space, numbers = self.puzzle.kernel_space, move_numbers(self.puzzle, self.moves)
        views = [(_kernel.Symmetry(space, numbers, s.images, False), images) for s, images in self._views]
        kept = {images[self.moves.moves.index(move)] for _, images in self._views for move in self.subgroup.moves}
        (table,) = self.tables
        own = _kernel.CosetTable(self._space, table.data, table.facts["bits"], views)
        return _kernel.CosetHeuristic(space, [own], len(kept) == len(self.moves.moves))

    def search(self, start: State, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        """A shortest solution by IDA*, as `PatternDatabases.search`."""
        return _kernel.coset_ida_star(self.kernel, start, **options)

    def together_with(self, others: Iterable[object], moves: MoveSet) -> CosetDatabases | None:
        """These databases, if there are no others and they are for the same moves."""
        return self if moves == self.moves and not list(others) else None


def images_of_moves(puzzle: PermutationPuzzle, moves: MoveSet) -> list[tuple[Symmetry, list[int]]]:
    """The symmetries that do not invert, each with the number of the image of each move; the identity first."""
    number = {puzzle.apply(puzzle.solved, move): i for i, move in enumerate(moves.moves)}
    found = [
        (symmetry, [number[symmetry.apply(puzzle, effect)] for effect in number])
        for symmetry in symmetries(puzzle, moves)
        if not symmetry.reversing
    ]
    return sorted(found, key=lambda item: item[1] != list(range(len(number))))


@lru_cache(maxsize=16)
def coset_databases(puzzle: PermutationPuzzle, moves: MoveSet) -> CosetDatabases | None:
    """The same object each time; None if the puzzle has no such subgroup with these moves."""
    subgroup = subgroup_of(puzzle, moves)
    return None if subgroup is None else CosetDatabases(puzzle, moves, subgroup)
