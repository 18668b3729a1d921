"""What the outputs say, cell by cell, and which line each fault names."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hstar.errors import HstarError, InvalidRequest
from hstar.grading import Grading, grade, read_submission
from hstar.grading.gradebook import Attempt, Entry, Work, entry
from hstar.grading.outputs import FORMATS, canvas, gradescope, moodle, prairielearn, render
from hstar.grading.outputs.ags import EPOCH
from hstar.grading.outputs.tables import reasons
from hstar.grading.schema import Deduction
from tests.grading.test_score import RIGHT, assignment, graded

#: one instance wrong, one missing, one hidden
HALF = [RIGHT, {"instance": "two", "solution": "U"}]


def ann(rows: list[dict[str, Any]] | None = None) -> Grading:
    return graded(HALF if rows is None else rows, student="7", name="Ann", email="ann@example.org")


def line(grading: Grading, **changes: Any) -> Entry:
    return entry(assignment().given, Work(grading.student or "", attempts=[Attempt(grading)])).model_copy(
        update=changes
    )


def faults(refused: pytest.ExceptionInfo[HstarError]) -> list[tuple[str, str]]:
    return [(fault.where, fault.message) for fault in refused.value.faults]


def test_one_grading_is_an_object_and_several_are_a_list() -> None:
    one = ann()
    assert Grading.model_validate_json(render("json", assignment(), [one], [line(one)]), strict=False) == one
    assert len(json.loads(render("json", assignment(), [one, one], [line(one)] * 2))) == 2
    assert isinstance(json.loads(render("ags", assignment(), [one], [line(one)])), dict)
    assert len(json.loads(render("ags", assignment(), [one, one], [line(one)] * 2))) == 2
    for name, form in FORMATS.items():
        if form.single:
            with pytest.raises(InvalidRequest, match="too many submissions"):
                render(name, assignment(), [one, one], [line(one)] * 2)
    with pytest.raises(HstarError):
        render("cvs", assignment(), [one], [line(one)])


def test_the_plain_table() -> None:
    one = ann()
    header, *rows = csv.reader(io.StringIO(render("csv", assignment(), [one, one], [line(one)] * 2), newline=""))
    assert header == [
        "student", "name", "email", "item", "visibility", "score", "max_score", "reasons", "status", "version",
    ]  # fmt: skip
    assert rows[:5] == rows[5:]
    assert [row[:7] for row in rows[:5]] == [
        ["7", "Ann", "ann@example.org", *cells]
        for cells in (
            ["valid", "visible", "2", "4"], ["valid", "hidden", "0", "2"], ["optimal", "visible", "1", "2"],
            ["optimal", "hidden", "0", "1"], ["total", "", "3", "9"],
        )
    ]  # fmt: skip
    assert rows[1][7] == "no line of the submission is for this instance"
    assert {row[9] for row in rows} == {one.version}
    assert [row[8] for row in rows[:5]] == ["", "", "", "", "graded"]


def test_reasons_are_of_visible_parts_and_cut_to_a_length() -> None:
    one = ann()
    long = reasons(line(one, comment="c" * 3000), one)
    assert (len(long), long[-6:]) == (2000, "ccc...")
    text = reasons(line(one), one)
    assert text.startswith("valid: ")
    assert text.endswith("there is no valid solution for this instance (-1)")
    assert len(text.split("; ")) == 2
    assert "no line" not in text  # of the hidden instance
    assert reasons(line(one), one, len(text)) == text
    assert reasons(line(one), one, len(text) - 1) == text[: len(text) - 4] + "..."


def test_canvas_columns_of_students_with_and_without_a_number() -> None:
    one = ann()
    given = [line(one), line(one, student="x7", status="excused", attempts=0), line(one, name=None, score=1.25)]
    _, points, *rows = csv.reader(io.StringIO(render("canvas", assignment(), [one] * 3, given), newline=""))
    assert points == ["    Points Possible", "", "", "", "", "9"]
    assert rows == [
        ["Ann", "7", "", "ann@example.org", "", "3"],
        ["Ann", "", "x7", "ann@example.org", "", "EX"],
        ["7", "7", "", "ann@example.org", "", "1.25"],
    ]


@pytest.mark.parametrize(
    ("student", "canvas_id", "login", "cells"),
    [
        ("7", None, None, ["7", "", "ann@example.org"]),
        ("x7", None, None, ["", "x7", "ann@example.org"]),
        ("\uff17", None, None, ["", "\uff17", "ann@example.org"]),
        ("7", "71", None, ["71", "7", "ann@example.org"]),
        ("7", None, "ann", ["", "7", "ann"]),
        ("7", "71", "ann", ["71", "7", "ann"]),
    ],
)
def test_canvas_has_the_ids_of_the_roster(
    student: str, canvas_id: str | None, login: str | None, cells: list[str]
) -> None:
    one = ann()
    entries = [line(one, student=student, canvas_id=canvas_id, login=login)]
    *_, row = csv.reader(io.StringIO(render("canvas", assignment(), [one], entries), newline=""))
    assert row[1:4] == cells


EXPECTED = [("line 1", "expected Student,ID,SIS User ID,SIS Login ID,Section and an assignment")]
HEADER = "Student,ID,SIS User ID,SIS Login ID,Section,T (1)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", EXPECTED),
        (HEADER.replace(",T (1)", ""), EXPECTED),
        (HEADER.replace("Section", "Sections"), EXPECTED),
        (HEADER.replace("ID,SIS User ID", "Name,SIS User ID"), EXPECTED),
        (HEADER.replace("T (1)", "My Final Score"),
         [("line 1", "a column with 'Final Score' in its title is not read as an assignment")]),
        (HEADER + "A,1,,,,2\nB,2\n", [("line 3", "2 cells, and the header has 6")]),
        (HEADER + "A,1,,,,2,3\nB,2,,,,3\n", [("line 2", "7 cells, and the header has 6")]),
        (HEADER + "A,,,,x,2\n", [("line 2", "the student has neither an ID nor an SIS ID")]),
        (HEADER + "Zoe,,,,x,2\n", [("line 2", "the student has neither an ID nor an SIS ID")]),
        (HEADER + "A,,x,,,2\nA,,,y,,EX\nA,1,,,,\n Points Possible,,,,,10\n", []),
        (HEADER + "A,1,,,,0\nA,1,,,,many\nB,2,,,,-1\n",
         [("line 3", "'many' is no score"), ("line 4", "'-1' is no score")]),
    ],
)  # fmt: skip
def test_canvas_would_refuse(text: str, expected: list[tuple[str, str]]) -> None:
    if not expected:
        canvas.check(text)
        return
    with pytest.raises(InvalidRequest) as refused:
        canvas.check(text)
    assert faults(refused) == expected


def test_moodle_rows_and_what_it_would_refuse() -> None:
    one = ann()
    header, row = csv.reader(io.StringIO(render("moodle", assignment(), [one], [line(one)]), newline=""))
    assert header == ["ID number", "Email address", "Full name", "Three scrambles", "Three scrambles (feedback)"]
    assert row == ["7", "ann@example.org", "Ann", "3", reasons(line(one), one)]
    start = "ID number,Email address,Name,T\n"
    moodle.check(start + "1,,,0\n,a@b,,10\n", 10)
    with pytest.raises(InvalidRequest) as refused:
        moodle.check(start + "1,,,10.5\n,,,3\n1,,,-1\n", 10)
    assert faults(refused) == [
        ("line 2", "the grade 10.5 is not from 0 to 10"),
        ("line 3", "the student has neither an ID number nor an e-mail address"),
        ("line 4", "the grade -1 is not from 0 to 10"),
    ]
    needed = ("line 1", "one of the columns ID number, Username, Email address is needed")
    for text in ("", "Who,Email,Name,T\nA,,,1\n", "Who,Email,Name,T\n,,,1\nID number,,,\n"):
        with pytest.raises(InvalidRequest) as refused:
            moodle.check(text, 10)
        assert faults(refused) == [needed]


def test_ags_takes_the_time_of_the_last_change_or_else_of_the_file() -> None:
    one = ann()
    day, later = datetime(2026, 12, 1, tzinfo=UTC), datetime(2026, 12, 2, tzinfo=UTC)

    def time(**changes: Any) -> datetime:
        return datetime.fromisoformat(
            json.loads(render("ags", assignment(), [one], [line(one, **changes)]))["timestamp"]
        )

    assert time(changed_at=later, submitted_at=day) == later
    assert time(submitted_at=day) == day
    assert time() == EPOCH == datetime(1970, 1, 1, tzinfo=UTC)
    body = json.loads(render("ags", assignment(), [one], [line(one)]))
    assert (body["activityProgress"], body["gradingProgress"]) == ("Completed", "FullyGraded")
    assert body["comment"] == reasons(line(one), one)
    assert "comment" not in json.loads(render("ags", assignment(), [one.model_copy(update={"parts": []})], [line(one)]))
    nobody = line(one, student="")
    with pytest.raises(InvalidRequest) as refused:
        render("ags", assignment(), [one] * 30, [line(one), *[nobody] * 29])
    assert [where for where, _ in faults(refused)] == [f"submission {number}" for number in range(2, 31)]


@pytest.mark.parametrize(
    ("changes", "progress"),
    [
        ({}, "FullyGraded"),
        ({"pending": ["report"]}, "PendingManual"),
        ({"pending": ["report"], "status": "missing", "score": None}, "NotReady"),
        ({"pending": ["report"], "status": "failed"}, "Failed"),
        ({"status": "failed"}, "Failed"),
        ({"status": "refused", "score": None}, "Failed"),
        ({"status": "waiting", "pending": ["report"]}, "Pending"),
        ({"status": "mapping", "score": None}, "NotReady"),
        ({"status": "excused", "score": None}, "NotReady"),
    ],
)
def test_only_a_final_score_goes_to_a_platform(changes: dict[str, Any], progress: str) -> None:
    one = ann()
    entries = [line(one, **changes)]
    body = json.loads(render("ags", assignment(), [one], entries))
    assert body["gradingProgress"] == progress
    final = progress == "FullyGraded"
    assert ("scoreGiven" in body, body.get("scoreMaximum")) == (final, 9 if final else None)
    *_, row = csv.reader(io.StringIO(render("moodle", assignment(), [one], entries), newline=""))
    assert row[3] == ("3" if final else "")
    *_, row = csv.reader(io.StringIO(render("canvas", assignment(), [one], entries), newline=""))
    assert row[-1] == ("3" if final else "EX" if changes.get("status") == "excused" else "")


def test_who_handed_in_nothing_has_not_begun() -> None:
    for attempts, activity in ((0, "Initialized"), (1, "Completed"), (2, "Completed")):
        body = json.loads(render("ags", assignment(), [None], [line(ann(), attempts=attempts)]))
        assert body["activityProgress"] == activity


def test_json_is_indented_by_two_and_has_no_empty_fields() -> None:
    one = ann()
    over = assignment(attempts=1)
    texts = [render(name, over, [one], [line(one)]) for name in ("ags", "gradescope", "prairielearn")]
    texts += [gradescope.refused(over, {}), prairielearn.unreadable("why", [])]
    assert not any("null" in text for text in texts)
    for text in [*texts, render("json", over, [one, one], [line(one)] * 2)]:
        assert text == json.dumps(json.loads(text), indent=2) + "\n"


def test_gradescope_shows_each_deduction_with_its_command() -> None:
    one = ann([RIGHT, {"instance": "two", "solution": "U"}, {"instance": "none", "solution": "U"}, {"solution": 3}])
    found = json.loads(render("gradescope", assignment(), [one], []))
    assert found["leaderboard"] == [{"name": "solved", "value": 1, "order": "desc"}]
    first, *rest = found["output"].split("\n")
    assert first.startswith("Three scrambles, version ")
    assert rest[0].startswith("not read: row 4, solution: ")
    assert rest[1] == "not graded: row 3: no instance is called 'none'"
    assert found["extra_data"] == {"version": one.version, "submission": one.submission}
    for test, part in zip(found["tests"], one.parts, strict=True):
        expected = []
        for lost in part.deductions:
            expected.append(f"-{lost.points:g}: {lost.instance}: {lost.reason}")
            expected += [f"    {lost.command}"] if lost.command else []
        assert test["output"].split("\n") == expected
        assert (test["score"], test["max_score"], test["extra_data"]) == (part.score, part.max_score, {"deductions": 1})
    everything = json.loads(render("gradescope", assignment(instances=[{"alg": "U F R"}]), [
        graded([RIGHT], assignment(instances=[{"alg": "U F R"}]))], []))  # fmt: skip
    assert {test["output"] for test in everything["tests"]} == {"all points"}
    plain = one.parts[0].model_copy(update={"deductions": [Deduction(points=1, reason="why")], "notes": ["so"]})
    (test,) = gradescope.results(assignment(), one.model_copy(update={"parts": [plain]})).tests or []
    assert test.output == "-1: why\nnote: so"


def test_gradescope_keeps_the_earlier_score_however_often_it_refuses() -> None:
    def tests(*scores: float | None) -> dict[str, Any]:
        return {"results": {"tests": [{"score": score} for score in scores]}}

    before = [tests(3.0, None, 1.5), {"autograder_error": True, "results": None}, tests(2.0, 0)]
    for counts, score in (("best", 4.5), ("last", 2.0)):
        over = assignment(attempts=2, counts=counts)
        metadata: dict[str, Any] = {"previous_submissions": list(before)}
        for _ in range(3):
            assert gradescope.attempts_used(metadata) == 2
            shown = json.loads(gradescope.refused(over, metadata))
            assert shown["score"] == score
            assert "2 are allowed" in shown["output"]
            metadata["previous_submissions"].append({"results": shown})
    assert json.loads(gradescope.refused(assignment(), {}))["score"] == 0
    for wrong in ({"previous_submissions": [3]}, {"previous_submissions": "many"}):
        with pytest.raises(InvalidRequest):
            gradescope.attempts_used(wrong)


def test_prairielearn_grades_what_can_be_graded() -> None:
    def found(data: Any, **changes: Any) -> prairielearn.Results:
        over = assignment(**changes)
        return prairielearn.results(grade(over, read_submission(json.dumps(data).encode())), 100)

    assert not found([{"solution": 3}]).gradable
    assert found([{"solution": 3}]).format_errors
    assert found([{"solution": 3}, RIGHT]).gradable
    assert found([]).gradable  # nothing was wrong with it
    rubric = [{"kind": "heuristic_admissible", "points": 1, "radius": 1}]
    assert found({"results": [{"solution": 3}], "heuristic": "0"}, rubric=rubric).gradable
    assert not found({"results": [{"solution": 3}], "heuristic": "99"}, rubric=rubric).gradable
    thirds = found([RIGHT], instances=[{"name": n, "alg": a} for n, a in (("a", "U F R"), ("b", "U"), ("c", "F"))])
    assert thirds.score == 0.333333
    hidden = [{"kind": "valid", "points": 1, "visibility": "hidden"}]
    assert found([RIGHT], rubric=hidden).score == 0


def test_prairielearn_texts_are_cut_only_if_they_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ann([*HALF, {"instance": "none", "solution": "U"}])
    whole = prairielearn.results(one, 20_000)
    assert whole.output == "not graded: row 3: no instance is called 'none'"
    assert prairielearn.Results.model_validate_json(prairielearn.write(assignment(), [one], [])) == whole
    (valid, optimal) = whole.tests or []
    lost = one.parts[0].deductions[0]
    assert valid.output == f"-2: two {lost.reason}\n    {lost.command}"
    assert (valid.points, valid.max_points, valid.description, optimal.name) == (2, 4, "valid", "optimal")
    size = len(valid.output)
    for limit in (size - 1, size, size + 1):
        (cut, *_) = prairielearn.results(one, limit).tests or []
        assert cut.output == (valid.output if limit >= size else valid.output[: limit - 3] + "...")
    assert len(prairielearn.results(one, 20).output or "") == 20
    shown = prairielearn.write(assignment(), [one], [])
    size = len(shown.encode())
    for most in (size, size - 1):
        monkeypatch.setattr(prairielearn, "MAX_BYTES", most)
        monkeypatch.setattr(prairielearn, "LIMITS", (20_000, 100, 10))
        short = prairielearn.results(one, 20_000 if most == size else 100)
        assert prairielearn.Results.model_validate_json(prairielearn.write(assignment(), [one], [])) == short
    monkeypatch.setattr(prairielearn, "MAX_BYTES", 0)
    assert "..." in prairielearn.write(assignment(), [one], [])
    unread = json.loads(prairielearn.unreadable("why", []))
    assert unread == {"gradable": False, "message": "why", "format_errors": ["why"]}
