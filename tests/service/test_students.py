"""A class in which everybody has a key: what students see of the assignment, themselves and one another."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from store.owners import keys
from store.owners.roles import Role
from tests.grading.test_score import COURSE, the_course

ASSIGNMENT = the_course(hidden=True)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """tests/service/test_classes.py runs the same statements on PostgreSQL."""
    return sqlite_url


@pytest.fixture
def headers(client: FlaskClient) -> dict[str, dict[str, str]]:
    """The headers of an instructor and two students of one course."""
    people = {"prof": Role.INSTRUCTOR, "ann": Role.STUDENT, "bea": Role.STUDENT}
    sessions = client.application.extensions["hstar"].sessions
    found = {}
    for name, role in people.items():
        _, key = sessions.run(
            lambda session, name=name, role=role: keys.create(session, keys.NewKey(name, role, "cs1"), "test")
        )
        found[name] = {"Authorization": f"Bearer {key}"}
    return found


def test_a_student_from_the_assignment_to_the_answer_of_an_instructor(
    client: FlaskClient, headers: dict[str, dict[str, str]], work_off: Callable[[], int]
) -> None:
    prof, ann, bea = (headers[name] for name in ("prof", "ann", "bea"))
    where = client.post("/v1/assignments", json=ASSIGNMENT, headers=prof).headers["Location"]

    copy = client.get(where, headers=ann).get_json()
    assert (copy["view"], len(copy["instances"])) == ("student", 5)
    for path in (where, f"{where}?view=instructor", "/v1/assignments"):
        text = client.get(path, headers=ann).text
        assert '"hidden"' not in text
        assert '"seed":77' not in text

    body: dict[str, Any] = {"filename": "cem.json", "content": (COURSE / "cem.json").read_text()}
    other = client.post(f"{where}/submissions", json={**body, "student": "bea"}, headers=ann)
    assert other.get_json()["errors"][0]["where"] == "/student"
    taken = client.post(f"{where}/submissions", json=body, headers=ann)
    assert (taken.status_code, taken.get_json()["student"]) == (202, "ann")
    client.post(f"{where}/submissions", json=body, headers=bea)
    assert work_off() == 2
    submission = taken.headers["Location"]
    assert client.get(submission, headers=bea).status_code == 404

    seen = client.get(f"{submission}?view=instructor", headers=ann).get_json()
    assert seen["grading"].pop("ignored") == ["row 6: its scramble is none of the assignment's instances"]
    assert "hidden" not in json.dumps(seen)
    whole = client.get(submission, headers=prof).get_json()
    assert (whole["score"], whole["max_score"]) == (85, 100)
    assert seen["max_score"] == pytest.approx(copy["max_score"])
    assert seen["score"] < whole["score"]
    mine = client.get(f"{where}/submissions", headers=ann).get_json()["items"]
    assert [(item["student"], item["score"]) for item in mine] == [("ann", seen["score"])]
    assert client.get(f"{where}/submissions?student=bea", headers=ann).status_code == 422
    assert len(client.get(f"{where}/submissions", headers=prof).get_json()["items"]) == 2
    standing = client.get(f"{where}/standing", headers=ann).get_json()
    assert (standing["student"], standing["attempts_left"]) == ("ann", 2)
    assert standing["entry"]["score"] == seen["score"]

    asked = client.post(f"{submission}/regrade-requests", json={"note": "Look at k = 4."}, headers=ann)
    request = asked.headers["Location"]
    assert client.get(f"{where}/regrade-requests", headers=bea).get_json()["items"] == []
    answer = {"decision": "granted", "answer": "Looked.", "adjustment": 3}
    assert client.put(f"{request}/answer", json=answer, headers=ann).status_code == 403
    assert client.put(f"{request}/answer", json=answer, headers=prof).status_code == 200
    work_off()
    assert client.get(request, headers=ann).get_json()["answer"] == "Looked."
    standing = client.get(f"{where}/standing", headers=ann).get_json()
    assert standing["entry"]["score"] == pytest.approx(seen["score"] + 3)


def test_a_student_can_neither_guess_hidden_instances_nor_submit_for_others(
    client: FlaskClient, headers: dict[str, dict[str, str]], work_off: Callable[[], int]
) -> None:
    """The version is a digest of the assignment with its seeds: with it one could try seeds until it matches."""
    prof, ann = headers["prof"], headers["ann"]
    later = {**ASSIGNMENT["rubric"][0], "name": "afterwards", "visibility": "after_due_date"}
    document = {**ASSIGNMENT, "rubric": [*ASSIGNMENT["rubric"], later]}
    made = client.post("/v1/assignments", json=document, headers=prof)
    where, version = made.headers["Location"], made.get_json()["version"]
    theirs = client.get(where, headers=ann).get_json()["version"]
    assert theirs != version

    content = json.loads((COURSE / "cem.json").read_text()) | {"email": "prof@school.example"}
    body = {"filename": "cem.json", "content": json.dumps(content)}
    mine = client.post(f"{where}/submissions", json={**body, "email": "prof@school.example"}, headers=ann)
    client.post(f"{where}/submissions", json={**body, "student": "bea"}, headers=prof)
    work_off()
    seen = client.get(mine.headers["Location"], headers=ann)
    assert version not in seen.text
    assert seen.get_json()["version"] == seen.get_json()["grading"]["version"] == theirs
    whole = client.get(f"{where}/gradebook", headers=prof).get_json()["entries"]
    assert [(line["student"], line["email"]) for line in whole] == [("ann", None), ("bea", "prof@school.example")]
    asked = client.post(f"{mine.headers['Location']}/regrade-requests", json={"note": "x", "item": "?"}, headers=ann)
    assert asked.status_code == 422
    assert "afterwards" not in asked.text


def test_dates_decide_what_students_see_and_hand_in(
    client: FlaskClient, headers: dict[str, dict[str, str]], work_off: Callable[[], int]
) -> None:
    prof, ann = headers["prof"], headers["ann"]

    def moment(hours: int) -> str:
        return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()

    document = {
        "title": "boards", "puzzle": "8-puzzle", "limits": {"expanded": 1000}, "instances": [{"name": "one", "k": 2}],
        "rubric": [{"kind": "valid", "points": 6}],
    }  # fmt: skip
    where = client.post("/v1/assignments", json=document | {"opens": moment(1)}, headers=prof).headers["Location"]
    assert client.get(where, headers=ann).status_code == 404
    assert client.get("/v1/assignments", headers=ann).get_json()["items"] == []
    assert client.get(where, headers=prof).status_code == 200
    body = {"content": json.dumps([{"instance": "one", "solution": "U"}])}
    assert client.post(f"{where}/submissions", json=body, headers=ann).status_code == 404

    client.put(where, json=document | {"opens": moment(-1), "release": moment(1)}, headers=prof)
    first = client.post(f"{where}/submissions", json=body, headers=ann).headers["Location"]
    work_off()
    seen = client.get(first, headers=ann).get_json()
    assert (seen["status"], seen["score"], seen["grading"]) == ("done", None, None)
    assert client.get(f"{where}/standing", headers=ann).get_json()["entry"] is None
    assert client.get(first, headers=prof).get_json()["score"] == 0

    client.put(where, json=document | {"reasons_from_attempt": 2}, headers=prof)
    seen = client.get(first, headers=ann).get_json()["grading"]
    assert (seen["score"], seen["graded"], seen["parts"][0]["deductions"]) == (0, [], [])
    second = client.post(f"{where}/submissions", json=body, headers=ann).headers["Location"]
    work_off()
    seen = client.get(second, headers=ann).get_json()["grading"]
    assert (len(seen["graded"]), len(seen["parts"][0]["deductions"])) == (1, 1)

    client.put(where, json=document | {"closes": moment(-1)}, headers=prof)
    refused = client.post(f"{where}/submissions", json=body, headers=ann)
    assert (refused.status_code, refused.get_json()["type"].split("#")[1]) == (409, "assignment-closed")
    assert client.post(f"{where}/submissions", json=body | {"student": "ann"}, headers=prof).status_code == 202
    work_off()


def test_a_student_sees_what_the_class_counted_but_not_whose(
    client: FlaskClient, headers: dict[str, dict[str, str]], work_off: Callable[[], int]
) -> None:
    """Quantiles, from five students on, after the release, of visible instances that one has counted oneself."""
    prof, ann, bea = (headers[name] for name in ("prof", "ann", "bea"))
    document = {
        "title": "Counts", "puzzle": "8-puzzle", "submitted": "program", "limits": {"expanded": 1000},
        "instances": [{"name": "one", "alg": "U L"}, {"name": "two", "alg": "L U", "visibility": "hidden"}],
        "rubric": [{"kind": "valid", "points": 1}],
    }  # fmt: skip
    where = client.post("/v1/assignments", json=document, headers=prof).headers["Location"]

    def hand_in(student: str, nodes: int | str, by: dict[str, str] = prof) -> None:
        content = f"instance,solution,nodes\none,R D,{nodes}\ntwo,D R,{nodes}\n"
        done = client.post(f"{where}/submissions", json={"student": student, "content": content}, headers=by)
        assert done.status_code == 202, done.text

    def counts(who: dict[str, str], instance: str = "one") -> tuple[int, dict[str, float] | None]:
        found = client.get(f"{where}/counts", query_string={"instance": instance}, headers=who)
        assert found.status_code == 200, found.text
        return found.get_json()["students"], found.get_json()["expanded"]

    hand_in("ann", 10, ann)
    for student, nodes in (("s1", 20), ("s2", 30), ("s3", 40)):
        hand_in(student, nodes)
    hand_in("bea", "")
    assert work_off() == 5
    assert counts(prof) == counts(ann) == (4, None)
    hand_in("s4", 50)
    assert work_off() == 1
    # Position q * (n - 1) between the sorted numbers.
    expected = {"0.1": 14, "0.25": 20, "0.5": 30, "0.75": 40, "0.9": 46}
    assert counts(prof) == counts(ann) == (5, expected)
    assert counts(prof, "two") == (5, expected)
    assert counts(bea) == (5, None)
    # A hidden instance answers as one that does not exist.
    assert counts(ann, "two") == counts(ann, "no such") == (0, None)
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert client.put(where, json=document | {"release": later}, headers=prof).status_code == 200
    assert (counts(ann), counts(prof)) == ((0, None), (5, expected))
