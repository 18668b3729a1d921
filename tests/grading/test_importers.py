"""Models of other systems' importers, written from their published sources and documents.

They are independent of the models in `hstar.grading.outputs`:

- Canvas gradebooks: lib/gradebook_importer.rb of instructure/canvas-lms at 00b222d.
- LTI scores: app/controllers/lti/ims/scores_controller.rb of instructure/canvas-lms at 02bc7b3.
- PrairieLearn: docs/externalGrading.md of PrairieLearn/PrairieLearn at 06a6d59.
- Moodle: "Grade import", docs.moodle.org/405.
- Gradescope: "Autograder specifications", gradescope-autograders.readthedocs.io/en/latest/specs.
"""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hstar.errors import InvalidRequest
from hstar.grading import Grading, grade, read_assignment, read_submission
from hstar.grading.gradebook import Attempt, Work, entry
from hstar.grading.outputs import render
from hstar.grading.roster import RosterLine
from tests.grading.test_score import COURSE, RIGHT, STUDENTS, assignment, graded

OVER = read_assignment((COURSE / "assignment.json").read_text())
TIME = datetime(2026, 12, 1, 12, 0, 0, 250_000, tzinfo=UTC)


@pytest.fixture(scope="module")
def gradings() -> list[Grading]:
    found = []
    for number, name in enumerate(STUDENTS):
        read = read_submission((COURSE / name).read_bytes(), name)
        read.submission = read.submission.model_copy(update={"student": f"s{number}", "name": f"Student {number}"})
        found.append(grade(OVER, read))
    return found


def written(form: str, gradings: list[Grading]) -> str:
    attempts = [Attempt(grading, changed=TIME + timedelta(minutes=n)) for n, grading in enumerate(gradings)]
    return render(
        form, OVER, gradings, [entry(OVER.given, Work(a.grading.student or "", attempts=[a])) for a in attempts]
    )


class Canvas:
    """Canvas's reading of a gradebook: the points of each student for each assignment."""

    def __init__(self, assignments: dict[int, str], students: dict[str, dict[str, str]]) -> None:
        self.assignments = assignments
        self.students = students  # by Canvas's own id: their "sis", "login" and "name"

    def take(self, text: str) -> tuple[str, dict[str, str]]:
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        assert "Student" in header[0]
        assert "ID" in header[1]
        assert re.search(r"SIS\s+User\s+ID", header[2])
        assert re.search(r"SIS\s+Login\s+ID", header[3])
        assert "Section" in header[4]  # the last column about the student
        own = re.compile("(Current|Final|Override) (Score|Points|Grade|Status)")
        (title,) = [name for name in header[5:] if not own.search(name)]
        with_id = re.fullmatch(r"(.*) \((\d+)\)", title)
        if with_id is not None:
            title = self.assignments[int(with_id[2])]
        points = {}
        for row in rows:
            if "Points Possible" in row[0]:
                continue
            points[self.student(row)] = row[5]
        return title, points

    def student(self, row: list[str]) -> str:
        if row[1].isdigit() and row[1] in self.students:
            return row[1]
        for key, cell in (("sis", row[2]), ("login", row[3]), ("name", row[0])):
            for id, student in self.students.items():
                if cell and student[key] == cell:
                    return id
        raise AssertionError(f"Canvas would ask who {row} is")


def test_canvas_finds_the_assignment_and_every_student(gradings: list[Grading]) -> None:
    students = {f"90{n}": {"sis": f"s{n}", "login": "", "name": f"Student {n}"} for n in range(len(gradings))}
    title, points = Canvas({4711: "Puzzles"}, students).take(written("canvas", gradings))
    assert title == "Puzzles"
    assert points == {"900": "100", "901": "100", "902": "85", "903": "90", "904": "100"}


def test_canvas_finds_students_whose_university_has_numbers_too() -> None:
    """Canvas' own 1001 is Eve. At the university 1001 is Ada; a 1002 who is on no roster is nobody in Canvas."""
    over = assignment()
    students = {
        "4001": {"sis": "1001", "login": "ada", "name": "Ada"}, "1001": {"sis": "1003", "login": "eve", "name": "Eve"},
        "1002": {"sis": "1004", "login": "fay", "name": "Fay"},
    }  # fmt: skip

    def file(*people: tuple[str, str, RosterLine | None]) -> str:
        found = [graded([RIGHT], over, student=student, name=name) for student, name, _ in people]
        entries = [
            entry(over.given, Work(student, attempts=[Attempt(one)], line=known))
            for (student, _, known), one in zip(people, found, strict=True)
        ]
        return render("canvas", over, found, entries)

    canvas = Canvas({}, students)
    ada = ("1001", "Ada", RosterLine(student="1001", name="Ada"))
    assert set(canvas.take(file(ada))[1]) == {"4001"}
    exported = ("1003", "Eve", RosterLine(student="1003", name="Eve", canvas_id="1001"))
    assert set(canvas.take(file(ada, exported))[1]) == {"4001", "1001"}
    with pytest.raises(AssertionError, match="Canvas would ask"):
        canvas.take(file(ada, ("1002", "Joe", None)))
    # Without a roster the students' ids are those that Canvas asks for.
    assert set(canvas.take(file(("1002", "Joe", None), ("1001", "Eve", None)))[1]) == {"1002", "1001"}


def test_canvas_is_given_no_column_that_it_would_leave_out() -> None:
    over = assignment(title="Final Score of the course")
    found = graded([RIGHT], over, student="7", name="Ann")
    with pytest.raises(InvalidRequest, match="Canvas would not import"):
        render("canvas", over, [found], [entry(over.given, Work(found.student or "", attempts=[Attempt(found)]))])
    named = assignment(id="week-3")  # not a number, so not an id of Canvas
    text = render("canvas", named, [found], [entry(named.given, Work(found.student or "", attempts=[Attempt(found)]))])
    assert next(csv.reader(io.StringIO(text)))[5] == "Three scrambles"


def post_score(result: datetime | None, body: dict[str, Any]) -> int:
    """Canvas's HTTP status for a score, if it has a result with that time."""
    if not {"userId", "activityProgress", "gradingProgress", "timestamp"} <= set(body):
        return 400
    time = datetime.fromisoformat(body["timestamp"])
    if time.tzinfo is None or (result is not None and result > time):
        return 400
    if "scoreGiven" in body and not float(body.get("scoreMaximum", -1)) >= 0:
        return 422
    return 200 if body["gradingProgress"] in ("FullyGraded", "PendingManual") else 204


def test_scores_are_taken_in_the_order_of_their_changes(gradings: list[Grading]) -> None:
    scores = json.loads(written("ags", gradings))
    result = None
    for score in scores:  # as if all belonged to one student, each a later change
        assert post_score(result, score) == 200
        result = datetime.fromisoformat(score["timestamp"])
    assert post_score(result, scores[0]) == 400
    assert [score["scoreGiven"] for score in scores] == [100, 100, 85, 90, 100]
    assert scores[0]["timestamp"].startswith("2026-12-01T12:00:00.25")


def test_prairielearn_takes_the_results(gradings: list[Grading]) -> None:
    for grading in gradings:
        text = written("prairielearn", [grading])
        assert len(text.encode()) <= 10**6
        found = json.loads(text)
        assert found.get("gradable", True) is True
        assert 0.0 <= found["score"] <= 1.0
        for test in found["tests"]:
            assert set(test) <= {"name", "description", "points", "max_points", "message", "output", "images"}
            assert 0 <= test["points"] <= test["max_points"]
        assert found["score"] == pytest.approx(
            sum(test["points"] for test in found["tests"]) / sum(test["max_points"] for test in found["tests"])
        )


def test_moodle_finds_students_grades_and_feedback(gradings: list[Grading]) -> None:
    rows = list(csv.DictReader(io.StringIO(written("moodle", gradings), newline="")))
    assert [row["ID number"] for row in rows] == [f"s{n}" for n in range(len(gradings))]
    grade_column, feedback = list(rows[0])[3:]
    assert [float(row[grade_column]) for row in rows] == [100, 100, 85, 90, 100]
    # Importing feedback alone would clear the grades, so the file has both.
    assert all(row[feedback] or float(row[grade_column]) == 100 for row in rows)


#: the fields of the specification's example
GRADESCOPE = {
    "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
    "stdout_visibility", "extra_data", "tests", "leaderboard",
}  # fmt: skip
GRADESCOPE_TEST = {
    "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility",
    "extra_data",
}  # fmt: skip


def test_gradescope_takes_the_results(gradings: list[Grading]) -> None:
    for grading in gradings:
        found = json.loads(written("gradescope", [grading]))
        assert set(found) <= GRADESCOPE
        assert "score" in found or all("score" in test for test in found["tests"])
        for test in found["tests"]:
            assert set(test) <= GRADESCOPE_TEST
            assert test["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
            assert test["status"] == ("passed" if test["score"] == test["max_score"] else "failed")
            assert isinstance(test["number"], str)
            assert all(isinstance(tag, str) for tag in test["tags"])
        assert sum(test["score"] for test in found["tests"]) == pytest.approx(grading.score, abs=1e-4)
        for line in found["leaderboard"]:
            assert {"name", "value"} <= set(line) <= {"name", "value", "order"}
