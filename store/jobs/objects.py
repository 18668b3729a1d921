"""From the row of a job to the API's object, for kinds whose answer is stored with the job."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic_core import from_json

from hstar import schema
from store.ids import created_at
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.states import State

#: fields of a request that help people recognise a job
_TELLING = ("puzzle", "heuristic", "pattern", "alg", "student")
_MOST_LETTERS = 120

J = TypeVar("J", bound=schema.Job[Any, Any, Any])

_SAME = (
    "id", "kind", "owner", "error", "priority", "attempt", "cancel_requested", "created_at", "started_at",
    "finished_at",
)  # fmt: skip


def head_of(job: Job) -> schema.JobHead:
    """What the API shows of a job of any kind, without reading its request and answer as those of its kind."""
    same = {name: getattr(job, name) for name in _SAME}
    return schema.JobHead(**same, status=job.state.value, about=about(job.request))


def about(request: str) -> list[str]:
    """The fields of a request that help people recognise the job; nothing if the request cannot be read."""
    try:
        found = from_json(request)
    except ValueError:
        return []
    if not isinstance(found, dict):
        return []
    told: list[Any] = [found.get(name) for name in _TELLING]
    scramble, assignment = found.get("scramble"), found.get("assignment")
    if isinstance(scramble, dict):
        told.insert(1, f"k = {scramble.get('k')}, seed {scramble.get('seed')}")
    if isinstance(assignment, dict):
        told.insert(0, assignment.get("title"))
    return [one[:_MOST_LETTERS] for one in told if isinstance(one, str) and one]


def to_object(job: Job, model: type[J]) -> J:
    """The job as the API shows it; ``model`` has the types of its request, progress and answer."""
    texts = {"request": job.request, "answer": job.answer, "progress": job.progress if job.has_progress else None}
    return model.model_validate(
        {name: getattr(job, name) for name in _SAME}
        | {name: None if text is None else from_json(text) for name, text in texts.items()}
        | {"status": job.state.value, "about": about(job.request)}
        | {"progress_at": job.progress_at if job.has_progress else None}
    )


def as_submitted(new: NewJob, model: type[J]) -> J:
    """What `to_object` returns for the row of a job that was just submitted, without reading the row."""
    return to_object(
        Job(
            id=new.id,
            kind=new.kind,
            owner=new.owner,
            state=State.QUEUED,
            priority=new.priority,
            attempt=0,
            cancel_requested=False,
            created_at=created_at(new.id),
            request=new.request,
        ),
        model,
    )
