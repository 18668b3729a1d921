"""Statistics, compared with a recomputation by the library's, on random solves with every outcome."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from hstar.experiments.growth import fit_growth
from hstar.experiments.rows import outcomes
from hstar.experiments.schema import MEASURES, Summary
from hstar.experiments.summaries import summarise_rows
from store.database import Sessions
from store.owners.principal import Principal
from store.solves.status import OUTCOMES
from store.statistics import aggregation
from store.statistics.aggregation import Aggregate, Question, TooManyGroups, aggregate
from store.statistics.distributions import MOMENT_ERROR, QUANTILE_ERROR
from store.statistics.rollup import roll_up, uncounted
from tests.store.builders import answer, end, must_claim, submit
from tests.store.solves import end_by_machine, insert_solves, random_solve, row_of, tag

Solves = list[dict[str, Any]]


def ask(sessions: Sessions, question: Question, exact_rows: int = aggregation.EXACT_ROWS) -> Aggregate:
    with sessions.read() as session:
        return aggregate(session, question, exact_rows=exact_rows)


def roll_up_all(sessions: Sessions, most: int = 100) -> None:
    while roll_up(sessions, most):
        pass
    with sessions.read() as session:
        assert uncounted(session, 1) == []


def grouped(solves: Solves, by: tuple[str, ...], tags: dict[str, str] | None = None) -> dict[tuple[Any, ...], Solves]:
    found: dict[tuple[Any, ...], Solves] = {}
    for solve in solves:
        key = tuple((tags or {}).get(solve["id"]) if name.startswith("tag:") else solve[name] for name in by)
        found.setdefault(key, []).append(solve)
    return found


def check(found: Aggregate, expected: dict[tuple[Any, ...], Solves], *, exact: bool) -> None:
    """Every number of the answer, recomputed."""
    assert found.exact is exact
    assert [group.values for group in found.groups] == sorted(
        expected, key=lambda key: [(value is None, 0 if value is None else value) for value in key]
    )
    assert found.solves == sum(solve["status"] in OUTCOMES for group in expected.values() for solve in group)
    for group in found.groups:
        rows = [row_of(solve) for solve in sorted(expected[group.values], key=lambda solve: str(solve["id"]))]
        assert group.outcomes == outcomes(rows)
        for measure, summary in group.measures.items():
            wanted = summarise_rows(rows, measure)
            if exact:
                assert summary == wanted, (group.values, measure)
            else:
                check_within_bounds(summary, wanted)


def check_within_bounds(found: Summary, wanted: Summary) -> None:
    for name in ("exact", "lower_bounds", "minimum", "maximum"):
        assert getattr(found, name) == getattr(wanted, name)
    for name in ("mean", "standard_deviation"):
        assert close(getattr(found, name), getattr(wanted, name), MOMENT_ERROR)
    for name in ("lower_quartile", "median", "upper_quartile"):
        for value, true in (
            (getattr(found, name), getattr(wanted, name)),
            (getattr(found, f"{name}_all"), getattr(wanted, f"{name}_all")),
        ):
            assert close(value, true, QUANTILE_ERROR * (1 + 1e-9))
        # A bucket may hide that a quantile is exact, but never that it is only a bound.
        assert getattr(found, f"{name}_all_at_least") >= getattr(wanted, f"{name}_all_at_least")


def close(found: float | None, wanted: float | None, error: float) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return abs(found - wanted) <= error * wanted


@pytest.fixture
def solves(sessions: Sessions) -> Solves:
    draw = random.Random(5)
    made = [random_solve(draw) for _ in range(400)]
    insert_solves(sessions, made)
    insert_solves(sessions, [random_solve(draw, owner="bob") for _ in range(50)])
    return made


BY: list[tuple[str, ...]] = [
    (),
    ("k",),
    ("k", "heuristic"),
    ("puzzle", "goal", "moves", "scramble_moves", "weight", "width", "tie_breaking"),
    ("length",),
]


def test_a_few_solves_are_summarised_to_the_last_digit(sessions: Sessions, solves: Solves) -> None:
    questions = [Question(Principal("ann"), by, tuple(MEASURES)) for by in BY]
    found = [ask(sessions, question) for question in questions]
    for by, one in zip(BY, found, strict=True):
        check(one, grouped(solves, by), exact=True)
    roll_up_all(sessions)
    assert [ask(sessions, question) for question in questions] == found


def test_many_solves_are_summarised_within_the_bounds(sessions: Sessions, solves: Solves) -> None:
    for most in (60, 150, 10_000):
        roll_up(sessions, most)
        for by in BY:
            found = ask(sessions, Question(Principal("ann"), by, tuple(MEASURES)), exact_rows=99)
            check(found, grouped(solves, by), exact=False)


FILTERS: list[tuple[dict[str, tuple[Any, ...]], Callable[[dict[str, Any]], bool]]] = [
    ({"puzzle": ("megaminx",), "k": (3, 5)}, lambda s: s["puzzle"] == "megaminx" and s["k"] in (3, 5)),
    ({"heuristic": ("student-one", "manhattan")}, lambda s: s["heuristic"] == "manhattan"),
    ({"heuristic": ("ceil(misplaced_tiles / 2)",)}, lambda s: s["heuristic"] == "ceil(misplaced_tiles / 2)"),
    ({"length": (0, 4)}, lambda s: s["length"] in (0, 4)),
    ({"status": ("solved", "queued")}, lambda s: s["status"] in ("solved", "queued")),
    ({"status": ("running",)}, lambda s: s["status"] == "running"),
    ({"weight": (1.5,), "moves": ("cw",)}, lambda s: s["weight"] == 1.5 and s["moves"] == "cw"),
    ({"puzzle": ("none",)}, lambda s: False),
]


@pytest.mark.parametrize("exact_rows", [10_000, 5])
def test_results_that_are_too_large_are_not_cached(sessions: Sessions, solves: Solves, exact_rows: int) -> None:
    roll_up(sessions, 200)
    for where, fits in FILTERS:
        chosen = [solve for solve in solves if fits(solve)]
        found = ask(sessions, Question(Principal("ann"), ("k", "status"), where=where), exact_rows)
        few = sum(solve["status"] in OUTCOMES for solve in chosen) <= exact_rows
        check(found, grouped(chosen, ("k", "status")), exact=few)


@pytest.mark.parametrize("exact_rows", [10_000, 20])
def test_tags_and_times_are_asked_of_the_solves_themselves(sessions: Sessions, solves: Solves, exact_rows: int) -> None:
    roll_up_all(sessions)
    course = {solve["id"]: "ai" for solve in solves[::2]}
    student = {solve["id"]: f"s{number % 3}" for number, solve in enumerate(solves) if number % 5}
    tag(sessions, "course", course)
    tag(sessions, "student", student)
    exact = exact_rows > 20
    found = ask(sessions, Question(Principal("ann"), ("tag:student",), tags={"course": "ai"}), exact_rows)
    check(found, grouped([s for s in solves if s["id"] in course], ("tag:student",), student), exact=exact)
    found = ask(sessions, Question(Principal("ann"), ("k", "tag:none"), tags={"course": "ai"}), exact_rows)
    check(found, grouped([s for s in solves if s["id"] in course], ("k", "tag:none")), exact=exact)

    begin, end = solves[60]["created_at"], solves[-60]["created_at"]
    for shift in (timedelta(0), timedelta(microseconds=1), timedelta(microseconds=-1)):
        chosen = [s for s in solves if begin + shift <= s["created_at"] < end + shift]
        found = ask(
            sessions,
            Question(Principal("ann"), ("k",), created_from=begin + shift, created_before=end + shift),
            exact_rows,
        )
        check(found, grouped(chosen, ("k",)), exact=exact)


@pytest.mark.parametrize("exact_rows", [10_000, 20])
def test_growth_is_that_of_the_table(sessions: Sessions, exact_rows: int) -> None:
    draw = random.Random(8)
    solves = [
        random_solve(draw, puzzle="p", k=k, status=status, weight=weight, algorithm="astar")
        for k in (3, 4, 5, 6, 7, None)
        for n in range(8)
        for status in ("limit_reached" if k == 7 and n == 3 else "solved",)
        for weight in (1.0, 1.5)
    ]
    insert_solves(sessions, solves)
    roll_up(sessions, 40)
    found = ask(sessions, Question(Principal("ann"), ("weight", "k"), ("generated", "seconds", "reopened")), exact_rows)
    assert [(one.series, one.measure) for one in found.growth] == [
        ((weight,), measure) for weight in (1.0, 1.5) for measure in ("generated", "seconds")
    ]
    for one in found.growth:
        rows = [row_of(solve) for solve in solves if (solve["weight"],) == one.series]
        wanted = fit_growth(rows, rows[0].series, one.measure, "k")
        assert (one.x, one.used, one.censored, one.searches) == ("k", wanted.used, wanted.censored, wanted.searches)
        assert one.censored == [7]
        for name in ("factor", "low", "high", "spread"):
            assert getattr(one, name) == pytest.approx(getattr(wanted, name), rel=1e-9)
    by_length = ask(sessions, Question(Principal("ann"), ("length",), ("expanded",)), exact_rows).growth
    assert [(one.series, one.x, one.used[-1]) for one in by_length] == [
        ((), "length", max(solve["length"] or 0 for solve in solves))
    ]


def test_a_solve_is_counted_once_whatever_ends_it(sessions: Sessions) -> None:
    for status in ("solved", "exhausted", "limit_reached", "cancelled", "failed"):
        submit(sessions)
        claimed = must_claim(sessions)
        assert sessions.run(lambda session: end(session, claimed, answer(status)))  # noqa: B023
        assert not sessions.run(lambda session: end(session, claimed, answer(status)))  # noqa: B023
    end_by_machine(sessions, submit(sessions))
    waiting = submit(sessions)
    with sessions.read() as session:
        assert len(uncounted(session, 100)) == 6
    (group,) = ask(sessions, Question(Principal("ann"))).groups
    roll_up_all(sessions, 2)
    assert ask(sessions, Question(Principal("ann")), 1).groups[0].outcomes == group.outcomes
    assert (group.outcomes.n, group.outcomes.cancelled, group.outcomes.pending) == (6, 2, 1)
    end_by_machine(sessions, waiting)
    assert ask(sessions, Question(Principal("ann")), 1).groups[0].outcomes.n == 7


def test_every_snapshot_is_whole_while_solves_end_and_are_rolled_up(sessions: Sessions) -> None:
    """Readers see n grow, never shrink, and every mean is that of a prefix: all solves are alike."""
    draw = random.Random(1)
    alike = random_solve(draw, status="solved", k=3, expanded=7, algorithm="astar")
    stop = threading.Event()

    def end() -> None:
        for _ in range(60):
            insert_solves(sessions, [alike | {"id": random_solve(draw)["id"]} for _ in range(5)])

    def keep_rolling_up() -> None:
        while not stop.is_set():
            roll_up(sessions, 7)

    writers = [threading.Thread(target=end)]
    rollers = [threading.Thread(target=keep_rolling_up) for _ in range(2)]
    for thread in (*writers, *rollers):
        thread.start()
    seen = [0]
    while writers[0].is_alive():
        found = ask(sessions, Question(Principal("ann"), ("k",)), exact_rows=1)
        if found.groups:
            (group,) = found.groups
            assert group.measures["expanded"].mean == 7
            assert group.outcomes.n == group.outcomes.solved == group.measures["expanded"].exact
            seen.append(group.outcomes.n)
    stop.set()
    for thread in (*writers, *rollers):
        thread.join()
    assert seen == sorted(seen)
    roll_up_all(sessions)
    assert ask(sessions, Question(Principal("ann")), exact_rows=1).solves == 300


def test_too_many_groups_are_refused(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    insert_solves(sessions, [random_solve(random.Random(n)) for n in range(30)])
    monkeypatch.setattr(aggregation, "MAX_GROUPS", 3)
    assert len(ask(sessions, Question(Principal("ann"), ("puzzle",))).groups) == 2
    with pytest.raises(TooManyGroups):
        ask(sessions, Question(Principal("ann"), ("puzzle", "moves", "weight")))
