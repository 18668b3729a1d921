"""What travels over HTTP about assignments and submissions, beside the objects that files and commands have."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from hstar.grading.gradebook import ClassStatistics, Entry
from hstar.grading.schema import AssignmentIn, Grading, Name
from hstar.schema import Out, Strict

StudentId = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class AssignmentObject(Out):
    """An assignment as it is stored."""

    id: str
    created_at: datetime
    version: str = Field(description="changes with what can change a score")
    instances: list[str] = Field(description="their names")
    max_score: float
    assignment: AssignmentIn


class AssignmentList(Out):
    """The assignments of an owner, newest first."""

    items: list[AssignmentObject]


class SubmissionIn(Strict):
    """Body of ``POST /v1/assignments/{id}/submissions``: a file as it was handed in."""

    student: StudentId
    name: Name | None = None
    email: Name | None = None
    filename: Name = "submission"
    content: str | None = Field(None, description="JSON, JSON lines or CSV")
    content_base64: str | None = Field(None, description="the same, or a zip, in base64")

    @model_validator(mode="after")
    def _one_content(self) -> SubmissionIn:
        if (self.content is None) == (self.content_base64 is None):
            raise ValueError("give exactly one of content and content_base64")
        return self


class GradingRequest(Strict):
    """What a worker needs to grade: the assignment as it was then, and the file."""

    assignment: AssignmentIn
    student: str
    name: str | None = None
    email: str | None = None
    filename: str
    content: str = Field(description="in base64")
    priority: int = 0


class SubmissionObject(Out):
    """A submission and its grading, once there is one."""

    id: str
    assignment: str
    student: str
    attempt: int = Field(description="which of the student's submissions, from 1")
    submitted_at: datetime
    status: Literal["queued", "running", "done", "cancelled", "failed"]
    error: str | None = Field(None, description="why grading failed; such a submission costs no attempt")
    grading: Grading | None = None


class Regrading(Out):
    """What a regrade of a class has queued, behind every fresh submission."""

    queued: int


class Gradebook(Out):
    """What counts for each student of a class."""

    assignment: str
    title: str
    version: str
    entries: list[Entry]


class AssignmentStatistics(Out):
    """A class on an assignment: what counts for each student."""

    assignment: str
    statistics: ClassStatistics
