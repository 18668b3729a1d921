"""The SQL of :mod:`store.jobs.rules`: one UPDATE for each rule, with its conditions in the WHERE clause.

Built once and cached, with bound parameters, because building a statement takes longer than running it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import (
    CTE,
    ColumnElement,
    Double,
    ScalarSelect,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    insert,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy import update as update_rows

from store.database.clock import from_now, now
from store.jobs import rules
from store.jobs.choice import FAIREST, FAIREST_AFTER, OLDEST, Among
from store.jobs.models import Job
from store.jobs.rules import Change, Condition, Rule
from store.jobs.states import FINAL, State

jobs = cast(Table, Job.__table__)
row = jobs.c

INSERT = insert(jobs)
DELETE = delete(jobs).where(row.id == bindparam("job_id"), row.state.in_(sorted(FINAL)))


def is_in(state: State) -> ColumnElement[bool]:
    """The row is in this state: a literal, not a parameter, because otherwise the partial indices cannot be used."""
    return row.state == literal_column(f"'{state}'")


def _lease() -> from_now:
    return from_now(bindparam("lease_seconds", type_=Double))


_CONDITIONS: dict[Condition, ColumnElement[bool]] = {
    Condition.SAME_ATTEMPT: row.attempt == bindparam("claim_attempt"),
    Condition.CANCEL_REQUESTED: row.cancel_requested,
    Condition.NO_CANCEL_REQUESTED: ~row.cancel_requested,
    Condition.LEASE_RAN_OUT: row.lease_until < now(),
    Condition.LEASE_TOO_LONG: row.lease_until > _lease(),
    Condition.LOST_TOO_OFTEN: row.losses + 1 >= bindparam("max_losses"),
    Condition.MAY_BE_LOST_AGAIN: row.losses + 1 < bindparam("max_losses"),
}


_VALUES: dict[Change, Callable[[str], Any]] = {
    Change.NULL: lambda column: None,
    Change.TRUE: lambda column: True,
    Change.FALSE: lambda column: False,
    Change.ONE_MORE: lambda column: row[column] + 1,
    Change.NOW: lambda column: now(),
    Change.LEASE: lambda column: _lease(),
    Change.GIVEN: lambda column: bindparam(f"new_{column}"),
}


def update(rule: Rule, *which: ColumnElement[bool]) -> Update:
    """The rule, applied to ``which`` rows: the only UPDATE that sets a state."""
    conditions = (_CONDITIONS[condition] for condition in rule.conditions)
    # Writing an indexed column costs more than leaving it out.
    state = {} if rule.target is rule.transition.source else {"state": rule.target}
    values = {column: _VALUES[change](column) for column, change in rule.changes.items()}
    return update_rows(jobs).where(is_in(rule.transition.source), *which, *conditions).values(**state, **values)


_OURS = row.id == bindparam("claim_id")
_NAMED = row.id == bindparam("job_id")


def _claim(candidate: ScalarSelect[str]) -> Update:
    columns = (row.id, row.kind, row.owner, row.attempt, row.request, row.progress)
    return update(rules.START, row.id == candidate).returning(*columns)


CLAIM_FAIREST = {among: _claim(choice) for among, choice in FAIREST.items()}
CLAIM_OLDEST = {among: _claim(choice) for among, choice in OLDEST.items()}

BEAT = update(rules.EXTEND, _OURS).returning(row.cancel_requested)
BEAT_WITH_PROGRESS = update(rules.EXTEND_WITH_PROGRESS, _OURS).returning(row.cancel_requested)

END = {target: update(rule, _OURS).returning(row.id) for target, rule in rules.END.items()}

# The same for the WITH clause of `end_with`
ENDED = {target: statement.cte("ended") for target, statement in END.items()}
_CLAIM_AFTER = {among: _claim(choice).cte("claimed") for among, choice in FAIREST_AFTER.items()}


@lru_cache(64)
def end_with(target: State, writes: tuple[CTE, ...], among: Among | None) -> Select[Any]:
    """The end of a job together with ``writes`` to tables of its kind, and the claim of the next job, if any.

    Only PostgreSQL can do it, where each statement costs a round trip. Its row has the id of the ended job (``ended``;
    null if the claim no longer holds) and the columns of the claimed one.

    :param writes: UPDATEs of rows whose id is that of ``ENDED[target]``
    :param among: which jobs to claim from; None: claim none
    """
    ended = select(ENDED[target].c.id).scalar_subquery().label("ended")
    if among is None:
        return select(ended).add_cte(*writes)
    claimed = _CLAIM_AFTER[among]
    always = select(literal_column("1")).subquery("always")
    return select(ended, *claimed.c).select_from(always.outerjoin(claimed, true())).add_cte(*writes)


HAND_BACK = update(rules.HAND_BACK, _OURS).returning(row.id)
HAND_BACK_LONG = update(rules.HAND_BACK_LONG, _OURS).returning(row.id)
GIVE_UP = update(rules.GIVE_UP, _OURS).returning(row.id)

LOCK = select(row.state).where(_NAMED).with_for_update()
CANCEL_QUEUED = update(rules.CANCEL_QUEUED, _NAMED)
FLAG_RUNNING = update(rules.FLAG_RUNNING, _NAMED)

# Locked first, in a fixed order, skipping rows of other sweepers: sweepers never wait for one another.
_WRONG_LEASE = or_(_CONDITIONS[Condition.LEASE_RAN_OUT], _CONDITIONS[Condition.LEASE_TOO_LONG])
WITH_WRONG_LEASE = (
    select(row.id).where(is_in(State.RUNNING), _WRONG_LEASE).order_by(row.id).with_for_update(skip_locked=True)
)
ANY_WITH_WRONG_LEASE = select(row.id).where(is_in(State.RUNNING), _WRONG_LEASE).limit(1)
_LOST = row.id.in_(bindparam("lost_ids", expanding=True))
SHORTEN_LEASE = update(rules.SHORTEN_LEASE, _LOST).returning(row.id)
LOSE_CANCELLED = update(rules.LOSE_CANCELLED, _LOST).returning(row.id)
LOSE_FOR_GOOD = update(rules.LOSE_FOR_GOOD, _LOST).returning(row.id)
LOSE_AND_QUEUE = update(rules.LOSE_AND_QUEUE, _LOST).returning(row.id)
