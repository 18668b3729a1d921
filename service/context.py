"""What views work with: the settings, the database, the bell, and who the request comes from."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app, g, request
from sqlalchemy.orm import Session

from service.access import Gate
from service.errors import ProblemError
from service.long_polling import LongPolling
from store.database import Sessions
from store.doorbell import Doorbell
from store.owners import changes
from store.owners.principal import Principal
from store.owners.roles import Role
from store.settings import Settings

_EXTENSION = "hstar"


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running service; one per application."""

    settings: Settings
    sessions: Sessions
    doorbell: Doorbell
    gate: Gate
    long_polling: LongPolling

    def attach(self, extensions: dict[str, object]) -> None:
        """Keep it where `context` finds it."""
        extensions[_EXTENSION] = self


def context() -> Context:
    """The context of the application that answers the current request."""
    found = current_app.extensions[_EXTENSION]
    assert isinstance(found, Context)
    return found


def principal() -> Principal:
    """Who the current request comes from: what it may see, and whose things it makes."""
    found = g.principal
    assert isinstance(found, Principal)
    return found


def require(*roles: Role) -> Principal:
    """Who the current request comes from; raises `ProblemError` unless that has one of the roles."""
    found = principal()
    if found.role not in roles:
        wanted = " or ".join(roles)
        raise ProblemError("role-needed", f"this needs the role {wanted}, and the key has the role {found.role}")
    return found


def record_change(session: Session, target: str, detail: str | None = None) -> None:
    """Log, in the transaction of the change, that the current request changes ``target`` (an id): see /v1/changes."""
    view = current_app.view_functions[request.endpoint or ""]
    operation: str = getattr(view, "_spec", {}).get("operation_id") or view.__name__
    changes.record(session, principal(), operation, target, detail)
