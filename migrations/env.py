"""Alembic's environment: the database, and the models to compare it with."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection, text

from store.database import make_engine
from store.database.types import UtcDateTime
from store.settings import Settings
from store.tables import Base

# An arbitrary number that no other lock of ours has: only one process migrates at a time.
MIGRATION_LOCK = 0x68737461


def render_item(kind: str, item: Any, _autogenerate_context: Any) -> str | Literal[False]:
    """Render our column types as the plain types of the database, so that migrations do not depend on our code."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def migrate(connection: Connection) -> None:
    """Run the requested migrations in one transaction."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        render_item=render_item,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            # A second process waits, however long the migration of a large table takes.
            connection.execute(text("SET LOCAL lock_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        context.run_migrations()
        if connection.dialect.name == "sqlite":
            broken = connection.execute(text("PRAGMA foreign_key_check")).all()
            if broken:
                raise RuntimeError(f"the migration would leave rows with broken foreign keys: {broken[:5]}")


engine = context.config.attributes.get("engine") or make_engine(Settings.from_env().database_url)
# On SQLite the write lock, taken at the start of the transaction, serves as the advisory lock does on PostgreSQL.
with engine.connect().execution_options(hstar_write=True) as open_connection:
    if engine.dialect.name == "sqlite":
        # A table that is rebuilt is dropped in between, which must not delete the rows that refer to it. The pragma
        # has an effect only outside of a transaction.
        open_connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
    try:
        migrate(open_connection)
    finally:
        if engine.dialect.name == "sqlite":
            open_connection.rollback()
            open_connection.connection.cursor().execute("PRAGMA foreign_keys=ON")
