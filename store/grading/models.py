"""The tables of courses, assignments, submissions and requests for regrades."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Double, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.database.base import OWNER_LENGTH, Base, Id
from store.database.types import UtcDateTime


class StoredAssignment(Base):
    """An assignment: instances and rubric as JSON, and the version of everything that affects scores."""

    __tablename__ = "assignments"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    document: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(String(16))
    course: Mapped[str | None] = mapped_column(String(64))
    # When the due date or another of `TERMS` changed, which may change what submissions are worth.
    terms_changed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (Index(None, "owner", "id"), Index(None, "course", "id"))


class StoredVersion(Base):
    """An earlier version of an assignment, for the gradings that name it."""

    __tablename__ = "assignment_versions"

    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[str] = mapped_column(String(16), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    document: Mapped[str] = mapped_column(Text)


class StoredSubmission(Base):
    """A submission as received. ``job_id`` graded it first, ``regrade_id`` last; the id contains the time."""

    __tablename__ = "submissions"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"))
    student: Mapped[str] = mapped_column(String(200))
    submitted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    # A GradingRequest without its assignment, as JSON.
    document: Mapped[str] = mapped_column(Text)
    job_id: Mapped[str] = mapped_column(Id, ForeignKey("jobs.id", ondelete="CASCADE"))
    regrade_id: Mapped[str | None] = mapped_column(Id, ForeignKey("jobs.id", ondelete="SET NULL"))

    # The last two: a job that is deleted looks for the submissions that it graded.
    __table_args__ = (
        Index(None, "assignment_id", "student", "id"),
        Index(None, "job_id"),
        Index(None, "regrade_id"),
    )


class StoredRegradeRequest(Base):
    """A student's request for a regrade, and an instructor's answer."""

    __tablename__ = "regrade_requests"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"))
    submission_id: Mapped[str] = mapped_column(Id, ForeignKey("submissions.id", ondelete="CASCADE"))
    student: Mapped[str] = mapped_column(String(200))
    item: Mapped[str | None] = mapped_column(String(200))
    note: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    status: Mapped[str] = mapped_column(String(16))
    answer: Mapped[str | None] = mapped_column(Text)
    adjustment: Mapped[float] = mapped_column(Double, default=0.0)
    answered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)

    __table_args__ = (
        CheckConstraint("status IN ('open', 'granted', 'declined')", "status"),
        CheckConstraint("(status = 'open') = (answered_at IS NULL)", "answered"),
        Index(None, "assignment_id", "id"),
        Index(None, "submission_id"),
    )


class StoredRosterLine(Base):
    """A student of a course. ``owner`` is empty for courses of keys, else who keeps the roster."""

    __tablename__ = "roster_lines"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    course: Mapped[str] = mapped_column(String(64), primary_key=True)
    student: Mapped[str] = mapped_column(String(200), primary_key=True)
    document: Mapped[str] = mapped_column(Text)


class StoredRecord(Base):
    """What an instructor decided about one student on one assignment."""

    __tablename__ = "student_records"

    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"), primary_key=True)
    student: Mapped[str] = mapped_column(String(200), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime] = mapped_column(UtcDateTime)


class StoredUpload(Base):
    """A file of a class as it came, and what became of it; ``content`` is in base64."""

    __tablename__ = "uploads"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    assignment_id: Mapped[str] = mapped_column(Id, ForeignKey("assignments.id", ondelete="CASCADE"))
    filename: Mapped[str] = mapped_column(String(200))
    student: Mapped[str | None] = mapped_column(String(200))
    found_by: Mapped[str | None] = mapped_column(String(16))
    named_in_file: Mapped[str | None] = mapped_column(String(200))
    status: Mapped[str] = mapped_column(String(16))
    message: Mapped[str | None] = mapped_column(Text)
    content: Mapped[str] = mapped_column(Text)
    submission_id: Mapped[str | None] = mapped_column(Id, ForeignKey("submissions.id", ondelete="CASCADE"))
    uploaded_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (
        CheckConstraint("status IN ('submitted', 'mapping', 'unassigned', 'refused')", "status"),
        Index(None, "assignment_id", "id"),
        Index(None, "submission_id"),
    )


class StoredNotation(Base):
    """A student's own notation for a puzzle, as it was confirmed once."""

    __tablename__ = "notations"

    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH), primary_key=True)
    course: Mapped[str] = mapped_column(String(64), primary_key=True)
    student: Mapped[str] = mapped_column(String(200), primary_key=True)
    puzzle: Mapped[str] = mapped_column(String(100), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    confirmed_at: Mapped[datetime] = mapped_column(UtcDateTime)
