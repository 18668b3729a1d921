"""The status of a solve: its job's state until it has ended, then its outcome."""

from __future__ import annotations

from enum import StrEnum

from store.jobs.states import State


class Status(StrEnum):
    """The status of a solve's job, or the outcome of one that is done, with the API's names."""

    QUEUED = "queued"
    RUNNING = "running"
    SOLVED = "solved"
    EXHAUSTED = "exhausted"
    LIMIT_REACHED = "limit_reached"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether the solve has ended; nothing can change any more."""
        return self in OUTCOMES

    @property
    def state(self) -> State:
        """The state of the job, which is the API's ``status``."""
        return State.DONE if self in DONE else State(self.value)


PENDING = frozenset({Status.QUEUED, Status.RUNNING})
OUTCOMES = frozenset(Status) - PENDING
#: the API's outcomes: how a search that is done has ended
DONE = frozenset({Status.SOLVED, Status.EXHAUSTED, Status.LIMIT_REACHED})
