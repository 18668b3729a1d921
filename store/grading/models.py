"""The tables of assignments and submissions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


class StoredAssignment(Base):
    """An assignment: instances and rubric as JSON, and the version of what can change a score."""

    __tablename__ = "assignments"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    document: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(String(16))

    __table_args__ = (Index(None, "owner", "id"),)


class StoredSubmission(Base):
    """A submission as it was handed in. ``job_id`` graded it first, ``regrade_id`` last; the id carries the time."""

    __tablename__ = "submissions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"))
    student: Mapped[str] = mapped_column(String(200))
    submitted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    # A GradingRequest without its assignment, as JSON.
    document: Mapped[str] = mapped_column(Text)
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id", ondelete="CASCADE"))
    regrade_id: Mapped[str | None] = mapped_column(Id, ForeignKey("jobs.id", ondelete="SET NULL"))

    __table_args__ = (Index(None, "assignment_id", "student", "id"),)
