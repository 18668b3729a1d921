"""What instructors decide about one student on one assignment: extensions, adjustments, marks, comments."""

from __future__ import annotations

from datetime import UTC, datetime

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.grading.records import Record, RecordChange, check_marks
from hstar.grading.requests import RecordList, RecordObject
from hstar.grading.roster import StudentId
from service.answering import object_response
from service.classes import (
    document_of,
    entry_of,
    manage_assignment,
    read_assignment,
    released,
    view_of,
    whose,
)
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, include, responses
from service.resources.assignments import TAG
from service.schema import Parameters
from store.grading import records, rosters
from store.grading.models import StoredAssignment

bp = APIBlueprint("records", __name__, url_prefix="/v1", tag=TAG)
include(RecordChange, RecordObject, RecordList)

EXAMPLE = {
    "extension": {"due": "2026-12-08T23:59:00Z", "reason": "ill"},
    "adjustment": {"points": 2, "reason": "a good question in the lecture"},
    "comment": "Well done.",
}


class RecordFilter(Parameters):
    """The student whose record is meant."""

    student: StudentId | None = Field(None, description="required, except with a student's key")


@bp.get("/assignments/<id>/record")
@bp.input(RecordFilter, location="query")
@bp.output(RecordObject, description="The record")
@bp.doc(operation_id="getRecord", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_record(id: str, query_data: RecordFilter) -> Response:
    """Read what was decided about a student

    Extension, adjustment, marks and comment, and the gradebook's line. A student's key reads its own; before the
    assignment's `release` only the extension.
    """
    student = _student(query_data.student)
    with context().sessions.read() as session:
        row = read_assignment(session, id)
        return object_response(_shown(session, row, student))


@bp.patch("/assignments/<id>/record")
@bp.input(RecordFilter, location="query")
@bp.input(RecordChange, examples={"extension": {"summary": "More time, and two points", "value": EXAMPLE}})
@bp.output(RecordObject, description="The record after the change")
@bp.doc(operation_id="changeRecord", responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found"))
def change_record(id: str, query_data: RecordFilter, json_data: RecordChange) -> Response:
    """Give an extension, an adjustment, marks, a comment

    Fields left out stay, null removes. Marks are merged by item.
    """

    def write(session: Session) -> str:
        row = manage_assignment(session, id, lock=True)
        student = _student(query_data.student)
        check_marks(document_of(row), json_data.marks)
        before, _ = records.get(session, row.id, student)
        after = before.changed(json_data, principal().owner, datetime.now(UTC))
        changed = ", ".join(sorted(json_data.model_fields_set)) or "nothing"
        record_change(session, row.id, f"{student}: {changed}")
        records.write(session, row.id, student, after)
        return student

    student = context().sessions.run(write)
    with context().sessions.read() as session:
        return object_response(_shown(session, manage_assignment(session, id), student))


@bp.get("/assignments/<id>/records")
@bp.output(RecordList, description="Of the students about whom something was decided")
@bp.doc(operation_id="listRecords", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def list_records(id: str) -> Response:
    """List extensions, adjustments, marks and comments"""
    with context().sessions.read() as session:
        row = manage_assignment(session, id)
        found = records.of_assignment(session, row.id)
        return object_response(RecordList(items=[_shown(session, row, student) for student in found]))


def _student(asked: str | None) -> str:
    student = whose(asked, "query:student")
    if student is None:
        fault = Fault("query:student", "missing parameter: the student whose record is meant")
        raise ProblemError("invalid-request", "the query parameters do not fit their schema", [fault])
    return student


def _shown(session: Session, row: StoredAssignment, student: str) -> RecordObject:
    given, view = document_of(row), view_of()
    record, changed = records.get(session, row.id, student)
    entry = None
    if view == "student" and not released(given):
        record = Record(extension=record.extension)
    else:
        entry = entry_of(session, row, given, student, view)
    return RecordObject(
        assignment=row.id, student=student,
        roster=rosters.line(session, rosters.scope_of_assignment(row, given), student),
        changed_at=changed, entry=entry, **dict(record),
    )  # fmt: skip
