"""The job state machine: every transition is one conditional UPDATE, and nothing else writes a job's state.

    with sessions.write() as session:
        solve = submit(session, NewSolve(request, problem.to_object()))     # commit first, ring afterwards

    with sessions.write() as session:
        claim = claim_next(session, "worker-1", lease)                      # None: nothing is queued
    beat = heartbeat(session, claim, lease, progress)                       # every half second or so
    kept = finish(session, claim, answer)                                   # once; False: no longer ours

What is required and what is ensured:

- A claim goes to the highest priority, among those to the owner with the fewest running jobs, then to the oldest.
  Two claimers never get the same row, and neither
  waits for the other's search (PostgreSQL: SKIP LOCKED; SQLite: the write lock).
- ``heartbeat``, ``finish``, ``fail`` and ``release`` carry the claim's attempt number as a fencing token. When the row
  has moved on they change nothing and say so.
- A final status is written together with its result, once, and never changes.
- Times are the database's (:func:`store.database.clock`), so hosts whose clocks differ agree on when a lease ran out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Table,
    Update,
    func,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.orm import Session

from hstar import schema
from hstar.schema import LimitsIn, SolveRequest
from store.database import clock
from store.ids import created_at, new_id
from store.models import LOCAL_OWNER, Solve, SolveDocument, SolveTag
from store.states import ABANDON, CANCEL, CLAIM, FINISH, LOSE, RELEASE, Status, Transition

MAX_ERROR_LENGTH = 4000

solves = cast(Table, Solve.__table__)
documents = cast(Table, SolveDocument.__table__)
_row = solves.c


@dataclass(frozen=True, slots=True)
class NewSolve:
    """A job to submit: the request as it was checked, and what ``hstar.search.prepare`` made of it."""

    request: SolveRequest
    question: schema.Solve
    owner: str = LOCAL_OWNER
    scramble_id: str | None = None
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run one attempt of a job, for as long as its lease lasts. ``request`` is a SolveRequest as JSON."""

    id: str
    attempt: int
    worker: str
    request: str


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


def submit(session: Session, new: NewSolve) -> Solve:
    """Insert one queued job and return its row."""
    solve = Solve(**_solve_values(new), document=SolveDocument(**_document_values(new)))
    session.add(solve)
    session.flush()
    if new.request.tags:
        session.execute(insert(SolveTag), _tag_values([new]))
    return solve


def submit_many(session: Session, news: Sequence[NewSolve]) -> None:
    """Insert any number of queued jobs with a few statements."""
    if not news:
        return
    session.execute(insert(Solve), [_solve_values(new) for new in news])
    session.execute(insert(SolveDocument), [{"solve_id": new.id, **_document_values(new)} for new in news])
    tags = _tag_values(news)
    if tags:
        session.execute(insert(SolveTag), tags)


def claim_next(session: Session, worker: str, lease: timedelta) -> Claim | None:
    """Take the next job and start its next attempt, or None if nothing is queued."""
    # The fair choice can come up empty while others hold locks on that owner's rows; then anything queued will do.
    for candidate in (_fairest(), _oldest()):
        statement = (
            _move(CLAIM, Status.RUNNING, _row.id == candidate)
            .values(
                attempt=_row.attempt + 1,
                worker=worker,
                lease_until=clock(session, lease),
                started_at=clock(session),
                cancel_requested=False,
                **_NO_PROGRESS,
            )
            .returning(_row.id, _row.attempt, _request_text())
        )
        row = session.connection().execute(statement).one_or_none()
        if row is not None:
            return Claim(row.id, row.attempt, worker, row.request)
    return None


def heartbeat(session: Session, claim: Claim, lease: timedelta, progress: schema.Progress | None = None) -> Beat:
    """Extend the lease and write the progress, if the attempt still holds the job."""
    values: dict[str, Any] = {"lease_until": clock(session, lease)}
    if progress is not None:
        values |= {
            "progress_expanded": progress.expanded,
            "progress_generated": progress.generated,
            "progress_stored": progress.stored,
            "progress_lower_bound": progress.lower_bound,
            "progress_bytes": progress.bytes,
            "progress_at": clock(session),
        }
    statement = update(solves).where(*_held_by(claim)).values(values).returning(_row.cancel_requested)
    cancel_requested = session.connection().execute(statement).scalar_one_or_none()
    return Beat(held=cancel_requested is not None, cancel_requested=bool(cancel_requested))


def finish(session: Session, claim: Claim, answer: schema.Solve) -> bool:
    """Write a final status and its result, once. False: the attempt no longer holds the job, and nothing changed."""
    target = Status(answer.status)
    counters = answer.counters.model_dump() if answer.counters is not None else {}
    return _end(
        session,
        claim,
        target,
        solution=answer.solution,
        length=answer.length,
        optimality=answer.optimality,
        lower_bound=answer.lower_bound,
        limit_name=answer.limit,
        seconds=answer.seconds,
        peak_bytes=answer.peak_bytes,
        error=answer.error,
        **counters,
    )


def fail(session: Session, claim: Claim, message: str) -> bool:
    """End the job as failed, saying why; like :func:`finish` otherwise."""
    return _end(session, claim, Status.FAILED, error=_clipped(message))


def release(session: Session, claim: Claim) -> bool:
    """Hand a running job back (the worker shuts down). It counts as no loss. False: the attempt held it no longer.

    A job whose cancellation had been asked for ends as cancelled instead of being queued again.
    """
    connection = session.connection()
    abandon = (
        _move(ABANDON, Status.CANCELLED, *_held_by(claim), _row.cancel_requested)
        .values(lease_until=None, finished_at=clock(session))
        .returning(_row.id)
    )
    if connection.execute(abandon).one_or_none() is not None:
        return True
    requeue = _move(RELEASE, Status.QUEUED, *_held_by(claim)).values(_QUEUED_AGAIN).returning(_row.id)
    return connection.execute(requeue).one_or_none() is not None


def request_cancel(session: Session, solve_id: str) -> Status | None:
    """Cancel a queued job at once, flag a running one, leave a finished one; returns its status, None if unknown."""
    connection = session.connection()
    # The lock keeps the row from changing state between the look and the update.
    status = connection.execute(select(_row.status).where(_row.id == solve_id).with_for_update()).scalar_one_or_none()
    if status == Status.QUEUED:
        cancel = _move(CANCEL, Status.CANCELLED, _row.id == solve_id)
        connection.execute(cancel.values(cancel_requested=True, finished_at=clock(session)))
        return Status.CANCELLED
    if status == Status.RUNNING:
        flag = update(solves).where(_row.id == solve_id, _row.status == Status.RUNNING)
        connection.execute(flag.values(cancel_requested=True))
    return cast("Status | None", status)


def sweep(session: Session, *, max_losses: int, ring_after: timedelta, most_bells: int = 64) -> SweepReport:
    """Return jobs whose lease ran out, and count those that wait for a bell (up to ``most_bells``)."""
    connection = session.connection()

    # Locked first, in one order, and skipping what another sweeper has: sweepers never wait for one another.
    expired = (
        select(_row.id)
        .where(_is(Status.RUNNING), _row.lease_until < clock(session))
        .order_by(_row.id)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.execute(expired).scalars())
    report = SweepReport(waiting=_count_waiting(session, ring_after, most_bells))
    if not ids:
        return report

    def moved(statement: Update) -> tuple[str, ...]:
        return tuple(sorted(connection.execute(statement.returning(_row.id)).scalars()))

    ended = {"lease_until": None, "finished_at": clock(session), "losses": _row.losses + 1}
    cancelled = moved(_move(ABANDON, Status.CANCELLED, _row.id.in_(ids), _row.cancel_requested).values(ended))
    error = f"worker_lost: the worker of this job was lost {max_losses} times"
    failed = moved(
        _move(LOSE, Status.FAILED, _row.id.in_(ids), _row.losses + 1 >= max_losses).values(ended | {"error": error})
    )
    requeued = moved(_move(LOSE, Status.QUEUED, _row.id.in_(ids)).values(_QUEUED_AGAIN | {"losses": _row.losses + 1}))
    return SweepReport(requeued, failed, cancelled, report.waiting + len(requeued))


def needs_sweep(session: Session, *, ring_after: timedelta) -> bool:
    """Whether :func:`sweep` would find anything; reads only, so an idle system writes nothing."""
    expired = select(_row.id).where(_is(Status.RUNNING), _row.lease_until < clock(session)).limit(1)
    return (
        session.connection().execute(expired).scalar_one_or_none() is not None
        or _count_waiting(session, ring_after, 1) > 0
    )


_COLUMNS = [column.name for column in solves.columns]
_NO_PROGRESS: Mapping[str, None] = {name: None for name in _COLUMNS if name.startswith("progress_")}
_QUEUED_AGAIN: dict[str, Any] = {"lease_until": None, "started_at": None, **_NO_PROGRESS}


def _is(status: Status) -> ColumnElement[bool]:
    # A literal in the statement's text, not a parameter: only then can the partial indices serve it.
    return _row.status == literal_column(f"'{status}'")


def _held_by(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    return (_row.id == claim.id, _row.attempt == claim.attempt, _is(Status.RUNNING))


def _move(transition: Transition, target: Status, *where: ColumnElement[bool]) -> Update:
    """The only UPDATE that sets a status: along an edge of the table in :mod:`store.states`."""
    if target not in transition.targets:
        raise ValueError(f"{transition.name} cannot lead to {target}")
    return update(solves).where(_is(transition.source), *where).values(status=target)


def _end(session: Session, claim: Claim, target: Status, **result: Any) -> bool:
    statement = (
        _move(FINISH, target, *_held_by(claim))
        .values(lease_until=None, finished_at=clock(session), **result)
        .returning(_row.id)
    )
    return session.connection().execute(statement).one_or_none() is not None


def _request_text() -> ColumnElement[str]:
    text = select(documents.c.request).where(documents.c.solve_id == _row.id).correlate(solves).scalar_subquery()
    return text.label("request")


def _top_priority() -> ScalarSelect[int]:
    return select(func.max(_row.priority)).where(_is(Status.QUEUED)).scalar_subquery()


def _fairest() -> ScalarSelect[str]:
    """The oldest job of the owner with the fewest running, among the queued jobs of the highest priority.

    The owners who wait are found by hopping through the index from one to the next, so the cost grows with the number
    of owners, not with the number of queued jobs.
    """
    waits = solves.alias("waits")
    top = _top_priority()
    queued = (waits.c.status == literal_column("'queued'"), waits.c.priority == top)
    owners = select(func.min(waits.c.owner).label("owner")).where(*queued).cte("owners", recursive=True)
    following = select(func.min(waits.c.owner)).where(*queued, waits.c.owner > owners.c.owner).scalar_subquery()
    owners = owners.union_all(select(following).where(owners.c.owner.is_not(None)))

    runs = solves.alias("runs")
    running = (
        select(func.count())
        .where(runs.c.status == literal_column("'running'"), runs.c.owner == owners.c.owner)
        .scalar_subquery()
    )
    first = (
        select(waits.c.id)
        .where(*queued, waits.c.owner == owners.c.owner)
        .order_by(waits.c.id)
        .limit(1)
        .scalar_subquery()
    )
    turn = select(owners.c.owner).where(owners.c.owner.is_not(None)).order_by(running, first).limit(1).scalar_subquery()

    candidate = solves.alias("candidate")
    return (
        select(candidate.c.id)
        .where(
            candidate.c.status == literal_column("'queued'"),
            candidate.c.priority == top,
            candidate.c.owner == turn,
        )
        .order_by(candidate.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )


def _oldest() -> ScalarSelect[str]:
    candidate = solves.alias("candidate")
    return (
        select(candidate.c.id)
        .where(candidate.c.status == literal_column("'queued'"))
        .order_by(candidate.c.priority.desc(), candidate.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )


def _count_waiting(session: Session, ring_after: timedelta, most: int) -> int:
    old = (
        select(_row.id).where(_is(Status.QUEUED), _row.created_at <= clock(session, -ring_after)).limit(most).subquery()
    )
    return session.connection().execute(select(func.count()).select_from(old)).scalar_one()


def _clipped(message: str) -> str:
    # PostgreSQL cannot store NUL in text, and a kernel's message could hold one.
    text = message.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= MAX_ERROR_LENGTH else text[: MAX_ERROR_LENGTH - 1] + "…"


def _solve_values(new: NewSolve) -> dict[str, Any]:
    question, limits = new.question, new.question.limits
    scramble = question.start.scramble
    return {
        "id": new.id,
        "created_at": created_at(new.id),
        "status": Status.QUEUED,
        "owner": new.owner,
        "priority": question.priority,
        "attempt": 0,
        "losses": 0,
        "cancel_requested": False,
        "puzzle": question.puzzle,
        "goal": None if question.goal is None else ",".join(map(str, question.goal)),
        "moves": question.moves,
        "algorithm": question.algorithm,
        "weight": question.weight,
        "heuristic": question.heuristic.expression,
        "heuristic_name": question.heuristic.name,
        "tie_breaking": question.tie_breaking,
        "limit_expanded": limits.expanded,
        "limit_generated": limits.generated,
        "limit_seconds": limits.seconds,
        "limit_memory_mib": limits.memory_mib,
        "scramble_id": new.scramble_id,
        "scramble_moves": scramble.moves if scramble else None,
        "k": scramble.k if scramble else None,
        "seed": scramble.seed if scramble else None,
    }


def _document_values(new: NewSolve) -> dict[str, Any]:
    # The limits in force are part of what was promised: a worker with other caps must not change them.
    promised = LimitsIn(**new.question.limits.model_dump())
    return {
        "request": new.request.model_copy(update={"limits": promised}).model_dump_json(exclude_defaults=True),
        "start": new.question.start.model_dump(mode="json", exclude_none=True),
        "heuristic": new.question.heuristic.model_dump(mode="json"),
        "tags": dict(new.question.tags),
    }


def _tag_values(news: Iterable[NewSolve]) -> list[dict[str, str]]:
    return [
        {"solve_id": new.id, "key": key, "value": value} for new in news for key, value in new.question.tags.items()
    ]
