"""The UPDATEs that move a job from state to state, one for each edge of :mod:`store.jobs.states`.

Written once and kept, with bound parameters: building such a statement takes longer than running it.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Double,
    ScalarSelect,
    Table,
    Update,
    bindparam,
    literal_column,
    select,
)
from sqlalchemy import update as update_rows

from hstar.schema import Counters
from store.database.clock import from_now, now
from store.jobs.choice import FAIREST, OLDEST
from store.jobs.states import ABANDON, CANCEL, CLAIM, FINISH, LOSE, RELEASE, Status, Transition
from store.models import Solve, SolveDocument

solves = cast(Table, Solve.__table__)
_documents = cast(Table, SolveDocument.__table__)
row = solves.c

PROGRESS = (
    *("progress_expanded", "progress_generated", "progress_stored", "progress_lower_bound", "progress_bytes"),
    *("progress_building", "progress_built"),
)
RESULT = (
    *("solution", "length", "optimality", "lower_bound", "limit_name", "seconds", "peak_bytes", "error"),
    *Counters.model_fields,
)


def is_in(status: Status) -> ColumnElement[bool]:
    """The row is in this state. A literal in the text, not a parameter: only then can the partial indices serve it."""
    return row.status == literal_column(f"'{status}'")


def move(transition: Transition, target: Status, *where: ColumnElement[bool]) -> Update:
    """The only UPDATE that sets a status: along an edge, from its source to one of its targets."""
    if target not in transition.targets:
        raise ValueError(f"{transition.name} cannot lead to {target}")
    if transition.fenced:
        where = (row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"), *where)
    return update_rows(solves).where(is_in(transition.source), *where).values(status=target)


def _new(names: tuple[str, ...]) -> dict[str, BindParameter[Any]]:
    return {name: bindparam(f"new_{name}") for name in names}


def _lease() -> from_now:
    return from_now(bindparam("lease_seconds", type_=Double))


def _claim(candidate: ScalarSelect[str]) -> Update:
    request = select(_documents.c.request).where(_documents.c.solve_id == row.id).correlate(solves).scalar_subquery()
    return (
        move(CLAIM, Status.RUNNING, row.id == candidate)
        .values(
            attempt=row.attempt + 1,
            worker=bindparam("new_worker"),
            lease_until=_lease(),
            started_at=now(),
            cancel_requested=False,
            **_NO_PROGRESS,
        )
        .returning(row.id, row.attempt, request.label("request"))
    )


_NO_PROGRESS: dict[str, Any] = dict.fromkeys((*PROGRESS, "progress_at"))
_QUEUED_AGAIN: dict[str, Any] = {"lease_until": None, "started_at": None, **_NO_PROGRESS}

CLAIM_FAIREST = _claim(FAIREST)
CLAIM_OLDEST = _claim(OLDEST)

_BEAT = update_rows(solves).where(
    row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"), is_in(Status.RUNNING)
)
BEAT = _BEAT.values(lease_until=_lease()).returning(row.cancel_requested)
BEAT_WITH_PROGRESS = (
    _BEAT.values(lease_until=_lease()).values(progress_at=now(), **_new(PROGRESS)).returning(row.cancel_requested)
)

END = {
    target: move(FINISH, target).values(lease_until=None, finished_at=now(), **_new(RESULT)).returning(row.id)
    for target in FINISH.targets
}

# What auto chose, in the transaction that ends the job.
CHOSEN = (
    update_rows(solves).where(row.id == bindparam("claim_id")).values(_new(("method", "heuristic", "heuristic_name"))),
    update_rows(_documents)
    .where(_documents.c.solve_id == bindparam("claim_id"))
    .values(heuristic=bindparam("new_description", type_=_documents.c.heuristic.type)),
)

HAND_BACK = move(RELEASE, Status.QUEUED, ~row.cancel_requested).values(_QUEUED_AGAIN).returning(row.id)
# A claim that is handed back although somebody wants the job cancelled.
GIVE_UP = (
    move(ABANDON, Status.CANCELLED, row.id == bindparam("claim_id"), row.attempt == bindparam("claim_attempt"))
    .where(row.cancel_requested)
    .values(lease_until=None, finished_at=now())
    .returning(row.id)
)

LOCK = select(row.status).where(row.id == bindparam("solve_id")).with_for_update()
CANCEL_QUEUED = move(CANCEL, Status.CANCELLED, row.id == bindparam("solve_id")).values(
    cancel_requested=True, finished_at=now()
)
FLAG_RUNNING = (
    update_rows(solves).where(row.id == bindparam("solve_id"), is_in(Status.RUNNING)).values(cancel_requested=True)
)

# Locked first, in one order, and skipping what another sweeper has: sweepers never wait for one another.
EXPIRED = (
    select(row.id)
    .where(is_in(Status.RUNNING), row.lease_until < now())
    .order_by(row.id)
    .with_for_update(skip_locked=True)
)
_LOST = row.id.in_(bindparam("lost_ids", expanding=True))
_ENDED: dict[str, Any] = {"lease_until": None, "finished_at": now(), "losses": row.losses + 1}
LOSE_CANCELLED = move(ABANDON, Status.CANCELLED, _LOST, row.cancel_requested).values(_ENDED).returning(row.id)
LOSE_FOR_GOOD = (
    move(LOSE, Status.FAILED, _LOST, ~row.cancel_requested, row.losses + 1 >= bindparam("max_losses"))
    .values(error=bindparam("new_error"), **_ENDED)
    .returning(row.id)
)
LOSE_AND_QUEUE = (
    move(LOSE, Status.QUEUED, _LOST, ~row.cancel_requested, row.losses + 1 < bindparam("max_losses"))
    .values(losses=row.losses + 1, **_QUEUED_AGAIN)
    .returning(row.id)
)
