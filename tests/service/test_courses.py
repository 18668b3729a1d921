"""A course over HTTP: rosters, files of a class, records, previews; everybody on the roster has a line."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from hstar.grading.roster import read_roster

ASSIGNMENT: dict[str, Any] = {
    "title": "Boards", "puzzle": "8-puzzle", "limits": {"expanded": 1000}, "course": "ai-1",
    "instances": [{"name": "one", "k": 2, "seed": 1}],
    "rubric": [
        {"kind": "valid", "points": 6},
        {"kind": "manual", "name": "report", "points": 4,
         "criteria": [{"name": "figures", "points": 3}, {"name": "words", "points": 1}]},
    ],
}  # fmt: skip
ROSTER = "Student,ID,SIS User ID,SIS Login ID,Section\n" + "".join(
    f'"Family{i}, Given{i}",{70 + i},100{i},login{i},S1\n' for i in range(1, 6)
)


@pytest.fixture
def database_url(either_database_url: str) -> str:
    return either_database_url


@pytest.fixture
def solution(client: FlaskClient) -> str:
    """A right solution of the instance."""
    solve = {"puzzle": "8-puzzle", "instances": ASSIGNMENT["instances"]}
    (shown,) = client.post("/v1/assignments/preview", json=solve).get_json()["items"]
    assert shown["distance"] == 2
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    return " ".join(back[move] for move in reversed(shown["instance"]["alg"].split()))


def post(client: FlaskClient, **changes: Any) -> str:
    made = client.post("/v1/assignments", json=ASSIGNMENT | changes)
    assert made.status_code == 201, made.text
    return made.headers["Location"]


def lines(client: FlaskClient, where: str) -> dict[str, dict[str, Any]]:
    return {line["student"]: line for line in client.get(f"{where}/gradebook").get_json()["entries"]}


def test_a_roster_in_and_out(client: FlaskClient) -> None:
    where = "/v1/courses/ai-1/roster"
    looked = client.put(where, json={"content": ROSTER, "check": True}).get_json()
    assert (looked["format"], looked["added"], looked["stored"]) == ("canvas", 5, False)
    assert client.get(where).get_json()["students"] == []
    done = client.put(where, json={"content": ROSTER}).get_json()
    assert (done["added"], done["changed"], done["removed"], done["faults"]) == (5, 0, 0, [])
    more = {"content": "id;E-Mail\n1001;one@x.org\n1009;nine@x.org\n"}
    done = client.put(where, json=more).get_json()
    assert (done["added"], done["changed"], done["removed"]) == (1, 1, 0)
    students = client.get(where).get_json()["students"]
    assert students[0] == {
        "student": "1001", "name": "Given1 Family1", "email": "one@x.org", "login": "login1", "canvas_id": "71",
        "section": "S1",
    }  # fmt: skip
    for form in ("csv", "canvas", "moodle"):
        text = client.get(f"{where}?format={form}").text
        assert [one.student for one in read_roster(text).students] == [one["student"] for one in students]
    german = b64encode("Nummer;Name\n1001;Jürgen Müller\n".encode("cp1252")).decode()
    looked = client.put(where, json={"content_base64": german, "filename": "kurs.csv", "check": True}).get_json()
    assert (looked["students"][0]["name"], looked["changed"]) == ("Jürgen Müller", 1)
    refused = client.put(where, json={"content_base64": "no base64"})
    assert refused.get_json()["errors"][0]["where"] == "/content_base64"
    left = client.delete(f"{where}?student=1009").get_json()["students"]
    assert len(left) == 5
    assert client.put(where, json={"students": [{"student": "1"}], "mode": "replace"}).get_json()["removed"] == 5
    assert client.get("/v1/courses").get_json()["items"] == [{"course": "ai-1", "students": 1, "assignments": 0}]
    assert client.delete(where).get_json()["students"] == []
    assert client.put(where, json={"content": "a,b\n1,2\n"}).status_code == 422
    assert client.get("/v1/courses/a%20b/roster").status_code == 422


def test_a_class_is_handed_in_and_everybody_has_a_line(
    client: FlaskClient, work_off: Callable[[], int], solution: str
) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(client)
    right = f"instance,solution\none,{solution}\n"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("family2given2_LATE_72_900_results.csv", right)
        archive.writestr("family3given3_73_901_scan.pdf", b"%PDF-1.7\n\xff\xfe\x00")
        archive.writestr("__MACOSX/x", b"")
    files = [
        {"filename": "class.zip", "content_base64": b64encode(memory.getvalue()).decode()},
        {"filename": "week1/1001.csv", "content": "student," + right.replace("\none", "\n1002,one")},
        {"filename": "whose.csv", "content": right},
        {"filename": "1004.csv", "content": ""},
        {"filename": "broken.csv", "content_base64": "!"},
    ]
    done = client.post(f"{where}/uploads", json={"files": files})
    assert done.status_code == 202
    rows = {row["filename"]: row for row in done.get_json()["items"]}
    assert {name: (row["status"], row["student"], row["by"]) for name, row in rows.items()} == {
        "family2given2_LATE_72_900_results.csv": ("submitted", "1002", "file name"),
        "family3given3_73_901_scan.pdf": ("refused", "1003", "file name"),
        "week1/1001.csv": ("submitted", "1001", "file name"),
        "whose.csv": ("unassigned", None, None),
        "1004.csv": ("refused", "1004", "file name"),
        "broken.csv": ("refused", None, None),
    }
    assert rows["week1/1001.csv"]["named_in_file"] == "1002"
    assert "it is a PDF" in rows["family3given3_73_901_scan.pdf"]["message"]
    assert work_off() == 2
    book = lines(client, where)
    assert {who: line["status"] for who, line in book.items()} == {
        "1001": "graded", "1002": "graded", "1003": "refused", "1004": "refused", "1005": "missing",
    }  # fmt: skip
    assert book["1001"]["name"] == "Given1 Family1"
    assert "the file is empty" in book["1004"]["faults"][0]
    graded = client.get(f"{where}/submissions/{rows['week1/1001.csv']['submission']}").get_json()["grading"]
    assert (graded["student"], graded["named_in_file"]) == ("1001", "1002")

    # The file of nobody is Given5's; then it is graded like the others.
    whose = f"{where}/uploads/{rows['whose.csv']['id']}"
    tried = client.put(whose, json={"student": "1005"}).get_json()
    assert (tried["status"], tried["by"], tried["id"]) == ("submitted", "given", rows["whose.csv"]["id"])
    assert client.put(whose, json={"student": "1005"}).status_code == 422
    work_off()
    assert lines(client, where)["1005"]["status"] == "graded"
    listed = client.get(f"{where}/uploads?status=refused").get_json()["items"]
    assert sorted(row["filename"] for row in listed) == [
        "1004.csv", "broken.csv", "family3given3_73_901_scan.pdf",
    ]  # fmt: skip
    assert client.delete(f"{where}/uploads/{rows['1004.csv']['id']}").status_code == 204
    assert lines(client, where)["1004"]["status"] == "missing"
    rows_of = list(csv.reader(io.StringIO(client.get(f"{where}/gradebook?format=canvas").text)))
    assert [row[1:5] for row in rows_of[2:]] == [[str(70 + i), f"100{i}", f"login{i}", "S1"] for i in range(1, 6)]


def test_a_retried_upload_hands_in_nothing_twice(
    client: FlaskClient, work_off: Callable[[], int], solution: str
) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(client)
    right = f"instance,solution\none,{solution}\n"
    body = {"files": [{"filename": f"{student}.csv", "content": right} for student in ("1001", "1002", "unknown")]}
    key = {"Idempotency-Key": "week 1".replace(" ", "-")}
    first = client.post(f"{where}/uploads", json=body, headers=key).get_json()
    assert client.post(f"{where}/uploads", json=body, headers=key).get_json() == first
    assert work_off() == 2
    # What did not arrive the first time, because the request broke off, arrives now.
    assert client.delete(f"{where}/uploads/{first['items'][2]['id']}").status_code == 204
    again = client.post(f"{where}/uploads", json=body, headers=key).get_json()
    assert [row["id"] for row in again["items"]] == [row["id"] for row in first["items"]]
    assert client.post(f"{where}/uploads", json=body, headers=key).get_json() == again
    assert [one["student"] for one in client.get(f"{where}/submissions").get_json()["items"]] == ["1002", "1001"]
    other = client.post(f"{where}/uploads", json={"files": body["files"][:1]}, headers=key)
    assert other.get_json()["type"].endswith("#idempotency-key-reused")
    # Without a key, or with another, it is handed in again.
    client.post(f"{where}/uploads", json=body)
    assert work_off() == 2


def test_an_unreadable_file_leaves_a_trace_and_costs_no_attempt(client: FlaskClient) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(client, attempts=1)
    for content in ("", "a,b\n1,2\n", "[]"):
        refused = client.post(f"{where}/submissions", json={"student": "1001", "content": content, "filename": "x.csv"})
        assert refused.status_code == 422, content
    (kept,) = client.get(f"{where}/uploads").get_json()["items"]
    assert (kept["student"], kept["status"], kept["submission"]) == ("1001", "refused", None)
    assert client.get(f"{where}/standing?student=1001").get_json()["attempts_left"] == 1
    line = lines(client, where)["1001"]
    assert (line["status"], line["score"]) == ("refused", None)


def test_marks_extensions_adjustments_and_comments(
    client: FlaskClient, work_off: Callable[[], int], solution: str
) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    now = datetime.now(UTC)
    due = (now - timedelta(hours=30)).isoformat()
    where = post(client, due=due, late={"percent_a_day": 50, "days": 5}, attempts=1)
    content = f"instance,solution\none,{solution}\n"
    for student in ("1001", "1002"):
        body = {"student": student, "content": content}
        assert client.post(f"{where}/submissions", json=body).status_code == 202
    work_off()
    book = lines(client, where)
    assert (book["1001"]["score"], book["1001"]["pending"], book["1001"]["max_score"]) == (0, ["report"], 6)
    assert (book["1005"]["status"], book["1005"]["score"]) == ("missing", 0)  # after the due date
    canvas = list(csv.reader(io.StringIO(client.get(f"{where}/gradebook?format=canvas").text)))
    assert canvas[1][-1] == "10"
    assert canvas[2][-1] == ""  # a person still has to mark the report

    def change(student: str, **fields: Any) -> dict[str, Any]:
        answer = client.patch(f"{where}/record?student={student}", json=fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.get_json()
        return found

    later = (now + timedelta(hours=1)).isoformat()
    entry = change("1001", extension={"due": later, "attempts": 1, "reason": "ill"})["entry"]
    assert (entry["score"], entry["late_percent"], entry["extension"]) == (6, 0, True)
    assert client.get(f"{where}/standing?student=1001").get_json()["attempts_left"] == 1
    assert client.get(f"{where}/standing?student=1002").get_json()["attempts_left"] == 0
    change("1001", marks={"report": {"criteria": {"figures": 3}}})
    assert lines(client, where)["1001"]["pending"] == ["report"]
    mark = {"criteria": {"figures": 3, "words": 1}, "comment": "fine"}
    done = change("1001", marks={"report": mark}, comment="Well done")
    assert (done["entry"]["score"], done["entry"]["max_score"], done["entry"]["pending"]) == (10, 10, [])
    assert done["marks"]["report"]["by"] == "local"
    assert done["extension"]["reason"] == "ill"  # not in the last change, so it stays
    change("1002", adjustment={"points": 1.5, "reason": "a good question"}, marks={"report": {"points": 2}})
    line = lines(client, where)["1002"]
    assert (line["score"], line["adjustment"], line["adjustment_reason"]) == (3.5, 1.5, "a good question")
    change("1003", excused=True)
    canvas = list(csv.reader(io.StringIO(client.get(f"{where}/gradebook?format=canvas").text)))
    assert [row[-1] for row in canvas[2:5]] == ["10", "3.5", "EX"]
    assert canvas[2][-1] == canvas[1][-1]  # perfect work has all points
    moodle = list(csv.reader(io.StringIO(client.get(f"{where}/gradebook?format=moodle").text)))
    assert "a good question" in moodle[2][4]
    ags = json.loads(client.get(f"{where}/gradebook?format=ags").text)
    assert [score["gradingProgress"] for score in ags[:4]] == ["FullyGraded", "FullyGraded", "NotReady", "NotReady"]
    decided = client.get(f"{where}/records").get_json()["items"]
    assert [record["student"] for record in decided] == ["1001", "1002", "1003"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"marks": {"valid": {"points": 1}}}, "/marks/valid"),
        ({"marks": {"report": {"points": 5}}}, "/marks/report/points"),
        ({"marks": {"report": {"criteria": {"words": 2}}}}, "/marks/report/criteria/words"),
        ({"marks": {"report": {"criteria": {"x": 2}}}}, "/marks/report/criteria/x"),
    ]
    for body, place in wrong:
        answer = client.patch(f"{where}/record?student=1001", json=body)
        assert (answer.status_code, answer.get_json()["errors"][0]["where"]) == (422, place)
    assert change("1002", adjustment=None, marks={"report": None})["adjustment"] is None
    assert lines(client, where)["1002"]["score"] == 0


def test_without_a_submission_everything_is_as_if_it_had_not_been_handed_in(
    client: FlaskClient, work_off: Callable[[], int], solution: str
) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(
        client, attempts=2, counts="last", due=(datetime.now(UTC) - timedelta(hours=1)).isoformat(),
        late={"percent_a_day": 10, "days": 5}, bucket={"tokens": 2, "hours_a_token": 100},
    )  # fmt: skip
    right, wrong = f"instance,solution\none,{solution}\n", "instance,solution\none,U\n"

    def seen() -> dict[str, Any]:
        """All that the service says of the class, without the times."""
        paths = "gradebook", "copies", "statistics", "results", "standing?student=1001", "submissions", "uploads"
        told = {path: client.get(f"{where}/{path}").get_json() for path in paths}
        for entry in told["gradebook"]["entries"]:
            del entry["changed_at"]
        del told["standing?student=1001"]["next_token_at"]
        return told

    def hand_in(student: str, content: str) -> str:
        done = client.post(f"{where}/submissions", json={"student": student, "content": content})
        assert done.status_code == 202, done.text
        return str(done.headers["Location"])

    hand_in("1001", wrong)
    hand_in("1002", right)
    client.patch(f"{where}/record?student=1001", json={"comment": "see me", "marks": {"report": {"points": 2}}})
    assert work_off() == 2
    before = seen()
    assert before["copies"]["clusters"] == []

    # The second attempt counts, is a copy, and was granted a point.
    second = hand_in("1001", right)
    assert work_off() == 1
    asked = client.post(f"{second}/regrade-requests", json={"note": "late because of the train"}).headers["Location"]
    granted = {"decision": "granted", "answer": "I know", "adjustment": 1}
    assert client.put(f"{asked}/answer", json=granted).status_code == 200
    assert work_off() == 1
    one = client.get(second).get_json()
    assert (one["score"], one["adjustment"], one["late_percent"], one["worth"]) == (6, 1, 10, 6.3)
    line = lines(client, where)["1001"]
    assert (line["counted"], line["score"], line["attempts"]) == (2, 8.3, 2)
    assert seen()["copies"]["clusters"] != []
    jobs = {job["id"] for job in client.get("/v1/jobs?kind=grading").get_json()["items"] if job["url"] == second}
    assert len(jobs) == 2
    refused = client.post(f"{where}/submissions", json={"student": "1001", "content": right})
    assert refused.status_code == 409

    assert client.delete(second).status_code == 204
    assert seen() == before
    assert client.get(second).status_code == client.get(asked).status_code == client.delete(second).status_code == 404
    assert client.get(f"{where}/regrade-requests").get_json()["items"] == []
    assert [client.get(f"/v1/jobs/{job}").status_code for job in jobs] == [404, 404]
    assert lines(client, where)["1001"]["comment"] == "see me"

    # One that waits to be graded, and the file of a class that it came with.
    upload = client.post(f"{where}/uploads", json={"files": [{"filename": "1001.csv", "content": right}]})
    (row,) = upload.get_json()["items"]
    assert row["status"] == "submitted", row
    assert lines(client, where)["1001"]["attempts"] == 1
    assert client.delete(f"{where}/submissions/{row['submission']}").status_code == 204
    assert work_off() == 0
    assert client.get(f"{where}/uploads/{row['id']}").status_code == 404
    assert seen() == before

    # The numbers of later attempts move up.
    first = client.get(f"{where}/submissions?student=1001").get_json()["items"][0]["id"]
    third = hand_in("1001", right)
    assert work_off() == 1
    assert client.get(third).get_json()["attempt"] == 2
    assert client.delete(f"{where}/submissions/{first}").status_code == 204
    assert client.get(third).get_json()["attempt"] == 1
    assert lines(client, where)["1001"]["counted"] == 1
    # Without any, there is still what was decided about the student.
    assert client.delete(third).status_code == 204
    line = lines(client, where)["1001"]
    assert (line["status"], line["attempts"], line["score"], line["comment"]) == ("missing", 0, 2, "see me")
    assert client.delete(f"{where}/submissions/unknown").status_code == 404


def test_deleting(client: FlaskClient, work_off: Callable[[], int], solution: str) -> None:
    where = post(client)
    content = f"instance,solution\none,{solution}\n"
    taken = [
        client.post(f"{where}/submissions", json={"student": "1001", "content": content}).headers["Location"]
        for _ in range(2)
    ]
    assert work_off() == 2
    assert client.delete(taken[0]).status_code == 204
    assert client.get(taken[0]).status_code == 404
    assert lines(client, where)["1001"]["attempts"] == 1
    client.post(f"{where}/submissions", json={"student": "1002", "content": content})
    client.patch(f"{where}/record?student=1001", json={"comment": "x"})
    client.post(f"{where}/uploads", json={"files": [{"filename": "a.csv", "content": ""}]})
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404
    assert client.get("/v1/assignments").get_json()["items"] == []
    assert work_off() == 0  # the grading that waited was cancelled


def test_a_preview_of_true_distances(client: FlaskClient) -> None:
    asked = {"puzzle": "8-puzzle", "instances": [{"k": [2, 40], "seed": 1}, {"name": "mine", "alg": "R L"}]}
    found = client.post("/v1/assignments/preview", json=asked).get_json()
    assert [(one["name"], one["k"], one["distance"], one["collapsed"]) for one in found["items"]][2:] == [
        ("mine", 2, 0, True),
    ]  # fmt: skip
    far = found["items"][1]
    assert far["k"] == 40
    assert far["distance"] < 40
    assert far["collapsed"] is True
    chosen = [one["instance"] for one in found["items"]]
    assert client.post("/v1/assignments/check", json=ASSIGNMENT | {"instances": chosen}).status_code == 200
    little = client.post("/v1/assignments/preview", json=asked | {"expanded": 3}).get_json()["items"][1]
    assert (little["distance"], little["collapsed"]) == (None, None)
    assert little["lower_bound"] <= far["distance"]
    wrong = client.post("/v1/assignments/preview", json=asked | {"instances": [{"alg": "R L"}, {"alg": "Q"}]})
    assert wrong.get_json()["errors"][0]["where"] == "/instances/1"
    many = client.post("/v1/assignments/preview", json=asked | {"instances": [{"k": 2, "each": 51}]})
    assert many.get_json()["errors"][0]["where"] == "/instances"


def test_copies_and_side_by_side(client: FlaskClient, work_off: Callable[[], int], solution: str) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(client)
    content = f"student,instance,solution,nodes\n1001,one,{solution},17\n"
    files = [{"filename": f"{student}.csv", "content": content} for student in ("1001", "1002")]
    files.append({"filename": "1003.csv", "content": f"instance,solution\none,{solution}\n"})
    assert client.post(f"{where}/uploads", json={"files": files}).status_code == 202
    assert work_off() == 3
    found = client.get(f"{where}/copies").get_json()
    (cluster,) = found["clusters"]
    assert cluster["students"] == ["1001", "1002"]
    assert {one["kind"] for one in cluster["evidence"]} >= {"foreign_id", "identical_bytes"}
    assert cluster["bits"] > found["threshold"]
    assert "not a verdict" in found["note"]
    shown = client.get(f"{where}/copies/side-by-side?student=1001&student=1002&student=1003").get_json()
    (row,) = shown["rows"]
    assert shown["students"] == ["1001", "1002", "1003"]
    assert row["cells"]["1001"]["same_as"] == ["1002", "1003"]
    assert (row["cells"]["1002"]["solution"], row["cells"]["1002"]["nodes"]) == (solution, 17)
    assert client.get(f"{where}/copies/side-by-side?student=1001").status_code == 422


def test_a_students_notation_is_confirmed_once(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.put("/v1/courses/ai-1/roster", json={"content": ROSTER})
    where = post(client, instances=[{"k": [4, 6], "each": 3, "seed": 3}], attempts=2, rubric=ASSIGNMENT["rubric"][:1])
    words = {"U": "unten", "D": "oben", "L": "rechts", "R": "links"}  # each undoes the other
    algs = [i["alg"].split() for i in client.get(f"{where}?view=student").get_json()["assignment"]["instances"]]
    names = client.get(where).get_json()["instances"]
    content = "Instanz;L\u00f6sung\n" + "".join(
        f"{name};{' '.join(words[move] for move in reversed(alg))}\n" for name, alg in zip(names, algs, strict=True)
    )
    body = {"student": "1001", "content": content, "filename": "ich.csv"}
    refused = client.post(f"{where}/submissions", json=body)
    assert (refused.status_code, refused.get_json()["type"].split("#")[1]) == (422, "notation-needed")
    assert lines(client, where)["1001"]["status"] == "mapping"
    assert client.get(f"{where}/standing?student=1001").get_json()["attempts_left"] == 2
    reading = client.post(f"{where}/readings", json=body).get_json()
    assert (reading["certain"], reading["source"], reading["valid"]) == (False, "inferred", 6)
    assert client.post(f"{where}/submissions", json=body | {"notation": reading["notation"]}).status_code == 202
    assert work_off() == 1
    line = lines(client, where)["1001"]
    assert (line["status"], line["score"], line["faults"]) == ("graded", 6, [])
    # The next file needs no confirmation; forgotten, it does.
    assert client.post(f"{where}/readings", json=body).get_json()["source"] == "kept"
    assert client.post(f"{where}/submissions", json=body).status_code == 202
    assert work_off() == 1
    assert client.get(f"{where}/standing?student=1001").get_json()["notation"] == reading["notation"]
    assert client.delete(f"{where}/notation?student=1001").status_code == 204
    assert client.get(f"{where}/standing?student=1001").get_json()["notation"] is None
    assert client.post(f"{where}/submissions", json=body).status_code == 422
    # For the class, the instructor confirms it.
    (row,) = client.post(f"{where}/uploads", json={"files": [body | {"student": "1002"}]}).get_json()["items"]
    assert row["status"] == "mapping"
    path = f"{where}/uploads/{row['id']}"
    offered = client.get(path).get_json()["reading"]
    assert client.put(path, json={"notation": offered["notation"]}).get_json()["status"] == "submitted"
    assert work_off() == 1
    assert lines(client, where)["1002"]["score"] == 6
