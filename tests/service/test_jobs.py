"""`/v1/jobs`: all kinds in one list, filtered, paged, cancelled, and owned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient

from service.job_resource import PATHS
from tests.service.conftest import KEYS
from tests.service.test_assignments import hand_in, post
from worker.kinds import KINDS

SOLVE = {"puzzle": "8-puzzle", "scramble": {"k": 4, "seed": 1}, "heuristic": "manhattan"}
AUDIT = {"puzzle": "8-puzzle", "heuristic": "misplaced_tiles", "radius": 3}
CHECK = {"puzzle": "megaminx", "alg": "U", "moves": "ccw", "solution": "U'"}


def listed(client: FlaskClient, query: str = "", **headers: str) -> list[dict[str, Any]]:
    answer = client.get(f"/v1/jobs{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    items = answer.get_json()["items"]
    assert isinstance(items, list)
    return items


def test_all_kinds_are_in_one_list(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = {
        "solve": client.post("/v1/solves", json=SOLVE).headers["Location"],
        "heuristic-audit": client.post("/v1/audits/heuristic", json=AUDIT).headers["Location"],
        "verification": client.post("/v1/verifications", json=CHECK).headers["Location"],
    }
    hand_in(client, post(client, title="Week 3"), "1001")
    jobs = {job["kind"]: job for job in listed(client)}
    assert list(jobs) == ["grading", "verification", "heuristic-audit", "solve"]
    for kind, where in made.items():
        assert jobs[kind]["url"] == where
        assert client.get(where).get_json()["id"] == jobs[kind]["id"]
    assert jobs["solve"]["about"] == ["8-puzzle", "k = 4, seed 1", "manhattan"]
    assert jobs["heuristic-audit"]["about"] == ["8-puzzle", "misplaced_tiles"]
    assert (jobs["grading"]["about"], jobs["grading"]["url"]) == (["Week 3", "1001"], None)
    assert {job["status"] for job in jobs.values()} == {"queued"}
    assert [job["kind"] for job in listed(client, "?kind=verification")] == ["verification"]
    assert listed(client, "?status=done") == []
    work_off()
    assert len(listed(client, "?status=done")) == 4
    assert listed(client, "?status=queued") == []
    shown = client.get(f"/v1/jobs/{jobs['solve']['id']}").get_json()
    assert (shown["status"], shown["error"]) == ("done", None)
    assert shown["finished_at"] >= shown["started_at"]


def test_pages_follow_one_another(client: FlaskClient) -> None:
    for seed in range(5):
        client.post("/v1/solves", json=SOLVE | {"scramble": {"k": 4, "seed": seed}})
    found: list[str] = []
    path: str | None = "/v1/jobs?limit=2&kind=solve"
    while path is not None:
        page = client.get(path).get_json()
        assert len(page["items"]) <= 2
        found += [job["about"][1] for job in page["items"]]
        path = page["next"]
    assert found == [f"k = 4, seed {seed}" for seed in (4, 3, 2, 1, 0)]


def test_a_job_of_any_kind_is_cancelled(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.post("/v1/solves", json=SOLVE)
    hand_in(client, post(client), "1001")
    for job in listed(client):
        assert client.delete(f"/v1/jobs/{job['id']}").get_json()["status"] == "cancelled"
        assert client.delete(f"/v1/jobs/{job['id']}").get_json()["status"] == "cancelled"
    assert work_off() == 0
    assert client.delete("/v1/jobs/018f0000-0000-7000-8000-000000000000").status_code == 404


def test_each_owner_sees_her_own(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    client.post("/v1/solves", json=SOLVE, headers=alice)
    (job,) = listed(client, **alice)
    assert job["owner"] == "alice"
    assert listed(client, **bob) == []
    for method in (client.get, client.delete):
        assert method(f"/v1/jobs/{job['id']}", headers=bob).status_code == 404


def test_every_kind_has_its_address() -> None:
    assert set(PATHS) == set(KINDS) - {"grading"}
