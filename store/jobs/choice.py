"""Which queued job is next: the statements that choose, without the claim itself.

The fair choice is between owners first: the one with the fewest running jobs for her share, among those below the cap
on running jobs. A role has a share (`SHARES`), so that an instructor's jobs go before a student's without ever stopping
them. Then it is between the owner's own jobs: the highest priority, and of those the oldest.

The owners who wait are found by hopping through the index from one to the next, so a choice costs as much as there are
owners waiting, however many jobs are queued or finished (see docs/decisions/0012 and 0141).

Written once and kept: building such a statement takes longer than running it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Integer,
    ScalarSelect,
    Select,
    Table,
    bindparam,
    case,
    func,
    literal_column,
    select,
)

from store.jobs.models import Job
from store.owners.models import ApiKey
from store.owners.roles import Role

#: how many running jobs of an owner weigh as much as one of a student
SHARES = {Role.STUDENT: 1, Role.INSTRUCTOR: 4, Role.OPERATOR: 4}
NO_CAP = 2**31 - 1

_jobs = cast(Table, Job.__table__)
_keys = cast(Table, ApiKey.__table__)
#: most running jobs of one owner
_cap = bindparam("owner_running", NO_CAP, type_=Integer)


def _queued(name: str) -> tuple[FromClause, ColumnElement[bool]]:
    # A literal in the statement's text, not a parameter: only then can the partial index serve it.
    queue = _jobs.alias(name)
    return queue, queue.c.state == literal_column("'queued'")


def _through_queue(statement: Select[Any], queue: FromClause) -> Select[Any]:
    # SQLite has no statistics of a queue that comes and goes, and would rather scan the finished jobs.
    return statement.with_hint(queue, "INDEXED BY ix_jobs_queued", "sqlite")


def _first_owner(name: str, *where: Callable[[FromClause], ColumnElement[bool]]) -> ScalarSelect[str]:
    queue, queued = _queued(name)
    found = select(queue.c.owner).where(queued, *(condition(queue) for condition in where))
    # By all that the index holds, and not min(owner): other indices begin with the owner as well, and lead through
    # every finished job.
    found = found.order_by(queue.c.owner, queue.c.priority, queue.c.created_at, queue.c.id).limit(1)
    return _through_queue(found, queue).scalar_subquery()


def _waiting_owners() -> Any:
    owners = select(_first_owner("first_owner").label("owner")).cte("owners", recursive=True)
    following = _first_owner("next_owner", lambda queue: queue.c.owner > owners.c.owner)
    return owners.union_all(select(following).where(owners.c.owner.is_not(None)))


def _next_of(name: str, owner: ColumnElement[str], *correlated: FromClause) -> Select[Any]:
    """The jobs of the owner's highest priority, the oldest first."""
    queue, queued = _queued(f"{name}_priority")
    top = select(queue.c.priority).where(queued, queue.c.owner == owner)
    top = _through_queue(top.order_by(queue.c.priority.desc()).limit(1), queue).correlate(*correlated)
    queue, queued = _queued(name)
    found = select(queue.c.id).where(queued, queue.c.owner == owner, queue.c.priority == top.scalar_subquery())
    # By time and then id, although ids alone sort by time: the primary key must not look like a way to this order, for
    # it leads through every finished job.
    found = found.order_by(queue.c.priority, queue.c.created_at, queue.c.id).limit(1)
    return _through_queue(found, queue).correlate(*correlated)


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


def _fairest() -> ScalarSelect[str]:
    owners = _waiting_owners()
    runs, are_running = _running()
    count = _through_running(select(func.count()).where(are_running, runs.c.owner == owners.c.owner), runs)
    running = count.scalar_subquery()
    first = _next_of("first_job", owners.c.owner, owners)
    turn = (
        select(owners.c.owner)
        .where(owners.c.owner.is_not(None), running < _cap)
        .order_by(running / _share(owners.c.owner), first.scalar_subquery())
        .limit(1)
        .cte("turn")
    )
    chosen = _next_of("candidate", select(turn.c.owner).scalar_subquery())
    return chosen.with_for_update(skip_locked=True).scalar_subquery()


def _oldest() -> ScalarSelect[str]:
    runs, are_running = _running()
    capped = select(runs.c.owner).where(are_running).group_by(runs.c.owner).having(func.count() >= _cap)
    queue, queued = _queued("candidate")
    chosen = select(queue.c.id).where(queued, queue.c.owner.not_in(_through_running(capped, runs)))
    chosen = chosen.order_by(queue.c.priority.desc(), queue.c.created_at, queue.c.id)
    return _through_queue(chosen.limit(1).with_for_update(skip_locked=True), queue).scalar_subquery()


FAIREST: ScalarSelect[str] = _fairest()
# For the moments when others hold locks on all jobs of the fair choice: then anything queued will do.
OLDEST: ScalarSelect[str] = _oldest()
