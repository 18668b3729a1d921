"""API keys: stored as digests, and looked up at each request, so that a revocation takes effect at once.

    made, key = create(session, NewKey("ann", Role.STUDENT, course="cs1"), by="operator")     # show the key now, once
    principal = find(session, digest(key))                                                    # None: not a live key

An owner belongs to at most one course, because jobs and results carry only the owner's name: a person in two courses
needs two owners.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from hstar.errors import NAME, Fault, InvalidRequest
from store.database.clock import now
from store.ids import created_at, new_id, parse_id
from store.owners.models import COURSE_LENGTH, LABEL_LENGTH, ApiKey
from store.owners.principal import Principal, visible_to
from store.owners.roles import Role

PREFIX = "hstar_"
KEY_BYTES = 32
#: the form of our keys; others need not be looked up
FORM = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9_-]{43}")

assert COURSE_LENGTH == 64  # of `NAME`


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key to make: its owner and its role. Raises `InvalidRequest` for an invalid combination."""

    owner: str
    role: Role = Role.STUDENT
    course: str | None = None
    label: str = ""
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        faults = [
            Fault(f"/{where}", f"expected letters, digits and . _ @ + -, at most 64; found {text[:80]!r}")
            for where, text in (("owner", self.owner), ("course", self.course))
            if text is not None and not re.fullmatch(NAME, text)
        ]
        if self.role is Role.OPERATOR and self.course is not None:
            faults.append(Fault("/course", "an operator has no course, because operators see all courses"))
        if self.role is Role.INSTRUCTOR and self.course is None:
            faults.append(Fault("/course", "an instructor needs a course, whose work they will see"))
        if len(self.label) > LABEL_LENGTH or not self.label.isprintable():
            faults.append(Fault("/label", f"at most {LABEL_LENGTH} printable characters"))
        if faults:
            raise InvalidRequest("the key cannot be made", faults)


def new_key() -> str:
    """A key: a prefix by which scanners for leaked secrets can recognise it, and 256 random bits."""
    return PREFIX + secrets.token_urlsafe(KEY_BYTES)


def digest(key: str) -> str:
    """The stored digest of a key. No salt and no slow hash, because 256 random bits cannot be guessed."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def create(session: Session, asked: NewKey, by: str) -> tuple[ApiKey, str]:
    """Insert a key; returns its row, and the key itself, which cannot be read again later.

    Raises `InvalidRequest` if its owner belongs to another course.
    """
    others = select(ApiKey.course).where(ApiKey.owner == asked.owner, ApiKey.course.is_distinct_from(asked.course))
    other = session.execute(others.limit(1)).one_or_none()
    if other is not None:
        place = "no course" if other.course is None else f"the course {other.course}"
        fault = Fault("/owner", f"{asked.owner} has {place}; an owner belongs to one course, so choose another name")
        raise InvalidRequest("the key cannot be made", [fault])
    key, id = new_key(), new_id()
    row = ApiKey(
        id=id, owner=asked.owner, role=asked.role, course=asked.course, label=asked.label, digest=digest(key),
        created_at=created_at(id), created_by=by, expires_at=asked.expires_at, revoked_at=None,
    )  # fmt: skip
    session.add(row)
    session.flush()
    return row, key


def find(session: Session, key_digest: str) -> Principal | None:
    """The principal of the key with this digest, if it is neither revoked nor expired."""
    live = or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now())
    wanted = select(ApiKey.id, ApiKey.owner, ApiKey.role, ApiKey.course)
    found = session.execute(wanted.where(ApiKey.digest == key_digest, ApiKey.revoked_at.is_(None), live)).one_or_none()
    return None if found is None else Principal(found.owner, found.role, found.course, found.id)


def any_made(session: Session) -> bool:
    """Whether a key was ever made. Revoked keys count: revoking the last key must not open the service to everybody."""
    return session.execute(select(ApiKey.id).limit(1)).one_or_none() is not None


def list_keys(session: Session, principal: Principal, *, cursor: str | None = None, size: int = 50) -> Sequence[ApiKey]:
    """At most ``size`` keys that ``principal`` may see, newest first, after the one with the id ``cursor``."""
    wanted = select(ApiKey).where(visible_to(principal, ApiKey.owner)).order_by(ApiKey.id.desc()).limit(size)
    return session.scalars(wanted if cursor is None else wanted.where(ApiKey.id < cursor)).all()


def revoke(session: Session, key_id: str, principal: Principal) -> ApiKey | None:
    """Revoke a key that ``principal`` may see; it stays in the list. None: there is no such key."""
    identifier = parse_id(key_id)
    if identifier is None:
        return None
    mine = (ApiKey.id == identifier, visible_to(principal, ApiKey.owner))
    session.execute(update(ApiKey).where(*mine, ApiKey.revoked_at.is_(None)).values(revoked_at=now()))
    return session.scalar(select(ApiKey).where(*mine))
