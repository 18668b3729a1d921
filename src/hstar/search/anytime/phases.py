"""Solutions in two phases: into a subgroup that some of the moves generate, then home within it.

This is Kociemba's algorithm (1992) for the subgroup that `subgroup_of` finds. A half turn of the subgroup is two moves
where only quarter turns are moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice

from hstar import _kernel
from hstar.databases.building import run
from hstar.databases.cosets import CosetDatabases, coset_databases
from hstar.databases.permutation import move_numbers
from hstar.puzzles.base import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, Coordinate, Subgroup, Word, subgroup_of
from hstar.puzzles.symmetry import symmetries

__all__ = ["ENTRIES", "Phases", "Variant", "fitting", "phases_of"]

#: the most entries of the distances over two coordinates, where a step says nothing else
ENTRIES = 8_000_000


@dataclass(frozen=True)
class Variant:
    """The problem under a symmetry, or inverted; ``moves`` has ours for each of the variant's and of the subgroup."""

    start: State
    moves: dict[str, Word]
    backwards: bool

    def read(self, path: Sequence[str]) -> tuple[str, ...]:
        """The solution of the problem from a solution of the variant."""
        alg = tuple(chain.from_iterable(self.moves[move] for move in path))
        return alg[::-1] if self.backwards else alg


@dataclass(frozen=True, eq=False)
class Phases:
    """Both phases of a puzzle with a move set; the tables are made on first use, in some tenths of a second.

    :param entries: the most of the distances over two coordinates
    """

    puzzle: PermutationPuzzle
    moves: MoveSet
    subgroup: Subgroup
    entries: int

    @cached_property
    def kernel(self) -> tuple[_kernel.Phase, _kernel.Phase]:
        """The kernel's two phases; may be cancelled by the watcher of builds."""
        own = MoveSet("of the subgroup", self.subgroup.moves, "")
        ones = [1] * len(self.moves.moves)
        return (
            self._phase(self.moves, ones, self.subgroup.cosets),
            self._phase(own, [len(word) for word in self.subgroup.words], self.subgroup.own),
        )

    @property
    def table_bytes(self) -> int:
        """About how much memory the tables take."""
        both = (self.subgroup.cosets, self.subgroup.own)
        tables = sum(c[a].size * c[b].size if a != b else c[a].size for c in both for a, b in _pairs(c, self.entries))
        return tables + sum(c.size for some in both for c in some) * (4 * len(self.moves.moves) + 32)

    def _phase(self, moves: MoveSet, costs: list[int], coordinates: Sequence[Coordinate]) -> _kernel.Phase:
        kinds = [coordinate.kernel for coordinate in coordinates]
        return run(
            f"{self.puzzle.name} phases",
            lambda progress: _kernel.make_phase(
                self.puzzle.kernel_space,
                move_numbers(self.puzzle, moves),
                costs,
                kinds,
                _pairs(coordinates, self.entries),
                MOST_VALUES,
                progress,
            ),
        )

    @property
    def all_cosets(self) -> CosetDatabases:
        """The distances of all cosets of the subgroup, where the tables of the first phase have those of pairs."""
        found = coset_databases(self.puzzle, self.moves)
        assert found is not None
        return found

    def search(
        self, start: State, patience: int, cosets: _kernel.CosetHeuristic | None = None, threads: int = 1
    ) -> tuple[_kernel.PhaseSearch, list[Variant]]:
        """A search for shorter and shorter solutions, and the variants of the start that it searches from.

        :param patience: expansions after which a second phase is given up
        :param cosets: the kernel of `all_cosets`: fewer nodes, which lead nowhere
        """
        variants = list(self.variants(start))
        first, second = self.kernel
        starts = [variant.start for variant in variants]
        return _kernel.PhaseSearch(first, second, starts, patience, cosets, threads), variants

    def variants(self, start: State) -> Iterator[Variant]:
        """The state and its inverse, under one symmetry for each image of the subgroup."""
        puzzle, seen = self.puzzle, set()
        after = {puzzle.turned(puzzle.solved, move): move for move in puzzle.moves}
        words = dict(zip(self.subgroup.moves, self.subgroup.words, strict=True))
        for symmetry in symmetries(puzzle, self.moves):
            ours = {after[symmetry.apply(puzzle, effect)]: move for effect, move in after.items()}
            image = symmetry.reversing, frozenset(ours[move] for move in self.subgroup.moves)
            if image not in seen:
                seen.add(image)
                both = {move: words.get(move, (move,)) for move in (*self.moves.moves, *words)}
                read = {move: tuple(ours[step] for step in word) for move, word in both.items()}
                yield Variant(symmetry.apply(puzzle, start), read, symmetry.reversing)


@lru_cache(maxsize=16)
def phases_of(puzzle: PermutationPuzzle, moves: MoveSet, entries: int = ENTRIES) -> Phases | None:
    """The phases of a puzzle with these moves, the same object each time; None if no subgroup is of use."""
    subgroup = subgroup_of(puzzle, moves)
    return None if subgroup is None else Phases(puzzle, moves, subgroup, entries)


def fitting(puzzle: Puzzle, moves: MoveSet, memory_bytes: int, entries: int = ENTRIES) -> Phases | None:
    """The phases of a puzzle; None if it has none, or their tables do not fit."""
    phases = phases_of(puzzle, moves, entries) if isinstance(puzzle, PermutationPuzzle) else None
    return phases if phases is not None and phases.table_bytes <= memory_bytes else None


def _pairs(coordinates: Sequence[Coordinate], most: int) -> list[tuple[int, int]]:
    """The pairs of coordinates over which distances are kept: those that are small enough, the largest first; and those
    that are in none by themselves."""

    def entries(pair: tuple[int, int]) -> int:
        return coordinates[pair[0]].size * coordinates[pair[1]].size

    small = [pair for pair in combinations(range(len(coordinates)), 2) if entries(pair) <= most]
    pairs = list(islice(sorted(small, key=entries, reverse=True), 2 * len(coordinates)))
    paired = {number for pair in pairs for number in pair}
    return [*pairs, *((number, number) for number in range(len(coordinates)) if number not in paired)]
