"""Pattern databases of permutation puzzles: several patterns, looked up for all symmetries of puzzle and move set.

Where moves have costs, a table has what the cheapest solutions of its pattern cost.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, Self, TypeVar, Unpack

from hstar import _kernel
from hstar.databases import patterns
from hstar.databases.base import Databases, SearchOptions, Table
from hstar.databases.building import cores, run
from hstar.databases.files import Bytes
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import symmetries

__all__ = ["PatternDatabases", "PatternTable", "effects", "file_name", "move_numbers", "pattern_databases"]

#: processor seconds to build a table, for each of its states and each move
STATE_SECONDS = 4e-9


class PieceTable(Table):
    """The table of some pieces, for one puzzle and move set.

    :param parts: orbits, and what is known of each
    """

    parts: Sequence[tuple[str, object]]

    @property
    @abstractmethod
    def name(self) -> str:
        """The text of ``pdb("...")``."""


T = TypeVar("T", bound=PieceTable)


@dataclass(frozen=True, eq=False)
class PieceDatabases(Databases, Generic[T]):
    """The maximum of some tables of pieces, for one puzzle and move set."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    chosen: tuple[T, ...]

    @property
    def own(self) -> tuple[T, ...]:
        return self.chosen

    @property
    def name(self) -> str:
        return ", ".join(table.name for table in self.own)

    @property
    def expression(self) -> str:
        features = [f'pdb("{table.name}")' for table in self.own]
        return features[0] if len(features) == 1 else f"max({', '.join(features)})"

    @property
    def identity(self) -> str:
        return f"{self.puzzle.name} {self.moves.name} {self.name}"

    def changed_by(self, move: str) -> bool:
        # Symmetries do not mix orbits.
        return touches(self.puzzle, move, {orbit for table in self.own for orbit, _ in table.parts})

    def together_with(self, others: Sequence[Databases], moves: MoveSet) -> Self | None:
        every = [self, *(other for other in others if isinstance(other, type(self)))]
        if len(every) <= len(others) or any(databases.moves != moves for databases in every):
            return None
        return self.of(self.puzzle, moves, (table for databases in every for table in databases.own))

    @classmethod
    def of(cls, puzzle: PermutationPuzzle, moves: MoveSet, tables: Iterable[T]) -> Self:
        """The databases of these tables, the same object each time."""
        found: Self = _kept(cls, puzzle, moves, tuple(dict.fromkeys(tables)))
        return found


@lru_cache(maxsize=64)
def _kept(kind: Any, puzzle: PermutationPuzzle, moves: MoveSet, tables: tuple[PieceTable, ...]) -> Any:
    return kind(puzzle, moves, tables)


@dataclass(frozen=True, eq=False)
class PatternTable(PieceTable):
    """The table of one pattern, for one puzzle and move set."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    parts: patterns.Parts

    @property
    def name(self) -> str:
        return "+".join(f"{orbit}:{count}" for orbit, count in self.parts)

    @property
    def states(self) -> int:
        return patterns.entries(self.puzzle, self.parts)

    @property
    def bytes(self) -> int:
        return self.states

    @property
    def build_bytes(self) -> int:
        """A byte for each state, and the packed table."""
        return 2 * self.states

    @property
    def processor_seconds(self) -> float:
        return STATE_SECONDS * self.states * len(self.moves.moves)

    @cached_property
    def pattern(self) -> _kernel.Pattern:
        return _kernel.Pattern(self.puzzle.kernel_space, list(patterns.choose(self.puzzle, self.moves, self.parts)))

    @cached_property
    def kept_as(self) -> tuple[str, dict[str, Any]]:
        key: dict[str, Any] = {
            "kind": "pattern",
            "orbits": [[o.pieces, o.orientations] for o in self.puzzle.orbits],
            "moves": effects(self.puzzle, self.moves.moves),
            "pieces": self.pattern.pieces,
        }
        if self.moves.costs:
            key["costs"] = list(self.moves.costs)
        if not self.puzzle.all_different:
            key["goal"] = [list(self.puzzle.home), list(self.puzzle.distinct_orientations)]
        return file_name(self.puzzle, self.moves, self.name.replace(":", "")), key

    def build(self) -> tuple[dict[str, Any], Bytes]:
        bits, data, counts = run(
            f"{self.puzzle.name} {self.moves.name} {self.name}",
            lambda progress: _kernel.build_pattern_database(
                self.pattern,
                move_numbers(self.puzzle, self.moves),
                threads=cores(),
                progress=progress,
                costs=self.moves.costs,
            ),
        )
        return {"bits": bits, "counts": counts}, data

    @cached_property
    def kernel(self) -> _kernel.PatternDatabase:
        return _kernel.PatternDatabase(self.pattern, self.file.data, self.file.facts["bits"])


class PatternDatabases(PieceDatabases[PatternTable]):
    """The maximum of some patterns."""

    def load(self) -> None:
        _ = self.kernel, self.direct

    @cached_property
    def kernel(self) -> _kernel.PatternHeuristic:
        """Looked up for all symmetries, for searches. Admissible but not consistent: a move changes which pieces of the
        inverse state a symmetry looks up, so it may lower the value by more than 1."""
        return self._read_through([view for view, _ in self._views])

    @cached_property
    def direct(self) -> _kernel.PatternHeuristic:
        """Looked up for the direct symmetries only: admissible and consistent."""
        return self._read_through([view for view, reversing in self._views if not reversing])

    @cached_property
    def _views(self) -> list[tuple[_kernel.Symmetry, bool]]:
        """The symmetries, and whether they are reversing."""
        space, numbers = self.puzzle.kernel_space, move_numbers(self.puzzle, self.moves)
        views = []
        for symmetry in symmetries(self.puzzle, self.moves):
            poll()
            views.append((_kernel.Symmetry(space, numbers, symmetry.images, symmetry.reversing), symmetry.reversing))
        return views

    def _read_through(self, views: list[_kernel.Symmetry]) -> _kernel.PatternHeuristic:
        poll()
        numbers = move_numbers(self.puzzle, self.moves)
        return _kernel.PatternHeuristic(self.puzzle.kernel_space, numbers, [table.kernel for table in self.own], views)

    def value(self, state: State) -> int | None:
        return self.direct.value(state)

    def search(self, start: State, longest: int | None = None, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        return _kernel.pattern_ida_star(self.kernel, start, **options)

    def evaluate(self, state: State, direct: bool = False) -> int | None:
        """The value of ``kernel`` (or ``direct``) in plain Python, independent of it except for the tables; None if no
        moves lead to the goal. Thousands of times slower.
        """
        most = 0
        for table in self.own:
            pieces = patterns.choose(self.puzzle, self.moves, table.parts)
            bits, data = int(table.file.facts["bits"]), table.file.data
            for symmetry in symmetries(self.puzzle, self.moves):
                if direct and symmetry.reversing:
                    continue
                rank = patterns.rank(self.puzzle, pieces, symmetry.apply(self.puzzle, state))
                value = int(data[rank] if bits == 8 else data[rank // 2] >> rank % 2 * 4 & 15)
                if value == 2**bits - 1:
                    return None
                most = max(most, value)
        return most


def pattern_databases(puzzle: PermutationPuzzle, moves: MoveSet, texts: tuple[str, ...]) -> PatternDatabases:
    """The same object each time, so that a process builds, checks and maps a table once.

    :raises FeatureError: a text is not a pattern of the puzzle
    """
    tables = (_table(puzzle, moves, patterns.parse(puzzle, text)) for text in texts)
    return PatternDatabases.of(puzzle, moves, tables)


@lru_cache(maxsize=64)
def _table(puzzle: PermutationPuzzle, moves: MoveSet, parts: patterns.Parts) -> PatternTable:
    return PatternTable(puzzle, moves, parts)


def read(puzzle: PermutationPuzzle, moves: MoveSet, text: str) -> PatternDatabases:
    """The databases of a text.

    :raises FeatureError: it is not a pattern of the puzzle
    """
    return pattern_databases(puzzle, moves, (text,))


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    _kept.cache_clear()
    _table.cache_clear()


def move_numbers(puzzle: PermutationPuzzle, moves: MoveSet) -> list[int]:
    return [puzzle.moves.index(move) for move in moves.moves]


def touches(puzzle: PermutationPuzzle, move: str, orbits: Collection[str]) -> bool:
    """Whether a move changes any slot of these orbits."""
    slots = {slot for orbit in puzzle.orbits if orbit.name in orbits for slot in orbit.slots}
    return any(dst in slots for dst, _, _ in puzzle.touched(move))


def file_name(puzzle: PermutationPuzzle, moves: MoveSet, text: str) -> str:
    """The beginning of a file's name. A set that is named by its moves has spaces and primes."""
    return f"{puzzle.name}-{re.sub('[^A-Za-z0-9]+', '_', moves.name)[:40]}-{text}"


def effects(puzzle: PermutationPuzzle, moves: Sequence[str]) -> list[list[list[int]]]:
    """What a table depends on: where each move takes each place."""
    return [[puzzle.carry(move, orbit).tolist() for orbit in puzzle.orbits] for move in moves]
