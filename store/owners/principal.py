"""Who asks, and what they may see: every read of what belongs to an owner goes through `visible_to`.

session.scalars(select(Solve).where(visible_to(principal, Solve.owner)))
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import InstrumentedAttribute

from store.owners.models import ApiKey
from store.owners.roles import Role

LOCAL_OWNER = "local"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from: whose things it makes, and the role that widens what it may see and do.

    role: a student sees what is her own, an instructor what the owners of the ``course`` own, an operator everything.
    key_id: the key that was sent, if it is one of the database's.
    """

    owner: str
    role: Role = Role.STUDENT
    course: str | None = None
    key_id: str | None = field(default=None, compare=False)


#: everybody on the machine of a service without keys: the only one there is, so no share has to be kept for others
LOCAL = Principal(LOCAL_OWNER, Role.INSTRUCTOR)
#: our own programs, which ask for nobody in particular
SYSTEM = Principal("", Role.OPERATOR)


def visible_to(principal: Principal, owner: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """The predicate on the column of the owner that keeps the rows that ``principal`` may see."""
    if principal.role is Role.OPERATOR:
        return true()
    if principal.role is Role.INSTRUCTOR and principal.course is not None:
        # Also of keys that are revoked: what their owner handed in stays to be read.
        return owner.in_(select(ApiKey.owner).where(ApiKey.course == principal.course))
    return owner == principal.owner
