"""Reading jobs: one job, its state, a page of them, the numbers of queued and running jobs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import from_json
from sqlalchemy import ColumnElement, Integer, bindparam, func, literal_column, or_, select
from sqlalchemy.orm import Session

from store.database.clock import now
from store.ids import least_id, parse_id
from store.jobs.models import Job
from store.jobs.statements import is_in
from store.jobs.states import State
from store.owners.principal import Principal, visible_to

#: requests and answers of a page of jobs; each may have a megabyte, and take ten times as much when it is read
MOST_PAGE_BYTES = 2**21
#: rows that are fetched at a time, because few large ones fill a page
FETCHED = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a list of jobs: ids from ``first`` to ``last``, and aware times of creation; None: no bound."""

    first: str | None = None
    last: str | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None

    def conditions(self, id: Any) -> list[ColumnElement[bool]]:
        """The conditions on a column with the ids."""
        bounds = [
            (self.first, id.__ge__),
            (self.last, id.__le__),
            # An id begins with the time of its creation.
            (self.created_from and least_id(self.created_from), id.__ge__),
            (self.created_before and least_id(self.created_before), id.__lt__),
        ]
        return [compare(bound) for bound, compare in bounds if bound is not None]


#: all jobs
ANY_TIME = Span()


def get_job(session: Session, job_id: str, principal: Principal) -> Job | None:
    """The job with this id, if it exists and ``principal`` may see it."""
    identifier = parse_id(job_id)
    if identifier is None:
        return None
    return session.scalar(select(Job).where(Job.id == identifier, visible_to(principal, Job.owner)))


def list_jobs(
    session: Session,
    principal: Principal,
    *,
    kinds: Collection[str] = (),
    states: Collection[State] = (),
    span: Span = ANY_TIME,
    cursor: str | None = None,
    size: int = 50,
    most_bytes: int | None = MOST_PAGE_BYTES,
) -> tuple[list[Job], bool]:
    """At most ``size`` jobs, newest first, after the one with the id ``cursor``; and whether there are more. Those of
    some kinds (none: of all, without parts of others), in some states, and of a span. Jobs with large requests and
    answers are fewer: together ``most_bytes``, or one job."""
    wanted = select(Job).where(visible_to(principal, Job.owner)).order_by(Job.id.desc()).limit(size + 1)
    wanted = wanted.where(Job.kind.in_(kinds) if kinds else Job.parent.is_(None))
    if states:
        # The few queued and running jobs have their own indices.
        wanted = wanted.where(or_(*(is_in(state) for state in sorted(set(states)))))
    if cursor is not None:
        wanted = wanted.where(Job.id < cursor)
    wanted = wanted.where(*span.conditions(Job.id))
    found: list[Job] = []
    left = float("inf") if most_bytes is None else most_bytes
    for job in session.scalars(wanted.execution_options(yield_per=FETCHED)):
        left -= len(job.request) + len(job.answer or "")
        if len(found) == size or (found and left < 0):
            session.expunge(job)
            return found, True
        found.append(job)
    return found, False


def get_state(session: Session, job_id: str) -> State | None:
    """Only the state, which long polls read repeatedly."""
    identifier = parse_id(job_id)
    if identifier is None:
        return None
    state: State | None = session.connection().execute(_STATE, {"job_id": identifier}).scalar_one_or_none()
    return state


# Built once, because that takes longer than running it.
_STATE = select(Job.state).where(Job.id == bindparam("job_id"))


def count_queued(session: Session, most: int) -> int:
    """How many jobs are queued; counts up to ``most``."""
    return session.connection().execute(_QUEUED, {"most": most}).scalar_one()


_queued = select(Job.id).where(Job.state == literal_column("'queued'")).limit(bindparam("most", type_=Integer))
_QUEUED = select(func.count()).select_from(_queued.subquery())


def count_queued_of(session: Session, owner: str, most: int) -> int:
    """How many jobs of an owner are queued; counts up to ``most``."""
    return session.connection().execute(_QUEUED_OF, {"whose": owner, "most": most}).scalar_one()


_queued_of = _queued.where(Job.owner == bindparam("whose"))
_QUEUED_OF = select(func.count()).select_from(_queued_of.subquery())


def count_running(session: Session) -> int:
    """How many jobs are running; there are never many."""
    running = select(func.count()).select_from(Job).where(Job.state == literal_column("'running'"))
    return session.scalar(running) or 0


def oldest_queued_seconds(session: Session) -> float:
    """How long the oldest queued job has waited, by the database's clock; 0 if none is queued."""
    queued = select(Job.created_at, now()).where(Job.state == literal_column("'queued'"))
    found = session.execute(queued.order_by(Job.created_at).limit(1)).one_or_none()
    return 0.0 if found is None else max(0.0, (found[1] - found[0]).total_seconds())


def largest_running_bytes(session: Session) -> int:
    """Bytes of the nodes of the largest running search, from its last progress; 0 if there is none."""
    told = session.scalars(select(Job.progress).where(Job.state == literal_column("'running'")))
    return max((from_json(text).get("bytes") or 0 for text in told if text is not None), default=0)
