"""Distributions, compared with the library's statistics of plain lists, also after buckets, bytes and merges."""

from __future__ import annotations

from dataclasses import fields
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.experiments.distributions import MOMENT_ERROR, QUANTILE_ERROR, Distributions
from tests.experiments.plain import QUARTILES, summarise

GROUPS = 4

whole_numbers = st.one_of(st.integers(0, 4), st.integers(0, 600), st.integers(0, 2**53)).map(float)
times = st.floats(0, 1e9, allow_nan=False, allow_subnormal=False)


@st.composite
def observations(draw: st.DrawFn) -> tuple[bool, list[tuple[int, bool, float]]]:
    """Whether the measure is whole, and (group, is a bound, value) of each search."""
    whole = draw(st.booleans())
    value = whole_numbers if whole else times
    return whole, draw(st.lists(st.tuples(st.integers(0, GROUPS - 1), st.booleans(), value), max_size=60))


def make(found: list[tuple[int, bool, float]], bound: bool, whole: bool) -> Distributions:
    chosen = [(group, value) for group, is_bound, value in found if is_bound is bound]
    values = np.array([value for _, value in chosen], dtype=np.float64)
    return Distributions.of(values, np.array([group for group, _ in chosen], dtype=np.int64), GROUPS, whole=whole)


def same(one: Distributions, other: Distributions) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(Distributions))


@settings(deadline=None, max_examples=150)
@given(observations())
def test_exact_ones_are_numpys_to_the_last_digit(drawn: tuple[bool, list[tuple[int, bool, float]]]) -> None:
    whole, found = drawn
    exact, bounds = make(found, False, whole), make(found, True, whole)
    both = exact.with_lower_bounds(bounds)
    for group in range(GROUPS):
        own = [(bound, value) for place, bound, value in found if place == group]
        wanted = summarise([value for bound, value in own if not bound], [value for bound, value in own if bound])
        assert (exact.count[group], bounds.count[group]) == (wanted.exact, wanted.lower_bounds)
        for name, q in QUARTILES.items():
            assert close(exact.quantile(q)[group], getattr(wanted, name), 0)
            assert close(both.quantile(q)[group], getattr(wanted, f"{name}_all"), 0)
            assert exact.is_open(q, bounds, both)[group] == getattr(wanted, f"{name}_all_at_least")
        assert close(exact.deviation()[group], wanted.standard_deviation, 0)
        if wanted.exact:
            moments = exact.mean[group], exact.minimum[group], exact.maximum[group]
            assert moments == (wanted.mean, wanted.minimum, wanted.maximum)


@settings(deadline=None, max_examples=150)
@given(observations())
def test_buckets_keep_their_bounds_through_bytes_and_merges(
    drawn: tuple[bool, list[tuple[int, bool, float]]],
) -> None:
    whole, found = drawn
    exact, bounds = make(found, False, whole), make(found, True, whole)
    kept = [
        Distributions.decode(part.encode(), whole=whole)
        for part in (make(found[::2], False, whole).in_buckets(), make(found[1::2], False, whole).in_buckets())
    ]
    merged = Distributions.merged(kept, [np.arange(GROUPS)] * 2, GROUPS)
    assert not merged.exact
    for name in ("count", "minimum", "maximum", "logs_count"):
        assert np.array_equal(getattr(merged, name), getattr(exact, name))
    for name in ("mean", "squares", "logs_mean", "logs_squares"):
        scale = exact.count * np.where(exact.count > 0, exact.mean, 0) ** 2 if name == "squares" else 0
        error = abs(getattr(merged, name) - getattr(exact, name))
        assert (error <= MOMENT_ERROR * (abs(getattr(exact, name)) + scale + 1e-9)).all(), name
    merged_all, exact_all = merged.with_lower_bounds(bounds.in_buckets()), exact.with_lower_bounds(bounds)
    each_alone = whole and max((value for *_, value in found), default=0) < 256
    for q in QUARTILES.values():
        for one, other in (
            (merged.quantile(q), exact.quantile(q)),
            (merged_all.quantile(q), exact_all.quantile(q)),
        ):
            for value, true in zip(one, other, strict=True):
                assert close(value, None if isnan(true) else true, QUANTILE_ERROR * (1 + 1e-9))
        may_be = merged.is_open(q, bounds.in_buckets(), merged_all)
        is_open = exact.is_open(q, bounds, exact_all)
        assert (may_be >= is_open).all()
        assert (may_be == is_open).all() or not each_alone


@settings(deadline=None)
@given(observations())
def test_bytes_are_the_whole_distribution(drawn: tuple[bool, list[tuple[int, bool, float]]]) -> None:
    whole, found = drawn
    kept = make(found, False, whole).in_buckets()
    texts = kept.encode()
    assert [text is None for text in texts] == (kept.count == 0).tolist()
    assert same(Distributions.decode(texts, whole=whole), kept)


@settings(deadline=None)
@given(observations(), st.permutations(range(GROUPS + 2)))
def test_placing_moves_groups_and_nothing_else(
    drawn: tuple[bool, list[tuple[int, bool, float]]], places: list[int]
) -> None:
    whole, found = drawn
    exact = make(found, False, whole)
    place = np.array(places[:GROUPS], dtype=np.int64)
    moved = exact.placed(place, GROUPS + 2)
    renamed = [(places[group], bound, value) for group, bound, value in found if not bound]
    wanted = Distributions.of(
        np.array([value for *_, value in renamed], dtype=np.float64),
        np.array([group for group, *_ in renamed], dtype=np.int64),
        GROUPS + 2,
        whole=whole,
    )
    assert same(moved, wanted)


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0, 3.0, 127.0, 128.0, 129.0, 254.0, 255.0])
def test_small_whole_numbers_have_a_bucket_each(value: float) -> None:
    both = np.array([value, value + 1e9])
    kept = Distributions.of(both, np.zeros(2, dtype=np.int64), 1, whole=True).in_buckets()
    assert kept.quantile(0.0)[0] == value


def close(value: float, wanted: float | None, error: float) -> bool:
    """NaN in distributions is None in summaries."""
    if wanted is None:
        return isnan(value)
    return bool(abs(value - wanted) <= error * wanted)
