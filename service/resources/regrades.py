"""Regrading: of a whole class, or of one submission on a student's request."""

from __future__ import annotations

from datetime import UTC, datetime

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.grading.requests import (
    RegradeAnswer,
    RegradeRequestIn,
    RegradeRequestObject,
    RegradeRequestPage,
    RegradeStatus,
    Regrading,
)
from hstar.grading.roster import StudentId
from service.answering import check_cursor, next_path, object_response, page_response
from service.classes import (
    document_of,
    is_student,
    manage_assignment,
    read_assignment,
    read_submission,
    seen_by_caller,
    whose,
)
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key
from service.job_resource import check_room
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, ROOM_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.resources.assignments import TAG
from service.schema import KeyHeader, Paging
from store.grading import regrade_requests, submissions
from store.grading.models import StoredRegradeRequest
from store.ids import new_id
from store.jobs.states import State

bp = APIBlueprint("regrades", __name__, url_prefix="/v1", tag=TAG)
include(Regrading, RegradeRequestIn, RegradeAnswer, RegradeRequestObject, RegradeRequestPage)

NOTE = {"item": "valid", "note": "Line 3 turns D, which my program calls down; the labels in labels.json say so."}
ANSWER = {"decision": "granted", "answer": "You are right, the labels were not read. It is graded again."}


class RequestFilter(Paging):
    """Filters of regrade requests."""

    student: StudentId | None = Field(None, description="only this student's")
    status: RegradeStatus | None = None


@bp.post("/assignments/<id>/regrades")
@bp.output(Regrading, status_code=202, description="Queued")
@bp.doc(
    operation_id="regradeAssignment",
    responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found", *ROOM_PROBLEMS),
)
def regrade_assignment(id: str) -> Response:
    """Grade every submission again

    With the current version of the assignment, after all new submissions. Each score stays in force until the new one
    is computed.
    """

    def queue(session: Session) -> int:
        row = manage_assignment(session, id, lock=True)
        check_room(session, submissions.count(session, row.id))
        record_change(session, row.id)
        return submissions.regrade(session, row, submissions.in_order(session, row.id))

    queued = context().sessions.run(queue)
    if queued:
        context().doorbell.ring()
    return object_response(Regrading(queued=queued), 202)


@bp.post("/assignments/<id>/submissions/<submission>/regrade-requests")
@bp.input(KeyHeader, location="headers")
@bp.input(RegradeRequestIn, examples={"labels": {"summary": "A file was not read", "value": NOTE}})
@bp.output(RegradeRequestObject, status_code=201, description="The request; an instructor will answer it")
@bp.doc(
    operation_id="requestRegrade",
    responses=responses(
        {201: {"headers": answers("Location", "Idempotent-Replayed")}},
        *WRITE_PROBLEMS, "not-found", "idempotency-key-reused", "regrade-request-refused",
    ),
)  # fmt: skip
def request_regrade(id: str, submission: str, headers_data: KeyHeader, json_data: RegradeRequestIn) -> Response:
    """Request a regrade

    With a note that says what seems to be wrong, until the assignment's `regrade_requests_until`, one request at a
    time.
    """
    key = idempotency_key(headers_data.idempotency_key)
    fingerprint = fingerprint_of(key, json_data)
    made, new = earlier(key, fingerprint), new_id()
    if made is None:

        def insert(session: Session) -> None:
            row = read_assignment(session, id, lock=True)
            graded = read_submission(session, row, submission)
            given = document_of(row)
            titles = [item.name or item.kind for item in seen_by_caller(given).rubric]
            if json_data.item is not None and json_data.item not in titles:
                fault = Fault("/item", f"the rubric has no item {json_data.item!r:.80}; it has {', '.join(titles)}")
                raise ProblemError("invalid-request", "the body does not fit the assignment", [fault])
            if graded.job.state is not State.DONE:
                raise ProblemError("regrade-request-refused", "the submission has not been graded yet")
            until = given.regrade_requests_until
            if until is not None and datetime.now(UTC) > until:
                raise ProblemError("regrade-request-refused", f"requests were possible until {until.isoformat()}")
            if regrade_requests.any_open(session, graded.row.id):
                raise ProblemError("regrade-request-refused", "an earlier request has not been answered yet")
            regrade_requests.add(session, new, graded.row, json_data)

        made = make_once(key, fingerprint, new, insert)
    response = object_response(_find(id, made), 201, f"/v1/assignments/{id}/regrade-requests/{made}")
    if made != new:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@bp.get("/assignments/<id>/regrade-requests")
@bp.input(RequestFilter, location="query")
@bp.output(RegradeRequestPage, description="A page of requests")
@bp.doc(
    operation_id="listRegradeRequests",
    responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS, "not-found"),
)
def list_requests(id: str, query_data: RequestFilter) -> Response:
    """List regrade requests, newest first; a student's key lists their own"""
    cursor, student = check_cursor(query_data.cursor), whose(query_data.student, "query:student")
    size = query_data.limit
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        found = regrade_requests.page(
            session, row.id, student=student, status=query_data.status, cursor=cursor, size=size + 1
        )
    path = next_path(found[size - 1].id if len(found) > size else None)
    return page_response(RegradeRequestPage(items=[_to_object(one) for one in found[:size]], next=path), path)


@bp.get("/assignments/<id>/regrade-requests/<regrade_request>")
@bp.output(RegradeRequestObject, description="The request and its answer")
@bp.doc(operation_id="getRegradeRequest", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_request(id: str, regrade_request: str) -> Response:
    """Read a regrade request"""
    return object_response(_find(id, regrade_request))


@bp.put("/assignments/<id>/regrade-requests/<regrade_request>/answer")
@bp.input(RegradeAnswer, examples={"granted": {"summary": "It is graded again", "value": ANSWER}})
@bp.output(RegradeRequestObject, description="The request with its answer")
@bp.doc(
    operation_id="answerRegradeRequest",
    responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found", *ROOM_PROBLEMS),
)
def answer_request(id: str, regrade_request: str, json_data: RegradeAnswer) -> Response:
    """Answer a regrade request

    `granted` queues the submission again, with the current version of the assignment. An `adjustment` is added to its
    score in the gradebook, whatever the grading is. A later answer replaces an earlier one.
    """

    def write(session: Session) -> bool:
        row = manage_assignment(session, id, lock=True)
        found = regrade_requests.get(session, row.id, regrade_request, lock=True)
        if found is None:
            raise ProblemError("not-found", f"there is no regrade request {regrade_request!r:.60}")
        record_change(session, found.id, f"{json_data.decision}, adjustment {json_data.adjustment:g}")
        if not regrade_requests.answer(found, json_data):
            return False
        check_room(session)
        graded = submissions.get(session, row.id, found.submission_id)
        return graded is not None and submissions.regrade(session, row, [graded]) > 0

    if context().sessions.run(write):
        context().doorbell.ring()
    return object_response(_find(id, regrade_request))


def _find(assignment_id: str, request_id: str) -> RegradeRequestObject:
    with context().sessions.read() as session:
        row = read_assignment(session, assignment_id)
        found = regrade_requests.get(session, row.id, request_id)
    if found is None or (is_student() and found.student != principal().owner):
        raise ProblemError("not-found", f"there is no regrade request {request_id!r:.60}")
    return _to_object(found)


def _to_object(row: StoredRegradeRequest) -> RegradeRequestObject:
    return RegradeRequestObject.model_validate(
        {
            "id": row.id, "assignment": row.assignment_id, "submission": row.submission_id, "student": row.student,
            "item": row.item, "note": row.note, "created_at": row.created_at, "status": row.status,
            "answer": row.answer, "adjustment": row.adjustment, "answered_at": row.answered_at,
        }
    )  # fmt: skip
