"""All shapes of a puzzle with forbidden moves, the moves between them, and what paths and loops do to its places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["Bits", "Numbers", "Rows", "Shapes"]

Bits = np.ndarray[Any, np.dtype[np.int8]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
#: by element and place, where it takes what is there
Rows = np.ndarray[Any, np.dtype[np.int16]]

#: the most entries of a table by shape, of moves or of places
MOST_ENTRIES = 1_500_000


class Shapes:
    """The shapes that moves make of the goal's, breadth first; that of the goal is number 0."""

    #: by shape and move, the number of the shape after it; -1 where it is forbidden
    after: np.ndarray[Any, np.dtype[np.int32]]
    #: by shape, how many moves are between it and the goal's
    depth: Numbers
    #: whether these are all shapes; else there are too many, and no tables
    complete = False

    def __init__(self, puzzle: PermutationPuzzle, moves: MoveSet) -> None:
        self.puzzle, self.names = puzzle, moves.moves
        self._inverse = [self.names.index(puzzle.inverse(name)) for name in self.names]
        self._kinds, self._slots = _kinds(puzzle)
        number = {slot: i for i, slot in enumerate(self._slots)}
        self._sources = [[number[puzzle.turns[name].source[slot]] for slot in self._slots] for name in self.names]
        #: by move: a slot, and the kinds of pieces that must not be there before it
        self._against = [
            [
                (number[there], kinds)
                for slot, pieces in puzzle.forbidden.get(name, {}).items()
                for kinds in [self._kinds_of(slot, pieces)]
                for there in {slot, puzzle.turns[name].source[slot]}
            ]
            for name in self.names
        ]
        self.slot_of, self.moved = _places(puzzle, moves)
        self._find()

    def _kinds_of(self, slot: int, pieces: frozenset[int]) -> list[int]:
        n = self.puzzle.orientations[slot]
        return sorted({self._kinds[slot][piece * n] for piece in pieces})

    def _shape(self, state: State) -> bytes:
        held = self.puzzle.contents(state)
        return np.array([self._kinds[slot][held[slot]] for slot in self._slots], dtype=np.uint16).tobytes()

    def _find(self) -> None:
        first = self._shape(self.puzzle.solved)
        self._numbers = {first: 0}
        level, begin, depth = np.frombuffer(first, np.uint16)[np.newaxis], 0, 0
        tables, self._parents, depths = [], [(-1, -1)], [0]
        most = MOST_ENTRIES // max(len(self.names), len(self.slot_of))
        while len(level):
            depth += 1
            table, found = np.full((len(level), len(self.names)), -1, dtype=np.int32), []
            for move, (source, against) in enumerate(zip(self._sources, self._against, strict=True)):
                poll()
                if len(self._numbers) > most:
                    return
                free = np.ones(len(level), dtype=bool)
                for slot, kinds in against:
                    free &= ~np.isin(level[:, slot], kinds)
                own = np.flatnonzero(free)
                rows = level[own][:, source]
                for i, row in zip(own.tolist(), rows, strict=True):
                    key = row.tobytes()
                    there = self._numbers.setdefault(key, len(self._numbers))
                    table[i, move] = there
                    if there == len(self._parents):
                        self._parents.append((begin + i, move))
                        depths.append(depth)
                        found.append(row)
            tables.append(table)
            begin += len(level)
            level = np.array(found, dtype=np.uint16).reshape(len(found), len(self._slots))
        self.after = np.concatenate(tables)
        self.depth, self.complete = np.array(depths), True

    # -- paths -----------------------------------------------------------------------------------------------------

    def number(self, state: State) -> int | None:
        """Of the shape of a state; None if no moves lead from it to that of the goal."""
        return self._numbers.get(self._shape(state))

    def path(self, shape: int) -> tuple[int, ...]:
        """The moves from the goal's shape to another one, as few as there can be."""
        found = []
        while shape:
            shape, move = self._parents[shape]
            found.append(move)
        return tuple(reversed(found))

    def back(self, word: Sequence[int]) -> tuple[int, ...]:
        return tuple(self._inverse[move] for move in reversed(word))

    def named(self, word: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[move] for move in word)

    def ways(self, shape: int, odd: Bits) -> list[tuple[int, ...]]:
        """Ways from a shape to the goal's by as few moves as there can be, evenly and oddly, the shorter first.

        :param odd: by shape and move, whether the move is odd
        """
        nodes = 2 * len(self.after)  # a shape, and whether the moves to it are odd
        before, seen = np.full((nodes, 2), -1), np.zeros(nodes, dtype=bool)
        level = np.array([2 * shape])
        seen[level] = True
        while len(level):
            poll()
            there = np.where(
                self.after[level // 2] < 0, -1, 2 * self.after[level // 2] + (odd[level // 2] ^ level[:, None] % 2)
            )
            row, move = np.nonzero((there >= 0) & ~seen[there])
            found, once = np.unique(there[row, move], return_index=True)
            before[found] = np.stack([level[row[once]], move[once]], axis=1)
            seen[found] = True
            level = found
        ways = []
        for end in (0, 1):
            at, way = end, list[int]()
            while seen[end] and at != 2 * shape:
                way.append(int(before[at, 1]))
                at = int(before[at, 0])
            ways += [tuple(reversed(way))] if seen[end] else []
        return sorted(ways, key=len)

    # -- what they do to places --------------------------------------------------------------------------------------

    @cached_property
    def images(self) -> Rows:
        """By shape, what the path to it does."""
        found = np.empty((len(self.after), self.moved.shape[1]), dtype=np.int16)
        found[0] = np.arange(self.moved.shape[1])
        for shape, (before, move) in enumerate(self._parents[1:], start=1):
            found[shape] = self.moved[move][found[before]]
        return found

    @cached_property
    def backs(self) -> Rows:
        """By shape, what the way back from it does."""
        return np.argsort(self.images, axis=1).astype(np.int16)

    def do(self, word: Sequence[int]) -> Rows:
        images: Rows = self.images[0]
        for move in word:
            images = self.moved[move][images]
        return images

    def loops(self, shapes: Numbers, moves: Numbers) -> Rows:
        """What loops do: to a shape, a move there, and back from where it leads."""
        there = np.take_along_axis(self.moved[moves], self.images[shapes].astype(np.int64), axis=1)
        found: Rows = np.take_along_axis(self.backs[self.after[shapes, moves]], there.astype(np.int64), axis=1)
        return found

    def loop(self, shape: int, move: int) -> tuple[int, ...]:
        """The moves of a loop."""
        return (*self.path(shape), move, *self.back(self.path(int(self.after[shape, move]))))


def _kinds(puzzle: PermutationPuzzle) -> tuple[list[list[int]], list[int]]:
    """By slot and value the kind of the piece, alike for pieces that are named by the same conditions; and the slots of
    orbits with pieces of several kinds."""
    named: dict[tuple[int, int], set[tuple[str, int]]] = {}
    orbit_of = {slot: orbit for orbit in puzzle.orbits for slot in orbit.slots}
    for name, conditions in puzzle.forbidden.items():
        for slot, pieces in conditions.items():
            for piece in pieces:
                named.setdefault((orbit_of[slot].first, piece), set()).add((name, slot))
    kinds: list[list[int]] = []
    slots: list[int] = []
    for orbit in puzzle.orbits:
        seen: dict[frozenset[tuple[str, int]], int] = {}
        own = []
        for piece in range(orbit.pieces):
            kind = seen.setdefault(frozenset(named.get((orbit.first, piece), ())), len(seen))
            own += [kind] * orbit.orientations
        kinds += [own] * orbit.pieces
        slots += orbit.slots if any((orbit.first, piece) in named for piece in range(orbit.pieces)) else []
    return kinds, slots


def _places(puzzle: PermutationPuzzle, moves: MoveSet) -> tuple[Numbers, Rows]:
    """By place its slot, and by move where it takes what is in each place. Slots of orbits that no move turns have one
    place each."""
    slot_of, kept, begin = [], [], 0
    for orbit in puzzle.orbits:
        turning = any(puzzle.turns[name].twist[slot] for name in moves.moves for slot in orbit.slots)
        n = orbit.orientations
        for slot in orbit.slots:
            kept += [*range(begin, begin + n)] if turning else [begin]
            slot_of += [slot] * (n if turning else 1)
            begin += n
    number = np.zeros(begin, dtype=np.int16)
    number[kept] = np.arange(len(kept))
    return np.array(slot_of), number[puzzle.images(moves.moves)[:, kept]]
