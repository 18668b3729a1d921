"""The table of parts."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import Base
from store.database.types import UtcDateTime


class PartSeen(Base):
    """When a process of a part last noted that it works."""

    __tablename__ = "parts_seen"

    part: Mapped[str] = mapped_column(String(16), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
