"""The base of all tables, the type of ids, and the names of constraints."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import MetaData, Uuid
from sqlalchemy.orm import DeclarativeBase

OWNER_LENGTH = 64

Id = Uuid(as_uuid=False)


class Base(DeclarativeBase):
    """Base of all tables; constraints have names, so that migrations can drop them on any database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def quoted(values: Iterable[str]) -> str:
    """The values as a list of SQL literals. They must be names from our code, never input."""
    return ", ".join(f"'{value}'" for value in values)
