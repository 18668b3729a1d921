"""Malformed submissions, over HTTP and on the command line: right answers or clear errors, and nothing is lost."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from hstar.puzzles.megaminx import NEIGHBOURS
from tests.command_line import run
from tests.grading.test_score import assignment
from tests.grading.test_submissions import packed

ONE = "one,R' F' U'\n"
HEADER = "instance,solution\n"
LABELS = {"neighbours": {f"x{face}": [f"x{n}" for n in around] for face, around in NEIGHBOURS.items()}}
LINE = {"instance": "one", "solution": "R' F' U'"}


@dataclass(frozen=True)
class Hostile:
    """A file; ``score`` out of 9 if it is graded, else a text of the refusal; ``shows``: a text in the grading."""

    data: bytes
    score: float | None = None
    shows: str = ""


FILES = {
    "ten thousand lines": Hostile((HEADER + "one,U\n" * 9_999 + ONE).encode(), 3, "and 9,979 more"),
    "no line": Hostile(HEADER.encode(), None, "it has no line"),
    "nothing": Hostile(b"", None, "the file is empty"),
    "latin-1": Hostile(f"{HEADER}one,Ü\n".encode("latin-1"), 0, "Ü"),
    "byte-order mark": Hostile(("\ufeff" + HEADER + ONE).encode(), 3),
    "utf-16": Hostile((HEADER + ONE).encode("utf-16"), 3),
    "formulas": Hostile(json.dumps({"name": "=1+1", "email": "@SUM(A1)", "results": [LINE]}).encode(), 3),
    "a hundred thousand moves": Hostile((HEADER + "one," + "U' " * 100_000).encode(), 0, "more than 10,000 moves"),
    "somebody else's labels": Hostile(
        json.dumps({"labels": LABELS, "results": [LINE]}).encode(), 0, "is not a turn of one of xU, xF"
    ),
    "labels of no dodecahedron": Hostile(
        json.dumps({"labels": {"neighbours": {"U": ["F"]}}, "results": [LINE]}).encode(), 3, "labels"
    ),
    "a zip bomb": Hostile(packed({"results.csv": b"0" * (20 * 2**20 + 1)}), None, "unpacked it has more than 20 MiB"),
    "a zip in a zip": Hostile(packed({"a.zip": packed({"results.csv": HEADER + ONE})}), None, "has no submission"),
    "a path out of the zip": Hostile(packed({"../../results.csv": HEADER + ONE}), 3),
    "deep nesting": Hostile(b"[" * 100_000, None, "not JSON"),
    "NUL": Hostile((HEADER + "one,R'\0 F' U'\n").encode(), 3),
}


@pytest.fixture(scope="module")
def given() -> str:
    return assignment(attempts=1).given.model_dump_json()


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """The stored text is like any other; tests/service/test_assignments.py stores it in PostgreSQL."""
    return sqlite_url


@pytest.mark.parametrize("name", FILES)
def test_on_the_command_line(name: str, given: str, tmp_path: Path) -> None:
    (tmp_path / "assignment.json").write_text(given)
    (tmp_path / "submission").write_bytes(FILES[name].data)
    done = run("grade", str(tmp_path / "submission"), "--assignment", str(tmp_path / "assignment.json"), "--json")
    if FILES[name].score is None:
        assert (done.exit_code, done.stdout) == (2, "")
        assert FILES[name].shows in " ".join(done.stderr.split())
        return
    assert done.exit_code == 0, done.stderr
    check(name, json.loads(done.stdout))


def test_over_http(client: FlaskClient, work_off: Callable[[], int], given: str) -> None:
    where = client.post("/v1/assignments", json=json.loads(given)).headers["Location"]
    taken = {}
    for name, file in FILES.items():
        body = {"student": f"={name}", "content_base64": b64encode(file.data).decode()}
        answer = client.post(f"{where}/submissions", json=body)
        if file.score is None:
            assert answer.status_code == 422, name
            assert file.shows in json.dumps(answer.get_json()), name
            standing = client.get(f"{where}/standing", query_string={"student": f"={name}"}).get_json()
            assert standing["attempts_left"] == 1  # an unreadable file costs no attempt
        else:
            assert answer.status_code == 202, (name, answer.text)
            taken[name] = answer.headers["Location"]
    assert work_off() == len(taken)
    for name, address in taken.items():
        check(name, client.get(address).get_json()["grading"])
    book = client.get(f"{where}/gradebook").get_json()["entries"]
    assert sorted(line["student"] for line in book) == sorted(f"={name}" for name in FILES)
    assert {line["student"][1:] for line in book if line["status"] == "graded"} == taken.keys()
    for form in ("canvas", "moodle", "csv"):
        text = client.get(f"{where}/gradebook?format={form}").text
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert not any(cell.startswith(("=", "@")) for cell in cells), form
    assert client.get(f"{where}/statistics").status_code == 200


def check(name: str, grading: dict[str, Any]) -> None:
    file = FILES[name]
    assert grading["score"] == file.score, name
    assert file.shows in json.dumps(grading, ensure_ascii=False), name


def test_a_body_that_is_too_large_is_refused(client: FlaskClient, given: str) -> None:
    where = client.post("/v1/assignments", json=json.loads(given)).headers["Location"]
    refused = client.post(f"{where}/submissions", json={"student": "7", "content": HEADER + "one,U\n" * 200_000})
    assert refused.status_code == 413
    assert client.get(f"{where}/submissions").get_json()["items"] == []
