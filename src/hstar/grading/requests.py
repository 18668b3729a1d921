"""The objects of assignments and submissions that only the HTTP API has."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from hstar.errors import TEXT
from hstar.grading.class_statistics import ClassStatistics
from hstar.grading.gradebook import Entry
from hstar.grading.intake import Notation, Reading
from hstar.grading.records import Adjustment, Extension, Mark
from hstar.grading.roster import By, RosterLine, RosterRead, StudentId
from hstar.grading.schema import AssignmentIn, Grading, Name
from hstar.schema import JobStatus, Out, Strict

View = Literal["instructor", "student"]
RegradeStatus = Literal["open", "granted", "declined"]


class AssignmentObject(Out):
    """An assignment as it is stored, or a student's copy without hidden instances and items and their points."""

    id: str
    created_at: datetime
    version: str = Field(description="changes if something changes that can change a score")
    view: View = Field("instructor", description="student: a copy without hidden parts")
    instances: list[str] = Field(description="names of the instances")
    max_score: float
    assignment: AssignmentIn


class AssignmentCheck(Out):
    """The result of checking an assignment without storing it."""

    version: str
    instances: list[str] = Field(description="names of the instances")
    max_score: float
    assignment: AssignmentIn


class AssignmentList(Out):
    """The assignments that the caller may see, newest first."""

    items: list[AssignmentObject]


class AssignmentVersion(Out):
    """One version of an assignment, as named in gradings."""

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
    """Body of ``POST /v1/assignments/{id}/submissions``: a submitted file."""

    student: StudentId | None = Field(None, description="the student; not needed with a student's own key")
    name: Name | None = None
    email: Name | None = None
    filename: Name = "submission"
    content: str | None = Field(None, description="JSON, JSON lines or CSV")
    content_base64: str | None = Field(None, description="the same, or a zip, in base64")
    notation: Notation | None = Field(
        None, description="what the student's moves mean, as /readings inferred it; kept for the next submission"
    )

    @model_validator(mode="after")
    def _one_content(self) -> SubmissionIn:
        if (self.content is None) == (self.content_base64 is None):
            raise ValueError("give exactly one of content and content_base64")
        return self


class GradingRequest(Strict):
    """What a worker needs for grading: the assignment at that time, and the file."""

    assignment: AssignmentIn
    student: str
    name: str | None = None
    email: str | None = None
    named_in_file: str | None = Field(None, description="somebody else whose id or name is in the file")
    notation: Notation | None = Field(None, description="what the student's moves mean")
    filename: str
    content: str = Field(description="in base64")
    by_student: bool = Field(
        False, description="submitted with a student's own key: the e-mail address in the file is ignored"
    )
    priority: int = 0


UploadStatus = Literal["submitted", "mapping", "unassigned", "refused"]


class UploadedFile(SubmissionIn):
    """A file of a class; a folder's files have their paths as names."""


class UploadsIn(Strict):
    """Body of ``POST /v1/assignments/{id}/uploads``: files of a class; a zip may have those of many students."""

    files: list[UploadedFile] = Field(min_length=1, max_length=1000)


class UploadChange(Strict):
    """Body of ``PUT /v1/assignments/{id}/uploads/{upload}``: whose file it is. It is then tried again."""

    student: StudentId | None = None
    notation: Notation | None = Field(None, description="what the moves mean, confirmed")


class Upload(Out):
    """A file as it came, and what became of it."""

    id: str
    assignment: str
    filename: str
    student: str | None
    by: By | None = Field(description="what told whose it is")
    named_in_file: str | None = Field(description="somebody else whose id or name is in the file")
    status: UploadStatus = Field(
        description="submitted: see `submission`; mapping: its notation must be confirmed; unassigned: nobody knows "
        "whose it is; refused: see `message`"
    )
    message: str | None
    submission: str | None
    uploaded_at: datetime


class UploadObject(Upload):
    """A file, and how it would be read."""

    reading: Reading | None = Field(description="null: it cannot be read at all")


class UploadPage(Out):
    """One page of a list of files, newest first."""

    items: list[Upload]
    next: str | None = Field(None, description="path of the next page; null on the last one")


class Course(Out):
    """A course that the caller may see."""

    course: str
    students: int
    assignments: int


class CourseList(Out):
    """Courses, by name."""

    items: list[Course]


class RosterObject(Out):
    """The students of a course, by their ids."""

    course: str
    students: list[RosterLine]


class RosterImport(RosterRead):
    """What an import read and changed."""

    course: str
    stored: bool
    added: int
    changed: int
    removed: int


class RecordObject(Out):
    """What was decided about a student on an assignment, and the result."""

    assignment: str
    student: str
    roster: RosterLine | None
    extension: Extension | None
    adjustment: Adjustment | None
    marks: dict[str, Mark]
    comment: str | None
    excused: bool
    changed_at: datetime | None
    entry: Entry | None = Field(description="the gradebook's line; null for a student before the release")


class RecordList(Out):
    """The records of an assignment, by student."""

    items: list[RecordObject]


class SubmissionSummary(Out):
    """A submission in a list."""

    id: str
    assignment: str
    student: str
    name: str | None = Field(None, description="file name as submitted")
    attempt: int = Field(description="number of the student's submission, from 1")
    costs_attempt: bool = Field(description="false: the service could not grade it")
    submitted_at: datetime
    status: JobStatus
    error: str | None = Field(None, description="why grading failed; such a submission costs no attempt")
    regrading: bool = Field(description="it is being graded again; the earlier score is shown until then")
    late_percent: float = Field(description="late penalty in the gradebook")
    adjustment: float = Field(0, description="points that the answer to a regrade request added or removed")
    score: float | None = Field(None, description="of the grading alone")
    worth: float | None = Field(
        None, description="what the gradebook takes if this attempt counts: `score` and `adjustment`, less the penalty"
    )
    max_score: float | None = None
    version: str | None = Field(None, description="version of the assignment used for grading")


class SubmissionPage(Out):
    """One page of a list of submissions, newest first."""

    items: list[SubmissionSummary]
    next: str | None = Field(description="path of the next page; null on the last one")


class SubmissionObject(SubmissionSummary):
    """A submission and its grading, once there is one."""

    grading: Grading | None = None


class Standing(Out):
    """A student's score on an assignment, and the attempts and tokens left."""

    assignment: str
    student: str
    attempts_used: int = Field(description="attempts used, without those that the service could not grade")
    attempts_left: int | None = Field(description="null: as many as they like")
    tokens_left: int | None = Field(description="null: the assignment has no token bucket")
    next_token_at: datetime | None = Field(description="null: no token is missing")
    may_submit: bool
    due: datetime | None
    late_percent: float = Field(description="late penalty of a submission made now")
    regrade_requests_until: datetime | None
    entry: Entry | None = Field(None, description="the result that counts; null: nothing has been graded")
    notation: Notation | None = Field(None, description="what the student's moves mean, as confirmed earlier")


class RegradeRequestIn(Strict):
    """Body of a regrade request."""

    note: Annotated[str, Field(min_length=1, max_length=4000, pattern=TEXT)] = Field(
        description="what the student thinks is wrong"
    )
    item: Name | None = Field(None, description="item of the rubric; null: the whole grading")


class RegradeAnswer(Strict):
    """An instructor's answer to a request. A later answer replaces it."""

    decision: Literal["granted", "declined"] = Field(
        description="granted: the submission is graded again, by the assignment as it is now"
    )
    answer: Annotated[str, Field(min_length=1, max_length=4000, pattern=TEXT)]
    adjustment: Annotated[float, Field(ge=-10_000, le=10_000)] = Field(
        0, description="points to add or remove in the gradebook"
    )

    @model_validator(mode="after")
    def _fits(self) -> RegradeAnswer:
        if self.decision == "declined" and self.adjustment:
            raise ValueError("a declined request has no adjustment")
        return self


class RegradeRequestObject(Out):
    """A student's regrade request, and its answer."""

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
    """What a regrade of a class has queued, after all new submissions."""

    queued: int = Field(description="submissions; a regrade that was still waiting is replaced")


class Gradebook(Out):
    """The result of each student of a class."""

    assignment: str
    title: str
    version: str
    entries: list[Entry]


class AssignmentStatistics(Out):
    """Statistics of a class on an assignment."""

    assignment: str
    statistics: ClassStatistics
