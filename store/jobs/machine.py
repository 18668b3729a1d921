"""The job state machine: every transition is one conditional UPDATE, and nothing else writes a job's state.

    with sessions.write() as session:
        submit(session, NewSolve(request, problem.to_object()))             # commit first, ring afterwards

    with sessions.write() as session:
        claim = claim_next(session, "worker-1", lease)                      # None: nothing is queued
    beat = heartbeat(session, claim, lease, progress)                       # every half second or so
    kept = finish(session, claim, answer)                                   # once; False: no longer ours

What is required and what is ensured:

- A claim goes to the highest priority, among those to the owner with the fewest running jobs, then to the oldest.
  Two claimers never get the same row, and neither waits for the other (PostgreSQL: SKIP LOCKED) or for longer than
  the other's statement takes (SQLite: the write lock).
- ``heartbeat``, ``finish``, ``fail`` and ``release`` carry the claim's attempt number as a fencing token. When the row
  has moved on they change nothing and say so.
- A final status is written together with its result, once, and never changes.
- Times are the database's (:mod:`store.database.clock`), so hosts whose clocks differ agree on when a lease ran out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Executable, Update, func, select
from sqlalchemy.orm import Session

from hstar import schema
from store.database.clock import from_now, now
from store.jobs import statements
from store.jobs.statements import PROGRESS, RESULT, is_in, row
from store.jobs.states import FINISH, Status

MAX_ERROR_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one attempt of a job, for as long as its lease lasts. ``request`` is a SolveRequest as JSON."""

    id: str
    attempt: int
    worker: str
    request: str

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
    waiting: int = 0


def claim_next(session: Session, worker: str, lease: timedelta) -> Claim | None:
    """Take the next job and start its next attempt, or None if nothing is queued."""
    parameters = {"new_worker": worker, "lease_seconds": lease.total_seconds()}
    connection = session.connection()
    # On SQLite the writer is alone: nobody's lock can hide a job from the fair choice.
    fallback = () if connection.dialect.name == "sqlite" else (statements.CLAIM_OLDEST,)
    for statement in (statements.CLAIM_FAIREST, *fallback):
        claimed = connection.execute(statement, parameters).one_or_none()
        if claimed is not None:
            return Claim(claimed.id, claimed.attempt, worker, claimed.request)
    return None


def heartbeat(session: Session, claim: Claim, lease: timedelta, progress: schema.Progress | None = None) -> Beat:
    """Extend the lease and write the progress, if the attempt still holds the job."""
    statement, parameters = statements.BEAT, {**claim.token, "lease_seconds": lease.total_seconds()}
    if progress is not None:
        statement = statements.BEAT_WITH_PROGRESS
        parameters |= {f"new_{name}": getattr(progress, name.removeprefix("progress_")) for name in PROGRESS}
    cancel_requested = session.connection().execute(statement, parameters).scalar_one_or_none()
    return Beat(held=cancel_requested is not None, cancel_requested=bool(cancel_requested))


def finish(session: Session, claim: Claim, answer: schema.Solve) -> bool:
    """Write a final status and its result, once. False: the attempt no longer holds the job, and nothing changed."""
    target = Status(answer.status)
    if target not in FINISH.targets:
        raise ValueError(f"a job cannot finish as {target}")
    result = dict.fromkeys(RESULT) | {
        "solution": answer.solution,
        "length": answer.length,
        "optimality": answer.optimality,
        "lower_bound": answer.lower_bound,
        "limit_name": answer.limit,
        "seconds": answer.seconds,
        "peak_bytes": answer.peak_bytes,
        "error": answer.error,
    }
    if answer.counters is not None:
        result |= dict(answer.counters)
    kept = _end(session, claim, target, result)
    if kept and answer.algorithm == "auto":
        chosen = answer.heuristic
        parameters = {
            **claim.token, "new_method": answer.method, "new_heuristic": chosen.expression,
            "new_heuristic_name": chosen.name, "new_description": chosen.model_dump(mode="json"),
        }  # fmt: skip
        for statement in statements.CHOSEN:
            session.connection().execute(statement, parameters)
    return kept


def fail(session: Session, claim: Claim, message: str) -> bool:
    """End the job as failed, saying why; like :func:`finish` otherwise."""
    return _end(session, claim, Status.FAILED, dict.fromkeys(RESULT) | {"error": _clipped(message)})


def release(session: Session, claim: Claim) -> bool:
    """Hand a running job back (the worker shuts down). It counts as no loss. False: the attempt held it no longer.

    A job whose cancellation had been asked for ends as cancelled instead of being queued again.
    """
    return _moved(session, statements.HAND_BACK, claim) or _moved(session, statements.GIVE_UP, claim)


def request_cancel(session: Session, solve_id: str) -> Status | None:
    """Cancel a queued job at once, flag a running one, leave a finished one; returns its status, None if unknown."""
    connection = session.connection()
    parameters = {"solve_id": solve_id}
    # The lock keeps the row from changing state between the look and the update.
    status: Status | None = connection.execute(statements.LOCK, parameters).scalar_one_or_none()
    if status is Status.QUEUED:
        connection.execute(statements.CANCEL_QUEUED, parameters)
        return Status.CANCELLED
    if status is Status.RUNNING:
        connection.execute(statements.FLAG_RUNNING, parameters)
    return status


def sweep(session: Session, *, max_losses: int, ring_after: timedelta, most_bells: int = 64) -> SweepReport:
    """Return jobs whose lease ran out, and count those that wait for a bell (up to ``most_bells``)."""
    connection = session.connection()
    ids = list(connection.execute(statements.EXPIRED).scalars())
    if not ids:
        return SweepReport(waiting=_count_waiting(session, ring_after, most_bells))

    def moved(statement: Executable, **parameters: object) -> tuple[str, ...]:
        return tuple(sorted(connection.execute(statement, {"lost_ids": ids, **parameters}).scalars()))

    cancelled = moved(statements.LOSE_CANCELLED)
    error = f"worker_lost: the worker of this job was lost {max_losses} times"
    failed = moved(statements.LOSE_FOR_GOOD, max_losses=max_losses, new_error=error)
    requeued = moved(statements.LOSE_AND_QUEUE, max_losses=max_losses)
    waiting = min(_count_waiting(session, ring_after, most_bells) + len(requeued), most_bells)
    return SweepReport(requeued, failed, cancelled, waiting)


def needs_sweep(session: Session, *, ring_after: timedelta) -> bool:
    """Whether :func:`sweep` would find anything; reads only, so an idle system writes nothing."""
    expired = select(row.id).where(is_in(Status.RUNNING), row.lease_until < now()).limit(1)
    return (
        session.connection().execute(expired).scalar_one_or_none() is not None
        or _count_waiting(session, ring_after, 1) > 0
    )


def _moved(session: Session, statement: Update, claim: Claim) -> bool:
    return session.connection().execute(statement, claim.token).one_or_none() is not None


def _end(session: Session, claim: Claim, target: Status, result: dict[str, object]) -> bool:
    parameters = {**claim.token, **{f"new_{name}": value for name, value in result.items()}}
    return session.connection().execute(statements.END[target], parameters).one_or_none() is not None


def _count_waiting(session: Session, ring_after: timedelta, most: int) -> int:
    old = select(row.id).where(is_in(Status.QUEUED), row.created_at <= from_now(-ring_after)).limit(most).subquery()
    return session.connection().execute(select(func.count()).select_from(old)).scalar_one()


def _clipped(message: str) -> str:
    # PostgreSQL cannot store NUL in text, and a message from anywhere could hold one.
    text = message.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MAX_ERROR_LENGTH else text[: MAX_ERROR_LENGTH - 1] + "…"
