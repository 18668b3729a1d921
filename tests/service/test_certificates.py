"""Certificates over HTTP: of solves, of what verdicts found wrong, and of states that cannot be solved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.formats import CERTIFICATE
from store.ids import new_id
from store.settings import Settings
from tests.certificates.checkers import second
from tests.service.conftest import KEYS
from tests.service.problems import problem
from worker.runner import Runner

WRONG = {
    "/v1/audits/heuristic": {"puzzle": "megaminx", "heuristic": "s2-face-distance", "moves": "ccw"},
    "/v1/audits/model": {"puzzle": "megaminx", "turns": {"U": [1, 2, 3, 4, 0], "F": [0, 1, 3, 2, 4]}},
    "/v1/verifications": {"puzzle": "megaminx", "alg": "U F", "moves": "ccw", "solution": "F' U' U' U' U' U' U'"},
}
RIGHT = {
    "/v1/audits/heuristic": {"puzzle": "8-puzzle", "heuristic": "manhattan", "radius": 3},
    "/v1/verifications": {"puzzle": "megaminx", "alg": "U F", "moves": "ccw", "solution": "F' U'"},
}

FILE = {"Accept": CERTIFICATE}


def is_accepted(answer: TestResponse, tmp_path: Path) -> bool:
    assert answer.status_code == 200, answer.text
    assert answer.content_type == CERTIFICATE
    assert answer.headers["Content-Disposition"].endswith(".hcert")
    file = tmp_path / "file.hcert"
    file.write_bytes(answer.data)
    return second(file).proven


def reason(answer: TestResponse) -> str:
    """Why there is no certificate."""
    return str(problem(answer, "no-certificate")["detail"])


@pytest.mark.parametrize("path", WRONG)
def test_what_a_job_finds_wrong_has_a_file(
    path: str, client: FlaskClient, work_off: Callable[[], int], tmp_path: Path
) -> None:
    made = client.post(path, json=WRONG[path]).get_json()
    address = f"/v1/jobs/{made['id']}/certificate"
    assert "queued" in reason(client.get(address))
    assert work_off() == 1
    answer = client.get(address)
    assert is_accepted(answer, tmp_path)
    again = client.get(address, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    problem(client.get(f"/v1/jobs/{new_id()}/certificate"), "not-found")


@pytest.mark.parametrize("path", RIGHT)
def test_what_is_right_has_none(path: str, client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = client.post(path, json=RIGHT[path]).get_json()
    work_off()
    problem(client.get(f"/v1/jobs/{made['id']}/certificate"), "no-certificate")


def test_a_check_and_a_state_have_files_at_once(open_client: FlaskClient, tmp_path: Path) -> None:
    refuted = {"puzzle": "megaminx", "heuristic": "s2-face-distance", "moves": "ccw"}
    assert is_accepted(open_client.post("/v1/heuristics/check", json=refuted, headers=FILE), tmp_path)
    proven = {"puzzle": "8-puzzle", "heuristic": "manhattan"}
    problem(open_client.post("/v1/heuristics/check", json=proven, headers=FILE), "no-certificate")
    wrong = {"puzzle": "8-puzzle", "state": [2, 1, 3, 8, 0, 4, 7, 6, 5]}
    assert is_accepted(open_client.post("/v1/states", json=wrong, headers=FILE), tmp_path)
    right = {"puzzle": "8-puzzle", "state": [1, 2, 3, 8, 0, 4, 7, 6, 5]}
    problem(open_client.post("/v1/states", json=right, headers=FILE), "no-certificate")
    unreadable = {"puzzle": "8-puzzle", "state": [1, 1, 3, 8, 0, 4, 7, 6, 5]}
    problem(open_client.post("/v1/states", json=unreadable, headers=FILE), "invalid-state")


def test_heuristics_whose_tables_are_missing_are_not_built_for_a_file(
    open_client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    asked = {"puzzle": "megaminx", "heuristic": '2 * pdb("corners:1")'}
    answer = open_client.post("/v1/heuristics/check", json=asked, headers=FILE)
    assert "tables are not on this machine" in reason(answer)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def proven(client: FlaskClient, work_off: Callable[[], int]) -> dict[str, Any]:
    """A solve with a certificate."""
    made = client.post("/v1/solves", json={"puzzle": "8-puzzle", "state": "2 8 3 / 1 6 4 / 0 7 5", "certificate": True})
    assert made.status_code == 202, made.text
    assert made.get_json()["certificate"]["status"] == "asked"
    assert "has not ended" in reason(client.get(f"{made.headers['Location']}/certificate"))
    assert work_off() == 1
    found: dict[str, Any] = client.get(made.headers["Location"]).get_json()
    return found


def test_a_proven_answer_has_a_file(
    proven: dict[str, Any], client: FlaskClient, settings: Settings, tmp_path: Path
) -> None:
    told = proven["certificate"]
    assert told["status"] == "made", told
    address = f"/v1/jobs/{proven['id']}/certificate"
    answer = client.get(address)
    assert is_accepted(answer, tmp_path)
    assert len(answer.data) == told["bytes"]
    assert answer.headers["ETag"] == f'"{told["sha256"]}"'
    assert client.get(address, headers={"If-None-Match": f'"{told["sha256"]}"'}).status_code == 304
    for path in (settings.var / "certificates").iterdir():
        path.unlink()
    assert "its file is not on this machine" in reason(client.get(address))


def test_without_asking_there_is_none(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = client.post("/v1/solves", json={"puzzle": "8-puzzle", "state": "2 8 3 / 1 6 4 / 0 7 5"})
    work_off()
    assert client.get(made.headers["Location"]).get_json()["certificate"] is None
    assert "none was asked for" in reason(client.get(f"{made.headers['Location']}/certificate"))


def test_a_bound_has_a_file_too(client: FlaskClient, work_off: Callable[[], int], tmp_path: Path) -> None:
    body = {
        "puzzle": "15-puzzle",
        "random": 1,
        "heuristic": "manhattan",
        "limits": {"expanded": 10},
        "certificate": True,
    }
    made = client.post("/v1/solves", json=body)
    work_off()
    found = client.get(made.headers["Location"]).get_json()
    assert found["outcome"] == "limit_reached"
    assert found["certificate"]["proves"] == f"no solution has fewer than {found['lower_bound']} moves"
    assert found["certificate"]["by"]
    assert is_accepted(client.get(f"{made.headers['Location']}/certificate"), tmp_path)


def test_a_solve_without_a_certificate_says_why(client: FlaskClient, settings: Settings) -> None:
    runner = Runner(settings.model_copy(update={"certificate_mib": 0}))
    made = client.post("/v1/solves", json={"puzzle": "8-puzzle", "random": 1, "certificate": True})
    assert runner.drain() == 1
    runner.close()
    found = client.get(made.headers["Location"]).get_json()
    assert found["outcome"] == "solved"
    assert found["certificate"]["status"] == "none"
    assert found["certificate"]["reason"]
    assert reason(client.get(f"{made.headers['Location']}/certificate")) == found["certificate"]["reason"]


def test_what_can_have_none_is_refused_at_once(client: FlaskClient) -> None:
    """A board whose moves are more than checkers take: nobody waits for a search first."""
    asked = {"puzzle": "tiles:9x9", "scramble": {"k": 3, "seed": 1}}
    told = problem(client.post("/v1/solves", json=asked | {"certificate": True}), "invalid-request")
    (fault,) = told["errors"]
    assert fault["where"] == "/certificate"
    assert "too large for a certificate" in fault["message"]
    assert client.post("/v1/solves", json=asked).status_code == 202


def test_a_cancelled_solve_has_none(client: FlaskClient) -> None:
    made = client.post("/v1/solves", json={"puzzle": "8-puzzle", "random": 1, "certificate": True})
    assert client.post(f"{made.headers['Location']}/cancel").get_json()["status"] == "cancelled"
    assert client.get(made.headers["Location"]).get_json()["certificate"] == {
        "status": "none", "reason": "the solve ended without an answer", "proves": None, "by": None, "bytes": None,
        "sha256": None,
    }  # fmt: skip


def test_only_who_sees_the_solve_sees_the_file(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    body = {"puzzle": "8-puzzle", "random": 1, "certificate": True}
    made = client.post("/v1/solves", json=body, headers=alice)
    address = f"{made.headers['Location']}/certificate"
    problem(client.get(address, headers=alice), "no-certificate")
    problem(client.get(address, headers=bob), "not-found")
