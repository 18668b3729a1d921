"""``/v1/jobs``: jobs of all kinds: read, wait for, list, cancel, delete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, Literal

from apiflask import APIBlueprint
from flask import Response, request
from pydantic import BaseModel, Field, create_model
from sqlalchemy.orm import Session

from hstar import schema
from hstar.errors import Fault
from service.answering import check_cursor, heuristic_texts, linked, next_path, split_tags
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.formats import EVENTS, JSON, chosen, content, event_stream
from service.headers import preferred_wait
from service.job_resource import JOBS, OBJECTS, SHOWN, ask_to_cancel, find_job, job_response, shown
from service.openapi import READ_PROBLEMS, answers, include, refers, responses
from service.reading import FIELDS_PARAMETER
from service.schema import ConditionalHeaders, JobFilter, WaitHeader
from store.experiments.records import is_member
from store.grading.submissions import graded_by
from store.ids import parse_id
from store.jobs import machine, queries
from store.jobs.objects import head_of
from store.jobs.queries import Span
from store.jobs.states import State
from store.solves import queries as solves
from store.solves.objects import to_object as to_solve
from store.solves.status import Status

bp = APIBlueprint("jobs", __name__, url_prefix="/v1", tag=JOBS)


class GradingJob(schema.JobHead):
    """A job that grades a submission; its answer is with the submission."""

    kind: Literal["grading"] = "grading"
    url: str | None = Field(description="path of the submission; null: it was deleted")


class SubtreeJob(schema.JobHead):
    """A part of a search that workers share; what it finds is in the answer of the search."""

    kind: Literal["subtree"] = "subtree"
    parent: str | None = Field(description="id of the search")


def _show_subtrees(session: Session, jobs: Any) -> list[SubtreeJob]:
    return [SubtreeJob(**dict(head_of(job)), parent=job.parent) for job in jobs]


def _show_gradings(session: Session, jobs: Any) -> list[GradingJob]:
    known = graded_by(session, [job.id for job in jobs])
    paths = {job: f"/v1/assignments/{row.assignment_id}/submissions/{row.id}" for job, row in known.items()}
    return [GradingJob(**dict(head_of(job)), url=paths.get(job.id)) for job in jobs]


SHOWN["grading"] = _show_gradings
SHOWN["subtree"] = _show_subtrees
OBJECTS["grading"] = GradingJob
OBJECTS["subtree"] = SubtreeJob
#: an object of any kind
_ANY = reduce(or_, OBJECTS.values())
JobPage = create_model(
    "JobPage",
    __base__=schema.Out,
    __doc__="One page of a list of jobs, newest first.",
    items=(list[_ANY], ...),  # type: ignore[valid-type]
    next=(str | None, Field(description="path of the next page; null on the last one")),
)
include(JobPage, schema.JobHead, GradingJob, SubtreeJob)

#: a job of any kind, as an answer
_JOB = refers(*OBJECTS.values())
#: filters that only solves have
_OF_SOLVES = ("outcome", "puzzle", "moves", "algorithm", "heuristic", "experiment", "tag")


@bp.get("/jobs")
@bp.input(JobFilter, location="query")
@bp.output(JobPage, description="A page of jobs")
@bp.doc(operation_id="listJobs", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_jobs(query_data: JobFilter) -> Response:
    """List jobs, newest first

    Those that fit every filter, of all kinds or of some; filters of puzzles, searches, outcomes and tags choose solves.
    `next` is the path of the next page; new jobs do not shift later pages. With `fields` of the head of a job, its
    request and answer are not even read.
    """
    cursor, span = check_cursor(query_data.cursor), _span(query_data)
    items: Sequence[BaseModel]
    with context().sessions.read() as session:
        if any(getattr(query_data, name) for name in _OF_SOLVES):
            page = _list_solves(session, query_data, span, cursor)
            items, last = [to_solve(row) for row in page.solves], page.next_cursor
        else:
            states = [State(status) for status in query_data.status]
            rows, more = queries.list_jobs(
                session, principal(), kinds=query_data.kind, states=states, span=span, cursor=cursor,
                size=query_data.limit,
            )  # fmt: skip
            items = [head_of(row) for row in rows] if _only_heads() else shown(session, rows)
            last = rows[-1].id if more else None
    path = next_path(last)
    text = ",".join(item.model_dump_json() for item in items)
    return linked(f'{{"items":[{text}],"next":{json.dumps(path)}}}', path)


@bp.get("/jobs/<id>")
@bp.input(ConditionalHeaders, location="headers")
@bp.output(schema.JobHead, description="The job in its present state")
@bp.doc(
    operation_id="getJob",
    responses=responses(
        {
            200: {
                "content": content(json=_JOB, events=True),
                "headers": answers("ETag", "Retry-After", "Preference-Applied"),
            },
            304: {"description": "Nothing changed", "headers": answers("ETag", "Retry-After", "Preference-Applied")},
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def get_job(id: str, headers_data: ConditionalHeaders) -> Response:
    """Read a job, or wait for it

    While it is queued or running, `progress` has its live counters, and `Retry-After` says when to look again; with
    `Prefer: wait=N` the answer is sent when the job has ended, or after N seconds.

    `Accept: text/event-stream`: the job as a server-sent event, again whenever it has changed, until it has ended. A
    stream ends after `wait_seconds` (see /v1/limits) at the latest, and if there are too many; clients connect again.
    """
    if chosen(JSON, EVENTS) == EVENTS:
        with context().sessions.read() as session:
            find_job(session, id)
        return event_stream(lambda: _look(id))
    return job_response(id, wait=preferred_wait(headers_data.prefer), unfinished=200)


@bp.post("/jobs/<id>/cancel")
@bp.input(WaitHeader, location="headers")
@bp.output(schema.JobHead, description="The job has ended: cancelled now, or ended before")
@bp.doc(
    operation_id="cancelJob",
    responses=responses(
        {
            200: {"content": content(json=_JOB), "headers": answers("Preference-Applied")},
            202: {
                "description": "The job is running and will stop in a moment",
                "content": content(json=_JOB),
                "headers": answers("Retry-After", "Preference-Applied"),
            },
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def cancel_job(id: str, headers_data: WaitHeader) -> Response:
    """Cancel a job

    A queued job is cancelled at once; a running one stops in a moment, and a search keeps its counters and its lower
    bound; an ended one does not change. Cancelling again changes nothing.
    """
    with context().sessions.read() as session:
        job = find_job(session, id)
    if not job.state.final:
        ask_to_cancel(job.id)
    return job_response(id, wait=preferred_wait(headers_data.prefer), unfinished=202)


@bp.delete("/jobs/<id>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteJob", responses=responses({}, *READ_PROBLEMS, "not-found", "job-in-use"))
def delete_job(id: str) -> Response:
    """Delete a job that has ended

    With its request, its answer and its certificate. Statistics that have counted it already keep it. A job that has
    not ended must be cancelled first; rows of experiments and gradings stay with their experiment and submission.
    """

    def delete(session: Session) -> None:
        job = find_job(session, id)
        if not job.state.final:
            raise ProblemError("job-in-use", f"it is {job.state}; cancel it first")
        if job.parent is not None:
            raise ProblemError("job-in-use", "it is a part of a search; delete that")
        if is_member(session, job.id):
            raise ProblemError("job-in-use", "it is a row of an experiment; delete that")
        if graded_by(session, [job.id]):
            raise ProblemError("job-in-use", "it graded a submission; delete that")
        record_change(session, job.id)
        machine.delete(session, job.id)

    context().sessions.run(delete)
    return Response(status=204)


def _look(id: str) -> tuple[str, bool]:
    """The JSON of a job, and whether it has ended."""
    with context().sessions.read() as session:
        job = find_job(session, id)
        (found,) = shown(session, [job])
    return found.model_dump_json(), job.state.final


def _only_heads() -> bool:
    """Whether the request asks only for fields that jobs of all kinds have."""
    wanted = request.args.get(FIELDS_PARAMETER)
    return wanted is not None and {name.strip() for name in wanted.split(",")} <= set(schema.JobHead.model_fields)


def _span(wanted: JobFilter) -> Span:
    bounds: dict[str, str | None] = {}
    for name in ("first", "last"):
        text = getattr(wanted, name)
        bounds[name] = None if text is None else parse_id(text)
        if text is not None and bounds[name] is None:
            raise ProblemError(
                "invalid-request", "the query parameters do not fit their schema", [Fault(f"query:{name}", "not an id")]
            )
    return Span(**bounds, created_from=wanted.created_after, created_before=wanted.created_before)


def _list_solves(session: Session, asked: JobFilter, span: Span, cursor: str | None) -> solves.Page:
    tags = split_tags(asked.tag)
    experiment = None if asked.experiment is None else parse_id(asked.experiment)
    other = bool(asked.kind) and "solve" not in asked.kind
    if other or tags is None or (asked.experiment is not None and experiment is None):
        return solves.Page([], None)
    wanted = solves.SolveFilter(
        states=[State(status) for status in asked.status],
        outcomes=[Status(outcome) for outcome in asked.outcome],
        puzzle=asked.puzzle,
        moves=asked.moves,
        algorithm=asked.algorithm,
        heuristics=tuple(heuristic_texts(asked.heuristic, filter(None, [asked.puzzle])))
        if asked.heuristic is not None
        else (),
        experiment=experiment,
        tags=tags,
        span=span,
    )
    return solves.list_solves(session, principal(), wanted, cursor=cursor, size=asked.limit)
