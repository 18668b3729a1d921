"""Verifications and audits as jobs: made, sent again, cancelled and owned like every job."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from hstar.verification import VerificationRequest, verify
from tests.command_line import run
from tests.service.conftest import KEYS

SOLUTION = {"puzzle": "megaminx", "alg": "U F R", "moves": "ccw", "solution": "R' F' U'", "claims": {"optimal": True}}
HEURISTIC = {"puzzle": "8-puzzle", "heuristic": "manhattan", "radius": 100}
VALUES = {"puzzle": "megaminx", "moves": "ccw", "values": [{"alg": "U", "h": 1}, {"alg": "U U F", "h": 4}]}
MODEL = {"puzzle": "megaminx", "turns": {"U": [1, 2, 3, 4, 0], "F": [0, 1, 3, 2, 4]}}
PATHS = [
    ("/v1/verifications", SOLUTION),
    ("/v1/audits/heuristic", HEURISTIC),
    ("/v1/audits/heuristic", VALUES),
    ("/v1/audits/model", MODEL),
]


@pytest.mark.parametrize(("path", "body"), PATHS)
def test_submit_run_and_poll(client: FlaskClient, work_off: Callable[[], int], path: str, body: dict[str, Any]) -> None:
    taken = client.post(path, json=body, headers={"Idempotency-Key": "one"})
    assert taken.status_code == 202, taken.text
    where = taken.headers["Location"]
    assert taken.get_json()["status"] == "queued"
    again = client.post(path, json=body, headers={"Idempotency-Key": "one"})
    assert (again.headers["Location"], again.get_json()["id"]) == (where, taken.get_json()["id"])
    assert work_off() == 1
    done = client.get(where)
    assert done.status_code == 200
    found = done.get_json()
    assert (found["status"], found["error"]) == ("done", None)
    assert found["answer"]["puzzle"] == body["puzzle"]
    assert client.post(f"{where}/cancel").get_json() == found


def test_the_result_equals_the_command_lines_output(client: FlaskClient, work_off: Callable[[], int]) -> None:
    body = {"puzzle": "megaminx", "alg": "U F R", "solution": "R' F U'", "moves": "ccw"}
    where = client.post("/v1/verifications", json=body).headers["Location"]
    work_off()
    result = client.get(where).get_json()["answer"]
    assert result == verify(VerificationRequest.model_validate(body)).model_dump(mode="json")
    line = run("verify", "megaminx", "--alg", "U F R", "--solution", "R' F U'", "--moves", "ccw", "--json")
    assert result == json.loads(line.stdout)


def test_cancelled_in_the_queue(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = client.post("/v1/audits/heuristic", json=PATHS[1][1]).headers["Location"]
    assert client.post(f"{where}/cancel").get_json()["status"] == "cancelled"
    assert work_off() == 0
    assert client.get(where).get_json()["answer"] is None


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/v1/verifications", {"puzzle": "megaminx", "solution": "U"}, ""),
        ("/v1/verifications", {"puzzle": "megaminx", "solution": "U", "alg": "Q"}, "move 1"),
        ("/v1/verifications", {"puzzle": "megaminx", "solution": 3, "alg": "U"}, "/solution"),
        ("/v1/audits/heuristic", {"puzzle": "megaminx"}, ""),
        ("/v1/audits/heuristic", {"puzzle": "megaminx", "heuristic": "nonsense"}, "column 1"),
        (
            "/v1/audits/heuristic",
            {"puzzle": "8-puzzle", "heuristic": "0", "limits": {"memory_mib": 99999}},
            "/limits/memory_mib",
        ),
        ("/v1/audits/model", {"puzzle": "megaminx", "turns": {}, "states": []}, ""),
        (
            "/v1/audits/model",
            {"puzzle": "megaminx", "states": [{"alg": "U", "state": {}}, {"alg": "U Q", "state": {}}]},
            "/states/1/alg",
        ),
    ],
)
def test_refused_requests_are_not_queued(
    client: FlaskClient, work_off: Callable[[], int], path: str, body: dict[str, Any], place: str
) -> None:
    refused = client.post(path, json=body)
    assert refused.status_code == 422, refused.text
    assert any(place in fault["where"] for fault in refused.get_json()["errors"])
    assert work_off() == 0


def test_each_owner_sees_her_own(make_client: Callable[..., FlaskClient], work_off: Callable[[], int]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    where = client.post("/v1/verifications", json=PATHS[0][1], headers=alice).headers["Location"]
    assert client.get(where, headers=bob).status_code == 404
    assert client.post(f"{where}/cancel", headers=bob).status_code == 404
    assert client.get(where, headers=alice).status_code == 200


BATCH = {"items": [SOLUTION, {**SOLUTION, "solution": "R' F"}, {"puzzle": "8-puzzle", "alg": "", "solution": ""}]}


def test_a_batch_is_taken_together(client: FlaskClient, work_off: Callable[[], int]) -> None:
    taken = client.post("/v1/verifications", json=BATCH, headers={"Idempotency-Key": "b"})
    assert taken.status_code == 202, taken.text
    items = taken.get_json()["items"]
    assert [item["status"] for item in items] == ["queued"] * 3
    assert work_off() == 3
    again = client.post("/v1/verifications", json=BATCH, headers={"Idempotency-Key": "b", "Prefer": "wait=1"})
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (200, "true")
    done = again.get_json()["items"]
    assert [item["id"] for item in done] == [item["id"] for item in items]
    assert [item["status"] for item in done] == ["done"] * 3
    whole = client.get(again.get_json()["url"]).get_json()["items"][::-1]
    assert [item["id"] for item in whole] == [item["id"] for item in items]
    assert [item["answer"]["valid"] for item in whole] == [True, False, True]
    assert client.get(f"/v1/jobs/{items[1]['id']}").get_json() == whole[1]
    assert work_off() == 0
    other = client.post("/v1/verifications", json={"items": [SOLUTION]}, headers={"Idempotency-Key": "b"})
    assert other.get_json()["type"].endswith("#idempotency-key-reused")


def test_a_batch_is_refused_with_the_faults_of_all_its_items(client: FlaskClient, work_off: Callable[[], int]) -> None:
    wrong = {"items": [SOLUTION, {**SOLUTION, "alg": "Q"}, {**SOLUTION, "heuristic": "nonsense("}]}
    refused = client.post("/v1/verifications", json=wrong)
    assert refused.status_code == 422
    places = [fault["where"] for fault in refused.get_json()["errors"]]
    assert {place.split("/")[2][0] for place in places} == {"1", "2"}
    unread = client.post("/v1/verifications", json={"items": [{"puzzle": "8-puzzle", "solutoin": ""}, 3]})
    assert {fault["where"] for fault in unread.get_json()["errors"]} >= {"/items/0/solutoin", "/items/1"}
    bodies: list[dict[str, Any]] = [
        {"items": []}, {"items": [BATCH["items"][2]] * 10_001}, {"items": [SOLUTION], "puzzle": "8-puzzle"},
    ]  # fmt: skip
    for nothing in bodies:
        assert client.post("/v1/verifications", json=nothing).status_code == 422
    assert client.get("/v1/jobs?kind=verification").get_json()["items"] == []
    assert work_off() == 0


def test_a_batch_that_the_queue_has_no_room_for(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(max_queued=2)
    assert client.post("/v1/verifications", json=BATCH).status_code == 429
    assert client.get("/v1/jobs?kind=verification").get_json()["items"] == []
