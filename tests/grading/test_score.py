"""Scores: every item of the rubric, every deduction with a reason and a command that shows it; the example course."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from hstar.errors import InvalidRequest
from hstar.grading import Assignment, Grading, grade, read_assignment, read_submission, student_view
from hstar.grading.class_statistics import statistics
from hstar.puzzles.megaminx import NEIGHBOURS
from tests import forking
from tests.certificates.checkers import second as second_checker
from tests.command_line import run

COURSE = Path(__file__).resolve().parents[2] / "examples" / "course"
STUDENTS = ("ada.json", "ben.zip", "cem.json", "dee.json", "eve.json")


def the_course(**changes: Any) -> dict[str, Any]:
    """The example course; with its last instance hidden, as for students who hand in programs, if ``hidden``."""
    given: dict[str, Any] = json.loads((COURSE / "assignment.json").read_text())
    if changes.pop("hidden", False):
        given |= {"submitted": "program"}
        given["instances"][-1] |= {"name": "hidden", "visibility": "hidden"}
    return given | changes


def assignment(**changes: Any) -> Assignment:
    """Three instances of the Megaminx, one of them hidden."""
    given: dict[str, Any] = {
        "title": "Three scrambles",
        "puzzle": "megaminx",
        "moves": "ccw",
        "scramble_moves": "cw",
        "submitted": "program",
        "instances": [
            {"name": "one", "alg": "U F R"},
            {"name": "two", "alg": "L DR"},
            {"name": "secret", "k": 4, "seed": 9, "visibility": "hidden"},
        ],
        "heuristic": "s1-misplaced-facelets",
        "rubric": [{"kind": "valid", "points": 6}, {"kind": "optimal", "points": 3}],
    }
    return read_assignment(json.dumps(given | changes))


def graded(rows: list[dict[str, Any]], over: Assignment | None = None, **whole: Any) -> Grading:
    return grade(over or assignment(), read_submission(json.dumps({"results": rows} | whole).encode()))


RIGHT = {"scramble": "U F R", "solution": "R' F' U'"}


def test_points_and_reasons() -> None:
    found = graded([RIGHT, {"instance": "two", "solution": "DR' DR DR' L'"}])
    assert (found.score, found.max_score) == (3, 9)
    by_name = {(part.name, part.visibility): part for part in found.parts}
    assert by_name["valid", "visible"].score == 2
    reason = by_name["valid", "visible"].deductions[0]
    assert reason.instance == "two"
    assert reason.reason.startswith("move 2: DR is not in the move set ccw")
    assert by_name["optimal", "visible"].score == 1
    assert by_name["valid", "hidden"].deductions[0].reason == "no line of the submission is for this instance"


def test_a_command_shows_each_deduction_and_writes_its_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = graded([{**RIGHT, "solution": "R' U'"}, {"instance": "two", "solution": "L' DR' U' U' U' U' U'"}])
    commands = {d.instance: d.command for part in found.parts for d in part.deductions if d.command}
    first = run(*shlex.split(str(commands["one"]))[1:])
    assert first.exit_code == 1
    assert "the puzzle is not solved" in first.output
    proof = tmp_path / "proof.hcert"
    assert second_checker(proof).proven
    proof.unlink()
    second = run(*shlex.split(str(commands["two"]))[1:], "--json")
    assert json.loads(second.stdout)["excess"] == 5
    assert second_checker(proof).proven


def test_names_of_the_students_own() -> None:
    table = {f"x{face}": [f"x{n}" for n in around] for face, around in NEIGHBOURS.items()}
    labels = {"neighbours": table, "anchors": {"xU": "U", "xF": "F"}}
    found = graded([{"scramble": "xU xF xR", "solution": "xR' xF'"}], labels=labels)
    deduction = found.parts[0].deductions[0]
    assert "xU-xF-xL" in deduction.reason
    assert deduction.command == (
        """hstar verify megaminx --alg 'U F R' --solution "R' F'" --moves ccw --certificate proof.hcert"""
    )
    # Another student's labels: nothing is lost, and the reason is given.
    found = graded([RIGHT, {"instance": "two", "solution": "L' DR'"}], labels=labels)
    (line,) = found.ignored
    assert line.startswith("row 1: cannot read its scramble: the alg cannot be parsed in the names of this labelling: ")
    assert "U" in line.rpartition(": ")[2]  # the first fault names the move
    assert found.graded[1].row == 2
    found = graded([RIGHT], labels={"neighbours": {"U": ["F"]}})
    assert any("labels" in fault.where for fault in found.faults)
    assert found.graded[0].valid


def test_hidden_items_never_leak() -> None:
    found = graded([RIGHT])
    seen = student_view(found)
    assert (seen.score, seen.max_score) == (3, 6)
    assert "secret" not in seen.model_dump_json()
    wrong = graded([RIGHT, {"instance": "secret", "solution": "U"}])
    right = graded([RIGHT, {"instance": "secret", "solution": "F'"}])
    assert student_view(wrong).parts == student_view(right).parts
    assert student_view(wrong).score == student_view(right).score
    later = [{"kind": "valid", "points": 1, "visibility": "after_due_date"}]
    over = assignment(rubric=later, instances=[{"alg": "U"}])
    found = graded([], over)
    assert student_view(found).parts == []
    assert len(student_view(found, after_due_date=True).parts) == 1


RUBRIC = [
    {"kind": "expanded_at_most", "points": 2, "at_most": 10},
    {"kind": "claims_true", "points": 4},
    {"kind": "heuristic_admissible", "points": 5, "radius": 3},
    {"kind": "model_right", "points": 6},
    {"kind": "covers_k", "points": 2, "k": [2, 3]},
]


def test_the_other_items() -> None:
    over = assignment(rubric=RUBRIC, instances=[{"name": "one", "alg": "U F R"}, {"name": "two", "alg": "L DR"}])
    rows = [
        {**RIGHT, "nodes": 999, "length": 3, "optimal": True},
        {"instance": "two", "solution": "L' DR'", "nodes": 2, "heuristic": 7.0},
    ]
    found = graded(rows, over, heuristic="corner_moves")
    parts = {part.kind: part for part in found.parts}
    assert parts["expanded_at_most"].score == 1
    assert "cannot be right" in parts["expanded_at_most"].deductions[0].reason
    assert parts["claims_true"].score == pytest.approx(2 * 2 / 3 + 2 * 1 / 2)
    assert "--claim-expanded 999" in str(parts["claims_true"].deductions[0].command)
    assert parts["heuristic_admissible"].score == 0
    assert "is not admissible: after" in parts["heuristic_admissible"].deductions[0].reason
    seen = parts["heuristic_admissible"].deductions[0].overestimate
    assert seen is not None
    assert seen.heuristic == "corner_moves"
    assert f"after {' '.join(seen.alg)} it is" in parts["heuristic_admissible"].deductions[0].reason
    assert parts["model_right"].deductions[0].reason == "there is no model in the submission"
    assert parts["covers_k"].score == 2
    # Without an expression, the values in the lines are audited.
    found = graded(rows, over)
    audit = next(part for part in found.parts if part.kind == "heuristic_admissible")
    assert audit.score == 0
    assert audit.deductions[0].overestimate is None
    assert "it is 7, and 2 moves are enough" in audit.deductions[0].reason or "h = 7" in audit.deductions[0].reason
    assert graded([], over, heuristic="nonsense").parts[2].deductions[0].reason.startswith("cannot read the heuristic")


def test_own_scrambles() -> None:
    over = assignment(
        own_scrambles=True, instances=[],
        rubric=[{"kind": "valid", "points": 2}, {"kind": "covers_k", "points": 2, "k": [1, 3]}],
    )  # fmt: skip
    found = graded([RIGHT, {"scramble": "U", "solution": "U"}], over)
    assert (found.score, found.max_score) == (2, 4)
    assert [g.k for g in found.graded] == [3, 1]
    assert graded([], over).score == 0


def test_the_last_line_for_an_instance_counts() -> None:
    found = graded([{**RIGHT, "solution": "U"}, RIGHT])
    assert found.graded[0].row == 2
    assert found.ignored == ["row 1: row 2 is for the same instance, one"]


def test_a_limit_never_costs_the_student() -> None:
    over = assignment(
        puzzle="megaminx", moves="all", instances=[{"name": "far", "k": 25, "seed": 3}], limits={"expanded": 5},
        rubric=[{"kind": "optimal", "points": 1}],
    )  # fmt: skip
    instance = over.instances[0]
    assert instance.alg is not None
    solution = " ".join(over.puzzle.inverse_alg(instance.alg))
    found = graded([{"instance": "far", "solution": solution}], over)
    assert found.score == 1
    assert "not known within the limit" in found.parts[0].notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"puzzle": "megamix"}, "/puzzle"),
        ({"moves": "cww"}, "/moves"),
        ({"heuristic": "nonsense("}, "/heuristic"),
        ({"instances": [{"alg": "Q"}, {"alg": "U"}, {"alg": "U"}]}, "two instances are called"),
        ({"rubric": [{"kind": "covers_k", "points": 1, "k": [9]}]}, "no instance has k = 9"),
        ({"instances": []}, "otherwise there is nothing to hand in"),
        ({"rubric": [{"kind": "valid", "points": 1}, {"kind": "valid", "points": 1}]}, "two items are called"),
    ],
)
def test_an_assignment_is_checked_when_it_is_read(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        assignment(**changes)
    assert message in str(refused.value)


def test_invalid_assignments() -> None:
    wrong: list[dict[str, Any]] = [
        {"rubric": []},
        {"rubric": [{"kind": "valid", "points": -1}]},
        {"rubric": [{"kind": "expanded_at_most", "points": 1}]},
        {"limits": {"seconds": 5}},
        {"instances": [{"alg": "U", "k": 3}]},
    ]
    for changes in wrong:
        with pytest.raises(ValidationError):
            assignment(**changes)


def test_the_version_depends_on_everything_that_affects_scores() -> None:
    assert assignment().version == assignment(title="Another", attempts=5, due="2026-01-01T00:00:00Z").version
    assert assignment().version != assignment(rubric=[{"kind": "valid", "points": 6}]).version


@pytest.fixture(scope="module")
def course() -> dict[str, Grading]:
    over = read_assignment((COURSE / "assignment.json").read_text())
    return {name: grade(over, read_submission((COURSE / name).read_bytes(), name)) for name in STUDENTS}


def test_the_course_is_as_the_page_tells(
    course: dict[str, Grading], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {name: grading.score for name, grading in course.items()}
    assert scores == {"ada.json": 100, "ben.zip": 100, "cem.json": 85, "dee.json": 90, "eve.json": 100}
    notes = [note for part in course["ben.zip"].parts for note in part.notes]
    assert sum("right under another convention" in note for note in notes) == 6
    (cem,) = [d for part in course["cem.json"].parts for d in part.deductions]
    assert "after U U F it is 4, and 3 moves are enough" in cem.reason
    monkeypatch.chdir(tmp_path)
    shown = run(*shlex.split(str(cem.command))[1:])
    assert second_checker(tmp_path / "proof.hcert").proven
    assert "smallest counterexample: U U F: h = 4, h* = 3" in shown.output
    (dee,) = [d for part in course["dee.json"].parts for d in part.deductions]
    assert "all turns but F are right; F joins 2 facelets wrongly" in dee.reason


def test_the_copied_submission_is_flagged(course: dict[str, Grading]) -> None:
    found = statistics(list(course.values()))
    assert [pair.students for pair in found.similar] == [("1001", "1005")]
    assert found.similar[0].same_counts == found.similar[0].lines == 6
    assert found.students == 5
    item = {item.item: item for item in found.items}["right model"]
    assert (item.full, item.none, item.max_score) == (4, 1, 10)


def test_grading_again_is_byte_identical(course: dict[str, Grading]) -> None:
    """In a new process, without cached results."""
    arguments = ["grade", str(COURSE / "ben.zip"), "--assignment", str(COURSE / "assignment.json"), "--json"]
    again = forking.run(["-m", "hstar.cli", *arguments])
    assert again.stdout == json.dumps(course["ben.zip"].model_dump(mode="json"), indent=2) + "\n"


def test_the_files_of_the_course_equal_the_generated_ones(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(COURSE / "make.py"), str(tmp_path)], check=True, timeout=120)
    for name in STUDENTS:
        assert (tmp_path / name).read_bytes() == (COURSE / name).read_bytes(), name


def test_the_hardest_instance_is_the_one_that_fewest_solved() -> None:
    two = {"instance": "two", "solution": "DR' L'"}
    found = statistics([graded([RIGHT]), graded([RIGHT, two])])
    assert [(one.instance, one.valid) for one in found.instances] == [("secret", 0), ("two", 1), ("one", 2)]
    assert found.hardest == "secret"
    assert statistics([]).hardest is None
    assert all(one.queries == {} for one in found.items)  # there is no server to ask
