"""Storing scrambles, so that later requests can name them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar import schema
from store.ids import created_at, new_id, parse_id
from store.owners.principal import LOCAL_OWNER, Principal, visible_to
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


def to_object(scramble: Scramble) -> schema.Scramble:
    """A stored scramble as the API answers it."""
    return schema.Scramble(
        id=scramble.id,
        owner=scramble.owner,
        puzzle=scramble.puzzle,
        moves=scramble.moves,
        k=scramble.k,
        seed=scramble.seed,
        alg=scramble.alg,
        state=scramble.state,
        created_at=scramble.created_at,
    )


def get_scramble(session: Session, scramble_id: str, principal: Principal) -> Scramble | None:
    """The stored scramble with this id, if it exists and ``principal`` may see it."""
    identifier = parse_id(scramble_id)
    if identifier is None:
        return None
    return session.scalar(select(Scramble).where(Scramble.id == identifier, visible_to(principal, Scramble.owner)))


def list_scrambles(
    session: Session, principal: Principal, *, puzzle: str | None = None, cursor: str | None = None, size: int = 50
) -> list[Scramble]:
    """At most ``size`` scrambles, newest first, after the one with the id ``cursor`` (None: from the newest)."""
    wanted = select(Scramble).where(visible_to(principal, Scramble.owner)).order_by(Scramble.id.desc()).limit(size)
    if puzzle is not None:
        wanted = wanted.where(Scramble.puzzle == puzzle)
    if cursor is not None:
        wanted = wanted.where(Scramble.id < cursor)
    return list(session.scalars(wanted))
