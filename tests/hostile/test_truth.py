"""Bounds of searches in depth, compared with the distances of all states of whole puzzles (docs/certificates.md)."""

from __future__ import annotations

import pytest

from hstar.search import SolveRequest, prepare, solve
from tests.conftest import TEST_ALL
from tests.hostile.truth import PUZZLES, Case, Report, truth_of


@pytest.mark.parametrize("case", [case for case in PUZZLES if case.quick or TEST_ALL], ids=lambda case: case.name)
def test_no_value_is_above_the_distance(case: Case) -> None:
    report = Report()
    truth_of(case, report, starts=6 if TEST_ALL else 2)
    assert report.rows
    assert report.subtrees
    assert not [key for key, row in report.rows.items() if row.over or row.unequal]


def test_partitions_are_learned_before_the_first_node_if_asked() -> None:
    """With `learn_after` 0 fewer nodes are expanded, and as many without as where none is learned."""

    def expanded(**settings: object) -> int:
        step = {"method": "ida_star", "heuristic": "zero", "settings": {"partitions": True, **settings}}
        scramble = {"k": 11, "seed": 3, "moves": "all"}
        request = {"puzzle": "megaminx", "scramble": scramble, "moves": "all", "algorithm": "plan", "plan": [step]}
        return solve(prepare(SolveRequest.model_validate(request))).counters.expanded

    assert expanded(learn_after=0) < expanded() == expanded(learn_after=2**60)
