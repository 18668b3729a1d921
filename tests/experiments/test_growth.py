"""The growth factor, compared with known lines, NumPy's fit and printed tables of Student's t; and limits."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.experiments.growth import student_t
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Growth
from hstar.experiments.table import fit_growth
from tests.experiments import plain
from tests.experiments.builders import row, rows


def fit(found: list[ExperimentRow]) -> Growth:
    return fit_growth(found, row().series, "expanded", "k")


def test_an_exact_power_is_found() -> None:
    found = [row(i, k=k, expanded=5 * 3**k) for i, k in enumerate([3, 4, 5, 6, 6])]
    growth = fit(found)
    assert (growth.used, growth.censored, growth.searches) == ([3, 4, 5, 6], [], 5)
    assert (growth.factor, growth.low, growth.high, growth.spread) == pytest.approx((3, 3, 3, 1))


@settings(deadline=None, max_examples=60)
@given(rows())
def test_equal_to_a_plain_recomputation(found: list[ExperimentRow]) -> None:
    for measure in ("expanded", "seconds", "generated"):
        growth = fit_growth(found, row().series, measure, "k")
        wanted = plain.growth(found, measure, "k", student_t)
        assert (growth.used, growth.censored, growth.searches) == tuple(
            wanted[name] for name in ("used", "censored", "searches")
        )
        for name in ("factor", "spread", "low", "high"):
            value = getattr(growth, name)
            assert value == wanted[name] or value == pytest.approx(wanted[name], rel=1e-6), name


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10**9)), min_size=3, max_size=40).filter(
        lambda points: len({k for k, _ in points}) > 1
    )
)
def test_equal_to_numpys_fit(points: list[tuple[int, int]]) -> None:
    growth = fit([row(i, k=k, expanded=expanded) for i, (k, expanded) in enumerate(points)])
    k, y = np.array([k for k, _ in points], dtype=float), np.log([expanded for _, expanded in points])
    slope, intercept = np.polyfit(k, y, 1)
    assert growth.factor == pytest.approx(exp(slope), rel=1e-6)
    residual = float(((y - slope * k - intercept) ** 2).sum() / (len(points) - 2)) ** 0.5
    assert growth.spread == pytest.approx(exp(residual), rel=1e-6)
    margin = student_t(len(points) - 2) * residual / float(((k - k.mean()) ** 2).sum()) ** 0.5
    assert growth.low == pytest.approx(exp(slope - margin), rel=1e-6)
    assert growth.high == pytest.approx(exp(slope + margin), rel=1e-6)


def test_an_x_with_a_limit_takes_no_part() -> None:
    """Including the survivors of k = 6 would halve the factor; they are left out, and the result says so."""
    found = [row(i, k=k, expanded=4**k) for i, k in enumerate([3, 4, 5])]
    found += [row(3, k=6, expanded=20), row(4, k=6, ending="limit_reached", expanded=1000)]
    growth = fit(found)
    assert (growth.used, growth.censored) == ([3, 4, 5], [6])
    assert growth.factor == pytest.approx(4)


def test_too_little_gives_no_number() -> None:
    assert fit([]).factor is None
    assert fit([row(0, k=3, expanded=5), row(1, k=3, expanded=7)]).factor is None
    two = fit([row(0, k=3, expanded=5), row(1, k=4, expanded=10)])
    assert two.factor == pytest.approx(2)
    assert (two.low, two.spread) == (None, None)
    assert fit([row(0, k=0, expanded=0), row(1, k=1, expanded=1)]).used == [1], "0 has no logarithm"


def test_an_interval_that_overflows_is_left_out() -> None:
    growth = fit([row(i, k=3 + i, expanded=expanded) for i, expanded in enumerate([1, 2**1000, 1])])
    assert growth.high is None
    assert growth.factor == pytest.approx(1)


def test_by_true_distance_needs_the_true_distance() -> None:
    found = [row(i, k=9, true_distance=d, expanded=2**d) for i, d in enumerate([3, 4, 5])]
    found.append(row(3, k=9, true_distance=None, expanded=10**6))
    growth = fit_growth(found, row().series, "expanded", "true_distance")
    assert growth.used == [3, 4, 5]
    assert growth.factor == pytest.approx(2)


@pytest.mark.parametrize(
    ("freedom", "t"),
    # Abramowitz and Stegun, table 26.10, and the same values with more digits.
    [(1, 12.7062047), (2, 4.3026527), (3, 3.1824463), (4, 2.7764451), (9, 2.2621572), (10, 2.2281389), (29, 2.0452296),
     (30, 2.0422725), (60, 2.0002978), (120, 1.9799304), (1000, 1.9623391)],
)  # fmt: skip
def test_student_t(freedom: int, t: float) -> None:
    assert student_t(freedom) == pytest.approx(t, abs=1e-7)


def test_student_t_has_no_step_where_the_method_changes() -> None:
    steps = [student_t(n) - student_t(n + 1) for n in (199, 200, 201)]
    assert steps == sorted(steps, reverse=True)
    assert all(0 < step < 1e-4 for step in steps)
    assert log(student_t(10**6)) == pytest.approx(log(1.959964), abs=1e-5)
