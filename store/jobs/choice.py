"""The statements that choose the next queued job, without the claim itself.

First an owner is chosen: among those below the cap on running jobs, the one with the fewest running jobs divided by the
share of their role (`SHARES`), so that an instructor's jobs come before a student's without ever blocking them. Then
one of the owner's jobs: the highest priority, and of those the oldest.

The waiting owners are found by jumping through the index from one to the next, so the cost grows with the number of
waiting owners, not with the number of queued or finished jobs (see docs/decisions/0012).

A worker without a free slot for long jobs chooses in the same way among the jobs that may be tried as quick jobs, but
the newest first: a small job must not wait until every huge one before it has been tried. A worker for small jobs
(``HSTAR_WORKER_TAKES``) chooses among those whose request promises that they end soon.

The statements are built once and cached, because building one takes longer than running it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    ScalarSelect,
    Select,
    String,
    Table,
    bindparam,
    case,
    func,
    literal_column,
    select,
)
from sqlalchemy.orm import Session

from store.jobs.models import Job
from store.owners.models import ApiKey
from store.owners.roles import Role

#: so many running jobs of an owner with this role weigh as much as one of a student
SHARES = {Role.STUDENT: 1, Role.INSTRUCTOR: 4, Role.OPERATOR: 4}
NO_CAP = 2**31 - 1


class Among(Enum):
    """The queued jobs that a claim chooses from."""

    ALL = "all"
    #: those that may be tried as quick jobs, the newest first
    QUICK = "quick"
    #: those whose request promises that they end soon
    SMALL = "small"


_jobs = cast(Table, Job.__table__)
_keys = cast(Table, ApiKey.__table__)
#: the cap on running jobs of one owner
_cap = bindparam("owner_running", NO_CAP, type_=Integer)


@dataclass(frozen=True, slots=True)
class _Queue:
    """The jobs to choose from, their partial index, and the order of an owner's jobs."""

    index: str
    condition: str
    newest_first: bool = False

    def jobs(self, name: str) -> tuple[FromClause, ColumnElement[bool]]:
        # A literal in the statement's text, not a parameter: otherwise the partial index cannot be used.
        queue = _jobs.alias(name)
        return queue, literal_column(self.condition.format(name))

    def through(self, statement: Select[Any], queue: FromClause) -> Select[Any]:
        # SQLite has no statistics of a queue that fills and empties, and would scan the finished jobs instead.
        return statement.with_hint(queue, f"INDEXED BY {self.index}", "sqlite")

    def first_owner(self, name: str, *where: Callable[[FromClause], ColumnElement[bool]]) -> ScalarSelect[str]:
        queue, queued = self.jobs(name)
        found = select(queue.c.owner).where(queued, *(condition(queue) for condition in where))
        # Ordered by all columns of the index, not min(owner): other indices also begin with the owner, and would be
        # scanned through every finished job.
        found = found.order_by(queue.c.owner, queue.c.priority, queue.c.created_at, queue.c.id).limit(1)
        return self.through(found, queue).scalar_subquery()

    def waiting_owners(self) -> Any:
        owners = select(self.first_owner("first_owner").label("owner")).cte("owners", recursive=True)
        following = self.first_owner("next_owner", lambda queue: queue.c.owner > owners.c.owner)
        return owners.union_all(select(following).where(owners.c.owner.is_not(None)))

    def next_of(self, name: str, owner: ColumnElement[str], *correlated: FromClause) -> Select[Any]:
        """The first of the owner's jobs of the highest priority."""
        queue, queued = self.jobs(f"{name}_priority")
        top = select(queue.c.priority).where(queued, queue.c.owner == owner)
        top = self.through(top.order_by(queue.c.priority.desc()).limit(1), queue).correlate(*correlated)
        queue, queued = self.jobs(name)
        found = select(queue.c.id).where(queued, queue.c.owner == owner, queue.c.priority == top.scalar_subquery())
        # By time and then id, although ids alone sort by time: otherwise the planner could use the primary key for this
        # order, and scan every finished job.
        keys = (queue.c.priority, queue.c.created_at, queue.c.id)
        found = found.order_by(*(key.desc() for key in keys) if self.newest_first else keys).limit(1)
        return self.through(found, queue).correlate(*correlated)


_EVERY = _Queue("ix_jobs_queued", "{0}.state = 'queued'")
_SMALL = _Queue("ix_jobs_small", "{0}.state = 'queued' AND {0}.small")
_QUICK = _Queue("ix_jobs_quick", "{0}.state = 'queued' AND {0}.quick", newest_first=True)
_QUEUES = {Among.ALL: _EVERY, Among.QUICK: _QUICK, Among.SMALL: _SMALL}


def _running() -> tuple[FromClause, ColumnElement[bool]]:
    runs = _jobs.alias("runs")
    return runs, runs.c.state == literal_column("'running'")


def _through_running(statement: Select[Any], runs: FromClause) -> Select[Any]:
    return statement.with_hint(runs, "INDEXED BY ix_jobs_running", "sqlite")


def _share(owner: ColumnElement[str]) -> ColumnElement[float]:
    shares = case({str(role): literal_column(f"{share}.0") for role, share in SHARES.items()}, value=_keys.c.role)
    return func.coalesce(
        select(func.max(shares)).where(_keys.c.owner == owner).scalar_subquery(), literal_column("1.0")
    )


def share_of(session: Session, owner: str) -> float:
    """The share of an owner: that of the highest of their keys' roles."""
    # PostgreSQL's is a `Decimal`.
    return float(session.connection().execute(_SHARE_OF, {"owner": owner}).scalar_one())


_SHARE_OF = select(_share(bindparam("owner", type_=String)))


def _fairest(which: _Queue, *, after: bool = False) -> ScalarSelect[str]:
    owners = which.waiting_owners()
    runs, are_running = _running()
    if after:
        are_running &= runs.c.id != bindparam("claim_id")
    count = _through_running(select(func.count()).where(are_running, runs.c.owner == owners.c.owner), runs)
    running = count.scalar_subquery()
    first = which.next_of("first_job", owners.c.owner, owners).scalar_subquery()
    turn = (
        select(owners.c.owner)
        .where(owners.c.owner.is_not(None), running < _cap)
        .order_by(running / _share(owners.c.owner), first.desc() if which.newest_first else first)
        .limit(1)
        .cte("turn")
    )
    chosen = which.next_of("candidate", select(turn.c.owner).scalar_subquery())
    return chosen.with_for_update(skip_locked=True).scalar_subquery()


def _oldest(which: _Queue) -> ScalarSelect[str]:
    runs, are_running = _running()
    capped = select(runs.c.owner).where(are_running).group_by(runs.c.owner).having(func.count() >= _cap)
    queue, queued = which.jobs("candidate")
    chosen = select(queue.c.id).where(queued, queue.c.owner.not_in(_through_running(capped, runs)))
    chosen = chosen.order_by(queue.c.priority.desc(), queue.c.created_at, queue.c.id)
    return which.through(chosen.limit(1).with_for_update(skip_locked=True), queue).scalar_subquery()


FAIREST = {among: _fairest(queue) for among, queue in _QUEUES.items()}
# Used when others hold locks on all jobs of the fair choice: then any queued job is taken. A worker that finds no quick
# job because of others' locks looks again soon.
OLDEST = {among: _oldest(_QUEUES[among]) for among in (Among.ALL, Among.SMALL)}
# For a statement that also ends the claimed job: all its parts see the rows of before, where that job is running.
FAIREST_AFTER = {among: _fairest(queue, after=True) for among, queue in _QUEUES.items()}
