"""Node counts as signatures: they never change, whatever instructions the machine has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hstar.search import SolveRequest, prepare, solve

#: puzzle, k, seed, moves, heuristic, tie_breaking: expanded, generated, stored, max_open, reopened
SIGNATURES = {
    ("8-puzzle", 60, 1, "slide", "manhattan", "low_h"): (637, 1_722, 1_035, 398, 0),
    ("15-puzzle", 300, 2, "slide", "manhattan", "low_h"): (10_000, 29_528, 18_680, 8_680, 0),
    ("15-puzzle", 300, 2, "slide", "manhattan", "fifo"): (10_000, 29_765, 18_915, 8_915, 0),
    ("15-puzzle", 300, 2, "slide", "manhattan + linear_conflict", "low_h"): (10_000, 29_521, 18_907, 8_907, 0),
    ("tiles:5x5", 60, 1, "slide", "manhattan", "low_h"): (10_000, 33_043, 22_306, 12_306, 0),
    ("megaminx", 30, 1, "ccw", "s1-misplaced-facelets", "low_h"): (10_000, 120_000, 89_121, 79_121, 0),
    ("megaminx", 30, 1, "ccw", "s2-face-distance", "low_h"): (10_000, 120_000, 99_069, 89_069, 0),
    ("megaminx", 30, 1, "all", "misplaced_facelets / 15", "lifo"): (10_000, 480_000, 343_691, 333_691, 0),
    ("master_pyraminx", 6, 1, "layers32", "s4-misplaced-groups", "low_h"): (1_304, 41_728, 28_469, 27_165, 0),
}


def count(puzzle: str, k: int, seed: int, moves: str, heuristic: str, tie_breaking: str) -> tuple[int, ...]:
    """The counters after at most 10,000 expansions."""
    fields = {
        "puzzle": puzzle, "scramble": {"k": k, "seed": seed}, "moves": moves, "heuristic": heuristic,
        "tie_breaking": tie_breaking, "algorithm": "astar", "limits": {"expanded": 10_000},
    }  # fmt: skip
    counters = solve(prepare(SolveRequest.model_validate(fields))).counters
    return counters.expanded, counters.generated, counters.stored, counters.max_open, counters.reopened


@pytest.mark.parametrize("case", SIGNATURES, ids=lambda case: "-".join(map(str, case)))
def test_counts_are_the_signature(case: tuple[str, int, int, str, str, str]) -> None:
    assert count(*case) == SIGNATURES[case]


def test_counts_without_vector_instructions_are_the_same() -> None:
    script = "from tests.search.test_signatures import *; print([count(*case) for case in SIGNATURES])"
    environment = {**os.environ, "HSTAR_INSTRUCTIONS": "portable"}
    root = Path(__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    assert out.stdout.strip() == str(list(SIGNATURES.values()))
