"""Learns how beams over boards rank pairs of tiles: ``python -m tools.tile_pairs [CPU SECONDS A BOARD]``.

A narrow beam solves random walks. States on its way look good without being so; a wider beam solves them, and the
length of its solution is taken for the distance, there and on the way. The weights of pairs are fitted to what a
multiple of the Manhattan distance and of the databases' excess leave over, by least squares with a penalty.

Weights are equal where a symmetry of the square maps offsets to one another, and where the offset at the goal and the
one at hand are exchanged, since a state and its inverse are equally far. Long solutions are left out: they are not
short enough to learn from.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
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
from hstar.search.anytime.rankings import FARTHEST, RANKINGS, kernel_ranking

PAIRS = Path(__file__).parent.parent / "src" / "hstar" / "search" / "anytime" / "pairs.zlib"
#: board, goal, blocks, and the range of the lengths of walks
BOARDS: list[tuple[str, list[int] | None, int, tuple[float, float]]] = [
    ("tiles:5x5", None, 6, (100, 4_000)),
    ("tiles:6x6", None, 5, (400, 4_000)),
]
NARROW, WIDE = 1_000, 4_000
#: states of a narrow beam's way that are solved again, and states taken from the way of each of these solutions
AGAIN, FROM_WAY = 4, 6
#: longer solutions are left out
LONGEST = 100
#: what a move of the Manhattan distance counts, and the penalty on weights
MANHATTAN, PENALTY = 1.3, 30.0
UNIT, MOST = 16, 63

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]


@dataclass
class Samples:
    """Of each state: how often each kind of pair occurs, the Manhattan distance, the excess and the length."""

    pairs: Array
    manhattan: Array
    excess: Array
    length: Array


def classes() -> tuple[Array, int]:
    """The class of the offsets of two tiles, by the offset at the goal and the one at hand, and how many there are."""
    side = 2 * FARTHEST + 1
    offsets = np.stack(np.divmod(np.arange(side**2), side), axis=1) - FARTHEST
    goal, here = np.repeat(offsets, side**2, axis=0), np.tile(offsets, (side**2, 1))

    def number(offset: Array) -> Array:
        return np.asarray((offset + FARTHEST) @ (side, 1))

    images = []
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for turn in (slice(None), slice(None, None, -1)):
            a, b = number((goal * signs)[:, turn]), number((here * signs)[:, turn])
            images += [a * side**2 + b, b * side**2 + a]
    found, by_offsets = np.unique(np.minimum.reduce(images), return_inverse=True)
    return by_offsets.reshape(side**2, side**2), len(found)


def solve(databases: TileDatabases, state: State, width: int, random: Random) -> list[State]:
    """The states of a solution, the goal last; none if the beam finds none."""
    puzzle = databases.puzzle
    ranking = kernel_ranking(puzzle, random.choice(RANKINGS))
    outcome = _kernel.tile_beam(
        databases.kernel, state, ranking=ranking, width=width, longest=4 * puzzle.cells + 200,
        memory_bytes=2**30, control=_kernel.Control(),
    )  # fmt: skip
    states = [state]
    for number in outcome.path if outcome.status == "solved" else ():
        states.append(puzzle.apply_alg(states[-1], [puzzle.moves[number]]))
    return states if states[-1] == puzzle.solved else []


def solved_states(databases: TileDatabases, walks: tuple[float, float], seconds: float) -> Iterator[tuple[State, int]]:
    """States and the lengths of their solutions, until so much processor time has passed."""
    puzzle, random, began = databases.puzzle, Random(databases.identity), process_time()
    while process_time() - began < seconds:
        moves = round(10 ** random.uniform(*np.log10(walks)))
        start = puzzle.solved
        for _ in range(moves):
            start = random.choice(list(puzzle.successors(start, puzzle.moves)))[1]
        way = solve(databases, start, NARROW, random)[:-1]
        for state in random.sample(way, min(AGAIN, len(way))):
            again = solve(databases, state, WIDE, random)
            length = len(again) - 1
            for number in {0, *random.sample(range(max(length, 0)), min(FROM_WAY, max(length, 0)))}:
                if length - number > 0:
                    yield again[number], length - number


def samples(databases: TileDatabases, solved: list[tuple[State, int]], by_offsets: Array, count: int) -> Samples:
    puzzle = databases.puzzle
    rows = np.arange(len(solved))
    cell = np.argsort(np.frombuffer(b"".join(state for state, _ in solved), np.uint8).reshape(len(solved), -1), axis=1)
    place = np.stack(np.divmod(cell, puzzle.columns), axis=2)
    home = np.stack(np.divmod([puzzle.home[tile] for tile in range(puzzle.cells)], puzzle.columns), axis=1)

    def number(offset: Array) -> Array:
        return np.asarray((offset + FARTHEST) @ (2 * FARTHEST + 1, 1))

    pairs = np.zeros((len(solved), count), np.float32)
    for a, b in combinations(range(1, puzzle.cells), 2):
        kind = by_offsets[number(home[b] - home[a]), number(place[:, b] - place[:, a])]
        pairs[rows, kind] += 1
    manhattan = np.abs(place - home)[:, 1:].sum(axis=(1, 2))
    value = np.array([databases.kernel.value(state) for state, _ in solved])
    return Samples(pairs, manhattan, value - manhattan, np.array([length for _, length in solved]))


def fit(boards: list[Samples], by_offsets: Array) -> Array:
    """The weights in moves, by the offset at the goal and the one at hand."""
    known = [np.zeros((len(own.length), 2 * len(boards))) for own in boards]
    for number, (own, columns) in enumerate(zip(boards, known, strict=True)):
        columns[:, 2 * number], columns[:, 2 * number + 1] = 1, own.excess
    left = np.concatenate([own.length - MANHATTAN * own.manhattan for own in boards])
    inputs = np.hstack([np.vstack(known), np.vstack([own.pairs for own in boards])])
    trust = 1 / (np.concatenate([own.length for own in boards]) + 20)  # far states are less certain
    penalty = np.full(inputs.shape[1], PENALTY)
    penalty[: 2 * len(boards)] = 1e-6
    weights = np.linalg.solve((inputs.T * trust) @ inputs + np.diag(penalty), inputs.T @ (trust * left))
    return np.asarray(weights[2 * len(boards) :][by_offsets])


def main(arguments: list[str]) -> None:
    seconds = float(arguments[0]) if arguments else 150.0
    by_offsets, count = classes()
    boards = []
    for name, goal, size, walks in BOARDS:
        puzzle = get_puzzle(name, goal)
        assert isinstance(puzzle, SlidingTiles)
        databases = tile_databases(puzzle, f"blocks:{size}")
        databases.load()
        solved = [one for one in solved_states(databases, walks, seconds) if one[1] < LONGEST]
        boards.append(samples(databases, solved, by_offsets, count))
        print(f"{name}: {len(solved)} states", flush=True)
    weights = np.clip(np.rint(UNIT * fit(boards, by_offsets)), -MOST, MOST).astype(np.int8)
    packed = compress(weights.tobytes(), 9)
    PAIRS.write_bytes(packed)
    print(f"{weights.size} weights of {count} kinds, {len(packed)} bytes packed")


if __name__ == "__main__":
    main(sys.argv[1:])
