"""The kernel and the plain Python A* agree on every count: two implementations that share no code."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import get_args

import pytest

from hstar._kernel import Control, astar
from hstar.heuristics import get_heuristic, named_for
from hstar.puzzles import get_puzzle, make_scramble, puzzle_names
from hstar.schema import TieBreaking
from hstar.search import reference
from tests.conftest import LARGE_CUBES, SEED, TEST_ALL

INSTANCES = 200 if TEST_ALL else 24

#: besides the registered heuristics: real values, which use the heap, and f that falls along a path
EXTRA = {
    "megaminx": ["misplaced_facelets / 15", "misplaced_facelets // 4 if misplaced_pieces > 20 else 0"],
    "8-puzzle": ["manhattan / 3 + 0.1 * inversions", "0 if manhattan < 6 else manhattan + conflicts"],
    "15-puzzle": ["manhattan / 2", "manhattan + linear_conflict"],
}
CASES = [
    (name, text)
    for name in puzzle_names()
    if TEST_ALL or name not in LARGE_CUBES[1:]
    for text in [n.name for n in named_for(get_puzzle(name))]
    + [get_puzzle(name).default_heuristic]
    + EXTRA.get(name, [])
]

#: what both report, beside the path
SHARED = [field.name for field in fields(reference.ReferenceResult) if field.name != "path"]


@pytest.mark.parametrize("tie_breaking", get_args(TieBreaking))
@pytest.mark.parametrize(("name", "text"), CASES)
def test_same_counts(name: str, text: str, tie_breaking: TieBreaking) -> None:
    puzzle = get_puzzle(name)
    heuristic = get_heuristic(text, puzzle)
    random = Random(f"{SEED}|{name}|{text}|{tie_breaking}")
    endings = set()
    for _ in range(INSTANCES):
        moves = random.choice(list(puzzle.move_sets.values()))
        k = random.randint(0, 40 if moves.name == "slide" else 5)
        start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, k, random.getrandbits(60)).alg)
        weight = random.choice([1.0, 1.0, 1.0, 2.0, 1.3])
        # limits keep the Python side affordable, and where a limit ends the search the counts must agree as well
        most = random.randint(0, 120 // len(moves.moves) * 4)
        generated = random.choice([None, None, random.randint(0, 400)])
        expected = reference.astar(
            puzzle,
            start,
            moves.moves,
            heuristic,
            weight=weight,
            tie_breaking=tie_breaking,
            max_expanded=most,
            max_generated=generated,
        )
        outcome = astar(
            puzzle.kernel,
            start,
            [puzzle.moves.index(m) for m in moves.moves],
            heuristic.kernel,
            weight=weight,
            tie_breaking=tie_breaking,
            max_expanded=most,
            max_generated=generated,
            seconds=None,
            memory_bytes=2**28,
            control=Control(),
        )
        assert [puzzle.moves[m] for m in outcome.path] == list(expected.path)
        got = {name: getattr(outcome, name) for name in SHARED}
        assert got == {name: getattr(expected, name) for name in SHARED}, (start, moves.name, weight, most, generated)
        endings.add(expected.status)
    assert "limit_reached" in endings
    assert "solved" in endings
