"""The log of changes. A line is written in the transaction of its change, so neither exists without the other."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from store.ids import created_at, new_id
from store.owners.models import Change
from store.owners.principal import Principal


def record(session: Session, who: Principal, operation: str, target: str, detail: str | None = None) -> None:
    """Add a line: ``who`` did ``operation`` to ``target`` (an id). ``detail`` never holds a secret."""
    id = new_id()
    line = {"id": id, "at": created_at(id), "owner": who.owner, "key_id": who.key_id}
    session.execute(insert(Change), [{**line, "operation": operation, "target": target, "detail": detail}])


def list_changes(
    session: Session, *, target: str | None = None, owner: str | None = None, cursor: str | None = None, size: int = 50
) -> Sequence[Change]:
    """At most ``size`` lines, newest first, after the one with the id ``cursor``; for operators only."""
    wanted = select(Change).order_by(Change.id.desc()).limit(size)
    if target is not None:
        wanted = wanted.where(Change.target == target)
    if owner is not None:
        wanted = wanted.where(Change.owner == owner)
    return session.scalars(wanted if cursor is None else wanted.where(Change.id < cursor)).all()
