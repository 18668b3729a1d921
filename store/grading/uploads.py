"""Storing and reading the files of a class as they came."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, defer

from store.grading.models import StoredUpload
from store.ids import created_at, parse_id


def add(
    session: Session, id: str, assignment_id: str, filename: str, content: str, *, status: str,
    student: str | None = None, found_by: str | None = None, named_in_file: str | None = None,
    message: str | None = None, submission_id: str | None = None,
) -> StoredUpload:  # fmt: skip
    """Insert a file; ``content``: in base64."""
    row = StoredUpload(
        id=id, assignment_id=assignment_id, filename=filename[-200:], student=student, found_by=found_by,
        named_in_file=named_in_file, status=status, message=message, content=content, submission_id=submission_id,
        uploaded_at=created_at(id),
    )  # fmt: skip
    session.add(row)
    session.flush()
    return row


def get(session: Session, assignment_id: str, upload_id: str, *, lock: bool = False) -> StoredUpload | None:
    """One file; ``lock``: lock its row until the end of the transaction."""
    identifier = parse_id(upload_id)
    if identifier is None:
        return None
    wanted = select(StoredUpload).where(StoredUpload.id == identifier, StoredUpload.assignment_id == assignment_id)
    return session.scalar(wanted.with_for_update() if lock else wanted)


def page(
    session: Session, assignment_id: str, *, status: str | None = None, cursor: str | None = None, size: int = 50
) -> Sequence[StoredUpload]:
    """At most ``size`` files, newest first, after the one with the id ``cursor``; without their contents."""
    wanted = select(StoredUpload).where(StoredUpload.assignment_id == assignment_id)
    wanted = wanted.order_by(StoredUpload.id.desc()).limit(size).options(defer(StoredUpload.content))
    if status is not None:
        wanted = wanted.where(StoredUpload.status == status)
    return session.scalars(wanted if cursor is None else wanted.where(StoredUpload.id < cursor)).all()


def not_submitted(session: Session, assignment_id: str) -> Sequence[StoredUpload]:
    """The files of known students that did not become submissions, oldest first."""
    wanted = select(StoredUpload).where(StoredUpload.assignment_id == assignment_id)
    wanted = wanted.where(StoredUpload.status != "submitted", StoredUpload.student.is_not(None))
    return session.scalars(wanted.order_by(StoredUpload.id).options(defer(StoredUpload.content))).all()


def forget(session: Session, assignment_id: str, student: str) -> None:
    """Remove a student's files that were not graded, because a newer one comes."""
    mine = StoredUpload.assignment_id == assignment_id, StoredUpload.student == student
    session.execute(delete(StoredUpload).where(*mine, StoredUpload.status != "submitted"))


def count(session: Session, assignment_id: str) -> int:
    """The number of files that did not become submissions."""
    wanted = select(func.count()).select_from(StoredUpload)
    kept = StoredUpload.assignment_id == assignment_id, StoredUpload.status != "submitted"
    return session.scalar(wanted.where(*kept)) or 0
