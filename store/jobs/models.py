"""The table of jobs of all kinds; a job is one row, from its submission on."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Enum, Index, String, Text, false, text, true
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id, quoted
from store.database.types import UtcDateTime
from store.jobs.states import FINAL, State

# A short string on every database: a downgrade cannot remove a value from PostgreSQL's enums.
StateType = Enum(State, native_enum=False, length=16, values_callable=lambda states: [str(name) for name in states])


class Job(Base):
    """A job. Only store/jobs/machine.py writes its state; ``worker`` is the last one that held it.

    ``request``, ``progress`` and ``answer`` are JSON texts that only the kind can read. They are texts because a
    request that does not parse must fail its own job, not the statement that claims it. A kind whose answers are
    searched has its own tables and leaves ``answer`` null.
    """

    __tablename__ = "jobs"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    state: Mapped[State] = mapped_column(StateType)
    priority: Mapped[int]
    attempt: Mapped[int]
    losses: Mapped[int]
    worker: Mapped[str | None] = mapped_column(String(128))
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    cancel_requested: Mapped[bool]
    # Whether it may be tried as a quick job: not if it was tried before, or is one of many.
    quick: Mapped[bool] = mapped_column(server_default=true())
    # Whether its request promises that it ends soon.
    small: Mapped[bool] = mapped_column(server_default=false())
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    # The progress of the running attempt, and when it was written; before its first heartbeat, that of the attempt
    # before.
    progress: Mapped[str | None] = mapped_column(Text)
    progress_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    error: Mapped[str | None] = mapped_column(Text)
    request: Mapped[str] = mapped_column(Text)
    answer: Mapped[str | None] = mapped_column(Text)
    # The job that this one is a part of (`store.jobs.children`).
    parent: Mapped[str | None] = mapped_column(Id)

    @property
    def has_progress(self) -> bool:
        """Whether the progress is that of the running attempt, or the last of a job that has ended."""
        if self.progress_at is None or self.state is State.QUEUED:
            return False
        return self.state in FINAL or self.started_at is None or self.progress_at >= self.started_at

    __table_args__ = (
        CheckConstraint(f"state IN ({quoted(State)})", "state"),
        CheckConstraint("(state = 'running') = (lease_until IS NOT NULL)", "lease"),
        CheckConstraint("state <> 'running' OR worker IS NOT NULL", "worker"),
        CheckConstraint(f"(state IN ({quoted(sorted(FINAL))})) = (finished_at IS NOT NULL)", "finished"),
        CheckConstraint("(state = 'failed') = (error IS NOT NULL)", "error"),
        CheckConstraint("answer IS NULL OR state IN ('cancelled', 'done')", "answer"),
        CheckConstraint("attempt >= 0 AND losses >= 0 AND losses <= attempt", "attempt"),
        # For claims: every queued row, by owner, then priority, the oldest first.
        Index(
            "ix_jobs_queued",
            "owner",
            "priority",
            "created_at",
            "id",
            postgresql_where=text("state = 'queued'"),
            sqlite_where=text("state = 'queued'"),
        ),
        # The same for jobs that may be tried as quick jobs.
        Index(
            "ix_jobs_quick",
            "owner",
            "priority",
            "created_at",
            "id",
            postgresql_where=text("state = 'queued' AND quick"),
            sqlite_where=text("state = 'queued' AND quick"),
        ),
        # The same for jobs that promise to end soon.
        Index(
            "ix_jobs_small",
            "owner",
            "priority",
            "created_at",
            "id",
            postgresql_where=text("state = 'queued' AND small"),
            sqlite_where=text("state = 'queued' AND small"),
        ),
        # Always few rows: the owners of running jobs, and leases that ran out.
        Index(
            "ix_jobs_running",
            "owner",
            postgresql_where=text("state = 'running'"),
            sqlite_where=text("state = 'running'"),
        ),
        Index(
            "ix_jobs_parent",
            "parent",
            postgresql_where=text("parent IS NOT NULL"),
            sqlite_where=text("parent IS NOT NULL"),
        ),
        # For the look at parts whose parent has ended; always few rows.
        Index(
            "ix_jobs_open_parts",
            "parent",
            postgresql_where=text("parent IS NOT NULL AND finished_at IS NULL"),
            sqlite_where=text("parent IS NOT NULL AND finished_at IS NULL"),
        ),
        # Lists of one kind, and of all without parts of others, newest first: the id contains the time.
        Index(None, "owner", "kind", "id"),
        Index(
            "ix_jobs_owner_id",
            "owner",
            "id",
            postgresql_where=text("parent IS NULL"),
            sqlite_where=text("parent IS NULL"),
        ),
        # The few among very many that did not end well.
        Index(
            "ix_jobs_failed",
            "owner",
            "id",
            postgresql_where=text("state = 'failed'"),
            sqlite_where=text("state = 'failed'"),
        ),
        Index(
            "ix_jobs_cancelled",
            "owner",
            "id",
            postgresql_where=text("state = 'cancelled'"),
            sqlite_where=text("state = 'cancelled'"),
        ),
    )
