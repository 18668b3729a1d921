"""The states of a job and every legal transition between them, as data.

    queued --claim--> running --finish--> solved | exhausted | limit_reached | cancelled | failed
    running --release--> queued            (the worker shuts down; not a loss)
    running --lose--> queued | failed      (the lease ran out; failed when it was lost too often)
    running --abandon--> cancelled         (the lease ran out or the worker shuts down, and a cancel had been asked for)
    queued --cancel--> cancelled

A transition that is *fenced* also compares the attempt number: a worker that lost its lease changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Where a job stands. The names are the API's."""

    QUEUED = "queued"
    RUNNING = "running"
    SOLVED = "solved"
    EXHAUSTED = "exhausted"
    LIMIT_REACHED = "limit_reached"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether nothing can change any more."""
        return self in FINAL


FINAL = frozenset(
    {Status.SOLVED, Status.EXHAUSTED, Status.LIMIT_REACHED, Status.CANCELLED, Status.FAILED},
)


@dataclass(frozen=True, slots=True)
class Transition:
    """An edge: from one state to one of several, fenced by the attempt number or not."""

    name: str
    source: Status
    targets: frozenset[Status]
    fenced: bool


CLAIM = Transition("claim", Status.QUEUED, frozenset({Status.RUNNING}), fenced=False)
FINISH = Transition("finish", Status.RUNNING, FINAL, fenced=True)
RELEASE = Transition("release", Status.RUNNING, frozenset({Status.QUEUED}), fenced=True)
LOSE = Transition("lose", Status.RUNNING, frozenset({Status.QUEUED, Status.FAILED}), fenced=False)
ABANDON = Transition("abandon", Status.RUNNING, frozenset({Status.CANCELLED}), fenced=False)
CANCEL = Transition("cancel", Status.QUEUED, frozenset({Status.CANCELLED}), fenced=False)

TRANSITIONS = (CLAIM, FINISH, RELEASE, LOSE, ABANDON, CANCEL)

# Every edge that can ever be seen in a row's history.
LEGAL = frozenset((t.source, target) for t in TRANSITIONS for target in t.targets)
