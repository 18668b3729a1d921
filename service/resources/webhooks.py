"""``/v1/webhooks``: addresses that are told when a job or an experiment has ended."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from apiflask import APIBlueprint
from flask import Response
from pydantic import AfterValidator, Field
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.schema import Out, Strict
from hstar.webhooks import Ended, WebhookMessage
from service.answering import check_cursor, next_path, object_response, page_response
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.schema import Paging
from store.webhooks import messages
from store.webhooks.addresses import is_allowed
from store.webhooks.models import URL_LENGTH
from store.webhooks.models import Webhook as Row

TAG = {"name": "Webhooks", "description": "Addresses of yours that are told when a job or an experiment has ended."}
bp = APIBlueprint("webhooks", __name__, url_prefix="/v1", tag=TAG)


def _check_url(text: str) -> str:
    """Raise ValueError for what cannot be an address. Where its name leads is looked up when something is sent."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("expected an address such as https://example.org/ended")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ValueError("it must not have a name, a password or a fragment")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError("expected printable ASCII without spaces; write a host's name as xn--...")
    _ = parts.port  # raises ValueError
    return text


class WebhookIn(Strict):
    """Body of ``POST /v1/webhooks``."""

    url: Annotated[str, Field(max_length=URL_LENGTH), AfterValidator(_check_url)] = Field(
        description="where messages are sent; https, or http within the networks that the operator allows"
    )


class Webhook(Out):
    """A webhook, and how its messages fared."""

    id: str
    owner: str = Field(description="whose jobs and experiments it is told of")
    url: str = Field(description="where messages are sent")
    created_at: datetime
    waiting: int = Field(description="messages that have not arrived yet")
    delivered: int = Field(description="messages that arrived")
    given_up: int = Field(description="messages that were given up after the last attempt")
    delivered_at: datetime | None = Field(description="when the last one arrived (UTC); null: none has")
    error: str | None = Field(description="why the last attempt failed; null: it did not")


class NewWebhook(Webhook):
    """A webhook that was just made."""

    secret: str = Field(description="messages are signed with it; shown only this once")


class WebhookPage(Out):
    """One page of the list of webhooks, newest first."""

    items: list[Webhook]
    next: str | None = Field(description="path of the next page; null on the last one")


include(WebhookIn, Webhook, NewWebhook, WebhookPage, WebhookMessage, Ended)

EXAMPLES = {"one": {"summary": "A server of yours", "value": {"url": "https://example.org/hstar/ended"}}}


@bp.post("/webhooks")
@bp.input(WebhookIn, examples=EXAMPLES)
@bp.output(NewWebhook, status_code=201, description="The webhook; its secret is shown only this once")
@bp.doc(operation_id="createWebhook", responses=responses({}, *WRITE_PROBLEMS, "too-many-webhooks"))
def create_webhook(json_data: WebhookIn) -> Response:
    """Have an address told of ends

    From now on, whenever a job of yours ends that is no row of an experiment, and whenever an experiment of yours
    ends, a `WebhookMessage` is sent there as a POST. It is signed as Standard Webhooks has it: `webhook-signature` is
    `v1,` and the HMAC-SHA256 in base64 of `webhook-id`, a dot, `webhook-timestamp`, a dot and the body. Its key is the
    secret, decoded from the base64 after `whsec_`. A message may come twice, with the same `webhook-id`.

    Any status from 200 to 299 says that it has arrived. Otherwise it is sent again after longer and longer pauses, and
    given up after a day at most. Nothing is sent to addresses that are not public, and redirects
    are not followed.
    """
    most = context().settings.webhooks
    _refuse_private(json_data.url)

    def make(session: Session) -> NewWebhook:
        row = messages.create(session, principal().owner, json_data.url, most)
        return NewWebhook(**dict(_to_object(row, 0)), secret=row.secret)

    try:
        made = context().sessions.run(make)
    except messages.TooManyError:
        raise ProblemError("too-many-webhooks", f"an owner may have {most}; delete one first") from None
    response = object_response(made, 201)
    response.headers["Cache-Control"] = "no-store"
    return response


@bp.get("/webhooks")
@bp.input(Paging, location="query")
@bp.output(WebhookPage, description="A page of webhooks")
@bp.doc(operation_id="listWebhooks", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_webhooks(query_data: Paging) -> Response:
    """List webhooks, newest first

    With how many messages wait, arrived and were given up, and why the last attempt failed.
    """
    cursor = check_cursor(query_data.cursor)
    with context().sessions.read() as session:
        rows = messages.list_webhooks(session, principal(), cursor=cursor, size=query_data.limit + 1)
        items = [_to_object(*one) for one in rows[: query_data.limit]]
    path = next_path(items[-1].id if len(rows) > query_data.limit else None)
    return page_response(WebhookPage(items=items, next=path), path)


@bp.delete("/webhooks/<id>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteWebhook", responses=responses({}, *READ_PROBLEMS, "not-found"))
def delete_webhook(id: str) -> Response:
    """Delete a webhook

    With the messages that have not arrived.
    """

    def delete(session: Session) -> bool:
        found = messages.remove(session, id, principal())
        if found:
            record_change(session, id)
        return found

    if not context().sessions.run(delete):
        raise ProblemError("not-found", f"there is no webhook {id!r:.60}")
    return Response(status=204)


def _refuse_private(url: str) -> None:
    """Say at once what would be refused later, for an address that is written as a number."""
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return
    if not is_allowed(address, context().settings.networks):
        fault = Fault("/url", f"{address} is not a public address; the operator may allow its network")
        raise ProblemError("invalid-request", "the webhook cannot be made", [fault])


def _to_object(row: Row, waiting: int) -> Webhook:
    return Webhook(
        id=row.id, owner=row.owner, url=row.url, created_at=row.created_at, waiting=waiting, delivered=row.delivered,
        given_up=row.given_up, delivered_at=row.delivered_at, error=row.error,
    )  # fmt: skip
