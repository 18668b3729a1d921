"""Paired comparison: its statements must hold whatever values the limits hide, and proven ones must be true."""

from __future__ import annotations

from math import exp, log
from statistics import stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.errors import InvalidRequest
from hstar.experiments.compare import compare, compare_all, compare_series, name_apart
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Series
from tests.experiments.builders import row, searched_once

side = st.tuples(st.booleans(), st.integers(0, 50))
pairs_of_runs = st.lists(st.tuples(side, side), min_size=1, max_size=25)


def pair(index: int, first: tuple[bool, int], second: tuple[bool, int]) -> list[ExperimentRow]:
    return [
        row(2 * index + i, seed=index, heuristic=name, ending="solved" if solved else "limit_reached", expanded=value)
        for i, (name, (solved, value)) in enumerate((("one", first), ("two", second)))
    ]


@settings(deadline=None)
@given(pairs_of_runs, st.lists(st.integers(0, 100), min_size=50, max_size=50))
def test_every_verdict_holds_whatever_the_limits_hide(
    runs: list[tuple[tuple[bool, int], tuple[bool, int]]], hidden: list[int]
) -> None:
    rows = [one for i, (first, second) in enumerate(runs) for one in pair(i, first, second)]
    (found,) = compare_all(rows)
    assert found.wins + found.ties + found.losses + found.undecided == found.instances == len(runs)
    more = iter(hidden)
    true = [tuple(value if solved else value + next(more) for solved, value in both) for both in runs]
    assert found.wins <= sum(a < b for a, b in true) <= found.wins + found.undecided
    assert found.losses <= sum(a > b for a, b in true) <= found.losses + found.undecided
    assert found.ties <= sum(a == b for a, b in true)
    assert found.both_solved == sum(a[0] and b[0] for a, b in runs)
    ratios = [a / b if b else float("inf") for a, b in true if a or b]
    low, high = found.median_ratio_all
    if all(a or b for a, b in true) and all(b for _, b in true):
        median = float(np.median(ratios))
        assert low is None or low <= median * (1 + 1e-12)
        assert high is None or median <= high * (1 + 1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)), min_size=1, max_size=25))
def test_ratios_are_those_of_a_plain_recomputation(values: list[tuple[int, int]]) -> None:
    rows = [one for i, (a, b) in enumerate(values) for one in pair(i, (True, a), (True, b))]
    (found,) = compare_all(rows)
    ratios = [a / b for a, b in values]
    assert found.ratios.count == len(values)
    assert found.ratios.median == pytest.approx(float(np.median(ratios)))
    assert found.ratios.geometric_mean == pytest.approx(exp(sum(map(log, ratios)) / len(ratios)))
    assert (found.ratios.minimum, found.ratios.maximum) == (min(ratios), max(ratios))
    assert (found.ratios.lower_quartile, found.ratios.upper_quartile) == tuple(np.quantile(ratios, [0.25, 0.75]))
    spread = exp(stdev(map(log, ratios))) if len(ratios) > 1 else None
    assert found.ratios.geometric_standard_deviation == (spread and pytest.approx(spread))
    for bound in found.median_ratio_all:
        assert bound == pytest.approx(found.ratios.median)
    mirrored = compare_series(rows, found.second, found.first)
    assert (mirrored.wins, mirrored.ties, mirrored.losses) == (found.losses, found.ties, found.wins)
    assert mirrored.ratios.geometric_mean == pytest.approx(1 / (found.ratios.geometric_mean or 0))


def test_limits_decide_only_what_they_can() -> None:
    cases = {
        ((True, 5), (False, 9)): (1, 0, 0, 0),  # 5 against more than 9
        ((True, 9), (False, 9)): (0, 0, 0, 1),  # may be equal
        ((True, 20), (False, 9)): (0, 0, 0, 1),
        ((False, 9), (True, 5)): (0, 0, 1, 0),
        ((False, 9), (False, 5)): (0, 0, 0, 1),
        ((True, 5), (True, 5)): (0, 1, 0, 0),
    }
    for (first, second), expected in cases.items():
        (found,) = compare_all(pair(0, first, second))
        assert (found.wins, found.ties, found.losses, found.undecided) == expected, (first, second)
        assert found.decided_by_limit == int(first[0] != second[0] and not found.undecided)


def test_only_common_instances_are_compared() -> None:
    first = [row(i, seed=i, expanded=10) for i in range(5)]
    second = [row(i, seed=i, heuristic="other", expanded=20) for i in range(3, 9)]
    found = compare(first, second)
    assert (found.instances, found.wins, found.dominance) == (2, 2, "first")
    nothing = compare(first[:2], second)
    assert (nothing.instances, nothing.dominance, nothing.ratios.count) == (0, "none", 0)
    assert "no instance in common" in nothing.sentence


def test_sentences_of_several_comparisons_name_both_sides_in_full() -> None:
    rows = [
        row(i, seed=1, heuristic=heuristic, algorithm=algorithm, expanded=10 + i)
        for i, (algorithm, heuristic) in enumerate((a, h) for a in ("astar", "ida_star") for h in ("one", "other"))
    ]
    found = [comparison.sentence.partition(", ")[2] for comparison in compare_all(rows)]
    assert len(set(found)) == 6
    assert found[0].startswith("astar · one has the smaller value on 1 and astar · other on 0;")
    assert found[5].startswith("ida_star · one has the smaller value on 1 and ida_star · other on 0;")


def test_a_side_is_one_series() -> None:
    with pytest.raises(ValueError, match="one series on each side, not 2"):
        compare([row(0, heuristic="a"), row(1, heuristic="b")], [row(2)])
    with pytest.raises(ValueError, match="not 0"):
        compare([], [row(0)])


def test_real_heuristics_that_dominate() -> None:
    """Linear conflict is nowhere below Manhattan distance, so it never expands more before the last f-layer."""
    rows = searched_once(
        puzzle="8-puzzle", scramble_moves=None, moves=None, k=(10, 20, 30), trials=20,
        heuristics=("linear-conflict", "manhattan", "misplaced-tiles"),
    )  # fmt: skip
    conflict, manhattan, misplaced = (
        Series(algorithm="astar", heuristic=name) for name in ("linear-conflict", "manhattan", "misplaced-tiles")
    )
    for better, worse in ((conflict, manhattan), (manhattan, misplaced)):
        layers = compare_series(rows, better, worse, "expanded_before_last_layer")
        assert (layers.losses, layers.dominance) == (0, "first")
        assert layers.wins > 0
        assert [claim.split(" dominate ")[0] for claim in layers.proven] == [f"{worse.heuristic} does not"]
        assert f"By these counts {better.heuristic} dominates" in layers.sentence
        assert "these counts prove" in layers.sentence


def test_heuristics_of_which_neither_dominates_are_found_out() -> None:
    """Half of Manhattan distance is smaller than misplaced tiles near the goal, and larger far away."""
    rows = searched_once(
        puzzle="8-puzzle", scramble_moves=None, moves=None, k=(6, 10, 20, 30), trials=20,
        heuristics=("misplaced_tiles", "ceil(manhattan / 2)"),
    )  # fmt: skip
    (found,) = compare_all(rows, "expanded_before_last_layer")
    assert found.dominance == "neither"
    assert [claim.partition(":")[0] for claim in found.proven] == [
        "ceil(manhattan / 2) does not dominate misplaced_tiles",
        "misplaced_tiles does not dominate ceil(manhattan / 2)",
        "neither of misplaced_tiles and ceil(manhattan / 2) dominates the other",
    ]


@pytest.mark.parametrize("fields", [{"weight": 2.0}, {"consistent": "unknown"}, {"algorithm": "greedy"}])
def test_nothing_is_proven_where_the_theory_does_not_hold(fields: dict[str, object]) -> None:
    def two(**more: Any) -> list[ExperimentRow]:
        common: dict[str, Any] = {"seed": 1, "consistent": "proven"}
        return [
            row(0, **{**common, "heuristic": "a", "expanded_before_last_layer": 5, **more}),
            row(1, **{**common, "heuristic": "b", "expanded_before_last_layer": 9, **more}),
        ]

    assert compare_all(two())[0].proven
    assert not compare_all(two(**fields))[0].proven


def test_names_tell_apart_and_no_more() -> None:
    plain, weighted = Series(algorithm="astar", heuristic="h"), Series(algorithm="astar", heuristic="h", weight=2)
    auto = Series(algorithm="auto", heuristic=None)
    assert name_apart([plain]) == ["h"]
    assert name_apart([plain, weighted]) == ["weight 1", "weight 2"]
    assert name_apart([plain, auto]) == ["astar · h", "auto"]
    assert name_apart([auto]) == ["auto"]


def test_a_comparison_says_which_heuristic_is_refuted() -> None:
    rows = searched_once(heuristics=("s2-face-distance", "s1-misplaced-facelets"), true_distance=True)
    (found,) = compare_all(rows)
    assert found.sentence.endswith(
        "s2-face-distance: refuted: h = 4 but h* = 3 after U U F; optimal 6 of 6."
        " s1-misplaced-facelets: admissible; optimal 6 of 6."
    )
    assert [quality.admissible for quality in found.quality] == ["refuted", "proven"]


def test_searches_that_contradict_each_other_are_refused() -> None:
    short = row(0, seed=1, heuristic="one", length=3, lower_bound=3)
    other = row(1, seed=1, heuristic="two", length=5, lower_bound=5, optimality="proven")
    with pytest.raises(InvalidRequest, match="contradict each other"):
        compare([short], [other])
