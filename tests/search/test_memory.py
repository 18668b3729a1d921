"""The memory limit bounds the process, not only one search after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TEST_ALL

ROOT = Path(__file__).resolve().parents[2]
LIMIT_MIB = 64
# Besides the limit: tables of heuristics and puzzles, which are made once, and the allocator's overhead.
SPARE_MIB = 48

SOLVES = """
import sys
from bench.holding import mixed_solves, resident_bytes
count, limit = map(int, sys.argv[1:])
for _ in mixed_solves(60, 1, seed=2):  # imports and tables
    pass
print(resident_bytes())
for resident in mixed_solves(count, limit):
    print(resident)
"""


def test_many_solves_of_all_kinds_keep_one_process_under_the_limit() -> None:
    count = 10_000 if TEST_ALL else 300
    done = subprocess.run(
        [sys.executable, "-c", SOLVES, str(count), str(LIMIT_MIB)],
        cwd=ROOT, capture_output=True, text=True, timeout=1500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, *held = [int(line) / 2**20 for line in done.stdout.split()]
    assert len(held) == count
    assert max(held) - before <= LIMIT_MIB + SPARE_MIB
    # No growth: it takes no more at the end than at the start.
    assert max(held[-count // 5 :]) <= max(held[: count // 2]) + 8


def test_a_smaller_limit_gives_back_what_a_larger_one_took() -> None:
    program = """
from bench.holding import mixed_solves, resident_bytes
for _ in mixed_solves(60, 1, seed=2):
    pass
print(resident_bytes(), max(mixed_solves(20, 256)), min(mixed_solves(20, 8, seed=3)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    before, large, small = [int(word) / 2**20 for word in done.stdout.split()]
    assert large - before > 100
    assert small - before < 8 + SPARE_MIB


HOLDS = """
from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.search.anytime.chains import chains_of

def most_resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024

puzzle = get_puzzle("3x3x3")
chains = chains_of(puzzle, puzzle.move_set("single"))
base, control = chains.order[0], _kernel.Control()
chain = chains.quick(control)
state = puzzle.solved
for number in range(100):
    state = puzzle.apply(state, chains.names[7 * number * number % len(chains.names)])
element = chains.puzzle.permutation_of(state)
board = _kernel.SlidingTiles(4, 4, bytes(range(16)))
pattern = _kernel.TilePattern(board, [1, 2, 3])
_, table, _ = _kernel.build_tile_database(pattern, threads=1, progress=control)
tiles = _kernel.TileHeuristic(board, [_kernel.TileDatabase(pattern, table)], [])

def perimeter(memory):
    return _kernel.Perimeter(
        chains.generators, base, 0, list(range(len(chains.names))), 1_000_000, 1e9, control, memory_bytes=memory
    )

def descent(memory):
    return chain.descend(element, 30_000, 0.25, control=control, memory_bytes=memory or 2**40)

def beam(memory):
    return _kernel.tile_beam(
        tiles, bytes([0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1, 2]), width=150_000, max_expanded=1_500_000,
        memory_bytes=memory or 2**40, threads=2, control=control,
    )

before = most_resident()
made = WHAT(None)
print(before, made.peak_bytes, most_resident())
less = made.peak_bytes // 2
print(less, WHAT(less).peak_bytes)
"""


@pytest.mark.parametrize("what", ["perimeter", "descent", "beam"])
def test_what_is_said_to_be_held_is_what_the_system_sees(what: str) -> None:
    """Of what lies on the common heap. Growing arrays are copied, for which there is a third more for a moment."""
    done = subprocess.run(
        [sys.executable, "-c", HOLDS.replace("WHAT", what)],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, said, after, limit, held = map(int, done.stdout.split())
    assert said > 2**23  # enough to be seen
    assert after - before < 4 / 3 * said + 2**23
    assert after - before > said / 2
    assert held <= limit
