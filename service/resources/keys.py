"""``/v1/keys``, ``/v1/me`` and ``/v1/changes``: API keys, and the log of changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from apiflask import APIBlueprint
from flask import Response
from pydantic import AwareDatetime, Field
from sqlalchemy.orm import Session

from hstar.errors import TEXT, Fault, InvalidRequest
from hstar.keys import Key, KeyPage, KeyRequest, NewKey, WhoAmI
from hstar.schema import Out
from service.answering import check_cursor, next_path, object_response, page_response
from service.context import context, principal, record_change, require
from service.errors import ProblemError
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.schema import Paging, Text
from store.owners import changes, keys
from store.owners.models import ApiKey, Change
from store.owners.roles import Role

TAG = {"name": "Keys", "description": "Who may use the service: keys, roles and courses; and who changed what."}
bp = APIBlueprint("keys", __name__, url_prefix="/v1", tag=TAG)


class ChangeLine(Out):
    """A line of the log of changes."""

    id: str
    at: datetime
    owner: str = Field(description="who did it")
    key_id: str | None = Field(description="id of the key; null: a key of the environment, or none")
    operation: str = Field(description="the operation, by its name in the OpenAPI document")
    target: str = Field(description="id of what was changed")
    detail: str | None


class ChangePage(Out):
    """One page of the log of changes, newest first."""

    items: list[ChangeLine]
    next: str | None = Field(description="path of the next page; null on the last one")


class ChangeFilter(Paging):
    """Filters of changes."""

    target: Annotated[str, Field(max_length=200, pattern=TEXT)] | None = Field(None, description="id")
    owner: Text | None = Field(None, description="who did it")


include(KeyRequest, Key, NewKey, KeyPage, WhoAmI, ChangeLine, ChangePage)

EXAMPLES = {
    "student": {"summary": "A student of a course", "value": {"owner": "ann", "course": "cs1"}},
    "instructor": {
        "summary": "Who sees the course, for one term",
        "value": {"owner": "prof", "role": "instructor", "course": "cs1", "expires_at": "2099-02-28T23:59:00Z"},
    },
}


@bp.get("/me")
@bp.output(WhoAmI, description="The owner of the key")
@bp.doc(operation_id="getMe", responses=responses({}, *READ_PROBLEMS))
def get_me() -> WhoAmI:
    """Who am I?

    The owner, the role and the course of the key. On a service without keys everybody is `local`.
    """
    who = principal()
    return WhoAmI(owner=who.owner, role=who.role.value, course=who.course, key_id=who.key_id)


@bp.post("/keys")
@bp.input(KeyRequest, examples=EXAMPLES)
@bp.output(NewKey, status_code=201, description="The key; it is shown only this once")
@bp.doc(operation_id="createKey", responses=responses({}, *WRITE_PROBLEMS, "role-needed"))
def create_key(json_data: KeyRequest) -> Response:
    """Make an API key

    For operators. The answer has the key itself; only its SHA-256 is stored, so it cannot be shown again. An owner
    belongs to at most one course.
    """
    who = require(Role.OPERATOR)
    asked = keys.NewKey(json_data.owner, Role(json_data.role), json_data.course, json_data.label, json_data.expires_at)
    _check_expiry(json_data.expires_at)

    def make(session: Session) -> tuple[ApiKey, str]:
        row, key = keys.create(session, asked, by=who.owner)
        record_change(session, row.id, f"{row.role} {row.owner}, course {row.course}")
        return row, key

    row, key = context().sessions.run(make)
    response = object_response(NewKey(**dict(_to_object(row)), key=key), 201)
    response.headers["Cache-Control"] = "no-store"
    return response


@bp.get("/keys")
@bp.input(Paging, location="query")
@bp.output(KeyPage, description="A page of keys")
@bp.doc(operation_id="listKeys", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_keys(query_data: Paging) -> Response:
    """List API keys, newest first

    Your own; for instructors those of their course; for operators all. Revoked and expired keys are listed, too, but
    not those of HSTAR_API_KEYS.
    """
    cursor = check_cursor(query_data.cursor)
    with context().sessions.read() as session:
        rows = keys.list_keys(session, principal(), cursor=cursor, size=query_data.limit + 1)
    more, rows = len(rows) > query_data.limit, rows[: query_data.limit]
    path = next_path(rows[-1].id if more else None)
    return page_response(KeyPage(items=[_to_object(row) for row in rows], next=path), path)


@bp.delete("/keys/<id>")
@bp.output(Key, description="The key, revoked")
@bp.doc(operation_id="revokeKey", responses=responses({}, *READ_PROBLEMS, "not-found"))
def revoke_key(id: str) -> Key:
    """Revoke an API key

    The key is refused from the next request on. Revoking again changes nothing. Its owner's jobs and results stay.
    """

    def end(session: Session) -> ApiKey | None:
        row = keys.revoke(session, id, principal())
        if row is not None:
            record_change(session, row.id, f"{row.role} {row.owner}, course {row.course}")
        return row

    row = context().sessions.run(end)
    if row is None:
        raise ProblemError("not-found", f"there is no key {id!r:.60}")
    return _to_object(row)


@bp.get("/changes")
@bp.input(ChangeFilter, location="query")
@bp.output(ChangePage, description="A page of changes")
@bp.doc(
    operation_id="listChanges", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS, "role-needed")
)
def list_changes(query_data: ChangeFilter) -> Response:
    """List who changed what, newest first

    For operators. A line is written in the transaction of its change. New solves, experiments, scrambles and
    submissions have no line, because they carry their owner and time themselves.
    """
    require(Role.OPERATOR)
    cursor = check_cursor(query_data.cursor)
    with context().sessions.read() as session:
        rows = changes.list_changes(
            session, target=query_data.target, owner=query_data.owner, cursor=cursor, size=query_data.limit + 1
        )
    more, rows = len(rows) > query_data.limit, rows[: query_data.limit]
    path = next_path(rows[-1].id if more else None)
    return page_response(ChangePage(items=[_to_line(row) for row in rows], next=path), path)


def _check_expiry(expires_at: AwareDatetime | None) -> None:
    if expires_at is not None and expires_at <= datetime.now(UTC):
        raise InvalidRequest("the key cannot be made", [Fault("/expires_at", "this time is past")])


def _to_object(row: ApiKey) -> Key:
    return Key(
        id=row.id, owner=row.owner, role=row.role.value, course=row.course, label=row.label,
        created_at=row.created_at, created_by=row.created_by, expires_at=row.expires_at, revoked_at=row.revoked_at,
    )  # fmt: skip


def _to_line(row: Change) -> ChangeLine:
    return ChangeLine(
        id=row.id, at=row.at, owner=row.owner, key_id=row.key_id, operation=row.operation, target=row.target,
        detail=row.detail,
    )  # fmt: skip
