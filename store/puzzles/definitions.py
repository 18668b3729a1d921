"""Definitions of puzzles in the database, by owner and name, and by the full name that jobs store.

row, is_new = add(session, "ann", puzzle.definition, summary)
with looking_in(StoredDefinitions(sessions, "ann")):
    get_puzzle("ring")                          # ann's; by its full name anybody's
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from hstar.puzzles.added import EARLIER_DIGITS, bare_name, earlier_name, full_name, is_name, to_json
from hstar.puzzles.definition import KPuzzle, read_definition
from store.database import Sessions
from store.database.clock import now
from store.ids import created_at, new_id
from store.owners.principal import Principal, visible_to
from store.puzzles.models import AddedPuzzle

#: rows with one full name that are read: owners may add the same definition, and earlier full names may collide
MOST_ALIKE = 16


class StoredDefinitions:
    """Where `hstar.puzzles.added` looks up added puzzles: the names of one owner, and all full names.

    A full name is found for everybody: its 132 bits of SHA-256 cannot be guessed, so those who know it were given it,
    such as the students of an assignment.

    :param owner: None for a worker, whose jobs have full names only
    """

    def __init__(self, sessions: Sessions, owner: str | None) -> None:
        self._sessions, self._owner = sessions, owner

    def find(self, name: str) -> KPuzzle | None:
        if not is_name(name):
            return None
        wanted = select(AddedPuzzle.definition)
        if bare_name(name) != name:
            wanted = wanted.where(AddedPuzzle.full_name.in_(_stored_names(name)))
        elif self._owner is not None:
            wanted = wanted.where(
                AddedPuzzle.owner == self._owner, AddedPuzzle.name == name, AddedPuzzle.removed_at.is_(None)
            )
        else:
            return None
        # The oldest first, so that nobody can put another definition under a full name.
        with self._sessions.read() as session:
            texts = session.scalars(wanted.order_by(AddedPuzzle.id).limit(MOST_ALIKE)).all()
        found = (read_definition(json.loads(text)) for text in texts)
        return next((one for one in found if _has_name(one, name)), None)

    def names(self) -> list[str]:
        with self._sessions.read() as session:
            mine = select(AddedPuzzle.name).where(AddedPuzzle.owner == self._owner, AddedPuzzle.removed_at.is_(None))
            return list(session.scalars(mine.order_by(AddedPuzzle.name)))


def add(session: Session, owner: str, definition: KPuzzle, summary: Mapping[str, Any]) -> tuple[AddedPuzzle, bool]:
    """Give a definition an owner's name; returns whether it is new. The same definition again changes nothing."""
    full = full_name(definition)
    mine = select(AddedPuzzle).where(AddedPuzzle.owner == owner, AddedPuzzle.full_name.in_(_stored_names(full)))
    rows = session.scalars(mine.order_by(AddedPuzzle.id))
    row = next((one for one in rows if _has_name(read_definition(json.loads(one.definition)), full)), None)
    if row is not None and row.removed_at is None:
        return row, False
    _remove(session, owner, definition.name)
    if row is not None:
        row.removed_at = None
    else:
        identifier = new_id()
        row = AddedPuzzle(
            id=identifier,
            owner=owner,
            name=definition.name,
            full_name=full,
            definition=to_json(definition),
            summary=dict(summary),
            created_at=created_at(identifier),
        )
        session.add(row)
    session.flush()
    return row, True


def count(session: Session, owner: str) -> int:
    """How many definitions an owner has added, including removed ones, which are kept."""
    return session.scalar(select(func.count()).select_from(AddedPuzzle).where(AddedPuzzle.owner == owner)) or 0


def list_added(session: Session, principal: Principal, most: int) -> list[AddedPuzzle]:
    """The puzzles that have a name and that ``principal`` may see, newest first."""
    wanted = select(AddedPuzzle).where(visible_to(principal, AddedPuzzle.owner), AddedPuzzle.removed_at.is_(None))
    return list(session.scalars(wanted.order_by(AddedPuzzle.id.desc()).limit(most)))


def find_visible(session: Session, principal: Principal, name: str) -> AddedPuzzle | None:
    """The puzzle with this name or full name; the principal's own before those of others that they may see."""
    if not is_name(name):
        return None
    wanted = select(AddedPuzzle).where(visible_to(principal, AddedPuzzle.owner))
    if bare_name(name) == name:
        wanted = wanted.where(AddedPuzzle.name == name, AddedPuzzle.removed_at.is_(None))
    else:
        wanted = wanted.where(AddedPuzzle.full_name.in_(_stored_names(name)))
    rows = session.scalars(wanted.order_by((AddedPuzzle.owner != principal.owner), AddedPuzzle.id.desc()).limit(1))
    return rows.first()


def remove(session: Session, row: AddedPuzzle) -> None:
    """Remove a puzzle's name; doing it again changes nothing."""
    if row.removed_at is None:
        _remove(session, row.owner, row.name)


def _stored_names(full: str) -> tuple[str, ...]:
    """The full names under which rows may have the definition of a full name."""
    earlier = len(full.partition("@")[2]) == EARLIER_DIGITS
    return (full,) if earlier else (full, earlier_name(full))


def _has_name(definition: KPuzzle, name: str) -> bool:
    full = full_name(definition)
    return name in (definition.name, full, earlier_name(full))


def _remove(session: Session, owner: str, name: str) -> None:
    session.execute(
        update(AddedPuzzle)
        .where(AddedPuzzle.owner == owner, AddedPuzzle.name == name, AddedPuzzle.removed_at.is_(None))
        .values(removed_at=now())
    )
