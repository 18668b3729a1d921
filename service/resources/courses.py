"""``/v1/courses``: the rosters of courses, from and for spreadsheets, Canvas and Moodle."""

from __future__ import annotations

import re
from typing import Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from hstar.errors import CHARACTERS, NAME, Fault
from hstar.grading.requests import Course, CourseList, RosterImport, RosterObject
from hstar.grading.roster import RosterIn, RosterRead, StudentId, read_roster, roster_text, write_roster
from service.answering import object_response
from service.classes import document_of, is_student
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.openapi import OR_CSV, READ_PROBLEMS, WRITE_PROBLEMS, include, responses
from service.resources.assignments import TAG
from service.resources.submissions import from_base64
from service.schema import Parameters
from store.grading import assignments, rosters
from store.grading.rosters import Scope

bp = APIBlueprint("courses", __name__, url_prefix="/v1", tag=TAG)
include(CourseList, RosterIn, RosterImport, RosterObject)

EXAMPLE = {"content": "id,name,email\n1001,Ada Lovelace,ada@example.org\n1002,Ben,ben@example.org\n"}


class RosterFormat(Parameters):
    """The format of a roster."""

    format: Literal["object", "csv", "canvas", "moodle"] = Field("object", description="object: JSON; else a CSV file")


class RosterFilter(Parameters):
    """Whom to remove."""

    student: StudentId | None = Field(None, description="only this student; left out: the whole roster")


@bp.get("/courses")
@bp.output(CourseList, description="The courses that you may see")
@bp.doc(operation_id="listCourses", responses=responses({}, *READ_PROBLEMS, "role-needed"))
def list_courses() -> Response:
    """List courses

    A course is a name. With keys it is that of your key; without keys each name that a roster or an assignment has.
    """
    if is_student():
        raise ProblemError("role-needed", "this is for instructors")
    with context().sessions.read() as session:
        students = rosters.courses(session, principal())
        rows = assignments.newest(session, principal())
    counts = dict.fromkeys(students, 0)
    for row in rows:
        name = row.course or document_of(row).course
        if name is not None:
            counts[name] = counts.get(name, 0) + 1
    items = [Course(course=name, students=students.get(name, 0), assignments=counts[name]) for name in sorted(counts)]
    return object_response(CourseList(items=items))


@bp.get("/courses/<course>/roster")
@bp.input(RosterFormat, location="query")
@bp.output(RosterObject, description="The students, by their ids")
@bp.doc(operation_id="getRoster", responses=responses(OR_CSV, *READ_PROBLEMS, "role-needed", "not-found"))
def get_roster(course: str, query_data: RosterFormat) -> Response:
    """Read a roster

    `format` selects a CSV file as Canvas or Moodle has it.
    """
    scope = _scope(course)
    with context().sessions.read() as session:
        students = rosters.read(session, scope)
    if query_data.format == "object":
        return object_response(RosterObject(course=course, students=students))
    return Response(write_roster(students, query_data.format), 200, content_type="text/csv; charset=utf-8")


@bp.put("/courses/<course>/roster")
@bp.input(RosterIn, examples={"csv": {"summary": "Any spreadsheet with a column of ids", "value": EXAMPLE}})
@bp.output(RosterImport, description="What was read and changed")
@bp.doc(operation_id="putRoster", responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found"))
def put_roster(course: str, json_data: RosterIn) -> Response:
    """Import a roster

    From a CSV or Excel file: a spreadsheet in any language, a Canvas gradebook, Moodle's participants or grades.
    Faulty lines are left out and listed. With `check` nothing is stored.
    """
    scope = _scope(course)
    name, text = json_data.filename, json_data.content
    if json_data.content_base64 is not None:
        text = roster_text(from_base64(json_data.content_base64), name)
    if text is not None:
        read = read_roster(text, name)
    else:
        read = RosterRead(format="csv", columns={}, students=json_data.students or [])

    def write(session: Session) -> rosters.Written:
        written = rosters.write(
            session, scope, read.students, replace=json_data.mode == "replace", dry=json_data.check
        )  # fmt: skip
        if not json_data.check:
            record_change(session, f"course {course}", f"{written.added} added, {written.removed} removed")
        return written

    written = context().sessions.run(write)
    return object_response(
        RosterImport(course=course, stored=not json_data.check, **written._asdict(), **dict(read))
    )  # fmt: skip


@bp.delete("/courses/<course>/roster")
@bp.input(RosterFilter, location="query")
@bp.output(RosterObject, description="The students that are left")
@bp.doc(operation_id="deleteRoster", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def delete_roster(course: str, query_data: RosterFilter) -> Response:
    """Remove a student from a roster, or all

    Submissions and grades stay.
    """
    scope = _scope(course)

    def remove(session: Session) -> None:
        record_change(session, f"course {course}", query_data.student or "all students")
        rosters.remove(session, scope, None if query_data.student is None else [query_data.student])

    context().sessions.run(remove)
    with context().sessions.read() as session:
        return object_response(RosterObject(course=course, students=rosters.read(session, scope)))


def _scope(course: str) -> Scope:
    """The course of the current request; raises `ProblemError` unless it may manage it."""
    who = principal()
    if is_student():
        if who.course == course:
            raise ProblemError("role-needed", "this is for the instructors of the course")
        raise ProblemError("not-found", f"there is no course {course!r:.60}")
    if not re.fullmatch(NAME, course):
        fault = Fault("course", f"expected {CHARACTERS[NAME]}; found {course!r:.80}")
        raise ProblemError("invalid-request", "this is no name of a course", [fault])
    found = rosters.scope_of(who, course)
    if found is None:
        raise ProblemError("not-found", f"there is no course {course!r:.60}")
    return found
