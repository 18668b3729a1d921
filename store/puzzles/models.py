"""The table of scrambles."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


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
