"""What a kind of job is to the worker, and what a running job shares with it.

A kind is one module of this folder and one line in ``worker/kinds/__init__.py``:

    def run(request: AuditRequest, work: Work) -> Ending[Audit]:
        work.progress = lambda: AuditProgress(...)          # read twice a second, from another thread
        return Ending(audit(request, work.control))         # which stops when the control is cancelled

    AUDIT = Kind(name="audit", request=AuditRequest, run=run)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel
from sqlalchemy.orm import Session

from hstar.search import Control
from store.counts import Counts
from store.jobs.states import State

Request = TypeVar("Request", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(slots=True)
class Work:
    """A running job: how to stop it, and how to see how far it is. Both are used from other threads.

    ``before``: the last progress of an earlier attempt, JSON of the kind, if that told any.
    """

    control: Control = field(default_factory=Control)
    progress: Callable[[], BaseModel] | None = None
    before: str | None = None


@dataclass(frozen=True)
class Ending(Generic[Answer]):
    """How a run ended: done, or cancelled, perhaps with what was known by then. What cannot be run raises.

    ``partial``: it is done because it was stopped. That is an answer if somebody asked for it; a worker that stops
    hands the job back instead.
    """

    answer: Answer | None
    state: State = State.DONE
    partial: bool = False


def _count_nothing(_answer: BaseModel, _counts: Counts) -> None:
    """Of most kinds it is enough that they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Request, Answer]):
    """A kind of job.

    ``run`` raises `HstarError` for a request that cannot be run, and `hstar.search.control.Stopped` where it was
    cancelled and has nothing to say. ``write`` puts an ending's answer into the kind's own tables, in the transaction
    that has ended the job; without it the answer is kept with the job, as JSON. ``count`` adds what an answer
    tells to the metrics.
    """

    name: str
    request: type[Request]
    run: Callable[[Request, Work], Ending[Answer]]
    write: Callable[[Session, str, Ending[Answer]], None] | None = None
    count: Callable[[Answer, Counts], None] = _count_nothing
