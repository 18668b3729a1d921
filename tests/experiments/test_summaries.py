"""Censored statistics, compared with NumPy and with exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.experiments.distributions import Distributions
from hstar.experiments.observations import is_whole, observe, summarise_rows
from hstar.experiments.rows import ExperimentRow, outcomes
from hstar.experiments.schema import MEASURES, Summary
from hstar.experiments.summaries import Observed
from hstar.experiments.summaries import summarise as summarise_groups
from tests.experiments import plain
from tests.experiments.builders import counts, row, rows, seconds

QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
values = st.lists(st.one_of(counts, seconds), max_size=30)


def summarise(exact: list[float], bounds: list[float]) -> Summary:
    """Of one group."""
    sides = [
        Distributions.of(np.array(side, dtype=np.float64), np.zeros(len(side), dtype=np.int64), 1, whole=False)
        for side in (exact, bounds)
    ]
    return summarise_groups(Observed(*sides))[0]


def observe_one(search: ExperimentRow, measure: str) -> tuple[str, float] | None:
    (found,) = observe([search], measure)
    return found


def quantile(of: list[float], q: float) -> Fraction:
    """The definition, without rounding."""
    ordered = sorted(map(Fraction, of))
    place = Fraction(q) * (len(ordered) - 1)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    return low + (place - floor(place)) * (high - low)


@settings(deadline=None, max_examples=60)
@given(rows())
def test_equal_to_a_plain_recomputation_to_the_last_digit(found: list[ExperimentRow]) -> None:
    assert outcomes(found) == plain.outcomes(found)
    for measure in MEASURES:
        assert observe(found, measure) == [plain.observe(one, measure) for one in found], measure
        assert summarise_rows(found, measure) == plain.summarise_rows(found, measure), measure


def test_measures_of_whole_numbers() -> None:
    assert {measure for measure in MEASURES if not is_whole(measure)} == {
        "seconds", "branching_generated", "branching_effective",
    }  # fmt: skip


@settings(deadline=None)
@given(values, values)
def test_equal_to_exact_arithmetic(exact: list[float], bounds: list[float]) -> None:
    summary = summarise(exact, bounds)
    assert (summary.exact, summary.lower_bounds) == (len(exact), len(bounds))
    if exact:
        mean = sum(map(Fraction, exact)) / len(exact)
        assert summary.mean == pytest.approx(float(mean), rel=1e-13)
        for name, q in QUARTILES.items():
            assert getattr(summary, name) == pytest.approx(float(quantile(exact, q)), rel=1e-14)
        if len(exact) > 1:
            variance = sum((Fraction(value) - mean) ** 2 for value in exact) / (len(exact) - 1)
            assert summary.standard_deviation == pytest.approx(sqrt(variance), rel=1e-9, abs=1e-9 * float(mean))
    if exact or bounds:
        for name, q in QUARTILES.items():
            assert getattr(summary, f"{name}_all") == pytest.approx(float(quantile([*exact, *bounds], q)), rel=1e-14)


@settings(deadline=None)
@given(values, values, st.lists(st.floats(0, 1e9), min_size=30, max_size=30))
def test_a_flag_means_exactly_that_the_true_quantile_may_be_larger(
    exact: list[float], bounds: list[float], more: list[float]
) -> None:
    """For any true values above the lower bounds, unflagged quantiles do not change, and flagged ones can only rise."""
    summary = summarise(exact, bounds)
    if not exact and not bounds:
        assert summary.median_all is None
        return
    true = [*exact, *(bound + extra for bound, extra in zip(bounds, more, strict=False))]
    highest = [*exact, *(1e18 for _ in bounds)]
    for name, q in QUARTILES.items():
        claimed, at_least = getattr(summary, f"{name}_all"), getattr(summary, f"{name}_all_at_least")
        assert at_least == (quantile(highest, q) > quantile([*exact, *bounds], q))
        if at_least:
            assert float(quantile(true, q)) >= claimed * (1 - 1e-14)
        else:
            assert float(quantile(true, q)) == pytest.approx(claimed, rel=1e-14)


@pytest.mark.parametrize("algorithm", ["auto", "anytime", "two_phase", "windows"])
def test_a_solution_that_is_not_proven_is_a_lower_bound_where_a_proof_was_looked_for(algorithm: str) -> None:
    proven = row(0, algorithm=algorithm, length=20, lower_bound=20, optimality="proven", expanded=10)
    feasible = row(1, algorithm=algorithm, length=31, lower_bound=17, optimality="feasible", expanded=900)
    length = summarise_rows([proven, feasible], "length")
    assert (length.exact, length.lower_bounds, length.mean, length.maximum) == (1, 1, 20, 20)
    assert (length.median_all, length.median_all_at_least) == (18.5, True)
    expanded = summarise_rows([proven, feasible], "expanded")
    assert (expanded.exact, expanded.mean, expanded.median_all_at_least) == (1, 10, True)
    apart = summarise_rows([proven, feasible], "feasible_length")
    assert (apart.exact, apart.lower_bounds, apart.mean) == (1, 0, 31)
    assert outcomes([proven, feasible]).proven == 1
    assert observe_one(feasible, "expanded_last_layer") == ((("lower_bound", 0)) if algorithm == "auto" else None)


@pytest.mark.parametrize("algorithm", ["greedy", "astar", "beam", "constructive"])
def test_a_solution_of_a_search_that_ends_with_it_is_exact(algorithm: str) -> None:
    found = [row(0, algorithm=algorithm, length=31, lower_bound=17, optimality="feasible", expanded=900)]
    assert summarise_rows(found, "length").mean == 31
    assert summarise_rows(found, "feasible_length").mean == 31
    assert summarise_rows(found, "expanded").lower_bounds == 0
    assert outcomes(found).proven == 0


def test_a_limit_among_the_middle_is_said() -> None:
    summary = summarise(exact=[3, 5, 7], bounds=[9, 9])
    assert (summary.median_all, summary.median_all_at_least) == (7, False)
    assert (summary.upper_quartile_all, summary.upper_quartile_all_at_least) == (9, True)
    summary = summarise(exact=[3, 5], bounds=[9, 9, 9])
    assert (summary.median, summary.median_all, summary.median_all_at_least) == (4, 9, True)
    # A search that ran out of memory early also hides the median, although its counter is small.
    summary = summarise(exact=[3, 5, 7], bounds=[4])
    assert (summary.median_all, summary.median_all_at_least) == (4.5, True)
    # If the median is exact whatever the limit hides, it is not flagged.
    summary = summarise(exact=[3, 9, 9], bounds=[9, 9])
    assert (summary.median_all, summary.median_all_at_least) == (9, False)


def test_observations_of_a_search() -> None:
    solved = row(ending="solved", expanded=7, length=3, lower_bound=3)
    stopped = row(ending="limit_reached", expanded=9, lower_bound=5)
    assert [observe_one(solved, measure) for measure in ("expanded", "length")] == [("exact", 7), ("exact", 3)]
    assert [observe_one(stopped, measure) for measure in ("expanded", "length", "expanded_last_layer")] == [
        ("lower_bound", 9), ("lower_bound", 5), ("lower_bound", 0),
    ]  # fmt: skip
    assert observe_one(row(ending="cancelled", expanded=4), "expanded") == ("lower_bound", 4)
    for nothing in ("queued", "running", "failed", "exhausted", "cancelled"):
        assert observe_one(row(ending=nothing, expanded=None), "expanded") is None
    assert observe_one(row(ending="exhausted", expanded=4), "expanded") is None
    assert observe_one(row(ending="solved", expanded=0, length=0), "branching_effective") is None


def test_a_search_without_f_layers_tells_nothing_of_the_last_one() -> None:
    stopped: dict[str, Any] = {"ending": "limit_reached", "expanded": 9}
    assert observe_one(row(algorithm="astar", **stopped), "expanded_last_layer") == ("lower_bound", 0)
    assert observe_one(row(algorithm="greedy", **stopped), "expanded_last_layer") is None
    assert observe_one(row(algorithm="greedy", **stopped), "expanded") == ("lower_bound", 9)


def test_a_limit_is_never_averaged_in() -> None:
    found = [row(i, expanded=10, length=2, lower_bound=2) for i in range(3)]
    found += [row(i, ending="limit_reached", expanded=2_000_000) for i in range(3, 5)]
    summary = summarise_rows(found, "expanded")
    assert (summary.mean, summary.maximum, summary.exact, summary.lower_bounds) == (10, 10, 3, 2)


def test_unknown_measures_are_refused() -> None:
    with pytest.raises(KeyError):
        summarise_rows([], "colour")
    assert all(summarise_rows([], measure).mean is None for measure in MEASURES)
