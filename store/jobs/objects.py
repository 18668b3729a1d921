"""From the row of a job to the API's object, for kinds whose answer is stored with the job."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic_core import from_json

from hstar import schema
from store.ids import created_at
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.states import State

J = TypeVar("J", bound=schema.Job[Any, Any, Any])

_SAME = ("id", "owner", "error", "priority", "attempt", "cancel_requested", "created_at", "started_at", "finished_at")


def to_object(job: Job, model: type[J]) -> J:
    """The job as the API shows it; ``model`` has the types of its request, progress and answer."""
    texts = {"request": job.request, "answer": job.answer, "progress": job.progress if job.has_progress else None}
    return model.model_validate(
        {name: getattr(job, name) for name in _SAME}
        | {name: None if text is None else from_json(text) for name, text in texts.items()}
        | {"status": job.state.value, "progress_at": job.progress_at if job.has_progress else None}
    )


def as_submitted(new: NewJob, model: type[J]) -> J:
    """What `to_object` returns for the row of a job that was just submitted, without reading the row."""
    return to_object(
        Job(
            id=new.id,
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
