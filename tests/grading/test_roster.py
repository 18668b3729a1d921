"""Rosters: every spreadsheet, Canvas and Moodle; who a file belongs to; and back."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest
import xlsxwriter
from pydantic import ValidationError

from hstar.errors import InvalidRequest
from hstar.grading.roster import Form, Roster, RosterIn, RosterLine, read_roster, roster_text, write_roster
from hstar.grading.tables import table_of
from tests.grading.test_submissions import packed

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (11)
    Points Possible,,,,,10
"Lovelace, Ada",71,1001,ada,S1,9
"Müller, Ben",72,1002,ben,S2,
"Student, Test",99,,x,S1,
"""
MOODLE = '"First name",Surname,"ID number","Email address","Groups"\nAda,Lovelace,1001,ada@x.org,S1\n'
STUDENTS = [
    RosterLine(student="1001", name="Ada Lovelace", email="ada@x.org", login="ada", canvas_id="71", section="S1"),
    RosterLine(student="1002", name="Ben Müller", email="b.mueller@x.org", canvas_id="72"),
    RosterLine(student="1003", name="Anna-Maria O'Neill", email="am@x.org"),
    RosterLine(student="1004", name="Maria Anna"),
]
ROSTER = Roster(STUDENTS)


@pytest.mark.parametrize(
    ("text", "form", "first"),
    [
        ("student,name\n1001,Ada\n", "csv", ("1001", "Ada", None)),
        ("Student,ID\nAda,1001\n", "csv", ("1001", "Ada", None)),
        ("Matrikelnummer;Nachname;Vorname;E-Mail-Adresse\n1001;Lovelace;Ada;ada@x.org\n", "csv",
         ("1001", "Ada Lovelace", "ada@x.org")),
        ("sep=;\nNummer;Name\n1001;Ada\n", "csv", ("1001", "Ada", None)),
        ("Name\tE-Mail\nAda\tada@x.org\n", "csv", ("ada@x.org", "Ada", "ada@x.org")),
        ("\n\nid|Name\n'=1001|Ada\n", "csv", ("=1001", "Ada", None)),
        ("id;Name\n1001;'t Hart\n", "csv", ("1001", "'t Hart", None)),
        ("ID number,Name\n1001,Ada\n", "csv", ("1001", "Ada", None)),
        ("Email address,Name\na@x.org,Ada\n", "csv", ("a@x.org", "Ada", "a@x.org")),
        ("Student,Name,SIS Login ID\n1001,Ada,ada\n", "csv", ("1001", "Ada", None)),
        ("id,First name\n1001,Ada\n", "csv", ("1001", "Ada", None)),
        ('id,Name\n1001,"Lovelace,"\n', "csv", ("1001", "Lovelace,", None)),
        (CANVAS, "canvas", ("1001", "Ada Lovelace", None)),
        (MOODLE, "moodle", ("1001", "Ada Lovelace", "ada@x.org")),
    ],
)  # fmt: skip
def test_every_table_of_students(text: str, form: str, first: tuple[str, ...]) -> None:
    read = read_roster(text)
    one = read.students[0]
    assert (read.format, one.student, one.name, one.email) == (form, *first)
    assert read.faults == []


def test_canvas_keeps_its_numbers_and_its_own_lines_are_no_students() -> None:
    read = read_roster(CANVAS)
    assert [(one.student, one.canvas_id, one.section) for one in read.students] == [
        ("1001", "71", "S1"), ("1002", "72", "S2"),
    ]  # fmt: skip
    assert read.columns == {
        "Student": "name", "ID": "canvas_id", "SIS User ID": "student", "SIS Login ID": "login", "Section": "section",
        "Week 1 (11)": None,
    }  # fmt: skip


@pytest.mark.parametrize("before", ["", "\n", "\n\n\n", 9 * "\n", "sep=;\n", "\nsep=;\n", "\n\nSEP=;\n"])
def test_the_lines_of_a_table_are_those_of_its_text(before: str) -> None:
    text = f"{before}id;name\n1;A\n\n2;'two'\n3;\"three\nlines\"\n4;D\n"
    lines = text.splitlines()
    header, rows = table_of(text, "x.csv")
    assert header == ["id", "name"]
    assert [number for number, _ in rows] == [1 + lines.index(one) for one in ("1;A", "2;'two'", '3;"three', "4;D")]
    with pytest.raises(InvalidRequest) as refused:
        table_of(text + '5;"E"x\n', "x.csv")
    assert str(refused.value.faults[0]).startswith(f"x.csv: line {len(lines) + 1}: ")


def test_a_faulty_line_is_listed_and_the_others_are_read() -> None:
    read = read_roster(f"id,name\n1,A\n1,B\n{'9' * 201},C\n\n2,D\n")
    assert [one.student for one in read.students] == ["1", "2"]
    assert [fault.where for fault in read.faults] == ["line 3", "line 4"]
    assert read.faults[0].message == "1 is on an earlier line, too"


def workbook(rows: Sequence[Sequence[Any]], sheet: str = "Kurs") -> bytes:
    """An Excel file, by a library that writes them and does not read them."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        page = book.add_worksheet(sheet)
        for number, row in enumerate(rows):
            page.write_row(number, 0, row)
        book.add_worksheet("other").write(0, 0, "not read")
    return file.getvalue()


def test_a_roster_in_excel_with_a_title_above_the_header() -> None:
    header: list[Any] = ["Matrikelnummer", "Nachname", "Vorname", "E-Mail-Adresse"]
    students: list[list[Any]] = [[123456789012345, "Müller", "Zoë", "zoe@x.org"], [1002, "Šimek", "Jan", "jan@x.org"]]
    rows: list[list[Any]] = [["Teilnehmende, Übung 3"], [], header, *students]
    read = read_roster(roster_text(workbook(rows), "kurs.xlsx"), "kurs.xlsx")
    assert [(one.student, one.name, one.email) for one in read.students] == [
        ("123456789012345", "Zoë Müller", "zoe@x.org"), ("1002", "Jan Šimek", "jan@x.org"),
    ]  # fmt: skip
    assert (read.columns["Nachname"], read.faults) == ("last", [])
    assert read_roster(roster_text(workbook([header, *students]), "x.xlsx")).students == read.students
    # The header is looked for in the first lines alone.
    for above, found in ((9, True), (10, True), (11, False)):
        deep = workbook([["a title"]] * above + [header, *students])
        if found:
            assert read_roster(roster_text(deep, "x.xlsx")).students == read.students
        else:
            with pytest.raises(InvalidRequest, match="cannot read the roster"):
                read_roster(roster_text(deep, "x.xlsx"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_german_spreadsheet_in_every_encoding_that_it_is_saved_in(encoding: str) -> None:
    text = "Matrikelnr.;Nachname;Vorname;Gruppe\n1001;Müller;Jürgen;Übung 1\n"
    (one,) = read_roster(roster_text(text.encode(encoding), "kurs.csv")).students
    assert (one.student, one.name, one.section) == ("1001", "Jürgen Müller", "Übung 1")


@pytest.mark.parametrize("platform", ["canvas", "moodle"])
def test_what_a_platform_exports_saved_again_as_excel(platform: Form) -> None:
    text = {"canvas": CANVAS, "moodle": MOODLE}[platform]
    header, rows = table_of(text, "x.csv")
    read = read_roster(roster_text(workbook([header, *(row for _, row in rows)]), "x.xlsx"))
    assert (read.format, read.students) == (platform, read_roster(text).students)


def test_other_files_are_named() -> None:
    for data, why in (
        (packed({"a.csv": "id\n1\n"}), "it is a zip; expected a table"),
        (packed({"[Content_Types].xml": "<a/>", "word/document.xml": "<a/>"}), "it is a Word file; save the table"),
        (workbook([["id"], [1]])[:-40], "cannot read the zip"),
        (b"%PDF-1.4", "it is a PDF"),
    ):  # fmt: skip
        with pytest.raises(InvalidRequest, match=why):
            roster_text(data, "roster")


NO_NAMES = "no column names the students; found {}; expected one such as student or id"


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("", "roster.csv", "the file is empty"),
        ("a,b\n1,2\n", "roster.csv, line 1", NO_NAMES.format("a, b")),
        (f"a,{'b' * 300}\n1,2\n", "roster.csv, line 1", NO_NAMES.format(f"a, {'b' * 197}")),
        (",,\n1,2,3\n", "roster.csv, line 1", NO_NAMES.format("none")),
        ("id,name\n", "roster.csv", "there is no line after the header"),
        (f"id\n{'9' * 201}\n", "line 2", f"expected 200 characters or fewer, found '{'9' * 59}"),
        ('id,name\n"1,x\n', "roster.csv", "line 2: unexpected end of data"),
    ],
)
def test_what_is_no_roster(text: str, where: str, message: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_roster(text)
    assert [(fault.where, fault.message) for fault in refused.value.faults] == [(where, message)]


def test_no_more_students_and_faults_than_the_limits() -> None:
    read = read_roster("id\n" + "".join(f"{number}\n" for number in range(5003)))
    assert (len(read.students), read.students[-1].student) == (5000, "4999")
    assert [(fault.where, fault.message) for fault in read.faults] == [("line 5002", "only 5,000 students are read")]
    again = read_roster("id\n" + "1\n" * 60)
    assert [fault.where for fault in again.faults] == [f"line {number}" for number in range(3, 53)]


@pytest.mark.parametrize("form", ["csv", "canvas", "moodle"])
def test_what_is_written_is_read_again(form: Form) -> None:
    again = read_roster(write_roster(STUDENTS, form))
    assert (again.format, [one.student for one in again.students]) == (form, ["1001", "1002", "1003", "1004"])
    kept = {"csv": set(RosterLine.model_fields), "canvas": {"canvas_id", "name"}, "moodle": {"email", "name"}}[form]
    for before, after in zip(STUDENTS, again.students, strict=True):
        assert before.model_dump(include=kept) == after.model_dump(include=kept)


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("1001.json", "1001"),
        ("ada.csv", "1001"),
        ("week3_1002_final.tar.gz", "1002"),
        ("Ada Lovelace/results.csv", "1001"),
        ("lovelace_ada.json", "1001"),
        ("HW1-MULLER-BEN.csv", "1002"),
        ("b.mueller@x.org.json", "1002"),
        ("lovelaceada_71_555_results.csv", "1001"),
        ("mullerben_LATE_72_556_results-1.csv", "1002"),
        ("lovelaceada_99_557_results.csv", "1001"),
        ("Ben Müller_4711_assignsubmission_file_/solution.csv", "1002"),
        ("Ben Müller_4711_assignsubmission_file_solution.csv", "1002"),
        ("anna maria oneill.json", "1003"),
        ("oneill-anna-maria.json", "1003"),
        ("solution.csv", None),
        ("1001_1002.csv", None),
        ("Ada Lovelace 1002.csv", "1001"),
        ("b.mueller.csv", "1002"),
        ("x.org.csv", None),
        ("lovelace.csv", None),
        (".csv", None),
        ("", None),
        ("Submissions/1001.csv", "1001"),
        ("submission/1001.csv", "1001"),
    ],
)
def test_whose_a_file_is_by_its_name(path: str, student: str | None) -> None:
    found = ROSTER.of_path(path)
    assert (found.student if found else None) == student


def test_the_words_of_long_names_and_ids_are_found_among_others() -> None:
    people = Roster(
        [RosterLine(student="a-b-c-d-e-f-g"), RosterLine(student="2", name="Juan Carlos de la Cruz y Vega")]
    )
    for path, student in (
        ("week 1 a b c d e f g final.csv", "a-b-c-d-e-f-g"),
        ("hw juan carlos de la cruz y vega.csv", "2"),
    ):
        found = people.of_path(path)
        assert found is not None
        assert found.student == student
    assert Roster([]).of_path("a.csv") is None


@pytest.mark.parametrize("given", [{}, {"content": "id\n1\n", "students": [{"student": "1"}]}])
def test_a_roster_comes_as_a_text_or_as_students(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="exactly one of content, content_base64 and students"):
        RosterIn.model_validate(given)
    for name, value in given.items():
        whole = RosterIn.model_validate({name: value})
        assert (whole.mode, whole.check) == ("add", False)


def test_the_name_of_the_file_comes_before_what_a_copied_file_says() -> None:
    found = ROSTER.whose("ben.json", "1001", "ada@x.org", "Ada Lovelace")
    assert (found.line, found.by, found.other) == (STUDENTS[0], "id", None)  # "ben" names nobody here
    found = ROSTER.whose("1002.json", "1001", None, None)
    assert (found.line, found.by, found.other) == (STUDENTS[1], "file name", "1001")
    found = ROSTER.whose("x.json", None, "B.Mueller@x.org", None)
    assert (found.line, found.by, found.other) == (STUDENTS[1], "e-mail", None)
    found = ROSTER.whose("1002.json", "9999", None, "Ben Müller")
    assert (found.line, found.other) == (STUDENTS[1], "9999")
    found = ROSTER.whose("1002.json", "1002", "ada@x.org", None)
    assert (found.line, found.other) == (STUDENTS[1], "1001")
    found = ROSTER.whose("1002.json", "1002", None, "Ben Müller")
    assert (found.line, found.other) == (STUDENTS[1], None)
    assert ROSTER.whose("x.json", "nobody", None, None) == (None, None, None)
