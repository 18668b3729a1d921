"""Requests that make something exactly once, however often they are sent with the same Idempotency-Key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from flask import request
from pydantic import BaseModel
from sqlalchemy.orm import Session

from service.context import context, principal
from service.errors import ProblemError
from store.owners.idempotency import KeyReusedError, find, fingerprint, remember


def fingerprint_of(key: str | None, model: BaseModel) -> str:
    """Fingerprint of a request's path and content, independent of the spacing and order of its JSON keys.

    Empty without an Idempotency-Key, because it is only stored with one.
    """
    if key is None:
        return ""
    asked = [request.method, request.path, model.model_dump(mode="json")]
    return fingerprint(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode())


def earlier(key: str | None, request_fingerprint: str) -> str | None:
    """The id of the resource that an earlier request with ``key`` made; raises `ProblemError` if they differ."""
    if key is None:
        return None
    with context().sessions.read() as session:
        known = find(session, principal().owner, key)
    if known is None:
        return None
    if known.fingerprint != request_fingerprint:
        raise reused()
    return known.resource_id


def make_once(
    key: str | None,
    request_fingerprint: str,
    new_id: str,
    make: Callable[[Session], None],
    attach: Path | None = None,
) -> str:
    """Run ``make`` in the transaction that stores ``key``, unless another request was first; returns the resource's id.

    make: inserts the resource under ``new_id``; may run again after a rollback, if the database fails temporarily.
    attach: see `Sessions.write`.
    """

    def work(session: Session) -> str:
        found = new_id if key is None else remember(session, principal().owner, key, request_fingerprint, new_id)
        if found == new_id:
            make(session)
        return found

    try:
        return context().sessions.run(work, attach=attach)
    except KeyReusedError:
        raise reused() from None


def reused() -> ProblemError:
    """The error of a key that came with another request."""
    return ProblemError("idempotency-key-reused", "the Idempotency-Key was sent before with another request")
