"""Invariants: what no move changes, and what differs between a state and the goal, proves that no moves lead there.

>>> found = find(get_puzzle("3x3x3"), moves, twisted)                             # doctest: +SKIP
>>> found.modulus                                                                 # doctest: +SKIP
3

An invariant is a sum modulo ``modulus``: an entry of a table for each slot and what it holds, and half the modulus for
each block whose pieces are permuted oddly. It covers pieces in places where no moves bring them, pieces that are
missing, sums of orientations, parities, and parities of several orbits that change together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle, parity
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["Block", "Invariant", "find"]

Table = np.ndarray[Any, np.dtype[np.uint16]]


@dataclass(frozen=True)
class Block:
    """Slots from ``first`` on whose pieces are permuted; ``labels[i, v]`` is the number of the piece that value v is
    in the block's slot i."""

    first: int
    labels: Table

    @property
    def slots(self) -> range:
        return range(self.first, self.first + len(self.labels))

    def parity(self, held: Sequence[int]) -> int:
        return parity([int(self.labels[i, held[slot]]) for i, slot in enumerate(self.slots)])


@dataclass(frozen=True)
class Invariant:
    """``table``: uint16 of shape (slots, largest number of values); the sum is modulo ``modulus``."""

    modulus: int
    table: Table
    blocks: Sequence[Block] = ()

    def value(self, held: Sequence[int]) -> int:
        """The value on a state, given what its slots hold."""
        entries = sum(int(self.table[slot, value]) for slot, value in enumerate(held))
        return (entries + sum(self.modulus // 2 * block.parity(held) for block in self.blocks)) % self.modulus


@singledispatch
def find(puzzle: Puzzle, moves: MoveSet, held: Sequence[int]) -> Invariant | None:
    """An invariant of the moves that differs between the goal and a state; None if none of those that are looked for.

    :param held: what the state's slots hold, whether or not moves lead to it
    """
    return None


@find.register(SlidingTiles)
def _of_tiles(puzzle: SlidingTiles, moves: MoveSet, held: Sequence[int]) -> Invariant | None:
    """A slide exchanges the blank with a tile and takes it to a cell of the other colour of a chessboard."""
    table = np.zeros((puzzle.cells, puzzle.cells), np.uint16)
    table[:, 0] = [(cell // puzzle.columns + cell % puzzle.columns) % 2 for cell in range(puzzle.cells)]
    labels = np.tile(np.arange(puzzle.cells, dtype=np.uint16), (puzzle.cells, 1))
    return _if_different(Invariant(2, table, [Block(0, labels)]), puzzle, held)


@find.register(PermutationPuzzle)
def _of_pieces(puzzle: PermutationPuzzle, moves: MoveSet, held: Sequence[int]) -> Invariant | None:
    # Blocks have meaning only if every piece is there once, so places come first.
    return _by_places(puzzle, moves, held) or _by_sums(puzzle, moves, held)


def _if_different(found: Invariant, puzzle: Puzzle, held: Sequence[int]) -> Invariant | None:
    return found if found.value(held) != found.value(puzzle.contents(puzzle.solved)) else None


def _by_places(puzzle: PermutationPuzzle, moves: MoveSet, held: Sequence[int]) -> Invariant | None:
    """How many slots hold something of a set that moves keep together: slots with contents that moves connect."""
    number = _connected(puzzle, moves)
    home = puzzle.contents(puzzle.solved)
    mine, wanted = (Counter(int(number[slot, value]) for slot, value in enumerate(state)) for state in (held, home))
    for one in sorted({*mine, *wanted}):
        if mine[one] != wanted[one]:
            return Invariant(len(home) + 1, (number == one).astype(np.uint16))
    return None


def _connected(puzzle: PermutationPuzzle, moves: MoveSet) -> np.ndarray[Any, np.dtype[np.int64]]:
    """By slot and value, a number that is equal for those that moves connect; -1 for values that a slot cannot have."""
    number = np.full((len(puzzle.values), max(puzzle.values)), -1, np.int64)
    beside: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for move in moves.moves:
        poll()
        for dst, src, values in puzzle.touched(move):
            for before, after in enumerate(values):
                beside.setdefault((src, before), []).append((dst, after))
                beside.setdefault((dst, after), []).append((src, before))
    for count, start in enumerate((s, v) for s, size in enumerate(puzzle.values) for v in range(size)):
        if number[start] >= 0:
            continue
        number[start], todo = count, [start]
        for place in todo:
            for other in beside.get(place, ()):
                if number[other] < 0:
                    number[other] = count
                    todo.append(other)
    return number


@dataclass(frozen=True)
class _Sum:
    """Something that every move changes by a fixed amount: the parity of a block, or the orientations of slots."""

    modulus: int
    changes: Sequence[int]
    of_state: int
    block: Block | None = None
    slots: Sequence[int] = ()
    orientations: int = 1


def _by_sums(puzzle: PermutationPuzzle, moves: MoveSet, held: Sequence[int]) -> Invariant | None:
    """Sums of parities and orientations that moves leave as they are, modulo a prime, or each modulo what it can be."""
    sums = list(_sums(puzzle, moves, held))
    for one in sums:
        modulus = gcd(one.modulus, *one.changes)
        if one.of_state % modulus:
            return _if_different(_joined(puzzle, modulus, [(one, 1)]), puzzle, held)
    for prime in sorted({p for one in sums for p in _primes(one.modulus)}):
        fitting = [one for one in sums if one.modulus % prime == 0]
        matrix = [[one.changes[i] % prime for one in fitting] for i in range(len(moves.moves))]
        for factors in _null_space(matrix, len(fitting), prime):
            if sum(f * one.of_state for f, one in zip(factors, fitting, strict=True)) % prime:
                chosen = [(one, f) for one, f in zip(fitting, factors, strict=True) if f]
                return _if_different(_joined(puzzle, prime, chosen), puzzle, held)
    return None


def _sums(puzzle: PermutationPuzzle, moves: MoveSet, held: Sequence[int]) -> Iterator[_Sum]:
    turns = [puzzle.turns[move] for move in moves.moves]
    for orbit in puzzle.orbits:
        poll()
        n = orbit.orientations
        for slots in _classes(orbit.slots, [turn.source for turn in turns]):
            # A checker takes it that each of the orbit's pieces may be here.
            here = orbit.slots if any(turn.twist[slot] for turn in turns for slot in slots) else slots
            if all(puzzle.distinct_orientations[slot] == n for slot in here) and n > 1:
                changes = [sum(turn.twist[slot] for slot in slots) for turn in turns]
                yield _Sum(n, changes, sum(held[slot] - puzzle.home[slot] for slot in slots), None, slots, n)
            pieces = [puzzle.home[slot] // n for slot in slots]
            if len(slots) > 1 and len(set(pieces)) == len(slots) and slots == list(range(slots[0], slots[-1] + 1)):
                labels = np.zeros((len(slots), puzzle.values[slots[0]]), np.uint16)
                for label, piece in enumerate(pieces):
                    labels[:, piece * n : (piece + 1) * n] = label
                block = Block(slots[0], labels)
                changes = [parity([turn.source[slot] - slots[0] for slot in slots]) for turn in turns]
                yield _Sum(2, changes, block.parity(held), block)


def _classes(slots: Sequence[int], sources: Sequence[Sequence[int]]) -> list[list[int]]:
    """The sets of slots that moves connect. Those of an orbit that are not side by side are taken together, because a
    block is slots side by side."""
    beside: dict[int, set[int]] = {slot: {slot} for slot in slots}
    for source in sources:
        for slot in slots:
            joined = beside[slot] | beside[source[slot]]
            for one in joined:
                beside[one] = joined
    found = sorted({tuple(sorted(own)) for own in beside.values()})
    side_by_side = all(b - a == 1 for own in found for a, b in pairwise(own))
    return [list(own) for own in found] if side_by_side else [list(slots)]


def _joined(puzzle: PermutationPuzzle, modulus: int, chosen: Sequence[tuple[_Sum, int]]) -> Invariant:
    table = np.zeros((len(puzzle.values), max(puzzle.values)), np.uint16)
    for one, factor in chosen:
        for slot in one.slots:
            held = np.arange(puzzle.values[slot])
            table[slot, : len(held)] = held % one.orientations * factor % modulus
    return Invariant(modulus, table, [one.block for one, _ in chosen if one.block is not None])


def _primes(number: int) -> list[int]:
    return [p for p in range(2, number + 1) if number % p == 0 and all(p % q for q in range(2, p))]


def _null_space(matrix: Sequence[Sequence[int]], width: int, prime: int) -> Iterator[list[int]]:
    """A basis of the vectors x with ``matrix @ x == 0`` modulo a prime."""
    rows: dict[int, list[int]] = {}  # by the column of their first entry, which is 1; reduced
    for given in matrix:
        row = list(given)
        for column, other in rows.items():
            row = [(a - row[column] * b) % prime for a, b in zip(row, other, strict=True)]
        first = next((column for column, entry in enumerate(row) if entry), None)
        if first is None:
            continue
        row = [entry * pow(row[first], -1, prime) % prime for entry in row]
        rows = {
            c: [(a - other[first] * b) % prime for a, b in zip(other, row, strict=True)] for c, other in rows.items()
        }
        rows[first] = row
    for free in range(width):
        if free not in rows:
            x = [0] * width
            x[free] = 1
            for column, row in rows.items():
                x[column] = -row[free] % prime
            yield x
