"""Every algorithm of the kernel has the same counts as its plain Python twin, which shares no code with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from random import Random
from typing import Any, get_args

import pytest

from hstar import _kernel
from hstar.features import feature_docs
from hstar.heuristics import Heuristic, get_heuristic
from hstar.puzzles import MoveSet, Puzzle, get_puzzle, make_scramble, puzzle_names
from hstar.schema import TieBreaking
from hstar.search import reference, reference_graph, reference_tree
from tests.conftest import LARGE_CUBES, SEED, TEST_ALL

BOARDS = ["tiles:1x4", "tiles:2x3", "tiles:3x6"]  # one cell more than fits into 64 bits
PUZZLES = [*(name for name in puzzle_names() if TEST_ALL or name not in (*LARGE_CUBES[1:], "clock")), *BOARDS]


def count(puzzle: Puzzle) -> int:
    """The number of instances: more of the smallest boards, which take no time and seldom reach a limit."""
    return 200 if TEST_ALL or puzzle.name in BOARDS else 50


#: a sum over slots, one that is not, and real values
EXTRA = {
    "megaminx": ["s1-misplaced-facelets", "misplaced_facelets / 15"],
    "master_pyraminx": ["s3-faces-out-of-place", "s4-misplaced-groups"],
}
TILES = ["manhattan", "manhattan / 3 + 0.1 * inversions", "s5-misplaced-cells", "zero"]
#: the features of each puzzle
TOLD = {name: feature_docs(get_puzzle(name)) for name in PUZZLES}
CASES = [
    (name, text)
    for name in PUZZLES
    for text in [get_puzzle(name).default_heuristic, *EXTRA.get(name, TILES if "manhattan" in TOLD[name] else ["zero"])]
]
SHARED = [field.name for field in fields(reference.ReferenceResult) if field.name != "path"]

Kernel = Callable[..., _kernel.Outcome]
Reference = Callable[..., reference.ReferenceResult]


def compare(
    puzzle: Puzzle,
    kernel: Kernel,
    plain: Reference,
    random: Random,
    heuristic: Heuristic | None,
    options: Callable[[], dict[str, Any]],
) -> set[str]:
    """Run both on random instances; returns how the searches ended."""
    endings: set[str] = set()
    for _ in range(count(puzzle)):
        moves, start = instance(puzzle, random)
        given = options() | {
            # limits keep the Python side affordable, and where a limit ends the search the counts must agree as well
            "max_expanded": random.randint(0, 150 // len(moves.moves) * 4),
            "max_generated": random.choice([None, None, random.randint(0, 500)]),
        }
        numbers = [puzzle.moves.index(m) for m in moves.moves]
        evaluate = [] if heuristic is None else [heuristic]
        expected = plain(puzzle, start, moves.moves, *evaluate, **given)
        outcome = kernel(
            puzzle.kernel,
            start,
            numbers,
            *(h.kernel for h in evaluate),
            **given,
            memory_bytes=2**28,
            control=_kernel.Control(),
        )
        assert [puzzle.moves[m] for m in outcome.path] == list(expected.path), (start, moves.name, given)
        got = {name: getattr(outcome, name) for name in SHARED}
        assert got == {name: getattr(expected, name) for name in SHARED}, (start, moves.name, given)
        assert puzzle.apply_alg(start, expected.path) == (puzzle.solved if expected.status == "solved" else start)
        endings.add(expected.status)
    return endings


def instance(puzzle: Puzzle, random: Random) -> tuple[MoveSet, bytes]:
    """A move set, in its own or another order, and a state near the goal."""
    moves = random.choice(list(puzzle.move_sets.values()))
    other = Random(moves.name).sample(moves.moves, len(moves.moves))
    shuffled = MoveSet(moves.name, random.choice([moves.moves, tuple(other)]), "")
    k = random.randint(0, 30 if moves.name == "slide" else 4)
    return shuffled, puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, k, random.getrandbits(60)).alg)


@pytest.mark.parametrize(("name", "text"), CASES)
def test_ida_star(name: str, text: str) -> None:
    puzzle = get_puzzle(name)
    random = Random(f"{SEED}|ida_star|{name}|{text}")
    options = lambda: {  # noqa: E731
        "weight": random.choice([1.0, 1.0, 1.0, 2.0, 1.3]),
        "pruning": random.choice(get_args(reference_tree.Pruning)),
    }
    endings = compare(puzzle, _kernel.ida_star, reference_tree.ida_star, random, get_heuristic(text, puzzle), options)
    assert endings >= {"solved", "limit_reached"}


@pytest.mark.parametrize(("name", "text"), CASES)
def test_greedy(name: str, text: str) -> None:
    puzzle = get_puzzle(name)
    random = Random(f"{SEED}|greedy|{name}|{text}")
    options = lambda: {"tie_breaking": random.choice([tie for tie in get_args(TieBreaking) if tie != "batch"])}  # noqa: E731
    endings = compare(puzzle, _kernel.greedy, reference_graph.greedy, random, get_heuristic(text, puzzle), options)
    assert endings >= {"solved", "limit_reached"}


@pytest.mark.parametrize("algorithm", ["breadth_first", "bidirectional"])
@pytest.mark.parametrize("name", PUZZLES)
def test_blind(name: str, algorithm: str) -> None:
    kernel, plain = getattr(_kernel, algorithm), getattr(reference_graph, algorithm)
    endings = compare(get_puzzle(name), kernel, plain, Random(f"{SEED}|{algorithm}|{name}"), None, dict)
    assert endings >= {"solved", "limit_reached"}


@pytest.mark.parametrize("name", PUZZLES)
def test_breadth_first_is_uniform_cost_search(name: str) -> None:
    """It has the counts of A* with h = 0 and fifo, but evaluates nothing."""
    puzzle = get_puzzle(name)
    random = Random(f"{SEED}|uniform|{name}")
    for _ in range(50):
        moves, start = instance(puzzle, random)
        limit = random.randint(0, 300)
        zero = get_heuristic("zero", puzzle)
        expected = reference.astar(puzzle, start, moves.moves, zero, tie_breaking="fifo", max_expanded=limit)
        numbers = [puzzle.moves.index(m) for m in moves.moves]
        control = _kernel.Control()
        outcome = _kernel.breadth_first(
            puzzle.kernel, start, numbers, max_expanded=limit, memory_bytes=2**26, control=control
        )
        for field in SHARED:
            assert getattr(outcome, field) == (0 if field == "evaluated" else getattr(expected, field)), field
        assert [puzzle.moves[m] for m in outcome.path] == list(expected.path)
