"""The tables.

``solves`` is narrow on purpose: every claim, heartbeat and finish rewrites its row, and statistics scan it. What is
written once and read only to answer about one solve lies in ``solve_documents`` (see docs/decisions/0010).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Double,
    Enum,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    Uuid,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from hstar.experiments.schema import MEASURES
from hstar.schema import LimitName, Optimality
from store.database.types import UtcDateTime
from store.jobs.states import FINAL, Status

OWNER_LENGTH = 64
LOCAL_OWNER = "local"


class Base(DeclarativeBase):
    """Base of all tables; constraints have names, so that migrations can drop them on any database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


Id = Uuid(as_uuid=False)
# A short string on every database: PostgreSQL's own enums cannot lose a value again in a downgrade.
StatusType = Enum(Status, native_enum=False, length=16, values_callable=lambda status: [str(name) for name in status])


def _quoted(values: Any) -> str:
    return ", ".join(f"'{value}'" for value in values)


class Scramble(Base):
    """A stored scramble. Its moves and state are kept as they were answered, and never computed anew."""

    __tablename__ = "scrambles"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    puzzle: Mapped[str] = mapped_column(String(64))
    goal: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(String(64))
    k: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    alg: Mapped[list[str]] = mapped_column(JSON)
    state: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (CheckConstraint("k >= 0", "k"), CheckConstraint("seed >= 0", "seed"))


class Solve(Base):
    """A job and its result: one row from submission to the end of time."""

    __tablename__ = "solves"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    # Where it stands. Only store/jobs.py writes these. ``worker`` is the last one that held the job.
    status: Mapped[Status] = mapped_column(StatusType)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    priority: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    losses: Mapped[int] = mapped_column(default=0)
    worker: Mapped[str | None] = mapped_column(String(128))
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    # The question, as far as it is filtered and grouped by.
    puzzle: Mapped[str] = mapped_column(String(64))
    goal: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(String(64))
    algorithm: Mapped[str] = mapped_column(String(32))
    # What searches: the algorithm, or what ``auto`` chose. It may choose while it searches; the end of the job then
    # writes it here, and in the columns of the heuristic.
    method: Mapped[str | None] = mapped_column(String(32))
    weight: Mapped[float] = mapped_column(Double)
    heuristic: Mapped[str] = mapped_column(Text)
    heuristic_name: Mapped[str | None] = mapped_column(String(64))
    tie_breaking: Mapped[str] = mapped_column(String(16))
    limit_expanded: Mapped[int | None] = mapped_column(BigInteger)
    limit_generated: Mapped[int | None] = mapped_column(BigInteger)
    limit_seconds: Mapped[float | None] = mapped_column(Double)
    limit_memory_mib: Mapped[int]
    scramble_id: Mapped[str | None] = mapped_column(Id, ForeignKey("scrambles.id", ondelete="SET NULL"))
    scramble_moves: Mapped[str | None] = mapped_column(String(64))
    k: Mapped[int | None]
    seed: Mapped[int | None] = mapped_column(BigInteger)

    # Progress of the running attempt, as of its last heartbeat.
    progress_expanded: Mapped[int | None] = mapped_column(BigInteger)
    progress_generated: Mapped[int | None] = mapped_column(BigInteger)
    progress_stored: Mapped[int | None] = mapped_column(BigInteger)
    progress_lower_bound: Mapped[int | None]
    progress_bytes: Mapped[int | None] = mapped_column(BigInteger)
    progress_building: Mapped[str | None] = mapped_column(String(128))
    progress_built: Mapped[float | None] = mapped_column(Double)
    progress_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    # The answer, written once, together with the final status.
    solution: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    length: Mapped[int | None]
    optimality: Mapped[Optimality | None] = mapped_column(String(16))
    lower_bound: Mapped[int | None]
    limit_name: Mapped[LimitName | None] = mapped_column(String(16))
    expanded: Mapped[int | None] = mapped_column(BigInteger)
    generated: Mapped[int | None] = mapped_column(BigInteger)
    evaluated: Mapped[int | None] = mapped_column(BigInteger)
    reopened: Mapped[int | None] = mapped_column(BigInteger)
    stored: Mapped[int | None] = mapped_column(BigInteger)
    max_open: Mapped[int | None] = mapped_column(BigInteger)
    expanded_last_layer: Mapped[int | None] = mapped_column(BigInteger)
    expanded_before_last_layer: Mapped[int | None] = mapped_column(BigInteger)
    branching_generated: Mapped[float | None] = mapped_column(Double)
    branching_effective: Mapped[float | None] = mapped_column(Double)
    seconds: Mapped[float | None] = mapped_column(Double)
    peak_bytes: Mapped[int | None] = mapped_column(BigInteger)
    error: Mapped[str | None] = mapped_column(Text)

    document: Mapped[SolveDocument] = relationship(back_populates="solve", lazy="raise", passive_deletes=True)

    __table_args__ = (
        CheckConstraint(f"status IN ({_quoted(Status)})", "status"),
        CheckConstraint("(status = 'running') = (lease_until IS NOT NULL)", "lease"),
        CheckConstraint("status <> 'running' OR worker IS NOT NULL", "worker"),
        CheckConstraint(f"(status IN ({_quoted(sorted(FINAL))})) = (finished_at IS NOT NULL)", "finished"),
        CheckConstraint("(status = 'solved') = (solution IS NOT NULL)", "solution"),
        CheckConstraint("(status = 'limit_reached') = (limit_name IS NOT NULL)", "limit"),
        CheckConstraint("(status = 'failed') = (error IS NOT NULL)", "error"),
        CheckConstraint("attempt >= 0 AND losses >= 0 AND losses <= attempt", "attempt"),
        # The claim's: every queued row, and for each owner the oldest one of the highest priority first.
        Index(
            "ix_solves_queued",
            "priority",
            "owner",
            "created_at",
            "id",
            postgresql_where=text("status = 'queued'"),
            sqlite_where=text("status = 'queued'"),
        ),
        # Few rows ever: whose job runs, and whose lease ran out.
        Index(
            "ix_solves_running",
            "owner",
            postgresql_where=text("status = 'running'"),
            sqlite_where=text("status = 'running'"),
        ),
        # Lists: newest first within a filter. The id carries the time.
        Index(None, "owner", "id"),
        Index(None, "status", "id"),
        Index(None, "puzzle", "moves", "id"),
    )


class SolveDocument(Base):
    """What is written at submission and read only to run or to answer about one solve."""

    __tablename__ = "solve_documents"

    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True)
    # Text, not JSON: a request that does not parse must fail its own job, not the statement that claims it.
    request: Mapped[str] = mapped_column(Text)
    # None for a row of an experiment: its start is that of its scramble, and is made when somebody looks.
    start: Mapped[dict[str, Any] | None] = mapped_column(JSON, nullable=False)
    heuristic: Mapped[dict[str, Any]] = mapped_column(JSON)
    tags: Mapped[dict[str, str]] = mapped_column(JSON)

    solve: Mapped[Solve] = relationship(back_populates="document", lazy="raise")


class SolveTag(Base):
    """One tag of one solve, for filtering and grouping; the whole set is in the document."""

    __tablename__ = "solve_tags"

    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(String(256))

    __table_args__ = (Index(None, "key", "value", "solve_id"),)


class IdempotencyKey(Base):
    """An Idempotency-Key, what its request was, and what that request made."""

    __tablename__ = "idempotency_keys"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    resource_id: Mapped[str] = mapped_column(Id)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "created_at"),)


class Experiment(Base):
    """An experiment: its request, and what was promised of its rows. How it stands is what its solves say."""

    __tablename__ = "experiments"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    puzzle: Mapped[str] = mapped_column(String(64))
    # An ExperimentRequest as JSON.
    request: Mapped[str] = mapped_column(Text)
    # The ways to search that every instance goes through, in the order of the rows (store/experiments.py).
    configurations: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    trials: Mapped[int]
    row_count: Mapped[int]
    # What two requests for the same rows have in common.
    fingerprint: Mapped[str] = mapped_column(String(64))

    __table_args__ = (Index(None, "owner", "id"), Index(None, "owner", "fingerprint", "id"))


class ExperimentMember(Base):
    """Which solve is which row of an experiment. ``solves`` itself says nothing of it: most solves are no such row."""

    __tablename__ = "experiment_members"

    experiment_id: Mapped[str] = mapped_column(Id, ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    row_index: Mapped[int] = mapped_column(primary_key=True)
    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), unique=True)


class UncountedSolve(Base):
    """A solve that has ended and is not yet in the cells.

    Triggers on ``solves`` write these rows, in the transaction that ends the solve, whichever statement that is: so
    each solve is in the statistics exactly once, either here or in the cells.
    """

    __tablename__ = "uncounted_solves"

    solve_id: Mapped[str] = mapped_column(Id, primary_key=True)


class StatisticsCell(Base):
    """The statistics of all ended solves with one setting and one outcome, and one length if ``by_length``.

    There are as many cells as there are different settings, however many solves there are (see store/cells.py).
    """

    __tablename__ = "statistics_cells"

    # SHA-256 of what follows, up to the length.
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    by_length: Mapped[bool]
    puzzle: Mapped[str] = mapped_column(String(64))
    goal: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(String(64))
    scramble_moves: Mapped[str | None] = mapped_column(String(64))
    k: Mapped[int | None]
    algorithm: Mapped[str] = mapped_column(String(32))
    weight: Mapped[float] = mapped_column(Double)
    heuristic: Mapped[str] = mapped_column(Text)
    heuristic_name: Mapped[str | None] = mapped_column(String(64))
    tie_breaking: Mapped[str] = mapped_column(String(16))
    status: Mapped[Status] = mapped_column(StatusType)
    length: Mapped[int | None]
    solves: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (Index(None, "owner", "by_length"),)


# One column a measure: a distribution as store/distributions.py writes it.
for _measure in MEASURES:
    setattr(StatisticsCell, f"of_{_measure}", mapped_column(f"of_{_measure}", LargeBinary))
