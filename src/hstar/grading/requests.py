"""What travels over HTTP about assignments and submissions, beside the objects that files and commands have."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from hstar.grading.class_statistics import ClassStatistics
from hstar.grading.gradebook import Entry
from hstar.grading.schema import AssignmentIn, Grading, Name
from hstar.schema import JobStatus, Out, Strict

_TEXT = r"^[^\x00]*$"

StudentId = Annotated[str, Field(min_length=1, max_length=200, pattern=_TEXT)]
View = Literal["instructor", "student"]
RegradeStatus = Literal["open", "granted", "declined"]


class AssignmentObject(Out):
    """An assignment as it is stored, or a student's copy of it, without hidden instances, items and their points."""

    id: str
    created_at: datetime
    version: str = Field(description="changes with what can change a score")
    view: View = Field("instructor", description="student: a copy without what is hidden")
    instances: list[str] = Field(description="their names")
    max_score: float
    assignment: AssignmentIn


class AssignmentCheck(Out):
    """What an assignment would be, without being stored."""

    version: str
    instances: list[str] = Field(description="their names")
    max_score: float
    assignment: AssignmentIn


class AssignmentList(Out):
    """The assignments that one may see, newest first."""

    items: list[AssignmentObject]


class AssignmentVersion(Out):
    """An assignment as it was in one of its versions, which gradings name."""

    assignment: str
    version: str
    created_at: datetime
    current: bool
    max_score: float
    document: AssignmentIn


class AssignmentVersions(Out):
    """All versions of an assignment, oldest first."""

    items: list[AssignmentVersion]


class SubmissionIn(Strict):
    """Body of ``POST /v1/assignments/{id}/submissions``: a file as it was handed in."""

    student: StudentId | None = Field(None, description="whose it is; a student's own key tells it already")
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
    by_student: bool = Field(
        False, description="handed in with a student's own key: the file's address is not believed"
    )
    priority: int = 0


class SubmissionSummary(Out):
    """A submission in a list."""

    id: str
    assignment: str
    student: str
    name: str | None = Field(None, description="as it was handed in")
    attempt: int = Field(description="which of the student's submissions, from 1")
    costs_attempt: bool = Field(description="false: the service could not grade it")
    submitted_at: datetime
    status: JobStatus
    error: str | None = Field(None, description="why grading failed; such a submission costs no attempt")
    regrading: bool = Field(description="it is being graded again; the score in force is shown until then")
    late_percent: float = Field(description="what the gradebook takes off")
    adjustment: float = Field(0, description="points that an instructor gave or took")
    score: float | None = None
    max_score: float | None = None
    version: str | None = Field(None, description="of the assignment that it was graded by")


class SubmissionPage(Out):
    """One page of a list of submissions, newest first."""

    items: list[SubmissionSummary]
    next: str | None = Field(description="path of the next page; null on the last one")


class SubmissionObject(SubmissionSummary):
    """A submission and its grading, once there is one."""

    grading: Grading | None = None


class Standing(Out):
    """What a student has on an assignment, and may still do."""

    assignment: str
    student: str
    attempts_used: int = Field(description="without those that the service could not grade")
    attempts_left: int | None = Field(description="null: as many as they like")
    tokens_left: int | None = Field(description="null: the assignment has no token bucket")
    next_token_at: datetime | None = Field(description="null: no token is missing")
    may_submit: bool
    due: datetime | None
    late_percent: float = Field(description="what a submission would lose now")
    regrade_requests_until: datetime | None
    entry: Entry | None = Field(None, description="what counts; null: nothing has been graded")


class RegradeRequestIn(Strict):
    """Body of a request to look at a grading again."""

    note: Annotated[str, Field(min_length=1, max_length=4000, pattern=_TEXT)] = Field(
        description="what is thought to be wrong"
    )
    item: Name | None = Field(None, description="of the rubric; null: the whole grading")


class RegradeAnswer(Strict):
    """An instructor's answer to a request. A later answer replaces it."""

    decision: Literal["granted", "declined"] = Field(
        description="granted: the submission is graded again, by the assignment as it is now"
    )
    answer: Annotated[str, Field(min_length=1, max_length=4000, pattern=_TEXT)]
    adjustment: Annotated[float, Field(ge=-10_000, le=10_000)] = Field(
        0, description="points to give or take, which the gradebook adds to the score"
    )

    @model_validator(mode="after")
    def _fits(self) -> RegradeAnswer:
        if self.decision == "declined" and self.adjustment:
            raise ValueError("a request that is declined adjusts nothing")
        return self


class RegradeRequestObject(Out):
    """A student's request to look at a grading again, and its answer."""

    id: str
    assignment: str
    submission: str
    student: str
    item: str | None
    note: str
    created_at: datetime
    status: RegradeStatus
    answer: str | None = None
    adjustment: float = 0
    answered_at: datetime | None = None


class RegradeRequestPage(Out):
    """One page of a list of regrade requests, newest first."""

    items: list[RegradeRequestObject]
    next: str | None = Field(description="path of the next page; null on the last one")


class Regrading(Out):
    """What a regrade of a class has queued, behind every fresh submission."""

    queued: int = Field(description="submissions; a regrade of them that was still waiting is replaced")


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
