"""Pattern databases as certificates have them: a table of all ways to place some pieces, one entry for each.

The tables of searches are smaller: on boards they keep the minimum over all cells of the blank, elsewhere they number
only places that differ. A checker could not see of such a table that no move lowers it by too much; of these it can.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod
from typing import Any

import numpy as np

from hstar.certificates.file import Payload
from hstar.databases.tiles import BLOCKS, MAX_PATTERNS, TileDatabases, tile_databases
from hstar.features.databases import DatabaseFeature
from hstar.heuristics.expression import Expression
from hstar.polling import poll
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["MOST_ENTRIES", "Pattern", "PatternTerm", "pattern_terms", "piece_terms"]

Table = np.ndarray[Any, np.dtype[np.uint8]]
Places = np.ndarray[Any, np.dtype[np.int64]]

PATTERNS = 2
#: the most entries of a file's tables together, and of one table of pieces
MOST_ENTRIES, MOST_OF_PIECES = 1 << 26, 1 << 20
#: of a board's tables: entries for each expansion of the search, which together take less time to write than it; and
#: so few that they are always written
ENTRIES_AN_EXPANSION, FEW_ENTRIES = 32, 1 << 16
#: the most patterns of pieces: more would be of few pieces each, and say less than sums over all pieces
MOST_PATTERNS = 8
UNKNOWN = 255


@dataclass(frozen=True)
class Piece:
    """One of the values from ``value`` on, as many as ``turns``, in one of the slots from ``slot`` on."""

    slot: int
    slots: int
    value: int
    turns: int

    @property
    def places(self) -> int:
        return self.slots * self.turns

    def home(self, held: Sequence[int]) -> int:
        """Its place in a state whose slots hold these."""
        slots = range(self.slot, self.slot + self.slots)
        (slot,) = (s for s in slots if self.value <= held[s] < self.value + self.turns)
        return (slot - self.slot) * self.turns + held[slot] - self.value

    def moved(self, touches: Iterable[tuple[int, int, Sequence[int]]]) -> Places:
        """By place where a case of a move takes it."""
        to = np.arange(self.places)
        for dst, src, values in touches:
            if self.slot <= src < self.slot + self.slots:
                at = (src - self.slot) * self.turns
                for turn in range(self.turns):
                    to[at + turn] = (dst - self.slot) * self.turns + values[self.value + turn] - self.value
        return to


@dataclass(frozen=True)
class Pattern:
    """Some pieces; on boards the first is the blank."""

    pieces: tuple[Piece, ...]

    @property
    def entries(self) -> int:
        return prod(piece.places for piece in self.pieces)

    def section(self, puzzle: Puzzle, moves: MoveSet) -> list[Payload]:
        """The pattern as a file has it; its table is made now, or was for another file."""
        table = _table(self, puzzle, moves)
        pieces = (struct.pack("<4H", p.slot, p.slots, p.value, p.turns) for p in self.pieces)
        return [struct.pack("<H", len(self.pieces)), *pieces, struct.pack("<Q", table.size), table.data]

    def values(self, puzzle: Puzzle, moves: MoveSet, held: Places) -> Places:
        """What the table says of states, a row each of what their slots hold."""
        index = np.zeros(len(held), np.int64)
        for piece in self.pieces:
            values = held[:, piece.slot : piece.slot + piece.slots] - piece.value
            slot = ((values >= 0) & (values < piece.turns)).argmax(axis=1)
            index = index * piece.places + slot * piece.turns + values[np.arange(len(held)), slot]
        return _table(self, puzzle, moves).ravel()[index].astype(np.int64)


@dataclass(frozen=True, eq=False)
class PatternTerm:
    """The sum of patterns of disjoint tiles, or one pattern. Each object is its own, so that caches find it quickly."""

    patterns: tuple[Pattern, ...]
    moves: MoveSet
    blank: Piece | None = None

    @property
    def sizes(self) -> str:
        """How many pieces the patterns have, without the blank of a board."""
        return "-".join(str(sum(piece != self.blank for piece in pattern.pieces)) for pattern in self.patterns)

    @lru_cache(maxsize=16)  # noqa: B019  # as are the tables in it
    def section(self, puzzle: Puzzle) -> list[Payload]:
        """The term as a file has it."""
        parts = [part for pattern in self.patterns for part in pattern.section(puzzle, self.moves)]
        return [struct.pack("<BIH", PATTERNS, 1, len(self.patterns)), *parts]

    def values(self, puzzle: Puzzle, held: Places) -> Places:
        """The term of states, a row each of what their slots hold."""
        return sum(
            (pattern.values(puzzle, self.moves, held) for pattern in self.patterns), np.zeros(len(held), np.int64)
        )


def pattern_terms(expression: Expression, moves: MoveSet, expanded: int) -> list[PatternTerm]:
    """The databases of boards that an expression names; where their tables are too large, those of smaller blocks. Too
    large are more entries than a file may have, and more than are in proportion to the ``expanded`` of the search."""
    named = [feature.databases for feature in expression.features if isinstance(feature, DatabaseFeature)]
    boards = [databases for databases in named if isinstance(databases, TileDatabases)]
    most = max(ENTRIES_AN_EXPANSION * expanded, FEW_ENTRIES)
    found = [_fitting(databases, moves, most // len(boards), MOST_ENTRIES // len(boards)) for databases in boards]
    return [term for term in found if term is not None]


def _fitting(databases: TileDatabases, moves: MoveSet, most: int, most_ever: int) -> PatternTerm | None:
    """The databases, or the largest blocks with at most ``most`` entries; the smallest there are may have more."""
    fitting = None
    for entries, term in _choices(databases, moves):
        if entries <= most_ever:
            fitting = term
            if entries <= most:
                break
    return fitting


@lru_cache(maxsize=16)
def _choices(databases: TileDatabases, moves: MoveSet) -> list[tuple[int, PatternTerm]]:
    """The databases and, but on boards of one row or column, smaller blocks, with the numbers of their entries."""
    board = databases.puzzle
    cells, wide = board.cells, min(board.rows, board.columns) > 1
    sizes = range(max(databases.sizes) - 1, ceil((cells - 1) / MAX_PATTERNS) - 1, -1) if wide else ()
    smaller = (tile_databases(databases.puzzle, f"{BLOCKS}{size}") for size in sizes)
    return [(sum(cells ** (1 + size) for size in one.sizes), _term(one, moves)) for one in (databases, *smaller)]


def piece_terms(puzzle: Puzzle, moves: MoveSet) -> list[PatternTerm]:
    """Patterns that together have each piece of a puzzle whose pieces all differ, neighbours of an orbit together; none
    if it has too many pieces."""
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.all_different:
        return []
    cases = [touches for move in moves.moves for _, touches in puzzle.cases(move)]
    moving = {src for touches in cases for dst, src, _ in touches if dst != src}
    held = puzzle.contents(puzzle.solved)
    found: list[list[Piece]] = []
    pieces: list[Piece] = []
    for orbit in puzzle.orbits:
        first, turns = orbit.slots[0], orbit.orientations
        for slot in orbit.slots:
            at, slots = (first, len(orbit.slots)) if moving & set(orbit.slots) else (slot, 1)
            piece = Piece(at, slots, held[slot] // turns * turns, turns)
            if pieces and prod(p.places for p in (*pieces, piece)) > MOST_OF_PIECES:
                found.append(pieces)
                pieces = []
            pieces.append(piece)
    found.append(pieces)
    return [PatternTerm((Pattern(tuple(some)),), moves) for some in found] if len(found) <= MOST_PATTERNS else []


@lru_cache(maxsize=16)
def _term(databases: TileDatabases, moves: MoveSet) -> PatternTerm:
    def piece(tile: int) -> Piece:
        return Piece(0, databases.puzzle.cells, tile, 1)

    return PatternTerm(tuple(Pattern((piece(0), *map(piece, tiles))) for tiles in databases.groups), moves, piece(0))


@lru_cache(maxsize=16)
def _table(pattern: Pattern, puzzle: Puzzle, moves: MoveSet) -> Table:
    """For each choice of places what moves to the goal cost at least; on boards only moves of the pieces are counted.
    From what has `UNKNOWN` no moves lead there, or none that cost less."""
    held = puzzle.contents(puzzle.solved)
    table = np.full([piece.places for piece in pattern.pieces], UNKNOWN, np.uint8)
    table[tuple(piece.home(held) for piece in pattern.pieces)] = 0
    cases = []
    for move in moves.moves:
        for condition, touches in puzzle.cases(move):
            first, *others = (piece.moved(touches) for piece in pattern.pieces)
            stays = np.array(condition is not None)
            for axis, to in enumerate(others):
                shape = [-1 if axis == i else 1 for i in range(len(others))]
                stays = stays & (to == np.arange(len(to))).reshape(shape)
            places = range(len(first)) if condition is None else [condition[0]]
            cases.append((places, first, others, (~stays) * np.uint8(moves.cost(move))))
    known = -1
    while (total := int(table.sum(dtype=np.int64))) != known:
        known = total
        for places, first, others, cost in cases:
            poll()
            for place in places:
                after = table[first[place]]
                for axis, to in enumerate(others):
                    after = after.take(to, axis)
                np.minimum(table[place], np.minimum(after, UNKNOWN - cost) + cost, out=table[place, ...])
    return table
