"""Plain CSV, and cells that a spreadsheet must not run, for all tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.schema import Grading

#: a spreadsheet runs a cell with one of these first characters as a formula (OWASP, CSV injection)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str | None) -> str:
    """Text that a spreadsheet shows but does not run; an apostrophe in front marks it as text."""
    if not text:
        return ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def number_cell(value: float) -> str:
    """A number with as many digits as it needs."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def table(rows: Iterable[Sequence[str]]) -> str:
    """CSV according to RFC 4180."""
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()


def reasons(grading: Grading, limit: int = 2000) -> str:
    """All deductions of the parts that a student sees, in one text."""
    found = [
        f"{part.name}: {deduction.reason} (-{number_cell(deduction.points)})"
        for part in grading.parts
        if part.visibility == "visible"
        for deduction in part.deductions
    ]
    text = "; ".join(found)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def write(assignment: Assignment, gradings: Sequence[Grading], entries: Sequence[Entry]) -> str:
    """One line for each submission and part, for instructors, so including hidden items."""
    rows = [["student", "name", "email", "item", "visibility", "score", "max_score", "reasons", "version"]]
    for grading in gradings:
        who = [text_cell(grading.student), text_cell(grading.name), text_cell(grading.email)]
        for part in grading.parts:
            why = "; ".join(deduction.reason for deduction in part.deductions)
            points = [number_cell(part.score), number_cell(part.max_score)]
            rows.append([*who, text_cell(part.name), part.visibility, *points, text_cell(why), grading.version])
        total = [number_cell(grading.score), number_cell(grading.max_score)]
        rows.append([*who, "total", "", *total, "", grading.version])
    return table(rows)
