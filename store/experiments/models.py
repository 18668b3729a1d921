"""The tables of experiments and their members."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime

#: tables of finished experiments with at least so many rows are stored; those of smaller ones are computed quickly
LARGE = 5000


class Experiment(Base):
    """An experiment: its request and the settings of its rows. Its state follows from its solves.

    Once all of them have ended, its state never changes again and is stored here (store/experiments/finished.py).
    """

    __tablename__ = "experiments"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    puzzle: Mapped[str] = mapped_column(String(64))
    # An ExperimentRequest as JSON.
    request: Mapped[str] = mapped_column(Text)
    # The search settings that are applied to every instance, in the order of the rows (store/experiments/records.py).
    configurations: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    trials: Mapped[int]
    row_count: Mapped[int]
    # Equal for two requests for the same rows.
    fingerprint: Mapped[str] = mapped_column(String(64))
    # How its rows ended, and when the last one did; null until the sweeper has seen that all have ended.
    outcomes: Mapped[dict[str, int] | None] = mapped_column(JSON(none_as_null=True))
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        Index(None, "owner", "id"),
        Index(None, "owner", "fingerprint", "id"),
        # Partial indices of few rows: unfinished experiments, and those whose tables are stored.
        Index(
            "ix_experiments_unfinished",
            "id",
            postgresql_where=text("finished_at IS NULL"),
            sqlite_where=text("finished_at IS NULL"),
        ),
        Index(
            "ix_experiments_large",
            "id",
            postgresql_where=text(f"row_count >= {LARGE}"),
            sqlite_where=text(f"row_count >= {LARGE}"),
        ),
    )


class ExperimentTable(Base):
    """The table of one measure of a large finished experiment: a `hstar.experiments.schema.Table` as JSON."""

    __tablename__ = "experiment_tables"

    experiment_id: Mapped[str] = mapped_column(Id, ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    x: Mapped[str] = mapped_column(String(16), primary_key=True)
    measure: Mapped[str] = mapped_column(String(32), primary_key=True)
    # The version of the package that computed it: another version may compute another table.
    version: Mapped[str] = mapped_column(String(32))
    body: Mapped[str] = mapped_column(Text)


class ExperimentMember(Base):
    """Which solve is which row of an experiment; not a column of ``solves``, because most solves have no experiment."""

    __tablename__ = "experiment_members"

    experiment_id: Mapped[str] = mapped_column(Id, ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    row_index: Mapped[int] = mapped_column(primary_key=True)
    solve_id: Mapped[str] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"), unique=True)
