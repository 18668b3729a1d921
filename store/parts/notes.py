"""Noting that a part works, and reading which do."""

from __future__ import annotations

from datetime import timedelta
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from store.database import Sessions
from store.database.bulk import insert_into
from store.database.clock import from_now, now
from store.parts.models import PartSeen

PARTS = ("worker", "sweeper")
#: a part that was noted this lately is not noted again
NOTE_SECONDS = 5.0
#: a part that nobody has noted for this long is away
AWAY_SECONDS = 20.0

_seen = cast(Table, PartSeen.__table__)


def note(sessions: Sessions, part: str) -> None:
    """Note that a part works, unless that was noted lately; raises DBAPIError if the database does not answer."""
    with sessions.read() as session:
        if part in _noted(session, NOTE_SECONDS):
            return

    def upsert(session: Session) -> None:
        statement = insert_into(session, _seen).values(part=part, seen_at=now())
        session.execute(statement.on_conflict_do_update(index_elements=["part"], set_={"seen_at": now()}))

    sessions.run(upsert, patience=1.0)


def away(session: Session) -> list[str]:
    """The parts that nobody has noted lately."""
    noted = _noted(session, AWAY_SECONDS)
    return [part for part in PARTS if part not in noted]


def _noted(session: Session, seconds: float) -> set[str]:
    # Not after now, either: the clock may have been set back.
    lately = PartSeen.seen_at.between(from_now(timedelta(seconds=-seconds)), now())
    return set(session.scalars(select(PartSeen.part).where(lately)))
