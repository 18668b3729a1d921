"""Counts under other conventions: the service's agree with a slow reference, and honest students' are recognised."""

from __future__ import annotations

import heapq
from typing import Literal

import pytest

from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble
from hstar.search.reference import astar
from hstar.verification import VerificationRequest, verify
from hstar.verification.conventions import Graph, run

CASES = [("8-puzzle", "slide", "manhattan", 12), ("8-puzzle", "slide", "s5-conflicts-inversions", 8),
         ("megaminx", "ccw", "s1-misplaced-facelets", 4), ("megaminx", "ccw", "s2-face-distance", 5)]  # fmt: skip


@pytest.mark.parametrize(("name", "moves", "text", "k"), CASES)
@pytest.mark.parametrize("ties", ["low_h", "lifo", "fifo"])
def test_the_services_own_conventions_agree_with_the_reference(
    name: str, moves: str, text: str, k: int, ties: Literal["low_h", "lifo", "fifo"]
) -> None:
    puzzle = get_puzzle(name)
    move_set = puzzle.move_set(moves)
    h = get_heuristic(text, puzzle, move_set)
    for seed in range(3):
        start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, k, seed).alg)
        expected = astar(puzzle, start, move_set.moves, h, tie_breaking=ties)
        found = run(Graph(puzzle, move_set, h), start, "open and closed list", ties, "when expanded")
        assert found is not None
        assert (found.expanded, found.generated) == (expected.expanded, expected.generated)
        if h.verdicts(move_set).consistent == "proven":
            assert found.below == expected.expanded - expected.expanded_last_layer
        most = run(Graph(puzzle, move_set, h), start, "open and closed list", ties, "when expanded", whole_layer=True)
        assert most is not None
        assert most.expanded >= found.expanded


def students_astar(name: str, moves: str, text: str, alg: list[str]) -> int:
    """As students write it: heapq of (f, number), a closed set, the goal tested and counted when it is popped."""
    puzzle = get_puzzle(name)
    h = get_heuristic(text, puzzle, puzzle.move_set(moves))
    start = puzzle.apply_alg(puzzle.solved, alg)
    queue = [(h(start), 0, 0, start)]
    closed = set()
    number = taken = 0
    while queue:
        _, _, g, state = heapq.heappop(queue)
        if state in closed:
            continue
        closed.add(state)
        taken += 1
        if state == puzzle.solved:
            return taken
        for _, after in puzzle.successors(state, puzzle.move_set(moves).moves):
            if after not in closed:
                number += 1
                heapq.heappush(queue, (g + 1 + h(after), number, g + 1, after))
    raise AssertionError


@pytest.mark.parametrize("seed", range(4))
def test_an_honest_student_with_another_convention_is_recognised(seed: int) -> None:
    alg = make_scramble(get_puzzle("megaminx"), 5, seed, "cw").alg
    count = students_astar("megaminx", "ccw", "s1-misplaced-facelets", alg)
    request = {
        "puzzle": "megaminx", "alg": " ".join(alg), "solution": "", "moves": "ccw",
        "heuristic": "s1-misplaced-facelets", "claims": {"expanded": count},
    }  # fmt: skip
    (claim,) = verify(VerificationRequest.model_validate(request)).claims
    assert claim.judgement in ("true", "convention")
    wanted = ("closed list only", "fifo", "when expanded", "the goal is counted")
    if claim.judgement == "convention":
        found = [(c.duplicates, c.ties, c.goal_test, c.counting) for c in claim.conventions]
        assert wanted in found or len(found) == 5
    request["claims"] = {"expanded": 100 * count}
    (claim,) = verify(VerificationRequest.model_validate(request)).claims
    assert claim.judgement == "false"
    assert claim.low is not None
    assert claim.high is not None
    assert claim.low <= count <= claim.high


def test_a_long_search_is_counted_by_the_kernel() -> None:
    """S2's k = 10: too many nodes for Python; the kernel's three ways to break ties bound the count."""
    alg = make_scramble(get_puzzle("megaminx"), 11, 3, "cw").alg
    request = {
        "puzzle": "megaminx", "alg": " ".join(alg), "solution": "", "moves": "ccw",
        "heuristic": "s1-misplaced-facelets", "claims": {"expanded": 3}, "limits": {"expanded": 2_000_000},
    }  # fmt: skip
    (claim,) = verify(VerificationRequest.model_validate(request)).claims
    assert claim.judgement == "false"
    assert "every A* with a closed list expands at least" in claim.reason
    request["claims"] = {"expanded": claim.found}
    (claim,) = verify(VerificationRequest.model_validate(request)).claims
    assert claim.judgement == "true"
