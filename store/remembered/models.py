"""The table of cached results."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import Base
from store.database.types import UtcDateTime


class RememberedResult(Base):
    """A cached result as JSON. ``key``: SHA-256 of the question, in hexadecimal."""

    __tablename__ = "remembered_results"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "created_at"),)
