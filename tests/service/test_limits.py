"""Limits of one owner: requests in a minute, wrong keys, jobs in the queue; with Redis, without it, over a socket."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.test import TestResponse

from running import valkey as valkey_wheel
from service.rates import REQUESTS, Rates
from store.database.clock import from_now
from store.owners import databases, keys
from store.owners.models import OwnerDatabase
from store.owners.roles import Role
from tests.servers import Valkey
from tests.service.problems import problem

ALICE = "key-of-alice-in-tests"
BOARD = {"puzzle": "8-puzzle", "alg": "U"}
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Most of these counts are not in the database; only one index is, which both databases have."""
    return sqlite_url


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def key_for(client: FlaskClient, owner: str, role: Role = Role.STUDENT, course: str | None = "cs1") -> dict[str, str]:
    sessions = client.application.extensions["hstar"].sessions
    new = keys.NewKey(owner, role, course)
    return bearer(sessions.run(lambda session: keys.create(session, new, "test"))[1])


@pytest.mark.parametrize("broker", ["there", "away"])
def test_requests_of_an_owner_are_counted_and_the_next_owner_s_are_not_refused(
    make_client: Callable[..., FlaskClient], broker: str
) -> None:
    away = {"broker_url": NOWHERE} if broker == "away" else {}
    client = make_client(api_keys=f"alice:{ALICE}", requests_per_minute=5, **away)
    bob = key_for(client, "bob")
    left = []
    for _ in range(5):
        answer = client.get("/v1/me", headers=bearer(ALICE))
        assert (answer.status_code, answer.headers["RateLimit-Policy"]) == (200, '"requests";q=5;w=60')
        name, remaining, reset = answer.headers["RateLimit"].split(";")
        assert name == '"requests"'
        assert 1 <= int(reset.removeprefix("t=")) <= 60
        left.append(int(remaining.removeprefix("r=")))
    assert left == [4, 3, 2, 1, 0]
    refused = client.get("/v1/me", headers=bearer(ALICE))
    problem(refused, "too-many-requests")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit"].startswith('"requests";r=0;t=')
    assert client.get("/v1/me", headers=bob).status_code == 200
    assert client.get("/health/live").status_code == 200


def test_the_processes_count_together_and_over_a_socket(tmp_path: Path) -> None:
    class Private(Valkey):
        def command(self) -> list[str]:
            arguments = valkey_wheel.arguments("--port", str(self.port), "--unixsocket", str(tmp_path / "v.sock"))
            return [str(valkey_wheel.binary()), *arguments]

    with Private() as server:
        one, other = Rates(f"redis+socket://{tmp_path}/v.sock"), Rates(server.url)
        assert [one.count(REQUESTS, 3, "ann").remaining, other.count(REQUESTS, 3, "ann").remaining] == [2, 1]
        assert other.look(REQUESTS, 3, "ann").allowed
        assert one.count(REQUESTS, 3, "ann").allowed
        assert not other.count(REQUESTS, 3, "ann").allowed
        assert other.count(REQUESTS, 3, "bob").allowed
        server.kill()
        # It goes on counting by itself, and uses Redis again when that is back.
        assert other.count(REQUESTS, 3, "ann").remaining == 2


def test_wrong_keys_are_throttled_but_keys_of_the_database_are_not(
    make_client: Callable[..., FlaskClient],
) -> None:
    client = make_client(api_keys=f"alice:{ALICE}", wrong_keys_per_minute=4)
    made = key_for(client, "ann")
    for number in range(4):
        problem(client.get("/v1/me", headers=bearer(f"wrong-{number}")), "unauthorized")
    refused = client.get("/v1/me", headers=bearer("wrong"))
    problem(refused, "too-many-wrong-keys")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    problem(client.get("/v1/me", headers=bearer("hstar_" + "x" * 43)), "too-many-wrong-keys")
    # A key that a person chose might be a guess; from another address it works.
    problem(client.get("/v1/me", headers=bearer(ALICE)), "too-many-wrong-keys")
    assert client.get("/v1/me", headers=made).status_code == 200
    other = {"REMOTE_ADDR": "10.0.0.5"}
    assert client.get("/v1/me", headers=bearer(ALICE), environ_overrides=other).status_code == 200
    problem(client.get("/v1/me"), "unauthorized")  # without any key nothing is guessed


def test_behind_a_proxy_the_client_s_address_counts(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=f"alice:{ALICE}", wrong_keys_per_minute=1, proxies=1)
    mallory, alice = {"X-Forwarded-For": "203.0.113.1"}, {"X-Forwarded-For": "203.0.113.2"}
    problem(client.get("/v1/me", headers=bearer("wrong") | mallory), "unauthorized")
    problem(client.get("/v1/me", headers=bearer("wrong") | mallory), "too-many-wrong-keys")
    # The client's own header value comes before the proxy's, and is ignored.
    forged = {"X-Forwarded-For": "198.51.100.7, 203.0.113.1"}
    problem(client.get("/v1/me", headers=bearer("wrong") | forged), "too-many-wrong-keys")
    assert client.get("/v1/me", headers=bearer(ALICE) | alice).status_code == 200


def test_an_owner_s_queue_is_limited_by_role_and_not_by_what_others_queue(
    make_client: Callable[..., FlaskClient],
) -> None:
    client = make_client(api_keys=f"alice:{ALICE}", student_queued=2, owner_queued=4)
    ann, bob, prof = key_for(client, "ann"), key_for(client, "bob"), key_for(client, "prof", Role.INSTRUCTOR)
    for _ in range(2):
        assert client.post("/v1/solves", json=BOARD, headers=ann).status_code == 202
    refused = client.post("/v1/solves", json=BOARD, headers=ann)
    assert "you would have more than 2 jobs" in problem(refused, "queue-full")["detail"]
    assert refused.headers["Retry-After"]
    experiment = {"puzzle": "8-puzzle", "k": [1, 2, 3], "seed": 1, "heuristics": ["manhattan"], "trials": 1}
    problem(client.post("/v1/experiments", json=experiment, headers=bob), "queue-full")
    assert client.get("/v1/jobs?kind=solve", headers=bob).get_json()["items"] == []
    assert client.post("/v1/experiments", json=experiment, headers=prof).status_code == 202
    assert client.get("/v1/limits", headers=ann).get_json()["owner_queued"] == 2
    assert client.get("/v1/limits", headers=prof).get_json()["owner_queued"] == 4


def test_without_keys_limits_of_owners_do_not_apply(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(requests_per_minute=1, student_queued=1, owner_queued=1)
    for _ in range(3):
        answer = client.post("/v1/solves", json=BOARD)
        assert (answer.status_code, "RateLimit" in answer.headers) == (202, False)
    limits = client.get("/v1/limits").get_json()
    assert (limits["owner_queued"], limits["requests_per_minute"]) == (None, None)
    assert limits["experiment_rows"] == limits["queued"] == 100_000
    assert (limits["tags"], limits["tag_key_letters"], limits["tag_value_letters"]) == (32, 64, 256)


def test_an_owner_may_name_so_many_databases_in_a_day(
    make_client: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MOST", 3)
    client = make_client(api_keys=f"alice:{ALICE}", owner_databases_mib=1)
    ann, bob = key_for(client, "ann"), key_for(client, "bob")

    def solve(pattern: str, key: dict[str, str], moves: str = "ccw") -> TestResponse:
        body = {"puzzle": "megaminx", "alg": "U", "moves": moves, "algorithm": "astar", "heuristic": pattern}
        return client.post("/v1/solves", json=body, headers=key)

    # The same database in any kind of job counts once; for other moves it is another database.
    assert [solve('pdb("corners:1")', ann).status_code for _ in range(3)] == [202] * 3
    database = {"puzzle": "megaminx", "pattern": "corners:1", "moves": "ccw"}
    assert client.post("/v1/databases", json=database, headers=ann).status_code == 202
    assert solve('pdb("corners:1") + pdb("edges:1")', ann).status_code == 202
    assert solve('pdb("corners:1")', ann, "cw").status_code == 202
    refused = solve('pdb("edges:2")', ann)
    detail = problem(refused, "too-many-databases")["detail"]
    assert detail == "with this request 4 pattern databases of 0 MiB in a day, and an owner may have 3 of 1 MiB"
    assert 86_000 < int(refused.headers["Retry-After"]) <= 86_400
    audit = {"puzzle": "megaminx", "heuristic": 'pdb("edges:2")', "radius": 1}
    problem(client.post("/v1/audits/heuristic", json=audit, headers=ann), "too-many-databases")
    experiment = {"puzzle": "megaminx", "k": [1], "trials": 1, "seed": 1, "heuristics": ['pdb("edges:2")']}
    problem(client.post("/v1/experiments", json=experiment, headers=ann), "too-many-databases")
    claim = {"puzzle": "megaminx", "alg": "U", "solution": "U'", "heuristic": 'pdb("edges:2")'}
    problem(client.post("/v1/verifications", json=claim, headers=ann), "too-many-databases")
    # None of these was queued; databases that she has named still work, and other owners have their own limits.
    assert len(client.get("/v1/jobs?kind=solve", headers=ann).get_json()["items"]) == 5
    assert solve('pdb("corners:1")', ann).status_code == 202
    assert solve('pdb("edges:2")', bob).status_code == 202
    assert "of 8 MiB" in problem(solve('pdb("corners:4")', bob), "too-many-databases")["detail"]
    shown = client.get("/v1/limits", headers=ann).get_json()
    assert (shown["owner_databases"], shown["owner_databases_mib"]) == (3, 1)


def test_a_student_s_submission_names_databases_too(
    make_client: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MOST", 1)
    client = make_client(api_keys=f"alice:{ALICE}")
    teacher, ann = key_for(client, "teacher", Role.INSTRUCTOR), key_for(client, "ann")
    assignment = {
        "title": "Turns", "puzzle": "megaminx", "moves": "ccw", "instances": [{"alg": "U"}],
        "rubric": [{"kind": "heuristic_admissible", "points": 1}],
    }  # fmt: skip
    where = client.post("/v1/assignments", json=assignment, headers=teacher).headers["Location"]

    def hand_in(heuristic: str, key: dict[str, str], student: str = "ann") -> TestResponse:
        content = json.dumps({"heuristic": heuristic})
        return client.post(f"{where}/submissions", json={"student": student, "content": content}, headers=key)

    assert [hand_in('pdb("corners:1")', ann).status_code for _ in range(2)] == [202, 202]
    problem(hand_in('pdb("edges:1")', ann), "too-many-databases")
    # It was not taken, and costs no attempt; a heuristic that cannot be read is the grading's to refuse.
    assert client.get(f"{where}/standing", headers=ann).get_json()["attempts_used"] == 2
    assert hand_in("pdb(", ann).status_code == 202
    assert [hand_in(f'pdb("corners:{n}")', teacher, f"s{n}").status_code for n in (1, 2)] == [202, 202]


def test_after_a_day_others_may_be_named(
    make_client: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MOST", 1)
    client = make_client(api_keys=f"alice:{ALICE}")
    bodies = [{"puzzle": "megaminx", "pattern": f"corners:{n}", "moves": "ccw"} for n in (1, 2)]
    assert client.post("/v1/databases", json=bodies[0], headers=bearer(ALICE)).status_code == 202
    problem(client.post("/v1/databases", json=bodies[1], headers=bearer(ALICE)), "too-many-databases")
    with client.application.extensions["hstar"].sessions.write() as session:
        session.execute(update(OwnerDatabase).values(named_at=from_now(-databases.DAY)))
    assert client.post("/v1/databases", json=bodies[1], headers=bearer(ALICE)).status_code == 202
    problem(client.post("/v1/databases", json=bodies[0], headers=bearer(ALICE)), "too-many-databases")


def test_without_keys_databases_are_not_counted(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(owner_databases_mib=1)
    for pattern in ("corners:1", "corners:2", "corners:4"):
        assert client.post("/v1/databases", json={"puzzle": "megaminx", "pattern": pattern}).status_code == 202
    shown = client.get("/v1/limits").get_json()
    assert (shown["owner_databases"], shown["owner_databases_mib"]) == (None, None)


def test_a_disk_that_is_nearly_full_takes_no_work_and_answers_all_the_same(
    make_client: Callable[..., FlaskClient],
) -> None:
    client = make_client()
    made = client.post("/v1/solves", json=BOARD).get_json()["id"]
    full = make_client(reserve_mib=10**9)
    for path, body in (
        ("/v1/solves", BOARD),
        ("/v1/databases", {"puzzle": "megaminx", "pattern": "corners:1"}),
        ("/v1/experiments", {"puzzle": "8-puzzle", "k": [1], "seed": 1, "heuristics": ["manhattan"], "trials": 1}),
        ("/v1/verifications", {"puzzle": "8-puzzle", "alg": "U", "solution": "D"}),
    ):
        refused = full.post(path, json=body)
        assert "are kept in reserve" in problem(refused, "storage-full")["detail"]
        assert refused.headers["Retry-After"]
    assert len(full.get("/v1/jobs").get_json()["items"]) == 1
    assert full.post(f"/v1/jobs/{made}/cancel").get_json()["status"] == "cancelled"
    assert full.get("/health/ready").status_code == 200


def test_no_two_owners_fill_the_queue_for_all(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=f"alice:{ALICE}", max_queued=16, student_queued=1000)

    def fill(owner: str) -> int:
        own = key_for(client, owner)
        for number in range(17):
            answer = client.post("/v1/solves", json=BOARD, headers=own)
            if answer.status_code != 202:
                problem(answer, "queue-full")
                return number
        raise AssertionError("nothing is refused")

    # Each gets half of what the others leave, and at least one place while there is any.
    assert [fill(owner) for owner in ("ann", "bob", "cleo", "dan", "eve")] == [8, 4, 2, 1, 1]
    assert client.get("/v1/limits", headers=bearer(ALICE)).get_json()["owner_queued"] == 8


def test_the_documents_show_the_key_as_soon_as_the_database_has_one(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client()
    sent = "Authorization: Bearer $HSTAR_API_KEY"
    assert sent not in client.get("/docs").get_data(as_text=True)
    key_for(client, "ann")
    # Another process, which has answered no request yet.
    other = make_client()
    assert sent in other.get("/docs").get_data(as_text=True)
    assert "ApiKey" in other.get("/openapi.json").get_json()["components"]["securitySchemes"]
