"""Definitions that are as large as is let in, or far larger, cost a bounded time and memory, and get a clear answer.

A process of its own reads them, which the system ends when it takes more: processor time, so that a busy machine makes
no difference, and address space.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.conftest import TEST_ALL

SEED = 20_261_122
#: for all definitions of a run together, and a process that has read nothing takes 0.3 GiB and a second
CPU_SECONDS, MEMORY_BYTES = 80, 3 * 2**30

READER = """
import json, resource, sys, time
cpu, memory = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
from hstar.errors import HstarError
from hstar.puzzles import puzzle_from_definition, random_state
from hstar.puzzles.formats import read_any_definition
for line in sys.stdin:
    began = time.process_time()
    try:
        puzzle = puzzle_from_definition(read_any_definition(json.loads(line), "hostile"))
        puzzle.describe()
        if puzzle.all_different:
            assert puzzle.parse_state(puzzle.format_state(random_state(puzzle, 1)))
        ended = f"read {puzzle.state_count}"
    except HstarError as error:
        ended = f"refused {error.faults[0].message if error.faults else error.message}"
    print(json.dumps([ended[:200], time.process_time() - began]), flush=True)
"""


def permutation(random: Random, count: int) -> list[int]:
    return random.sample(range(count), count)


def orbits(random: Random, sizes: list[tuple[int, int]], moves: int) -> dict[str, Any]:
    """A KPuzzle of such orbits (pieces, orientations), with random moves."""
    names = [f"O{number}" for number in range(len(sizes))]
    return {
        "name": "hostile",
        "orbits": [
            {"orbitName": name, "numPieces": pieces, "numOrientations": turned}
            for name, (pieces, turned) in zip(names, sizes, strict=True)
        ],
        "defaultPattern": {
            name: {"pieces": list(range(pieces)), "orientation": [0] * pieces}
            for name, (pieces, _) in zip(names, sizes, strict=True)
        },
        "moves": {
            f"m{number}x": {
                name: {
                    "permutation": permutation(random, pieces),
                    "orientationDelta": [random.randrange(turned) for _ in range(pieces)],
                }
                for name, (pieces, turned) in zip(names, sizes, strict=True)
            }
            for number in range(moves)
        },
    }


def swaps(count: int) -> dict[str, list[int]]:
    """As many swaps as fit, of which any two commute: the group has 2 to the power of them elements."""
    moves = {}
    for number in range(count):
        images = list(range(2 * count))
        images[2 * number], images[2 * number + 1] = 2 * number + 1, 2 * number
        moves[f"s{number}x"] = images
    return moves


def hostile(random: Random, count: int) -> Iterator[object]:
    yield orbits(random, [(170, 3)], 4)
    yield orbits(random, [(512, 1)], 60)
    yield orbits(random, [(16, 1)] * 32, 20)
    yield orbits(random, [(2, 256)], 20)
    yield orbits(random, [(1, 512)], 3)
    yield {f"g{number}x": permutation(random, 512) for number in range(120)}
    yield swaps(64)
    yield swaps(120)
    yield swaps(256)
    # Cycles of different primes: the order of the move is their product.
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]
    cycles: list[int] = []
    for prime in primes:
        first = len(cycles)
        cycles += [first + (place + 1) % prime for place in range(prime)]
    yield {"L": cycles, "X": [1, 0, *range(2, len(cycles))]}
    yield {"L": [*range(1, 100_000), 0]}
    yield orbits(random, [(3, 3)], 2) | {
        "orbits": [{"orbitName": "O0", "numPieces": 10**12, "numOrientations": 10**12}]
    }
    yield orbits(random, [(3, 3)], 2) | {"derivedMoves": {f"d{n}x": f"(d{n + 1}x)999" for n in range(190)}}
    yield "[" * 100_000
    yield "(" + ",".join(map(str, range(1, 200_000))) + ")"
    yield "Name x\n" + "Set A 512 512\n" * 1000
    for _ in range(count):
        sizes: list[tuple[int, int]] = []
        left = random.choice([60, 200, 512, 600])
        while left > 0 and len(sizes) < 34:
            turned = random.choice([1, 1, 2, 3, 5, 12])
            pieces = random.randrange(1, 1 + max(1, left // turned))
            sizes.append((pieces, turned))
            left -= pieces * turned
        yield orbits(random, sizes, random.choice([1, 2, 6, 30]))


@pytest.mark.parametrize("number", range(20 if TEST_ALL else 1))
def test_time_and_memory_are_bounded(number: int) -> None:
    given = list(hostile(Random(SEED + number), 60 if TEST_ALL else 4))
    text = "".join(json.dumps(value) + "\n" for value in given)
    command = [sys.executable, "-c", READER, str(CPU_SECONDS), str(MEMORY_BYTES)]
    ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    reached = f"definition {len(answers)} of {len(given)}: {str(given[min(len(answers), len(given) - 1)])[:300]}"
    assert ended.returncode == 0, f"{reached}\n{ended.stderr[-2000:]}"
    assert len(answers) == len(given)
    assert {answer.split()[0] for answer, _ in answers} == {"read", "refused"}
    # The least of bounds: none takes more than its share of the processor time of all.
    slowest = max(range(len(given)), key=lambda i: answers[i][1])
    assert answers[slowest][1] < CPU_SECONDS / 4, (answers[slowest], str(given[slowest])[:300])
