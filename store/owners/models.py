"""The table of idempotency keys."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


class IdempotencyKey(Base):
    """An Idempotency-Key, what its request was, and what that request made."""

    __tablename__ = "idempotency_keys"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    resource_id: Mapped[str] = mapped_column(Id)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "created_at"),)
