"""Learns the ranking of a stage of beams: ``python -m tools.stage_ranking [ROUNDS] [SOLUTIONS]``.

Random states are solved by narrow beams in stages. `native/bench/learn_stage.cpp` learns from these solutions how far
the first pieces are from home, and makes the solutions shorter meanwhile. The weights are rounded to bytes here.
"""

from __future__ import annotations

import subprocess
import sys
from math import inf
from random import Random

import numpy as np

from bench.native import program
from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime import learned
from hstar.search.anytime.chains import Chains, chains_of

#: puzzle, moves, the pieces of the stage, and those of the stage before it
SHIPPED = ("megaminx", "single", 28, 15)
#: of the beams whose solutions are the first ones
WIDTH, OUTLOOK = 300, 0.25


def solutions(chains: Chains, pieces: int, count: int) -> list[str]:
    """A line for each: where the pieces are, the length and the moves."""
    control, random, lines = _kernel.Control(), Random(11), list[str]()
    chain, triples = chains.shipped, chains.triples(control)
    assert chain is not None
    assert triples is not None
    base = chains.order[0][:pieces]
    for _ in range(count):
        element = chains.puzzle.permutation_of(chains.puzzle.random_state(random.randrange, chains.moves))
        way = chain.descend(element, WIDTH, OUTLOOK, inf, control, triples=triples, stages=chains.stages()[1:])
        images, moves = np.array(element), list[int]()
        while (images[base] != base).any():
            moves.append(way.moves[len(moves)])
            images = chains.generators[moves[-1]][images]
        lines.append(" ".join(map(str, [*(element[place] for place in base), len(moves), *moves])))
    return lines


def rounded(numbers: np.ndarray[tuple[int, ...], np.dtype[np.float64]], pieces: int, after: int) -> learned.Learned:
    """Weights as bytes: those of a piece are moved so that the largest of a unit is as far from 0 as the smallest."""
    of_all, first, counts, constant = np.split(numbers, numbers.size - 1 - learned.UNITS * np.array([2, 1, 0]))
    weights = of_all.reshape(pieces, -1, learned.UNITS)
    middle = (weights.max(axis=1) + weights.min(axis=1)) / 2
    weights = weights - middle[:, None]
    scale = np.maximum(np.abs(weights).max(axis=(0, 1)), 1e-9) / 127
    return learned.Learned(
        np.rint(weights / scale).astype(np.int8),
        np.rint((first + middle.sum(axis=0)) / scale).astype(int).tolist(),
        np.rint(counts * scale * 2**16).astype(int).tolist(),
        round(float(constant[0]) * 2**16),
        after,
    )


def main(wanted: list[str]) -> None:
    rounds, count = [*map(int, wanted), *(250, 500)[len(wanted) :]]
    name, moves, pieces, after = SHIPPED
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    chains = chains_of(puzzle, puzzle.move_set(moves))
    rows = [" ".join(map(str, row)) for row in [*chains.generators.tolist(), chains.order[0][:pieces]]]
    sizes = f"{len(chains.generators)} {chains.generators.shape[1]} {pieces}"
    text = "\n".join([sizes, *rows, str(count), *solutions(chains, pieces, count)])
    done = subprocess.run(
        [program("hstar_learn_stage"), str(rounds)], input=text, stdout=subprocess.PIPE, text=True, check=True
    )
    found = learned.packed(rounded(np.array(done.stdout.split(), float), pieces, after))
    learned.weights_file(f"{name}-{moves}.zlib").write_bytes(found)
    print(f"{name} {moves}: {len(found)} bytes", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
