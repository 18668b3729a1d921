"""Moodle grades as CSV: the student's identifiers, the grade and the feedback (docs.moodle.org, "Grade import")."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hstar.errors import Fault, InvalidRequest
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.outputs.tables import reasons, score_cell
from hstar.grading.schema import Grading
from hstar.grading.tables import table, text_cell

#: the columns by which Moodle can find a student
IDENTIFIERS = ("ID number", "Username", "Email address")


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """The file's text."""
    title = text_cell(assignment.given.title)
    rows = [["ID number", "Email address", "Full name", title, f"{title} (feedback)"]]
    for entry, grading in zip(entries, gradings, strict=True):
        rows.append([
            text_cell(entry.student), text_cell(entry.email), text_cell(entry.name), score_cell(entry),
            text_cell(reasons(entry, grading)),
        ])  # fmt: skip
    text = table(rows)
    check(text, assignment.max_score)
    return text


def check(text: str, maximum: float) -> None:
    """Check what Moodle's importer requires; `InvalidRequest` lists what it would refuse."""
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    faults = []
    header, *lines = rows or [[]]
    found = [header.index(name) for name in IDENTIFIERS if name in header]
    if not found:
        faults.append(Fault("line 1", f"one of the columns {', '.join(IDENTIFIERS)} is needed"))
    for number, row in enumerate(lines, start=2):
        if found and not any(row[i] for i in found):
            faults.append(Fault(f"line {number}", "the student has neither an ID number nor an e-mail address"))
        grade = float(row[3] or 0)
        if not 0 <= grade <= maximum:
            faults.append(Fault(f"line {number}", f"the grade {grade:g} is not from 0 to {maximum:g}"))
    if faults:
        raise InvalidRequest("Moodle would not import these grades", faults)
