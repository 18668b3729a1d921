"""Storing and reading records of students, and their confirmed notations."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar.grading.intake import Notation
from hstar.grading.records import Record
from store.grading.models import StoredNotation, StoredRecord
from store.grading.rosters import Scope


def get(session: Session, assignment_id: str, student: str) -> tuple[Record, datetime | None]:
    """A student's record, empty at first, and when it last changed."""
    row = session.get(StoredRecord, (assignment_id, student))
    return (Record(), None) if row is None else (Record.model_validate_json(row.document), row.changed_at)


def of_assignment(session: Session, assignment_id: str) -> dict[str, tuple[Record, datetime | None]]:
    """All records of an assignment by student."""
    wanted = select(StoredRecord).where(StoredRecord.assignment_id == assignment_id).order_by(StoredRecord.student)
    return {row.student: (Record.model_validate_json(row.document), row.changed_at) for row in session.scalars(wanted)}


def write(session: Session, assignment_id: str, student: str, record: Record) -> None:
    """Store a record; an empty one is removed."""
    row = session.get(StoredRecord, (assignment_id, student))
    if record == Record():
        if row is not None:
            session.delete(row)
        return
    document, now = record.model_dump_json(), datetime.now(UTC)
    if row is None:
        session.add(StoredRecord(assignment_id=assignment_id, student=student, document=document, changed_at=now))
    else:
        row.document, row.changed_at = document, now


def notation(session: Session, scope: Scope, student: str, puzzle: str) -> Notation | None:
    """The notation that a student confirmed for a puzzle."""
    row = session.get(StoredNotation, (*scope, student, puzzle[:100]))
    return None if row is None else Notation.model_validate_json(row.document)


def keep_notation(session: Session, scope: Scope, student: str, puzzle: str, given: Notation | None) -> None:
    """Keep it for the next submission; None forgets it."""
    row = session.get(StoredNotation, (*scope, student, puzzle[:100]))
    document = "" if given is None else given.model_dump_json()
    if given is None:
        if row is not None:
            session.delete(row)
            session.flush()
    elif row is None:
        session.add(
            StoredNotation(
                owner=scope.owner, course=scope.course, student=student, puzzle=puzzle[:100], document=document,
                confirmed_at=datetime.now(UTC),
            )
        )  # fmt: skip
    else:
        row.document, row.confirmed_at = document, datetime.now(UTC)
