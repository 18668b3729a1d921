"""The states of a job and every legal transition between them, as data.

    queued --claim--> running --finish--> done | cancelled | failed
    running --release--> queued            (the worker shuts down, or the job is not a quick one; not a loss)
    running --lose--> queued | failed      (the lease ran out; failed when it was lost too often)
    running --abandon--> cancelled         (the lease ran out or the worker shuts down, and a cancel had been asked for)
    queued --cancel--> cancelled

While a job runs, ``beat`` extends its lease, ``flag`` asks for its cancellation, and ``shorten`` takes back what is too
much of a lease after the clock was set back. What each of them writes, and when, is in :mod:`store.jobs.rules`.

A transition that is *fenced* also compares the attempt number: a worker that lost its lease changes nothing.
What came out of a job that is done is its kind's to say: states hold no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a job stands, whatever its kind."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether nothing can change any more."""
        return self in FINAL


FINAL = frozenset({State.DONE, State.CANCELLED, State.FAILED})


@dataclass(frozen=True, slots=True)
class Transition:
    """An edge: from one state to one of several, fenced by the attempt number or not."""

    name: str
    source: State
    targets: frozenset[State]
    fenced: bool


CLAIM = Transition("claim", State.QUEUED, frozenset({State.RUNNING}), fenced=False)
FINISH = Transition("finish", State.RUNNING, FINAL, fenced=True)
RELEASE = Transition("release", State.RUNNING, frozenset({State.QUEUED}), fenced=True)
LOSE = Transition("lose", State.RUNNING, frozenset({State.QUEUED, State.FAILED}), fenced=False)
ABANDON = Transition("abandon", State.RUNNING, frozenset({State.CANCELLED}), fenced=False)
CANCEL = Transition("cancel", State.QUEUED, frozenset({State.CANCELLED}), fenced=False)

# These stay where they are.
BEAT = Transition("beat", State.RUNNING, frozenset({State.RUNNING}), fenced=True)
FLAG = Transition("flag", State.RUNNING, frozenset({State.RUNNING}), fenced=False)
SHORTEN = Transition("shorten", State.RUNNING, frozenset({State.RUNNING}), fenced=False)

# Those that lead from one state to another.
TRANSITIONS = (CLAIM, FINISH, RELEASE, LOSE, ABANDON, CANCEL)

# Every edge that can ever be seen in a row's history.
LEGAL = frozenset((t.source, target) for t in TRANSITIONS for target in t.targets)
