"""The status of a solve: its job's state until it has ended, then its outcome."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """The status of a solve, with the API's names."""

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


PENDING = frozenset({Status.QUEUED, Status.RUNNING})
OUTCOMES = frozenset(Status) - PENDING
