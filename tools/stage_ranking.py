"""Learns the ranking of a stage of beams: ``python -m tools.stage_ranking [ROUNDS] [CPU SECONDS OF EACH]``.

It is learned *where beams choose*. A beam brings the first pieces home, from many random states at once in which those
of the stage before are home. Narrower ones do worse, from the same states or from one on its way: states of their
layers are compared with that of the way at the same depth, which they should have kept. A network is fitted to rank the
latter first, beside the triples, by logistic regression on comparisons. It begins with the shipped weights; the beams
of each round have those of the round before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from math import inf
from random import Random
from time import process_time
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime import learned
from hstar.search.anytime.chains import chains_of

#: puzzle, moves, the pieces of the stage, and those of the stage before it
NAME, MOVES, PIECES, AFTER = "megaminx", "single", 28, 10
#: the states that beams begin with, at most, and their moves
STARTS, LONGEST = 2_000, 52
#: the widths of the beams that solve, and of narrower ones; how many of these, and states of each layer that are taken
WIDTH, NARROW, NARROWER, OF_LAYER = 1_000, (30, 300), 4, 6
#: comparisons of so many rounds are learned from, each of them twice while they are few
KEPT, VISITS = 20, 300_000
#: a square of the distance of a triple, in moves; what estimates that are wrong by a move count beside comparisons
SQUARE, WRONG = 2 / 128, 0.03
#: of Adam (Kingma and Ba 2014)
BATCH, STEP = 500, 7e-4
#: what weights are multiplied by meanwhile, so that they are about 1
SCALE = 0.01

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]


@dataclass
class Comparisons:
    """Places of pieces in rows: of states on the way, and of those that beams met at the same depth; what triples count
    in each; and how many moves were left."""

    good: Array
    other: Array
    of_good: Array
    of_other: Array
    left: Array


class Teacher:
    def __init__(self, random: Random) -> None:
        puzzle = get_puzzle(NAME)
        assert isinstance(puzzle, PermutationPuzzle)
        chains, self.control = chains_of(puzzle, puzzle.move_set(MOVES)), _kernel.Control()
        triples, ranking = chains.triples(self.control), chains.ranking
        shipped = learned.read(f"{NAME}-{MOVES}.zlib")
        assert triples is not None
        assert ranking is not None
        assert shipped is not None
        self.triples, self.ranking = triples, ranking
        self.generators, self.base = chains.generators, np.array(chains.order[0][:PIECES])
        solved = self.base[:AFTER]
        self.free = [m for m, turn in enumerate(self.generators) if (turn[solved] == solved).all()]
        self.random, self.rng = random, np.random.default_rng(1)
        self.mixed = np.tile(np.arange(self.generators.shape[1], dtype=np.uint16), (STARTS, 1))
        self._mix(400)
        # By piece and place: the number of the network's input; -1 where the piece is never.
        self.possible = np.zeros((PIECES, self.generators.shape[1]), bool)
        self.possible[np.arange(PIECES), self.base] = True
        for _ in range(self.generators.shape[1]):
            for turn in self.generators:
                self.possible[:, turn] |= self.possible
        self.input = np.where(self.possible, np.cumsum(self.possible).reshape(self.possible.shape) - 1, -1)
        self.parts = [
            SCALE * shipped.weights[self.possible].astype(np.float32),
            SCALE * np.array(shipped.first, np.float32),
            np.array(shipped.counts, np.float32) / 2**16 / SCALE,
        ]

    def _mix(self, moves: int) -> None:
        for _ in range(moves):
            turns = self.rng.choice(self.free, STARTS)
            self.mixed = self.generators[turns[:, None], self.mixed]

    def _beam(self, starts: Array, width: int, longest: int) -> tuple[bytes, list[int], bytes]:
        rows = np.ascontiguousarray(np.atleast_2d(starts), np.uint16)
        return self.triples.samples(self.ranking, rows, width, longest, OF_LAYER, self.control)

    def _states(self, start: Array, moves: Iterable[int]) -> Array:
        states = [start]
        for move in moves:
            states.append(self.generators[move][states[-1]])
        return np.stack(states)

    def compared(self, seconds: float) -> Comparisons:
        """Until so much processor time has passed."""
        began, lengths, tried = process_time(), list[int](), 0
        found: list[tuple[Array, Array, Array]] = []
        while process_time() - began < seconds:
            tried += 1
            self._mix(60)
            starts = self.mixed[self.rng.permutation(STARTS)[: round(10 ** self.random.uniform(0, np.log10(STARTS)))]]
            if moves := self._beam(starts, WIDTH, LONGEST)[0]:
                images = self._states(np.arange(len(self.mixed[0])), moves)[-1]
                start = starts[(images[starts[:, self.base]] == self.base).all(axis=1).argmax()]
                way = self._states(start, self._beam(start, WIDTH, len(moves) - 1)[0] or moves)
                lengths.append(len(way) - 1)
                for number in range(NARROWER):
                    found += self._met(way, starts if number % 2 == 0 else None)
        good, other, left = (np.concatenate(part) for part in zip(*found, strict=True))
        of_good, of_other = (SQUARE * np.array(self.triples.distances(places)) for places in (good, other))
        print(f"{len(lengths)} of {tried} solved in {np.mean(lengths):.2f} moves", flush=True)
        return Comparisons(good, other, of_good, of_other, left)

    def _met(self, way: Array, starts: Array | None) -> list[tuple[Array, Array, Array]]:
        """Of a narrower beam, from the start of the way and others, or from a state on the way."""
        width = round(10 ** self.random.uniform(*np.log10(NARROW)))
        begin = 0 if starts is not None else self.random.randrange(len(way) - 4)
        length = len(way) - 1 - begin
        first = way[begin] if starts is None else np.concatenate([starts[: 4 * width], way[:1]])
        moves, depths, places = self._beam(first, width, length)
        if moves:
            return []
        depth = np.array(depths)
        other = np.frombuffer(places, np.uint16).reshape(len(depth), -1)[depth < length, :PIECES]
        depth = depth[depth < length]
        good = way[begin + depth][:, self.base].astype(np.uint16)
        differ = (good != other).any(axis=1)
        return [(good[differ], other[differ], length - depth[differ])]

    def _inputs(self, places: Array) -> Array:
        inputs = np.zeros((len(places), len(self.parts[0])), np.float32)
        inputs[np.arange(len(places))[:, None], self.input[np.arange(PIECES), places]] = 1
        return inputs

    def learn(self, found: list[Comparisons]) -> None:
        every = Comparisons(*(np.concatenate(part) for part in zip(*map(astuple, found), strict=True)))
        count = len(every.left)
        orders = [self.rng.permutation(count) for _ in range(max(1, min(2, round(VISITS / count))))]
        batches = [batch for order in orders for batch in np.array_split(order, max(1, count // BATCH))]
        mean, square = ([np.zeros_like(part) for part in self.parts] for _ in range(2))
        for step, batch in enumerate(batches, 1):
            slopes = self._slopes(Comparisons(*(part[batch] for part in astuple(every))))
            rate = STEP * (1 - step / (len(batches) + 1)) * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for part, slope, m, q in zip(self.parts, slopes, mean, square, strict=True):
                m += 0.1 * (slope - m)
                q += 0.001 * (slope * slope - q)
                part -= (rate * m / (np.sqrt(q) + 1e-8)).astype(np.float32)

    def _slopes(self, these: Comparisons) -> list[Array]:
        weights, first, counts = self.parts
        count = len(these.left)
        inputs = self._inputs(np.concatenate([these.good, these.other]))
        sums = inputs @ weights + first
        units = np.maximum(sums, 0)
        good, other = np.split(units @ counts, 2)
        pull = 1 / (1 + np.exp(np.minimum(these.of_other + other - these.of_good - good, 50)))
        wrong = good + these.of_good - these.left
        slope = np.concatenate([pull + WRONG * (wrong - wrong.mean()), -pull]).astype(np.float32) / count
        back = slope[:, None] * counts * (sums > 0)
        return [inputs.T @ back, back.sum(axis=0), units.T @ slope]

    def rounded(self) -> learned.Learned:
        """Weights as bytes: those of a piece are moved so that the largest of a unit is as far from 0 as the smallest.
        The estimate is 0 where all are home."""
        of_all, first, counts = self.parts
        at_home = np.maximum(self._inputs(self.base[None]) @ of_all + first, 0) @ counts
        weights = np.zeros((*self.possible.shape, learned.UNITS))
        weights[self.possible] = of_all
        possible = self.possible[:, :, None]
        middle = (np.where(possible, weights, -inf).max(axis=1) + np.where(possible, weights, inf).min(axis=1)) / 2
        weights = np.where(possible, weights - middle[:, None], 0)
        scale = np.maximum(np.abs(weights).max(axis=(0, 1)), 1e-9) / 127
        return learned.Learned(
            np.rint(weights / scale).astype(np.int8),
            np.rint((first + middle.sum(axis=0)) / scale).astype(int).tolist(),
            np.rint(counts * scale * 2**16).astype(int).tolist(),
            -round(float(at_home[0]) * 2**16),
            AFTER,
        )


def main(arguments: list[str]) -> None:
    rounds, seconds = [*map(int, arguments), *(10, 30)[len(arguments) :]]
    teacher, found = Teacher(Random(11)), list[Comparisons]()
    places = np.arange(teacher.possible.shape[1])
    for _ in range(rounds):
        found = [*found[1 - KEPT :], teacher.compared(seconds)]
        teacher.learn(found)
        made = teacher.rounded()
        teacher.ranking = made.ranking(np.where(teacher.possible, places, -1))
        packed = learned.packed(made)
        learned.weights_file(f"{NAME}-{MOVES}.zlib").write_bytes(packed)
        print(f"{len(found[-1].left)} comparisons, {len(packed)} bytes packed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
