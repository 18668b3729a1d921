"""Idempotency-Key: one request, one resource, however often and however concurrently it is sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from flask.testing import FlaskClient

from hstar.schema import ScrambleRequest
from service.once import fingerprint_of
from store.doorbell import QUEUE
from tests.servers import Valkey
from tests.service.problems import problem

BODY = {"puzzle": "8-puzzle", "scramble": {"k": 9, "seed": 1}, "limits": {"expanded": 1000}}
KEY = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}


def test_the_same_request_again_gets_the_first_answer(client: FlaskClient, valkey: Valkey) -> None:
    first = client.post("/v1/solves", json=BODY, headers=KEY)
    again = client.post("/v1/solves", json=BODY, headers=KEY)
    assert (again.status_code, again.get_json()) == (first.status_code, first.get_json())
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(client.get("/v1/jobs?kind=solve").get_json()["items"]) == 1
    assert valkey.client().llen(QUEUE) == 1


def test_spacing_order_and_defaults_are_no_difference(client: FlaskClient) -> None:
    first = client.post("/v1/solves", json=BODY, headers=KEY).get_json()
    text = json.dumps(dict(reversed(BODY.items())) | {"weight": 1, "priority": 0}, indent=3)
    again = client.post("/v1/solves", data=text, content_type="application/json", headers=KEY)
    assert again.get_json()["id"] == first["id"]


def test_a_replay_after_the_end_shows_the_end(client: FlaskClient, work_off: Callable[[], int]) -> None:
    first = client.post("/v1/solves", json=BODY, headers=KEY).get_json()
    work_off()
    again = client.post("/v1/solves", json=BODY, headers=KEY)
    assert (again.status_code, again.get_json()["id"], again.get_json()["outcome"]) == (200, first["id"], "solved")


def test_another_request_with_the_key_is_refused(client: FlaskClient) -> None:
    client.post("/v1/solves", json=BODY, headers=KEY)
    problem(client.post("/v1/solves", json=BODY | {"priority": 1}, headers=KEY), "idempotency-key-reused")
    scramble = {"puzzle": "8-puzzle", "k": 9, "seed": 1}
    problem(client.post("/v1/scrambles", json=scramble, headers=KEY), "idempotency-key-reused")
    assert len(client.get("/v1/jobs?kind=solve").get_json()["items"]) == 1
    assert client.get("/v1/scrambles").get_json()["items"] == []


def test_the_same_body_elsewhere_is_another_request(client: FlaskClient) -> None:
    model = ScrambleRequest(puzzle="8-puzzle", k=1, seed=1)
    prints = set()
    for path in ("/v1/solves", "/v1/scrambles", "/v1/scrambles"):
        with client.application.test_request_context(path, method="POST"):
            prints.add(fingerprint_of("a-key", model))
    assert len(prints) == 2


def test_a_refused_request_does_not_use_up_its_key(client: FlaskClient) -> None:
    problem(client.post("/v1/solves", json=BODY | {"puzzle": "nonogram"}, headers=KEY), "unknown-name")
    assert client.post("/v1/solves", json=BODY, headers=KEY).status_code == 202


def test_without_a_key_every_request_makes_one(client: FlaskClient) -> None:
    ids = {client.post("/v1/solves", json=BODY).get_json()["id"] for _ in range(3)}
    assert len(ids) == 3


def test_scrambles_too(client: FlaskClient) -> None:
    body = {"puzzle": "8-puzzle", "k": 9, "seed": 1}
    first, again = (client.post("/v1/scrambles", json=body, headers=KEY) for _ in range(2))
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(client.get("/v1/scrambles").get_json()["items"]) == 1


def test_a_bad_key_is_refused(client: FlaskClient) -> None:
    answer = client.post("/v1/solves", json=BODY, headers={"Idempotency-Key": "a b"})
    assert "Idempotency-Key" in problem(answer, "bad-request")["detail"]
    assert client.get("/v1/jobs?kind=solve").get_json()["items"] == []


def test_of_concurrent_requests_one_makes_the_solve_and_all_show_it(client: FlaskClient) -> None:
    racers, rounds = 8, 4
    for number in range(rounds):
        line = threading.Barrier(racers)

        def race(key: str, line: threading.Barrier = line) -> tuple[int, str, bool]:
            line.wait()
            answer = client.application.test_client().post("/v1/solves", json=BODY, headers={"Idempotency-Key": key})
            return answer.status_code, answer.get_json()["id"], "Idempotent-Replayed" in answer.headers

        with ThreadPoolExecutor(racers) as pool:
            found = list(pool.map(race, [f"race-{number}"] * racers))
        assert {status for status, _, _ in found} == {202}
        assert len({solve_id for _, solve_id, _ in found}) == 1
        assert sorted(replayed for _, _, replayed in found) == [False] + [True] * (racers - 1)
    assert len(client.get("/v1/jobs?kind=solve").get_json()["items"]) == rounds
