"""Learns how beams over one square board rank pairs of tiles: ``python -m tools.cell_pairs SIDE [CPU SECONDS]``.

Random walks are solved by a beam with several rankings; the length of the shortest solution is taken for the distance,
from the start and from states on the way. The same for states on the way of a narrow beam, which look good without
being so. The weights that there are already rank these beams; the second half of the time has those of the first half.

The weight of a pair is the sum of three, each with a penalty: for the offsets of the two tiles at the goal and at hand;
for their rows and for their columns; and for their cells. So pairs that are seldom seen count what similar ones do. All
are fitted together to what the Manhattan distance and the databases' excess leave over: least squares by conjugate
gradients.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from time import process_time
from typing import Any
from zlib import compress

import numpy as np

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.puzzles import State, get_puzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import rankings
from tools.tile_pairs import MOST, UNIT, classes

WEIGHTS = Path(rankings.__file__).parent
#: by the side of the board: blocks, the width of beams, and the range of the lengths of walks
BOARDS = {5: (6, 4_000, (60, 5_000)), 6: (4, 8_000, (40, 1_000)), 7: (4, 8_000, (40, 1_000))}
#: states of a narrow beam's way that are solved again, and one of so many states of a solution that is a sample
AGAIN, EVERY, NARROWER = 3, 4, 20
#: solutions that are longer for a state of so many Manhattan moves are left out
LONG, LONGER = 1.5, 30
#: what moves of the Manhattan distance and of the excess count; the penalties; steps of the gradient
MANHATTAN, EXCESS, PENALTIES, STEPS = 1.3, 1.0, (10.0, 10.0, 20.0), 60

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]
#: states and the lengths of their solutions
Solved = list[tuple[State, int]]


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

    def _offset(self, steps: Array) -> Array:
        farthest = rankings.FARTHEST
        return np.asarray((2 * farthest + 1, 1) @ (np.clip(steps, -farthest, farthest) + farthest))

    def solve(self, state: State, width: int, tried: tuple[rankings.Ranking, ...]) -> list[State]:
        """The states of the shortest solution, the goal last; none if there is no short one."""
        puzzle, best = self.puzzle, list[int]()
        for ranking in tried:
            outcome = _kernel.tile_beam(
                self.databases.kernel, state, ranking=rankings.kernel_ranking(puzzle, ranking), width=width,
                longest=len(best) - 1 if best else round(LONG * self.manhattan(state) + LONGER), memory_bytes=2**31,
                control=_kernel.Control(),
            )  # fmt: skip
            if outcome.status == "solved":
                best = list(outcome.path)
        states = [state]
        for number in best:
            states.append(puzzle.apply_alg(states[-1], [puzzle.moves[number]]))
        return states if states[-1] == puzzle.solved else []

    def manhattan(self, state: State) -> int:
        side = self.puzzle.rows
        homes = [(cell, self.puzzle.home[tile]) for cell, tile in enumerate(state) if tile]
        return sum(abs(a // side - b // side) + abs(a % side - b % side) for a, b in homes)

    def solved_states(self, seconds: float, random: Random) -> Iterator[tuple[State, int]]:
        """Until so much processor time has passed."""
        tried, began = rankings.rankings_of(self.puzzle), process_time()
        while process_time() - began < seconds:
            start = self.puzzle.solved
            for _ in range(round(10 ** random.uniform(*np.log10(self.walks))) + random.randrange(2)):
                start = random.choice(list(self.puzzle.successors(start, self.puzzle.moves)))[1]
            narrow = self.solve(start, self.width // NARROWER, (random.choice(tried),))
            for state in (start, *random.sample(narrow[:-1], min(AGAIN, len(narrow[:-1])))):
                way = self.solve(state, self.width, tried[:3])
                length = len(way) - 1
                for number in {0, *random.sample(range(max(length, 0)), max(length, 0) // EVERY)} if way else ():
                    yield way[number], length - number

    def learn(self, solved: Solved) -> Array:
        """The weights of the classes, in sixteenths of a move."""
        cells = np.argsort(np.frombuffer(b"".join(state for state, _ in solved), np.uint8).reshape(len(solved), -1))
        a, b = np.array(list(combinations(range(self.puzzle.cells - 1), 2))).T
        kind = self.number[a, b, cells[:, a + 1], cells[:, b + 1]]
        length = np.array([length for _, length in solved], float)
        moves = np.array([self.manhattan(state) for state, _ in solved])
        left = length - MANHATTAN * moves - EXCESS * (_excess(self.databases, solved) - moves)
        weights = np.rint(UNIT * self._fit(kind, left, 1 / (length + 20)))
        return np.asarray(np.clip(weights, -MOST, MOST).astype(np.int8))

    def _fit(self, kind: Array, left: Array, trust: Array) -> Array:
        offsets, rows, columns = self.parts
        ends = np.cumsum([self.offsets, self.lines])

        def of_classes(weights: Array) -> Array:
            by_offset, by_line, by_cell = np.split(weights, ends)
            return np.asarray(by_offset[offsets] + by_line[rows] + by_line[columns] + by_cell)

        def estimates(weights: Array) -> Array:
            each = of_classes(weights[1:]).astype(np.float32)
            return np.concatenate([weights[0] + each[part].sum(axis=1) for part in np.array_split(kind, 50)])

        def back(errors: Array) -> Array:
            each = np.bincount(kind.ravel(), np.repeat(errors, kind.shape[1]), self.kinds)
            lines = np.bincount(rows, each, self.lines) + np.bincount(columns, each, self.lines)
            return np.concatenate([[errors.sum()], np.bincount(offsets, each, self.offsets), lines, each])

        penalty = np.concatenate([[1e-6], np.repeat(PENALTIES, [self.offsets, self.lines, self.kinds])])
        scale = penalty + back(trust)
        weights = np.zeros(len(penalty))
        rest = back(trust * left)
        direction = rest / scale
        size = rest @ direction
        for _ in range(STEPS):
            image = back(trust * estimates(direction)) + penalty * direction
            step = size / (direction @ image)
            weights += step * direction
            rest -= step * image
            size, before = rest @ (rest / scale), size
            direction = rest / scale + size / before * direction
        return of_classes(weights[1:])


def _lines(side: int) -> tuple[Array, int]:
    """The class of two tiles by the rows of their goals and their own, and how many classes there are."""
    number = np.arange(side**4).reshape((side,) * 4)
    least = number
    for one in (number, number[::-1, ::-1, ::-1, ::-1]):
        for order in ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)):
            least = np.minimum(least, one.transpose(order))
    found, inverse = np.unique(least, return_inverse=True)
    return inverse.reshape(number.shape), len(found)


def _excess(databases: TileDatabases, solved: Solved) -> Array:
    return np.array([databases.kernel.value(state) for state, _ in solved])


def main(arguments: list[str]) -> None:
    side, seconds = int(arguments[0]), float(arguments[1]) if arguments[1:] else 600.0
    teacher, solved, random = Teacher(side), Solved(), Random(side)
    for _ in range(2):
        solved += teacher.solved_states(seconds / 2, random)
        packed = compress(teacher.learn(solved).tobytes(), 9)
        WEIGHTS.joinpath(f"pairs-{side}.zlib").write_bytes(packed)
        rankings.kernel_ranking.cache_clear()
        print(f"{len(solved)} states, {teacher.kinds} kinds, {len(packed)} bytes packed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
