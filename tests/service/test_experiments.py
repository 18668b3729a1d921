"""Experiments over HTTP: on the real application and database, run by the worker's runner."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import timedelta
from io import BytesIO, StringIO
from typing import Any, get_args

import pyarrow.parquet
import pytest
import redis
from flask.testing import FlaskClient

from hstar import search
from hstar.experiments import export
from hstar.experiments.compare import compare, compare_all
from hstar.experiments.design import plan
from hstar.experiments.rows import ExperimentRow, row_of, with_true_distances
from hstar.experiments.schema import Axis, Comparison, Experiment, ExperimentRequest, Table
from hstar.experiments.table import tabulate
from hstar.schema import LimitsIn, SolveRequest
from service.examples import EXPERIMENT_REQUESTS
from service.resources import experiment_answers
from service.schema import RowInShort
from store.doorbell import MOST_BELLS, QUEUE
from store.jobs import machine
from store.solves import answers
from tests.service.conftest import KEYS
from tests.service.problems import faults, problem

BODY: dict[str, Any] = {
    "puzzle": "8-puzzle", "k": [4, 12], "trials": 3, "seed": 7, "heuristics": ["manhattan", "misplaced_tiles"],
    "limits": {"expanded": 9, "memory_mib": 64}, "true_distance": True, "tags": {"course": "ai"},
}  # fmt: skip
ROWS = 2 * 3 * 3
SMALL = {"puzzle": "8-puzzle", "k": [2], "trials": 2, "seed": 1}


@pytest.fixture
def database_url(either_database_url: str) -> str:
    """Many rows in one transaction, while others read."""
    return either_database_url


def submit(client: FlaskClient, body: Any = BODY, **headers: str) -> dict[str, Any]:
    answer = client.post("/v1/experiments", json=body, headers=headers)
    assert answer.status_code == 202, answer.get_data(as_text=True)
    found = answer.get_json()
    assert isinstance(found, dict)
    assert answer.headers["Location"] == f"/v1/experiments/{found['id']}"
    return found


def test_rows_are_read_some_at_a_time(client: FlaskClient, work_off: Callable[[], int]) -> None:
    path = f"/v1/experiments/{submit(client)['id']}"
    work_off()
    rows = rows_of(client, path.rsplit("/", 1)[1])
    for first, limit in ((0, 5), (5, 200), (ROWS, 3)):
        part = client.get(f"{path}/rows?first={first}&limit={limit}").get_json()
        assert part["rows"] == ROWS
        wanted = rows[first : first + limit]
        assert [{**one, "id": ""} for one in part["items"]] == [
            {name: "" if name == "id" else getattr(row, name) for name in RowInShort.model_fields} for row in wanted
        ]
        for one in part["items"]:
            assert client.get(f"/v1/jobs/{one['id']}").get_json()["outcome"] == one["outcome"]
    assert client.get(f"{path}/rows?limit=0").status_code == 422


def expected(body: dict[str, Any]) -> list[ExperimentRow]:
    """The rows of searches without a server."""
    design = plan(ExperimentRequest.model_validate(body), LimitsIn(memory_mib=2048, seconds=600))
    rows = []
    for planned in design.rows():
        problem = search.prepare(design.solve_request(planned))
        rows.append(row_of(design, planned, search.answer(problem, search.solve(problem))))
    return with_true_distances(rows)


def structs(row: ExperimentRow) -> list[dict[str, float]] | None:
    """The f-layers of a row as Parquet has them."""
    return None if row.layers is None else [{"f": f, "expanded": expanded} for f, expanded in row.layers]


def rows_of(client: FlaskClient, identifier: str) -> list[ExperimentRow]:
    answer = client.get(f"/v1/experiments/{identifier}/rows.csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    text = answer.get_data(as_text=True)
    assert answer.content_length == len(answer.data)
    return list(export.read_rows_csv(StringIO(text, newline="")))


def timeless(rows: Sequence[ExperimentRow]) -> list[ExperimentRow]:
    return [replace(row, seconds=None, peak_bytes=None) for row in rows]


def test_from_the_request_to_every_answer(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = submit(client)
    path = f"/v1/experiments/{made['id']}"
    assert (made["status"], made["rows"], made["fraction_done"], made["seconds_left"]) == ("queued", ROWS, 0, None)
    assert client.get(path).headers["Retry-After"] == "1"
    assert {row.status for row in rows_of(client, made["id"])} == {"queued"}
    assert work_off() == ROWS
    assert made["quality"] is None
    answer = client.get(path)
    now = Experiment.model_validate_json(answer.data)
    assert now.quality == Table.model_validate(client.get(f"{path}/table").json).quality
    assert (now.status, now.fraction_done, now.outcomes.n, now.seconds_left) == ("done", 1.0, ROWS, None)
    assert now.finished_at is not None
    assert "Retry-After" not in answer.headers
    assert now.request == ExperimentRequest.model_validate(BODY)

    rows = rows_of(client, made["id"])
    assert timeless(rows) == timeless(expected(BODY))
    assert {row.outcome for row in rows} == {"solved", "limit_reached"}
    assert json.loads(client.get(f"{path}/rows.json").data) == json.loads(json.dumps([asdict(row) for row in rows]))
    parquet = pyarrow.parquet.read_table(BytesIO(client.get(f"{path}/rows.parquet").data))
    assert parquet.to_pylist() == [asdict(row) | {"layers": structs(row)} for row in rows]
    assert parquet.schema.metadata[b"experiment"].decode() == made["id"]

    for x in get_args(Axis):
        table = Table.model_validate_json(client.get(f"{path}/table?x={x}").data)
        assert table == tabulate(rows, x)
        only = Table.model_validate_json(client.get(f"{path}/table?x={x}&measure=generated").data)
        assert only == tabulate(rows, x, ["generated"])
        text = client.get(f"{path}/table.csv?x={x}").get_data(as_text=True)
        assert text == "".join(export.table_csv(table))
    comparisons = client.get(f"{path}/comparison?measure=generated").get_json()["items"]
    assert [Comparison.model_validate(one) for one in comparisons] == compare_all(rows, "generated")

    for options in ("", "?x=true_distance&y=seconds"):
        plot = client.get(f"{path}/plot.svg{options}")
        assert plot.data.startswith(b"<?xml")
        assert "style-src 'unsafe-inline'" in plot.headers["Content-Security-Policy"]
        assert client.get(f"{path}/plot.png{options}").data.startswith(b"\x89PNG")


def test_each_row_is_a_solve_of_its_own(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = submit(client)
    client.post("/v1/solves", json={"puzzle": "8-puzzle", "alg": ""})
    page = client.get(f"/v1/jobs?kind=solve&experiment={made['id']}&limit=200").get_json()
    assert len(page["items"]) == ROWS
    assert {item["tags"]["course"] for item in page["items"]} == {"ai"}
    assert client.get(f"/v1/jobs?kind=solve&experiment={'0' * 36}").get_json()["items"] == []
    assert work_off() == ROWS + 1


def test_instances_of_ones_own_and_random_ones(client: FlaskClient, work_off: Callable[[], int]) -> None:
    given = [
        {"name": "far", "state": "2 8 3 / 1 6 4 / 0 7 5", "optimum": 5},
        {"alg": "U R"},
        [1, 2, 3, 8, 4, 0, 7, 6, 5],
    ]
    for fields in ({"instances": given}, {"random": 4, "seed": 3}):
        body = {
            "puzzle": "8-puzzle",
            "heuristics": ["manhattan", "misplaced-tiles"],
            "limits": {"expanded": 999},
            **fields,
        }
        made = submit(client, body)
        assert work_off() == made["rows"] == (6 if "instances" in fields else 8)
        path = f"/v1/experiments/{made['id']}"
        rows = rows_of(client, made["id"])
        assert timeless(rows) == timeless(expected(body))
        table = Table.model_validate_json(client.get(f"{path}/table").data)
        assert table == tabulate(rows)
        assert [one.stated and one.stated.wrong for one in table.quality] == (
            [["far"]] if "instances" in fields else [None]
        ) * 2
        assert client.get(path).get_json()["quality"] == table.model_dump(mode="json")["quality"]
        for one in client.get(f"{path}/rows").get_json()["items"]:
            start = client.get(f"/v1/jobs/{one['id']}").get_json()["start"]
            assert (start["given_as"], start["random"]) == (
                ("random", one["seed"]) if "random" in fields else ("alg" if one["trial"] == 2 else "state", None)
            )
        assert client.get(f"{path}/plot.svg").status_code == 200
        assert submit_again(client, body) == made["id"]
    answer = client.post("/v1/experiments", json={"puzzle": "8-puzzle", "instances": [[1, 2], "1 2 3 / 8 0 4 / 7 6 5"]})
    assert (answer.status_code, [one["where"] for one in answer.get_json()["errors"]]) == (422, ["/instances/0"])
    assert submit(client, {"puzzle": "15-puzzle", "instances": "korf-15-puzzle"})["rows"] == 100


def submit_again(client: FlaskClient, body: Any) -> str:
    answer = client.post("/v1/experiments", json=body)
    assert (answer.status_code, answer.headers["Idempotent-Replayed"]) == (200, "true")
    return str(answer.get_json()["id"])


def work_some(client: FlaskClient, count: int) -> None:
    """End so many rows like a worker, and leave one more running."""
    sessions = client.application.extensions["hstar"].sessions
    for number in range(count + 1):
        claimed = sessions.run(lambda session: machine.claim_next(session, "worker", timedelta(seconds=60)))
        assert claimed is not None
        if number < count:
            asked = search.prepare(SolveRequest.model_validate_json(claimed.request))
            answer = search.answer(asked, search.solve(asked))
            assert sessions.run(lambda session: answers.finish(session, claimed, answer))  # noqa: B023


def test_half_way(client: FlaskClient) -> None:
    """Its counts, the forecast, and its partial answers."""
    identifier = submit(client)["id"]
    path = f"/v1/experiments/{identifier}"
    work_some(client, 6)
    now = client.get(path).get_json()
    assert (now["status"], now["fraction_done"], now["finished_at"]) == ("running", 6 / ROWS, None)
    assert (now["outcomes"]["n"], now["outcomes"]["pending"], now["running"]) == (6, ROWS - 6, 1)
    assert 0 < now["seconds_left"] < 60
    rows = rows_of(client, identifier)
    assert [row.status for row in rows[6:]] == ["running", *["queued"] * (ROWS - 7)]
    assert timeless(rows[:6]) == timeless(expected(BODY))[:6]
    (line, *_) = client.get(f"{path}/table").get_json()["groups"]
    assert (line["outcomes"]["n"], line["outcomes"]["pending"]) == (2, 1)
    assert client.get(f"{path}/plot.svg").status_code == 200


def test_answers_are_made_anew_only_when_a_row_changed(client: FlaskClient, work_off: Callable[[], int]) -> None:
    identifier = submit(client)["id"]
    paths = [
        f"/v1/experiments/{identifier}{end}"
        for end in ("", "/rows.csv", "/rows.json", "/table", "/plot.svg", "/table.csv")
    ]
    tags = {path: client.get(path).headers["ETag"] for path in paths}
    assert len(set(tags.values())) == len(paths)
    assert {client.get(path).headers["Cache-Control"].replace(" ", "") for path in paths} <= {
        "private,no-cache", "no-cache,private",
    }  # fmt: skip
    for path, tag in tags.items():
        again = client.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag), path
        # A browser uses the headers of a 304; a plot's colours are inline styles.
        assert ("style-src 'unsafe-inline'" in again.headers["Content-Security-Policy"]) == path.endswith(".svg")
    work_off()
    for path, tag in tags.items():
        answer = client.get(path, headers={"If-None-Match": tag})
        assert (answer.status_code, answer.headers["ETag"] != tag) == (200, True), path


def test_cancelling_ends_the_unfinished_rows(client: FlaskClient, work_off: Callable[[], int]) -> None:
    identifier, other = submit(client)["id"], submit(client, SMALL)["id"]
    work_some(client, 2)
    path = f"/v1/experiments/{identifier}"
    answer = client.post(f"{path}/cancel")
    assert (answer.status_code, answer.get_json()["status"]) == (202, "running")
    outcomes = answer.get_json()["outcomes"]
    assert (outcomes["n"], outcomes["cancelled"], outcomes["pending"]) == (ROWS - 1, ROWS - 3, 1)
    running = [row.index for row in rows_of(client, identifier) if row.status == "running"]
    assert running == [2]
    work_off()
    assert client.get(f"/v1/experiments/{other}").get_json()["status"] == "done"
    for _ in range(2):
        assert client.post(f"/v1/experiments/{other}/cancel").get_json()["outcomes"]["cancelled"] == 0
    assert client.post(f"{path}/cancel").get_json()["outcomes"]["pending"] == 1


def test_the_same_again_runs_nothing_twice(client: FlaskClient, work_off: Callable[[], int]) -> None:
    first = submit(client)["id"]
    again = client.post("/v1/experiments", json=BODY | {"k": [12, 4, 12]})
    assert (again.status_code, again.get_json()["id"], again.headers["Idempotent-Replayed"]) == (202, first, "true")
    assert submit(client, BODY | {"tags": {"course": "db"}})["id"] != first
    assert work_off() == 2 * ROWS
    done = client.post("/v1/experiments", json=BODY)
    assert (done.status_code, done.get_json()["id"], done.get_json()["status"]) == (200, first, "done")
    assert work_off() == 0
    # A new key means a new experiment.
    keyed = submit(client, **{"Idempotency-Key": "once-more"})["id"]
    assert keyed != first
    assert submit(client, **{"Idempotency-Key": "once-more"})["id"] == keyed
    problem(
        client.post("/v1/experiments", json=SMALL, headers={"Idempotency-Key": "once-more"}), "idempotency-key-reused"
    )
    client.post(f"/v1/experiments/{keyed}/cancel")
    # A cancelled experiment is run again, not shown; even while its last row has not noticed the cancel yet.
    dying = submit(client)["id"]
    work_some(client, ROWS - 1)
    outcomes = client.post(f"/v1/experiments/{dying}/cancel").get_json()["outcomes"]
    assert (outcomes["pending"], outcomes["cancelled"]) == (1, 0)
    fresh = submit(client)["id"]
    assert len({first, keyed, dying, fresh}) == 4
    assert work_off() == ROWS


def test_many_that_send_the_same_at_once_make_one(client: FlaskClient) -> None:
    app = client.application
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: app.test_client().post("/v1/experiments", json=BODY), range(6)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.get_json()["id"] for answer in answers}) == 1
    assert len(client.get("/v1/experiments").get_json()["items"]) == 1


def test_wake_up_messages_are_limited_for_many_rows(client: FlaskClient, broker_url: str) -> None:
    bells = redis.Redis.from_url(broker_url)
    submit(client, SMALL)
    assert bells.llen(QUEUE) == 2
    submit(client, SMALL | {"k": {"from": 1, "to": 40}})
    assert bells.llen(QUEUE) == MOST_BELLS


def test_examples_of_the_documentation_are_taken(client: FlaskClient) -> None:
    for example in EXPERIMENT_REQUESTS.values():
        assert submit(client, example["value"])["status"] == "queued"


def test_lists(client: FlaskClient, work_off: Callable[[], int]) -> None:
    ids = [submit(client, SMALL | {"seed": seed})["id"] for seed in range(5)]
    work_off()
    ids.append(submit(client, SMALL | {"puzzle": "megaminx"})["id"])
    seen: list[dict[str, Any]] = []
    path: str | None = "/v1/experiments?limit=4"
    while path is not None:
        page = client.get(path).get_json()
        seen += page["items"]
        path = page["next"]
    assert [item["id"] for item in seen] == ids[::-1]
    assert [item["status"] for item in seen] == ["queued"] + ["done"] * 5
    assert seen[1] == client.get(f"/v1/experiments/{ids[4]}").get_json() | {"quality": None}
    found = client.get("/v1/experiments?puzzle=megaminx").get_json()["items"]
    assert [item["id"] for item in found] == ids[-1:]


def test_an_owner_sees_her_own(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    mine, hers = submit(client, SMALL, **alice)["id"], submit(client, SMALL, **bob)["id"]
    assert mine != hers
    for end in (
        "",
        "/rows.csv",
        "/rows.json",
        "/rows.parquet",
        "/table",
        "/table.csv",
        "/plot.svg",
        "/plot.png",
        "/comparison",
    ):
        problem(client.get(f"/v1/experiments/{mine}{end}", headers=bob), "not-found")
        assert client.get(f"/v1/experiments/{mine}{end}", headers=alice).status_code == 200
    problem(client.get(f"/v1/experiments/{hers}/comparison?other={mine}", headers=bob), "not-found")
    problem(client.post(f"/v1/experiments/{mine}/cancel", headers=bob), "not-found")
    assert client.get(f"/v1/jobs?kind=solve&experiment={mine}", headers=bob).get_json()["items"] == []
    assert len(client.get("/v1/experiments", headers=bob).get_json()["items"]) == 1


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({"k": []}, {"/k"}),
        ({"k": {"from": 5, "to": 3}}, {"/k"}),
        ({"trials": 0, "seeds": 1}, {"/trials", "/seeds"}),
        ({"heuristics": ["manhattan", "sum("]}, {"/heuristics/1"}),
        ({"puzzle": "nonogram"}, {"/puzzle"}),
        ({"goal": [1, 2, 3]}, {"/goal"}),
        (
            {"moves": "cw", "scramble_moves": "sideways", "heuristics": ["sum("]},
            {"/moves", "/scramble_moves", "/heuristics/0"},
        ),
        ({"algorithms": ["auto"], "heuristics": ["manhattan"], "weights": [2.0]}, {"/heuristics", "/weights"}),
        ({"heuristics": ["manhattan", "manhattan + 0 * 1"], "algorithms": ["astr"]}, {"/algorithms/0"}),
        ({"k": {"from": 1, "to": 1000}, "trials": 101}, {""}),
        ({"limits": {"memory_mib": 4096}}, {"/limits/memory_mib"}),
    ],
)
def test_bad_requests_are_refused_whole(client: FlaskClient, change: dict[str, Any], places: set[str]) -> None:
    found = faults(client.post("/v1/experiments", json=SMALL | change))
    assert set(found) == places
    assert (
        client.get("/v1/experiments").get_json()["items"] == client.get("/v1/jobs?kind=solve").get_json()["items"] == []
    )


def test_a_full_queue_takes_all_rows_or_none(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(max_queued=5)
    submit(client, SMALL)
    submit(client, SMALL | {"seed": 2})
    problem(client.post("/v1/experiments", json=SMALL | {"seed": 3}), "queue-full")
    assert faults(client.post("/v1/experiments", json=SMALL | {"trials": 6})) != {}
    assert len(client.get("/v1/jobs?kind=solve").get_json()["items"]) == 4


def test_two_experiments_and_two_heuristics_are_compared(client: FlaskClient, work_off: Callable[[], int]) -> None:
    one = submit(client, BODY | {"limits": {}})["id"]
    zero = submit(client, BODY | {"limits": {}, "heuristics": ["0"], "true_distance": False})["id"]
    work_off()
    mine, theirs = rows_of(client, one), rows_of(client, zero)

    def ask(identifier: str, query: str) -> list[Comparison]:
        answer = client.get(f"/v1/experiments/{identifier}/comparison{query}")
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return [Comparison.model_validate(item) for item in answer.get_json()["items"]]

    manhattan, misplaced = ([row for row in mine if row.heuristic == name] for name in BODY["heuristics"])
    assert ask(one, "") == [compare(manhattan, misplaced)]
    assert ask(one, "?first=misplaced_tiles") == [compare(misplaced, manhattan)]
    assert ask(zero, "") == []
    assert ask(one, f"?other={zero}&measure=generated") == [
        compare(rows, theirs, "generated") for rows in (manhattan, misplaced)
    ]
    assert ask(one, f"?other={zero}&first=manhattan") == [compare(manhattan, theirs)]
    for query, place in (("first=none", "query:first"), ("measure=beauty", "query:measure"), ("x=1", "query:x")):
        assert set(faults(client.get(f"/v1/experiments/{one}/comparison?{query}"))) == {place}
    problem(client.get(f"/v1/experiments/{one}/comparison?other=42"), "not-found")


def test_too_many_comparisons_are_refused(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    identifier = submit(client, BODY | {"weights": [1.0, 2.0]})["id"]
    monkeypatch.setattr(experiment_answers, "MAX_COMPARISONS", 5)
    path = f"/v1/experiments/{identifier}/comparison"
    assert set(faults(client.get(path))) == {"query:first"}
    assert len(client.get(f"{path}?first=manhattan&second=misplaced_tiles").get_json()["items"]) == 4


def test_unknown_ids(client: FlaskClient) -> None:
    for name in ("01890000-0000-7000-8000-000000000000", "42", "%00", "a.b", ".csv"):
        problem(client.get(f"/v1/experiments/{name}"), "not-found")
        problem(client.post(f"/v1/experiments/{name}/cancel"), "not-found")
        problem(client.get(f"/v1/experiments/{name}/rows.csv"), "not-found")
    identifier = submit(client, SMALL)["id"]
    assert set(faults(client.get(f"/v1/experiments/{identifier}/plot.svg?x=beauty&y=2"))) == {"query:x", "query:y"}
    problem(client.get(f"/v1/experiments/{identifier}/rows.xlsx"), "not-found")


@pytest.mark.parametrize(
    ("end", "module", "code"),
    [("/rows.parquet", "pyarrow", "parquet-not-installed"), ("/plot.svg", "matplotlib", "plots-not-installed")],
)
def test_missing_packages_are_reported(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, end: str, module: str, code: str
) -> None:
    path = f"/v1/experiments/{submit(client, SMALL)['id']}{end}"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        problem(client.get(path), code)
    assert client.get(path).status_code == 200


def test_formulas_in_tags_and_heuristics_stay_text(client: FlaskClient) -> None:
    identifier = submit(client, SMALL | {"heuristics": ["-1 + manhattan"]})["id"]
    for end in ("/rows.csv", "/table.csv"):
        text = client.get(f"/v1/experiments/{identifier}{end}").get_data(as_text=True)
        cells = [cell for line in csv.reader(StringIO(text)) for cell in line]
        assert "'-1 + manhattan" in cells
        assert not any(cell.startswith("-") for cell in cells)
