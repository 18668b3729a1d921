"""Who asks, and what they may see: every read of what belongs to an owner goes through `visible_to`.

session.scalars(select(Solve).where(visible_to(principal, Solve.owner)))
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, true
from sqlalchemy.orm import InstrumentedAttribute

from store.owners.roles import Role

LOCAL_OWNER = "local"

#: sees what everybody owns: for our own programs, never for a request
OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from: whose things it makes, and the roles that widen what it may see and do.

    role: a student sees what is their own, an instructor a whole class. course: whose assignments may be read.
    """

    owner: str
    roles: frozenset[str] = frozenset()
    role: Role = Role.INSTRUCTOR
    course: str | None = None

    def sees(self, owner: str) -> bool:
        """Whether what belongs to ``owner`` is visible."""
        return owner == self.owner or OPERATOR in self.roles


#: our own programs, which ask for nobody in particular
SYSTEM = Principal("", frozenset({OPERATOR}))


def visible_to(principal: Principal, owner: ColumnElement[str] | InstrumentedAttribute[str]) -> ColumnElement[bool]:
    """The predicate on the column of the owner that keeps the rows that ``principal`` may see."""
    if OPERATOR in principal.roles:
        return true()
    return owner == principal.owner
