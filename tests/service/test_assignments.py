"""Assignments over HTTP: submissions, attempts, hidden items, regrading, gradebook and statistics."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from store.jobs.machine import request_cancel
from store.jobs.models import Job
from tests.grading.test_score import COURSE, STUDENTS, the_course
from tests.service.conftest import KEYS

ASSIGNMENT = the_course(hidden=True)


@pytest.fixture
def database_url(either_database_url: str) -> str:
    """Documents of a class, with texts of all kinds."""
    return either_database_url


def post(client: FlaskClient, **changes: Any) -> str:
    made = client.post("/v1/assignments", json=ASSIGNMENT | changes)
    assert made.status_code == 201, made.text
    return made.headers["Location"]


def hand_in(client: FlaskClient, where: str, student: str, file: str = "ada.json", **headers: str) -> Any:
    content = b64encode((COURSE / file).read_bytes()).decode()
    body = {"student": student, "name": f"={student}", "filename": file, "content_base64": content}
    return client.post(f"{where}/submissions", json=body, headers=headers)


def test_a_course_from_assignment_to_gradebook(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client)
    shown = client.get(where).get_json()
    assert (shown["max_score"], len(shown["instances"])) == (100, 6)
    assert client.get("/v1/assignments").get_json()["items"] == [shown]
    taken = {}
    for number, file in enumerate(STUDENTS):
        answer = hand_in(client, where, f"100{number}", file)
        assert answer.status_code == 202, answer.text
        taken[file] = answer.headers["Location"]
    assert client.get(taken["ada.json"]).get_json()["status"] == "queued"
    assert work_off() == 5
    scores = {file: client.get(address).get_json()["grading"]["score"] for file, address in taken.items()}
    assert scores == {"ada.json": 100, "ben.zip": 100, "cem.json": 85, "dee.json": 90, "eve.json": 100}
    seen = client.get(taken["cem.json"] + "?view=student").get_json()["grading"]
    assert seen.pop("ignored") == ["row 6: its scramble is none of the assignment's instances"]
    assert "hidden" not in json.dumps(seen)
    assert seen["max_score"] < 100
    book = client.get(f"{where}/gradebook").get_json()
    assert [line["score"] for line in book["entries"]] == [100, 100, 85, 90, 100]
    rows = list(csv.reader(io.StringIO(client.get(f"{where}/gradebook?format=canvas").text)))
    assert rows[2][0] == "'=1000"
    for name in ("moodle", "ags", "csv", "json"):
        assert client.get(f"{where}/gradebook?format={name}").status_code == 200
    found = client.get(f"{where}/statistics").get_json()["statistics"]
    assert found["students"] == 5
    assert found["similar"][0]["students"] == ["1000", "1004"]


def test_attempts_are_limited_and_a_fault_of_the_service_costs_none(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    where = post(client, attempts=2)
    first = hand_in(client, where, "7", **{"Idempotency-Key": "a"})
    again = hand_in(client, where, "7", **{"Idempotency-Key": "a"})
    assert first.get_json()["id"] == again.get_json()["id"]
    sessions = client.application.extensions["hstar"].sessions
    with sessions.read() as session:
        job = session.scalars(select(Job)).one()
    sessions.run(lambda session: request_cancel(session, job.id))  # as if a bug of the service had ended the job
    assert client.get(first.headers["Location"]).get_json()["status"] == "cancelled"
    assert hand_in(client, where, "7").status_code == 202
    assert hand_in(client, where, "7").status_code == 202
    refused = hand_in(client, where, "7")
    assert refused.status_code == 409
    assert "2 of 2 attempts" in refused.get_json()["detail"]
    assert hand_in(client, where, "8").status_code == 202
    unreadable = client.post(f"{where}/submissions", json={"student": "9", "content": "a,b\n1,2\n"})
    assert unreadable.status_code == 422
    assert work_off() == 3


def test_regrading_is_byte_identical_until_the_version_changes(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    where = post(client)
    submission = hand_in(client, where, "7", "cem.json").headers["Location"]
    work_off()
    before = client.get(submission).get_json()
    assert client.post(f"{where}/regrades").get_json() == {"queued": 1}
    # Until it is done the first grading stays in force, and new submissions come first.
    assert client.get(submission).get_json() == before | {"regrading": True}
    hand_in(client, where, "8")
    sessions = client.application.extensions["hstar"].sessions
    with sessions.read() as session:
        queued = {job.priority for job in session.scalars(select(Job).where(Job.state == "queued"))}
    assert queued == {0, -50}
    assert work_off() == 2
    assert client.get(submission).get_json()["grading"] == before["grading"]
    with sessions.read() as session:
        graded = [job.answer for job in session.scalars(select(Job).order_by(Job.id)) if '"Cem"' in str(job.request)]
        answers = {job.answer for job in session.scalars(select(Job)) if job.answer and '"student":"7"' in job.answer}
    assert len(answers) == 1, graded
    changed = [*ASSIGNMENT["rubric"][:3], {**ASSIGNMENT["rubric"][3], "points": 30}]
    put = client.put(where, json=ASSIGNMENT | {"rubric": changed})
    assert put.status_code == 200, put.text
    assert put.get_json()["version"] != before["grading"]["version"]
    assert client.get(submission).get_json()["grading"] == before["grading"]
    client.post(f"{where}/regrades")
    work_off()
    after = client.get(submission).get_json()["grading"]
    assert (after["max_score"], after["version"]) == (100, put.get_json()["version"])
    assert after["score"] == 70


def test_each_owner_has_her_own(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    where = client.post("/v1/assignments", json=ASSIGNMENT, headers=alice).headers["Location"]
    for path in (where, f"{where}/gradebook", f"{where}/statistics", f"{where}/submissions/{where[-36:]}"):
        assert client.get(path, headers=bob).status_code == 404
    assert client.post(f"{where}/regrades", headers=bob).status_code == 404
    assert client.put(where, json=ASSIGNMENT, headers=bob).status_code == 404
    body = {"student": "1", "content": "[]"}
    assert client.post(f"{where}/submissions", json=body, headers=bob).status_code == 404


def test_a_wrong_assignment_is_refused_with_all_its_faults(client: FlaskClient) -> None:
    wrong = ASSIGNMENT | {"instances": [{"alg": "Q"}, {"alg": "X"}], "heuristic": "nonsense("}
    refused = client.post("/v1/assignments", json=wrong)
    assert refused.status_code == 422
    assert refused.get_json()["errors"]


def test_an_assignment_is_checked_without_being_stored(client: FlaskClient) -> None:
    found = client.post("/v1/assignments/check", json=ASSIGNMENT)
    assert found.status_code == 200, found.text
    assert (found.get_json()["max_score"], len(found.get_json()["instances"])) == (100, 6)
    assert client.get("/v1/assignments").get_json()["items"] == []
    stored = client.get(post(client)).get_json()
    assert {name: stored[name] for name in found.get_json()} == found.get_json()
    wrong = client.post("/v1/assignments/check", json=ASSIGNMENT | {"rubric": [{"kind": "optimal", "points": -1}]})
    assert wrong.status_code == 422
    assert [fault["where"] for fault in wrong.get_json()["errors"]] == ["/rubric/0/points"]
