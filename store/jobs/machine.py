"""The job state machine: every transition is one conditional UPDATE, and nothing else writes a job's state.

    with sessions.write() as session:
        submit(session, [NewJob("database", request, owner)])               # commit first, ring afterwards

    with sessions.write() as session:
        claim = claim_next(session, "worker-1", lease)                      # None: nothing is queued
    beat = heartbeat(session, claim, lease, progress)                       # every half second or so
    kept = finish(session, claim, State.DONE, answer)                       # once; False: no longer ours

What is required and what is ensured:

- A claim goes to the owner with the fewest running jobs for the share of her role, and of her jobs to the one of the
  highest priority, then to the oldest; a claim of a
  quick job likewise among those that may be quick, and of these to the newest.
  Two claimers never get the same row, and neither waits for the other (PostgreSQL: SKIP LOCKED) or for longer than
  the other's statement takes (SQLite: the write lock).
- ``heartbeat``, ``finish``, ``fail`` and ``release`` carry the claim's attempt number as a fencing token. When the row
  has moved on they change nothing and say so.
- A final state is written together with its answer, once, and never changes. A kind with tables of its own writes them
  in the transaction of a ``finish`` that was kept.
- Times are the database's (:mod:`store.database.clock`), so hosts whose clocks differ agree on when a lease ran out.

What each transition requires and writes is data (:mod:`store.jobs.rules`), and this module puts the statements made of
it in order. Nothing here knows what kinds of jobs there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Executable, Table, Update, func, or_, select
from sqlalchemy.orm import Session

from store.database.bulk import insert_together
from store.database.clock import from_now
from store.ids import created_at, new_id
from store.jobs import statements
from store.jobs.choice import NO_CAP
from store.jobs.statements import is_in, row
from store.jobs.states import FINISH, State

MAX_ERROR_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to submit. ``request`` is JSON that its kind can read; ``quick``: it may be tried as a quick one."""

    kind: str
    request: str
    owner: str
    priority: int = 0
    id: str = field(default_factory=new_id)
    quick: bool = True

    def values(self) -> dict[str, object]:
        """The columns of a job that is to be queued."""
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
            "created_at": created_at(self.id),
            "request": self.request,
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

    @property
    def token(self) -> dict[str, object]:
        """What the fenced statements compare."""
        return {"claim_id": self.id, "claim_attempt": self.attempt}


@dataclass(frozen=True, slots=True)
class Beat:
    """What a heartbeat learnt: whether the attempt still holds the job, and whether somebody wants it cancelled."""

    held: bool
    cancel_requested: bool


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did (ids), and how many jobs have been queued for so long that a bell should ring for them."""

    requeued: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    cancelled: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()
    waiting: int = 0


def submit(session: Session, news: Sequence[NewJob]) -> None:
    """Insert queued jobs. What a kind has in tables of its own is inserted afterwards, in the same transaction."""
    # Through the table: the unit of work would take longer than the database.
    session.connection().execute(statements.INSERT, [new.values() for new in news])


def submit_with(session: Session, new: NewJob, rows: Sequence[tuple[Table, Mapping[str, Any]]]) -> None:
    """Insert a queued job and, at once, a row into each of these tables, which its kind has."""
    insert_together(session, [(statements.jobs, new.values()), *rows])


def claim_next(
    session: Session, worker: str, lease: timedelta, *, owner_running: int = NO_CAP, quick: bool = False
) -> Claim | None:
    """Take the next job and start its next attempt, or None if nothing is queued.

    owner_running: an owner with so many running jobs gets no more. Claims at the same moment do not see each other, so
    there may be as many more as there are claimers; the next claims make up for it.
    quick: only a job that may be quick
    """
    parameters = {"new_worker": worker, "lease_seconds": lease.total_seconds(), "owner_running": owner_running}
    connection = session.connection()
    choices = [statements.CLAIM_QUICK] if quick else [statements.CLAIM_FAIREST, statements.CLAIM_OLDEST]
    # On SQLite the writer is alone: nobody's lock can hide a job from the fair choice.
    for statement in choices[:1] if connection.dialect.name == "sqlite" else choices:
        claimed = connection.execute(statement, parameters).one_or_none()
        if claimed is not None:
            return Claim(claimed.id, claimed.attempt, worker, claimed.request, claimed.kind, claimed.progress)
    return None


def heartbeat(session: Session, claim: Claim, lease: timedelta, progress: str | None = None) -> Beat:
    """Extend the lease, and write the progress (JSON of the kind) if there is news, if the attempt holds the job."""
    statement, parameters = statements.BEAT, {**claim.token, "lease_seconds": lease.total_seconds()}
    if progress is not None:
        statement = statements.BEAT_WITH_PROGRESS
        parameters["new_progress"] = progress
    cancel_requested = session.connection().execute(statement, parameters).scalar_one_or_none()
    return Beat(held=cancel_requested is not None, cancel_requested=bool(cancel_requested))


def finish(session: Session, claim: Claim, state: State, answer: str | None = None) -> bool:
    """Write a final state, once; ``answer``: JSON, of a kind that keeps its answer with the job.

    False: the attempt no longer holds the job, and nothing changed.
    """
    if state not in FINISH.targets or state is State.FAILED:
        raise ValueError(f"a job cannot finish as {state}")
    return _end(session, claim, state, answer=answer)


def fail(session: Session, claim: Claim, message: str) -> bool:
    """End the job as failed, saying why; like :func:`finish` otherwise."""
    return _end(session, claim, State.FAILED, error=_clipped(message))


def release(session: Session, claim: Claim, *, long: bool = False) -> bool:
    """Hand a running job back. It counts as no loss. False: the attempt held it no longer.

    A job whose cancellation had been asked for ends as cancelled instead of being queued again.

    :param long: it was tried as a quick job and is none; otherwise the worker shuts down
    """
    hand_back = statements.HAND_BACK_LONG if long else statements.HAND_BACK
    return _moved(session, hand_back, claim) or _moved(session, statements.GIVE_UP, claim)


def request_cancel(session: Session, job_id: str) -> State | None:
    """Cancel a queued job at once, flag a running one, leave a finished one; returns its state, None if unknown."""
    connection = session.connection()
    parameters = {"job_id": job_id}
    # The lock keeps the row from changing state between the look and the update.
    state: State | None = connection.execute(statements.LOCK, parameters).scalar_one_or_none()
    if state is State.QUEUED:
        connection.execute(statements.CANCEL_QUEUED, parameters)
        return State.CANCELLED
    if state is State.RUNNING:
        connection.execute(statements.FLAG_RUNNING, parameters)
    return state


def sweep(
    session: Session, *, lease: timedelta, max_losses: int, ring_after: timedelta, most_bells: int = 64
) -> SweepReport:
    """Return jobs whose lease ran out, and count those that wait for a bell (up to ``most_bells``).

    A lease that ends later than in ``lease`` is cut to that: otherwise, after the clock was set back by an hour, a job
    whose worker died would wait for an hour.
    """
    connection, seconds = session.connection(), {"lease_seconds": lease.total_seconds()}
    ids = list(connection.execute(statements.WITH_WRONG_LEASE, seconds).scalars())
    if not ids:
        return SweepReport(waiting=_count_waiting(session, ring_after, most_bells))

    def moved(statement: Executable, **parameters: object) -> tuple[str, ...]:
        return tuple(sorted(connection.execute(statement, {"lost_ids": ids, **parameters}).scalars()))

    shortened = moved(statements.SHORTEN_LEASE, **seconds)
    cancelled = moved(statements.LOSE_CANCELLED)
    error = f"worker_lost: the worker of this job was lost {max_losses} times"
    failed = moved(statements.LOSE_FOR_GOOD, max_losses=max_losses, new_error=error)
    requeued = moved(statements.LOSE_AND_QUEUE, max_losses=max_losses)
    waiting = min(_count_waiting(session, ring_after, most_bells) + len(requeued), most_bells)
    return SweepReport(requeued, failed, cancelled, shortened, waiting)


def needs_sweep(session: Session, *, lease: timedelta, ring_after: timedelta) -> bool:
    """Whether :func:`sweep` would find anything; reads only, so an idle system writes nothing."""
    parameters = {"lease_seconds": lease.total_seconds()}
    wrong = session.connection().execute(statements.ANY_WITH_WRONG_LEASE, parameters)
    return wrong.scalar_one_or_none() is not None or _count_waiting(session, ring_after, 1) > 0


def _moved(session: Session, statement: Update, claim: Claim) -> bool:
    return session.connection().execute(statement, claim.token).one_or_none() is not None


def _end(session: Session, claim: Claim, target: State, *, answer: str | None = None, error: str | None = None) -> bool:
    parameters = {**claim.token, "new_answer": answer, "new_error": error}
    return session.connection().execute(statements.END[target], parameters).one_or_none() is not None


def _count_waiting(session: Session, ring_after: timedelta, most: int) -> int:
    # One from the future was queued before the clock was set back, or on a host whose clock is ahead.
    is_old = or_(row.created_at <= from_now(-ring_after), row.created_at > from_now(ring_after))
    old = select(row.id).where(is_in(State.QUEUED), is_old).limit(most).subquery()
    return session.connection().execute(select(func.count()).select_from(old)).scalar_one()


def _clipped(message: str) -> str:
    # PostgreSQL cannot store NUL in text, and a message from anywhere could hold one.
    text = message.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MAX_ERROR_LENGTH else text[: MAX_ERROR_LENGTH - 1] + "…"
