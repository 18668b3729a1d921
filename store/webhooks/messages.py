"""Webhooks and their messages. A message is told at least once: it is deleted only when it has arrived.

made, secret = create(session, owner, url, most=5)      # show the secret now, once
for one in take_due(session, hold):                     # each is this sender's for ``hold``
    ...                                                 # send it
    settle(session, one, error=None)                    # arrived; or why not, and it is due again later
"""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from sqlalchemy import CursorResult, Table, delete, func, insert, literal, select, update
from sqlalchemy.orm import Session

from hstar.webhooks import SECRET_PREFIX
from store.database.clock import from_now, now
from store.ids import created_at, new_id, parse_id
from store.owners.principal import Principal, visible_to
from store.webhooks.models import Message, Webhook

SECRET_BYTES = 24
#: attempts for one message, each after a pause six times the one before
MAX_ATTEMPTS = 7
GROWTH = 6

_webhooks = cast(Table, Webhook.__table__)
_messages = cast(Table, Message.__table__)


class TooManyError(Exception):
    """The owner has as many webhooks as are allowed."""


@dataclass(frozen=True, slots=True)
class Due:
    """A message to send now. ``attempt`` counts from 1."""

    webhook_id: str
    subject: str
    subject_id: str
    attempt: int
    url: str
    secret: str
    owner: str


def create(session: Session, owner: str, url: str, most: int) -> Webhook:
    """Insert a webhook. Raises `TooManyError`."""
    count = session.scalar(select(func.count()).select_from(_webhooks).where(_webhooks.c.owner == owner)) or 0
    if count >= most:
        raise TooManyError
    id = new_id()
    row = Webhook(
        id=id, owner=owner, url=url, secret=SECRET_PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode(),
        created_at=created_at(id), delivered=0, given_up=0,
    )  # fmt: skip
    session.add(row)
    session.flush()
    return row


def list_webhooks(
    session: Session, principal: Principal, *, cursor: str | None = None, size: int = 50
) -> Sequence[tuple[Webhook, int]]:
    """At most ``size`` that ``principal`` may see, newest first, each with the number of its waiting messages."""
    waiting = select(func.count()).select_from(_messages).where(_messages.c.webhook_id == Webhook.id).scalar_subquery()
    wanted = select(Webhook, waiting).where(visible_to(principal, Webhook.owner)).order_by(Webhook.id.desc())
    wanted = wanted.limit(size) if cursor is None else wanted.where(Webhook.id < cursor).limit(size)
    return [(row, count) for row, count in session.execute(wanted)]


def remove(session: Session, webhook_id: str, principal: Principal) -> bool:
    """Delete a webhook and its messages. False: there is none that ``principal`` may see."""
    identifier = parse_id(webhook_id)
    mine = (_webhooks.c.id == identifier, visible_to(principal, _webhooks.c.owner))
    if identifier is None or not _count(session, delete(_webhooks).where(*mine)):
        return False
    session.execute(delete(_messages).where(_messages.c.webhook_id == identifier))
    return True


def note_experiment(session: Session, experiment_id: str, owner: str) -> None:
    """An experiment has ended: a message for each webhook of its owner."""
    rows = select(_webhooks.c.id, literal(experiment_id, _messages.c.subject_id.type), literal("experiment"),
                  literal(0), now()).where(_webhooks.c.owner == owner)  # fmt: skip
    session.execute(insert(_messages).from_select(["webhook_id", "subject_id", "subject", "attempt", "due_at"], rows))


def any_due(session: Session) -> bool:
    """Whether a message waits to be sent; reads only."""
    return session.execute(select(_messages.c.attempt).where(_messages.c.due_at <= now()).limit(1)).first() is not None


def take_due(session: Session, hold: timedelta, most: int = 50) -> list[Due]:
    """The messages that are due, one of each webhook, the oldest; nobody else takes them for as long as ``hold``."""
    found = session.execute(
        select(_messages, _webhooks.c.url, _webhooks.c.secret, _webhooks.c.owner)
        .outerjoin(_webhooks, _webhooks.c.id == _messages.c.webhook_id)
        .where(_messages.c.due_at <= now())
        .order_by(_messages.c.due_at)
        .limit(most)
    ).all()
    taken: dict[str, Due] = {}
    for row in found:
        own = (_messages.c.webhook_id == row.webhook_id, _messages.c.subject_id == row.subject_id)
        if row.url is None:  # the webhook is gone
            session.execute(delete(_messages).where(*own))
        elif row.webhook_id not in taken:
            values = {"attempt": row.attempt + 1, "due_at": from_now(hold)}
            if _count(session, update(_messages).where(*own, _messages.c.attempt == row.attempt).values(values)):
                taken[row.webhook_id] = Due(
                    row.webhook_id, row.subject, row.subject_id, row.attempt + 1, row.url, row.secret, row.owner
                )
    return list(taken.values())


def settle(session: Session, due: Due, error: str | None, first_pause: timedelta) -> None:
    """Record how an attempt ended: ``error`` None, the message has arrived; otherwise it is due again later, or given
    up after `MAX_ATTEMPTS`."""
    own = (
        _messages.c.webhook_id == due.webhook_id, _messages.c.subject_id == due.subject_id,
        _messages.c.attempt == due.attempt,
    )  # fmt: skip
    webhook = update(_webhooks).where(_webhooks.c.id == due.webhook_id)
    if error is None:
        if _count(session, delete(_messages).where(*own)):
            said = {"delivered": _webhooks.c.delivered + 1, "delivered_at": now(), "error": None}
            session.execute(webhook.values(said))
    elif due.attempt >= MAX_ATTEMPTS:
        if _count(session, delete(_messages).where(*own)):
            session.execute(webhook.values(given_up=_webhooks.c.given_up + 1, error=error))
    else:
        pause = first_pause * GROWTH ** (due.attempt - 1)
        session.execute(update(_messages).where(*own).values(due_at=from_now(pause)))
        session.execute(webhook.values(error=error))


def _count(session: Session, statement: Any) -> int:
    return cast("CursorResult[Any]", session.execute(statement)).rowcount
