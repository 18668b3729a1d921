"""The tables of owners: API keys, the log of changes, idempotency keys, and the pattern databases that they named."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Enum, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id, quoted
from store.database.types import UtcDateTime
from store.owners.roles import Role


class IdempotencyKey(Base):
    """An Idempotency-Key, the fingerprint of its request, and the resource that the request made."""

    __tablename__ = "idempotency_keys"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    resource_id: Mapped[str] = mapped_column(Id)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "created_at"),)


COURSE_LENGTH = 64
LABEL_LENGTH = 100

# A short string on every database, like the states of jobs.
RoleType = Enum(Role, native_enum=False, length=16, values_callable=lambda roles: [str(name) for name in roles])


class ApiKey(Base):
    """An API key. Only its digest is stored; revoked keys stay, as a record of what they were for."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    role: Mapped[Role] = mapped_column(RoleType)
    course: Mapped[str | None] = mapped_column(String(COURSE_LENGTH))
    label: Mapped[str] = mapped_column(String(LABEL_LENGTH), default="")
    # SHA-256 in hexadecimal.
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        CheckConstraint(f"role IN ({quoted(Role)})", "role"),
        CheckConstraint("role <> 'operator' OR course IS NULL", "course"),
        Index(None, "digest", unique=True),
        Index(None, "owner"),
        Index(None, "course", "owner"),
    )


class Change(Base):
    """A line of the log of changes. Lines are added and never changed; the id contains the time."""

    __tablename__ = "changes"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    key_id: Mapped[str | None] = mapped_column(Id)
    operation: Mapped[str] = mapped_column(String(64))
    # The id or the address of what was changed.
    target: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str | None] = mapped_column(Text)

    __table_args__ = (Index(None, "target"),)


class OwnerDatabase(Base):
    """A pattern database that an owner's request named, by the SHA-256 of its key, and when it was first named."""

    __tablename__ = "owner_databases"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    bytes: Mapped[int] = mapped_column(BigInteger)
    named_at: Mapped[datetime] = mapped_column(UtcDateTime)
