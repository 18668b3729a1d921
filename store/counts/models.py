"""The table of counts."""

from __future__ import annotations

from sqlalchemy import Double, String
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import Base


class Count(Base):
    """A number that only grows. ``labels`` is JSON with sorted keys."""

    __tablename__ = "counts"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    labels: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[float] = mapped_column(Double)
