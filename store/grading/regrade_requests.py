"""Storing and reading requests for regrades."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from hstar.grading.requests import RegradeAnswer, RegradeRequestIn
from store.grading.models import StoredRegradeRequest, StoredSubmission
from store.ids import created_at, parse_id


def add(session: Session, id: str, submission: StoredSubmission, given: RegradeRequestIn) -> None:
    """Insert a request."""
    session.add(
        StoredRegradeRequest(
            id=id, assignment_id=submission.assignment_id, submission_id=submission.id, student=submission.student,
            item=given.item, note=given.note, created_at=created_at(id), status="open", adjustment=0.0,
        )
    )  # fmt: skip


def any_open(session: Session, submission_id: str) -> bool:
    """Whether this submission has an unanswered request."""
    waiting = exists().where(StoredRegradeRequest.submission_id == submission_id, StoredRegradeRequest.status == "open")
    return bool(session.scalar(select(waiting)))


def get(session: Session, assignment_id: str, request_id: str, *, lock: bool = False) -> StoredRegradeRequest | None:
    """One request about an assignment; ``lock``: lock its row until the end of the transaction."""
    identifier = parse_id(request_id)
    if identifier is None:
        return None
    wanted = select(StoredRegradeRequest).where(
        StoredRegradeRequest.id == identifier, StoredRegradeRequest.assignment_id == assignment_id
    )
    return session.scalar(wanted.with_for_update() if lock else wanted)


def page(
    session: Session,
    assignment_id: str,
    *,
    student: str | None = None,
    status: str | None = None,
    cursor: str | None = None,
    size: int = 50,
) -> Sequence[StoredRegradeRequest]:
    """At most ``size`` requests about an assignment, newest first, after the one with the id ``cursor``."""
    wanted = select(StoredRegradeRequest).where(StoredRegradeRequest.assignment_id == assignment_id)
    wanted = wanted.order_by(StoredRegradeRequest.id.desc()).limit(size)
    if student is not None:
        wanted = wanted.where(StoredRegradeRequest.student == student)
    if status is not None:
        wanted = wanted.where(StoredRegradeRequest.status == status)
    if cursor is not None:
        wanted = wanted.where(StoredRegradeRequest.id < cursor)
    return session.scalars(wanted).all()


def answer(row: StoredRegradeRequest, given: RegradeAnswer) -> bool:
    """Write an instructor's answer; returns whether the submission must now be graded again, which happens once."""
    newly_granted = given.decision == "granted" and row.status != "granted"
    row.status, row.answer, row.adjustment = given.decision, given.answer, given.adjustment
    row.answered_at = datetime.now(UTC)
    return newly_granted
