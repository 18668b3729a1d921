"""An upgrade: what an older commit's wheel has made is read by today's, whose server also answers the old client."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.experiments.test_docs import without_costs as without_seconds
from tests.packaging import compose
from tests.packaging.wheels import alone, build, install, serving
from tests.servers import wait_until
from tests.service.contract import another_version

#: an earlier commit; those before it had other words for the status of rows
OLD = "3575c8fd6ae4f8a32fe0c18de4e2377f6b328b41"

SOLVE = ("solve", "megaminx", "--alg", "U U F", "--moves", "ccw", "--heuristic", "ceil(misplaced_facelets / 15)")
EXPERIMENT = ("experiment", "8-puzzle", "--k", "4-6", "--trials", "2", "--seed", "1", "--heuristic", "manhattan")
COMMANDS = (
    SOLVE,
    EXPERIMENT,
    ("solve", "15-puzzle", "--k", "60", "--seed", "1", "--limit-expanded", "10"),
    ("check", "megaminx", "s2-face-distance", "--moves", "ccw"),
    ("verify", "megaminx", "--alg", "U F R", "--solution", "R' F' U'", "--moves", "ccw"),
    ("audit", "heuristic", "8-puzzle", "misplaced_tiles", "--radius", "3"),
    ("course", "assign", "examples/course/assignment.json"),
)
#: it is ended by the upgrade, and goes on after it
LONG = {"puzzle": "tiles:5x5", "random": 1, "algorithm": "ida_star", "heuristic": "manhattan", "limits": {"seconds": 8}}


def run(programs: Path, directory: Path, url: str, *command: str) -> tuple[int, str]:
    """Exit status and output of a command that asks the server."""
    done = subprocess.run(
        [str(programs / "hstar"), *command, "--server", url], cwd=compose.ROOT, env=alone(directory),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def everything(url: str) -> dict[str, Any]:
    """The answers about all that the server keeps, by path."""
    found: dict[str, Any] = {}

    def get(path: str) -> Any:
        answer = client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        found[path] = answer.json()
        return found[path]

    with httpx.Client(base_url=url, timeout=60) as client:
        for one in get("/v1/jobs?limit=200")["items"]:
            get(f"/v1/jobs/{one['id']}")
        for one in get("/v1/experiments")["items"]:
            for below in ("", "/rows.json", "/table", "/comparison"):
                get(f"/v1/experiments/{one['id']}{below}")
        for one in get("/v1/assignments")["items"]:
            for below in ("", "/gradebook", "/submissions", "/statistics"):
                get(f"/v1/assignments/{one['id']}{below}")
        get("/v1/puzzles/ring")
        get("/v1/stats?group_by=puzzle")
    return found


def lost(old: Any, new: Any, where: str = "") -> list[str]:
    """Where the new answer has not what the old one had; it may have more fields."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [f"{where}/{name} is gone" for name in old.keys() - new.keys()]
        return gone + [
            fault for name in old.keys() & new.keys() for fault in lost(old[name], new[name], f"{where}/{name}")
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [fault for n, (a, b) in enumerate(zip(old, new, strict=True)) for fault in lost(a, b, f"{where}/{n}")]
    return [] if old == new else [f"{where}: {old!r} is {new!r}"]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = subprocess.run(["git", "archive", OLD], cwd=compose.ROOT, capture_output=True, check=False)
    if archive.returncode != 0:
        pytest.skip(f"there is no history of these sources: {archive.stderr.decode()}")
    home = compose.ROOT / "build" / "upgrade" / OLD
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as sources:
        sources.extractall(home, filter="data")
    return install(build(home, tmp_path_factory.mktemp("old-wheel")), tmp_path_factory.mktemp("old"))


@pytest.mark.thorough
def test_new_programs_read_old_data_and_answer_an_old_client(
    old: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    new = install(wheel, tmp_path_factory.mktemp("new"))
    with serving(old, tmp_path) as url, another_version():
        said = {command: run(old, tmp_path, url, *command) for command in COMMANDS}
        run(old, tmp_path, url, "puzzle", "add", "examples/ring.gap", "--name", "ring")
        assert {status for status, _ in said.values()} == {0, 1}, said
        before = everything(url)
        long = httpx.post(f"{url}/v1/solves", json=LONG).raise_for_status().json()["id"]
        wait_until(lambda: httpx.get(f"{url}/v1/jobs/{long}").json()["status"] == "running", "running", 60)
    with serving(new, tmp_path) as url:
        wait_until(lambda: httpx.get(f"{url}/v1/jobs/{long}").json()["status"] == "done", "the old job", 60)
        assert httpx.delete(f"{url}/v1/jobs/{long}").status_code == 204
        assert len(before) > 15
        assert lost(before, everything(url)) == []
        # The same commands of the old client; what costs time is not the same, and the last makes a new object.
        for command in COMMANDS[2:6]:
            assert run(old, tmp_path, url, *command)[0] == said[command][0]
        assert without_costs(run(old, tmp_path, url, *SOLVE)) == without_costs(said[SOLVE])
        # A new version searches again, because its searches may differ.
        status, table = run(old, tmp_path, url, *EXPERIMENT)
        assert (status, without_seconds(table)) == (0, without_seconds(said[EXPERIMENT][1]))
        assert len(without_seconds(table)) == 3


def without_costs(said: tuple[int, str]) -> tuple[int, list[str]]:
    return said[0], [line for line in said[1].splitlines() if not line.startswith(("seconds", "peak memory"))]
