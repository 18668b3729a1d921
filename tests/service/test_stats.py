"""GET /v1/stats on solves run by the worker's runner, compared with the library's statistics of the same rows."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from flask.testing import FlaskClient

from hstar.experiments.distributions import QUANTILE_ERROR
from hstar.experiments.growth import student_t
from hstar.experiments.schema import MEASURES, Outcomes, Summary
from service.schema import Stats, StatsQuality
from store.database import Sessions
from store.statistics import aggregation
from store.statistics.aggregation import USUAL_MEASURES
from store.statistics.rollup import roll_up
from tests.experiments import plain
from tests.service.conftest import KEYS
from tests.service.problems import faults
from tests.service.test_experiments import BODY, ROWS, rows_of, submit
from tests.store.solves import insert_solves, random_solve, row_of, tag


@pytest.fixture
def database_url(either_database_url: str) -> str:
    """Sums and quantiles in SQL differ most between the two."""
    return either_database_url


def ask(client: FlaskClient, query: str = "", **headers: str) -> Stats:
    answer = client.get(f"/v1/stats?{query}", headers=headers)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return Stats.model_validate_json(answer.data)


def lines(client: FlaskClient, query: str) -> list[dict[str, str]]:
    answer = client.get(f"/v1/stats.csv?{query}")
    assert answer.content_type == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(answer.get_data(as_text=True))))


def sessions_of(client: FlaskClient) -> Sessions:
    found = client.application.extensions["hstar"].sessions
    assert isinstance(found, Sessions)
    return found


def test_an_experiments_solves_in_every_grouping(client: FlaskClient, work_off: Callable[[], int]) -> None:
    identifier = submit(client)["id"]
    work_off()
    client.post("/v1/solves", json={"puzzle": "megaminx", "alg": "U"})
    rows = [row for row in rows_of(client, identifier) if row.role == "search"]
    found = ask(client, "group_by=k&group_by=heuristic&puzzle=8-puzzle&algorithm=astar")
    assert (found.solves, found.exact, found.quantile_error) == (len(rows), True, 0.0)
    assert [group.values for group in found.groups] == [
        {"k": k, "heuristic": name} for k in (4, 12) for name in ("manhattan", "misplaced_tiles")
    ]
    for group in found.groups:
        own = [row for row in rows if (row.k, row.heuristic) == tuple(group.values.values())]
        assert group.outcomes == plain.outcomes(own)
        assert group.measures == {measure: plain.summarise_rows(own, measure) for measure in USUAL_MEASURES}
    for growth in found.growth:
        own = [row for row in rows if row.heuristic == growth.series["heuristic"]]
        wanted = plain.growth(own, growth.measure, "k", student_t)
        assert (growth.x, growth.used, growth.censored) == ("k", wanted["used"], wanted["censored"])
    (whole,) = ask(client, "tag=course:ai&measure=seconds&algorithm=auto").groups
    assert (whole.outcomes.n, list(whole.measures)) == (ROWS - len(rows), ["seconds"])
    assert [group.values for group in ask(client, "group_by=tag:course").groups] == [
        {"tag:course": "ai"}, {"tag:course": None},
    ]  # fmt: skip
    assert ask(client, "status=queued").groups[0].outcomes == Outcomes(pending=1)
    assert ask(client, "tag=course:ai&tag=course:db").groups == []
    assert ask(client, "created_before=2020-01-01T00:00:00Z").groups == []


def test_beams_are_told_apart_by_their_width(client: FlaskClient, work_off: Callable[[], int]) -> None:
    beams = {"algorithms": ["constructive", "beam"], "widths": [5, 500], "heuristics": [], "limits": {}}
    identifier = submit(client, {**BODY, **beams, "true_distance": False, "k": [60], "trials": 2})["id"]
    work_off()
    rows = rows_of(client, identifier)
    assert [row.series.width for row in rows] == [None, 5, 500] * 2
    found = ask(client, "group_by=algorithm&group_by=width&measure=expanded&measure=length")
    ways = {tuple(group.values.values()): group for group in found.groups}
    assert set(ways) == {("constructive", None), ("beam", 5), ("beam", 500)}
    for (algorithm, width), group in ways.items():
        own = [row for row in rows if (row.algorithm, row.series.width) == (algorithm, width)]
        assert group.outcomes == plain.outcomes(own)
        assert group.measures["expanded"] == plain.summarise_rows(own, "expanded")
    assert [group.values["width"] for group in ask(client, "width=5&group_by=width").groups] == [5]


def test_csv_says_the_same(client: FlaskClient) -> None:
    draw = random.Random(3)
    insert_solves(sessions_of(client), [random_solve(draw, owner="local") for _ in range(120)])
    query = "group_by=puzzle&group_by=k&measure=all"
    found = ask(client, query)
    got = lines(client, query)
    assert len(got) == len(found.groups)
    for line, group in zip(got, found.groups, strict=True):
        assert [line[name] for name in group.values] == ["" if v is None else str(v) for v in group.values.values()]
        assert int(line["n"]) == group.outcomes.n
        for measure in MEASURES:
            for name in Summary.model_fields:
                value = getattr(group.measures[measure], name)
                text = line[f"{measure}_{name}"]
                shown = None if not text else text == "true" if isinstance(value, bool) else float(text)
                assert shown == value, (measure, name)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x")'])
def test_a_spreadsheet_runs_nothing(client: FlaskClient, text: str) -> None:
    """A student's heuristic or tag may look like a formula, in a cell or in the header."""
    solve = random_solve(random.Random(1), owner="local", heuristic=text)
    insert_solves(sessions_of(client), [solve])
    tag(sessions_of(client), "course", {solve["id"]: text})
    (line,) = lines(client, "group_by=heuristic&group_by=tag:course")
    assert (line["heuristic"], line["tag:course"]) == (f"'{text}", f"'{text}")


def test_many_solves_say_how_far_quantiles_may_be_off(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(4)
    solves = [random_solve(draw, owner="local", status="solved", expanded=1000 + n) for n in range(60)]
    insert_solves(sessions_of(client), solves)
    assert roll_up(sessions_of(client)) == 60
    monkeypatch.setattr(aggregation, "EXACT_ROWS", 59)
    found = ask(client, "measure=expanded")
    assert (found.solves, found.exact, found.quantile_error) == (60, False, QUANTILE_ERROR)
    wanted = plain.summarise_rows([row_of(solve) for solve in solves], "expanded")
    median = found.groups[0].measures["expanded"].median
    assert median is not None
    assert wanted.median is not None
    assert abs(median - wanted.median) <= QUANTILE_ERROR * wanted.median


def test_a_group_says_whether_its_heuristic_is_admissible(client: FlaskClient, work_off: Callable[[], int]) -> None:
    for heuristic in ("s2-face-distance", "s1-misplaced-facelets"):
        body = {"puzzle": "megaminx", "moves": "ccw", "heuristic": heuristic, "scramble": {"k": 2, "seed": 1}}
        assert client.post("/v1/solves", json=body).status_code == 202
    work_off()
    groups = ask(client, "group_by=heuristic&group_by=k&puzzle=megaminx&moves=ccw").groups
    told = {group.heuristic.name: group.heuristic for group in groups if group.heuristic is not None}
    assert len(groups) == 2
    assert told["s2-face-distance"].reason == "h = 4 but h* = 3 after U U F"
    assert {name: one.admissible for name, one in told.items()} == {
        "s2-face-distance": "refuted",
        "s1-misplaced-facelets": "proven",
    }
    # Without one of the three, a group has several heuristics.
    assert [group.heuristic for group in ask(client, "group_by=heuristic&moves=ccw").groups] == [None, None]


def test_a_group_says_how_many_of_its_solutions_are_optimal(
    client: FlaskClient, work_off: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = ("manhattan", "conflicts + inversions")
    for seed in range(6):
        for heuristic in ways:
            body = {"puzzle": "8-puzzle", "heuristic": heuristic, "scramble": {"k": 50, "seed": seed}}
            assert client.post("/v1/solves", json=body).status_code == 202
    work_off()
    items = client.get("/v1/jobs?kind=solve&limit=50").get_json()["items"]
    length = {(one["heuristic"]["expression"], one["start"]["scramble"]["seed"]): one["length"] for one in items}
    excess = [length[ways[1], seed] - length[ways[0], seed] for seed in range(6)]
    assert max(excess) > 0
    found = {group.values["heuristic"]: group.quality for group in ask(client, "group_by=heuristic").groups}
    assert found["manhattan"] == StatsQuality(compared=6, optimal=6, longest_excess=0)
    assert found[ways[1]] == StatsQuality(compared=6, optimal=excess.count(0), longest_excess=max(excess))
    monkeypatch.setattr("service.resources.stats.EXACT_ROWS", 11)
    assert {group.quality for group in ask(client, "group_by=heuristic").groups} == {None}


def test_a_bound_that_one_solve_proved_shows_that_another_solution_is_optimal(client: FlaskClient) -> None:
    """An instance is known if some solution is as short as the largest bound that any solve of it has proven."""
    draw = random.Random(3)
    same = {"puzzle": "8-puzzle", "goal": None, "moves": "slide", "scramble_moves": "slide", "k": 30}

    def one(seed: int, heuristic: str, length: int | None, bound: int) -> dict[str, Any]:
        solved = length is not None
        fields = {"length": length, "lower_bound": bound, "optimality": "feasible" if solved else None}
        fixed = same | fields | {"seed": seed, "heuristic": heuristic, "owner": "local"}
        return random_solve(draw, status="solved" if solved else "limit_reached", **fixed)

    solves = [
        one(1, "long", 12, 8), one(1, "short", 10, 9), one(1, "bound", None, 10),  # 10 is known
        one(2, "long", 12, 8), one(2, "short", 10, 9), one(2, "bound", None, 9),  # 9 or 10: not known
        one(3, "short", 10, 9), one(4, "bound", None, 10),  # another instance's bound says nothing
    ]  # fmt: skip
    insert_solves(client.application.extensions["hstar"].sessions, solves)
    found = {group.values["heuristic"]: group.quality for group in ask(client, "group_by=heuristic").groups}
    assert found["short"] == StatsQuality(compared=1, optimal=1, longest_excess=0)
    assert found["long"] == StatsQuality(compared=1, optimal=0, longest_excess=2)
    assert found["bound"] in (None, StatsQuality(compared=0, optimal=0, longest_excess=None))


def test_an_owner_sees_only_her_solves(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    submit(client, BODY, **alice)
    assert ask(client, "group_by=owner", **alice).groups[0].values == {"owner": "alice"}
    assert ask(client, "owner=alice", **bob).groups == []
    assert ask(client, "", **bob).groups == []


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("group_by=beauty&measure=love", {"query:group_by", "query:measure"}),
        ("group_by=tag:", {"query:group_by"}),
        ("k=-1&length=99999999999&weight=nan", {"query:k", "query:length", "query:weight"}),
        ("tag=course&created_after=1", {"query:tag", "query:created_after"}),
        ("groupby=k", {"query:groupby"}),
        ("created_after=2026-01-02T00:00:00Z&created_before=2026-01-02T01:00:00%2B01:00", {"query:created_before"}),
    ],
)
def test_bad_questions_are_refused(client: FlaskClient, query: str, places: set[str]) -> None:
    found = faults(client.get(f"/v1/stats?{query}"))
    assert set(found) == places
    assert not any("pattern" in message for message in found.values()), "people read no regular expressions"


def test_repeated_requests_make_one_resource(client: FlaskClient) -> None:
    insert_solves(sessions_of(client), [random_solve(random.Random(1), owner="local", k=3, status="solved")])
    once = "group_by=k&measure=seconds"
    assert ask(client, f"{once}&{once}") == ask(client, once)
    assert lines(client, f"{once}&{once}") == lines(client, once)


def test_too_many_groups_are_refused(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    solves: list[dict[str, Any]] = [random_solve(random.Random(n), owner="local", k=n) for n in range(4)]
    insert_solves(sessions_of(client), solves)
    monkeypatch.setattr(aggregation, "MAX_GROUPS", 3)
    assert set(faults(client.get("/v1/stats?group_by=k"))) == {"query:group_by"}
