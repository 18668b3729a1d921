"""Which queued job is next: the statements that choose, without the claim itself.

The fair choice is the oldest job of the owner with the fewest running jobs, among the queued jobs of the highest
priority. The owners who wait are found by hopping through the index from one to the next, so a choice costs as much as
there are owners waiting, however many jobs are queued or finished (see docs/decisions/0012).

Written once and kept: building such a statement takes longer than running it.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import ColumnElement, FromClause, ScalarSelect, Select, Table, func, literal_column, select

from store.jobs.models import Job

_jobs = cast(Table, Job.__table__)


def _queued(name: str) -> tuple[FromClause, ColumnElement[bool]]:
    # A literal in the statement's text, not a parameter: only then can the partial index serve it.
    queue = _jobs.alias(name)
    return queue, queue.c.state == literal_column("'queued'")


def _through_queue(statement: Select[Any], queue: FromClause) -> Select[Any]:
    # SQLite has no statistics of a queue that comes and goes, and would rather scan the finished jobs.
    return statement.with_hint(queue, "INDEXED BY ix_jobs_queued", "sqlite")


def _top_priority() -> ScalarSelect[int]:
    queue, queued = _queued("top")
    return _through_queue(select(func.max(queue.c.priority)).where(queued), queue).scalar_subquery()


def _waiting_owners() -> Any:
    queue, queued = _queued("first_owner")
    first = _through_queue(select(func.min(queue.c.owner)).where(queued, queue.c.priority == _top_priority()), queue)
    owners = select(first.scalar_subquery().label("owner")).cte("owners", recursive=True)
    queue, queued = _queued("next_owner")
    following = select(func.min(queue.c.owner)).where(
        queued, queue.c.priority == _top_priority(), queue.c.owner > owners.c.owner
    )
    following = _through_queue(following, queue)
    return owners.union_all(select(following.scalar_subquery()).where(owners.c.owner.is_not(None)))


def _fairest() -> ScalarSelect[str]:
    owners = _waiting_owners()
    runs = _jobs.alias("runs")
    running = select(func.count()).where(runs.c.state == literal_column("'running'"), runs.c.owner == owners.c.owner)
    running = running.with_hint(runs, "INDEXED BY ix_jobs_running", "sqlite")
    queue, queued = _queued("first_job")
    first = select(queue.c.id).where(queued, queue.c.priority == _top_priority(), queue.c.owner == owners.c.owner)
    first = _through_queue(first.order_by(queue.c.created_at, queue.c.id).limit(1), queue)
    turn = (
        select(owners.c.owner)
        .where(owners.c.owner.is_not(None))
        .order_by(running.scalar_subquery(), first.scalar_subquery())
        .limit(1)
    )
    queue, queued = _queued("candidate")
    chosen = select(queue.c.id).where(
        queued, queue.c.priority == _top_priority(), queue.c.owner == turn.scalar_subquery()
    )
    # By time and then id, although ids alone sort by time: the primary key must not look like a way to this order, for
    # it leads through every finished job.
    chosen = chosen.order_by(queue.c.created_at, queue.c.id).limit(1).with_for_update(skip_locked=True)
    return _through_queue(chosen, queue).scalar_subquery()


def _oldest() -> ScalarSelect[str]:
    queue, queued = _queued("candidate")
    chosen = select(queue.c.id).where(queued).order_by(queue.c.priority.desc(), queue.c.created_at, queue.c.id)
    return _through_queue(chosen.limit(1).with_for_update(skip_locked=True), queue).scalar_subquery()


FAIREST: ScalarSelect[str] = _fairest()
# For the moments when others hold locks on all jobs of the fair choice: then anything queued will do.
OLDEST: ScalarSelect[str] = _oldest()
