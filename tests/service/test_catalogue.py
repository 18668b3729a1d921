"""Puzzles, heuristics, limits, scrambles, health and metrics."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from hstar.features import describe
from hstar.puzzles import get_puzzle, puzzle_names
from hstar.schema import Scramble
from service.examples import SCRAMBLE_REQUESTS
from store import parts
from store.database import make_engine, make_sessions, migrate
from store.database.clock import from_now
from store.parts.models import PartSeen
from store.settings import Settings
from tests.service.conftest import KEYS
from tests.service.problems import faults, problem
from tests.service.processes import ROOT


def test_every_puzzle_is_listed_and_described(open_client: FlaskClient) -> None:
    items = open_client.get("/v1/puzzles").get_json()["items"]
    assert [item["name"] for item in items] == puzzle_names()
    for item in items:
        puzzle = get_puzzle(item["name"])
        described = open_client.get(item["url"])
        assert described.status_code == 200
        assert described.get_json() == describe(puzzle)
        assert item["move_sets"] == list(puzzle.move_sets)
        assert item["state_count"] == (None if puzzle.state_count is None else str(puzzle.state_count))


def test_megaminx_has_its_faces_and_its_state_count(open_client: FlaskClient) -> None:
    found = open_client.get("/v1/puzzles/megaminx").get_json()
    assert len(found["faces"]) == 12
    assert all(len(set(face["neighbours"])) == 5 for face in found["faces"])
    assert found["state_count"] == "100669616553523347122516032313645505168688116411019768627200000000000"
    assert {name: moves["count"] for name, moves in found["move_sets"].items()} == {
        "cw": 12,
        "ccw": 12,
        "single": 24,
        "all": 48,
    }


def test_boards_of_any_size_are_puzzles(open_client: FlaskClient) -> None:
    assert open_client.get("/v1/puzzles/tiles:2x4").get_json()["state_count"] == "20160"
    problem(open_client.get("/v1/puzzles/tiles:99x99"), "not-found")


def test_heuristics_have_verdicts(open_client: FlaskClient) -> None:
    items = open_client.get("/v1/heuristics").get_json()["items"]
    found = {(item["puzzle"], item["name"]): item for item in items}
    assert len(found) == len(items)
    manhattan = found["8-puzzle", "manhattan"]["move_sets"]["slide"]
    assert (manhattan["admissible"], manhattan["consistent"]) == ("proven", "proven")
    assert {item["puzzle"] for item in items} == set(puzzle_names())
    mine = open_client.get("/v1/heuristics?puzzle=megaminx").get_json()["items"]
    assert mine == [item for item in items if item["puzzle"] == "megaminx"]
    assert set(faults(open_client.get("/v1/heuristics?puzzle=nonogram"), "unknown-name")) == {"query:puzzle"}


@pytest.mark.parametrize("name", ["master_pyraminx", "3x3x3", "tiles:3x4", "tiles:5x5", "lrx:7"])
def test_heuristics_of_one_puzzle_come_with_its_features(open_client: FlaskClient, name: str) -> None:
    answer = open_client.get(f"/v1/heuristics?puzzle={name}").get_json()
    assert {item["puzzle"] for item in answer["items"]} == {name}
    assert answer["features"] == open_client.get(f"/v1/puzzles/{name}").get_json()["features"]
    assert open_client.get("/v1/heuristics").get_json()["features"] is None


def test_models_are_built_before_gunicorn_forks_and_the_document_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[object] = []
    monkeypatch.setattr("store.logs.configure", lambda: None)
    monkeypatch.setattr("service.openapi.build_models", lambda: made.append("models"))
    monkeypatch.setattr("service.openapi.documents", made.append)
    monkeypatch.setenv("HSTAR_VAR", str(tmp_path))
    runpy.run_module("service.wsgi")
    assert made == ["models"]
    # Importing gunicorn's settings would turn on the metrics of many processes.
    assert "\npreload_app = True\n" in (ROOT / "service/gunicorn.py").read_text()


def test_limits_are_the_settings(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(cap_expanded=1000, cap_memory_mib=512, wait_cap_seconds=7.0, max_queued=9)
    found = client.get("/v1/limits").get_json()
    assert found["caps"] == {"expanded": 1000, "generated": None, "seconds": 600.0, "memory_mib": 512}
    assert (found["default_memory_mib"], found["wait_seconds"], found["queued"]) == (512, 7.0, 9)
    body: dict[str, Any] = {"puzzle": "8-puzzle", "alg": "", "limits": {"expanded": 1001, "memory_mib": 513}}
    assert set(faults(client.post("/v1/solves", json=body))) == {"/limits/expanded", "/limits/memory_mib"}
    granted = client.post("/v1/solves", json=body | {"limits": {}}).get_json()["limits"]
    assert granted == {"expanded": 1000, "generated": None, "seconds": 600.0, "memory_mib": 512}


@pytest.mark.parametrize("body", [example["value"] for example in SCRAMBLE_REQUESTS.values()])
def test_scrambles_are_made_kept_and_repeatable(client: FlaskClient, body: dict[str, Any]) -> None:
    answer = client.post("/v1/scrambles", json=body)
    assert answer.status_code == 201
    made = Scramble.model_validate(answer.get_json())
    assert answer.headers["Location"] == f"/v1/scrambles/{made.id}"
    assert (made.puzzle, made.k, made.seed, len(made.alg)) == (body["puzzle"], body["k"], body["seed"], body["k"])
    puzzle = get_puzzle(made.puzzle)
    assert puzzle.format_state(puzzle.apply_alg(puzzle.solved, made.alg)) == made.state
    read = client.get(answer.headers["Location"])
    assert read.get_json() == answer.get_json()
    assert client.get(answer.headers["Location"], headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    again = client.post("/v1/scrambles", json=body).get_json()
    assert again["id"] != made.id
    assert again["alg"] == made.alg


def test_scrambles_are_listed_newest_first(client: FlaskClient) -> None:
    made = [
        client.post("/v1/scrambles", json={"puzzle": puzzle, "k": 2, "seed": seed}).get_json()["id"]
        for seed in range(3)
        for puzzle in ("8-puzzle", "megaminx")
    ]
    first = client.get("/v1/scrambles?limit=4").get_json()
    second = client.get(first["next"]).get_json()
    assert [item["id"] for page in (first, second) for item in page["items"]] == made[::-1]
    assert second["next"] is None
    assert len(client.get("/v1/scrambles?puzzle=megaminx").get_json()["items"]) == 3
    assert set(faults(client.get("/v1/scrambles?cursor=x"))) == {"query:cursor"}


def test_scramble_requests_are_checked(open_client: FlaskClient) -> None:
    bad = {"puzzle": "8-puzzle", "k": -1, "seed": 2**63, "sede": 1}
    assert set(faults(open_client.post("/v1/scrambles", json=bad))) == {"/k", "/seed", "/sede"}
    problem(open_client.post("/v1/scrambles", json={"puzzle": "x", "k": 1, "seed": 1}), "unknown-name")
    board = {"puzzle": "8-puzzle", "k": 1, "seed": 1, "goal": [1, 2]}
    problem(open_client.post("/v1/scrambles", json=board), "invalid-state")


def test_ready_means_database_and_migrations(client: FlaskClient, settings: Settings) -> None:
    assert client.get("/health/live").get_json() == {"status": "alive"}
    told = {"database": "answers", "migrations": "current", "broker": "answers"}
    sessions = make_sessions(make_engine(settings.database_url))
    for part, away in (("worker", {"worker": "works", "sweeper": "away"}), ("sweeper", {"sweeper": "works"})):
        assert client.get("/health/ready").get_json()["status"] == "degraded"
        parts.note(sessions, part)
        assert client.get("/health/ready").get_json().items() >= (told | away).items()
    assert client.get("/health/ready").get_json() == told | dict.fromkeys(parts.PARTS, "works") | {"status": "ready"}
    # One that nobody has noted lately is away.
    with sessions.write() as session:
        session.execute(update(PartSeen).values(seen_at=from_now(timedelta(seconds=-parts.AWAY_SECONDS))))
    assert client.get("/health/ready").get_json()["status"] == "degraded"
    migrate.downgrade(make_engine(settings.database_url), "base")
    answer = client.get("/health/ready")
    assert "python -m store migrate" in faults(answer, "not-ready")["migrations"]
    assert "Retry-After" in answer.headers
    assert client.get("/health/live").status_code == 200


def test_without_the_broker_the_service_is_ready_but_degraded(make_client: Callable[..., FlaskClient]) -> None:
    answer = make_client(broker_url="redis://127.0.0.1:1/0").get("/health/ready")
    assert (answer.status_code, answer.get_json()["status"], answer.get_json()["broker"]) == (200, "degraded", "away")


def test_without_the_database_nothing_is_promised(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(database_url="postgresql+psycopg://hstar@127.0.0.1:1/none")
    assert "database" in faults(client.get("/health/ready"), "not-ready")
    for answer in (client.get("/v1/jobs?kind=solve"), client.get("/v1/jobs/01890000-0000-7000-8000-000000000000")):
        problem(answer, "unavailable")
        assert "127.0.0.1" not in answer.get_data(as_text=True)
    assert client.get("/health/live").status_code == 200
    # Without the database, only keys of the environment are known.
    problem(client.get("/v1/puzzles"), "unavailable")
    keyed = make_client(database_url="postgresql+psycopg://hstar@127.0.0.1:1/none", api_keys=KEYS)
    assert keyed.get("/v1/puzzles/megaminx", headers={"Authorization": "Bearer key-of-bob-in-tests"}).status_code == 200


def test_metrics_count_requests_and_the_queue(client: FlaskClient, work_off: Callable[[], int]) -> None:
    def value(line: str) -> float:
        lines = client.get("/metrics").get_data(as_text=True).splitlines()
        return float(next((found.split()[-1] for found in lines if found.startswith(line)), 0))

    submitted = 'hstar_http_requests_total{method="POST",route="/v1/solves",status="202"}'
    before = value(submitted)
    for _ in range(3):
        client.post("/v1/solves", json={"puzzle": "8-puzzle", "alg": "U"})
    client.get("/v1/jobs/some/made/up/address")
    assert value(submitted) == before + 3
    assert value('hstar_jobs{state="queued"}') == 3
    assert value('hstar_http_requests_total{method="GET",route="none",status="404"}') >= 1
    assert value("hstar_queue_oldest_seconds") >= 0
    work_off()
    assert value('hstar_jobs{state="queued"}') == 0
    assert value("hstar_queue_oldest_seconds") == 0
    assert value('hstar_jobs_ended_total{kind="solve",state="done"}') == 3
    assert value('hstar_solve_seconds_bucket{le="+Inf"}') == value("hstar_solve_seconds_count") == 3
    assert value("hstar_solve_expanded_total") > 0
    assert value("hstar_fenced_ends_total") == 0
    assert "made/up" not in client.get("/metrics").get_data(as_text=True)


def test_a_heuristic_is_checked(open_client: FlaskClient) -> None:
    body = {"puzzle": "8-puzzle", "heuristic": " misplaced_cells ", "goal": [1, 2, 3, 4, 5, 6, 7, 8, 0]}
    answer = open_client.post("/v1/heuristics/check", json=body)
    assert answer.status_code == 200
    found = answer.get_json()
    assert (found["written"], found["expression"], found["name"]) == (
        " misplaced_cells ", "misplaced_cells", "s5-misplaced-cells"
    )  # fmt: skip
    assert found["counterexample"]["h"] == 2
    assert found["goal"] == body["goal"]
    wrong = {"puzzle": "8-puzzle", "heuristic": "manhatan"}
    assert "manhatan" in problem(open_client.post("/v1/heuristics/check", json=wrong), "invalid-heuristic")["detail"]
