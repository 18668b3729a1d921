"""Copies of a whole database, made while it is used, and put back while it is not.

SQLite is copied by its own backup, PostgreSQL by ``pg_dump`` and ``pg_restore``, which have to be installed where this
is run, and as new as the server.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, inspect
from sqlalchemy.engine import URL


class BackupError(Exception):
    """Why there is no copy, or why it was not put back, as a sentence."""


def backup(engine: Engine, file: Path) -> None:
    """Write one moment of the database to ``file``, which appears when it is whole. Jobs may run meanwhile."""
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)
    # It holds what everybody has submitted.
    part.touch(mode=0o600)
    try:
        if engine.dialect.name == "sqlite":
            with closing(_open(engine)) as source, closing(sqlite3.connect(part)) as target:
                source.backup(target)
            _check(part)
        else:
            _run("pg_dump", engine.url, "--format=custom", "--no-owner", f"--file={part}")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def restore(engine: Engine, file: Path, *, replace: bool = False) -> None:
    """Make the database what it was when ``file`` was written. Nothing else may use it meanwhile.

    Jobs that ran then are queued again by the sweeper, because their leases have run out.

    :param replace: also where there are jobs already, which are then gone
    :raises BackupError: the file is no such copy, or the database is not empty
    """
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    if not replace and inspect(engine).has_table("jobs"):
        raise BackupError("the database is not empty: --replace puts the copy in its place")
    if engine.dialect.name == "sqlite":
        _check(file)
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source, closing(_open(engine)) as target:
            source.backup(target)
    else:
        options = ["--clean", "--if-exists"] if replace else []
        _run("pg_restore", engine.url, "--no-owner", "--single-transaction", *options, str(file))


def _open(engine: Engine) -> sqlite3.Connection:
    return sqlite3.connect(str(engine.url.database), timeout=60)


def _check(file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copy:
            found = copy.execute("PRAGMA quick_check").fetchone()
            copy.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{file} is no copy of a database of ours: {error}") from None
    if found != ("ok",):
        raise BackupError(f"{file} is damaged: {found[0]}")


def _run(program: str, url: URL, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise BackupError(f"{program} is not installed here; it comes with PostgreSQL's client programs")
    # The password in the environment, not in an argument that every list of processes shows.
    plain = url.set(drivername="postgresql", password=None).render_as_string()
    environment = os.environ | ({"PGPASSWORD": url.password} if url.password else {})
    command = [path, f"--dbname={plain}", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BackupError(f"{program} has failed: {done.stderr.strip() or done.returncode}")
