"""A class over HTTP: lists, standings, tokens, versions of assignments, requests for regrades."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from hstar import remembered
from store.jobs.machine import claim_next, fail, request_cancel
from store.jobs.models import Job
from tests.grading.test_score import COURSE, the_course

ASSIGNMENT: dict[str, Any] = {
    "title": "Two boards", "puzzle": "8-puzzle", "limits": {"expanded": 1000}, "submitted": "program",
    "instances": [{"name": "one", "k": 2, "seed": 1}, {"name": "two", "k": 3, "seed": 1, "visibility": "hidden"}],
    "rubric": [{"kind": "valid", "points": 6}, {"kind": "optimal", "points": 4}],
}  # fmt: skip
HOUR = timedelta(hours=1)


@pytest.fixture
def database_url(either_database_url: str) -> str:
    """As tests/service/test_assignments.py; tests/service/test_students.py runs on SQLite."""
    return either_database_url


def post(client: FlaskClient, **changes: Any) -> str:
    made = client.post("/v1/assignments", json=ASSIGNMENT | changes)
    assert made.status_code == 201, made.text
    return made.headers["Location"]


def hand_in(client: FlaskClient, where: str, student: str = "7", solution: str = "U", **headers: str) -> Any:
    content = json.dumps([{"instance": "one", "solution": solution}])
    return client.post(f"{where}/submissions", json={"student": student, "content": content}, headers=headers)


def now() -> datetime:
    return datetime.now(UTC)


def test_submissions_are_listed_in_pages(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client)
    made = [hand_in(client, where, str(i % 3)).get_json()["id"] for i in range(5)]
    assert work_off() == 5
    first = client.get(f"{where}/submissions?limit=3")
    page = first.get_json()
    assert first.headers["Link"] == f'<{page["next"]}>; rel="next"'
    rest = client.get(page["next"]).get_json()
    assert rest["next"] is None
    items = page["items"] + rest["items"]
    assert [item["id"] for item in items] == made[::-1]
    assert [(item["student"], item["attempt"]) for item in items] == [
        ("1", 2), ("0", 2), ("2", 1), ("1", 1), ("0", 1),
    ]  # fmt: skip
    assert {(item["status"], item["max_score"], item["costs_attempt"]) for item in items} == {("done", 10, True)}
    assert "grading" not in items[0]
    mine = client.get(f"{where}/submissions?student=1").get_json()["items"]
    assert [item["id"] for item in mine] == [made[4], made[1]]
    assert client.get(f"{where}/submissions?status=queued").get_json()["items"] == []
    seen = client.get(f"{where}/submissions?view=student").get_json()["items"]
    assert {item["max_score"] for item in seen} == {5}
    assert client.get(f"{where}/submissions?cursor=x").status_code == 422


def test_a_fault_of_the_service_costs_neither_attempt_nor_token(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    where = post(client, attempts=2, bucket={"tokens": 2, "hours_a_token": 24})
    hand_in(client, where)
    sessions = client.application.extensions["hstar"].sessions

    def break_down(session: Any) -> None:
        claim = claim_next(session, "w", timedelta(minutes=1))
        assert claim is not None
        assert fail(session, claim, "worker_lost: the worker of this job was lost 3 times")

    sessions.run(break_down)
    hand_in(client, where)
    with sessions.read() as session:
        (queued,) = session.scalars(select(Job.id).where(Job.state == "queued"))
    sessions.run(lambda session: request_cancel(session, queued))
    (cancelled, failed) = client.get(f"{where}/submissions").get_json()["items"]
    assert (cancelled["status"], failed["status"]) == ("cancelled", "failed")
    assert not cancelled["costs_attempt"]
    assert failed["error"].startswith("worker_lost")
    standing = client.get(f"{where}/standing?student=7").get_json()
    assert (standing["attempts_used"], standing["attempts_left"], standing["tokens_left"]) == (0, 2, 2)
    assert standing["may_submit"]
    assert standing["entry"] is None
    assert [hand_in(client, where).status_code for _ in range(3)] == [202, 202, 409]
    work_off()
    assert client.get(f"{where}/standing?student=7").get_json()["entry"]["attempts"] == 2


def test_a_guesser_runs_out_of_tokens(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client, bucket={"tokens": 2, "hours_a_token": 6})
    assert [hand_in(client, where).status_code for _ in range(2)] == [202, 202]
    refused = hand_in(client, where)
    assert refused.status_code == 429
    assert refused.get_json()["type"].endswith("#no-token-left")
    assert 0 < int(refused.headers["Retry-After"]) <= 6 * 3600 + 1
    assert hand_in(client, where, "8").status_code == 202
    standing = client.get(f"{where}/standing?student=7").get_json()
    assert (standing["tokens_left"], standing["may_submit"]) == (0, False)
    assert now() < datetime.fromisoformat(standing["next_token_at"]) < now() + 6 * HOUR
    work_off()


def test_late_and_last(client: FlaskClient, work_off: Callable[[], int]) -> None:
    due = (now() - 30 * HOUR).isoformat()
    where = post(client, due=due, late={"percent_a_day": 20}, counts="last", instances=[{"name": "one", "k": 0}])
    for solution in ("", "nonsense", ""):
        hand_in(client, where, solution=solution)
    hand_in(client, where, "8", "nonsense")
    work_off()
    seven, eight = client.get(f"{where}/gradebook").get_json()["entries"]
    assert (seven["score"], seven["late_percent"], seven["counted"]) == (6, 40, 3)
    assert (eight["score"], eight["attempts"]) == (0, 1)
    assert client.get(f"{where}/standing?student=7").get_json()["late_percent"] == 40
    for score in json.loads(client.get(f"{where}/gradebook?format=ags").text):
        assert now() - HOUR < datetime.fromisoformat(score["timestamp"]) <= now()


def test_a_new_due_date_changes_when_scores_changed(client: FlaskClient, work_off: Callable[[], int]) -> None:
    """Platforms drop a score that is older than the one they have."""
    where = post(client, instances=[{"name": "one", "k": 0}], due=(now() + HOUR).isoformat())
    hand_in(client, where, solution="")
    work_off()

    def line() -> tuple[float, datetime]:
        (found,) = client.get(f"{where}/gradebook").get_json()["entries"]
        return found["score"], datetime.fromisoformat(found["changed_at"])

    assert line()[0] == 10
    before, graded_at = now(), line()[1]
    document = client.get(where).get_json()["assignment"]
    client.put(where, json={**document, "title": "Another title"})
    assert line() == (10, graded_at)  # no score depends on these
    client.put(where, json={**document, "due": (now() - HOUR).isoformat()})
    score, changed_at = line()
    assert (score, changed_at >= before) == (9, True)
    (sent,) = [json.loads(client.get(f"{where}/gradebook?format=ags").text)]
    assert datetime.fromisoformat(sent["timestamp"]) == changed_at


def test_scrambles_of_ones_own_have_the_name_of_the_scramble(client: FlaskClient, work_off: Callable[[], int]) -> None:
    """So that rows of two students with the same name have the same scramble."""
    where = post(client, own_scrambles=True, instances=[{"name": "one", "k": 0}])
    for student, algs in (("7", ("U", "L")), ("8", ("L", "U L"))):
        rows = [{"scramble": alg, "solution": "R R"} for alg in algs]
        client.post(f"{where}/submissions", json={"student": student, "content": json.dumps(rows)})
    work_off()
    found = client.get(f"{where}/results?of=instances&own=true").get_json()["items"]
    assert [(row["student"], row["instance"]) for row in found] == [
        ("7", "own: U"), ("7", "own: L"), ("8", "own: L"), ("8", "own: U L"),
    ]  # fmt: skip
    told = client.get(f"{where}/statistics").get_json()["statistics"]
    assert [(one["instance"], one["submitted"]) for one in told["instances"]] == [("one", 0)]
    assert told["hardest"] is None


def test_earlier_versions_can_be_read(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client)
    old = client.get(where).get_json()["version"]
    hand_in(client, where)
    work_off()
    moved = ASSIGNMENT | {"due": (now() + HOUR).isoformat()}
    assert client.put(where, json=moved).get_json()["version"] == old  # no score depends on a date
    changed = {**moved, "rubric": [{"kind": "valid", "points": 1}]}
    new = client.put(where, json=changed).get_json()["version"]
    assert new != old
    listed = client.get(f"{where}/versions").get_json()["items"]
    assert [(one["version"], one["current"], one["max_score"]) for one in listed] == [(old, False, 10), (new, True, 1)]
    graded_by = client.get(f"{where}/submissions").get_json()["items"][0]["version"]
    (found,) = [one for one in listed if one["version"] == graded_by]
    assert found["document"]["rubric"][0]["points"] == 6
    assert client.put(where, json=moved).get_json()["version"] == old
    assert len(client.get(f"{where}/versions").get_json()["items"]) == 2


def test_a_student_asks_and_an_instructor_answers(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client)
    submission = hand_in(client, where, solution="nonsense").headers["Location"]
    asked = {"item": "valid", "note": "It is a word of mine."}
    early = client.post(f"{submission}/regrade-requests", json=asked)
    assert (early.status_code, early.get_json()["detail"]) == (409, "the submission has not been graded yet")
    work_off()
    unknown = client.post(f"{submission}/regrade-requests", json={"item": "style", "note": "x"})
    assert unknown.get_json()["errors"][0]["message"] == "the rubric has no item 'style'; it has valid, optimal"
    made = client.post(f"{submission}/regrade-requests", json=asked, headers={"Idempotency-Key": "r"})
    assert made.status_code == 201, made.text
    again = client.post(f"{submission}/regrade-requests", json=asked, headers={"Idempotency-Key": "r"})
    assert again.get_json() == made.get_json()
    second = client.post(f"{submission}/regrade-requests", json={"note": "and?"})
    assert (second.status_code, second.get_json()["detail"]) == (409, "an earlier request has not been answered yet")
    address = made.headers["Location"]
    assert client.get(f"{where}/regrade-requests?status=open").get_json()["items"] == [made.get_json()]
    assert client.get(address).get_json()["status"] == "open"

    wrong = client.put(f"{address}/answer", json={"decision": "declined", "answer": "No.", "adjustment": 1})
    assert wrong.status_code == 422
    declined = client.put(f"{address}/answer", json={"decision": "declined", "answer": "No."})
    assert (declined.get_json()["status"], declined.get_json()["answer"]) == ("declined", "No.")
    assert work_off() == 0
    granted = {"decision": "granted", "answer": "After all.", "adjustment": 2.5}
    assert client.put(f"{address}/answer", json=granted).get_json()["adjustment"] == 2.5
    assert client.get(submission).get_json()["regrading"]
    assert client.put(f"{address}/answer", json=granted).status_code == 200
    assert work_off() == 1  # granted twice, graded again once
    entry = client.get(f"{where}/gradebook").get_json()["entries"][0]
    assert (entry["score"], entry["adjustment"]) == (2.5, 2.5)
    assert client.get(submission).get_json()["score"] == 0
    assert client.get(f"{where}/regrade-requests?student=8").get_json()["items"] == []
    for path in (f"{where}/regrade-requests/{submission[-36:]}", f"{where}/submissions/{address[-36:]}"):
        assert client.get(path).status_code == 404


def test_requests_have_a_deadline(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client, regrade_requests_until=(now() - HOUR).isoformat())
    submission = hand_in(client, where).headers["Location"]
    work_off()
    refused = client.post(f"{submission}/regrade-requests", json={"note": "please"})
    assert refused.status_code == 409
    assert "requests were possible until" in refused.get_json()["detail"]
    client.put(where, json=ASSIGNMENT | {"regrade_requests_until": (now() + HOUR).isoformat()})
    assert client.post(f"{submission}/regrade-requests", json={"note": "please"}).status_code == 201


def test_a_regrade_replaces_one_that_still_waits(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = post(client)
    for student in "78":
        hand_in(client, where, student)
    work_off()
    assert client.post(f"{where}/regrades").get_json() == {"queued": 2}
    assert client.post(f"{where}/regrades").get_json() == {"queued": 2}
    assert work_off() == 2
    assert not any(item["regrading"] for item in client.get(f"{where}/submissions").get_json()["items"])
    # Only the grading in force and the one before it keep the submitted file.
    for _ in range(2):
        client.post(f"{where}/regrades")
        assert work_off() == 2
        assert len(client.get("/v1/jobs?kind=grading").get_json()["items"]) == 4


@pytest.mark.parametrize("name", ["ada.json", "ben.zip"])
def test_the_students_copy_of_the_course(client: FlaskClient, name: str) -> None:
    where = client.post("/v1/assignments", json=the_course(hidden=True)).headers["Location"]
    copy = client.get(f"{where}?view=student").get_json()
    assert copy["view"] == "student"
    assert len(copy["instances"]) == 5
    assert 'seed":77' not in json.dumps(copy).replace(" ", "")
    assert copy["max_score"] < 100
    assert client.get(where).get_json()["max_score"] == 100


def test_every_figure_comes_with_the_query_that_made_it(client: FlaskClient, work_off: Callable[[], int]) -> None:
    where = client.post("/v1/assignments", json=json.loads((COURSE / "assignment.json").read_text())).headers[
        "Location"
    ]
    for student, name in enumerate(("ada.json", "cem.json", "dee.json", "eve.json")):
        content = (COURSE / name).read_text()
        client.post(f"{where}/submissions", json={"student": f"s & {student}", "content": content})
    assert work_off() == 4
    found = client.get(f"{where}/statistics").get_json()["statistics"]
    (pair,) = found["similar"]
    sides = [client.get(pair["queries"].pop(side)).get_json() for side in ("first", "second")]
    assert [{row["student"] for row in side["items"]} for side in sides] == [{"s & 0"}, {"s & 3"}]
    assert [side["count"] for side in sides] == [pair["lines"]] * 2
    hardest = found["queries"].pop("hardest")
    assert client.get(hardest).get_json()["items"] == []  # all four have solved all
    figures = 0
    for part in [found, *found["items"], *found["instances"], pair]:
        assert part.keys() >= part["queries"].keys()
        for figure, query in part["queries"].items():
            answer = client.get(query).get_json()
            value = answer[figure] if figure in ("mean", "median") else answer["count"]
            told = len(part[figure]) if figure == "similar" else part[figure]
            assert (figure, value) == (figure, told), query
            assert len(answer["items"]) == answer["count"]
            figures += 1
    assert figures == 4 + 4 * 6 + 3 * 6 + 4
    (row,) = client.get(found["queries"]["similar"]).get_json()["items"]
    assert (row["student"], row["other"], row["same_counts"]) == ("s & 0", "s & 3", pair["same_counts"])
    assert client.get(f"{where}/results?of=similar&student=s+%26+3").get_json()["count"] == 1
    assert client.get(f"{where}/results?of=similar&student=s+%26+1").get_json()["count"] == 0
    refuted = client.get(f"{where}/results?of=items&item=admissible+heuristic&reached=none").get_json()
    assert [row["student"] for row in refuted["items"]] == ["s & 1"]
    assert found["hardest"] is None
    for wrong in ("of=games", "of=instances&other=a", "of=instances&same=count", "of=students&hardest=true"):
        assert client.get(f"{where}/results?{wrong}").status_code == 422

    all_but_one = json.loads((COURSE / "ada.json").read_text())["results"][1:]
    client.post(f"{where}/submissions", json={"student": "t", "content": json.dumps(all_but_one)})
    work_off()
    again = client.get(f"{where}/statistics").get_json()["statistics"]
    only = client.get(hardest).get_json()
    assert {row["instance"] for row in only["items"]} == {again["hardest"]} == {again["instances"][0]["instance"]}
    assert only["count"] == 5


def test_statistics_by_student_and_assignment(client: FlaskClient, work_off: Callable[[], int]) -> None:
    first, second = post(client), post(client, instances=[{"name": "one", "k": 0}])
    for where, student, solution in (
        (first, "7", "nonsense"),
        (second, "7", ""),
        (second, "7", "x"),
        (second, "8", ""),
    ):
        hand_in(client, where, student, solution)
    assert work_off() == 4
    hand_in(client, first, "8")

    def ask(query: str) -> Any:
        answer = client.get(f"/v1/stats/submissions{query}")
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    whole = ask("")
    assert (whole["submissions"], whole["groups"][0]["students"], whole["groups"][0]["waiting"]) == (5, 2, 1)
    found = ask("?group_by=student&group_by=assignment")["groups"]
    shown = {(g["values"]["student"], g["values"]["assignment"]): (g["graded"], g["share"]) for g in found}
    assert list(shown) == sorted(shown)
    assert shown["7", second[-36:]] == (2, {"mean": 0.5, "median": 0.5, "least": 0.0, "greatest": 1.0})
    assert shown["8", first[-36:]] == (0, None)
    by_student = ask(f"?group_by=student&assignment={second[-36:]}")["groups"]
    assert [(g["values"], g["submissions"]) for g in by_student] == [({"student": "7"}, 2), ({"student": "8"}, 1)]
    assert ask("?student=9")["groups"] == ask("?assignment=nonsense")["groups"] == []
    assert client.get("/v1/stats/submissions?group_by=teacher").status_code == 422


def test_solves_are_grouped_by_the_student_and_the_assignment_that_they_are_tagged_with(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    for student, k in (("ann", 2), ("ann", 3), ("bea", 2)):
        tags = {"student": student, "assignment": "a1"}
        client.post("/v1/solves", json={"puzzle": "8-puzzle", "scramble": {"k": k, "seed": 1}, "tags": tags})
    work_off()
    found = client.get("/v1/stats?group_by=student&group_by=assignment").get_json()["groups"]
    assert [(group["values"], group["outcomes"]["solved"]) for group in found] == [
        ({"student": "ann", "assignment": "a1"}, 2), ({"student": "bea", "assignment": "a1"}, 1),
    ]  # fmt: skip
    table = client.get("/v1/stats.csv?group_by=student").text
    assert table.startswith("student,")


def test_results_about_a_heuristic_are_computed_once_for_a_course(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    """Not once for each submission, nor once for each process: here each submission has a new process."""
    document = json.loads((COURSE / "assignment.json").read_text())
    where = client.post("/v1/assignments", json=document).headers["Location"]
    content = json.loads((COURSE / "ada.json").read_text())
    before = {kind: kind.computed for kind in remembered._kinds}
    for student in range(6):
        remembered.forget()
        text = json.dumps({**content, "heuristic": f"misplaced_facelets / {20 + student % 2}"})
        client.post(f"{where}/submissions", json={"student": str(student), "content": text})
        assert work_off() == 1
    gradings = [one["score"] for one in client.get(f"{where}/submissions").get_json()["items"]]
    assert len(gradings) == 6
    assert gradings[:2] * 3 == gradings
    computed = {kind._name: kind.computed - before.get(kind, 0) for kind in remembered._kinds}
    instances = len(content["results"])
    assert computed == {
        "audit of a heuristic": 2, "counts under all conventions": 2 * instances, "optimum": instances,
        "counts of a long search": 0,
    }  # fmt: skip
