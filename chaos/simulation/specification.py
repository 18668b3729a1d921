"""What must hold in every history of jobs, written down once more, apart from the code that decides.

It imports none of it. It sees what was asked of the store, at which time of the database's clock, what the store
answered, and which rows have changed; and it says which of these properties is violated:

- a final state stays;
- an attempt begins with a claim, is that of one worker, and what its worker writes is kept;
- a live lease is never taken: who has claimed a job, or extended the lease, holds the job for one lease;
- a lost job is noticed by the next sweep, its loss is counted, and the last one that is allowed fails it;
- a job that is handed back is queued, without a loss;
- a cancel is honoured: a queued job ends at once; a running one is never queued again, its worker is told at each
  heartbeat; and nothing else ends as cancelled;
- an owner who waits is not passed over;
- a request with the same key makes one job, and in the end each job has ended.

With the times of what happened it also says whether something came in time (`Deadlines`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

FINAL = ("done", "cancelled", "failed")
NEVER = float("-inf")

#: a row of a job, with the columns of the table as attributes; times are None or seconds of the database's clock
Row = Any
Ticket = tuple[str, int]


class Violation(AssertionError):
    """A property does not hold."""


@dataclass
class Seen:
    """What is known of a job from its past."""

    owner: str
    priority: int
    created: float
    number: int
    row: Row
    asked_to_cancel: bool = False
    #: until when the attempt holds the job, whatever happens; and after when a sweep must notice that it is lost
    promised: float = NEVER
    overdue: float = NEVER
    progress: str | None = None


class Specification:
    """The properties, with what was seen of one history."""

    def __init__(self, lease: float, most_losses: int, *, exact: bool = True) -> None:
        """:param exact: the times in rows are those of `clock_is`; else only whether there is one counts"""
        self._lease, self._most_losses, self._exact = lease, most_losses, exact
        self._jobs: dict[str, Seen] = {}
        self._made: dict[str, str] = {}
        self._now = 0.0

    # What was asked and answered, with the rows that have changed

    def submitted(self, key: str, job: str, owner: str, priority: int, changed: Mapping[str, Row]) -> None:
        """A request with this key was answered with this job."""
        self._need(self._made.setdefault(key, job) == job, job, f"{key} made {self._made[key]} before")
        new = job not in self._jobs
        self._need(set(changed) <= {job}, job, "a submission changed other jobs")
        if new:
            row = changed[job]
            self._jobs[job] = Seen(owner, priority, self._now, len(self._jobs), row)
            fresh = (row.state, row.attempt, row.losses, row.cancel_requested)
            self._need(fresh == ("queued", 0, 0, False), job, "a new job is queued and nothing else")
            self._look_at(job, row)
        else:
            self._unchanged(changed)

    def claimed(self, worker: str, ticket: Ticket | None, changed: Mapping[str, Row], *, any_job: bool = True) -> None:
        """A worker asked for a job: for any, or only for some, as one that is small."""
        waiting = {seen.owner for seen in self._jobs.values() if seen.row.state == "queued"} if any_job else set()
        if ticket is None:
            self._need(not waiting, "", f"{sorted(waiting)} wait, and the worker was given nothing")
            self._unchanged(changed)
            return
        job, attempt = ticket
        before, row = self._change(job, changed)
        self._need(before.state == "queued", job, "only a queued job can be claimed")
        self._need(attempt == row.attempt == before.attempt + 1, job, "a claim is one attempt more")
        self._need((row.state, row.worker) == ("running", worker), job, "it runs at the worker that claimed it")
        self._need(self._is_now(row.started_at), job, "it begins when it is claimed")
        self._same(job, before, row, "losses", "progress", "quick")
        self._need(not self._jobs[job].asked_to_cancel and not row.cancel_requested, job, "a cancel was forgotten")
        self._promise(job)
        if any_job:
            self._is_fair(job, waiting)

    def extended(
        self, ticket: Ticket, held: bool, told: bool, progress: str | None, changed: Mapping[str, Row]
    ) -> None:
        """A heartbeat, with new progress or none; ``told``: it was told to cancel."""
        job = ticket[0]
        if not self._is_accepted(ticket, held, changed):
            self._need(not told, job, "a worker without the job was told to cancel")
            return
        if progress is not None:
            self._jobs[job].progress = progress
        before, row = self._change(job, changed)
        self._need(row.state == "running", job, "a heartbeat ends nothing")
        self._need(told == self._jobs[job].asked_to_cancel, job, "its worker is told of a cancel, and of no other")
        self._same(job, before, row, "attempt", "losses", "cancel_requested", "quick", "worker", "started_at")
        if progress is not None:
            self._need(self._is_now(row.progress_at), job, "progress has the time at which it was told")
        self._promise(job)

    def ended(self, ticket: Ticket, state: str, text: str, accepted: bool, changed: Mapping[str, Row]) -> None:
        """A worker wrote a final state, with its answer (a failure: its reason)."""
        job = ticket[0]
        if not self._is_accepted(ticket, accepted, changed):
            return
        before, row = self._change(job, changed)
        self._need(row.state == state, job, f"it is {row.state} and not {state}")
        self._need((row.error if state == "failed" else row.answer) == text, job, "what was written is not kept")
        self._same(job, before, row, "attempt", "losses", "quick", "worker", "started_at", "cancel_requested")

    def released(self, ticket: Ticket, long: bool, accepted: bool, changed: Mapping[str, Row]) -> None:
        """A worker handed a job back; ``long``: it was tried, and takes long."""
        job = ticket[0]
        if not self._is_accepted(ticket, accepted, changed):
            return
        before, row = self._change(job, changed)
        due = "cancelled" if self._jobs[job].asked_to_cancel else "queued"
        self._need(row.state == due, job, f"it was handed back and is {row.state}, not {due}")
        self._need(row.losses == before.losses, job, "what is handed back is not lost")
        if due == "queued":
            self._need(row.quick == (before.quick and not long), job, "only what takes long is not tried again")
        self._same(job, before, row, "attempt", "cancel_requested")

    def asked_to_cancel(self, job: str, answer: str, changed: Mapping[str, Row]) -> None:
        """A client asked for the cancellation of a job."""
        before = self._jobs[job].row
        if before.state in FINAL:
            self._need(answer == before.state, job, f"a cancel of a {before.state} job was answered with {answer}")
            self._unchanged(changed)
            return
        self._jobs[job].asked_to_cancel = True
        before, row = self._change(job, changed)
        due = "cancelled" if before.state == "queued" else "running"
        self._need(answer == row.state == due, job, f"it was {before.state}, a cancel made it {row.state}")
        self._need(row.cancel_requested, job, "a cancel was forgotten")
        self._same(job, before, row, "attempt", "losses", "quick", "worker", "started_at")

    def swept(self, changed: Mapping[str, Row]) -> None:
        """A sweeper looked at all jobs."""
        for job, row in changed.items():
            seen = self._jobs[job]
            before, seen.row = seen.row, row
            self._look_at(job, row, before)
            if row.state == before.state:
                self._same(job, before, row, *_BUT_TIMES)
                continue
            self._need(before.state == "running", job, f"a sweep made a {before.state} job {row.state}")
            self._need(
                self._now > seen.promised, job, f"a live lease was taken, {seen.promised - self._now} s too soon"
            )
            self._need(row.losses == before.losses + 1, job, "a loss was not counted")
            lost_for_good = row.losses >= self._most_losses
            due = "cancelled" if seen.asked_to_cancel else "failed" if lost_for_good else "queued"
            self._need(row.state == due, job, f"it was lost for the {row.losses}. time and is {row.state}, not {due}")
            said = isinstance(row.error, str) and row.error.startswith("worker_lost")
            self._need(said or due != "failed", job, "its reason is not that its worker was lost")
            self._same(job, before, row, "attempt", "quick", "cancel_requested")
        for job, seen in self._jobs.items():
            if seen.row.state == "running":
                self._need(self._now <= seen.overdue, job, "its lease has run out, and a sweep has left it")
                seen.overdue = min(seen.overdue, self._now + self._lease)

    def clock_is(self, now: float) -> None:
        """The database's clock; it may be set forward and back."""
        self._now = now
        # No lease is longer than one that begins now. The store knows that from its next sweep on.
        for seen in self._jobs.values():
            seen.promised = min(seen.promised, now + self._lease)

    def all_have_ended(self) -> None:
        """At the end of a history, when everything has been working for a while."""
        for job, seen in self._jobs.items():
            self._need(seen.row.state in FINAL, job, f"it is {seen.row.state}, although a worker was there for it")
        self._need(set(self._jobs) == set(self._made.values()), "", "there are jobs that nobody has submitted")

    # The properties of every row

    def _look_at(self, job: str, row: Row, before: Row | None = None) -> None:
        running, final = row.state == "running", row.state in FINAL
        self._need(
            before is None or before.state not in FINAL, job, f"a {getattr(before, 'state', '')} job has changed"
        )
        self._need(running or final or row.state == "queued", job, f"{row.state} is no state")
        self._need((row.lease_until is not None) == running, job, "exactly a running job has a lease")
        self._need(
            self._is_now(row.finished_at) if final else row.finished_at is None, job, "its end has no right time"
        )
        self._need((row.error is not None) == (row.state == "failed"), job, "exactly a failed job has a reason")
        self._need(row.answer is None or row.state in ("done", "cancelled"), job, "it has an answer before its end")
        self._need(row.state != "queued" or row.started_at is None, job, "a queued job has not begun")
        self._need(
            row.progress == self._jobs[job].progress, job, f"its progress {self._jobs[job].progress} was changed"
        )
        if row.state == "cancelled":
            self._need(self._jobs[job].asked_to_cancel, job, "nobody asked for its cancellation")

    def _is_accepted(self, ticket: Ticket, accepted: bool, changed: Mapping[str, Row]) -> bool:
        job, attempt = ticket
        row = self._jobs[job].row
        holds = row.state == "running" and row.attempt == attempt
        self._need(accepted == holds, job, f"attempt {attempt} {'holds' if holds else 'does not hold'} it; it is {row}")
        if not accepted:
            self._unchanged(changed)
        return accepted

    def _is_fair(self, job: str, waiting: Collection[str]) -> None:
        """The next is the owner with the fewest running jobs, and of those the one whose next job is the oldest."""
        mine = self._jobs[job]
        queued = [one for one in self._jobs.values() if one.row.state == "queued" or one is mine]
        running = [one.owner for one in self._jobs.values() if one.row.state == "running" and one is not mine]
        first: dict[str, Seen] = {}
        for one in sorted(queued, key=lambda one: (-one.priority, one.created, one.number)):
            first.setdefault(one.owner, one)
        self._need(first[mine.owner] is mine, job, "it was not its owner's next")
        for owner in waiting:
            turns = [(running.count(one), first[one].number) for one in (mine.owner, owner)]
            self._need(turns[0] <= turns[1], job, f"{owner} waits, and was passed over")

    # Small steps

    def _promise(self, job: str) -> None:
        self._jobs[job].promised = self._jobs[job].overdue = self._now + self._lease

    def _change(self, job: str, changed: Mapping[str, Row]) -> tuple[Row, Row]:
        """The row before and after, if only this one has changed."""
        self._unchanged({other: row for other, row in changed.items() if other != job})
        seen = self._jobs[job]
        before, seen.row = seen.row, changed.get(job, seen.row)
        if seen.row != before:
            self._look_at(job, seen.row, before)
        return before, seen.row

    def _unchanged(self, changed: Mapping[str, Row]) -> None:
        for job, row in changed.items():
            self._need(job in self._jobs, job, "there is a job that nobody has submitted")
            self._need(row == self._jobs[job].row, job, f"it was {self._jobs[job].row} and is {row}, without a reason")

    def _is_now(self, time: float | None) -> bool:
        return time == self._now if self._exact else time is not None

    def _same(self, job: str, before: Row, row: Row, *columns: str) -> None:
        for name in columns:
            was, now = getattr(before, name), getattr(row, name)
            self._need(was == now, job, f"its {name} was {was} and is {now}")

    def _need(self, holds: bool, job: str, text: str) -> None:
        if not holds:
            raise Violation(f"{job}: {text}")


_BUT_TIMES = ("attempt", "losses", "cancel_requested", "quick", "worker", "started_at", "answer")


@dataclass
class Deadlines:
    """What must happen in time. ``now`` is a clock that nobody sets."""

    now: Callable[[], float]
    _due: dict[object, tuple[float, str]] = field(default_factory=dict)

    def within(self, seconds: float, what: object, text: str) -> None:
        """``what`` must happen within so many seconds; an earlier deadline for it stays."""
        until = self.now() + seconds
        self._due[what] = min(self._due.get(what, (until, text)), (until, text))

    def happened(self, what: object) -> None:
        """It is no longer waited for."""
        self.look()
        self._due.pop(what, None)

    def look(self) -> None:
        """Raise a violation if something is late."""
        for until, text in self._due.values():
            if self.now() > until:
                raise Violation(f"{text}; that was due {self.now() - until:.2f} s ago")

    def forget(self) -> None:
        """Nothing that was waited for has to happen."""
        self._due.clear()
