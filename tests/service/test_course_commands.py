"""``hstar course``: forty files, eight of them broken, to a complete gradebook by commands alone."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event

import httpx
import pytest
from flask.testing import FlaskClient

from hstar.commands.statuses import Status
from tests.command_line import run
from tests.grading.test_batch import make_class


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """tests/service/test_courses.py runs the same requests on PostgreSQL."""
    return sqlite_url


@pytest.fixture
def service(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """The service, reached by the commands without a socket."""
    transport = httpx.WSGITransport(app=client.application)
    monkeypatch.setattr("hstar.client.httpx.Client", partial(httpx.Client, transport=transport))
    return client


def course(*words: str, status: int = 0) -> str:
    done = run("course", *words)
    assert done.exit_code == status, (words, done.stdout, done.stderr)
    # The service logs in the same process.
    return "".join(
        line for line in done.stdout.splitlines(keepends=True) if not re.match(r"\d{4}-\d\d-\d\d .*\[", line)
    )


def test_forty_files_to_a_gradebook(service: FlaskClient, work_off: Callable[[], int], tmp_path: Path) -> None:
    home = make_class(tmp_path)
    assert "41 read; 41 would be added" in course("roster", "ai-1", str(home / "roster.csv"), "--check")
    assert "41 read; 41 added" in course("roster", "ai-1", str(home / "roster.csv"))
    made = course("assign", str(home / "assignment.json"), "--course", "ai-1")
    assert "2 instances, 100 points" in made
    id = made.split()[0]
    listed = course("list")
    assert id in listed
    assert "ai-1" in listed
    rows = course("upload", id, str(home / "files"), status=Status.INCOMPLETE)
    assert rows.count("submitted") == 32
    assert rows.count("refused") == 8
    assert work_off() == 32
    text = course("gradebook", id, "--format", "canvas")
    _, points, *lines = csv.reader(io.StringIO(text, newline=""))
    assert points[-1] == "100"
    assert [row[2] for row in lines] == [str(1000 + n) for n in range(1, 42)]
    assert [row[-1] for row in lines].count("100") == 17
    assert [row[-1] for row in lines].count("") == 9
    shown = course("gradebook", id)
    assert "it is a PDF" in " ".join(shown.split())
    course("gradebook", id, "--format", "moodle", "--output", str(tmp_path / "moodle.csv"))
    assert len((tmp_path / "moodle.csv").read_text().splitlines()) == 42
    assert "1041" in course("roster", "ai-1", "--format", "moodle")
    assert "1041" not in course("roster", "ai-1", "--remove", "1041")
    assert len(json.loads(course("roster", "ai-1", "--json"))["students"]) == 40
    assert json.loads(course("copies", id, "--json"))["students"] == 32
    assert "clusters" in course("copies", id)


def test_what_is_decided_about_a_student(service: FlaskClient, work_off: Callable[[], int], tmp_path: Path) -> None:
    made = course(
        "assign", "--title", "Boards", "--puzzle", "8-puzzle", "--k", "2", "--each", "1", "--item", "valid=8",
        "--item", "report=2", "--attempts", "1", "--due", "2020-01-01", "--course", "ai-1",
    )  # fmt: skip
    id = made.split()[0]
    assert "10 points" in made
    shown = course("preview", "8-puzzle", "--k", "2", "--each", "1")
    alg = shown.split()[-2:]
    undo = {"U": "D", "D": "U", "L": "R", "R": "L"}
    (tmp_path / "7.csv").write_text(f'instance,solution\n"k = 2, 1",{" ".join(undo[m] for m in reversed(alg))}\n')
    assert "submitted" in course("upload", id, str(tmp_path / "7.csv"))
    assert work_off() == 1
    assert (
        course("extend", id, "7", "--due", "2099-01-01", "--reason", "ill")
        == "7: 8 of 8 points; report is not marked\n"
    )
    assert course("mark", id, "7", "report", "1.5", "--comment", "fine") == "7: 9.5 of 10 points\n"
    assert course("adjust", id, "7", "--points", "-1", "--reason", "late report") == "7: 8.5 of 10 points\n"
    assert course("adjust", id, "7", "--points", "0", "--reason", "taken back") == "7: 9.5 of 10 points\n"
    assert course("comment", id, "7", "Well done") == "7: 9.5 of 10 points\n"
    assert course("excuse", id, "8") == "8: no points yet\n"
    record = service.get(f"/v1/assignments/{id}/record?student=7").get_json()
    assert (record["comment"], record["extension"]["reason"], record["marks"]["report"]["comment"]) == (
        "Well done", "ill", "fine",
    )  # fmt: skip
    wrong = run("course", "mark", id, "7", "report", "x")
    assert (wrong.exit_code, "expected a number" in wrong.stderr) == (2, True)
    assert run("course", "mark", id, "7", "report", "3").exit_code == 2
    (submission,) = service.get(f"/v1/assignments/{id}/submissions").get_json()["items"]
    listed = course("submissions", id, "--student", "7")
    assert listed.splitlines()[1].split() == [submission["id"], "7", "1", "graded", "8", "8"]
    assert json.loads(course("submissions", id, "--json"))["items"] == [submission]
    asked = run("course", "delete", id, "--submission", submission["id"], input="n\n")
    assert asked.exit_code == Status.INTERRUPTED
    assert "Delete attempt 1 of 7, 8 of 8 points: the file, its grading and regrade requests, for good?" in asked.stderr
    assert len(service.get(f"/v1/assignments/{id}/submissions").get_json()["items"]) == 1
    course("delete", id, "--submission", submission["id"], "--yes")
    assert service.get(f"/v1/assignments/{id}/submissions").get_json()["items"] == []
    course("delete", id, "--yes")
    assert service.get(f"/v1/assignments/{id}").status_code == 404
    assert run("course", "gradebook", id).exit_code == 2


def test_a_student_hands_in_and_sees_the_points(
    service: FlaskClient, work_off: Callable[[], int], tmp_path: Path
) -> None:
    made = course(
        "assign", "--title", "Boards", "--puzzle", "8-puzzle", "--k", "2", "--each", "1", "--item", "valid=8",
        "--item", "optimal=2",
    )  # fmt: skip
    id = made.split()[0]
    alg = course("preview", "8-puzzle", "--k", "2", "--each", "1").split()[-2:]
    undo = {"U": "D", "D": "U", "L": "R", "R": "L"}
    (tmp_path / "7.csv").write_text(f'instance,solution\n"k = 2, 1",{" ".join(undo[m] for m in reversed(alg))}\n')
    ended = Event()

    def worker() -> None:
        while not ended.is_set():
            work_off()

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(worker)
        try:
            shown = course("submit", id, str(tmp_path / "7.csv"), "--student", "7")
        finally:
            ended.set()
        working.result()
    assert [line.split() for line in shown.splitlines()[1:]] == [
        ["item", "points", "of"], ["valid", "8", "8"], ["optimal", "2", "2"], ["total", "10", "10"],
    ]  # fmt: skip
    assert "cannot read" in run("course", "submit", id, str(tmp_path / "none.csv")).stderr


def test_before_the_release_a_submission_is_there_without_points(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "7.csv").write_text("instance,solution\n")
    lost = "worker_lost"
    cases = (("done", None, "from the assignment's release on", 0), ("failed", lost, f"not graded: {lost}", 4))
    for status, error, said, ends in cases:
        answer = {"grading": None, "status": status, "error": error}
        monkeypatch.setattr("hstar.client.Client.hand_in", lambda *_, answer=answer, **__: answer)
        done = run("course", "submit", "01a2", str(tmp_path / "7.csv"))
        assert (done.exit_code, said in done.stdout + done.stderr) == (ends, True)
