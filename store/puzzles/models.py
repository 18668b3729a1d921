"""The tables of scrambles and of added puzzles."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


class Scramble(Base):
    """A stored scramble. Its moves and state are stored as they were answered, and never computed again."""

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


class AddedPuzzle(Base):
    """A definition with a name of its owner. If the owner gives the name to another definition, this row stays without
    a name, because jobs and results have its full name."""

    __tablename__ = "added_puzzles"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    name: Mapped[str] = mapped_column(String(40))
    full_name: Mapped[str] = mapped_column(String(64))
    definition: Mapped[str] = mapped_column(Text)
    # Its summary in lists, which is expensive to compute.
    summary: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    removed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        Index(None, "full_name"),
        Index("ix_added_puzzles_owner_full_name", "owner", "full_name", unique=True),
        Index(
            "ix_added_puzzles_owner_name",
            "owner",
            "name",
            unique=True,
            postgresql_where=text("removed_at IS NULL"),
            sqlite_where=text("removed_at IS NULL"),
        ),
    )
