"""The interface between the worker and the kinds of jobs.

A kind is one module of this folder:

    def run(request: AuditRequest, work: Work) -> Ending[Audit]:
        work.progress = lambda: AuditProgress(...)          # read twice a second, from another thread
        return Ending(audit(request, work.control))         # the audit stops when the control is cancelled

    AUDIT = Kind(name="audit", request=AuditRequest, run=run)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel

from hstar.options import Scratch
from hstar.schema import Certificate
from hstar.search import Control
from hstar.search.subtrees import Queue
from store.certificates import Write
from store.counts import Counts
from store.database import Transaction
from store.jobs.machine import Claim, FollowingClaim
from store.jobs.states import State

Request = TypeVar("Request", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


def _no_files(_write: Write) -> Certificate:
    return Certificate(status="none", reason="there is no directory for it")


@dataclass(slots=True)
class Work:
    """A running job: the control to stop it, and its progress. Other threads use both.

    ``before``: the last progress of an earlier attempt, if any, as JSON of the kind. ``certify`` makes the certificate
    of its answer (`store.certificates.CertificateFiles.make`). ``scratch``: where its search may keep files, which a
    later attempt on this machine finds. ``queue``: other workers, which may search parts of it.
    """

    control: Control = field(default_factory=Control)
    progress: Callable[[], BaseModel] | None = None
    before: str | None = None
    certify: Callable[[Write], Certificate] = _no_files
    scratch: Scratch | None = None
    queue: Queue | None = None


@dataclass(frozen=True)
class Ending(Generic[Answer]):
    """How a run ended: done, or cancelled, perhaps with a partial answer. A job that cannot be run raises instead.

    ``partial``: it is done because it was stopped. If a user asked for that, it is an answer; a worker that shuts down
    hands the job back instead.
    """

    answer: Answer | None
    state: State = State.DONE
    partial: bool = False


def _count_nothing(_answer: BaseModel, _counts: Counts) -> None:
    """Count nothing: for most kinds the number of ended jobs is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[Request, Answer]):
    """A kind of job.

    ``run`` raises `HstarError` for a request that cannot be run, and `hstar.search.control.Stopped` if it was cancelled
    and has no answer. ``finish`` ends a job that has an answer and writes that to the kind's own tables, in
    one transaction, and returns False if the claim no longer holds; without it the answer is stored with the job, as
    JSON. It may also make the following claim (`store.jobs.machine.finish_with`). ``count`` adds figures of the answer
    to the metrics.
    """

    name: str
    request: type[Request]
    run: Callable[[Request, Work], Ending[Answer]]
    finish: Callable[[Transaction, Claim, Ending[Answer], FollowingClaim | None], bool] | None = None
    count: Callable[[Answer, Counts], None] = _count_nothing
