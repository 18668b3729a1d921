"""The pattern databases that each owner names: their number and size in a day are limited.

    name(session, "ann", problem.databases, most=64, most_bytes=2 * 2**30)      # in the transaction of the submission

A database counts for everybody who names it, even if it was built before: the workers' disks are not known here.
Simultaneous requests do not see each other, so the limit may be exceeded by a few.
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
#: different databases of one owner in a day: more goal boards than a day of coursework has
MOST = 64


class TooManyDatabasesError(Exception):
    """The owner has reached the limit. ``seconds``: until some of the databases are a day old."""

    def __init__(self, count: int, size: int, seconds: float) -> None:
        super().__init__(f"with this request {count} pattern databases of {size >> 20} MiB in a day")
        self.seconds = seconds


def name(session: Session, owner: str, wanted: Mapping[str, int], *, most_bytes: int) -> None:
    """Record that ``owner`` names these databases (the key of each, and its bytes).

    Raises :class:`TooManyDatabasesError`, and records none, if the databases first named within a day would be more
    than `MOST`, or larger than ``most_bytes`` together (0: no limit).
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
    if count > MOST or (most_bytes and size > most_bytes):
        raise TooManyDatabasesError(count, size, _left([(row[2], row[3]) for row in known]))
    session.execute(delete(OwnerDatabase).where(OwnerDatabase.owner == owner, OwnerDatabase.named_at <= from_now(-DAY)))
    for digest, one in new.items():
        row = insert_into(session, OwnerDatabase).values(owner=owner, digest=digest, bytes=one, named_at=now())
        session.execute(row.on_conflict_do_nothing())


def _left(times: list[tuple[datetime, datetime]]) -> float:
    """Seconds until the oldest is a day old; a day if the request alone exceeds the limit."""
    ages = [present - named for named, present in times]
    return (DAY - max(ages, default=timedelta(0))).total_seconds()
