"""The tables of webhooks and of their messages."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime

URL_LENGTH = 2000


class Webhook(Base):
    """An address of an owner. The secret is stored as it is, because every message is signed with it."""

    __tablename__ = "webhooks"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    url: Mapped[str] = mapped_column(String(URL_LENGTH))
    secret: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    # Messages that arrived, and those that were given up after the last attempt.
    delivered: Mapped[int]
    given_up: Mapped[int]
    delivered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    # Why the last attempt failed; null once a message has arrived.
    error: Mapped[str | None] = mapped_column(Text)

    __table_args__ = (Index(None, "owner", "id"),)


class Message(Base):
    """A message that has not arrived yet: a job or an experiment has ended.

    A trigger on ``jobs`` writes it in the transaction that ends the job. There is no foreign key: a webhook that is
    deleted at that moment must not undo the end of a job.
    """

    __tablename__ = "webhook_messages"

    webhook_id: Mapped[str] = mapped_column(Id, primary_key=True)
    # The id of the job or experiment.
    subject_id: Mapped[str] = mapped_column(Id, primary_key=True)
    subject: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int]
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (CheckConstraint("subject IN ('job', 'experiment')", "subject"), Index(None, "due_at"))
