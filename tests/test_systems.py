"""The five reports, run again: compared with their own figures if exact, and with the plain Python search always."""

from __future__ import annotations

import pytest

from hstar.errors import UnknownName
from hstar.search import reference
from hstar.systems import SYSTEMS, get_system

#: (generated, expanded, length) on S5's boards; on A they are the report's own (its expanded leaves the start out)
S5 = {
    "A, s5-misplaced-cells": (27, 9, 6),
    "A, s5-conflicts-inversions": (20, 7, 6),
    "A, s5-clustered-misplaced": (27, 9, 6),
    "B, s5-misplaced-cells": (5232, 1858, 18),
    "B, s5-conflicts-inversions": (33976, 12617, 18),
    "B, s5-clustered-misplaced": (5369, 1902, 18),
    "B, manhattan": (618, 226, 18),
    "B, linear-conflict": (401, 147, 18),
}


def test_s5_counts_as_its_report_does_on_board_a() -> None:
    counts = {
        run.label: (run.result.counters.generated, run.result.counters.expanded, run.result.length)
        for run in get_system("s5").runs()
    }
    assert {label: counts[label] for label in S5} == S5
    for label in ("A, s5-misplaced-cells", "A, s5-conflicts-inversions"):
        generated, expanded, length, _ = get_system("s5").reported[label]
        assert (generated, expanded + 1, length) == counts[label]


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_every_system_searches_as_the_reference_does(name: str) -> None:
    system = get_system(name)
    first = min(system.ks, default=0)
    for run in system.runs(ks=[first, first + 1], trials=2, seed=2):
        problem, result = run.problem, run.result
        plain = reference.astar(
            problem.puzzle, problem.start, problem.moves.moves, problem.heuristic, tie_breaking=system.tie_breaking
        )
        counters = result.counters
        assert (counters.expanded, counters.generated) == (plain.expanded, plain.generated), run.label
        assert tuple(result.solution or ()) == plain.path, run.label
        shown = counters.generated if system.boards else counters.expanded
        assert f" {shown}" in system.show(run)


def test_a_limit_of_expansions_takes_the_place_of_the_reports() -> None:
    limited = get_system("S4").limited_to(10)
    (run,) = limited.runs(ks=[5], trials=1)
    assert (run.result.status, run.result.limit, run.result.counters.expanded) == ("limit_reached", "expanded", 10)
    assert "no solution: limit_reached expanded" in limited.show(run)
    assert limited.limits.memory_mib == get_system("s4").limits.memory_mib


def test_a_system_that_there_is_not() -> None:
    with pytest.raises(UnknownName):
        get_system("s6")
