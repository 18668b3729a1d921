"""The states of a job and every legal transition between them, as data.

    queued --claim--> running --finish--> done | cancelled | failed
    running --release--> queued            (the worker shuts down, or the job is not quick; not a loss)
    running --lose--> queued | failed      (the lease ran out; failed when it was lost too often)
    running --abandon--> cancelled         (the lease ran out or the worker shuts down, after a cancel was requested)
    queued --cancel--> cancelled

While a job runs, ``beat`` extends its lease, ``flag`` requests its cancellation, and ``shorten`` cuts a lease that is
too long after the clock was set back. :mod:`store.jobs.rules` has the conditions and effects of each.

A *fenced* transition also compares the attempt number: a worker that lost its lease changes nothing. States say nothing
about the result of a job; that is in its kind's answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of a job of any kind."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether the job has ended; nothing can change any more."""
        return self in FINAL


FINAL = frozenset({State.DONE, State.CANCELLED, State.FAILED})


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition from one state to one of several; ``fenced``: it compares the attempt number."""

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

# These do not change the state.
BEAT = Transition("beat", State.RUNNING, frozenset({State.RUNNING}), fenced=True)
FLAG = Transition("flag", State.RUNNING, frozenset({State.RUNNING}), fenced=False)
SHORTEN = Transition("shorten", State.RUNNING, frozenset({State.RUNNING}), fenced=False)

# Transitions that change the state.
TRANSITIONS = (CLAIM, FINISH, RELEASE, LOSE, ABANDON, CANCEL)

# Every edge that can occur in a row's history.
LEGAL = frozenset((t.source, target) for t in TRANSITIONS for target in t.targets)
