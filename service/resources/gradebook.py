"""The gradebook of a class, in the formats of learning platforms, and its statistics.

A class of a thousand has 100 MiB of gradings, so what reads them all runs apart from the API's process.
"""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime
from typing import Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field

from hstar.grading import Assignment, Grading, read_submission
from hstar.grading.class_statistics import ClassCounts, class_counts, statistics
from hstar.grading.copies import Copies, SideBySide, copies, side_by_side
from hstar.grading.gradebook import Entry, entry
from hstar.grading.outputs import render
from hstar.grading.requests import AssignmentStatistics, Gradebook, View
from hstar.grading.results import ResultQuery, Results, Rows, ask
from hstar.grading.roster import StudentId
from hstar.grading.schema import Name
from service.answering import object_response
from service.apart import apart
from service.classes import class_work, document_of, manage_assignment, read_assignment, view_of
from service.context import context, principal
from service.openapi import READ_PROBLEMS, include, responses
from service.resources.assignments import TAG
from service.schema import Parameters
from store.grading import submissions
from store.grading.models import StoredAssignment

bp = APIBlueprint("gradebook", __name__, url_prefix="/v1", tag=TAG)
include(Gradebook, AssignmentStatistics, ClassCounts, Results, Copies, SideBySide)


class ResultOptions(ResultQuery, Parameters):
    """Filters of a class's results."""


class SideBySideQuery(Parameters):
    """The students whose lines are compared."""

    student: list[StudentId] = Field(min_length=2, max_length=12, description="given more than once")


class InstanceQuery(Parameters):
    """The instance that a class is asked about."""

    instance: Name = Field(description="its name in the assignment")


Counting = list[tuple[Entry, Grading | None]]


class GradebookFormat(Parameters):
    """The format of a gradebook."""

    format: Literal["object", "canvas", "moodle", "ags", "csv", "json"] = Field(
        "object", description="object: the service's own format; else a file for another system"
    )


_GRADING = {"$ref": "#/components/schemas/Grading"}
_SCORE = {
    "type": "object",
    "description": "a score of LTI Assignment and Grade Services",
    "required": ["userId", "activityProgress", "gradingProgress", "timestamp"],
    "properties": {
        name: {"type": "number" if name.startswith("score") else "string", "description": f"LTI's `{name}`"}
        for name in (
            "userId", "activityProgress", "gradingProgress", "timestamp", "scoreGiven", "scoreMaximum", "comment"
        )
    },
}  # fmt: skip
#: what `format` selects: the object, gradings (json) or scores (ags), one alone without a list; else CSV
FILES = {
    "application/json": {
        "schema": {
            "anyOf": [
                {"$ref": "#/components/schemas/Gradebook"},
                _GRADING, {"type": "array", "items": _GRADING},
                _SCORE, {"type": "array", "items": _SCORE},
            ]
        }
    },
    "text/csv": {"schema": {"type": "string"}},
}  # fmt: skip


@bp.get("/assignments/<id>/gradebook")
@bp.input(GradebookFormat, location="query")
@bp.output(Gradebook, description="The result of each student")
@bp.doc(
    operation_id="getGradebook",
    responses=responses({200: {"content": FILES}}, *READ_PROBLEMS, "role-needed", "not-found"),
)
@apart
def get_gradebook(id: str, query_data: GradebookFormat) -> Response:
    """Read the gradebook

    Everybody on the roster has a line, with its `status`. It applies the rule for which attempt counts, extensions,
    penalties for lateness, marks and adjustments. `format` selects the format of Canvas, Moodle or LTI, or a table.
    """
    row, checked, counting = read_class(id)
    entries = [line for line, _ in counting]
    if query_data.format == "object":
        book = Gradebook(assignment=row.id, title=checked.given.title, version=row.version, entries=entries)
        return object_response(book)
    text = render(query_data.format, checked, [grading for _, grading in counting], entries)
    kind = "application/json" if query_data.format in ("ags", "json") else "text/csv; charset=utf-8"
    return Response(text, 200, content_type=kind)


@bp.get("/assignments/<id>/statistics")
@bp.output(AssignmentStatistics, description="The class, by item and by instance")
@bp.doc(operation_id="getAssignmentStatistics", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
@apart
def get_assignment_statistics(id: str) -> Response:
    """Read the statistics of a class

    By item and by instance, hardest first, and pairs of submissions that are nearly the same. Only the attempts that
    count are used. `queries` has for each figure the query of `/results` that gives it.
    """
    row, _, counting = read_class(id)
    found = statistics(_gradings(counting), f"/v1/assignments/{row.id}")
    return object_response(AssignmentStatistics(assignment=row.id, statistics=found))


@bp.get("/assignments/<id>/results")
@bp.input(ResultOptions, location="query")
@bp.output(Results, description="The rows, and their statistics")
@bp.doc(operation_id="listResults", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
@apart
def list_results(id: str, query_data: ResultOptions) -> Response:
    """List students' results, by item or by instance

    Of the attempts that count. The statistics of a class are made from such queries.
    """
    _, _, counting = read_class(id)
    return object_response(ask(Rows(_gradings(counting)), query_data))


@bp.get("/assignments/<id>/counts")
@bp.input(InstanceQuery, location="query")
@bp.output(ClassCounts, description="Quantiles of the class's numbers")
@bp.doc(operation_id="getClassCounts", responses=responses({}, *READ_PROBLEMS, "not-found"))
@apart
def get_class_counts(id: str, query_data: InstanceQuery) -> Response:
    """Read how many nodes a class expanded

    For one instance, without names, of the attempts that count. With a student's key only what that student may see:
    visible instances, after `release`, and only once an attempt of their own has a number for it.
    """
    view = view_of()
    _, _, counting = read_class(id, view)
    found = class_counts(_gradings(counting), query_data.instance)
    if view == "student":
        own = [grading for line, grading in counting if line.student == principal().owner and grading is not None]
        if class_counts(own, query_data.instance).students == 0:
            found = found.model_copy(update={"expanded": None})
    return object_response(found)


@bp.get("/assignments/<id>/copies")
@bp.output(Copies, description="Clusters of submissions, with the evidence")
@bp.doc(operation_id="listCopies", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
@apart
def list_copies(id: str) -> Response:
    """List submissions that may be copies

    Equal bytes, another student's id in a file, shared lines, shifted, scaled or permuted counts, weighed by how likely
    they are by chance. A hint for a person, never a verdict.
    """
    _, _, counting = read_class(id)
    return object_response(copies({line.student: grading for line, grading in counting if grading is not None}))


@bp.get("/assignments/<id>/copies/side-by-side")
@bp.input(SideBySideQuery, location="query")
@bp.output(SideBySide, description="The lines of these students")
@bp.doc(
    operation_id="compareSubmissions", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found")
)  # fmt: skip
@apart
def compare_submissions(id: str, query_data: SideBySideQuery) -> Response:
    """Read the lines of several students side by side"""
    _, _, counting = read_class(id)
    wanted = list(dict.fromkeys(query_data.student))
    chosen = {line.student: (line, grading) for line, grading in counting if line.student in wanted}
    gradings = {name: grading for name in wanted if name in chosen and (grading := chosen[name][1]) is not None}
    texts: dict[str, dict[int, str]] = {}
    with context().sessions.read() as session:
        for name in gradings:
            asked = submissions.document(session, chosen[name][0].submission or "")
            if asked is not None:
                read = read_submission(b64decode(asked["content"]), asked["filename"])
                texts[name] = {number: row.solution for number, row in read.rows}
    return object_response(side_by_side(gradings, texts))


def read_class(assignment_id: str, view: View = "instructor") -> tuple[StoredAssignment, Assignment, Counting]:
    """A line for everybody, the roster first, and the grading of the attempt that counts; None without one."""
    now = datetime.now(UTC)
    with context().sessions.read() as session:
        row = (manage_assignment if view == "instructor" else read_assignment)(session, assignment_id)
        given = document_of(row)
        works = class_work(session, row, given, view)
    counting: Counting = []
    for work in works:
        line = entry(given, work, row.terms_changed_at, now)
        counting.append((line, None if line.counted is None else work.attempts[line.counted - 1].grading))
    return row, Assignment.of(given), counting


def _gradings(counting: Counting) -> list[Grading]:
    return [grading for _, grading in counting if grading is not None]
