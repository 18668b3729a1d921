"""Migrating a database to the newest schema with Alembic, from any directory and by several processes at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

MIGRATIONS = Path(__file__).resolve().parents[2] / "migrations"


def make_config(engine: Engine) -> Config:
    """Alembic's configuration for a database: the folder of the scripts, and the engine."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the migrations up to ``revision``. A second process that does the same waits, and then has nothing to do.

    A database that a newer program has migrated is not changed. One that is up to date is only read, which takes half
    of the time, because no table is described.
    """
    found = current(engine)
    if found is None or (found in revisions() and (found, revision) != (newest(), "head")):
        command.upgrade(make_config(engine), revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Undo the migrations down to ``revision`` (``base``: all of them)."""
    command.downgrade(make_config(engine), revision)


def current(engine: Engine) -> str | None:
    """The revision of the database; None if it was never migrated."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def revisions() -> tuple[str, ...]:
    """Every revision that this program knows, newest first."""
    scripts = ScriptDirectory(str(MIGRATIONS))
    return tuple(script.revision for script in scripts.walk_revisions())


def newest() -> str:
    """The revision that this program needs."""
    return revisions()[0]


def suffices(revision: str | None) -> bool:
    """Whether this program can use a database at this revision: the newest that it knows, or a newer one.

    During an upgrade programs of two versions run side by side, so migrations only add (docs/operating.md).
    """
    return revision is not None and (revision == newest() or revision not in revisions())
