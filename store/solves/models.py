"""The tables of solves: their requests and answers.

``solves`` is narrow on purpose, because statistics scan it. Columns that are only read for a single solve are in
``solve_documents`` (see docs/decisions/0060). The state of its job is in ``jobs``, under the same id.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Double,
    Enum,
    ForeignKey,
    Index,
    String,
    Text,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hstar.schema import ANSWER_COLUMNS, COUNTERS, RATES, Answer, LimitName, Optimality
from store.database.base import OWNER_LENGTH, Base, Id, quoted
from store.database.options import add_option_columns
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.status import OUTCOMES, Status

OutcomeType = Enum(Status, native_enum=False, length=16, values_callable=lambda statuses: [str(s) for s in statuses])


class Solve(Base):
    """A request and its answer. The answer and the outcome are written once, when the job ends."""

    __tablename__ = "solves"

    id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))

    # The parts of the request that can be filtered or grouped by.
    puzzle: Mapped[str] = mapped_column(String(64))
    goal: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(String(64))
    algorithm: Mapped[str] = mapped_column(String(32))
    # The algorithm that searches: the requested one, or the one that ``auto`` chose. If ``auto`` chooses during the
    # search, the end of the job writes it and the heuristic.
    method: Mapped[str | None] = mapped_column(String(32))
    heuristic: Mapped[str] = mapped_column(Text)
    limit_expanded: Mapped[int | None] = mapped_column(BigInteger)
    limit_generated: Mapped[int | None] = mapped_column(BigInteger)
    limit_seconds: Mapped[float | None] = mapped_column(Double)
    limit_memory_mib: Mapped[int]
    scramble_id: Mapped[str | None] = mapped_column(Id, ForeignKey("scrambles.id", ondelete="SET NULL"))
    scramble_moves: Mapped[str | None] = mapped_column(String(64))
    k: Mapped[int | None]
    seed: Mapped[int | None] = mapped_column(BigInteger)

    # The answer. ``outcome`` is null until the job has ended; if it ends without an answer, a trigger writes it.
    outcome: Mapped[Status | None] = mapped_column(OutcomeType)
    solution: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    length: Mapped[int | None]
    optimality: Mapped[Optimality | None] = mapped_column(String(16))
    lower_bound: Mapped[int | None]
    limit: Mapped[LimitName | None] = mapped_column(String(16))
    layers: Mapped[list[tuple[float, int]] | None] = mapped_column(JSON(none_as_null=True))
    seconds: Mapped[float | None] = mapped_column(Double)
    peak_bytes: Mapped[int | None] = mapped_column(BigInteger)

    job: Mapped[Job] = relationship(lazy="raise", passive_deletes=True)
    document: Mapped[SolveDocument] = relationship(back_populates="solve", lazy="raise", passive_deletes=True)

    __table_args__ = (
        CheckConstraint(f"outcome IN ({quoted(sorted(OUTCOMES))})", "outcome"),
        CheckConstraint("(outcome IS NOT NULL AND outcome = 'solved') = (solution IS NOT NULL)", "solution"),
        CheckConstraint("""(outcome IS NOT NULL AND outcome = 'limit_reached') = ("limit" IS NOT NULL)""", "limit"),
        # For lists: newest first within a filter. The id contains the time.
        Index(None, "owner", "id"),
        Index(None, "outcome", "id"),
        Index(None, "puzzle", "moves", "id"),
        # A scramble that is deleted looks for its solves.
        Index(
            "ix_solves_scramble_id",
            "scramble_id",
            postgresql_where=text("scramble_id IS NOT NULL"),
            sqlite_where=text("scramble_id IS NOT NULL"),
        ),
    )

    @property
    def answer(self) -> Answer:
        """The answer, from its columns."""
        return Answer(**Answer.fields_from({name: getattr(self, name) for name in ANSWER_COLUMNS}))

    @property
    def status(self) -> Status:
        """The API's status. The row's job must be loaded."""
        if self.outcome is not None:
            return self.outcome
        assert self.job.state is not State.DONE, "a job that is done must have an outcome"
        return Status(self.job.state.value)


add_option_columns(Solve)
# The counters of the answer.
for _name in COUNTERS:
    setattr(Solve, _name, mapped_column(_name, Double if _name in RATES else BigInteger))


class SolveDocument(Base):
    """The columns that are written at submission and read only for a single solve."""

    __tablename__ = "solve_documents"

    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True)
    # None for a row of an experiment: its start is made from its scramble when it is read.
    start: Mapped[dict[str, Any] | None] = mapped_column(JSON, nullable=False)
    heuristic: Mapped[dict[str, Any]] = mapped_column(JSON)
    tags: Mapped[dict[str, str]] = mapped_column(JSON)
    # None: none was asked for. Written again when the job ends.
    certificate: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))

    solve: Mapped[Solve] = relationship(back_populates="document", lazy="raise")


class SolveTag(Base):
    """One tag of a solve, for filtering and grouping; all tags are in the document."""

    __tablename__ = "solve_tags"

    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str] = mapped_column(String(256))

    __table_args__ = (Index(None, "key", "value", "solve_id"),)
