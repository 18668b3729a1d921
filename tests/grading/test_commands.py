"""Every command that a grading prints is run, and shows what the deduction says."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from hstar.grading import Assignment, Grading, grade, read_assignment, read_submission
from hstar.grading.schema import Deduction
from hstar.puzzles.megaminx import NEIGHBOURS
from tests.command_line import run
from tests.grading.test_score import COURSE, assignment, the_course
from tests.grading.test_submissions import packed

OWN = {face: f"f{number}" for number, face in enumerate(NEIGHBOURS)}
LABELS = {"neighbours": {OWN[face]: [OWN[n] for n in around] for face, around in NEIGHBOURS.items()}}
RUBRIC = [
    {"kind": "valid", "points": 6}, {"kind": "optimal", "points": 3}, {"kind": "claims_true", "points": 3},
    {"kind": "expanded_at_most", "points": 3, "at_most": 3}, {"kind": "heuristic_admissible", "points": 3},
    {"kind": "model_right", "points": 3},
]  # fmt: skip
ONE = {"name": "one", "alg": "U F R"}
BOARD: dict[str, Any] = {
    "title": "b", "puzzle": "8-puzzle", "goal": [1, 2, 3, 8, 0, 4, 7, 6, 5], "heuristic": "misplaced_tiles",
    "instances": [{"name": "one", "state": {"rows": "2 8 3 / 1 6 4 / 0 7 5"}}],
    "rubric": [item for item in RUBRIC if item["kind"] != "model_right"],
}  # fmt: skip
RIGHT = {"scramble": "U F R", "solution": "R' F' U'"}


def labelled(solution: str) -> dict[str, Any]:
    """A solution in names of the student's own."""
    return {"labels": LABELS, "results": [{"instance": "one", "solution": solution}]}


def turns() -> dict[str, Any]:
    given: dict[str, Any] = json.loads((COURSE / "dee.json").read_text())["model"]
    return given


FILES: dict[str, tuple[dict[str, Any] | None, Any]] = {
    "a wrong move": (None, [{**RIGHT, "solution": "R' F' L'"}]),
    "an unreadable move": (None, [{**RIGHT, "solution": "R' Q"}]),
    "no move": (None, [{**RIGHT, "solution": ""}]),
    "a move that is not allowed": (None, [{**RIGHT, "solution": "R"}]),
    "too long": (None, [{**RIGHT, "solution": "R' F' L' L' L' L' L' U'"}]),
    "numbers": (None, [RIGHT | {"nodes": 999, "generated": 10**8, "length": 7, "optimal": False, "heuristic": 0.5}]),
    "own labels, a wrong face": (None, labelled(f"{OWN['R']}' {OWN['F']}' {OWN['L']}'")),
    "own labels, not allowed": (None, labelled(f"({OWN['R']})")),
    "own labels, unreadable at once": (None, labelled("xyz")),
    "own labels, unreadable later": (None, labelled(f"({OWN['R']})' xyz")),
    "a heuristic": (None, {"heuristic": "3 * misplaced_facelets", "results": [RIGHT]}),
    "values": (None, {"values": [{"alg": "", "h": 0.0}, {"alg": "U", "h": 9.0}], "results": [RIGHT]}),
    "a model": (None, {"model": turns(), "results": [RIGHT]}),
    "a board": (BOARD, [{"instance": "one", "solution": "U", "nodes": 10**6}]),
    "a board's heuristic": (BOARD, {"heuristic": "9 * misplaced_tiles", "results": []}),
    "a board's values": (BOARD, [{"instance": "one", "solution": "U R U L D R", "heuristic": 99.0}]),
}


def over(changes: dict[str, Any] | None) -> Assignment:
    if changes is not None:
        return read_assignment(json.dumps(changes))
    return assignment(instances=[ONE], rubric=RUBRIC, submitted="files")


def deductions(grading: Grading) -> list[Deduction]:
    return [deduction for part in grading.parts for deduction in part.deductions]


@pytest.mark.parametrize("name", FILES)
def test_every_printed_command_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes, given = FILES[name]
    file = tmp_path / "my work.json"
    file.write_text(json.dumps(given))
    monkeypatch.chdir(tmp_path)
    found = grade(over(changes), read_submission(file.read_bytes(), file.name))
    commands = list(dict.fromkeys(d.command for d in deductions(found) if d.command))
    assert commands, found
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "hstar"
        assert "?" not in words
        done = run(*words[1:])
        assert done.exit_code in (0, 1), (command, done.stderr)
        assert "Traceback" not in done.stderr
        if words[1] == "verify":
            checked = run(*words[1:], "--json")
            assert json.loads(checked.stdout)["valid"] is found.graded[0].valid, command
        if words[1:3] == ["audit", "model"]:
            assert "wrong" in done.stdout
        if words[1:3] == ["audit", "heuristic"]:
            assert "refuted" in done.stdout


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (f"({OWN['R']})' xyz", "R' xyz"), ("xyz", "xyz"), (f"({OWN['R']})", "R"),
        (f"({OWN['R']})' ({OWN['F']})' ({OWN['L']})", "R' F' L"),
    ],
)  # fmt: skip
def test_a_command_ends_with_the_wrong_move(written: str, shown: str) -> None:
    found = deductions(grade(over(None), read_submission(json.dumps(labelled(written)).encode())))
    words = shlex.split(str(found[0].command))
    assert words[words.index("--solution") + 1] == shown


def test_a_model_in_a_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dee.zip").write_bytes(
        packed({"results.csv": "scramble,solution\n", "model.json": json.dumps(turns())})
    )
    monkeypatch.chdir(tmp_path)
    (command,) = [
        d.command
        for d in deductions(grade(over(None), read_submission((tmp_path / "dee.zip").read_bytes(), "dee.zip")))
        if d.command
    ]
    assert command == "hstar audit model dee.zip --puzzle megaminx --certificate proof.hcert"
    assert "joins 2 facelets wrongly" in " ".join(run(*shlex.split(command)[1:]).stdout.split())


def test_every_command_of_the_course_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(COURSE, tmp_path / "course"))  # commands write proofs there
    course = read_assignment(json.dumps(the_course()))
    seen = 0
    for name in ("cem.json", "dee.json"):
        for deduction in deductions(grade(course, read_submission((COURSE / name).read_bytes(), name))):
            assert deduction.command is not None
            assert run(*shlex.split(deduction.command)[1:]).exit_code in (0, 1)
            seen += 1
    assert seen == 2


def test_few_counts_are_not_called_most() -> None:
    """Of four counts of four programs no convention explains more than half."""
    from tests.grading.test_counting import ALGS, SOLUTIONS, counted

    many = assignment(
        instances=[{"name": name, "alg": alg} for name, alg in ALGS.items()], submitted="files",
        rubric=[{"kind": "claims_true", "points": 1}],
    )  # fmt: skip
    ways = [
        ("open and closed list", "fifo", "when expanded"), ("none", "lifo", "when expanded"),
        ("none", "fifo", "when generated"), ("closed list only", "low_g", "when generated"),
    ]  # fmt: skip
    rows = [
        {"instance": name, "solution": SOLUTIONS[name], "nodes": counted(many, name, *way)[0]}  # type: ignore[arg-type]
        for name, way in zip(ALGS, ways, strict=False)
    ]
    found = grade(many, read_submission(json.dumps(rows).encode()))
    notes = [note for part in found.parts for note in part.notes if "does not fit" in note]
    assert found.counting is not None
    if 2 * found.counting.explained <= found.counting.of:
        assert notes
        assert not any("most counts" in note for note in notes)
    else:
        assert all("most counts" in note for note in notes)
