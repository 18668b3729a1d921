"""The row of impossible states: the time to find all faults of one, and its smallest repair."""

from __future__ import annotations

import time
from functools import partial
from multiprocessing import get_context
from random import Random

from bench.rows import Figure, Measured, Scale, row
from hstar.errors import InvalidState
from hstar.puzzles import get_puzzle, puzzle_names, random_state
from hstar.puzzles.permutation import PermutationPuzzle

#: milliseconds for one state
AIM = 50
#: what is done to a piece
KINDS = ("turn", "swap", "double")


def changed(puzzle: PermutationPuzzle, state: bytes, kind: str, random: Random) -> bytes:
    """The state with a piece of any orbit turned, swapped with another, or doubled."""
    after = bytearray(state)
    fitting = [own for own in puzzle.orbits if own.pieces > 1 and (kind != "turn" or own.orientations > 1)]
    orbit = random.choice(fitting)
    one, two = random.sample(list(orbit.slots), 2)
    if kind == "turn":
        piece, turned = divmod(after[one], orbit.orientations)
        after[one] = piece * orbit.orientations + (turned + 1) % orbit.orientations
    elif kind == "swap":
        after[one], after[two] = after[two], after[one]
    else:
        after[one] = after[two]
    return bytes(after)


def diagnosed(puzzle: PermutationPuzzle, state: bytes) -> tuple[float, bool]:
    """CPU milliseconds of reading a state, and whether it was refused."""
    value = {"pieces": puzzle.format_pieces(state)}
    began, refused = time.process_time(), False
    try:
        puzzle.parse_state(value)
    except InvalidState:
        refused = True
    return 1000 * (time.process_time() - began), refused


def first(name: str, kind: str) -> float:
    """CPU milliseconds of the first diagnosis in this process."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return diagnosed(puzzle, changed(puzzle, random_state_by_moves(puzzle), kind, Random(kind)))[0]


def random_state_by_moves(puzzle: PermutationPuzzle) -> bytes:
    """A state after 100 random moves; a uniformly random one would compute the puzzle's group before."""
    random = Random(0)
    return puzzle.apply_alg(puzzle.solved, [random.choice(puzzle.moves) for _ in range(100)])


@row("diagnosis", "All faults of an impossible state, and its smallest repair, for each built-in puzzle")
def diagnosis(scale: Scale) -> Measured:
    """CPU time: the first state of each kind in a new process, and the slowest of 1,000 others. A change that moves
    could have made is no fault, and is not counted."""
    figures, refused = [], 0
    for name in puzzle_names():
        puzzle, random, times = get_puzzle(name), Random(0), []
        if not isinstance(puzzle, PermutationPuzzle):
            continue
        for number in range(scale.pick(1000, 10)):
            state = random_state(puzzle, number)
            for _ in range(random.randrange(1, 3)):
                state = changed(puzzle, state, random.choice(KINDS), random)
            took, faulty = diagnosed(puzzle, state)
            times += [took] if faulty else []
        refused += len(times)
        with get_context("spawn").Pool(1, maxtasksperchild=1) as processes:
            firsts = processes.map(partial(first, name), KINDS, chunksize=1)
        figures += [
            Figure(f"{name}, slowest", "ms", (max(times[1:]),), aim=AIM, sample="state"),
            Figure(f"{name}, slowest of the first in a process", "ms", (max(firsts),), aim=AIM, sample="process"),
        ]
    return Measured(tuple(figures), counts={"refused": refused})
