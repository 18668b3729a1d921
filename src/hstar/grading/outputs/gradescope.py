"""``results.json`` of a Gradescope autograder (gradescope-autograders.readthedocs.io, "Autograder specifications").

Only tests have scores, because a total would reveal hidden tests. By default Gradescope gives an autograder half a
processor and ten minutes; the limits in expansions stay well below that. ``submission_metadata.json`` lists previous
submissions; those with an ``autograder_error`` cost no attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hstar.errors import Fault, InvalidRequest
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.schema import Grading, Part
from hstar.grading.tables import number_cell
from hstar.grading.views import student_view

Format = Literal["text", "html", "simple_format", "md", "ansi"]
Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Test(_Model):
    """One test; Gradescope shows it with its output."""

    score: Annotated[float, Field(ge=0)] | None = None
    max_score: Annotated[float, Field(ge=0)] | None = None
    status: Literal["passed", "failed"] | None = None
    name: str | None = None
    name_format: Format | None = None
    number: str | None = None
    output: str | None = None
    output_format: Format | None = None
    tags: list[str] | None = None
    visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None


class LeaderboardLine(_Model):
    """One column of the leaderboard."""

    name: str
    value: float | str
    order: Literal["asc", "desc"] | None = None


class Results(_Model):
    """The whole file: a score, or a score at every test."""

    score: Annotated[float, Field(ge=0)] | None = None
    execution_time: float | None = None
    output: str | None = None
    output_format: Format | None = None
    test_output_format: Format | None = None
    test_name_format: Format | None = None
    visibility: Visibility | None = None
    stdout_visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None
    tests: list[Test] | None = None
    leaderboard: list[LeaderboardLine] | None = None

    @model_validator(mode="after")
    def _scored(self) -> Results:
        at_tests = self.tests is not None and all(test.score is not None for test in self.tests)
        if self.score is None and not at_tests:
            raise ValueError("expected a score, at the top or in every test")
        return self


def results(assignment: Assignment, grading: Grading) -> Results:
    """A grading as Gradescope's results."""
    seen = student_view(grading)
    lines = [f"{seen.assignment}, version {seen.version}"]
    lines += [f"not read: {fault.where}: {fault.message}" for fault in seen.faults]
    lines += [f"not graded: {line}" for line in seen.ignored]
    solved = [found for found in seen.graded if found.valid]
    return Results(
        output="\n".join(lines),
        output_format="text",
        stdout_visibility="hidden",
        extra_data={"version": grading.version, "submission": grading.submission},
        tests=[_test(part) for part in grading.parts],
        leaderboard=[LeaderboardLine(name="solved", value=len(solved), order="desc")],
    )


def _test(part: Part) -> Test:
    lines = [f"-{number_cell(d.points)}: {_where(d.instance)}{d.reason}" + _command(d.command) for d in part.deductions]
    lines += [f"note: {note}" for note in part.notes]
    return Test(
        score=part.score,
        max_score=part.max_score,
        status="passed" if part.passed else "failed",
        name=part.name,
        number=part.number,
        output="\n".join(lines) or "all points",
        output_format="text",
        tags=[part.kind],
        visibility=part.visibility,
        extra_data={"deductions": len(part.deductions)},
    )


def _where(instance: str | None) -> str:
    return "" if instance is None else f"{instance}: "


def _command(command: str | None) -> str:
    return "" if command is None else f"\n    {command}"


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """The file's text."""
    (grading,) = gradings
    assert grading is not None
    shown = results(assignment, grading).model_dump_json(indent=2, exclude_none=True)
    Results.model_validate_json(shown)
    return shown + "\n"


def attempts_used(metadata: dict[str, Any]) -> int:
    """How many earlier submissions count, by Gradescope's ``submission_metadata.json``.

    :raises InvalidRequest: it is not such a file
    """
    previous = metadata.get("previous_submissions", [])
    if not isinstance(previous, list) or not all(isinstance(earlier, dict) for earlier in previous):
        text = "expected a list of objects"
        raise InvalidRequest("cannot read the metadata", [Fault("/previous_submissions", text)])
    return sum(not earlier.get("autograder_error") and not _refused(earlier) for earlier in previous)


def _refused(earlier: dict[str, Any]) -> bool:
    """Whether the submission was not graded because no attempt was left."""
    extra = (earlier.get("results") or {}).get("extra_data") or {}
    return bool(extra.get("refused"))


def refused(assignment: Assignment, metadata: dict[str, Any]) -> str:
    """The results when no attempt is left: the earlier score stays, and the submission is not graded."""
    scores = [
        sum(test.get("score") or 0 for test in (earlier.get("results") or {}).get("tests") or [])
        for earlier in metadata.get("previous_submissions", [])
        if not earlier.get("autograder_error") and not _refused(earlier)
    ]
    score = 0.0
    if scores:
        score = float(scores[-1] if assignment.given.counts == "last" else max(scores))
    text = (
        f"no attempt is left: {assignment.given.attempts} are allowed. The earlier score stays; this one is not graded."
    )
    shown = Results(score=score, output=text, output_format="text", extra_data={"refused": True})
    return shown.model_dump_json(indent=2, exclude_none=True) + "\n"
