"""The principal of a request, and what it may see: every read of owned rows goes through `visible_to`.

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
    """Who sends a request: the owner of everything it makes, and the role that decides what it may see and do.

    role: a student sees their own rows, an instructor those of all owners of the ``course``, an operator everything.
    key_id: the key that was sent, if it is in the database.
    """

    owner: str
    role: Role = Role.STUDENT
    course: str | None = None
    key_id: str | None = field(default=None, compare=False)


#: everybody on the machine of a service without keys; the only owner, so limits of owners do not apply
LOCAL = Principal(LOCAL_OWNER, Role.INSTRUCTOR)
#: our own programs, which act for no owner
SYSTEM = Principal("", Role.OPERATOR)


def visible_to(principal: Principal, owner: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """The predicate on the owner's column that selects the rows that ``principal`` may see."""
    if principal.role is Role.OPERATOR:
        return true()
    if principal.role is Role.INSTRUCTOR and principal.course is not None:
        # Also owners of revoked keys: their submissions stay readable.
        return owner.in_(select(ApiKey.owner).where(ApiKey.course == principal.course))
    return owner == principal.owner
