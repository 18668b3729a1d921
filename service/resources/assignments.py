"""``/v1/assignments``: instances and rubrics as data, checked when they are posted; every version is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.grading import Assignment, AssignmentIn
from hstar.grading.assignments import version_of
from hstar.grading.preview import Preview, PreviewRequest, preview
from hstar.grading.requests import (
    AssignmentCheck,
    AssignmentList,
    AssignmentObject,
    AssignmentVersion,
    AssignmentVersions,
)
from hstar.grading.views import after_due_date, student_copy
from service.answering import object_response
from service.apart import apart
from service.classes import document_of, find_assignment, find_managed, is_student, manage_assignment, opened, view_of
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.schema import Parameters, SubmitHeaders
from store.grading import assignments, submissions
from store.grading.models import StoredAssignment, StoredVersion
from store.ids import new_id

TAG = {"name": "Assignments", "description": "Rubrics as data, submissions scored with reasons, gradebooks."}
bp = APIBlueprint("assignments", __name__, url_prefix="/v1", tag=TAG)
include(
    PreviewRequest,
    Preview,
    AssignmentIn,
    AssignmentCheck,
    AssignmentObject,
    AssignmentList,
    AssignmentVersion,
    AssignmentVersions,
)

EXAMPLE = {
    "title": "Megaminx with A*",
    "puzzle": "megaminx",
    "scramble_moves": "cw",
    "moves": "ccw",
    "instances": [{"k": [3, 4], "each": 2, "seed": 1}, {"k": 5, "seed": 7}],
    "rubric": [{"kind": "valid", "points": 60}, {"kind": "optimal", "points": 40}],
    "attempts": 3,
    "due": "2026-12-01T23:59:00Z",
}


PREVIEW = {
    "puzzle": "megaminx", "scramble_moves": "cw", "moves": "ccw", "instances": [{"k": [3, 4, 5], "each": 2, "seed": 1}],
}  # fmt: skip


class ViewOption(Parameters):
    """The view of an answer."""

    view: Literal["instructor", "student"] = Field(
        "instructor", description="student: without hidden items and instances; the only view for a student's key"
    )


@bp.post("/assignments")
@bp.input(SubmitHeaders, location="headers")
@bp.input(AssignmentIn, examples={"megaminx": {"summary": "Five scrambles", "value": EXAMPLE}})
@bp.output(AssignmentObject, status_code=201, description="The assignment, checked and stored")
@bp.doc(
    operation_id="createAssignment",
    responses=responses(
        {201: {"headers": answers("Location")}}, *WRITE_PROBLEMS, "role-needed", "idempotency-key-reused"
    ),
)
@apart
def create_assignment(headers_data: SubmitHeaders, json_data: AssignmentIn) -> Response:
    """Post an assignment

    Puzzle, instances and rubric are all checked. Limits are in expansions, so that a score is the same on every
    machine.
    """
    if is_student():
        raise ProblemError("role-needed", "only instructors can post assignments")
    checked = _checked(json_data)
    key = idempotency_key(headers_data.idempotency_key)
    fingerprint = fingerprint_of(key, json_data)
    made = earlier(key, fingerprint)
    if made is None:
        made = make_once(
            key, fingerprint, (id := new_id()),
            lambda session: assignments.add(session, id, principal(), json_data, checked.version),
        )  # fmt: skip
    return object_response(_to_object(find_managed(made)), 201, f"/v1/assignments/{made}")


@bp.post("/assignments/check")
@bp.input(AssignmentIn, examples={"megaminx": {"summary": "Five scrambles", "value": EXAMPLE}})
@bp.output(AssignmentCheck, description="The assignment is valid: its instances and its points")
@bp.doc(operation_id="checkAssignment", responses=responses({}, *WRITE_PROBLEMS))
@apart
def check_assignment(json_data: AssignmentIn) -> Response:
    """Check an assignment without storing it

    Answers every fault with its place, or the instances of a valid assignment.
    """
    checked = _checked(json_data)
    names = [instance.name for instance in checked.instances]
    return object_response(
        AssignmentCheck(version=checked.version, instances=names, max_score=checked.max_score, assignment=json_data)
    )


@bp.post("/assignments/preview")
@bp.input(PreviewRequest, examples={"megaminx": {"summary": "Six scrambles", "value": PREVIEW}})
@bp.output(Preview, description="The instances, each with its distance if the expansions sufficed")
@bp.doc(operation_id="previewInstances", responses=responses({}, *WRITE_PROBLEMS))
@apart
def preview_instances(json_data: PreviewRequest) -> Response:
    """Preview instances with their true distances

    To choose those of an assignment: `instance` can be put into one as it is. Scrambles often collapse, so their
    distance is less than k.
    """
    return object_response(preview(json_data))


@bp.get("/assignments")
@bp.input(ViewOption, location="query")
@bp.output(AssignmentList, description="The newest thousand")
@bp.doc(operation_id="listAssignments", responses=responses({}, *READ_PROBLEMS))
@apart
def list_assignments(query_data: ViewOption) -> Response:
    """List assignments, newest first"""
    with context().sessions.read() as session:
        rows = assignments.newest(session, principal())
    rows = [row for row in rows if not is_student() or opened(document_of(row))]
    return object_response(AssignmentList(items=[_to_object(row, query_data.view) for row in rows]))


@bp.get("/assignments/<id>")
@bp.input(ViewOption, location="query")
@bp.output(AssignmentObject, description="The assignment")
@bp.doc(operation_id="getAssignment", responses=responses({}, *READ_PROBLEMS, "not-found"))
@apart
def get_assignment(id: str, query_data: ViewOption) -> Response:
    """Read an assignment

    A student gets a copy with only the visible instances and items, the instances written out. `hstar grade` accepts
    this copy, and computes the score that the student will see.
    """
    return object_response(_to_object(find_assignment(id), query_data.view))


@bp.put("/assignments/<id>")
@bp.input(AssignmentIn, examples={"megaminx": {"summary": "Another rubric", "value": EXAMPLE}})
@bp.output(AssignmentObject, description="The assignment in its new version")
@bp.doc(operation_id="replaceAssignment", responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found"))
@apart
def replace_assignment(id: str, json_data: AssignmentIn) -> Response:
    """Change an assignment

    Submissions keep their score under the version that they were graded by, until they are regraded. Old versions can
    still be read.
    """
    checked = _checked(json_data)

    def change(session: Session) -> None:
        row = manage_assignment(session, id, lock=True)
        record_change(session, row.id, f"version {row.version} to {checked.version}")
        assignments.replace(session, row, json_data, checked.version)

    context().sessions.run(change)
    return object_response(_to_object(find_managed(id)))


@bp.delete("/assignments/<id>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteAssignment", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def delete_assignment(id: str) -> Response:
    """Delete an assignment

    With its versions, submissions, gradings, records and uploads.
    """

    def remove(session: Session) -> None:
        row = manage_assignment(session, id, lock=True)
        record_change(session, row.id, document_of(row).title)
        submissions.delete(session, submissions.in_order(session, row.id))
        session.flush()
        session.delete(row)

    context().sessions.run(remove)
    return Response(status=204)


@bp.get("/assignments/<id>/versions")
@bp.output(AssignmentVersions, description="From the first to the newest")
@bp.doc(operation_id="listAssignmentVersions", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def list_versions(id: str) -> Response:
    """List the versions of an assignment

    With the whole assignment as it was; gradings name their version. A change that cannot affect a score, such as a new
    due date, makes no new version.
    """
    with context().sessions.read() as session:
        row = manage_assignment(session, id)
        found = assignments.versions(session, row.id)
    return object_response(AssignmentVersions(items=[_to_version(row, one) for one in found]))


def _checked(given: AssignmentIn) -> Assignment:
    own = principal().course
    if own is not None and given.course not in (None, own):
        fault = Fault("/course", f"the key belongs to the course {own}")
        raise ProblemError("invalid-request", "this is another course than that of the key", [fault])
    cap = context().settings.caps.expanded
    if cap is not None and given.limits.expanded > cap:
        fault = Fault("/limits/expanded", f"at most {cap} here (see /v1/limits), found {given.limits.expanded}")
        raise ProblemError("invalid-request", "a limit is above what this service allows", [fault])
    return Assignment.of(given)


def _to_object(row: StoredAssignment, view: Literal["instructor", "student"] = "instructor") -> AssignmentObject:
    checked = Assignment.of(document_of(row))
    view = view_of(view)
    if view == "student":
        given = student_copy(checked, after_due_date=after_due_date(checked.given, datetime.now(UTC)))
        version, names = version_of(given), [instance.name or "" for instance in given.instances]
    else:
        given, version, names = checked.given, row.version, [instance.name for instance in checked.instances]
    return AssignmentObject(
        id=row.id, created_at=row.created_at, version=version, view=view, instances=names,
        max_score=round(sum(item.points for item in given.rubric), 6), assignment=given,
    )  # fmt: skip


def _to_version(row: StoredAssignment, found: StoredVersion) -> AssignmentVersion:
    given = AssignmentIn.model_validate_json(found.document)
    return AssignmentVersion(
        assignment=row.id, version=found.version, created_at=found.created_at, current=found.version == row.version,
        max_score=round(sum(item.points for item in given.rubric), 6), document=given,
    )  # fmt: skip
