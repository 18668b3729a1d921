"""What views work with: the settings, the database, the wake-up of workers (`Doorbell`), and the principal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:  # it needs the context itself
    from service.apart import Helpers

_EXTENSION = "hstar"


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running service; one per application."""

    settings: Settings
    sessions: Sessions
    doorbell: Doorbell
    gate: Gate
    long_polling: LongPolling
    helpers: Helpers

    def attach(self, extensions: dict[str, object]) -> None:
        """Store it where `context` finds it."""
        extensions[_EXTENSION] = self


def context() -> Context:
    """The context of the application that answers the current request."""
    found = current_app.extensions[_EXTENSION]
    assert isinstance(found, Context)
    return found


def principal() -> Principal:
    """The principal of the current request, which decides what it may see and who owns what it makes."""
    found = g.principal
    assert isinstance(found, Principal)
    return found


def require(*roles: Role) -> Principal:
    """The principal of the current request; raises `ProblemError` unless it has one of the roles."""
    found = principal()
    if found.role not in roles:
        wanted = " or ".join(roles)
        raise ProblemError("role-needed", f"this needs the role {wanted}; the key has the role {found.role}")
    return found


def record_change(session: Session, target: str, detail: str | None = None) -> None:
    """Log that the current request changes ``target`` (an id), in the transaction of the change: see /v1/changes."""
    view = current_app.view_functions[request.endpoint or ""]
    operation: str = getattr(view, "_spec", {}).get("operation_id") or view.__name__
    changes.record(session, principal(), operation, target, detail)
