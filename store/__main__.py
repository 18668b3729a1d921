"""``python -m store``: the operator's commands on the database. ``python -m store --help`` lists them.

Each command imports what it needs: health checks start `works` again and again, and the whole store takes a second.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from store import parts
from store.database import make_engine, make_sessions
from store.database.backup import BackupError, backup, restore, shrink
from store.settings import OTHER_VARIABLES, Settings, SettingsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 for success, 1 for failure, 2 for wrong arguments or settings."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["keys"]:
        return _keys(arguments[1:])
    options = _parser().parse_args(arguments)
    if options.command == "settings":
        print("The service, the workers and the sweeper:")
        for variable, default, text in Settings.describe():
            print(f"  {variable:<26} {default or '(empty)':<26} {text}")
        print("\nOther parts of hstar:")
        for variable, text in OTHER_VARIABLES.items():
            print(f"  {variable:<26} {text}")
        return 0
    try:
        settings = Settings.from_env()
        return _run(options, settings, make_engine(settings.database_url))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except BackupError as error:
        print(error, file=sys.stderr)
        return 2
    except OperationalError as error:
        print(f"the database does not answer: {error.orig}", file=sys.stderr)
        return 2


def _keys(arguments: list[str]) -> int:
    from store.owners import command as keys

    keys.parser().parse_args(arguments)  # faults of the arguments are reported before the database is asked
    try:
        return keys.run(arguments, make_sessions(make_engine(Settings.from_env().database_url)))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except DBAPIError as error:
        print(f"the database does not answer, or is not migrated: {error.orig}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m store", description="The database of the service.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("keys", help="create, list and revoke API keys", add_help=False)
    commands.add_parser("settings", help="print every option with its default")
    commands.add_parser("migrate", help="migrate the database to the newest schema")
    commands.add_parser("current", help="print the schema's revision; status 1 if it is too old")
    command = commands.add_parser("works", help="status 1 if no process of this part has been at work lately")
    command.add_argument("part", choices=parts.PARTS)
    command = commands.add_parser("drain", help="let the workers here take no more jobs, until theirs have ended")
    command.add_argument("--seconds", type=float, default=600.0, help="the longest wait; then status 1 (default: 600)")
    command = commands.add_parser("backup", help="write a copy of the database, while jobs run")
    command.add_argument("file", type=Path)
    command = commands.add_parser("restore", help="restore a copy, while nothing runs")
    command.add_argument("file", type=Path)
    command.add_argument("--replace", action="store_true", help="even if the database has jobs, which are then deleted")
    command = commands.add_parser("purge", help="delete jobs, experiments and scrambles of long ago; statistics stay")
    command.add_argument("--older-than-days", type=_days, required=True, metavar="DAYS")
    command.add_argument("--assignments", action="store_true", help="also assignments that have ended, with all grades")
    command.add_argument("--log", action="store_true", help="also lines of the log of changes")
    command.add_argument("--shrink", action="store_true", help="then make SQLite's file smaller, while nothing runs")
    command.add_argument("--dry-run", action="store_true", help="only count them")
    return parser


def _days(text: str) -> timedelta:
    days = float(text)
    if not 0 <= days < 100_000:
        raise argparse.ArgumentTypeError("must be from 0 to 100000")
    return timedelta(days=days)


def _run(options: argparse.Namespace, settings: Settings, engine: Engine) -> int:
    name = engine.url.render_as_string()
    if options.command == "works":
        with make_sessions(engine).read() as session:
            away = options.part in parts.away(session)
        print(f"{options.part}: {'away' if away else 'works'}")
        return 1 if away else 0
    if options.command == "drain":
        from store.draining import drain

        left = drain(settings, make_sessions(engine), options.seconds)
        print(f"{left} jobs run")
        return 1 if left else 0
    if options.command == "backup":
        backup(engine, options.file)
        print(f"{name} is in {options.file}")
        return 0
    from store.database import migrate

    if options.command == "restore":
        _check_stopped(settings)
        restore(engine, options.file, replace=options.replace)
        migrate.upgrade(engine)
        print(f"{name} is what {options.file} was")
        return 0
    if options.command == "purge":
        from store.certificates import CertificateFiles
        from store.jobs.retention import purge

        age, dry = options.older_than_days, options.dry_run
        if options.shrink:
            if engine.dialect.name != "sqlite":
                raise BackupError("PostgreSQL uses the room of deleted rows again; --shrink is for SQLite's file")
            _check_stopped(settings)
        sessions = make_sessions(engine)
        found = purge(sessions, age, dry=dry, assignments=options.assignments, log=options.log)
        if not dry:
            CertificateFiles.of(settings).sweep(sessions)
        would = "would be deleted" if dry else "were deleted"
        more = f", {found.assignments} assignments" if options.assignments else ""
        more += f", {found.changes} lines of the log" if options.log else ""
        print(f"{found.jobs} jobs, {found.experiments} experiments, {found.scrambles} scrambles{more} {would}")
        if options.shrink and not dry:
            sessions.close()
            before, after = shrink(engine)
            print(f"{name}: {before / 2**20:.1f} MiB became {after / 2**20:.1f} MiB")
        return 0
    if options.command == "migrate":
        migrate.upgrade(engine)
    revision = migrate.current(engine)
    print(f"{name}: {revision or 'empty'} (newest: {migrate.newest()})")
    return 0 if migrate.suffices(revision) else 1


def _check_stopped(settings: Settings) -> None:
    """Raise unless the lock of `make run` is free; processes left behind by a killed `make run` hold it, too."""
    lock = settings.var / "run.lock"
    if lock.is_file():
        with lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BackupError(f"hstar is running on {settings.var}: stop it first") from None


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has ended: `python -m store settings | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
