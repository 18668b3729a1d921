"""Forty files, eight of them broken, on the command line: a complete gradebook, and no perfect student below 100 %."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hstar.commands.statuses import Status
from hstar.errors import HstarError
from hstar.grading import handed_in, read_assignment, submissions
from hstar.grading.batch import by_student, grade_files
from hstar.grading.handed_in import HandedIn, from_disk, unpacked
from hstar.grading.records import Record
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
    assert done.exit_code == Status.INCOMPLETE
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
    assert "not graded: 1001.pdf: the file cannot be read: it is a PDF" in said
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
    assert done.exit_code == Status.INCOMPLETE
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
    assert paths({"src/k3.csv": RIGHT, "k4.csv": RIGHT}) == ["x.zip"]
    assert paths({"k3.csv": RIGHT, "k4.csv": RIGHT, "1.csv": RIGHT}, roster) == ["x.zip"]
    assert paths({"a.zip": packed({"1.csv": RIGHT, "2.csv": RIGHT})}, roster) == ["x.zip"]
    assert paths({"1.csv": RIGHT, "2.csv": RIGHT}, roster) == ["1.csv", "2.csv"]
    assert paths({"1.csv": RIGHT, "2.csv": RIGHT, "k.csv": RIGHT}, roster) == ["1.csv", "2.csv", "k.csv"]
    for column in ("student", "name", "email"):
        own = {f"{name}.csv": f"{column},{RIGHT.splitlines()[0]}\n{name},one,U L\n" for name in "ab"}
        assert paths({"0.pdf": b"%PDF\xff\0", **own}) == ["0.pdf", "a.csv", "b.csv"]
        assert paths({"a.csv": own["a.csv"], "a again.csv": own["a.csv"]}) == ["x.zip"]
    folders = {"ada/results.csv": RIGHT, "ben/results.csv": RIGHT, "ben/model.json": "{}", "cem/results.csv": RIGHT}
    assert paths(folders) == ["ada/results.csv", "ben", "cem/results.csv"]
    assert paths({"top/a.zip": packed({"results.csv": RIGHT}), "top/b.zip": b"PK\x03\x04"}) == ["a.zip", "b.zip"]


def test_the_zips_that_platforms_make() -> None:
    def contents(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
        return {one.path: one.data for one in unpacked("x.zip", packed(files))}

    right = RIGHT.encode()
    assert contents({"ada_71_5_results.csv": RIGHT}) == {"ada_71_5_results.csv": right}
    moodle = {"A B_1_assignsubmission_file_/results.csv": RIGHT, "C D_2_assignsubmission_file_results.csv": RIGHT}
    assert contents(moodle) == {name.replace("/", ""): right for name in moodle}
    # Several files of a student are one zip, with the same bytes each time; of several zips the last one counts.
    twice = {f"A B_1_assignsubmission_file_{name}": RIGHT for name in ("k4.csv", "k3.csv")}
    ((path, data),) = contents(twice).items()
    assert path == "A B_1_assignsubmission_file_"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = [(entry.filename, entry.date_time) for entry in archive.infolist()]
    assert found == [(name, (1980, 1, 1, 0, 0, 0)) for name in ("k3.csv", "k4.csv")]
    first, second = packed({"results.csv": "first"}), packed({"results.csv": "second"})
    assert contents({"ada_1_2_b.zip": second, "ada_1_3_a.zip": first}) == {
        "ada_1_2_b.zip": second,
        "ada_1_3_a.zip": first,
    }
    assert contents({"A_1_assignsubmission_file_b.zip": second, "A_1_assignsubmission_file_a.zip": first}) == {
        "A_1_assignsubmission_file_": second
    }
    # A zip of a class in a zip of a class is unpacked, too; in a student's own folder it is the student's.
    inner = packed({"ada_1_2_results.csv": RIGHT, "ben_2_3_results.csv": RIGHT})
    assert list(contents({"a.zip": inner, "b.csv": RIGHT})) == ["ada_1_2_results.csv", "ben_2_3_results.csv", "b.csv"]
    assert contents({"a/1.zip": inner, "b/1.csv": RIGHT}) == {"a/1.zip": inner, "b/1.csv": right}


def test_no_more_files_and_bytes_of_a_class_than_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handed_in, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text(RIGHT)
    (tmp_path / "__MACOSX").mkdir()
    (tmp_path / "__MACOSX" / "a.csv").write_text("x")
    over = "not read: more than 200 MiB or 2 files"
    assert [(one.path, one.fault) for one in from_disk([tmp_path])] == [
        ("a.csv", None),
        ("b.csv", None),
        ("c.csv", over),
    ]
    moodle = {f"{who}_1_assignsubmission_file_results.csv": RIGHT for who in "ABC"}
    assert [one.fault for one in unpacked("x.zip", packed(moodle))] == ["the zip has 3 files; at most 2"]
    moodle.popitem()
    for most in (2 * len(RIGHT), 2 * len(RIGHT) - 1):
        monkeypatch.setattr(handed_in, "MAX_BYTES", most)
        found = [(one.path, one.fault) for one in unpacked("x.zip", packed(moodle))]
        within = [(name, None) for name in moodle]
        assert found == (within if most % 2 == 0 else [("x.zip", "unpacked the zip has more than 200 MiB")])
        faults = [one.fault for one in from_disk([tmp_path])]
        assert faults == ([None, None, over] if most % 2 == 0 else [None, over, over])


def test_the_name_of_a_file_names_its_student_only_beside_a_roster() -> None:
    """A name that nobody on the roster has is a student all the same; without a roster it may be any file's name."""
    over, file = read_assignment(json.dumps(BOARD)), HandedIn("x1.results.csv", RIGHT.encode())
    for roster, student in ((Roster([RosterLine(student="1001")]), "x1"), (None, None)):
        (found,) = grade_files(over, [file], roster)
        assert (found.student, found.line) == ("x1", None)
        assert found.grading is not None
        assert (found.grading.student, found.grading.score) == (student, 100)


def claiming(path: str, **who: str) -> HandedIn:
    """A file in which somebody's name or id is."""
    instances = [{"instance": "one", "solution": "U L"}, {"instance": "two", "solution": "D L U"}]
    return HandedIn(path, json.dumps({"results": instances, **who}).encode())


@pytest.mark.parametrize(
    ("who", "owner"),
    [({"student": "7"}, "7"), ({"email": "ann@x.org"}, "ann@x.org"), ({"name": "Ann Lee"}, "Ann Lee"),
     ({"student": "7", "email": "e@x.org", "name": "Ann Lee"}, "7"),
     ({"email": "e@x.org", "name": "Ann Lee"}, "e@x.org"),
     ({"student": "0815", "email": "7@x.org"}, "0815"), ({"student": "0815", "name": "7"}, "0815")],
)  # fmt: skip
def test_of_several_files_with_one_id_that_with_its_name_is_its_owners(who: dict[str, str], owner: str) -> None:
    mine = "7.csv" if "7" in str(who) else "ann lee.csv" if "name" in who else "ann.csv"
    files = [claiming("nobody.csv"), claiming("x.y.csv", **who), claiming(mine, **who), claiming(f"b/{mine}", **who)]
    found = grade_files(read_assignment(json.dumps(BOARD)), files)
    assert [one.student for one in found] == ["nobody", "x", owner, "b"]
    assert [one.grading.named_in_file for one in found if one.grading] == [None, owner, None, owner]
    copied = found[1].grading
    assert copied is not None
    assert (copied.student, copied.name, copied.email) == ("x", None, None)
    own = found[2].grading
    assert own is not None
    assert (own.student, own.name, own.email) == tuple(who.get(key) for key in ("student", "name", "email"))
    (alone,) = grade_files(read_assignment(json.dumps(BOARD)), [claiming(".csv")])
    assert alone.student == ".csv"


def test_a_platform_says_whose_all_files_are() -> None:
    files, who = [claiming("a.json", student="7"), claiming("b.json")], {"student": "1001", "name": "Ada"}
    for found in grade_files(read_assignment(json.dumps(BOARD)), files, who=who):
        assert found.grading is not None
        assert (found.student, found.grading.student, found.grading.name) == ("1001", "1001", "Ada")


def test_the_roster_says_who_a_file_is() -> None:
    roster = Roster([RosterLine(student="1", name="Ann Lee", email="ann@x.org"), RosterLine(student="2")])
    files = [claiming("1.csv", student="2", name="Somebody"), claiming("2.csv"), claiming("k.csv", student="9")]
    found = grade_files(read_assignment(json.dumps(BOARD)), files, roster)
    assert [(one.student, one.by) for one in found] == [("1", "file name"), ("2", "file name"), ("9", None)]
    gradings = [one.grading for one in found if one.grading is not None]
    assert [(one.student, one.name, one.email, one.named_in_file) for one in gradings] == [
        ("1", "Ann Lee", "ann@x.org", "2"), ("2", None, None, None), ("9", None, None, None),
    ]  # fmt: skip
    late = Record(comment="late")
    works = by_student([*found, replace(found[1], grading=None, fault="why")], roster, {"1": late})
    assert [(one.student, one.status, len(one.attempts), list(one.faults)) for one in works] == [
        ("1", "graded", 1, []), ("2", "graded", 1, ["2.csv: why"]), ("9", "graded", 1, []),
    ]  # fmt: skip
    assert [one.record.comment for one in works] == ["late", None, None]
    for records in (None, {"1": late}):
        alone = by_student([replace(found[0], grading=None, fault="why"), found[1]], records=records)
        assert [(one.student, one.status) for one in alone] == [("1", "refused"), ("2", "graded")]
        assert [one.record.comment for one in alone] == ["late" if records else None, None]


def test_why_a_file_is_not_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    over = read_assignment(json.dumps(BOARD))

    def fault(data: str, *, accept: bool = False) -> str | None:
        file = [HandedIn("a.csv", data.encode())]
        (found,) = grade_files(over, file, accept=True) if accept else grade_files(over, file)
        assert (found.fault is None) == (found.grading is not None)
        return found.fault

    rows = [{"student": n} for n in range(7)]
    wrong = "; ".join(f"row {n}, solution: missing" for n in range(1, 6))
    assert fault(json.dumps(rows)) == f"nothing in the file can be graded: {wrong}"
    words = [f"w{n}" for n in range(12)]
    strange = f"instance,solution\none,{' '.join(words)}\ntwo,{' '.join(words)}\n"
    assert fault(strange) == f"its moves are not understood: {' '.join(words[:10])}; say what they mean"
    turned = "instance,solution\none,oben links\ntwo,unten links oben\n"
    assert (fault(turned) or "").startswith("its moves are in another notation, to be confirmed: ")
    assert fault(turned, accept=True) is None
    for name, error, expected in (
        ("understood", RuntimeError("x" * 600), f"hstar failed, which is a bug: RuntimeError: {'x' * 600}"[:500]),
        ("understood", HstarError("a clear error"), "a clear error"),
    ):
        monkeypatch.setattr(f"hstar.grading.batch.{name}", lambda *_, error=error: (_ for _ in ()).throw(error))
        assert fault(RIGHT) == expected


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
