"""From a request to a proven answer: gunicorn, Valkey, a Celery worker, and each database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hstar.puzzles import get_puzzle
from tests.servers import Valkey, wait_until
from tests.service.processes import Api, Worker

MEGAMINX = {
    "puzzle": "megaminx",
    "scramble": {"k": 8, "seed": 1, "moves": "cw"},
    "moves": "ccw",
    "heuristic": "ceil(misplaced_facelets / 15)",
    "limits": {"expanded": 2_000_000},
}
LONG = MEGAMINX | {"scramble": {"k": 18, "seed": 1, "moves": "cw"}, "limits": {"memory_mib": 1024}}


@pytest.fixture
def client(either_database_url: str, valkey: Valkey) -> Iterator[httpx.Client]:
    """A client of the whole system."""
    valkey.empty()
    with Api(either_database_url, valkey.url) as api, Worker(api), api.client() as client:
        yield client


def poll(client: httpx.Client, path: str) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == 200
    found = answer.json()
    assert isinstance(found, dict)
    return found


def test_the_whole_path(client: httpx.Client) -> None:
    answer = client.post("/v1/solves", json=MEGAMINX)
    assert answer.status_code == 202
    path = answer.headers["Location"]
    answer = client.get(path, headers={"Prefer": "wait=30"})
    solve = answer.json()
    assert (solve["outcome"], solve["optimality"], solve["attempt"]) == ("solved", "proven", 1)
    assert solve["length"] == solve["lower_bound"] == len(solve["solution"]) <= 8
    assert solve["counters"]["expanded"] > 0
    assert solve["created_at"] <= solve["started_at"] <= solve["finished_at"]
    puzzle = get_puzzle("megaminx")
    start = puzzle.apply_alg(puzzle.solved, solve["start"]["alg"])
    assert puzzle.apply_alg(start, solve["solution"]) == puzzle.solved

    # A solved state, answered at once in one request.
    answer = client.post("/v1/solves", json={"puzzle": "8-puzzle", "alg": ""}, headers={"Prefer": "wait=30"})
    assert (answer.status_code, answer.json()["outcome"], answer.json()["length"]) == (200, "solved", 0)

    # A long one shows its progress, and is cancelled.
    path = client.post("/v1/solves", json=LONG).headers["Location"]
    seen: list[int] = []
    for _ in range(3):
        before = seen[-1] if seen else 0
        wait_until(lambda: (poll(client, path)["progress"] or {"expanded": 0})["expanded"] > before, "progress")  # noqa: B023
        progress = poll(client, path)["progress"]
        seen.append(progress["expanded"])
        assert progress["lower_bound"] >= 1
        assert progress["bytes"] > 0
    assert seen == sorted(set(seen))
    answer = client.post(f"{path}/cancel", headers={"Prefer": "wait=30"})
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert answer.json()["counters"]["expanded"] >= seen[-1]
    assert answer.json()["lower_bound"] >= 1
    assert client.post(f"{path}/cancel").json() == answer.json()

    # The worker goes on to the next job, which ends at its memory limit.
    small = LONG | {"limits": {"memory_mib": 16}}
    answer = client.post("/v1/solves", json=small, headers={"Prefer": "wait=30"})
    assert (answer.json()["outcome"], answer.json()["limit"]) == ("limit_reached", "memory")
    assert answer.json()["lower_bound"] >= 1
    assert answer.json()["peak_bytes"] <= 16 * 2**20

    page = client.get("/v1/jobs?kind=solve").json()
    ends = [item["outcome"] or item["status"] for item in page["items"]]
    assert ends == ["limit_reached", "cancelled", "solved", "solved"]
