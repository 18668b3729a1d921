"""The memory limit bounds the process, not only one search after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
