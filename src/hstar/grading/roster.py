"""Rosters: the students of a course, read from and written for spreadsheets, Canvas and Moodle.

>>> read = read_roster("Matrikelnummer;Nachname;Vorname\\n1001;Lovelace;Ada\\n")
>>> read.students[0].student, read.students[0].name
('1001', 'Ada Lovelace')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError, model_validator

from hstar.errors import TEXT, Fault, InvalidRequest, in_words
from hstar.grading.schema import ReadFault
from hstar.grading.submissions import OFFICE, office_table, unzipped
from hstar.grading.tables import decoded, plain, table, table_of, text_cell
from hstar.schema import Out, Strict

__all__ = ["Found", "Roster", "RosterLine", "RosterRead", "read_roster", "roster_text", "write_roster"]

MAX_STUDENTS = 5000
MAX_FAULTS = 50

StudentId = Annotated[str, Field(min_length=1, max_length=200, pattern=TEXT)]
_Cell = Annotated[str, Field(min_length=1, max_length=200, pattern=TEXT)]
Form = Literal["csv", "canvas", "moodle"]
By = Literal["given", "file name", "id", "e-mail", "name"]


class RosterLine(Strict):
    """One student of a course."""

    student: StudentId = Field(description="the id that submissions and gradebook use")
    name: _Cell | None = None
    email: _Cell | None = None
    login: _Cell | None = Field(None, description="name of the account: Canvas' SIS Login ID, Moodle's username")
    canvas_id: _Cell | None = Field(None, description="Canvas' own number")
    section: _Cell | None = None


class RosterRead(Out):
    """What was read from a file: its students, the meaning of its columns, and the lines that cannot be read."""

    format: Form
    columns: dict[str, str | None] = Field(description="what each column of the file means; null: not read")
    students: list[RosterLine]
    faults: list[ReadFault] = Field(default_factory=list)


class RosterIn(Strict):
    """Body of ``PUT /v1/courses/{course}/roster``: students, or a file."""

    content: Annotated[str, Field(max_length=10**6)] | None = Field(None, description="CSV")
    content_base64: Annotated[str, Field(max_length=2 * 10**6)] | None = Field(
        None, description="the same in any encoding, or an Excel file (.xlsx), in base64"
    )
    filename: Annotated[str, Field(max_length=200)] = "roster.csv"
    students: Annotated[list[RosterLine], Field(max_length=MAX_STUDENTS)] | None = None
    mode: Literal["add", "replace"] = Field(
        "add", description="add: adds and changes lines; replace: also removes others"
    )
    check: bool = Field(False, description="only read it; nothing is stored")

    @model_validator(mode="after")
    def _one(self) -> RosterIn:
        if sum(one is not None for one in (self.content, self.content_base64, self.students)) != 1:
            raise ValueError("give exactly one of content, content_base64 and students")
        return self


#: the fields of a line, and the parts of a name, by the columns of spreadsheets, Canvas and Moodle
_COLUMNS: Mapping[str, Sequence[str]] = {
    "student": (
        "student id", "studentid", "id number", "idnumber", "matriculation number", "matrikelnummer", "matrikelnr",
        "matrikel", "matr nr", "matnr", "sis user id", "sid", "student number", "user id", "id", "nummer", "kennung",
        "numero", "n etudiant",
    ),
    "name": ("name", "full name", "fullname", "student name", "studierende", "studierender", "nom complet"),
    "first": ("first name", "firstname", "given name", "vorname", "prenom", "nombre"),
    "last": ("last name", "lastname", "surname", "family name", "nachname", "familienname", "nom", "apellidos"),
    "email": (
        "email", "e mail", "email address", "e mail address", "mail", "e mail adresse", "emailadresse", "courriel",
        "correo",
    ),
    "login": ("login", "username", "user name", "sis login id", "login id", "benutzername", "anmeldename", "account"),
    "canvas_id": ("canvas id",),
    "section": ("section", "sections", "group", "groups", "gruppe", "gruppen", "tutorium", "ubung"),
}  # fmt: skip
_MEANING = {words: meaning for meaning, known in _COLUMNS.items() for words in known}
#: what names a student
_NAMING = {"student", "login", "email", "name", "last"}
#: so many lines may stand above the header
TITLE_LINES = 10


def roster_text(data: bytes, name: str) -> str:
    """The text of a roster's file: CSV in any encoding, or the first sheet of an .xlsx file.

    :raises InvalidRequest: it is neither
    """
    if not data.startswith(b"PK\x03\x04"):
        return decoded(data, name)
    files = unzipped(data, name)
    if OFFICE not in files:
        raise InvalidRequest("cannot read the roster", [Fault(name, "it is a zip; expected a table (CSV or .xlsx)")])
    return office_table(files, name)


def read_roster(text: str, name: str = "roster.csv") -> RosterRead:
    """A roster from the text of a file.

    :raises InvalidRequest: no line can be read: it is no table, or has no column that names the students
    """
    header, rows = table_of(text, name)
    form, meanings = _meanings(header)
    for at, (_, row) in enumerate(rows[:TITLE_LINES]):  # titles of a spreadsheet may stand above the header
        if _NAMING & set(meanings):
            break
        if _NAMING & set((found := _meanings(row))[1]):
            header, rows, (form, meanings) = [cell.strip() for cell in row], rows[at + 1 :], found
    if not _NAMING & set(meanings):
        seen = ", ".join(column for column in header if column)[:200] or "none"
        fault = Fault(
            f"{name}, line 1", f"no column names the students; found {seen}; expected one such as student or id"
        )
        raise InvalidRequest("cannot read the roster", [fault])
    students: dict[str, RosterLine] = {}
    faults: list[ReadFault] = []
    for number, row in rows:
        cells = {key: value for key, cell in zip(meanings, row, strict=False) if key and (value := _plain_cell(cell))}
        if not cells or cells.get("name") in ("Points Possible", "Student, Test"):  # Canvas' own lines
            continue
        try:
            line = _line(cells)
        except ValidationError as error:
            faults.append(ReadFault(where=f"line {number}", message="; ".join(in_words(d) for d in error.errors())))
            continue
        if line.student in students:
            faults.append(ReadFault(where=f"line {number}", message=f"{line.student} is on an earlier line, too"))
        elif len(students) >= MAX_STUDENTS:
            faults.append(ReadFault(where=f"line {number}", message=f"only {MAX_STUDENTS:,} students are read"))
            break
        else:
            students[line.student] = line
    if not students:
        where = [Fault(fault.where, fault.message) for fault in faults]
        raise InvalidRequest("the roster has no students", where or [Fault(name, "there is no line after the header")])
    return RosterRead(
        format=form, columns={column: key or None for column, key in zip(header, meanings, strict=True) if column},
        students=list(students.values()), faults=faults[:MAX_FAULTS],
    )  # fmt: skip


def _plain_cell(cell: str) -> str:
    """The text of a cell; a spreadsheet's mark of text, which `text_cell` writes, is no part of it."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and text_cell(text[1:]) == text else text


def _meanings(header: Sequence[str]) -> tuple[Form, list[str]]:
    """The format, and the meaning of each column; empty: not read. The first column of a meaning is taken."""
    known = [plain(column) for column in header]
    canvas = known[:2] == ["student", "id"] and "sis login id" in known
    own = {"student": "name", "id": "canvas_id", "sis user id": "student"} if canvas else {}
    if not canvas:  # a column `student` has names if another one has ids
        others = {_MEANING.get(column) for column in known if column != "student"}
        own["student"] = "name" if "student" in others else "student"
    found: list[str] = []
    for column in known:
        meaning = own.get(column, _MEANING.get(column, ""))
        found.append(meaning if meaning not in found else "")
    moodle = "id number" in known and "email address" in known
    return ("canvas" if canvas else "moodle" if moodle else "csv"), found


def _line(cells: dict[str, str]) -> RosterLine:
    first, last = cells.pop("first", ""), cells.pop("last", "")
    if first or last:
        cells.setdefault("name", f"{first} {last}".strip())
    if "name" in cells:
        cells["name"] = forwards(cells["name"])
    for key in ("login", "email", "canvas_id", "name"):
        if "student" not in cells and key in cells:
            cells["student"] = cells[key]
    return RosterLine.model_validate(cells)


def forwards(name: str) -> str:
    """A name with the given name first: Canvas writes ``Lovelace, Ada``."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and first.strip() else name


def write_roster(students: Iterable[RosterLine], form: Form = "csv") -> str:
    """The students as a CSV file that `read_roster` and the platform read."""
    columns: dict[Form, dict[str, Callable[[RosterLine], str | None]]] = {
        "csv": {
            "student": lambda s: s.student, "name": lambda s: s.name, "email": lambda s: s.email,
            "login": lambda s: s.login, "canvas_id": lambda s: s.canvas_id, "section": lambda s: s.section,
        },
        "canvas": {
            "Student": lambda s: s.name or s.student, "ID": lambda s: s.canvas_id, "SIS User ID": lambda s: s.student,
            "SIS Login ID": lambda s: s.login, "Section": lambda s: s.section,
        },
        "moodle": {
            "Username": lambda s: s.login, "ID number": lambda s: s.student, "Full name": lambda s: s.name,
            "Email address": lambda s: s.email, "Groups": lambda s: s.section,
        },
    }  # fmt: skip
    chosen = columns[form]
    return table([list(chosen), *([text_cell(read(line)) for read in chosen.values()] for line in students)])


class Found(NamedTuple):
    """The student of a file, and what told so; ``other``: somebody else whose id or name is in the file."""

    line: RosterLine | None
    by: By | None = None
    other: str | None = None


#: Canvas: lovelaceada_LATE_1234_56789_results.csv; the first number is the user's
CANVAS = re.compile(r"^[^_/]+_(?:late_)?([0-9]+)_[0-9]+_", re.IGNORECASE)
#: Moodle: Ada Lovelace_1234_assignsubmission_file_/results.csv; the number is not the user's
MOODLE = re.compile(r"^(.+?)_[0-9]+_assignsubmission_(?:file|onlinetext)_*")
_ENDING = re.compile(r"(?:\.(?:jsonl?|[ct]sv|txt|zip|tar|gz|pdf|xlsx?|docx?|ods|odt|py|md|log|out))+$", re.IGNORECASE)
_APART = re.compile(r"[\s_.,;()\[\]+-]+")


@dataclass(frozen=True)
class Roster:
    """The students of a course, found by whatever names them."""

    students: Sequence[RosterLine]

    @cached_property
    def by_id(self) -> dict[str, RosterLine]:
        return {line.student: line for line in self.students}

    @cached_property
    def _keys(self) -> dict[By, dict[str, RosterLine | None]]:
        """By what names them, in plain letters; None if it names several."""
        found: dict[By, dict[str, RosterLine | None]] = {"id": {}, "e-mail": {}, "name": {}}

        def put(kind: By, text: str | None, line: RosterLine) -> None:
            key = _squeezed(text or "")
            if key:
                found[kind][key] = line if found[kind].get(key, line) is line else None

        for line in self.students:
            for text in (line.student, line.login, line.canvas_id):
                put("id", text, line)
            put("e-mail", line.email, line)
            put("e-mail", (line.email or "").partition("@")[0], line)
            put("name", line.name, line)
            words = _APART.split(line.name or "")
            put("name", "".join([*words[-1:], *words[:-1]]), line)
        return found

    @cached_property
    def _most_words(self) -> int:
        """Of an id, an address or a name."""
        texts = (text for line in self.students for text in (line.student, line.login, line.email, line.name) if text)
        return max((len(_APART.split(text)) for text in texts), default=0)

    def named(self, text: str | None, kinds: Sequence[By] = ("id", "e-mail", "name")) -> tuple[RosterLine, By] | None:
        """The student whom a text names exactly, apart from capitals, accents and punctuation; and what named them."""
        key = _squeezed(text or "")
        for kind in kinds:
            line = self._keys[kind].get(key)
            if line is not None:
                return line, kind
        return None

    def of_path(self, path: str) -> RosterLine | None:
        """The student whom the name of a file or of its folder names."""
        top, _, rest = path.replace("\\", "/").strip("/").partition("/")
        for part in filter(None, (top, rest.rpartition("/")[2])):
            if (canvas := CANVAS.match(part)) is not None:
                line = next((one for one in self.students if one.canvas_id == canvas[1]), None)
                if line is not None:
                    return line
                part = part.partition("_")[0]
            elif (moodle := MOODLE.match(part)) is not None:
                part = moodle[1]
            else:
                part = _ENDING.sub("", part) or part
            line = self._in_words(part)
            if line is not None:
                return line
        return None

    def _in_words(self, text: str) -> RosterLine | None:
        """The only student whom the text, or adjacent words of it, name; the longest words first."""
        if (whole := self.named(text)) is not None:
            return whole[0]
        words = [word for word in _APART.split(text) if word]
        for length in range(min(len(words), self._most_words), 0, -1):
            joined = ("".join(words[i : i + length]) for i in range(len(words) - length + 1))
            found = {one[0].student: one[0] for one in map(self.named, joined) if one is not None}
            if len(found) == 1:
                return next(iter(found.values()))
            if found:
                return None
        return None

    def whose(self, path: str, student: str | None, email: str | None, name: str | None) -> Found:
        """The student of a file by its path, then by the id, e-mail address and name in it.

        The path comes first, because platforms make it, and a copied file has its author's name in it.
        """
        inside: list[tuple[RosterLine, By]] = []
        for text, kinds in ((student, ("id", "e-mail", "name")), (email, ("e-mail",)), (name, ("name",))):
            if (one := self.named(text, kinds)) is not None:  # type: ignore[arg-type]
                inside.append(one)
        named = self.of_path(path)
        line: RosterLine | None
        by: By | None
        line, by = (named, "file name") if named is not None else inside[0] if inside else (None, None)
        other = next((one.student for one, _ in inside if one is not line), None)
        if other is None and line is not None and student and self.named(student) is None:
            other = student  # an id that nobody on the roster has
        return Found(line, by, other)


def _squeezed(text: str) -> str:
    """Letters and digits alone, without accents; the @ of addresses stays."""
    return "".join(c for c in plain(text) if c.isalnum() or c == "@")
