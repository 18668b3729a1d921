"""Storing scrambles, so that they can be named in later requests."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from hstar import schema
from store.ids import created_at, new_id
from store.models import LOCAL_OWNER, Scramble


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
