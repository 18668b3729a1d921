"""Idempotency keys: requests with the same key make one resource only, however often and concurrently they are sent.

mine = remember(session, owner, key, fingerprint(body), new_id)
if mine == new_id:
    submit(session, NewSolve(..., id=new_id))      # in the same transaction
else:
    ...                                            # answer with what the first request made

    Keys belong to an owner. The sweeper deletes them after a day.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from store.database.bulk import insert_into
from store.database.clock import from_now, now
from store.owners.models import IdempotencyKey

MAX_KEY_LENGTH = 255
#: a client that repeats a request does so within minutes; a day covers one that was offline overnight
KEPT_HOURS = 24


class KeyReusedError(Exception):
    """The key was sent before with another request."""


def fingerprint(body: bytes) -> str:
    """The SHA-256 of a request's body, which the caller has normalised."""
    return hashlib.sha256(body).hexdigest()


def remember(session: Session, owner: str, key: str, request_fingerprint: str, resource_id: str) -> str:
    """The id stored with this key: ``resource_id`` if the key is new, else the earlier one.

    A concurrent request with the same key waits here until the first has committed or rolled back. Raises
    :class:`KeyReusedError` if the key is known with another fingerprint.
    """
    new = insert_into(session, IdempotencyKey).values(
        owner=owner, key=key, fingerprint=request_fingerprint, resource_id=resource_id, created_at=now()
    )
    if session.execute(new.on_conflict_do_nothing().returning(IdempotencyKey.key)).one_or_none() is not None:
        return resource_id
    known = session.get_one(IdempotencyKey, (owner, key))
    if known.fingerprint != request_fingerprint:
        raise KeyReusedError(f"Idempotency-Key {key!r} was sent before with another request")
    return known.resource_id


def find(session: Session, owner: str, key: str) -> IdempotencyKey | None:
    """The id stored with a key, if any; changes nothing."""
    return session.get(IdempotencyKey, (owner, key))


def any_old(session: Session, age: timedelta) -> bool:
    """Whether :func:`forget_old` would find a key; reads only."""
    old = select(IdempotencyKey.owner).where(IdempotencyKey.created_at < from_now(-age)).limit(1)
    return session.execute(old).one_or_none() is not None


def forget_old(session: Session, age: timedelta) -> int:
    """Delete the keys older than ``age``; returns how many."""
    old = delete(IdempotencyKey).where(IdempotencyKey.created_at < from_now(-age))
    return len(session.scalars(old.returning(IdempotencyKey.key)).all())
