"""/v1/databases: the operations of every kind of job, with real builds by the worker's runner."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from store.settings import Settings
from tests.servers import wait_until
from tests.service.conftest import KEYS
from tests.service.problems import faults, problem
from worker.runner import Runner

SMALL = {"puzzle": "megaminx", "pattern": "corners:2", "moves": "ccw"}
#: some seconds
LARGE = {"puzzle": "megaminx", "pattern": "corners:4+edges:1", "moves": "cw"}


def submit(client: FlaskClient, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = client.post("/v1/databases", json=body, headers=headers)
    assert answer.status_code == 202, answer.text
    found = answer.get_json()
    assert answer.headers["Location"] == f"/v1/jobs/{found['id']}"
    assert isinstance(found, dict)
    return found


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path / "tables"))
    return tmp_path / "tables"


def test_a_database_is_built_and_described(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = submit(client, SMALL | {"priority": 3})
    assert (made["status"], made["owner"], made["priority"], made["answer"]) == ("queued", "local", 3, None)
    assert made["request"]["pattern"] == "corners:2"
    assert work_off() == 1
    done = client.get(f"/v1/jobs/{made['id']}").get_json()
    assert (done["status"], done["attempt"], done["error"]) == ("done", 1, None)
    # 20 * 19 places of two corners, each turned in three ways.
    assert done["answer"]["states"] == 20 * 19 * 9
    assert done["answer"]["expression"] == 'pdb("corners:2")'
    assert done["answer"]["moves"] == "ccw"
    assert 0 < done["answer"]["bytes"] <= done["answer"]["states"]


def test_impossible_databases_are_refused_at_submission(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(cap_memory_mib=16)
    for body, place in (
        ({"puzzle": "megaminx", "pattern": "corners:21"}, "/pattern"),
        ({"puzzle": "8-puzzle", "pattern": "9-9"}, "/pattern"),
        ({"puzzle": "megaminx", "pattern": "corners:5"}, "/pattern"),  # larger than 16 MiB
        ({"puzzle": "megaminx"}, "/pattern"),
        (SMALL | {"threads": 3}, "/threads"),
    ):
        assert place in faults(client.post("/v1/databases", json=body)), body
    problem(client.post("/v1/databases", json=SMALL | {"puzzle": "megamix"}), "unknown-name")
    assert client.get("/v1/jobs?kind=database").get_json() == {"items": [], "next": None}


def test_the_same_key_builds_once(client: FlaskClient) -> None:
    first = submit(client, SMALL, **{"Idempotency-Key": "k1"})
    again = client.post("/v1/databases", json=SMALL, headers={"Idempotency-Key": "k1"})
    assert (again.get_json()["id"], again.headers["Idempotent-Replayed"]) == (first["id"], "true")
    other = client.post("/v1/databases", json=LARGE, headers={"Idempotency-Key": "k1"})
    problem(other, "idempotency-key-reused")


def test_a_full_queue_takes_none(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(max_queued=1)
    submit(client, SMALL)
    problem(client.post("/v1/databases", json=SMALL), "queue-full")


def test_lists_have_pages_and_states(client: FlaskClient, work_off: Callable[[], int]) -> None:
    ids = [submit(client, SMALL)["id"] for _ in range(3)]
    work_off()
    waiting = submit(client, SMALL)["id"]
    page = client.get("/v1/jobs?kind=database&limit=3").get_json()
    assert [item["id"] for item in page["items"]] == [waiting, ids[2], ids[1]]
    following = client.get(page["next"]).get_json()
    assert ([item["id"] for item in following["items"]], following["next"]) == ([ids[0]], None)
    assert [item["id"] for item in client.get("/v1/jobs?kind=database&status=queued").get_json()["items"]] == [waiting]
    assert len(client.get("/v1/jobs?kind=database&status=done").get_json()["items"]) == 3


def test_it_is_its_owners(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    made = submit(client, SMALL, **alice)
    assert made["owner"] == "alice"
    for method in (client.get, client.delete):
        problem(method(f"/v1/jobs/{made['id']}", headers=bob), "not-found")
    assert client.get("/v1/jobs?kind=database", headers=bob).get_json()["items"] == []
    assert client.get(f"/v1/jobs/{made['id']}", headers=alice).get_json()["status"] == "queued"


def test_a_queued_build_is_cancelled_at_once(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = submit(client, LARGE)
    answer = client.post(f"/v1/jobs/{made['id']}/cancel")
    assert (answer.status_code, answer.get_json()["status"]) == (200, "cancelled")
    assert work_off() == 0


def test_a_running_build_shows_its_progress_and_is_cancelled(
    client: FlaskClient, settings: Settings, tables: Path
) -> None:
    made = submit(client, LARGE)
    runner = Runner(settings)
    thread = threading.Thread(target=runner.drain)
    thread.start()

    def building() -> str | None:
        progress = client.get(f"/v1/jobs/{made['id']}").get_json()["progress"]
        return None if progress is None else progress["building"]

    wait_until(lambda: building() is not None, "progress", 60)
    assert "corners4" in str(building()) or "corners:4" in str(building())
    answer = client.post(f"/v1/jobs/{made['id']}/cancel", headers={"Prefer": "wait=30"})
    thread.join(60)
    assert (answer.status_code, answer.get_json()["status"], answer.get_json()["answer"]) == (200, "cancelled", None)
    assert not list(tables.glob("*.pdb"))
    runner.close()


def test_a_search_finds_built_tables(
    client: FlaskClient, work_off: Callable[[], int], tables: Path, settings: Settings
) -> None:
    # A different pattern for each database, which no other test builds, because a process keeps built tables.
    pattern = "tips:1+wings:1" if settings.database_url.startswith("sqlite") else "axials:1+wings:1"
    body = {"puzzle": "master_pyraminx", "pattern": pattern}
    submit(client, body)
    work_off()
    (table,) = tables.glob("*.pdb")
    before = table.stat().st_mtime_ns
    solve = {"puzzle": "master_pyraminx", "scramble": {"k": 2, "seed": 1}, "heuristic": f'pdb("{pattern}")'}
    made = client.post("/v1/solves", json=solve).get_json()
    work_off()
    assert client.get(f"/v1/jobs/{made['id']}").get_json()["outcome"] == "solved"
    assert [one.stat().st_mtime_ns for one in tables.glob("*.pdb")] == [before]
