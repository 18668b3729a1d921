"""Bringing a database to the newest schema with Alembic, from any directory and by any number of processes at once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


def make_config(engine: Engine) -> Config:
    """Alembic's configuration for a database: where the scripts are, and which engine they run on."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the migrations up to ``revision``; a second process that does the same waits, then finds nothing to do."""
    command.upgrade(make_config(engine), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Undo the migrations down to ``revision`` (``base``: all of them)."""
    command.downgrade(make_config(engine), revision)


def current(engine: Engine) -> str | None:
    """The revision that the database is at; None if it was never migrated."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def newest(engine: Engine) -> str | None:
    """The revision that this program needs."""
    return ScriptDirectory.from_config(make_config(engine)).get_current_head()


def is_current(engine: Engine) -> bool:
    """Whether the database is at the revision that this program needs."""
    return current(engine) == newest(engine)
