"""``/v1/assignments``: instances and rubrics; submissions, their gradings, the gradebook and the class."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from datetime import UTC, datetime
from typing import Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.grading import Assignment, AssignmentIn, Grading, read_submission, student_view
from hstar.grading.gradebook import Attempt, Entry, entry, statistics
from hstar.grading.outputs import render
from hstar.grading.requests import (
    AssignmentList,
    AssignmentObject,
    AssignmentStatistics,
    Gradebook,
    GradingRequest,
    Regrading,
    SubmissionIn,
    SubmissionObject,
)
from service.answering import object_response
from service.context import context, principal
from service.errors import ProblemError
from service.headers import idempotency_key, preferred_wait
from service.job_resource import check_room
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.schema import Parameters, SubmitHeaders
from store.grading import records
from store.grading.models import StoredAssignment
from store.grading.records import GradedSubmission
from store.ids import new_id, parse_id
from store.jobs.states import State

TAG = {"name": "Assignments", "description": "Rubrics as data, submissions scored with reasons, gradebooks."}
bp = APIBlueprint("assignments", __name__, url_prefix="/v1", tag=TAG)
include(
    AssignmentIn, AssignmentObject, AssignmentList, SubmissionIn, SubmissionObject, Regrading, Gradebook,
    AssignmentStatistics,
)  # fmt: skip

EXAMPLE = {
    "title": "Megaminx with A*",
    "puzzle": "megaminx",
    "scramble_moves": "cw",
    "moves": "ccw",
    "instances": [{"k": [3, 4], "each": 2, "seed": 1}, {"name": "hidden", "k": 5, "seed": 7, "visibility": "hidden"}],
    "rubric": [{"kind": "valid", "points": 60}, {"kind": "optimal", "points": 40}],
    "attempts": 3,
    "due": "2026-12-01T23:59:00Z",
}
SUBMISSION = {"student": "1001", "content": "scramble,solution\nU F R,R' F' U'\n"}


class View(Parameters):
    """Whose view of a grading."""

    view: Literal["instructor", "student"] = Field("instructor", description="student: without hidden items")


class GradebookFormat(Parameters):
    """How a gradebook is written."""

    format: Literal["object", "canvas", "moodle", "ags", "csv", "json"] = Field(
        "object", description="object: the service's own; else as files of other systems"
    )


# -- assignments -------------------------------------------------------------------------------------------------------


@bp.post("/assignments")
@bp.input(SubmitHeaders, location="headers")
@bp.input(AssignmentIn, examples={"megaminx": {"summary": "Five scrambles, one of them hidden", "value": EXAMPLE}})
@bp.output(AssignmentObject, status_code=201, description="The assignment, checked and stored")
@bp.doc(
    operation_id="createAssignment",
    responses=responses({201: {"headers": answers("Location")}}, *WRITE_PROBLEMS, "idempotency-key-reused"),
)
def create_assignment(headers_data: SubmitHeaders, json_data: AssignmentIn) -> Response:
    """Post an assignment

    It is checked whole: puzzle, instances and rubric. Limits are in expansions, so that a score is the same everywhere.
    """
    checked = _checked(json_data)
    key, fingerprint = idempotency_key(headers_data.idempotency_key), fingerprint_of(json_data)
    made = earlier(key, fingerprint)
    if made is None:
        made = make_once(
            key, fingerprint, (id := new_id()),
            lambda session: records.add_assignment(session, id, principal().owner, json_data, checked.version),
        )  # fmt: skip
    return object_response(_to_object(_find(made)), 201, f"/v1/assignments/{made}")


@bp.get("/assignments")
@bp.output(AssignmentList, description="The newest thousand")
@bp.doc(operation_id="listAssignments", responses=responses({}, *READ_PROBLEMS))
def list_assignments() -> Response:
    """List assignments, newest first"""
    with context().sessions.read() as session:
        rows = records.list_assignments(session, principal())
        return object_response(AssignmentList(items=[_to_object(row) for row in rows]))


@bp.get("/assignments/<id>")
@bp.output(AssignmentObject, description="The assignment")
@bp.doc(operation_id="getAssignment", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_assignment(id: str) -> Response:
    """Read an assignment"""
    return object_response(_to_object(_find(id)))


@bp.put("/assignments/<id>")
@bp.input(AssignmentIn, examples={"megaminx": {"summary": "Another rubric", "value": EXAMPLE}})
@bp.output(AssignmentObject, description="The assignment in its new version")
@bp.doc(operation_id="replaceAssignment", responses=responses({}, *WRITE_PROBLEMS, "not-found"))
def replace_assignment(id: str, json_data: AssignmentIn) -> Response:
    """Change an assignment

    Submissions keep the score that they got under the version of then, until they are regraded.
    """
    checked = _checked(json_data)

    def change(session: Session) -> None:
        row = _get(session, id, lock=True)
        row.document, row.version = json_data.model_dump_json(), checked.version

    context().sessions.run(change)
    return object_response(_to_object(_find(id)))


def _checked(given: AssignmentIn) -> Assignment:
    cap = context().settings.caps.expanded
    if cap is not None and given.limits.expanded > cap:
        fault = Fault("/limits/expanded", f"at most {cap} here (see /v1/limits), found {given.limits.expanded}")
        raise ProblemError("invalid-request", "a limit is above what this service allows", [fault])
    return Assignment.of(given)


def _get(session: Session, assignment_id: str, *, lock: bool = False) -> StoredAssignment:
    row = records.get_assignment(session, assignment_id, principal(), lock=lock)
    if row is None:
        raise ProblemError("not-found", f"there is no assignment {assignment_id!r:.60}")
    return row


def _find(assignment_id: str) -> StoredAssignment:
    with context().sessions.read() as session:
        return _get(session, assignment_id)


def _to_object(row: StoredAssignment) -> AssignmentObject:
    checked = Assignment.of(AssignmentIn.model_validate_json(row.document))
    return AssignmentObject(
        id=row.id, created_at=row.created_at, version=row.version, max_score=checked.max_score,
        instances=[instance.name for instance in checked.instances], assignment=checked.given,
    )  # fmt: skip


# -- submissions -------------------------------------------------------------------------------------------------------


@bp.post("/assignments/<id>/submissions")
@bp.input(SubmitHeaders, location="headers")
@bp.input(SubmissionIn, examples={"csv": {"summary": "Two columns of CSV", "value": SUBMISSION}})
@bp.output(SubmissionObject, status_code=202, description="Taken; it will be graded by a worker")
@bp.doc(
    operation_id="submitSubmission",
    responses=responses(
        {202: {"headers": answers("Location", "Preference-Applied")}},
        *WRITE_PROBLEMS, "not-found", "idempotency-key-reused", "queue-full", "no-attempts-left",
    ),
)  # fmt: skip
def submit_submission(id: str, headers_data: SubmitHeaders, json_data: SubmissionIn) -> Response:
    """Hand in a submission

    A file that cannot be read at all is refused and costs no attempt. What can be read of another is graded.
    """
    content = _content(json_data)
    read_submission(content, json_data.filename)
    key, fingerprint = idempotency_key(headers_data.idempotency_key), fingerprint_of(json_data)
    made = earlier(key, fingerprint)
    if made is None:
        new = new_id()

        def insert(session: Session) -> None:
            row = _get(session, id, lock=True)
            _check_attempts(session, row, json_data.student)
            check_room(session)
            asked = GradingRequest(
                assignment=AssignmentIn.model_validate_json(row.document), student=json_data.student,
                name=json_data.name, email=json_data.email, filename=json_data.filename,
                content=b64encode(content).decode(),
            )  # fmt: skip
            records.add_submission(session, new, row, principal().owner, asked)

        made = make_once(key, fingerprint, new, insert)
        if made == new:
            context().doorbell.ring()
    return _show(id, made, wait=preferred_wait(headers_data.prefer), status=202)


def _content(given: SubmissionIn) -> bytes:
    if given.content is not None:
        return given.content.encode()
    try:
        return b64decode(given.content_base64 or "", validate=True)
    except (Base64Error, ValueError) as error:
        fault = Fault("/content_base64", f"not base64: {error}")
        raise ProblemError("invalid-request", "the submission cannot be read", [fault]) from None


def _check_attempts(session: Session, row: StoredAssignment, student: str) -> None:
    allowed = AssignmentIn.model_validate_json(row.document).attempts
    if allowed is None:
        return
    used = sum(graded.counts for graded in records.submissions(session, row.id, student))
    if used >= allowed:
        text = (
            f"{student} has used {used} of {allowed} attempts; submissions that could not be graded are not among them"
        )
        raise ProblemError("no-attempts-left", text)


@bp.get("/assignments/<id>/submissions/<submission>")
@bp.input(View, location="query")
@bp.output(SubmissionObject, description="The submission as it stands")
@bp.doc(operation_id="getSubmission", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_submission(id: str, submission: str, query_data: View) -> Response:
    """Read a submission and its grading"""
    return _show(id, submission, view=query_data.view)


def _show(
    assignment_id: str, submission: str, *, wait: int | None = None, status: int = 200, view: str = ""
) -> Response:
    row, graded = _submission(assignment_id, submission)
    granted = None
    if wait is not None and not graded.job.state.final:
        granted = context().long_polling.until_final(graded.job.id, wait)
        row, graded = _submission(assignment_id, submission)
    grading = _grading(graded)
    if grading is not None and view == "student":
        due = AssignmentIn.model_validate_json(row.document).due
        grading = student_view(grading, after_due_date=due is not None and datetime.now(UTC) > due)
    shown = SubmissionObject(
        id=graded.row.id, assignment=row.id, student=graded.row.student, attempt=graded.number,
        submitted_at=graded.row.submitted_at, status=str(graded.job.state),
        error=graded.job.error, grading=grading,
    )  # fmt: skip
    response = object_response(shown, status, f"/v1/assignments/{row.id}/submissions/{graded.row.id}")
    if granted is not None:
        response.headers["Preference-Applied"] = f"wait={granted:g}"
    return response


def _submission(assignment_id: str, submission: str) -> tuple[StoredAssignment, GradedSubmission]:
    wanted = parse_id(submission)
    with context().sessions.read() as session:
        row = _get(session, assignment_id)
        for graded in records.submissions(session, row.id):
            if graded.row.id == wanted:
                return row, graded
    raise ProblemError("not-found", f"there is no submission {submission!r:.60}")


def _grading(graded: GradedSubmission) -> Grading | None:
    return None if graded.job.answer is None else Grading.model_validate_json(graded.job.answer)


# -- the class ---------------------------------------------------------------------------------------------------------


@bp.post("/assignments/<id>/regrades")
@bp.output(Regrading, status_code=202, description="Queued")
@bp.doc(operation_id="regradeAssignment", responses=responses({}, *READ_PROBLEMS, "not-found", "queue-full"))
def regrade_assignment(id: str) -> Response:
    """Grade every submission again

    By the assignment as it now is, behind every fresh submission; each score stays in force until its new one is there.
    """

    def queue(session: Session) -> int:
        row = _get(session, id, lock=True)
        check_room(session, len(records.submissions(session, row.id)))
        return records.regrade(session, row)

    queued = context().sessions.run(queue)
    if queued:
        context().doorbell.ring()
    return object_response(Regrading(queued=queued), 202)


@bp.get("/assignments/<id>/gradebook")
@bp.input(GradebookFormat, location="query")
@bp.output(Gradebook, description="What counts for each student")
@bp.doc(operation_id="getGradebook", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_gradebook(id: str, query_data: GradebookFormat) -> Response:
    """Read the gradebook

    Which attempt counts and what late costs is applied here. With `format`, as Canvas, Moodle, LTI or a table take it.
    """
    checked, row, counting = _class(id)
    entries = [entry for entry, _ in counting]
    if query_data.format == "object":
        book = Gradebook(assignment=row.id, title=checked.given.title, version=row.version, entries=entries)
        return object_response(book)
    text = render(query_data.format, checked, [grading for _, grading in counting], entries)
    kind = "application/json" if query_data.format in ("ags", "json") else "text/csv; charset=utf-8"
    return Response(text, 200, content_type=kind)


@bp.get("/assignments/<id>/statistics")
@bp.output(AssignmentStatistics, description="The class, by item and by instance")
@bp.doc(operation_id="getAssignmentStatistics", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_assignment_statistics(id: str) -> Response:
    """Read the statistics of a class

    By item and by instance, hardest first, and submissions that are nearly the same; of the attempt that counts.
    """
    _, row, counting = _class(id)
    with context().sessions.read() as session:
        contents = {g.row.student: (g.row.document, g.job.answer) for g in records.submissions(session, row.id)}
    reads = []
    for _, grading in counting:
        document = GradingRequest.model_validate_json(
            f'{{"assignment": {row.document}, {contents[grading.student or ""][0][1:]}'
        )
        reads.append(read_submission(b64decode(document.content), document.filename))
    found = statistics([grading for _, grading in counting], reads)
    return object_response(AssignmentStatistics(assignment=row.id, statistics=found))


def _class(assignment_id: str) -> tuple[Assignment, StoredAssignment, list[tuple[Entry, Grading]]]:
    """For each student what counts, and the grading that does."""
    with context().sessions.read() as session:
        row = _get(session, assignment_id)
        found = records.submissions(session, row.id)
    checked = Assignment.of(AssignmentIn.model_validate_json(row.document))
    by_student: dict[str, list[Attempt]] = {}
    for graded in found:
        grading = _grading(graded)
        if graded.job.state is State.DONE and grading is not None:
            by_student.setdefault(graded.row.student, []).append(Attempt(grading, graded.row.submitted_at))
    counting = []
    for student in sorted(by_student):
        attempts = by_student[student]
        line = entry(checked.given, attempts)
        counting.append((line, attempts[line.counted - 1].grading))
    return checked, row, counting
