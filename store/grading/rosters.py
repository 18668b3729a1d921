"""Storing and reading rosters. A `Scope` says whose course it is: of keys, or one of an owner without a course."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from hstar.grading.roster import RosterLine
from hstar.grading.schema import AssignmentIn
from store.grading.models import StoredAssignment, StoredRosterLine
from store.owners.principal import Principal
from store.owners.roles import Role


class Scope(NamedTuple):
    """A course: its name, and who keeps it; ``owner`` is empty for a course of keys."""

    owner: str
    course: str


def scope_of(principal: Principal, course: str) -> Scope | None:
    """The course of this name for a principal; None if it is another course than theirs."""
    if principal.role is Role.OPERATOR:
        return Scope("", course)
    if principal.course is not None:
        return Scope("", course) if course == principal.course else None
    return Scope(principal.owner, course)


def scope_of_assignment(row: StoredAssignment, given: AssignmentIn) -> Scope:
    """The course whose roster counts for an assignment."""
    return Scope("", row.course) if row.course is not None else Scope(row.owner, given.course or "")


def read(session: Session, scope: Scope) -> list[RosterLine]:
    """The students of a course, by their ids."""
    wanted = select(StoredRosterLine.document).where(*_of(scope)).order_by(StoredRosterLine.student)
    return [RosterLine.model_validate_json(document) for document in session.scalars(wanted)]


def line(session: Session, scope: Scope, student: str) -> RosterLine | None:
    """The line of one student."""
    row = session.get(StoredRosterLine, (*scope, student))
    return None if row is None else RosterLine.model_validate_json(row.document)


class Written(NamedTuple):
    """How many lines were added, changed and removed."""

    added: int
    changed: int
    removed: int


def write(session: Session, scope: Scope, lines: Iterable[RosterLine], *, replace: bool, dry: bool = False) -> Written:
    """Add lines and change known ones; ``replace``: also remove the others; ``dry``: only count."""
    before = {one.student: one for one in read(session, scope)}
    given = {one.student: one for one in lines}
    added = [one for name, one in given.items() if name not in before]
    # A file without addresses does not remove those that are known.
    merged = {name: before[name].model_copy(update=one.model_dump(exclude_none=True))
              for name, one in given.items() if name in before}  # fmt: skip
    changed = [one for name, one in merged.items() if one != before[name]]
    gone = [name for name in before if name not in given] if replace else []
    if not dry:
        for one in [*added, *changed]:
            document = one.model_dump_json()
            session.merge(
                StoredRosterLine(owner=scope.owner, course=scope.course, student=one.student, document=document)
            )
        remove(session, scope, gone)
    return Written(len(added), len(changed), len(gone))


def remove(session: Session, scope: Scope, students: Iterable[str] | None = None) -> None:
    """Remove some students; None: the whole roster."""
    if students is None:
        session.execute(delete(StoredRosterLine).where(*_of(scope)))
    for student in students or ():
        session.execute(delete(StoredRosterLine).where(*_of(scope), StoredRosterLine.student == student))


def courses(session: Session, principal: Principal) -> dict[str, int]:
    """The courses that a principal may see, with the number of students."""
    wanted = select(StoredRosterLine.course, func.count()).group_by(StoredRosterLine.course)
    if principal.role is Role.OPERATOR:
        wanted = wanted.where(StoredRosterLine.owner == "")
    elif principal.course is not None:
        wanted = wanted.where(StoredRosterLine.owner == "", StoredRosterLine.course == principal.course)
    else:
        wanted = wanted.where(StoredRosterLine.owner == principal.owner)
    found = {row[0]: row[1] for row in session.execute(wanted)}
    return found if principal.course is None else {principal.course: 0} | found


def _of(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    return StoredRosterLine.owner == scope.owner, StoredRosterLine.course == scope.course
