"""``results.json`` of a PrairieLearn external grader (docs/externalGrading.md of
github.com/PrairieLearn/PrairieLearn, at 06a6d59): at most 1 MB.

PrairieLearn shows students the whole file, so hidden items are left out, and the score is that of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.schema import Grading, Part
from hstar.grading.tables import number_cell
from hstar.grading.views import student_view

MAX_BYTES = 10**6
#: the longest output of one test; the next one is taken if the whole file is too large
LIMITS = (20_000, 5_000, 1_000, 100, 10)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Test(_Model):
    """One test of the results."""

    name: str
    description: str | None = None
    points: Annotated[float, Field(ge=0)]
    max_points: Annotated[float, Field(ge=0)]
    message: str | None = None
    output: str | None = None


class Results(_Model):
    """The whole file."""

    gradable: bool
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    message: str | None = None
    output: str | None = None
    format_errors: list[str] | None = None
    tests: list[Test] | None = None


def results(grading: Grading, limit: int) -> Results:
    """A grading as PrairieLearn's results; not gradable if no part of the submission could be read."""
    seen = student_view(grading)
    faults = [f"{fault.where}: {fault.message}" for fault in grading.faults]
    if faults and not any(found.row for found in grading.graded) and not any(part.score for part in seen.parts):
        return Results(gradable=False, format_errors=faults, message="no part of the submission can be graded")
    score = min(1.0, max(0.0, seen.score / seen.max_score)) if seen.max_score else 0.0
    ignored = "\n".join(
        [*(f"not read: {fault}" for fault in faults), *(f"not graded: {line}" for line in seen.ignored)]
    )
    return Results(
        gradable=True,
        score=round(score, 6),
        message=f"{seen.assignment}, version {seen.version}",
        output=ignored[:limit],
        tests=[_test(part, limit) for part in seen.parts],
    )


def _test(part: Part, limit: int) -> Test:
    lines = [f"-{number_cell(d.points)}: {d.instance or ''} {d.reason}\n    {d.command or ''}" for d in part.deductions]
    lines += [f"note: {note}" for note in part.notes]
    text = "\n".join(lines)
    return Test(
        name=part.name,
        description=part.kind,
        points=part.score,
        max_points=part.max_score,
        output=text if len(text) <= limit else text[: limit - 3] + "...",
    )


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """The file's text, within PrairieLearn's limit."""
    (grading,) = gradings
    assert grading is not None
    shown = ""
    for limit in LIMITS:
        shown = results(grading, limit).model_dump_json(indent=2, exclude_none=True) + "\n"
        if len(shown.encode()) <= MAX_BYTES:
            break
    Results.model_validate_json(shown)
    return shown


def unreadable(message: str, faults: Sequence[str]) -> str:
    """The results for a submission that cannot be read at all; it costs the student nothing."""
    shown = Results(gradable=False, message=message, format_errors=list(faults) or [message])
    return shown.model_dump_json(indent=2, exclude_none=True) + "\n"
