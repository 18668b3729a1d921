"""The job state machine: every transition is one conditional UPDATE, and nothing else writes a job's state.

    with sessions.write() as session:
        submit(session, [NewJob("database", request, owner)])               # commit first, then wake workers

    with sessions.write() as session:
        claim = claim_next(session, "worker-1", lease)                      # None: nothing is queued
        beat = heartbeat(session, claim, lease, progress)                       # about every half second
        kept = finish(session, claim, State.DONE, answer)                       # once; False: no longer ours

Guarantees:

- A claim takes a job of the owner with the fewest running jobs for the share of their role: the one with the highest
  priority, and of those the oldest. A claim of a quick job chooses likewise among the jobs that may be tried as quick
  jobs, but takes the newest. Two claims never get the same row, and neither waits for the other (PostgreSQL: SKIP
  LOCKED) or only as long as the other's statement takes (SQLite: the write lock).
- ``heartbeat``, ``finish``, ``fail`` and ``release`` carry the claim's attempt number as a fencing token. If another
  attempt has the row, or it has ended, they change nothing and return that.
- A final state is written once, together with its answer, and never changes. A kind with its own tables writes them in
  the transaction of a successful ``finish``.
- Times are the database's (:mod:`store.database.clock`), so hosts whose clocks differ agree on when a lease ran out.

The conditions and effects of each transition are data (:mod:`store.jobs.rules`); this module runs the statements made
from them. Nothing here depends on the kind of a job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import CTE, Executable, Row, Table, Update, func, or_, select
from sqlalchemy.orm import Session

from store.database import Transaction, execute_alone
from store.database.bulk import insert_together
from store.database.clock import from_now
from store.ids import created_at, new_id
from store.jobs import statements
from store.jobs.choice import NO_CAP, Among
from store.jobs.statements import is_in, row
from store.jobs.states import FINISH, State

MAX_ERROR_LENGTH = 4000
#: a sweep counts no more waiting jobs, because each wakes a worker
MOST_WAKE_UPS = 64


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to submit. ``request`` is JSON of its kind; ``quick``: it may be tried as a quick job; ``small``: its
    request promises that it ends soon; ``parent``: the job that it is a part of."""

    kind: str
    request: str
    owner: str
    priority: int = 0
    id: str = field(default_factory=new_id)
    quick: bool = True
    small: bool = False
    parent: str | None = None

    def values(self) -> dict[str, object]:
        """The columns of a new queued job."""
        return {
            "id": self.id,
            "kind": self.kind,
            "owner": self.owner,
            "state": State.QUEUED,
            "priority": self.priority,
            "attempt": 0,
            "losses": 0,
            "cancel_requested": False,
            "quick": self.quick,
            "small": self.small,
            "created_at": created_at(self.id),
            "request": self.request,
            "parent": self.parent,
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one attempt of a job, for as long as its lease lasts.

    ``request`` is JSON of its kind, and so is ``progress``, the last that an earlier attempt told.
    """

    id: str
    attempt: int
    worker: str
    request: str
    kind: str
    progress: str | None = None
    owner: str = ""

    @property
    def token(self) -> dict[str, object]:
        """The parameters that the fenced statements compare."""
        return {"claim_id": self.id, "claim_attempt": self.attempt}


@dataclass(slots=True)
class FollowingClaim:
    """The claim of the next job after the end of one: in the same statement (`finish_with`), or else after it.

    ``claim``: its result, if it was made with the end.
    """

    worker: str
    lease: timedelta
    owner_running: int = NO_CAP
    among: Among = Among.ALL
    made: bool = False
    claim: Claim | None = None

    def get(self, session: Transaction) -> Claim | None:
        """The claim, made now if it was not made with the end."""
        if self.claim is None:
            self.claim = _claim(session, self.worker, self.parameters, among=self.among, locked=self.made)
        return self.claim

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters of a statement that claims."""
        return {
            "new_worker": self.worker,
            "lease_seconds": self.lease.total_seconds(),
            "owner_running": self.owner_running,
        }


@dataclass(frozen=True, slots=True)
class Beat:
    """The result of a heartbeat: whether the attempt still holds the job, and whether a cancel was requested."""

    held: bool
    cancel_requested: bool


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did (ids of jobs), and how many jobs have waited so long that workers should be woken for them."""

    requeued: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    waiting: int = 0


def submit(session: Transaction, news: Sequence[NewJob]) -> None:
    """Insert queued jobs. The rows of a kind's own tables are inserted afterwards, in the same transaction."""
    # Through the table, because SQLAlchemy's unit of work takes longer than the database.
    session.connection().execute(statements.INSERT, [new.values() for new in news])


def submit_with(session: Session, new: NewJob, rows: Sequence[tuple[Table, Mapping[str, Any]]]) -> None:
    """Insert a queued job and a row into each of its kind's tables, together."""
    insert_together(session, [(statements.jobs, new.values()), *rows])


def delete(session: Session, job_id: str) -> None:
    """Delete a job that has ended, with the rows of its kind's own tables."""
    session.connection().execute(statements.DELETE, {"job_id": job_id})


def claim_next(
    session: Transaction, worker: str, lease: timedelta, *, owner_running: int = NO_CAP, among: Among = Among.ALL
) -> Claim | None:
    """Take the next job and start its next attempt, or None if nothing is queued.

    owner_running: the cap on running jobs of one owner. Simultaneous claims do not see each other, so they may exceed
    the cap by their number; later claims make up for it.
    """
    return FollowingClaim(worker, lease, owner_running, among).get(session)


def heartbeat(session: Transaction, claim: Claim, lease: timedelta, progress: str | None = None) -> Beat:
    """Extend the lease, and write the progress (JSON of the kind) if it changed, if the attempt still holds the job."""
    statement, parameters = statements.BEAT, {**claim.token, "lease_seconds": lease.total_seconds()}
    if progress is not None:
        statement = statements.BEAT_WITH_PROGRESS
        parameters["new_progress"] = progress
    held = execute_alone(session, statement, parameters)
    return Beat(held=held is not None, cancel_requested=held is not None and bool(held.cancel_requested))


def finish(session: Transaction, claim: Claim, state: State, answer: str | None = None) -> bool:
    """Write a final state, once; ``answer``: JSON, for kinds whose answer is stored with the job.

    False: the attempt no longer holds the job, and nothing changed.
    """
    if state not in FINISH.targets or state is State.FAILED:
        raise ValueError(f"a job cannot finish as {state}")
    return _end(session, claim, state, answer=answer)


def finish_with(
    session: Transaction,
    claim: Claim,
    state: State,
    writes: tuple[CTE, ...],
    parameters: Mapping[str, Any],
    following: FollowingClaim | None = None,
) -> bool:
    """As `finish`, in one statement with ``writes`` to the tables of a kind, and with the following claim.

    Only PostgreSQL can do it (`statements.end_with`).
    """
    values = {**claim.token, "new_answer": None, "new_error": None, **parameters}
    if following is None:
        ended = execute_alone(session, statements.end_with(state, writes, None), values)
    else:
        statement = statements.end_with(state, writes, following.among)
        ended = execute_alone(session, statement, values | following.parameters)
        following.made, following.claim = True, _claim_from(ended, following.worker)
    return ended is not None and ended.ended is not None


def fail(session: Transaction, claim: Claim, message: str) -> bool:
    """End the job as failed, with the reason; otherwise like :func:`finish`."""
    return _end(session, claim, State.FAILED, error=_clipped(message))


def release(session: Transaction, claim: Claim, *, long: bool = False) -> bool:
    """Hand a running job back to the queue, without counting a loss. False: the attempt no longer holds the job.

    A job whose cancellation was requested ends as cancelled instead of being queued again.

    :param long: it was tried as a quick job and took too long; otherwise the worker is shutting down
    """
    hand_back = statements.HAND_BACK_LONG if long else statements.HAND_BACK
    return _moved(session, hand_back, claim) or _moved(session, statements.GIVE_UP, claim)


def request_cancel(session: Session, job_id: str) -> State | None:
    """Cancel a queued job at once, flag a running one, keep a finished one; returns the state, None if unknown."""
    connection = session.connection()
    parameters = {"job_id": job_id}
    # The lock keeps the row from changing state between the SELECT and the UPDATE.
    state: State | None = connection.execute(statements.LOCK, parameters).scalar_one_or_none()
    if state is State.QUEUED:
        connection.execute(statements.CANCEL_QUEUED, parameters)
        return State.CANCELLED
    if state is State.RUNNING:
        connection.execute(statements.FLAG_RUNNING, parameters)
    return state


def sweep(
    session: Session, *, lease: timedelta, max_losses: int, wake_after: timedelta, most_wake_ups: int = MOST_WAKE_UPS
) -> SweepReport:
    """Return jobs whose lease ran out to the queue, and count those that no worker has taken (up to ``most_wake_ups``).

    A lease that ends more than ``lease`` from now is cut to that: otherwise, after the clock was set back by an hour, a
    job whose worker died would wait for an hour.
    """
    connection, seconds = session.connection(), {"lease_seconds": lease.total_seconds()}
    ids = list(connection.execute(statements.WITH_WRONG_LEASE, seconds).scalars())
    if not ids:
        return SweepReport(waiting=_count_waiting(session, wake_after, most_wake_ups))

    def moved(statement: Executable, **parameters: object) -> tuple[str, ...]:
        return tuple(sorted(connection.execute(statement, {"lost_ids": ids, **parameters}).scalars()))

    shortened = moved(statements.SHORTEN_LEASE, **seconds)
    cancelled = moved(statements.LOSE_CANCELLED)
    error = f"worker_lost: the worker of this job was lost {max_losses} times"
    failed = moved(statements.LOSE_FOR_GOOD, max_losses=max_losses, new_error=error)
    requeued = moved(statements.LOSE_AND_QUEUE, max_losses=max_losses)
    waiting = min(_count_waiting(session, wake_after, most_wake_ups) + len(requeued), most_wake_ups)
    return SweepReport(requeued, failed, cancelled, shortened, waiting)


def needs_sweep(session: Session, *, lease: timedelta, wake_after: timedelta) -> bool:
    """Whether :func:`sweep` would find anything; reads only, so an idle system writes nothing."""
    parameters = {"lease_seconds": lease.total_seconds()}
    wrong = session.connection().execute(statements.ANY_WITH_WRONG_LEASE, parameters)
    return wrong.scalar_one_or_none() is not None or _count_waiting(session, wake_after, 1) > 0


def _claim(
    session: Transaction, worker: str, parameters: Mapping[str, object], *, among: Among, locked: bool
) -> Claim | None:
    """Claim a job; ``locked``: the fair choice has just found none, perhaps because of the locks of others."""
    choices = [found[among] for found in (statements.CLAIM_FAIREST, statements.CLAIM_OLDEST) if among in found]
    if session.get_bind().dialect.name == "sqlite":
        # One writer at a time, so no lock can hide a job from the fair choice.
        choices = choices[:1]
    for statement in choices[1:] if locked else choices:
        claim = _claim_from(execute_alone(session, statement, parameters), worker)
        if claim is not None:
            return claim
    return None


def _claim_from(found: Row[Any] | None, worker: str) -> Claim | None:
    if found is None or found.id is None:
        return None
    return Claim(found.id, found.attempt, worker, found.request, found.kind, found.progress, found.owner)


def _moved(session: Transaction, statement: Update, claim: Claim) -> bool:
    return session.connection().execute(statement, claim.token).one_or_none() is not None


def _end(
    session: Transaction, claim: Claim, target: State, *, answer: str | None = None, error: str | None = None
) -> bool:
    parameters = {**claim.token, "new_answer": answer, "new_error": error}
    return session.connection().execute(statements.END[target], parameters).one_or_none() is not None


def _count_waiting(session: Session, wake_after: timedelta, most: int) -> int:
    # A job from the future was queued before the clock was set back, or on a host whose clock is ahead.
    is_old = or_(row.created_at <= from_now(-wake_after), row.created_at > from_now(wake_after))
    old = select(row.id).where(is_in(State.QUEUED), is_old).limit(most).subquery()
    return session.connection().execute(select(func.count()).select_from(old)).scalar_one()


def _clipped(message: str) -> str:
    # PostgreSQL cannot store NUL in text, and an error message could contain one.
    text = message.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MAX_ERROR_LENGTH else text[: MAX_ERROR_LENGTH - 1] + "…"
