"""What all databases have in common: their tables, what these cost, and how they are looked up.

>>> databases = databases_named(puzzle, puzzle.move_set("ccw"), "corners:4")                   # doctest: +SKIP
>>> databases.kept, databases.build_seconds                                                      # doctest: +SKIP
(False, 1.7)
>>> databases.load()                                                                             # doctest: +SKIP
>>> outcome = databases.search(state, control=Control())                                         # doctest: +SKIP
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Required, Self, TypedDict, Unpack

from hstar import _kernel
from hstar.databases.building import cores
from hstar.databases.files import Bytes, TableFile, is_kept, load_or_build
from hstar.puzzles.base import MoveSet, Puzzle, State

__all__ = ["ANY_LENGTH", "Databases", "SearchOptions", "Table"]

#: the kernel's limit on lengths where there is none
ANY_LENGTH = 2**32 - 1


class SearchOptions(TypedDict, total=False):
    """Keyword arguments of IDA*. With one thread the counters depend only on them. With more the counters of the last
    iteration differ, and the solution is the same but for searches over cosets. ``control`` can cancel it and read its
    counters."""

    max_expanded: int | None
    max_generated: int | None
    seconds: float | None
    threads: int
    part: _kernel.Part | None
    control: Required[_kernel.Control]


class Table(ABC):
    """One table: where it is kept, what it takes, and how it is built."""

    @property
    @abstractmethod
    def states(self) -> int:
        """About how many entries it has."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Its size, or a little more."""

    @property
    @abstractmethod
    def build_bytes(self) -> int:
        """About how much memory building takes."""

    @property
    @abstractmethod
    def processor_seconds(self) -> float:
        """About how long one core builds it; right within a factor of three on the machine where it was measured."""

    @property
    @abstractmethod
    def kept_as(self) -> tuple[str, Mapping[str, Any]]:
        """The beginning of its file's name, and everything that it depends on, as values for JSON."""

    @abstractmethod
    def build(self) -> tuple[Mapping[str, Any], *tuple[Bytes, ...]]:
        """The facts that are kept with the table, and its parts, the first of which are the distances. The watcher of
        builds can end it by an exception."""

    @cached_property
    def file(self) -> TableFile:
        """The table, opened or built.

        :raises MemoryError: there is not enough memory to build it
        """
        return load_or_build(*self.kept_as, self.build)

    @property
    def kept(self) -> bool:
        """Whether it is in memory, or a file that looks right is there, so that nothing has to be built."""
        return "file" in self.__dict__ or is_kept(*self.kept_as)

    @property
    def build_seconds(self) -> float:
        """About how long all cores of this machine build it; 0 if it is kept."""
        return 0.0 if self.kept else self.processor_seconds / cores()


class Databases(ABC):
    """The maximum or the sum of some tables, for one puzzle and its moves; built or opened on first use.

    Only `load`, `tables`, `kernel`, `direct` and `search` build anything. All else takes milliseconds.
    """

    puzzle: Puzzle
    moves: MoveSet

    @property
    @abstractmethod
    def name(self) -> str:
        """The text of ``pdb("...")``; of several databases all texts."""

    @property
    def expression(self) -> str:
        """The expression for the value of these databases, for their moves."""
        return f'pdb("{self.name}")'

    @property
    @abstractmethod
    def identity(self) -> str:
        """A text that no other databases have."""

    @property
    @abstractmethod
    def own(self) -> Sequence[Table]:
        """Their tables, each once."""

    @property
    def consistent(self) -> bool:
        """Whether a move changes the value of `direct` by at most 1."""
        return True

    @abstractmethod
    def changed_by(self, move: str) -> bool:
        """Whether the value may be another after this move of the puzzle."""

    @property
    def states(self) -> int:
        """About how many entries all tables have."""
        return sum(table.states for table in self.own)

    @property
    def bytes(self) -> int:
        """The size of all tables, or a little more."""
        return sum(table.bytes for table in self.own)

    @property
    def kept(self) -> bool:
        """Whether all tables are in memory or in files, so that none has to be built."""
        return all(table.kept for table in self.own)

    @property
    def build_bytes(self) -> int:
        """About how much memory building takes, one table after the other."""
        return max(table.build_bytes for table in self.own)

    @property
    def build_seconds(self) -> float:
        """About how long this machine builds the tables that are not kept."""
        return sum(table.build_seconds for table in self.own)

    @property
    def tables(self) -> list[TableFile]:
        """The tables, opened or built."""
        return [table.file for table in self.own]

    def load(self) -> None:
        """Build or open all tables. What watches builds (`hstar.databases.watching`), and what polls long work
        (`hstar.polling`), is asked at least every 20 ms; if it raises, what is done so far is kept, and no part of a
        table.

        :raises MemoryError: there is not enough memory to build one
        """
        _ = self.kernel

    @property
    @abstractmethod
    def kernel(self) -> _kernel.Database:
        """The databases as a search over them looks them up: with the largest values."""

    @property
    def direct(self) -> _kernel.Database:
        """The databases as heuristics look them up: with consistent values, if there are such."""
        return self.kernel

    @abstractmethod
    def value(self, state: State) -> int | None:
        """The value of `direct` for a state; None if no moves lead to the goal."""

    @abstractmethod
    def search(self, start: State, longest: int | None = None, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        """A shortest solution by IDA*; ``f_bound`` is a proven lower bound however the search ends.

        Missing tables are built first, which does not count as search time.

        :param longest: no longer solution is of use. A search that can end there is then exhausted
        """

    @abstractmethod
    def together_with(self, others: Sequence[Databases], moves: MoveSet) -> Self | None:
        """The maximum of these databases and others, as databases of the same kind; None if there are none, or some are
        for other moves."""
