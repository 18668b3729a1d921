"""``/v1/jobs``: jobs of all kinds. The whole job with its answer is at the address of its kind."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response
from pydantic_core import from_json

from service.answering import check_cursor, next_path, object_response, page_response
from service.context import context, principal
from service.errors import ProblemError
from service.job_resource import PATHS, ask_to_cancel
from service.openapi import READ_PROBLEMS, answers, responses
from service.schema import AnyJobFilter, JobPage, JobSummary
from store.jobs import queries
from store.jobs.models import Job
from store.jobs.states import State

TAG = {"name": "Jobs", "description": "Queued, running and ended jobs of all kinds together."}
bp = APIBlueprint("jobs", __name__, url_prefix="/v1", tag=TAG)

#: fields of a request that help people recognise a job
_TELLING = ("puzzle", "heuristic", "pattern", "alg", "student")
_MOST_LETTERS = 120


@bp.get("/jobs")
@bp.input(AnyJobFilter, location="query")
@bp.output(JobPage, description="A page of jobs")
@bp.doc(operation_id="listJobs", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_jobs(query_data: AnyJobFilter) -> Response:
    """List jobs of all kinds, newest first"""
    cursor = check_cursor(query_data.cursor)
    state = None if query_data.status is None else State(query_data.status)
    with context().sessions.read() as session:
        rows, more = queries.list_jobs(
            session, query_data.kind, principal(), state=state, cursor=cursor, size=query_data.limit
        )
    path = next_path(rows[-1].id if more else None)
    return page_response(JobPage(items=[_summary(row) for row in rows], next=path), path)


@bp.get("/jobs/<id>")
@bp.output(JobSummary, description="A summary of the job")
@bp.doc(operation_id="getJob", responses=responses({}, *READ_PROBLEMS, "not-found"))
def get_job(id: str) -> Response:
    """Read the summary of a job of any kind"""
    return object_response(_summary(_find(id)))


@bp.delete("/jobs/<id>")
@bp.output(JobSummary, description="The job in its present state: cancelled, about to stop, or ended before")
@bp.doc(operation_id="cancelJob", responses=responses({}, *READ_PROBLEMS, "not-found"))
def cancel_job(id: str) -> Response:
    """Cancel a job of any kind

    A queued job is cancelled at once; a running one stops in a moment; an ended one does not change.
    """
    job = _find(id)
    if not job.state.final:
        ask_to_cancel(job.id)
        job = _find(id)
    return object_response(_summary(job))


def _find(job_id: str) -> Job:
    with context().sessions.read() as session:
        job = queries.find_job(session, job_id, principal())
    if job is None:
        raise ProblemError("not-found", f"there is no job {job_id!r:.60}")
    return job


def _summary(job: Job) -> JobSummary:
    path = PATHS.get(job.kind)  # a grading has none: it is with its submission
    return JobSummary(
        id=job.id, kind=job.kind, owner=job.owner, status=job.state.value, about=_about(job.request),
        url=None if path is None else f"/v1/{path}/{job.id}", error=job.error, priority=job.priority,
        attempt=job.attempt, cancel_requested=job.cancel_requested, created_at=job.created_at,
        started_at=job.started_at, finished_at=job.finished_at,
    )  # fmt: skip


def _about(text: str) -> list[str]:
    """The fields of a request that help people recognise the job; nothing if the request cannot be read."""
    try:
        request = from_json(text)
    except ValueError:
        return []
    if not isinstance(request, dict):
        return []
    told: list[Any] = [request.get(name) for name in _TELLING]
    scramble, assignment = request.get("scramble"), request.get("assignment")
    if isinstance(scramble, dict):
        told.insert(1, f"k = {scramble.get('k')}, seed {scramble.get('seed')}")
    if isinstance(assignment, dict):
        told.insert(0, assignment.get("title"))
    return [one[:_MOST_LETTERS] for one in told if isinstance(one, str) and one]
