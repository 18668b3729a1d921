"""A table of cosets: the distances of all values of some coordinates, with one entry for those that symmetries carry
onto one another. `cosets` has those of a subgroup, `orbits` those of whole orbits."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from math import prod
from typing import Any, Unpack

from hstar import _kernel
from hstar.databases.base import ANY_LENGTH, Databases, SearchOptions, Table
from hstar.databases.building import aside, cores, run
from hstar.databases.files import Bytes
from hstar.databases.permutation import effects, file_name, move_numbers
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, Coordinate
from hstar.puzzles.symmetry import Symmetry

__all__ = ["CosetTable", "OverCosets", "few"]

#: the most symmetries of a table, as in the kernel
MOST_CARRIED = 256

#: processor seconds to build a table, for each of its entries and each move,
STATE_SECONDS = 2.2e-9
#: and to number the cosets, on one core, for each value of both parts, each symmetry and each move
NUMBER_SECONDS = 4e-9


def few(carried: list[list[int]]) -> list[list[int]]:
    """These symmetries, the identity first, or that alone if there are too many for a table."""
    return carried if len(carried) <= MOST_CARRIED else carried[:1]


class CosetTable(Table):
    """The table of some coordinates, for one puzzle and move set."""

    puzzle: PermutationPuzzle
    moves: MoveSet

    @property
    @abstractmethod
    def name(self) -> str:
        """The text of ``pdb("...")``."""

    @property
    @abstractmethod
    def split(self) -> tuple[list[Coordinate], list[Coordinate]]:
        """The coordinates whose values are reduced to classes under the symmetries, and the others."""

    @property
    @abstractmethod
    def carried(self) -> list[list[int]]:
        """For each symmetry that keeps the coordinates the number of the image of each move; the identity first, and
        alone if there are very many."""

    @property
    @abstractmethod
    def views(self) -> list[tuple[Symmetry, list[int]]]:
        """The symmetries under which a state is looked up, with the images of the moves; the identity first."""

    @property
    def normal(self) -> bool:
        """Whether the subgroup is known to be normal: then a state and its inverse are at the same distance."""
        return False

    @property
    @abstractmethod
    def made_of(self) -> dict[str, Any]:
        """What its cosets depend on besides puzzle and moves, as values for JSON."""

    @property
    def _sizes(self) -> tuple[int, int]:
        reduced, rest = (prod(c.size for c in part) for part in self.split)
        return reduced, rest

    @property
    def cosets(self) -> int:
        """How many it tells apart, or a few more."""
        return prod(self._sizes)

    @property
    def states(self) -> int:
        """About how many entries it has: a few more, for cosets that some symmetry carries onto themselves."""
        return self.cosets // len(self.carried)

    @property
    def bytes(self) -> int:
        return self._distances + self._numbering

    @property
    def _distances(self) -> int:
        """Words of 64 bits have 30 entries, and each class of the values that are reduced begins with a new one."""
        reduced, rest = self._sizes
        return reduced // len(self.carried) * 8 * -(-rest // 30)

    @property
    def _numbering(self) -> int:
        """The class of each value of one part, the images of each of the other; and of each coordinate the values after
        each move, and at most four places of a hash table."""
        reduced, rest = self._sizes
        coordinates = sum(c.size for part in self.split for c in part)
        return 8 * reduced + 4 * len(self.carried) * rest + coordinates * (4 * len(self.moves.moves) + 48)

    @property
    def build_bytes(self) -> int:
        """The distances, the numbers twice, the images of the values of one part under a few symmetries, of the other
        under each."""
        reduced, rest = self._sizes
        return self._distances + 36 * reduced + 12 * len(self.carried) * rest

    @property
    def processor_seconds(self) -> float:
        numbering = NUMBER_SECONDS * len(self.carried) * sum(self._sizes) * cores()
        return (STATE_SECONDS * self.states + numbering) * len(self.moves.moves)

    @cached_property
    def kept_as(self) -> tuple[str, dict[str, Any]]:
        key = {
            "orbits": [[o.pieces, o.orientations] for o in self.puzzle.orbits],
            "moves": effects(self.puzzle, self.moves.moves),
            "bits": 2,
            "in a word": 30,
            "numbering": 1,
            # Other moves of the puzzle may leave fewer symmetries of the same set, or name them in another order.
            "symmetries": self.carried,
        }
        return file_name(self.puzzle, self.moves, self.name.replace("/", "")), key | self.made_of

    def number(self) -> _kernel.CosetSpace:
        """The cosets, numbered now, with all that a build needs. The file of the table has only their numbers."""
        reduced, rest = ([c.kernel for c in part] for part in self.split)
        numbers, carried = move_numbers(self.puzzle, self.moves), self.carried
        return run(
            f"{self.puzzle.name} {self.name}",
            lambda progress: _kernel.make_coset_space(
                self.puzzle.kernel_space, numbers, reduced, rest, carried, MOST_VALUES, progress
            ),
        )

    def build(self) -> tuple[dict[str, Any], Bytes, Bytes]:
        cosets = self.number()
        bits, data, counts = run(
            f"{self.puzzle.name} {self.moves.name} {self.name}",
            lambda progress: _kernel.build_coset_distances(cosets, threads=cores(), progress=progress),
        )
        return {"bits": bits, "counts": counts}, data, aside(cosets.numbering)

    @cached_property
    def kernel(self) -> _kernel.CosetTable:
        space, numbers = self.puzzle.kernel_space, move_numbers(self.puzzle, self.moves)
        views = [(_kernel.Symmetry(space, numbers, s.images, False), images) for s, images in self.views]
        distances, numbering = self.file.parts
        reduced, rest = ([c.kernel for c in part] for part in self.split)
        cosets = _kernel.open_coset_space(space, numbers, reduced, rest, self.carried, numbering)
        return _kernel.CosetTable(cosets, distances, views, self.normal)


class OverCosets(Databases):
    """Databases of which each table is a `CosetTable`."""

    @property
    @abstractmethod
    def kernel(self) -> _kernel.CosetHeuristic:
        """Admissible and consistent."""

    def value(self, state: State) -> int | None:
        return self.kernel.value(state)

    def search(self, start: State, longest: int | None = None, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        most = ANY_LENGTH if longest is None else longest
        return _kernel.coset_ida_star(self.kernel, start, longest=most, **options)
