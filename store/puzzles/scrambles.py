"""Storing scrambles, so that they can be named in later requests."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar import schema
from store.ids import created_at, new_id
from store.owners.models import LOCAL_OWNER
from store.puzzles.models import Scramble


def add_scramble(
    session: Session,
    scramble: schema.Scramble,
    *,
    goal: Sequence[int] | None = None,
    owner: str = LOCAL_OWNER,
    id: str | None = None,
) -> Scramble:
    """Insert a scramble as the library made it and return its row."""
    identifier = id or new_id()
    row = Scramble(
        id=identifier,
        created_at=created_at(identifier),
        owner=owner,
        puzzle=scramble.puzzle,
        goal=None if goal is None else ",".join(map(str, goal)),
        moves=scramble.moves,
        k=scramble.k,
        seed=scramble.seed,
        alg=scramble.alg,
        state=scramble.state,
    )
    session.add(row)
    session.flush()
    return row


def list_scrambles(
    session: Session, *, owner: str | None = None, puzzle: str | None = None, cursor: str | None = None, size: int = 50
) -> list[Scramble]:
    """At most ``size`` scrambles, newest first, that come after the one with the id ``cursor``; None means any."""
    wanted = select(Scramble).order_by(Scramble.id.desc()).limit(size)
    if owner is not None:
        wanted = wanted.where(Scramble.owner == owner)
    if puzzle is not None:
        wanted = wanted.where(Scramble.puzzle == puzzle)
    if cursor is not None:
        wanted = wanted.where(Scramble.id < cursor)
    return list(session.scalars(wanted))
