"""Storing and reading assignments: the present document of each, and all its versions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from hstar.grading.gradebook import TERMS
from hstar.grading.schema import AssignmentIn
from store.grading.models import StoredAssignment, StoredVersion
from store.ids import created_at, parse_id
from store.owners.principal import Principal, visible_to
from store.owners.roles import Role


def readable_by(principal: Principal) -> ColumnElement[bool]:
    """The principal's own assignments, and those of their course."""
    own = visible_to(principal, StoredAssignment.owner)
    return own if principal.course is None else or_(own, StoredAssignment.course == principal.course)


def add(session: Session, id: str, principal: Principal, given: AssignmentIn, version: str) -> None:
    """Insert an assignment and its first version, in the principal's course; an operator's in the course it names."""
    document, made = given.model_dump_json(), created_at(id)
    row = StoredAssignment(id=id, owner=principal.owner, created_at=made, document=document, version=version)
    row.course = given.course if principal.role is Role.OPERATOR else principal.course
    session.add(row)
    session.flush()
    session.add(StoredVersion(assignment_id=id, version=version, created_at=made, document=document))


def replace(session: Session, row: StoredAssignment, given: AssignmentIn, version: str) -> None:
    """Change an assignment. Its earlier versions are kept; a change that cannot affect a score makes no new version."""
    before = AssignmentIn.model_validate_json(row.document)
    if any(getattr(before, name) != getattr(given, name) for name in TERMS):
        row.terms_changed_at = datetime.now(UTC)
    row.document, row.version = given.model_dump_json(), version
    known = session.get(StoredVersion, (row.id, version))
    if known is None:
        made = datetime.now(UTC)
        session.add(StoredVersion(assignment_id=row.id, version=version, created_at=made, document=row.document))
    else:
        known.document = row.document


def get(session: Session, assignment_id: str, principal: Principal, *, lock: bool = False) -> StoredAssignment | None:
    """The assignment, if ``principal`` may read it; ``lock``: lock its row until the end of the transaction."""
    identifier = parse_id(assignment_id)
    if identifier is None:
        return None
    wanted = select(StoredAssignment).where(StoredAssignment.id == identifier, readable_by(principal))
    return session.scalar(wanted.with_for_update() if lock else wanted)


def newest(session: Session, principal: Principal, most: int = 1000) -> Sequence[StoredAssignment]:
    """The newest assignments that ``principal`` may read."""
    wanted = select(StoredAssignment).where(readable_by(principal))
    return session.scalars(wanted.order_by(StoredAssignment.id.desc()).limit(most)).all()


def versions(session: Session, assignment_id: str) -> Sequence[StoredVersion]:
    """All versions, oldest first."""
    wanted = select(StoredVersion).where(StoredVersion.assignment_id == assignment_id)
    return session.scalars(wanted.order_by(StoredVersion.created_at, StoredVersion.version)).all()
