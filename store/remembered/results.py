"""Reading, writing and deleting cached results."""

from __future__ import annotations

from datetime import timedelta

import structlog
from sqlalchemy import delete, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from store.database import Sessions
from store.database.bulk import insert_into
from store.database.clock import from_now, now
from store.remembered.models import RememberedResult

log = structlog.get_logger(__name__)

KEPT_DAYS = 30
#: a longer result is cheaper to compute than to store
MAX_TEXT = 2**20


class SharedResults:
    """A `hstar.remembered.Store`. If the database fails, the job goes on and computes the result itself."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def read(self, key: str) -> str | None:
        """The cached text of this key, if any."""
        try:
            with self._sessions.read() as session:
                return session.scalar(select(RememberedResult.text).where(RememberedResult.key == key))
        except DBAPIError as error:
            log.warning("cannot read a cached result", error=str(error.orig))
            return None

    def write(self, key: str, text: str) -> None:
        """Store a text, unless the key has one by now."""
        if len(text) > MAX_TEXT:
            return

        def add(session: Session) -> None:
            new = insert_into(session, RememberedResult).values(key=key, text=text, created_at=now())
            session.execute(new.on_conflict_do_nothing())

        try:
            self._sessions.run(add, patience=1.0)
        except DBAPIError as error:
            log.warning("cannot cache a result", error=str(error.orig))


def any_old(session: Session, age: timedelta) -> bool:
    """Whether `delete_old` would find one; reads only."""
    old = select(RememberedResult.key).where(RememberedResult.created_at < from_now(-age)).limit(1)
    return session.scalar(old) is not None


def delete_old(session: Session, age: timedelta) -> int:
    """Delete older results; returns how many there were."""
    old = delete(RememberedResult).where(RememberedResult.created_at < from_now(-age))
    return len(session.scalars(old.returning(RememberedResult.key)).all())
