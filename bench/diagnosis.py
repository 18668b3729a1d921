"""The time to find all faults of an impossible state, and its smallest repair.

    python -m bench.diagnosis [COUNT]

COUNT random corruptions (1000) of each built-in puzzle: one or two pieces turned, swapped or duplicated. Times are CPU
milliseconds of `Puzzle.parse_state`, without the first call for each puzzle, which computes the puzzle's group.
"""

from __future__ import annotations

import sys
import time
from random import Random

from hstar.errors import InvalidState
from hstar.puzzles import get_puzzle, puzzle_names, random_state
from hstar.puzzles.permutation import PermutationPuzzle


def corrupted(puzzle: PermutationPuzzle, state: bytes, random: Random) -> bytes:
    """The state with one or two pieces changed."""
    after = bytearray(state)
    for _ in range(random.randrange(1, 3)):
        orbit = random.choice([own for own in puzzle.orbits if own.pieces > 1])
        one, two = random.sample(list(orbit.slots), 2)
        kind = random.choice(["turn", "swap", "double"])
        if kind == "turn":
            piece, turned = divmod(after[one], orbit.orientations)
            after[one] = piece * orbit.orientations + (turned + 1) % orbit.orientations
        elif kind == "swap":
            after[one], after[two] = after[two], after[one]
        else:
            after[one] = after[two]
    return bytes(after)


def main(count: int) -> None:
    """Measure and print a line for each puzzle."""
    for name in puzzle_names():
        puzzle, random, times, repaired = get_puzzle(name), Random(0), [], 0
        if not isinstance(puzzle, PermutationPuzzle):
            continue
        states = [corrupted(puzzle, random_state(puzzle, number), random) for number in range(count)]
        for state in states:
            value = {"pieces": puzzle.format_pieces(state)}
            began = time.process_time()
            try:
                puzzle.parse_state(value)
            except InvalidState as error:
                times.append(1000 * (time.process_time() - began))
                repaired += any(fault.where == "repair" for fault in error.faults)
        times = sorted(times[1:])
        print(
            f"{name:16} {len(times)} of {count} refused, {repaired} with a repair; "
            f"median {times[len(times) // 2]:.2f} ms, largest {times[-1]:.2f} ms"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
