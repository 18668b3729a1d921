"""Plain CSV: a line for each student and item."""

from __future__ import annotations

from collections.abc import Sequence

from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.schema import Grading
from hstar.grading.tables import number_cell, table, text_cell


def score_cell(entry: Entry) -> str:
    """The score for a learning platform; empty while there is none, or a person has not marked everything."""
    return number_cell(entry.score) if entry.score is not None and entry.final else ""


def reasons(entry: Entry, grading: Grading | None, limit: int = 2000) -> str:
    """All that a student may read about the score: the deductions of visible parts, an adjustment, a comment."""
    found = [
        f"{part.name}: {deduction.reason} (-{number_cell(deduction.points)})"
        for part in (() if grading is None else grading.parts)
        if part.visibility == "visible"
        for deduction in part.deductions
    ]
    if grading is None:
        found += entry.faults
    if entry.adjustment_reason:
        found.append(f"{number_cell(entry.adjustment)}: {entry.adjustment_reason}")
    if entry.comment:
        found.append(entry.comment)
    text = "; ".join(found)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """One line for each student and part, and one with the result, for instructors, so including hidden items."""
    rows = [["student", "name", "email", "item", "visibility", "score", "max_score", "reasons", "status", "version"]]
    for entry, grading in zip(entries, gradings, strict=True):
        who = [text_cell(entry.student), text_cell(entry.name), text_cell(entry.email)]
        version = "" if grading is None else grading.version
        for part in () if grading is None else grading.parts:
            why = "; ".join(deduction.reason for deduction in part.deductions)
            points = [number_cell(part.score), number_cell(part.max_score)]
            rows.append([*who, text_cell(part.name), part.visibility, *points, text_cell(why), "", version])
        score = "" if entry.score is None else number_cell(entry.score)
        why = "; ".join([*entry.faults, *(f"{item} is not marked yet" for item in entry.pending)])
        rows.append([*who, "total", "", score, number_cell(entry.max_score), text_cell(why), entry.status, version])
    return table(rows)
