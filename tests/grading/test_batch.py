"""Forty files, eight of them broken, on the command line: a complete gradebook, and no perfect student below 100 %."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from hstar.grading import handed_in, read_assignment, submissions
from hstar.grading.batch import grade_files
from hstar.grading.handed_in import HandedIn, from_disk, unpacked
from hstar.grading.roster import Roster, RosterLine
from tests.command_line import run
from tests.grading.test_submissions import packed

BOARD = {
    "title": "Boards", "puzzle": "8-puzzle", "limits": {"expanded": 10_000},
    "instances": [{"name": "one", "alg": "R D"}, {"name": "two", "alg": "D R U"}],
    "rubric": [{"kind": "valid", "points": 60}, {"kind": "optimal", "points": 40}],
}  # fmt: skip
RIGHT = "instance,solution\none,U L\ntwo,D L U\n"
BROKEN: list[tuple[str, bytes]] = [
    ("1001.pdf", b"%PDF-1.7\n\xff\x00"), ("1002.csv", b""), ("1003.json", b"{"), ("1004.zip", b"PK\x03\x04broken"),
    ("1005.csv", b"a,b\n1,2\n"), ("1006.json", b"[]"), ("1007.csv", b"instance,solution\n"),
    ("1008.docx", b"\xd0\xcf\x11\x00"),
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_class(tmp_path_factory.mktemp("class"))


def make_class(home: Path) -> Path:
    """A folder with the assignment, a roster of Canvas, and the files of a class."""
    (home / "assignment.json").write_text(json.dumps(BOARD))
    roster = "Student,ID,SIS User ID,SIS Login ID,Section\n"
    roster += "".join(f'"Family{n}, Given{n}",{n},{1000 + n},login{n},S1\n' for n in range(1, 42))
    (home / "roster.csv").write_text(roster)
    files = home / "files"
    files.mkdir()
    for name, data in BROKEN:
        (files / name).write_bytes(data)
    for n in range(9, 41):
        if n == 9:  # a folder with two parts
            (files / "1009").mkdir()
            (files / "1009" / "results.csv").write_text(RIGHT)
            (files / "1009" / "heuristic.txt").write_text("misplaced_tiles")
        elif n == 10:
            (files / "1010.zip").write_bytes(packed({"results.csv": RIGHT}))
        elif n == 11:
            (files / f"family{n}given{n}_{n}_9_results.csv").write_text(RIGHT)
        else:
            (files / f"10{n}.csv").write_text(RIGHT if n % 2 else RIGHT.replace("U L", "U L U D"))
    return home


def test_forty_files_eight_of_them_broken(home: Path) -> None:
    done = run(
        "grade", str(home / "files"), "--assignment", str(home / "assignment.json"),
        "--roster", str(home / "roster.csv"), "--format", "canvas",
    )  # fmt: skip
    assert done.exit_code == 1
    _, points, *rows = csv.reader(io.StringIO(done.stdout, newline=""))
    assert points[-1] == "100"
    assert [row[2] for row in rows] == [str(1000 + n) for n in range(1, 42)]
    score = {row[2]: row[-1] for row in rows}
    perfect = {str(1000 + n) for n in range(9, 41) if n < 12 or n % 2}
    assert {student for student, cell in score.items() if cell == "100"} == perfect
    assert {student for student, cell in score.items() if cell == ""} == {str(1000 + n) for n in (*range(1, 9), 41)}
    assert {cell for student, cell in score.items() if student not in perfect} == {"80", ""}
    said = " ".join(done.stderr.split())
    assert "32 of 40 files graded; 41 students on the roster, 1 without a file" in said
    for name, _ in BROKEN:
        assert f"not graded: {name}: " in said
    assert "not graded: 1001.pdf: the file cannot be read: 1001.pdf: it is a PDF" in said
    table = run(
        "grade", str(home / "files"), "--assignment", str(home / "assignment.json"),
        "--roster", str(home / "roster.csv"), "--format", "csv",
    )  # fmt: skip
    totals = [row for row in csv.DictReader(io.StringIO(table.stdout, newline="")) if row["item"] == "total"]
    assert [row["status"] for row in totals].count("refused") == 8
    assert totals[-1]["status"] == "missing"
    assert all(row["reasons"] for row in totals if row["status"] == "refused")


def test_one_bad_file_ends_nothing(home: Path, tmp_path: Path) -> None:
    good = [tmp_path / "A.csv", tmp_path / "B.csv"]
    for path in good:
        path.write_text(RIGHT)
    paths = [str(good[0]), str(home / "files" / "1001.pdf"), str(tmp_path / "gone.csv"), str(good[1])]
    done = run("grade", *paths, "--assignment", str(home / "assignment.json"))
    assert done.exit_code == 1
    assert done.stdout.count("total") == 2
    assert "1001.pdf: not graded: " in " ".join(done.stdout.split())
    assert "not graded: gone.csv: no such file" in " ".join(done.stderr.split()).lower()
    assert run("grade", paths[0], paths[3], "--assignment", str(home / "assignment.json")).exit_code == 0
    assert run("grade", *paths[1:3], "--assignment", str(home / "assignment.json")).exit_code == 2


def test_a_zip_of_a_class_and_one_of_a_student() -> None:
    roster = Roster([RosterLine(student="1"), RosterLine(student="2", name="Ben Müller")])

    def paths(files: Mapping[str, str | bytes], people: Roster | None = None) -> list[str]:
        return [one.path for one in unpacked("x.zip", packed(dict(files)), people)]

    assert paths({"results.csv": RIGHT, "heuristic.txt": "0"}) == ["x.zip"]
    assert paths({"top/results.csv": RIGHT, "top/model.json": "{}"}) == ["x.zip"]
    assert paths({"k3.csv": RIGHT, "k4.csv": RIGHT}) == ["x.zip"]
    assert paths({"1.csv": RIGHT, "2.csv": RIGHT}, roster) == ["1.csv", "2.csv"]
    own = {f"{name}.csv": f"student,{RIGHT.splitlines()[0]}\n{name},one,U L\n" for name in "ab"}
    assert paths(own) == ["a.csv", "b.csv"]
    assert paths({"ada/results.csv": RIGHT, "ben/results.csv": RIGHT, "ben/model.json": "{}"}) == [
        "ada/results.csv",
        "ben",
    ]
    moodle = {f"{who}_{n}_assignsubmission_file_/results.csv": RIGHT for n, who in enumerate(("A B", "C D"))}
    assert len(paths(moodle)) == 2
    assert paths({"top/a.zip": packed({"results.csv": RIGHT}), "top/b.zip": b"PK\x03\x04"}) == ["a.zip", "b.zip"]


def test_the_name_of_a_file_names_its_student_only_beside_a_roster() -> None:
    """A name that nobody on the roster has is a student all the same; without a roster it may be any file's name."""
    over, file = read_assignment(json.dumps(BOARD)), HandedIn("x1.results.csv", RIGHT.encode())
    for roster, student in ((Roster([RosterLine(student="1001")]), "x1"), (None, None)):
        (found,) = grade_files(over, [file], roster)
        assert (found.student, found.line) == ("x1", None)
        assert found.grading is not None
        assert (found.grading.student, found.grading.score) == (student, 100)


def test_a_file_that_is_too_large_is_not_cut_to_one_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "MAX_BYTES", len(RIGHT))
    monkeypatch.setattr(handed_in, "MOST_OF_ONE", len(RIGHT))
    lines = RIGHT + "\n"
    (tmp_path / "a.csv").write_text(lines)
    (tmp_path / "b").mkdir()
    with zipfile.ZipFile(tmp_path / "b" / "class.zip", "w") as archive:
        for name in ("A_1_assignsubmission_file_/a.csv", "B_2_assignsubmission_file_/b.csv"):
            archive.writestr(name, lines)
    over = read_assignment(json.dumps(BOARD))
    files = [*from_disk([tmp_path / "a.csv", tmp_path / "b" / "class.zip"]), *from_disk([tmp_path])[:1]]
    assert len(files) == 4
    for one in files:
        (found,) = grade_files(over, [one])
        assert (found.fault or "").startswith("the submission is too large"), one


def test_a_folder_says_what_it_could_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RIGHT)
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "b.csv").symlink_to(tmp_path / "gone")
    assert [(one.path, one.fault is None) for one in from_disk([tmp_path])] == [("a.csv", True), ("b.csv", False)]
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("results.csv", RIGHT)
    assert [one.path for one in from_disk([tmp_path])][1] == "c.zip"
