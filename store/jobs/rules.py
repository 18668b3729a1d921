"""The rules of a job, as data: every change of a row, its conditions, and what it writes.

    END[State.DONE]    running -> done, if the attempt is the claim's; lease_until = null, finished_at = now, ...

Both implementations are made from these rules and so cannot disagree: the SQL (:mod:`store.jobs.statements`), and the
plain code below, which needs no database and no clock. ``chaos/simulation`` runs the plain code through a million
random histories, and tests compare the two step by step on both databases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from math import inf
from typing import Any

from store.jobs.states import (
    ABANDON,
    BEAT,
    CANCEL,
    CLAIM,
    FINISH,
    FLAG,
    LOSE,
    RELEASE,
    SHORTEN,
    State,
    Transition,
)


class Condition(Enum):
    """A condition on a row, besides being in the state that the transition starts from."""

    SAME_ATTEMPT = auto()
    CANCEL_REQUESTED = auto()
    NO_CANCEL_REQUESTED = auto()
    LEASE_RAN_OUT = auto()
    LEASE_TOO_LONG = auto()
    LOST_TOO_OFTEN = auto()
    MAY_BE_LOST_AGAIN = auto()


class Change(Enum):
    """The new value of a column."""

    NULL = auto()
    TRUE = auto()
    FALSE = auto()
    ONE_MORE = auto()
    NOW = auto()
    #: now and the length of a lease
    LEASE = auto()
    #: a value given with the operation
    GIVEN = auto()


@dataclass(frozen=True, eq=False)
class Rule:
    """A change along ``transition`` to ``target``; a fenced transition has the condition SAME_ATTEMPT."""

    transition: Transition
    target: State
    conditions: tuple[Condition, ...] = ()
    changes: Mapping[str, Change] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target not in self.transition.targets:
            raise ValueError(f"{self.transition.name} cannot lead to {self.target}")
        if self.transition.fenced and Condition.SAME_ATTEMPT not in self.conditions:
            object.__setattr__(self, "conditions", (Condition.SAME_ATTEMPT, *self.conditions))


# The progress stays: the next attempt may begin with what this one has come to.
_QUEUED_AGAIN = {"lease_until": Change.NULL, "started_at": Change.NULL}
_ENDED = {"lease_until": Change.NULL, "finished_at": Change.NOW}
_LOST = {"losses": Change.ONE_MORE}

START = Rule(
    CLAIM,
    State.RUNNING,
    changes={
        "attempt": Change.ONE_MORE,
        "worker": Change.GIVEN,
        "lease_until": Change.LEASE,
        "started_at": Change.NOW,
        "cancel_requested": Change.FALSE,
    },
)
EXTEND = Rule(BEAT, State.RUNNING, changes={"lease_until": Change.LEASE})
EXTEND_WITH_PROGRESS = Rule(
    BEAT, State.RUNNING, changes={"lease_until": Change.LEASE, "progress": Change.GIVEN, "progress_at": Change.NOW}
)
END = {
    target: Rule(FINISH, target, changes={**_ENDED, "error": Change.GIVEN, "answer": Change.GIVEN})
    for target in FINISH.targets
}
HAND_BACK = Rule(RELEASE, State.QUEUED, (Condition.NO_CANCEL_REQUESTED,), _QUEUED_AGAIN)
# It was tried as a quick job, and took too long.
HAND_BACK_LONG = Rule(RELEASE, State.QUEUED, (Condition.NO_CANCEL_REQUESTED,), {**_QUEUED_AGAIN, "quick": Change.FALSE})
# A claim that is handed back after the job's cancellation was requested.
GIVE_UP = Rule(ABANDON, State.CANCELLED, (Condition.SAME_ATTEMPT, Condition.CANCEL_REQUESTED), _ENDED)
CANCEL_QUEUED = Rule(CANCEL, State.CANCELLED, changes={"cancel_requested": Change.TRUE, "finished_at": Change.NOW})
FLAG_RUNNING = Rule(FLAG, State.RUNNING, changes={"cancel_requested": Change.TRUE})
LOSE_CANCELLED = Rule(
    ABANDON, State.CANCELLED, (Condition.LEASE_RAN_OUT, Condition.CANCEL_REQUESTED), {**_ENDED, **_LOST}
)
LOSE_FOR_GOOD = Rule(
    LOSE,
    State.FAILED,
    (Condition.LEASE_RAN_OUT, Condition.NO_CANCEL_REQUESTED, Condition.LOST_TOO_OFTEN),
    {**_ENDED, **_LOST, "error": Change.GIVEN},
)
LOSE_AND_QUEUE = Rule(
    LOSE,
    State.QUEUED,
    (Condition.LEASE_RAN_OUT, Condition.NO_CANCEL_REQUESTED, Condition.MAY_BE_LOST_AGAIN),
    {**_QUEUED_AGAIN, **_LOST},
)
# A lease that ends later than any that begins now: the clock was set back. Its worker may be alive, so the job is not
# lost.
SHORTEN_LEASE = Rule(SHORTEN, State.RUNNING, (Condition.LEASE_TOO_LONG,), {"lease_until": Change.LEASE})


@dataclass(slots=True)
class Row:
    """A job in memory: the columns that rules read or change. Times are seconds of any clock."""

    state: State = State.QUEUED
    attempt: int = 0
    losses: int = 0
    cancel_requested: bool = False
    quick: bool = True
    worker: str | None = None
    lease_until: float | None = None
    started_at: float | None = None
    finished_at: float | None = None
    progress: str | None = None
    progress_at: float | None = None
    error: str | None = None
    answer: str | None = None


@dataclass(slots=True)
class Given:
    """The parameters of an operation: the time, and the values that it compares and writes."""

    now: float
    lease: float = 0.0
    attempt: int = 0
    max_losses: float = inf
    values: Mapping[str, str | None] = field(default_factory=dict)


_HOLDS: Mapping[Condition, Callable[[Row, Given], bool]] = {
    Condition.SAME_ATTEMPT: lambda row, given: row.attempt == given.attempt,
    Condition.CANCEL_REQUESTED: lambda row, given: row.cancel_requested,
    Condition.NO_CANCEL_REQUESTED: lambda row, given: not row.cancel_requested,
    Condition.LEASE_RAN_OUT: lambda row, given: row.lease_until is not None and row.lease_until < given.now,
    Condition.LEASE_TOO_LONG: lambda row, given: (
        row.lease_until is not None and row.lease_until > given.now + given.lease
    ),
    Condition.LOST_TOO_OFTEN: lambda row, given: row.losses + 1 >= given.max_losses,
    Condition.MAY_BE_LOST_AGAIN: lambda row, given: row.losses + 1 < given.max_losses,
}
_VALUES: Mapping[Change, Callable[[Row, str, Given], Any]] = {
    Change.NULL: lambda row, column, given: None,
    Change.TRUE: lambda row, column, given: True,
    Change.FALSE: lambda row, column, given: False,
    Change.ONE_MORE: lambda row, column, given: getattr(row, column) + 1,
    Change.NOW: lambda row, column, given: given.now,
    Change.LEASE: lambda row, column, given: given.now + given.lease,
    Change.GIVEN: lambda row, column, given: given.values[column],
}


def apply(rule: Rule, row: Row, given: Given) -> bool:
    """Apply the rule to ``row`` if its state and conditions hold; returns whether they did."""
    if row.state is not rule.transition.source:
        return False
    for condition in rule.conditions:
        if not _HOLDS[condition](row, given):
            return False
    changed = [(column, _VALUES[change](row, column, given)) for column, change in rule.changes.items()]
    row.state = rule.target
    for column, value in changed:
        setattr(row, column, value)
    return True
