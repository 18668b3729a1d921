"""Copies of a whole database: made while it is in use, restored while it is not.

SQLite is copied by its own backup function, PostgreSQL by ``pg_dump`` and ``pg_restore``, which must be installed here
and at least as new as the server.
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

BUSY_SECONDS = 60.0


class BackupError(Exception):
    """Why a copy could not be made or restored, as a sentence."""


def backup(engine: Engine, file: Path) -> None:
    """Write a snapshot of the database to ``file``, which appears only when complete. Jobs may run meanwhile."""
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)
    # Only for its owner: it has everybody's submissions.
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
    """Restore the database from ``file``. Nothing else may use it meanwhile.

    Jobs that were running when the copy was made are queued again by the sweeper, because their leases have run out.

    :param replace: even if the database has jobs, which are then deleted
    :raises BackupError: the file is not such a copy, or the database is not empty
    """
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    if not replace and inspect(engine).has_table("jobs"):
        raise BackupError("the database is not empty; --replace overwrites it with the copy")
    if engine.dialect.name == "sqlite":
        _check(file)
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as source, closing(_open(engine)) as target:
            source.backup(target)
    else:
        options = ["--clean", "--if-exists"] if replace else []
        _run("pg_restore", engine.url, "--no-owner", "--single-transaction", *options, str(file))


def shrink(engine: Engine) -> tuple[int, int]:
    """Give the room of SQLite's deleted rows back to the disk, which needs as much again meanwhile.

    Nothing else may use the database.

    :return: the size of SQLite's file in bytes, before and after
    :raises BackupError: something else uses it, or the disk is full
    """
    file = Path(str(engine.url.database))
    before = file.stat().st_size
    try:
        with closing(_open(engine)) as connection:
            connection.execute("VACUUM")
            # From the log into the file.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise BackupError(f"{file} cannot be made smaller: {error}") from None
    return before, file.stat().st_size


def _open(engine: Engine) -> sqlite3.Connection:
    return sqlite3.connect(str(engine.url.database), timeout=BUSY_SECONDS)


def _check(file: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as copy:
            found = copy.execute("PRAGMA quick_check").fetchone()
            copy.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupError(f"{file} is not a copy of an hstar database: {error}") from None
    if found != ("ok",):
        raise BackupError(f"{file} is damaged: {found[0]}")


def _run(program: str, url: URL, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise BackupError(f"{program} is not installed here; it comes with PostgreSQL's client programs")
    # The password goes into the environment, because any list of processes shows arguments.
    plain = url.set(drivername="postgresql", password=None).render_as_string()
    environment = os.environ | ({"PGPASSWORD": url.password} if url.password else {})
    command = [path, f"--dbname={plain}", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BackupError(f"{program} failed: {done.stderr.strip() or done.returncode}")
