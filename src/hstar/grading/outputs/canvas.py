"""A Canvas gradebook as CSV: ``Student,ID,SIS User ID,SIS Login ID,Section,"Title (id)"``, then the points.

Canvas finds a student by ID (Canvas's own number), then SIS User ID, then SIS Login ID, then name; ``EX`` excuses. It
accepts any first character of a name; a spreadsheet would run a formula. Source: lib/gradebook_importer.rb of
github.com/instructure/canvas-lms, at 00b222d.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hstar.errors import Fault, InvalidRequest
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.outputs.tables import score_cell
from hstar.grading.schema import Grading
from hstar.grading.tables import number_cell, table, text_cell

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
EXCUSED = "EX"
#: a column whose header has one of these belongs to Canvas, and is not read
RESERVED = (
    "Current Score", "Current Points", "Current Grade", "Final Score", "Final Points", "Final Grade", "Override Score",
    "Override Grade", "Override Status",
)  # fmt: skip


def column(assignment: Assignment) -> str:
    """The assignment's column: its title, and its id in Canvas, which is a number, if that is known."""
    given = assignment.given
    return f"{given.title} ({given.id})" if given.id is not None and given.id.isdigit() else given.title


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """The file's text."""
    rows = [[*HEADER, text_cell(column(assignment))]]
    rows.append(["    Points Possible", "", "", "", "", number_cell(assignment.max_score)])
    # Without a roster, an id that is a number is taken for Canvas' own. With one it is a university's, which may be a
    # number, too: as Canvas' own it may be another person's.
    rostered = any(entry.on_roster for entry in entries)
    for entry in entries:
        score = EXCUSED if entry.status == "excused" else score_cell(entry)
        rows.append(
            [text_cell(entry.name or entry.student), *_identifiers(entry, rostered), text_cell(entry.section), score]
        )
    text = table(rows)
    check(text)
    return text


def _identifiers(entry: Entry, rostered: bool) -> list[str]:
    """ID, SIS User ID and SIS Login ID."""
    known = rostered or entry.canvas_id is not None or entry.login is not None
    numeric = not known and entry.student.isascii() and entry.student.isdigit()
    own = entry.student if numeric else entry.canvas_id
    return [text_cell(own), "" if numeric else text_cell(entry.student), text_cell(entry.login or entry.email)]


def check(text: str) -> None:
    """Check what Canvas's importer requires; `InvalidRequest` lists what it would refuse."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    faults = []
    header, *lines = rows or [[]]
    if header[: len(HEADER)] != HEADER or header == HEADER:
        faults.append(Fault("line 1", f"expected {','.join(HEADER)} and an assignment"))
    else:
        faults += [
            Fault("line 1", f"a column with {name!r} in its title is not read as an assignment")
            for name in RESERVED
            if name in header[len(HEADER)]
        ]
        for number, row in enumerate(lines, start=2):
            points = row[0].strip() == "Points Possible"
            if len(row) != len(header):
                faults.append(Fault(f"line {number}", f"{len(row)} cells, and the header has {len(header)}"))
            elif not points and not any(row[1:4]):
                faults.append(Fault(f"line {number}", "the student has neither an ID nor an SIS ID"))
            elif row[-1] not in ("", EXCUSED) and not _is_number(row[-1]):
                faults.append(Fault(f"line {number}", f"{row[-1]!r} is no score"))
    if faults:
        raise InvalidRequest("Canvas would not import this gradebook", faults)


def _is_number(text: str) -> bool:
    try:
        return float(text) >= 0
    except ValueError:
        return False
