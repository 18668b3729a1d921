"""Pattern databases of permutation puzzles: several patterns, looked up for all symmetries of puzzle and move set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Unpack

from hstar import _kernel
from hstar.databases import patterns
from hstar.databases.building import cores, run
from hstar.databases.files import Bytes, TableFile, load_or_build
from hstar.databases.options import SearchOptions
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import Symmetry, symmetries

__all__ = ["PatternDatabases", "effects", "move_numbers", "pattern_databases"]


@dataclass(frozen=True, eq=False)
class PatternDatabases:
    """The maximum of some patterns, by their texts, for one puzzle and move set; built on first use."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    parts: tuple[patterns.Parts, ...]

    @property
    def name(self) -> str:
        return ", ".join(_text(parts) for parts in self.parts)

    @property
    def expression(self) -> str:
        """The expression for the value of these databases, for their moves."""
        features = [f'pdb("{_text(parts)}")' for parts in self.parts]
        return features[0] if len(features) == 1 else f"max({', '.join(features)})"

    @property
    def orbits(self) -> set[str]:
        """The orbits of which it knows pieces."""
        return {name for parts in self.parts for name, _ in parts}

    @property
    def identity(self) -> str:
        """A text that no other databases have."""
        return f"{self.puzzle.name} {self.moves.name} {self.name}"

    @property
    def states(self) -> int:
        """Abstract states of all patterns."""
        return sum(patterns.entries(self.puzzle, parts) for parts in self.parts)

    @property
    def build_bytes(self) -> int:
        """Memory that building takes, one table after the other: a byte for each state, and the packed table."""
        return max(2 * patterns.entries(self.puzzle, parts) for parts in self.parts)

    def load(self) -> None:
        """Build or open the tables."""
        _ = self.tables

    @cached_property
    def kernel(self) -> _kernel.PatternHeuristic:
        """Looked up for all symmetries, for searches. Admissible but not consistent: a move changes which pieces of the
        inverse state a symmetry looks up, so it may lower the value by more than 1."""
        return self._read_through(symmetries(self.puzzle, self.moves))

    @cached_property
    def direct(self) -> _kernel.PatternHeuristic:
        """Looked up for the direct symmetries only: admissible and consistent."""
        return self._read_through(s for s in symmetries(self.puzzle, self.moves) if not s.reversing)

    def _read_through(self, chosen: Iterable[Symmetry]) -> _kernel.PatternHeuristic:
        space = self.puzzle.kernel_space
        numbers = move_numbers(self.puzzle, self.moves)
        return _kernel.PatternHeuristic(
            space,
            numbers,
            [
                _kernel.PatternDatabase(_pattern(self.puzzle, self.moves, parts), table.data, table.facts["bits"])
                for parts, table in zip(self.parts, self.tables, strict=True)
            ],
            [_kernel.Symmetry(space, numbers, s.images, s.reversing) for s in chosen],
        )

    @cached_property
    def tables(self) -> list[TableFile]:
        """The table of each pattern, in their order."""
        return [load_table(self.puzzle, self.moves, parts) for parts in self.parts]

    def search(self, start: State, **options: Unpack[SearchOptions]) -> _kernel.Outcome:
        """A shortest solution by IDA*; ``f_bound`` is a proven lower bound however the search ends.

        Missing databases are built first, which does not count as search time.
        """
        return _kernel.pattern_ida_star(self.kernel, start, **options)

    def together_with(self, others: Iterable[object], moves: MoveSet) -> PatternDatabases | None:
        """The maximum of these databases and others, if all are for the same moves."""
        every = [self, *(other for other in others if isinstance(other, PatternDatabases))]
        if any(databases.moves != moves for databases in every):
            return None
        return pattern_databases(self.puzzle, moves, tuple(databases.name for databases in every))

    def evaluate(self, state: State, direct: bool = False) -> int | None:
        """The value of ``kernel`` (or ``direct``) in plain Python, independent of it except for the tables; None if no
        moves lead to the goal. Thousands of times slower.
        """
        most = 0
        for parts, table in zip(self.parts, self.tables, strict=True):
            pieces = patterns.choose(self.puzzle, self.moves, parts)
            bits = int(table.facts["bits"])
            for symmetry in symmetries(self.puzzle, self.moves):
                if direct and symmetry.reversing:
                    continue
                rank = patterns.rank(self.puzzle, pieces, symmetry.apply(self.puzzle, state))
                value = int(table.data[rank] if bits == 8 else table.data[rank // 2] >> rank % 2 * 4 & 15)
                if value == 2**bits - 1:
                    return None
                most = max(most, value)
        return most


@lru_cache(maxsize=64)
def pattern_databases(puzzle: PermutationPuzzle, moves: MoveSet, texts: tuple[str, ...]) -> PatternDatabases:
    """The same object each time, so that a process builds, checks and maps a table once.

    :raises FeatureError: a text is not a pattern of the puzzle
    """
    return PatternDatabases(puzzle, moves, tuple(patterns.parse(puzzle, text) for text in texts))


def _text(parts: patterns.Parts) -> str:
    return "+".join(f"{orbit}:{count}" for orbit, count in parts)


def move_numbers(puzzle: PermutationPuzzle, moves: MoveSet) -> list[int]:
    return [puzzle.moves.index(move) for move in moves.moves]


def _pattern(puzzle: PermutationPuzzle, moves: MoveSet, parts: patterns.Parts) -> _kernel.Pattern:
    return _kernel.Pattern(puzzle.kernel_space, list(patterns.choose(puzzle, moves, parts)))


@lru_cache(maxsize=64)
def load_table(puzzle: PermutationPuzzle, moves: MoveSet, parts: patterns.Parts) -> TableFile:
    """The table of one pattern, opened or built."""
    pattern = _pattern(puzzle, moves, parts)
    chosen = re.sub("[^A-Za-z0-9]+", "_", moves.name)[:40]  # a set that is named by its moves has spaces and primes
    name = f"{puzzle.name}-{chosen}-{_text(parts).replace(':', '')}"
    key: dict[str, Any] = {
        "kind": "pattern",
        "orbits": [[o.pieces, o.orientations] for o in puzzle.orbits],
        "moves": effects(puzzle, moves.moves),
        "pieces": pattern.pieces,
    }
    if not puzzle.all_different:
        key["goal"] = [list(puzzle.home), list(puzzle.distinct_orientations)]

    def build() -> tuple[dict[str, Any], Bytes]:
        bits, data, counts = run(
            f"{puzzle.name} {moves.name} {_text(parts)}",
            lambda progress: _kernel.build_pattern_database(
                pattern, move_numbers(puzzle, moves), threads=cores(), progress=progress
            ),
        )
        return {"bits": bits, "counts": counts}, data

    return load_or_build(name, key, build)


def effects(puzzle: PermutationPuzzle, moves: Sequence[str]) -> list[list[list[int]]]:
    """What a table depends on: where each move takes each place."""
    return [[puzzle.carry(move, orbit).tolist() for orbit in puzzle.orbits] for move in moves]
