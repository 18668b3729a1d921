"""Learns how beams over one square board rank pairs of tiles: ``python -m tools.cell_pairs SIDE [CPU SECONDS]``.

Random walks are solved by beams of several rankings. What is learned from is where narrower beams from the same start
do worse: the states of their layers are compared with that of the shortest solution at the same depth, which the
narrower beam should have kept. So the weights are right where beams choose, and not where no beam comes.

The weight of a pair is the one that there was and a sum of three, each with a penalty: for the offsets of the two
tiles at the goal and at hand; for their rows and for their columns; and for their cells. So pairs that are seldom seen
count what similar ones do. They are fitted by logistic regression on comparisons, in several rounds: the beams of each
round have the weights of the round before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from time import process_time
from typing import Any
from zlib import compress, decompress

import numpy as np

from hstar import _kernel
from hstar.databases import tile_databases
from hstar.puzzles import State, get_puzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import rankings
from tools.tile_pairs import MOST, UNIT, classes

WEIGHTS = Path(rankings.__file__).parent
#: by the side of the board: blocks, the width of beams, and the range of the lengths of walks
BOARDS = {5: (6, 3_000, (100, 5_000)), 6: (5, 3_500, (200, 8_000)), 7: (4, 4_000, (200, 15_000))}
#: the widths of narrower beams, how many of them, and states of each layer that are taken; solutions longer by more
#: than these moves are left out
NARROW, NARROWER, OF_LAYER, LONGER = (150, 1_000), 2, 4, 80
LONGEST = 600
ROUNDS = 5
#: moves by which two states may seem the wrong way round; the penalties, for 60,000 comparisons; of gradient descent
DOUBT, PENALTIES, PER, BATCH, STEP, MOMENTUM = 2.0, (200.0, 200.0, 400.0), 60_000, 1_000, 0.015, 0.9
#: a usual slope of the logistic function at the comparisons
SLOPE = 0.15

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]


@dataclass
class Comparisons:
    """Boards in rows: those on short solutions, and those that beams met at the same depth; by how much more the
    latter have of the Manhattan distance and of the databases' excess."""

    good: Array
    other: Array
    manhattan: Array
    excess: Array


class Teacher:
    def __init__(self, side: int) -> None:
        size, self.width, self.walks = BOARDS[side]
        cells = side**2
        puzzle = get_puzzle(f"tiles:{side}x{side}", [*range(1, cells), 0])
        assert isinstance(puzzle, SlidingTiles)
        self.puzzle, self.databases = puzzle, tile_databases(puzzle, f"blocks:{size}")
        self.databases.load()
        number, self.kinds = rankings.cell_classes(side)
        self.number = number
        # By class: those of offsets, of rows and of columns.
        _, first = np.unique(number, return_index=True)
        goals = np.stack(np.unravel_index(first, number.shape))
        (home, other, here, there) = (np.stack(np.divmod(cell, side)) for cell in goals)
        offsets, self.offsets = classes()
        at_goal, at_hand = (self._offset(b - a) for a, b in ((home, other), (here, there)))
        lines, self.lines = _lines(side)
        rows, columns = (lines[home[i], other[i], here[i], there[i]] for i in (0, 1))
        self.parts = (offsets[at_goal, at_hand], rows, columns)
        # What there was: the weights of the classes in moves, and the ranking whose weights they are.
        self.ranking = rankings.rankings_of(puzzle)[0]
        weights = np.frombuffer(decompress(rankings.weights_file(side).read_bytes()), np.int8)
        self.before = self.ranking.pairs * weights.astype(np.float32) / UNIT

    def _offset(self, steps: Array) -> Array:
        farthest = rankings.FARTHEST
        return np.asarray((2 * farthest + 1, 1) @ (np.clip(steps, -farthest, farthest) + farthest))

    def compared(self, seconds: float, random: Random) -> Iterator[Comparisons]:
        """Until so much processor time has passed."""
        puzzle, began = self.puzzle, process_time()
        tried = [rankings.kernel_ranking(puzzle, ranking) for ranking in rankings.rankings_of(puzzle)[:2]]
        while process_time() - began < seconds:
            start = puzzle.solved
            for _ in range(round(10 ** random.uniform(*np.log10(self.walks))) + random.randrange(2)):
                start = random.choice(list(puzzle.successors(start, puzzle.moves)))[1]
            if way := self._solve(start, tried):
                for number in range(NARROWER):
                    width = round(10 ** random.uniform(*np.log10(NARROW)))
                    if found := self._met(way, tried[number % len(tried)], width):
                        yield found

    def _solve(self, start: State, tried: list[_kernel.TileRanking]) -> list[State]:
        """The states of the shortest solution, the goal last; none if there is none."""
        puzzle, best = self.puzzle, list[int]()
        for ranking in tried:
            outcome = _kernel.tile_beam(
                self.databases.kernel, start, ranking=ranking, width=self.width,
                longest=len(best) - 1 if best else LONGEST, memory_bytes=2**31, control=_kernel.Control(),
            )  # fmt: skip
            if outcome.status == "solved":
                best = list(outcome.path)
        states = [start]
        for number in best:
            states.append(puzzle.apply_alg(states[-1], [puzzle.moves[number]]))
        return states if best else []

    def _met(self, way: list[State], ranking: _kernel.TileRanking, width: int) -> Comparisons | None:
        length = len(way) - 1
        outcome, depths, met = _kernel.tile_beam_samples(
            self.databases.kernel, way[0], ranking=ranking, width=width, longest=length + LONGER, of_layer=OF_LAYER,
            memory_bytes=2**31, control=_kernel.Control(),
        )  # fmt: skip
        if outcome.status == "solved" and len(outcome.path) <= length:
            return None
        states, depth = np.array([list(state) for state in way], np.uint8), np.array(depths)
        other = np.frombuffer(met, np.uint8).reshape(len(depths), -1)[depth < length]
        good = states[depth[depth < length]]
        differ = (good != other).any(axis=1)
        good, other = good[differ], other[differ]
        (manhattan, excess), (more, beyond) = self._counts(good), self._counts(other)
        return Comparisons(good, other, more - manhattan, beyond - excess)

    def _counts(self, boards: Array) -> tuple[Array, Array]:
        """The Manhattan distance and the databases' excess of each."""
        side, here = self.puzzle.rows, np.arange(self.puzzle.cells)
        home = (boards.astype(int) - 1) % self.puzzle.cells
        steps = abs(home // side - here // side) + abs(home % side - here % side)
        manhattan = np.where(boards == 0, 0, steps).sum(axis=1)
        return manhattan, np.array([self.databases.kernel.value(board.tobytes()) for board in boards]) - manhattan

    def learn(self, found: list[Comparisons], rng: np.random.Generator) -> Array:
        """The weights of the classes, in sixteenths of a move."""
        good, other, manhattan, excess = (np.concatenate(all_of) for all_of in zip(*map(astuple, found), strict=True))
        left = self.ranking.manhattan * manhattan + self.ranking.excess * excess
        count = len(left)
        sizes = (self.offsets, self.lines, self.kinds)
        penalty = np.repeat(np.array(PENALTIES) * count / PER, sizes)
        chosen = rng.choice(count, min(count, 6 * BATCH), replace=False)
        often = sum(np.bincount(self._pairs(boards[chosen]).ravel(), minlength=self.kinds) for boards in (good, other))
        scale = penalty + self._back(np.asarray(often) * count / len(chosen) * SLOPE / DOUBT**2)
        weights: Array
        speed: Array
        weights, speed, mean = (np.zeros(sum(sizes)) for _ in range(3))
        batches = np.array_split(rng.permutation(count), max(2, count // BATCH))
        for step, batch in enumerate(batches):
            each = (self.before + self._of_classes(weights)).astype(np.float32)
            these, those = self._pairs(good[batch]), self._pairs(other[batch])
            ahead = left[batch] + each[those].sum(axis=1) - each[these].sum(axis=1)
            pull = np.repeat(1 / (1 + np.exp(np.minimum(ahead / DOUBT, 50))) / DOUBT, these.shape[1])
            slope = np.bincount(those.ravel(), pull, self.kinds) - np.bincount(these.ravel(), pull, self.kinds)
            speed = MOMENTUM * speed + (self._back(slope * count / len(batch)) - penalty * weights) / scale
            weights += STEP * (1 - step / len(batches)) * speed
            if 2 * step >= len(batches):
                mean += weights
        learned = UNIT * (self.before + self._of_classes(mean / (len(batches) // 2)))
        return np.asarray(np.clip(np.rint(learned), -MOST, MOST).astype(np.int8))

    def _pairs(self, boards: Array) -> Array:
        """The classes of all pairs of tiles of each board."""
        a, b = np.array(list(combinations(range(self.puzzle.cells - 1), 2))).T
        cells = np.argsort(boards, axis=1)
        return np.asarray(self.number[a, b, cells[:, a + 1], cells[:, b + 1]])

    def _of_classes(self, weights: Array) -> Array:
        offsets, rows, columns = self.parts
        by_offset, by_line, by_cell = np.split(weights, np.cumsum([self.offsets, self.lines]))
        return np.asarray(by_offset[offsets] + by_line[rows] + by_line[columns] + by_cell)

    def _back(self, each: Array) -> Array:
        offsets, rows, columns = self.parts
        lines = np.bincount(rows, each, self.lines) + np.bincount(columns, each, self.lines)
        return np.concatenate([np.bincount(offsets, each, self.offsets), lines, each])


def _lines(side: int) -> tuple[Array, int]:
    """The class of two tiles by the rows of their goals and their own, and how many classes there are."""
    number = np.arange(side**4).reshape((side,) * 4)
    least = number
    for one in (number, number[::-1, ::-1, ::-1, ::-1]):
        for order in ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)):
            least = np.minimum(least, one.transpose(order))
    found, inverse = np.unique(least, return_inverse=True)
    return inverse.reshape(number.shape), len(found)


def main(arguments: list[str]) -> None:
    side, seconds = int(arguments[0]), float(arguments[1]) if arguments[1:] else 600.0
    teacher, found, random = Teacher(side), list[Comparisons](), Random(side)
    for number in range(ROUNDS):
        found += teacher.compared(seconds / ROUNDS, random)
        packed = compress(teacher.learn(found, np.random.default_rng(number)).tobytes(), 9)
        WEIGHTS.joinpath(f"pairs-{side}.zlib").write_bytes(packed)
        rankings.kernel_ranking.cache_clear()
        count = sum(len(one.good) for one in found)
        print(f"{count} comparisons, {teacher.kinds} kinds, {len(packed)} bytes packed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
