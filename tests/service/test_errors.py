"""Whatever is sent, the answer is a problem document of the table, never 500."""

from __future__ import annotations

import json
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy.exc import OperationalError

import hstar.errors
from hstar.errors import Fault, HstarError, InvalidExpression, InvalidState, UnknownName
from service.errors import ERROR_KINDS, ProblemError, register_errors
from service.reading import MAX_BODY_BYTES
from tests.service.problems import faults, problem
from tests.service.test_jsontext import VALUES

SOLVES, JOBS = "/v1/solves", "/v1/jobs"


def post(client: FlaskClient, body: bytes | str, content_type: str | None = "application/json", **more: Any) -> Any:
    return client.post(SOLVES, data=body, content_type=content_type, **more)


def test_every_error_of_the_library_is_in_the_table() -> None:
    found = [
        value for value in vars(hstar.errors).values() if isinstance(value, type) and issubclass(value, HstarError)
    ]
    assert len(found) >= 6
    assert {error.code for error in found} <= set(ERROR_KINDS)


def test_addresses_and_methods_that_are_not_there(open_client: FlaskClient) -> None:
    for path in (
        "/v1",
        "/v1/nothing",
        "/v1/jobs/42",
        "/v1/scrambles/%00",
        "/v1/puzzles/nonogram",
        "/%ff",
    ):
        problem(open_client.get(path), "not-found")
    answer = open_client.put(SOLVES)
    assert "PUT" in problem(answer, "method-not-allowed")["detail"]
    assert set(answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}
    problem(open_client.post("/v1/limits"), "method-not-allowed")
    problem(open_client.open(SOLVES, method="TRACE"), "method-not-allowed")


def test_an_unknown_puzzle_is_answered_with_those_there_are(open_client: FlaskClient) -> None:
    assert "did you mean 'megaminx'" in problem(open_client.get("/v1/puzzles/megamix"), "not-found")["detail"]


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=latin-1",
    ],
)
def test_a_body_must_be_declared_as_json(open_client: FlaskClient, content_type: str | None) -> None:
    problem(post(open_client, '{"puzzle": "8-puzzle", "alg": ""}', content_type), "unsupported-media-type")


def test_an_encoded_body_is_not_unpacked(open_client: FlaskClient) -> None:
    answer = post(open_client, b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    assert "gzip" in problem(answer, "unsupported-media-type")["detail"]


def test_a_body_has_a_greatest_size(open_client: FlaskClient) -> None:
    frame = len('{"puzzle": ""}')
    assert "/puzzle" not in faults(post(open_client, json.dumps({"puzzle": "x" * (MAX_BODY_BYTES - frame)})))
    problem(post(open_client, json.dumps({"puzzle": "x" * (MAX_BODY_BYTES - frame + 1)})), "payload-too-large")


def test_malformed_json(open_client: FlaskClient) -> None:
    assert faults(post(open_client, '{"a": NaN, "b": 1, "b": 2}'), "malformed-json") == {
        "/a": "NaN is not a JSON number",
        "/b": "the key appears more than once",
    }
    problem(post(open_client, b"\xff\xfe"), "malformed-json")
    problem(post(open_client, "[" * 100_000), "malformed-json")
    problem(post(open_client, ""), "malformed-json")


def test_all_faults_of_a_body_come_at_once(open_client: FlaskClient) -> None:
    body = {
        "puzzle": 5,
        "scramble": {"k": True, "seed": "1", "mvs": "cw"},
        "mooves": "ccw",
        "weight": 0.5,
        "limits": {"expanded": -1, "seconds": True, "memory_mib": 10**30},
        "tags": {"": "x", "b": 3},
        "priority": 1.0,
        "algorithm": "magic",
    }
    found = faults(post(open_client, json.dumps(body)))
    assert set(found) >= {
        "/puzzle",
        "/scramble/k",
        "/scramble/seed",
        "/scramble/mvs",
        "/mooves",
        "/weight",
        "/limits/expanded",
        "/limits/seconds",
        "/limits/memory_mib",
        "/tags/b",
        "/priority",
        "/algorithm",
    }
    assert "/scramble" not in found  # it is an object, so the branch of the union for an id is not reported
    assert "found true" in found["/scramble/k"]
    assert "did you mean 'moves'" in found["/mooves"]
    assert "did you mean 'moves'" in found["/scramble/mvs"]


@pytest.mark.parametrize(
    ("body", "where", "words"),
    [
        ({}, "/puzzle", "missing"),
        ([], "", "object"),
        ("x", "", "object"),
        ({"puzzle": "8-puzzle"}, "", "exactly one of state, scramble, alg, random and shorten; found none"),
        ({"puzzle": "8-puzzle", "alg": "", "state": []}, "", "found state and alg"),
        ({"puzzle": "8-puzzle", "scramble": 5}, "/scramble", "object"),
        ({"puzzle": "8-puzzle", "scramble": {"k": 3}}, "/scramble/seed", "missing"),
        ({"puzzle": "8-puzzle", "scramble": {"k": 3, "seed": 2**63}}, "/scramble/seed", "or less"),
        ({"puzzle": "8-puzzle", "state": [1.5]}, "/state/0", "whole number"),
        ({"puzzle": "8-puzzle", "alg": "", "a/b~": 1}, "/a~1b~0", "no such field"),
        ({"puzzle": "8-puzzle", "scramble": "not-an-id"}, "/scramble", "no stored scramble"),
        ({"puzzle": "8-puzzle", "alg": "", "limits": {"memory_mib": 4096}}, "/limits/memory_mib", "at most 2048"),
        ({"puzzle": "megaminx", "alg": "", "goal": [1]}, "/goal", "sliding tiles"),
    ],
)
def test_faults_have_places_and_messages(open_client: FlaskClient, body: Any, where: str, words: str) -> None:
    assert words in faults(post(open_client, json.dumps(body)))[where]


@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        ({"puzzle": "nonogram", "alg": ""}, "unknown-name", "/puzzle"),
        ({"puzzle": "megaminx", "alg": "", "moves": "sideways"}, "unknown-name", "/moves"),
        ({"puzzle": "megaminx", "alg": "", "moves": ""}, "unknown-name", "/moves"),
        ({"puzzle": "megaminx", "shorten": "U R", "moves": ""}, "unknown-name", "/moves"),
        ({"puzzle": "megaminx", "random": 1, "moves": "sideways"}, "unknown-name", "/moves"),
        ({"puzzle": "megaminx", "scramble": {"k": 1, "seed": 1, "moves": "x"}}, "unknown-name", "/scramble/moves"),
        ({"puzzle": "megaminx", "scramble": {"k": 1, "seed": 1, "moves": "U X"}}, "invalid-request", "/scramble/moves"),
        ({"puzzle": "megaminx", "alg": "X"}, "invalid-alg", "move 1"),
        ({"puzzle": "8-puzzle", "state": [1, 1, 1, 1, 1, 1, 1, 1, 1]}, "invalid-state", "/"),
        ({"puzzle": "8-puzzle", "alg": "", "goal": [1, 2, 3, 4, 5, 6, 7, 8, 9]}, "invalid-state", "/goal/8"),
        ({"puzzle": "8-puzzle", "alg": "", "heuristic": "manhattan +"}, "invalid-heuristic", "column 12"),
    ],
)
def test_errors_of_the_library(open_client: FlaskClient, body: Any, code: str, place: str) -> None:
    errors = problem(post(open_client, json.dumps(body)), code)["errors"]
    assert place in [error["where"] for error in errors]


def test_a_wrong_heuristic_is_answered_with_the_column(open_client: FlaskClient) -> None:
    body = {"puzzle": "8-puzzle", "alg": "", "heuristic": "manhattan + manhatan"}
    assert list(faults(post(open_client, json.dumps(body)), "invalid-heuristic")) == ["column 13"]


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("limit=0", "query:limit"),
        ("limit=201", "query:limit"),
        ("limit=many", "query:limit"),
        ("limit=5&limit=6", "query:limit"),
        ("status=finished", "query:status"),
        ("algorithm=magic", "query:algorithm"),
        ("tag=no-colon", "query:tag"),
        ("tag=:x", "query:tag"),
        ("cursor=abc", "query:cursor"),
        ("created_after=yesterday", "query:created_after"),
        ("created_after=1700000000", "query:created_after"),
        ("created_after=2026-01-01T00:00:00", "query:created_after"),
        ("created_before=0001-01-01T00:00:00%2B10:00", "query:created_before"),
        ("heuristic=a%00b", "query:heuristic"),
        ("sort=id", "query:sort"),
        ("statuss=queued", "query:statuss"),
    ],
)
def test_faults_of_a_query(open_client: FlaskClient, query: str, where: str) -> None:
    assert where in faults(open_client.get(f"{JOBS}?{query}"))


def test_all_faults_of_a_query_come_at_once(open_client: FlaskClient) -> None:
    found = faults(open_client.get(f"{JOBS}?limit=0&statuss=x&tag=y"))
    assert set(found) == {"query:limit", "query:statuss", "query:tag"}
    assert "did you mean 'status'" in found["query:statuss"]


def test_parameters_where_there_are_none(open_client: FlaskClient) -> None:
    for path in ("/v1/limits", "/v1/puzzles/megaminx"):
        assert list(faults(open_client.get(f"{path}?x=1"))) == ["query:x"]
    assert open_client.get("/health/live?x=1").status_code == 200


@hypothesis_settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=VALUES | st.fixed_dictionaries({"puzzle": st.just("8-puzzle"), "state": VALUES}))
def test_no_json_value_breaks_the_service(open_client: FlaskClient, body: Any) -> None:
    answer = post(open_client, json.dumps(body))
    assert answer.status_code in (202, 422), answer.get_data(as_text=True)


@hypothesis_settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    field=st.sampled_from(["puzzle", "alg", "moves", "heuristic", "state", "scramble", "tie_breaking"]),
    text=st.text(max_size=60) | st.text("()+-*/, 0123456789abcdefghilmnorstux\"'_:x", max_size=60),
)
def test_no_text_in_a_field_breaks_the_service(open_client: FlaskClient, field: str, text: str) -> None:
    body = {"puzzle": "tiles:2x3", **({} if field in ("alg", "state", "scramble") else {"alg": "U"}), field: text}
    answer = post(open_client, json.dumps(body))
    assert answer.status_code in (202, 400, 422), answer.get_data(as_text=True)


@hypothesis_settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=200))
def test_no_bytes_break_the_service(open_client: FlaskClient, body: bytes) -> None:
    assert post(open_client, body).status_code in (400, 422)


@hypothesis_settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.dictionaries(
        st.sampled_from(["limit", "cursor", "tag", "status", "created_after", "x"]), st.text(max_size=30)
    )
)
def test_no_query_breaks_the_service(open_client: FlaskClient, query: dict[str, str]) -> None:
    answer = open_client.get(JOBS, query_string={k: v.encode("utf-8", "surrogatepass") for k, v in query.items()})
    assert answer.status_code in (200, 422), answer.get_data(as_text=True)


@pytest.mark.parametrize(
    ("error", "code", "places"),
    [
        (ProblemError("queue-full", "full", [Fault("/a", "b")], {"X-More": "1"}), "queue-full", ["/a"]),
        (InvalidState("bad", [Fault("U", "x"), Fault("F", "y")]), "invalid-state", ["U", "F"]),
        (InvalidExpression("bad", 7, "a number"), "invalid-heuristic", ["column 7"]),
        (UnknownName("puzzle", "x", ["y"]), "unknown-name", ["/puzzle"]),
        (OperationalError("SELECT 1", {}, Exception("secret address")), "unavailable", []),
        (RuntimeError("secret"), "internal-error", []),
        (ProblemError("bad-request", "half a pair: \ud800"), "bad-request", []),
    ],
)
def test_every_exception_becomes_a_problem_and_tells_no_secret(error: Exception, code: str, places: list[str]) -> None:
    app = APIFlask(__name__, json_errors=False)
    register_errors(app)

    @app.get("/fails")
    def fails() -> None:
        raise error

    answer = app.test_client().get("/fails")
    body = problem(answer, code)
    assert [fault["where"] for fault in body["errors"]] == places
    assert "secret" not in answer.get_data(as_text=True)
    assert answer.headers["Cache-Control"] == "no-store"
    retry = ERROR_KINDS[code].retry_after
    assert answer.headers.get("Retry-After") == (None if retry is None else str(retry))
    assert answer.headers.get("X-More") == ("1" if code == "queue-full" else None)
