"""Shortest solutions where all moves commute, as on Rubik's Clock and in Lights Out.

Each orbit of places is a *dial*: moves turn pieces in place, or pieces around a cycle. Then only how far each wheel is
turned in all counts: a vector x with A x = b modulo the places of a dial. Gauss with pivots that have an inverse leaves
a few wheels free, and each choice of these gives one solution. They are all tried, so the cheapest is shortest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from typing import Any

import numpy as np

from hstar.groups.permutation_group import orbits
from hstar.polling import poll
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["Wheels", "wheels_of"]

#: the most solutions that are tried
_MOST = 250_000
#: and how many together
_AT_ONCE = 2048
#: places of a dial
_LARGEST = 64
_FAR = np.iinfo(np.int32).max

Table = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Wheels:
    """What moves do to dials.

    :param n: how far a dial is turned until it is as before; a multiple of that, if another one is larger
    :param dials: for each place of a dial, how far it is turned when the content of its first place is there
    :param turned: by wheel, by how much it turns each dial
    :param ways: by wheel, for each sum of its turns from 0 to n - 1, the cheapest moves; None where there are none
    :param costs: of these, `_FAR` for None
    """

    n: int
    dials: Sequence[Mapping[int, int]]
    turned: Table
    ways: Sequence[Sequence[tuple[str, ...] | None]]
    costs: Table

    def solve(self, images: Sequence[int]) -> Iterator[tuple[tuple[str, ...], int]]:
        """Moves that solve the state whose `PermutationPuzzle.permutation_of` this is, and what they cost: cheaper and
        cheaper ones, and the cheapest last. There are none if Gauss finds no pivot that has an inverse, there are too
        many solutions, or none."""
        turned = [amount for dial in self.dials if (amount := _amount(dial, images, self.n)) is not None]
        system = self._reduced(turned) if len(turned) == len(self.dials) else None
        if system is None:
            return
        rows, pivots = system
        free = [wheel for wheel in range(len(self.turned)) if wheel not in pivots]
        count = self.n ** len(free)
        if count > _MOST or rows[len(pivots) :, -1].any():
            return
        amounts = np.empty((len(self.turned), min(count, _AT_ONCE)), dtype=np.int64)
        least = int(_FAR)
        for first in range(0, count, _AT_ONCE):
            poll()
            numbers = np.arange(first, min(count, first + _AT_ONCE))
            own = amounts[:, : len(numbers)]
            for wheel in free:
                numbers, own[wheel] = np.divmod(numbers, self.n)
            own[pivots] = (rows[: len(pivots), -1:] - rows[: len(pivots), free] @ own[free]) % self.n
            cost = sum(table[row] for table, row in zip(self.costs, own, strict=True))
            best = int(np.argmin(cost))
            if cost[best] < least:
                least = int(cost[best])
                chosen = [ways[amount] for ways, amount in zip(self.ways, own[:, best].tolist(), strict=True)]
                yield tuple(move for moves in chosen for move in moves or ()), least

    def _reduced(self, amounts: Sequence[int]) -> tuple[Table, list[int]] | None:
        """The system with a 1 in each pivot's row and 0 elsewhere in its column, and the pivots; None if there is no
        such form."""
        n = self.n
        rows = np.column_stack([self.turned.T, -np.array(amounts)]).astype(np.int64) % n
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
    """The wheels of these moves; None if they do more than to turn dials."""
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.all_different:
        return None
    rows, dials = puzzle.images(moves.moves).tolist(), list[dict[int, int]]()
    for places in orbits(rows):
        dial = _dial(rows, places)
        if dial is None:
            return None
        dials.append(dial)
    n = lcm(*map(len, dials))
    if not 1 < n <= _LARGEST:
        return None
    dials = [{place: n // len(dial) * amount for place, amount in dial.items()} for dial in dials]
    turned: list[tuple[int, ...]] = []
    steps: list[list[tuple[int, str]]] = []
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    for move, row in zip(moves.moves, rows, strict=True):
        twist = tuple(dial[row[next(iter(dial))]] for dial in dials)
        if twist not in known:
            for times in range(1, n):
                known.setdefault(tuple(times * by % n for by in twist), (len(turned), times))
            turned.append(twist)
            steps.append([])
        wheel, times = known[twist]
        steps[wheel].append((times, move))
    ways = [_cheapest(n, own, moves) for own in steps]
    costs = [[_FAR if way is None else moves.length(way) for way in own] for own in ways]
    return Wheels(n, dials, np.array(turned), ways, np.array(costs))


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


def _dial(rows: Sequence[Sequence[int]], places: Sequence[int]) -> dict[int, int] | None:
    """For each place, the first one first, how far the dial is turned when the content of the first is there; None if
    these places are no dial."""
    if len(places) > _LARGEST:
        return None
    number = {place: i for i, place in enumerate(places)}
    moves = {tuple(number[row[place]] for place in places) for row in rows}
    # Where moves that commute lead from place to place, there is one way to turn the dial from the first to each.
    ways, waiting = {0: tuple(range(len(places)))}, [0]
    for here in waiting:
        for move in moves:
            way = tuple(move[i] for i in ways[here])
            if ways.setdefault(move[here], way) != way:
                return None
            if len(ways) > len(waiting):
                waiting.append(move[here])
    for way in ways.values():
        amounts, at = {places[0]: 0}, way[0]
        while at != 0:
            amounts[places[at]] = len(amounts)
            at = way[at]
        if len(amounts) == len(places):
            return amounts
    return None


def _amount(dial: Mapping[int, int], images: Sequence[int], n: int) -> int | None:
    """How far the dial is turned; None if no turn brings its contents to where they are."""
    amounts = {(dial[images[place]] - amount) % n if images[place] in dial else None for place, amount in dial.items()}
    return amounts.pop() if len(amounts) == 1 else None
