"""The table, the true distances, the forecast, and the whole report."""

from __future__ import annotations

from io import StringIO
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from hstar.commands.tables import print_experiment
from hstar.experiments.design import plan
from hstar.experiments.forecast import seconds_left, tally
from hstar.experiments.growth import student_t
from hstar.experiments.report import report
from hstar.experiments.rows import ExperimentRow, outcomes, row_of, with_true_distances
from hstar.experiments.schema import Axis, Excess, Report
from hstar.experiments.table import tabulate
from tests.experiments import plain
from tests.experiments.builders import request, row, rows, searched_once


@st.composite
def searches_of_few_instances(draw: st.DrawFn) -> list[ExperimentRow]:
    """Searches in three ways, and proofs, of four instances; no two contradict each other."""
    distances = draw(st.lists(st.integers(0, 4), min_size=4, max_size=4))
    found = []
    for index in range(draw(st.integers(0, 24))):
        seed = draw(st.integers(0, 3))
        solved, bound = draw(st.booleans()), draw(st.none() | st.integers(0, distances[seed]))
        length = distances[seed] + draw(st.integers(0, 2)) if solved else None
        found.append(
            row(
                index,
                seed=seed,
                k=seed // 2,
                role=draw(st.sampled_from(["search", "search", "true_distance"])),
                heuristic=draw(st.sampled_from(["one", "two", "three"])),
                ending="solved" if solved else draw(st.sampled_from(["limit_reached", "failed", "queued"])),
                expanded=draw(st.integers(0, 9)) if solved else None,
                length=length,
                lower_bound=bound,
                optimality=None if length is None else "proven" if length == bound else "feasible",
            )
        )
    return found


@settings(deadline=None, max_examples=40)
@given(rows())
def test_every_search_is_in_exactly_one_line(found: list[ExperimentRow]) -> None:
    table = tabulate(found, measures=["expanded", "seconds"])
    assert sum(group.outcomes.n + group.outcomes.pending for group in table.groups) == len(found)
    assert [(group.x, group.series) for group in table.groups] == list(
        dict.fromkeys((group.x, group.series) for group in table.groups)
    )
    assert [group.x for group in table.groups] == sorted(one.x or 0 for one in table.groups)
    for group in table.groups:
        own = [one for one in found if (one.k, one.series) == (group.x, group.series)]
        assert group.outcomes == outcomes(own)
        ended = group.outcomes
        parts = ended.solved + ended.limit_reached + ended.exhausted + ended.cancelled + ended.failed
        assert ended.n == parts == len([one for one in own if one.status not in ("queued", "running")])
        assert group.measures["expanded"].exact == ended.solved


def test_the_order_of_the_rows_does_not_matter() -> None:
    found = list(searched_once(heuristics=("s2-face-distance", "zero"), k=(3, 4), trials=3))
    assert tabulate(found) == tabulate(found[::-1])


def test_proofs_are_no_searches_and_unknown_distances_are_a_line() -> None:
    found = [
        row(0, role="true_distance", length=3, optimality="proven", lower_bound=3, heuristic="strong"),
        row(1, seed=0, length=3, optimality="feasible", lower_bound=2, expanded=5),
        row(2, seed=9, ending="limit_reached", lower_bound=2, expanded=6),
    ]
    table = tabulate(with_true_distances(found), "true_distance", ["expanded"])
    assert [(group.x, group.outcomes.n, group.measures["expanded"].median_all) for group in table.groups] == [
        (3, 1, 5),
        (None, 1, 6),
    ]


def test_a_true_distance_may_be_proven_by_any_search_of_the_instance() -> None:
    found = with_true_distances(
        [
            row(0, seed=1, length=5, optimality="feasible", lower_bound=3),
            row(1, seed=1, ending="limit_reached", lower_bound=5),  # together they prove 5
            row(2, seed=2, length=4, optimality="proven", lower_bound=4),
            row(3, seed=2, length=6, optimality="feasible", lower_bound=4),
            row(4, seed=3, length=4, optimality="feasible", lower_bound=3),
            row(5, seed=2, moves="all", length=2, optimality="feasible", lower_bound=1),  # another h*
            row(6, seed=4, ending="failed", true_distance=9),
        ]
    )
    assert [one.true_distance for one in found] == [5, 5, 4, 4, None, None, None]


@settings(deadline=None, max_examples=100)
@given(searches_of_few_instances())
def test_distances_and_tables_are_those_of_a_plain_recomputation(found: list[ExperimentRow]) -> None:
    known = with_true_distances(found)
    assert [one.true_distance for one in known] == [plain.true_distance(one, found) for one in found]
    for x in get_args(Axis):
        table = tabulate(known, x, ["length", "expanded"])
        own = [one for one in known if one.role == "search"]
        every = list(dict.fromkeys(one.series for one in own))
        places = sorted({place for one in own if (place := getattr(one, x)) is not None})
        lines = {
            (place, series): lines
            for place in [*places, None]
            for series in every
            if (lines := [one for one in own if (getattr(one, x), one.series) == (place, series)])
        }
        assert [(group.x, group.series) for group in table.groups] == list(lines)
        for group, line in zip(table.groups, lines.values(), strict=True):
            assert group.outcomes == plain.outcomes(line)
            assert group.measures == {name: plain.summarise_rows(line, name) for name in ("length", "expanded")}
        assert [(one.series, one.measure, one.x) for one in table.growth] == [(one, "expanded", x) for one in every]
        for growth in table.growth:
            wanted = plain.growth([one for one in own if one.series == growth.series], "expanded", x, student_t)
            assert (growth.used, growth.censored, growth.searches) == tuple(
                wanted[name] for name in ("used", "censored", "searches")
            )
            assert growth.factor == (wanted["factor"] and pytest.approx(wanted["factor"], rel=1e-6))
        for series, quality in zip(every, table.quality, strict=True):
            line = [one for one in own if one.series == series]
            assert (quality.series, quality.solved) == (series, sum(one.length is not None for one in line))
            assert plain.excess(line, found) == Excess(
                compared=quality.compared, optimal=quality.optimal, longest_excess=quality.longest_excess
            )


def test_rows_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(ValueError, match="below a proven bound"):
        with_true_distances([row(0, seed=1, length=3), row(1, seed=1, ending="limit_reached", lower_bound=4)])


def test_the_forecast_grows_with_k() -> None:
    done = [row(i, k=3 + i, seconds=0.001 * 10**i) for i in range(3)]  # 1, 10, 100 ms at k = 3, 4, 5
    pending = [row(9, k=6, ending="queued"), row(10, k=7, ending="running")]
    assert seconds_left(tally([*done, *pending]), 1) == pytest.approx(1 + 10)
    assert seconds_left(tally([*done, *pending]), 2) == pytest.approx(5.5)
    stopped = row(3, k=6, ending="limit_reached", seconds=2.0, expanded=1)
    some = tally([*done, stopped, pending[1]])
    assert seconds_left(some, 1) == pytest.approx(2.0), "no search lasts longer than its limit"
    assert seconds_left(tally([*done, pending[1]]), 1, limit_seconds=3.0) == 3.0
    assert seconds_left(tally(done), 1) is None
    assert seconds_left(tally(pending), 1) is None
    other = row(11, k=3, heuristic="other", ending="queued")
    assert seconds_left(tally([*done, other]), 1) == pytest.approx(0.001)


def test_the_report_of_a_real_experiment() -> None:
    asked = request(k=[2, 3, 4], heuristics=["s2-face-distance", "zero"], true_distance=True)
    found = list(searched_once(k=(2, 3, 4), heuristics=("s2-face-distance", "zero"), true_distance=True))
    answer = report(asked, found)
    assert (answer.status, answer.fraction_done, answer.seconds_left) == ("done", 1.0, None)
    assert (answer.rows, answer.outcomes.solved) == (18, 18)
    assert answer.table_by_true_distance is not None
    assert {group.x for group in answer.table_by_true_distance.groups} <= {0, 1, 2, 3, 4}
    assert [len(comparison.sentence) > 50 for comparison in answer.comparisons] == [True]
    assert Report.model_validate_json(answer.model_dump_json()) == answer


def test_all_algorithms_side_by_side() -> None:
    """One experiment, every algorithm: those that are optimal agree with the proven distance on every instance."""
    algorithms = ("astar", "greedy", "ida_star", "breadth_first", "bidirectional", "auto")
    rows = searched_once(
        puzzle="8-puzzle", scramble_moves=None, moves=None, k=(10, 20), trials=4, algorithms=algorithms,
        heuristics=("manhattan",), true_distance=True,
    )  # fmt: skip
    found = with_true_distances(rows)
    assert [one.length for one in found if one.algorithm != "greedy"] == [
        one.true_distance for one in found if one.algorithm != "greedy"
    ]
    assert all(one.length is not None and one.length >= (one.true_distance or 99) for one in found)
    assert {one.method for one in found if one.algorithm == "auto"} <= {*algorithms} - {"auto"}
    table = tabulate(found)
    assert [group.series.algorithm for group in table.groups if group.x == 10] == [*algorithms]
    greedy = next(group for group in table.groups if group.series.algorithm == "greedy")
    assert greedy.measures["expanded_last_layer"].exact == 0


def test_counts_of_an_experiment() -> None:
    design = plan(request())
    waiting = [row_of(design, planned) for planned in design.rows()]
    assert report(design.request, waiting).status == "queued"
    done = list(searched_once())
    half = report(design.request, [*done[:3], *waiting[3:]], workers=2)
    assert (half.status, half.fraction_done, half.outcomes.pending) == ("running", 0.5, 3)
    assert half.seconds_left is not None
    assert half.seconds_left > 0
    cancelled = [*done[:5], row(5, ending="cancelled")]
    assert report(design.request, cancelled).status == "cancelled"
    assert report(design.request, []).fraction_done == 1.0


def test_the_table_says_which_heuristic_is_refuted_and_how_many_answers_are_optimal() -> None:
    found = searched_once(heuristics=("s2-face-distance", "s1-misplaced-facelets"), true_distance=True)
    s2, s1 = tabulate(with_true_distances(found)).quality
    assert (s2.admissible, s2.reason) == ("refuted", "h = 4 but h* = 3 after U U F")
    assert s2.sentence.startswith("refuted: h = 4 but h* = 3 after U U F; optimal ")
    assert (s1.admissible, s1.optimal, s1.compared, s1.longest_excess) == ("proven", s1.compared, 6, 0)
    assert s1.sentence == "admissible; optimal 6 of 6"


def test_excess_is_counted_against_the_true_distance() -> None:
    found = [row(0, length=5, true_distance=3), row(1, length=4, true_distance=4), row(2, length=9)]
    (quality,) = tabulate(found).quality
    assert (quality.solved, quality.compared, quality.optimal, quality.longest_excess) == (3, 2, 1, 2)
    assert quality.sentence == "not known to be admissible; optimal 1 of 2, longest +2; 1 of unknown optimum"


@pytest.mark.parametrize(("algorithm", "shown"), [("auto", True), ("astar", False)])
def test_the_printed_table_shows_unproven_solutions_apart(algorithm: str, shown: bool) -> None:
    asked = request(algorithms=[algorithm], heuristics=[], k=[3], trials=2)
    found = [
        row(0, algorithm=algorithm, length=3, lower_bound=3, optimality="proven", expanded=7),
        row(1, algorithm=algorithm, length=31, lower_bound=2, optimality="feasible", expanded=900),
    ]
    console = Console(file=StringIO(), width=200)
    print_experiment(console, report(asked, found))
    header, line, *_ = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert ("proven" in header, "feasible" in header) == (shown, shown)
    assert ("31" in line.split()) == shown
