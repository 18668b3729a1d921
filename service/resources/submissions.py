"""Submissions to an assignment: submit, list, read; and a student's standing."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from datetime import UTC, datetime

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import Fault, InvalidRequest
from hstar.grading import Assignment, AssignmentIn, Read, databases_of, read_something
from hstar.grading.attempts import Allowance, allowance
from hstar.grading.batch import in_doubt, in_one_line
from hstar.grading.gradebook import late_percent, worth
from hstar.grading.intake import Notation, Reading, understood
from hstar.grading.records import extended
from hstar.grading.requests import (
    GradingRequest,
    Standing,
    SubmissionIn,
    SubmissionObject,
    SubmissionPage,
    SubmissionSummary,
    UploadStatus,
    View,
)
from hstar.grading.roster import StudentId
from hstar.schema import JobStatus
from service.answering import check_cursor, next_path, object_response, page_response
from service.classes import (
    document_of,
    entry_of,
    grading_of,
    is_student,
    manage_assignment,
    read_assignment,
    released,
    terms_of,
    to_attempt,
    view_of,
    whose,
)
from service.classes import read_submission as find_submission
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key, preferred_wait
from service.job_resource import check_databases, check_room
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, ROOM_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.resources.assignments import TAG, ViewOption
from service.schema import Paging, SubmitHeaders
from store.grading import records, rosters, submissions, uploads
from store.grading.models import StoredAssignment
from store.grading.submissions import GradedSubmission
from store.ids import new_id
from store.jobs.states import State

bp = APIBlueprint("submissions", __name__, url_prefix="/v1", tag=TAG)
include(Reading, SubmissionIn, SubmissionObject, SubmissionPage, Standing)

IN_NUMBERS = {"student": "1001", "content": "scramble,solution\n+10 -7,+7 -10\n"}
SUBMISSION = {"student": "1001", "content": "scramble,solution\nU F R,R' F' U'\n"}


class SubmissionFilter(Paging, ViewOption):
    """Filters of submissions, and the view."""

    student: StudentId | None = Field(None, description="only this student's")
    status: JobStatus | None = None


class StandingFilter(ViewOption):
    """The student whose standing is asked for."""

    student: StudentId | None = Field(None, description="required, except with a student's key")


@bp.post("/assignments/<id>/submissions")
@bp.input(SubmitHeaders, location="headers")
@bp.input(SubmissionIn, examples={"csv": {"summary": "Two columns of CSV", "value": SUBMISSION}})
@bp.output(SubmissionObject, status_code=202, description="Accepted; a worker will grade it")
@bp.doc(
    operation_id="submitSubmission",
    responses=responses(
        {202: {"headers": answers("Location", "Preference-Applied", "Idempotent-Replayed")}},
        *WRITE_PROBLEMS, "not-found", "idempotency-key-reused", *ROOM_PROBLEMS, "notation-needed",
        "too-many-databases", "assignment-closed", "no-attempts-left", "no-token-left",
    ),
)  # fmt: skip
def submit_submission(id: str, headers_data: SubmitHeaders, json_data: SubmissionIn) -> Response:
    """Hand in a submission

    A file that cannot be read at all is refused and costs no attempt. If only parts of a file can be read, these are
    graded.
    """
    student = whose(json_data.student, "/student")
    if student is None:
        fault = Fault("/student", "missing field: the student whose submission this is")
        raise ProblemError("invalid-request", "the body does not fit its schema", [fault])
    content = content_of(json_data)
    try:
        read = read_something(content, json_data.filename)
    except InvalidRequest as error:
        _leave_trace(id, student, json_data, content, in_one_line(error, json_data.filename))
        raise
    notation = _notation_of(id, student, json_data, read, content)
    key = idempotency_key(headers_data.idempotency_key)
    fingerprint = fingerprint_of(key, json_data)
    made, new = earlier(key, fingerprint), new_id()
    if made is None:

        def insert(session: Session) -> None:
            row = read_assignment(session, id, lock=True)
            given = document_of(row)
            check_allowance(session, row, given, student)
            check_room(session)
            if is_student():  # An instructor hands in for the whole class.
                check_databases(session, databases_of(given, read))
            asked = GradingRequest(
                assignment=given, student=student, name=json_data.name, email=json_data.email,
                notation=notation, filename=json_data.filename, content=b64encode(content).decode(),
                by_student=is_student(),
            )  # fmt: skip
            submissions.add(session, new, row, principal().owner, asked)
            uploads.forget(session, row.id, student)
            if json_data.notation is not None:
                records.keep_notation(session, *_kept_for(row, given, student), notation)

        made = make_once(key, fingerprint, new, insert)
        if made == new:
            context().doorbell.ring()
    response = _show(id, made, view_of(), wait=preferred_wait(headers_data.prefer), status=202)
    if made != new:
        response.headers["Idempotent-Replayed"] = "true"
    return response


def _kept_for(row: StoredAssignment, given: AssignmentIn, student: str) -> tuple[rosters.Scope, str, str]:
    """What a confirmed notation is kept for."""
    return rosters.scope_of_assignment(row, given), student, given.puzzle


def read_in_notation(session: Session, row: StoredAssignment, student: str | None, read: Read) -> Reading:
    """How a file would be read, with the notation that the student confirmed earlier."""
    given = document_of(row)
    kept = None if student is None else records.notation(session, *_kept_for(row, given, student))
    return understood(read, Assignment.of(given), kept)


def _notation_of(id: str, student: str, given: SubmissionIn, read: Read, content: bytes) -> Notation:
    """The notation of a submission; raises `ProblemError` if it must be confirmed first, which costs no attempt."""
    if given.notation is not None:
        return given.notation
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        reading = read_in_notation(session, row, student, read)
    if not reading.certain:
        _leave_trace(id, student, given, content, in_doubt(reading), "mapping")
        raise ProblemError("notation-needed", in_doubt(reading))
    return reading.notation


@bp.post("/assignments/<id>/readings")
@bp.input(SubmissionIn, examples={"csv": {"summary": "Faces by number", "value": IN_NUMBERS}})
@bp.output(Reading, description="How the file would be read")
@bp.doc(operation_id="readSubmission", responses=responses({}, *WRITE_PROBLEMS, "not-found"))
def read_submitted(id: str, json_data: SubmissionIn) -> Response:
    """Look how a file would be read

    Nothing is stored. What the moves of a student's own notation mean is inferred from the assignment's instances;
    send it, or a corrected one, as `notation` with the submission.
    """
    student = whose(json_data.student, "/student")
    read = read_something(content_of(json_data), json_data.filename)
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        return object_response(read_in_notation(session, row, student, read))


@bp.delete("/assignments/<id>/notation")
@bp.input(StandingFilter, location="query")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="forgetNotation", responses=responses({}, *READ_PROBLEMS, "not-found"))
def forget_notation(id: str, query_data: StandingFilter) -> Response:
    """Forget the notation that a student confirmed; their standing shows it"""
    student = _needed(query_data.student)

    def forget(session: Session) -> None:
        row = read_assignment(session, id)
        record_change(session, row.id, f"notation of {student}")
        records.keep_notation(session, *_kept_for(row, document_of(row), student), None)

    context().sessions.run(forget)
    return Response(status=204)


def _needed(asked: str | None) -> str:
    student = whose(asked, "query:student")
    if student is None:
        fault = Fault("query:student", "missing parameter: the student who is meant")
        raise ProblemError("invalid-request", "the query parameters do not fit their schema", [fault])
    return student


def _leave_trace(
    id: str, student: str, given: SubmissionIn, content: bytes, why: str, status: UploadStatus = "refused"
) -> None:
    """Keep a file that was not graded, so that the instructor sees it; a student's newest one is kept."""

    def write(session: Session) -> None:
        row = read_assignment(session, id)
        check_room(session)
        uploads.forget(session, row.id, student)
        uploads.add(
            session, new_id(), row.id, given.filename, b64encode(content).decode(), status=status, student=student,
            found_by="given", message=why,
        )  # fmt: skip

    context().sessions.run(write)


def content_of(given: SubmissionIn) -> bytes:
    """The bytes of a submitted file; raises `ProblemError` if it is not base64."""
    if given.content is not None:
        return given.content.encode()
    return from_base64(given.content_base64 or "")


def from_base64(text: str) -> bytes:
    """The bytes; raises `ProblemError` if it is not base64."""
    try:
        return b64decode(text, validate=True)
    except (Base64Error, ValueError) as error:
        fault = Fault("/content_base64", f"not base64: {error}")
        raise ProblemError("invalid-request", "the file cannot be read", [fault]) from None


def _allowance(session: Session, row: StoredAssignment, given: AssignmentIn, student: str) -> Allowance:
    counting = [graded for graded in submissions.in_order(session, row.id, student) if graded.counts]
    return allowance(given, [graded.row.submitted_at for graded in counting], datetime.now(UTC))


def check_allowance(session: Session, row: StoredAssignment, given: AssignmentIn, student: str) -> None:
    """Raise `ProblemError` unless the student may hand in now."""
    given = terms_of(session, row, given, student)
    if is_student() and given.closes is not None and datetime.now(UTC) > given.closes:
        raise ProblemError("assignment-closed", f"submissions were accepted until {given.closes.isoformat()}")
    left = _allowance(session, row, given, student)
    if left.exhausted:
        text = f"{student} has used {left.attempts_used} of {given.attempts} attempts (submissions that could not be "
        raise ProblemError("no-attempts-left", text + "graded do not count)")
    if left.too_early and left.next_token_at is not None:
        seconds = max(1, round((left.next_token_at - datetime.now(UTC)).total_seconds() + 0.5))
        text = f"{student} has no token left; the next one is available at {left.next_token_at:%Y-%m-%d %H:%M:%S} UTC"
        raise ProblemError("no-token-left", text, headers={"Retry-After": str(seconds)})


@bp.get("/assignments/<id>/submissions")
@bp.input(SubmissionFilter, location="query")
@bp.output(SubmissionPage, description="A page of submissions")
@bp.doc(
    operation_id="listSubmissions",
    responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS, "not-found"),
)
def list_submissions(id: str, query_data: SubmissionFilter) -> Response:
    """List submissions, newest first

    With scores, without reasons; a student's key lists only their own.
    """
    cursor, student = check_cursor(query_data.cursor), whose(query_data.student, "query:student")
    state = None if query_data.status is None else State(query_data.status)
    size = query_data.limit
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        found = submissions.page(session, row.id, student=student, state=state, cursor=cursor, size=size + 1)
        decided = records.of_assignment(session, row.id)
    given, view = document_of(row), view_of(query_data.view)
    terms = {name: extended(given, record.extension) for name, (record, _) in decided.items()}
    path = next_path(found[size - 1].row.id if len(found) > size else None)
    items = [SubmissionSummary.model_validate(_summary(g, terms.get(g.row.student, given), view)) for g in found[:size]]
    return page_response(SubmissionPage(items=items, next=path), path)


@bp.get("/assignments/<id>/submissions/<submission>")
@bp.input(ViewOption, location="query")
@bp.output(SubmissionObject, description="The submission as it stands")
@bp.doc(operation_id="getSubmission", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_submission(id: str, submission: str, query_data: ViewOption) -> Response:
    """Read a submission and its grading"""
    return _show(id, submission, view_of(query_data.view))


@bp.delete("/assignments/<id>/submissions/<submission>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteSubmission", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def delete_submission(id: str, submission: str) -> Response:
    """Delete a submission

    With its file, its grading and its regrade requests, answered or not. It is no attempt any more: later ones move up
    by one, and a token comes back. The gradebook, statistics and copies are then as if it had not been handed in. What
    was decided about the student (marks, extension, adjustment, comment) and a confirmed notation stay. A grading that
    waits or runs is cancelled.
    """

    def remove(session: Session) -> None:
        row = manage_assignment(session, id, lock=True)
        graded = find_submission(session, row, submission)
        record_change(session, graded.row.id, f"of {graded.row.student}")
        submissions.delete(session, [graded])

    context().sessions.run(remove)
    return Response(status=204)


def _show(assignment_id: str, submission: str, view: View, *, wait: int | None = None, status: int = 200) -> Response:
    row, graded = _find(assignment_id, submission)
    granted = None
    if wait is not None and not graded.job.state.final:
        granted = context().long_polling.until_final(graded.job.id, wait)
        row, graded = _find(assignment_id, submission)
    with context().sessions.read() as session:
        given = terms_of(session, row, document_of(row), graded.row.student)
    shown = SubmissionObject.model_validate(
        _summary(graded, given, view) | {"grading": grading_of(graded, given, view)}
    )
    response = object_response(shown, status, f"/v1/assignments/{row.id}/submissions/{graded.row.id}")
    if granted is not None:
        response.headers["Preference-Applied"] = f"wait={granted:g}"
    return response


def _find(assignment_id: str, submission: str) -> tuple[StoredAssignment, GradedSubmission]:
    with context().sessions.read() as session:
        row = read_assignment(session, assignment_id)
        return row, find_submission(session, row, submission)


def _summary(graded: GradedSubmission, given: AssignmentIn, view: View) -> dict[str, object]:
    attempt = to_attempt(graded, given, view)
    grading = None if attempt is None else attempt.grading
    return {
        "id": graded.row.id, "assignment": graded.row.assignment_id, "student": graded.row.student,
        "name": None if grading is None else grading.name, "attempt": graded.number,
        "costs_attempt": graded.counts, "submitted_at": graded.row.submitted_at, "status": str(graded.job.state),
        "error": graded.job.error, "regrading": graded.regrade is not None,
        "late_percent": late_percent(given, graded.row.submitted_at), "adjustment": graded.adjustment,
        "worth": None if attempt is None else round(float(worth(given, attempt)), 6),
        "score": None if grading is None else grading.score,
        "max_score": None if grading is None else grading.max_score,
        "version": None if grading is None else grading.version,
    }  # fmt: skip


@bp.get("/assignments/<id>/standing")
@bp.input(StandingFilter, location="query")
@bp.output(Standing, description="The standing now")
@bp.doc(operation_id="getStanding", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_standing(id: str, query_data: StandingFilter) -> Response:
    """Read a student's standing

    Attempts and tokens left, the penalty of a submission made now, the attempt that counts so far, and the notation
    that the student confirmed.
    """
    student = _needed(query_data.student)
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        given = document_of(row)
        mine = terms_of(session, row, given, student)
        left = _allowance(session, row, mine, student)
        view = view_of(query_data.view)
        entry = entry_of(session, row, given, student, view)
        notation = records.notation(session, *_kept_for(row, given, student))
    now = datetime.now(UTC)
    shown = (entry.attempts or entry.score is not None) and (view == "instructor" or released(given))
    closed = mine.closes is not None and now > mine.closes
    return object_response(
        Standing(
            assignment=row.id, student=student, attempts_used=left.attempts_used, attempts_left=left.attempts_left,
            tokens_left=left.tokens_left, next_token_at=left.next_token_at,
            may_submit=not (left.exhausted or left.too_early or closed), due=mine.due,
            late_percent=late_percent(mine, now), regrade_requests_until=given.regrade_requests_until,
            entry=entry if shown else None, notation=notation,
        )
    )  # fmt: skip
