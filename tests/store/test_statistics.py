"""Statistics, compared with a recomputation by the library's, on random solves with every outcome."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from hstar.experiments.distributions import MOMENT_ERROR, QUANTILE_ERROR
from hstar.experiments.growth import student_t
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import MEASURES, Summary
from store.database import Sessions
from store.owners.principal import SYSTEM, Principal
from store.solves.status import DONE, OUTCOMES
from store.statistics import aggregation
from store.statistics.aggregation import Aggregate, Question, TooManyGroups, aggregate, excesses
from store.statistics.rollup import roll_up, uncounted
from tests.experiments import plain
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
        told = {**solve, "status": solve["state"], "outcome": solve["status"] if solve["status"] in DONE else None}
        key = tuple((tags or {}).get(solve["id"]) if name.startswith("tag:") else told[name] for name in by)
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
        assert group.outcomes == plain.outcomes(rows)
        for measure, summary in group.measures.items():
            wanted = plain.summarise_rows(rows, measure)
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


def test_as_many_solves_as_may_be_read_are(sessions: Sessions, solves: Solves, monkeypatch: pytest.MonkeyPatch) -> None:
    roll_up(sessions, 100)
    ended = sum(solve["status"] in OUTCOMES for solve in solves)
    question = Question(Principal("ann"))
    for rows, exact in ((ended, True), (ended - 1, False)):
        monkeypatch.setattr(aggregation, "EXACT_ROWS", rows)
        with sessions.read() as session:
            assert aggregate(session, question).exact is exact


def test_many_solves_are_summarised_within_the_bounds(sessions: Sessions, solves: Solves) -> None:
    for most in (60, 150, 10_000):
        roll_up(sessions, most)
        for by in BY:
            found = ask(sessions, Question(Principal("ann"), by, tuple(MEASURES)), exact_rows=99)
            check(found, grouped(solves, by), exact=False)


def test_solves_that_wait_for_the_rollup_are_read_in_pieces(
    sessions: Sessions, solves: Solves, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = [solve["status"] in OUTCOMES for solve in solves]
    for piece in (37, sum(ended)):
        monkeypatch.setattr(aggregation, "UNCOUNTED_AT_ONCE", piece)
        found = ask(sessions, Question(Principal("ann"), ("k",)), 5)
        check(found, grouped(solves, ("k",)), exact=piece == sum(ended))


FILTERS: list[tuple[dict[str, tuple[Any, ...]], Callable[[dict[str, Any]], bool]]] = [
    ({"puzzle": ("megaminx",), "k": (3, 5)}, lambda s: s["puzzle"] == "megaminx" and s["k"] in (3, 5)),
    ({"heuristic": ("student-one", "manhattan")}, lambda s: s["heuristic"] == "manhattan"),
    ({"heuristic": ("ceil(misplaced_tiles / 2)",)}, lambda s: s["heuristic"] == "ceil(misplaced_tiles / 2)"),
    ({"length": (0, 4)}, lambda s: s["length"] in (0, 4)),
    ({"outcome": ("solved",)}, lambda s: s["status"] == "solved"),
    ({"status": ("done", "queued")}, lambda s: s["status"] in ("queued", *DONE)),
    (
        {"status": ("done", "failed"), "outcome": ("exhausted", "limit_reached")},
        lambda s: s["limit"] or s["status"] == "exhausted",
    ),
    ({"status": ("queued", "failed"), "outcome": ("solved",)}, lambda s: False),
    ({"status": ("running",)}, lambda s: s["status"] == "running"),
    ({"weight": (1.5,), "moves": ("cw",)}, lambda s: s["weight"] == 1.5 and s["moves"] == "cw"),
    ({"puzzle": ("none",)}, lambda s: False),
]


@pytest.mark.parametrize("exact_rows", [10_000, 5])
def test_filters_choose_the_same_solves_in_the_rollup(sessions: Sessions, solves: Solves, exact_rows: int) -> None:
    for most in (200, 10_000):
        roll_up(sessions, most)
        for where, fits in FILTERS:
            chosen = [solve for solve in solves if fits(solve)]
            found = ask(sessions, Question(Principal("ann"), ("k", "status", "outcome"), where=where), exact_rows)
            few = sum(solve["status"] in OUTCOMES for solve in chosen) <= exact_rows
            check(found, grouped(chosen, ("k", "status", "outcome")), exact=few)


@pytest.mark.parametrize("exact_rows", [10_000, 20])
def test_tags_and_times_are_asked_of_the_solves_themselves(sessions: Sessions, solves: Solves, exact_rows: int) -> None:
    roll_up_all(sessions)
    course = {solve["id"]: "ai" for solve in solves[::2]}
    student = {solve["id"]: f"s{number % 3}" for number, solve in enumerate(solves) if number % 5}
    tag(sessions, "course", course)
    tag(sessions, "course", {solve["id"]: "db" for solve in solves[1::4]})
    tag(sessions, "student", student)
    for key in ("area", "year"):  # the same value, of another key
        tag(sessions, key, {solve["id"]: "ai" for solve in solves})
    exact = exact_rows > 20
    found = ask(sessions, Question(Principal("ann"), ("tag:student",), tags={"course": "ai"}), exact_rows)
    check(found, grouped([s for s in solves if s["id"] in course], ("tag:student",), student), exact=exact)
    found = ask(sessions, Question(Principal("ann"), ("k", "tag:none"), tags={"course": "ai"}), exact_rows)
    check(found, grouped([s for s in solves if s["id"] in course], ("k", "tag:none")), exact=exact)

    # Each alone, so that the rollup, which has neither, cannot answer.
    found = ask(sessions, Question(Principal("ann"), ("tag:student",)), exact_rows)
    check(found, grouped(solves, ("tag:student",), student), exact=exact)
    found = ask(sessions, Question(Principal("ann"), ("k",), tags={"course": "ai"}), exact_rows)
    check(found, grouped([s for s in solves if s["id"] in course], ("k",)), exact=exact)

    begin, end = solves[60]["created_at"], solves[-60]["created_at"]
    found = ask(sessions, Question(Principal("ann"), ("k",), created_from=begin), exact_rows)
    check(found, grouped([s for s in solves if begin <= s["created_at"]], ("k",)), exact=exact)
    found = ask(sessions, Question(Principal("ann"), ("k",), created_before=end), exact_rows)
    check(found, grouped([s for s in solves if s["created_at"] < end], ("k",)), exact=exact)
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
        wanted = plain.growth(rows, one.measure, "k", student_t)
        assert one.x == "k"
        assert one.fit.censored == [7]
        for name in ("used", "censored", "searches"):
            assert getattr(one.fit, name) == wanted[name]
        for name in ("factor", "low", "high", "spread"):
            assert getattr(one.fit, name) == pytest.approx(wanted[name], rel=1e-9)
    by_length = ask(sessions, Question(Principal("ann"), ("length",), ("expanded",)), exact_rows).growth
    assert [(one.series, one.x, one.fit.used[-1]) for one in by_length] == [
        ((), "length", max(solve["length"] or 0 for solve in solves))
    ]


def test_solutions_are_compared_with_the_distances_that_solves_prove(sessions: Sessions) -> None:
    """Also with those of several solves together, and with none where they contradict one another."""
    draw = random.Random(9)
    fields: dict[str, list[Any]] = {
        "puzzle": ["p", "q"], "goal": [None, "1"], "moves": ["m", "n"], "scramble_moves": ["m", None], "k": [3, 4],
        "seed": [1, 2, None],
    }  # fmt: skip
    solves = []
    for number in range(600):
        own = {name: draw.choice(values[number % 2 :]) for name, values in fields.items()}
        status = draw.choice(["solved", "solved", "limit_reached"])
        length = draw.randrange(8) if status == "solved" else None
        bound = draw.choice([None, 0, draw.randrange(8 if length is None else length + 1)])
        known = None if length is None else "proven" if length == bound else "feasible"
        own |= {"length": length, "lower_bound": bound, "optimality": known}
        solves.append(random_solve(draw, status=status, owner=draw.choice(["ann", "bob"]), **own))
    insert_solves(sessions, solves)

    def row_with_instance(number: int, solve: dict[str, Any]) -> ExperimentRow:
        seed = -number - 1 if solve["seed"] is None else solve["seed"]
        return replace(row_of(solve), seed=seed, goal=solve["goal"])

    mine = [one for one in solves if one["owner"] == "ann"]
    for where in ({}, {"k": (4,)}, {"outcome": ("solved",)}):
        chosen = [one for one in mine if "k" not in where or one["k"] == 4]
        chosen = [one for one in chosen if "outcome" not in where or one["status"] == "solved"]
        rows = {one["id"]: row_with_instance(number, one) for number, one in enumerate(chosen)}
        for by in ((), ("heuristic", "k")):
            question = Question(Principal("ann"), by, where=where)
            with sessions.read() as session:
                found = excesses(session, question, len(chosen))
                assert excesses(session, question, len(chosen) - 1) is None
            assert found == {
                values: plain.excess([rows[one["id"]] for one in group], list(rows.values()))
                for values, group in grouped(chosen, by).items()
                if any(one["length"] is not None for one in group)
            }


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


def test_of_two_that_count_the_same_solves_the_second_counts_none(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(2)
    insert_solves(sessions, [random_solve(draw, status="solved") for _ in range(3)])
    run = Sessions.run

    def late(self: Sessions, work: Any) -> Any:
        monkeypatch.setattr(Sessions, "run", run)
        assert roll_up(sessions) == 3
        return self.run(work)

    monkeypatch.setattr(Sessions, "run", late)
    assert roll_up(sessions) == 0
    assert ask(sessions, Question(SYSTEM), exact_rows=0).solves == 3


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
    monkeypatch.setattr(aggregation, "MAX_GROUPS", 2)
    assert len(ask(sessions, Question(Principal("ann"), ("puzzle",))).groups) == 2
    with pytest.raises(TooManyGroups):
        ask(sessions, Question(Principal("ann"), ("puzzle", "moves", "weight")))
