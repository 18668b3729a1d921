"""A class on an assignment: the gradebook, in every format that learning platforms take, and the statistics."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field

from hstar.grading import Assignment, Grading
from hstar.grading.class_statistics import statistics
from hstar.grading.gradebook import Entry, entry
from hstar.grading.outputs import render
from hstar.grading.requests import AssignmentStatistics, Gradebook
from hstar.grading.results import ResultQuery, Results, Rows, ask
from service.answering import object_response
from service.classes import document_of, manage_assignment
from service.context import context
from service.openapi import READ_PROBLEMS, include, responses
from service.resources.assignments import TAG
from service.resources.submissions import to_attempt
from service.schema import Parameters
from store.grading import submissions
from store.grading.models import StoredAssignment

bp = APIBlueprint("gradebook", __name__, url_prefix="/v1", tag=TAG)
include(Gradebook, AssignmentStatistics, Results)


class ResultOptions(ResultQuery, Parameters):
    """Which results of a class."""


Counting = list[tuple[Entry, Grading]]


class GradebookFormat(Parameters):
    """How a gradebook is written."""

    format: Literal["object", "canvas", "moodle", "ags", "csv", "json"] = Field(
        "object", description="object: the service's own; else as files of other systems"
    )


@bp.get("/assignments/<id>/gradebook")
@bp.input(GradebookFormat, location="query")
@bp.output(Gradebook, description="What counts for each student")
@bp.doc(operation_id="getGradebook", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def get_gradebook(id: str, query_data: GradebookFormat) -> Response:
    """Read the gradebook

    Which attempt counts, what late costs and what an instructor gave is applied here. With `format`, as Canvas, Moodle,
    LTI or a table take it.
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
def get_assignment_statistics(id: str) -> Response:
    """Read the statistics of a class

    By item and by instance, hardest first, and submissions that are nearly the same; of the attempt that counts. Each
    figure has in `queries` the query of `/results` that made it.
    """
    row, _, counting = read_class(id)
    found = statistics([grading for _, grading in counting], f"/v1/assignments/{row.id}")
    return object_response(AssignmentStatistics(assignment=row.id, statistics=found))


@bp.get("/assignments/<id>/results")
@bp.input(ResultOptions, location="query")
@bp.output(Results, description="The rows, and what they have in common")
@bp.doc(operation_id="listResults", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def list_results(id: str, query_data: ResultOptions) -> Response:
    """List what students reached, by item or by instance

    Of the attempt that counts. The statistics of a class are made of such queries.
    """
    _, _, counting = read_class(id)
    return object_response(ask(Rows([grading for _, grading in counting]), query_data))


def read_class(assignment_id: str) -> tuple[StoredAssignment, Assignment, Counting]:
    """For each student, in the order of their ids, what counts and the grading that does."""
    with context().sessions.read() as session:
        row = manage_assignment(session, assignment_id)
        found = submissions.in_order(session, row.id)
    given = document_of(row)
    found.sort(key=lambda graded: (graded.row.student, graded.row.id))
    counting = []
    for _, mine in groupby(found, key=lambda graded: graded.row.student):
        attempts = [attempt for graded in mine if (attempt := to_attempt(graded, given, "instructor")) is not None]
        if attempts:
            line = entry(given, attempts, row.terms_changed_at)
            counting.append((line, attempts[line.counted - 1].grading))
    return row, Assignment.of(given), counting
