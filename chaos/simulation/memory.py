"""Jobs in memory: the operations of `store.jobs.machine` with the same rules, without database and clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from store.jobs import rules
from store.jobs.rules import Condition, Given, Row, Rule
from store.jobs.states import State

LEASE = 1000
MAX_LOSSES = 3

#: the result of a claim: the id of a job and the number of the attempt
Ticket = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Swept:
    """The sorted ids of the jobs that a sweep changed."""

    requeued: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()


class Jobs(Protocol):
    """The operations of a store of jobs that a world needs."""

    def submit(self, owner: str, key: str, priority: int) -> str:
        """Queue a job, unless one was queued with this key before; returns its id."""

    def claim(self, worker: str) -> Ticket | None:
        """Start the next attempt of the next job."""

    def heartbeat(self, ticket: Ticket, progress: str | None = None) -> tuple[bool, bool]:
        """Extend the lease, and write the progress, if any; returns whether the attempt holds the job, and whether a
        cancel was requested."""

    def end(self, ticket: Ticket, state: State, text: str) -> bool:
        """Write a final state with its answer (or a failure's error); returns whether it was accepted."""

    def release(self, ticket: Ticket, *, long: bool = False) -> bool:
        """Hand the job back; returns whether the attempt held it."""

    def cancel(self, job_id: str) -> State:
        """Request a cancellation; returns the job's state."""

    def sweep(self) -> Swept:
        """Queue lost jobs again."""

    def pass_time(self, seconds: int) -> None:
        """Set the clock forward or back."""

    def changed(self) -> dict[str, Row]:
        """The rows that may have changed since the last call."""


class Guard(Enum):
    """Guards that can be removed, to test that a simulation notices."""

    ATTEMPT_CHECK = "attempt"
    SWEEPER = "sweeper"
    IDEMPOTENCY = "idempotency"


@dataclass(slots=True)
class _Entry:
    row: Row
    owner: str
    priority: int
    created_at: float


class MemoryJobs:
    """A dictionary of jobs, and a clock that is only moved explicitly."""

    def __init__(self, without: frozenset[Guard] = frozenset()) -> None:
        self._without = without
        self._jobs: dict[str, _Entry] = {}
        self._keys: dict[str, str] = {}
        self._now = 0.0
        self._touched: set[str] = set()

    def submit(self, owner: str, key: str, priority: int, job_id: str | None = None) -> str:
        if key in self._keys and Guard.IDEMPOTENCY not in self._without:
            return self._keys[key]
        job_id = job_id or f"job-{len(self._jobs):04}"
        self._keys[key] = job_id
        self._jobs[job_id] = _Entry(Row(), owner, priority, self._now)
        self._touched.add(job_id)
        return job_id

    def claim(self, worker: str) -> Ticket | None:
        job_id = self._next()
        if job_id is None:
            return None
        self._apply(rules.START, job_id, Given(self._now, LEASE, values={"worker": worker}))
        return job_id, self._jobs[job_id].row.attempt

    def _next(self) -> str | None:
        """The oldest job of the highest priority, of the owner with the fewest running jobs."""
        first: dict[str, tuple[int, float, str]] = {}
        for job_id, job in self._jobs.items():
            if job.row.state is State.QUEUED:
                place = (-job.priority, job.created_at, job_id)
                first[job.owner] = min(first.get(job.owner, place), place)
        if not first:
            return None
        running = dict.fromkeys(first, 0)
        for job in self._jobs.values():
            if job.row.state is State.RUNNING and job.owner in running:
                running[job.owner] += 1
        # Among owners, age is compared by id, as in the database.
        owner = min(first, key=lambda name: (running[name], first[name][2]))
        return first[owner][2]

    def heartbeat(self, ticket: Ticket, progress: str | None = None) -> tuple[bool, bool]:
        rule = rules.EXTEND if progress is None else rules.EXTEND_WITH_PROGRESS
        held = self._apply(rule, ticket[0], Given(self._now, LEASE, ticket[1], values={"progress": progress}))
        return held, held and self._jobs[ticket[0]].row.cancel_requested

    def end(self, ticket: Ticket, state: State, text: str) -> bool:
        values = {"error": text, "answer": None} if state is State.FAILED else {"error": None, "answer": text}
        return self._apply(rules.END[state], ticket[0], Given(self._now, LEASE, ticket[1], values=values))

    def release(self, ticket: Ticket, *, long: bool = False) -> bool:
        given, hand_back = Given(self._now, LEASE, ticket[1]), rules.HAND_BACK_LONG if long else rules.HAND_BACK
        return self._apply(hand_back, ticket[0], given) or self._apply(rules.GIVE_UP, ticket[0], given)

    def cancel(self, job_id: str) -> State:
        given = Given(self._now, LEASE)
        if not self._apply(rules.CANCEL_QUEUED, job_id, given):
            self._apply(rules.FLAG_RUNNING, job_id, given)
        return self._jobs[job_id].row.state

    def sweep(self) -> Swept:
        if Guard.SWEEPER in self._without:
            return Swept()
        given = Given(self._now, LEASE, max_losses=MAX_LOSSES, values={"error": "worker_lost"})

        def moved(rule: Rule) -> tuple[str, ...]:
            return tuple(sorted(job_id for job_id in self._jobs if self._apply(rule, job_id, given)))

        shortened, cancelled = moved(rules.SHORTEN_LEASE), moved(rules.LOSE_CANCELLED)
        failed, requeued = moved(rules.LOSE_FOR_GOOD), moved(rules.LOSE_AND_QUEUE)
        return Swept(requeued, failed, cancelled, shortened)

    def pass_time(self, seconds: int) -> None:
        self._now += seconds

    def changed(self) -> dict[str, Row]:
        found = {job_id: replace(self._jobs[job_id].row) for job_id in self._touched}
        self._touched.clear()
        return found

    def _apply(self, rule: Rule, job_id: str, given: Given) -> bool:
        if Guard.ATTEMPT_CHECK in self._without and Condition.SAME_ATTEMPT in rule.conditions:
            others = tuple(one for one in rule.conditions if one is not Condition.SAME_ATTEMPT)
            transition = replace(rule.transition, fenced=False)
            rule = Rule(transition, rule.target, others, rule.changes)
        if rules.apply(rule, self._jobs[job_id].row, given):
            self._touched.add(job_id)
            return True
        return False
