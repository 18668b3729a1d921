"""The UPDATEs that move a job from state to state, one for each edge of :mod:`store.jobs.states`.

Written once and kept, with bound parameters: building such a statement takes longer than running it.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import ColumnElement, Double, ScalarSelect, Table, Update, bindparam, insert, literal_column, select
from sqlalchemy import update as update_rows

from store.database.clock import from_now, now
from store.jobs.choice import FAIREST, OLDEST
from store.jobs.models import Job
from store.jobs.states import ABANDON, CANCEL, CLAIM, FINISH, LOSE, RELEASE, State, Transition

jobs = cast(Table, Job.__table__)
row = jobs.c

INSERT = insert(jobs)


def is_in(state: State) -> ColumnElement[bool]:
    """The row is in this state. A literal in the text, not a parameter: only then can the partial indices serve it."""
    return row.state == literal_column(f"'{state}'")


def move(transition: Transition, target: State, *where: ColumnElement[bool]) -> Update:
    """The only UPDATE that sets a state: along an edge, from its source to one of its targets."""
    if target not in transition.targets:
        raise ValueError(f"{transition.name} cannot lead to {target}")
    if transition.fenced:
        where = (row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"), *where)
    return update_rows(jobs).where(is_in(transition.source), *where).values(state=target)


def _lease() -> from_now:
    return from_now(bindparam("lease_seconds", type_=Double))


_NO_PROGRESS: dict[str, Any] = {"progress": None, "progress_at": None}
_QUEUED_AGAIN: dict[str, Any] = {"lease_until": None, "started_at": None, **_NO_PROGRESS}


def _claim(candidate: ScalarSelect[str]) -> Update:
    return (
        move(CLAIM, State.RUNNING, row.id == candidate)
        .values(
            attempt=row.attempt + 1,
            worker=bindparam("new_worker"),
            lease_until=_lease(),
            started_at=now(),
            cancel_requested=False,
            **_NO_PROGRESS,
        )
        .returning(row.id, row.kind, row.attempt, row.request)
    )


CLAIM_FAIREST = _claim(FAIREST)
CLAIM_OLDEST = _claim(OLDEST)

_BEAT = update_rows(jobs).where(
    row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"), is_in(State.RUNNING)
)
BEAT = _BEAT.values(lease_until=_lease()).returning(row.cancel_requested)
BEAT_WITH_PROGRESS = _BEAT.values(
    lease_until=_lease(), progress_at=now(), progress=bindparam("new_progress")
).returning(row.cancel_requested)

END = {
    target: move(FINISH, target)
    .values(lease_until=None, finished_at=now(), error=bindparam("new_error"), answer=bindparam("new_answer"))
    .returning(row.id)
    for target in FINISH.targets
}

HAND_BACK = move(RELEASE, State.QUEUED, ~row.cancel_requested).values(_QUEUED_AGAIN).returning(row.id)
# A claim that is handed back although somebody wants the job cancelled.
GIVE_UP = (
    move(ABANDON, State.CANCELLED, row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"))
    .where(row.cancel_requested)
    .values(lease_until=None, finished_at=now())
    .returning(row.id)
)

LOCK = select(row.state).where(row.id == bindparam("job_id")).with_for_update()
CANCEL_QUEUED = move(CANCEL, State.CANCELLED, row.id == bindparam("job_id")).values(
    cancel_requested=True, finished_at=now()
)
FLAG_RUNNING = (
    update_rows(jobs).where(row.id == bindparam("job_id"), is_in(State.RUNNING)).values(cancel_requested=True)
)

# Locked first, in one order, and skipping what another sweeper has: sweepers never wait for one another.
EXPIRED = (
    select(row.id)
    .where(is_in(State.RUNNING), row.lease_until < now())
    .order_by(row.id)
    .with_for_update(skip_locked=True)
)
_LOST = row.id.in_(bindparam("lost_ids", expanding=True))
_ENDED: dict[str, Any] = {"lease_until": None, "finished_at": now(), "losses": row.losses + 1}
LOSE_CANCELLED = move(ABANDON, State.CANCELLED, _LOST, row.cancel_requested).values(_ENDED).returning(row.id)
LOSE_FOR_GOOD = (
    move(LOSE, State.FAILED, _LOST, ~row.cancel_requested, row.losses + 1 >= bindparam("max_losses"))
    .values(error=bindparam("new_error"), **_ENDED)
    .returning(row.id)
)
LOSE_AND_QUEUE = (
    move(LOSE, State.QUEUED, _LOST, ~row.cancel_requested, row.losses + 1 < bindparam("max_losses"))
    .values(losses=row.losses + 1, **_QUEUED_AGAIN)
    .returning(row.id)
)
