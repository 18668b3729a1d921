"""What pattern databases each owner has had built: their number and size in a day are limited.

    name(session, "ann", problem.databases, most=64, most_bytes=2 * 2**30)      # in the transaction of the submission

A database is counted for everybody who names it, wherever it was built before: what is on the workers' disks is not
known here. Two requests at the same moment do not see each other, so there may be a few more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from store.database.bulk import insert_into
from store.database.clock import from_now, now
from store.owners.models import OwnerDatabase

DAY = timedelta(hours=24)


class TooManyDatabasesError(Exception):
    """The owner has named as many as she may. ``seconds``: until some of them are a day old."""

    def __init__(self, count: int, size: int, seconds: float) -> None:
        super().__init__(f"with this request {count} pattern databases of {size >> 20} MiB in a day")
        self.seconds = seconds


def name(session: Session, owner: str, wanted: Mapping[str, int], *, most: int, most_bytes: int) -> None:
    """Note that ``owner`` names these databases: what identifies each, and its bytes.

    Raises :class:`TooManyDatabasesError`, and notes none, where there would be more than ``most``, or of more bytes
    together, among those that were first named within a day. 0 is no limit.
    """
    sizes = {hashlib.sha256(text.encode()).hexdigest(): size for text, size in wanted.items()}
    if not sizes:
        return
    known = session.execute(
        select(OwnerDatabase.digest, OwnerDatabase.bytes, OwnerDatabase.named_at, now()).where(
            OwnerDatabase.owner == owner, OwnerDatabase.named_at > from_now(-DAY)
        )
    ).all()
    new = {digest: size for digest, size in sizes.items() if digest not in {row.digest for row in known}}
    if not new:
        return
    count, size = len(known) + len(new), sum(row.bytes for row in known) + sum(new.values())
    if (most and count > most) or (most_bytes and size > most_bytes):
        raise TooManyDatabasesError(count, size, _left([(row[2], row[3]) for row in known]))
    session.execute(delete(OwnerDatabase).where(OwnerDatabase.owner == owner, OwnerDatabase.named_at <= from_now(-DAY)))
    for digest, one in new.items():
        row = insert_into(session, OwnerDatabase).values(owner=owner, digest=digest, bytes=one, named_at=now())
        session.execute(row.on_conflict_do_nothing())


def _left(times: list[tuple[datetime, datetime]]) -> float:
    """Seconds until the oldest is a day old; a day where the request by itself is too much."""
    ages = [present - named for named, present in times]
    return (DAY - max(ages, default=timedelta(0))).total_seconds()
