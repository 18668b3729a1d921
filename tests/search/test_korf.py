"""Korf's 100 15-puzzles: the optimal lengths, and the published number of nodes that plain IDA* generates.

All 100 take minutes (``python -m bench.korf``); here are those that generate the fewest nodes.
"""

from __future__ import annotations

import pytest

from bench.korf import Instance, instances, search
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.search import SolveRequest, prepare, solve

CHEAPEST = sorted(instances(), key=lambda instance: instance.generated)[:25]


def test_the_data_are_whole() -> None:
    """100 boards that can be solved; the sum of the published counts is known."""
    puzzle = get_puzzle("15-puzzle")
    assert [instance.number for instance in instances()] == list(range(1, 101))
    assert sum(instance.generated for instance in instances()) == 36_302_807_931
    for instance in instances():
        board = puzzle.parse_state(list(instance.board))
        assert get_heuristic("manhattan", puzzle)(board) <= instance.length


@pytest.mark.parametrize("instance", CHEAPEST, ids=lambda instance: str(instance.number))
def test_plain_ida_star_generates_the_published_numbers(instance: Instance) -> None:
    outcome = search(instance.board)
    assert (outcome.status, len(outcome.path), outcome.f_bound) == ("solved", instance.length, instance.length)
    assert outcome.generated == instance.generated


@pytest.mark.parametrize("algorithm", ["auto", "ida_star"])
def test_lengths_are_proven(algorithm: str) -> None:
    for instance in CHEAPEST:
        request = {"puzzle": "15-puzzle", "state": list(instance.board), "algorithm": algorithm}
        result = solve(prepare(SolveRequest.model_validate(request)))
        assert (result.length, result.optimality) == (instance.length, "proven")
