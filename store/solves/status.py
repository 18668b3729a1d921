"""The status of a solve: its job's state until it has ended, then its outcome."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where a solve stands. The names are the API's."""

    QUEUED = "queued"
    RUNNING = "running"
    SOLVED = "solved"
    EXHAUSTED = "exhausted"
    LIMIT_REACHED = "limit_reached"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether it is an outcome: nothing can change any more."""
        return self in OUTCOMES


PENDING = frozenset({Status.QUEUED, Status.RUNNING})
OUTCOMES = frozenset(Status) - PENDING
