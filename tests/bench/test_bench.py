"""The bench measures what it says: the same search twice. Counts are checked here, never times."""

import pytest

from bench.__main__ import CASES, Case, measure, rates, table
from hstar.search import solve


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.puzzle}-{case.heuristic}")
def test_every_case_runs_and_counts_the_same_on_both_sides(case: Case) -> None:
    row = measure(case, repeats=1, share=0.02)
    assert len(row.kernel) == len(row.reference) == 1
    assert row.bytes_per_node > 8
    assert table([row]).row_count == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.puzzle}-{case.heuristic}")
def test_no_case_is_solved_before_its_limit(case: Case) -> None:
    """Else the kernel and the reference would be timed on different stretches of the search."""
    result = solve(case.problem(case.expanded))
    assert result.status == "limit_reached"
    assert result.limit == "expanded"
    assert result.counters.expanded == case.expanded > case.reference_expanded


def test_a_rate_is_work_by_time_and_the_first_run_is_not_counted() -> None:
    calls: list[int] = []

    def work() -> int:
        calls.append(1)
        return 1000

    assert all(rate > 0 for rate in rates(work, 3))
    assert len(calls) == 4
