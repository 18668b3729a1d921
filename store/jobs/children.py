"""Jobs that are parts of another: their parent queues them, reads their answers, and adds these up.

A parent that runs again after a loss finds those of its last attempt, so that nothing is done or counted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.database import Transaction
from store.ids import new_id
from store.jobs import machine, statements
from store.jobs.machine import NewJob
from store.jobs.statements import jobs
from store.jobs.states import FINAL, State

__all__ = ["Child", "look", "orphans", "queue", "take"]


class Child(NamedTuple):
    """A part as it is now; the answer is JSON of its kind."""

    id: str
    state: State
    answer: str | None


def queue(transaction: Transaction, parent: str, kind: str, requests: Sequence[str]) -> list[str]:
    """Queue a job for each request, for the owner of the parent and with its priority; returns their ids. A job for the
    same request that has not been cancelled and has not failed is used again."""
    connection = transaction.connection()
    c = jobs.c
    owner, priority = connection.execute(select(c.owner, c.priority).where(c.id == parent)).one()
    usable = (State.QUEUED, State.RUNNING, State.DONE)
    there = connection.execute(select(c.request, c.id).where(c.parent == parent, c.kind == kind, c.state.in_(usable)))
    known = {one.request: one.id for one in there}
    new = [
        NewJob(kind, request, owner, priority, new_id(), quick=False, parent=parent)
        for request in requests
        if request not in known
    ]
    if new:
        machine.submit(transaction, new)
    known.update((one.request, one.id) for one in new)
    return [known[request] for request in requests]


def look(session: Session, ids: Sequence[str]) -> list[Child]:
    """These jobs, as far as they have not been deleted."""
    c = jobs.c
    return [Child(*row) for row in session.execute(select(c.id, c.state, c.answer).where(c.id.in_(ids)))]


def take(transaction: Transaction, job: str) -> bool:
    """Cancel a job if it is still queued; False if not."""
    return transaction.connection().execute(statements.CANCEL_QUEUED, {"job_id": job}).rowcount == 1


def orphans(session: Session, most: int = 100) -> list[str]:
    """Jobs that are queued or running although their parent has ended, and that nobody has cancelled yet."""
    c, parents = jobs.c, jobs.alias("parents")
    # The first two conditions are those of an index.
    open_parts = (c.parent.is_not(None), c.finished_at.is_(None))
    wanted = select(c.id).join(parents, c.parent == parents.c.id).where(*open_parts, ~c.cancel_requested)
    return list(session.scalars(wanted.where(parents.c.state.in_(sorted(FINAL))).limit(most)))
