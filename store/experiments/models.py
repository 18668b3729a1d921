"""The tables of experiments and their members."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


class Experiment(Base):
    """An experiment: its request, and what was promised of its rows. How it stands is what its solves say."""

    __tablename__ = "experiments"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    puzzle: Mapped[str] = mapped_column(String(64))
    # An ExperimentRequest as JSON.
    request: Mapped[str] = mapped_column(Text)
    # The ways to search that every instance goes through, in the order of the rows (store/experiments/records.py).
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
