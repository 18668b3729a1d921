"""Shortest solutions where all moves commute: each turns pieces in place, as on Rubik's Clock.

Then only how far each wheel is turned in all counts: a vector x with A x = b modulo the orientations of a piece. Gauss
with pivots that have an inverse leaves a few wheels free, and each choice of these gives one solution. They are all
tried, so the cheapest is shortest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Any

import numpy as np

from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["Wheels", "orientations_of", "wheels_of"]

#: the most solutions that are tried
_MOST = 250_000
_FAR = np.iinfo(np.int32).max

Table = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Wheels:
    """What moves do to pieces that stay in their places.

    :param n: the number of orientations of each piece
    :param turned: by wheel, by how much it turns each piece
    :param ways: by wheel, for each sum of its turns from 0 to n - 1, the cheapest moves; None where there are none
    :param costs: of these, `_FAR` for None
    """

    n: int
    turned: Table
    ways: Sequence[Sequence[tuple[str, ...] | None]]
    costs: Table

    def solve(self, orientations: Sequence[int]) -> tuple[tuple[str, ...], int] | None:
        """The cheapest moves that solve this state, and what they cost; None if Gauss finds no pivot that has an
        inverse, there are too many solutions, or none."""
        system = self._reduced(orientations)
        if system is None:
            return None
        rows, pivots = system
        free = [wheel for wheel in range(len(self.turned)) if wheel not in pivots]
        if self.n ** len(free) > _MOST or rows[len(pivots) :, -1].any():
            return None
        chosen = np.indices((self.n,) * len(free)).reshape(len(free), self.n ** len(free))
        amounts = np.empty((len(self.turned), chosen.shape[1]), dtype=np.int64)
        amounts[free] = chosen
        amounts[pivots] = (rows[: len(pivots), -1:] - rows[: len(pivots), free] @ chosen) % self.n
        cost = sum(table[own] for table, own in zip(self.costs, amounts, strict=True))
        best = int(np.argmin(cost))
        alg: list[str] = []
        for ways, amount in zip(self.ways, amounts[:, best], strict=True):
            moves = ways[int(amount)]
            if moves is None:
                return None
            alg += moves
        return tuple(alg), int(cost[best])

    def _reduced(self, orientations: Sequence[int]) -> tuple[Table, list[int]] | None:
        """The system with a 1 in each pivot's row and 0 elsewhere in its column, and the pivots; None if there is no
        such form."""
        n = self.n
        rows = np.column_stack([self.turned.T, -np.array(orientations)]).astype(np.int64) % n
        pivots: list[int] = []
        for wheel in range(len(self.turned)):
            row = next((i for i in range(len(pivots), len(rows)) if gcd(int(rows[i, wheel]), n) == 1), None)
            if row is None:
                continue
            at = len(pivots)
            rows[[at, row]] = rows[[row, at]]
            rows[at] = rows[at] * pow(int(rows[at, wheel]), -1, n) % n
            others = np.arange(len(rows)) != at
            rows[others] = (rows[others] - np.outer(rows[others, wheel], rows[at])) % n
            pivots.append(wheel)
        return None if rows[len(pivots) :, :-1].any() else (rows, pivots)


@lru_cache(maxsize=64)
def wheels_of(puzzle: Puzzle, moves: MoveSet) -> Wheels | None:
    """The wheels of these moves; None if they move pieces, or turn them in different numbers of orientations."""
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.all_different or len(set(puzzle.orientations)) != 1:
        return None
    n, still = puzzle.orientations[0], tuple(range(len(puzzle.orientations)))
    if n == 1 or any(puzzle.turns[move].source != still for move in moves.moves):
        return None
    turned: list[tuple[int, ...]] = []
    steps: list[list[tuple[int, str]]] = []
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    for move in moves.moves:
        twist = puzzle.turns[move].twist
        if twist not in known:
            for times in range(1, n):
                known.setdefault(tuple(times * by % n for by in twist), (len(turned), times))
            turned.append(twist)
            steps.append([])
        wheel, times = known[twist]
        steps[wheel].append((times, move))
    ways = [_cheapest(n, own, moves) for own in steps]
    costs = [[_FAR if way is None else moves.length(way) for way in own] for own in ways]
    return Wheels(n, np.array(turned), ways, np.array(costs))


def _cheapest(n: int, steps: Sequence[tuple[int, str]], moves: MoveSet) -> list[tuple[str, ...] | None]:
    """The cheapest moves of one wheel for each sum of turns."""
    ways: list[tuple[str, ...] | None] = [(), *[None] * (n - 1)]
    changed = True
    while changed:
        changed = False
        for amount in range(n):
            way = ways[amount]
            for times, move in steps if way is not None else ():
                assert way is not None
                made, there = (*way, move), (amount + times) % n
                before = ways[there]
                if before is None or moves.length(made) < moves.length(before):
                    ways[there], changed = made, True
    return ways


def orientations_of(puzzle: PermutationPuzzle, state: State) -> list[int]:
    """By how much each piece is turned."""
    return [value % n for value, n in zip(puzzle.contents(state), puzzle.orientations, strict=True)]
