"""Copies of the database: made while jobs run, and restored."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from store.database import Sessions, make_engine, make_sessions
from store.database import backup as store_backup
from store.database.backup import BackupError, backup, restore, shrink
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.status import Status
from store.statistics.rollup import roll_up
from tests import forking
from tests.servers import PostgreSQL
from tests.store.builders import expire, must_claim, submit, sweep
from tests.store.test_retention import ended
from tests.worker.fleet import Fleet, medium, quick


@pytest.fixture
def clients(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's own programs, of the server's version."""
    monkeypatch.setenv("PATH", str(postgresql.binaries), prepend=":")


def jobs(sessions: Sessions) -> dict[str, dict[str, Any]]:
    with sessions.read() as session:
        rows = session.execute(select(Job.__table__)).mappings()
        return {row["id"]: dict(row) for row in rows}


@pytest.mark.usefixtures("clients")
def test_a_restored_database_equals_the_copied_one(
    sessions: Sessions, database_url: str, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    ids = [submit(sessions) for _ in range(3)]
    running = must_claim(sessions)
    before, copy = jobs(sessions), tmp_path / "copy"
    backup(sessions.engine, copy)
    assert copy.stat().st_mode & 0o077 == 0
    assert list(tmp_path.glob("*.part")) == []

    submit(sessions)
    with pytest.raises(BackupError, match="not empty"):
        restore(sessions.engine, copy)
    restore(sessions.engine, copy, replace=True)
    assert jobs(sessions) == before

    other = f"sqlite:///{tmp_path / 'other.sqlite'}" if "sqlite" in database_url else postgresql.create_database()
    elsewhere = make_sessions(make_engine(other))
    restore(elsewhere.engine, copy)
    assert jobs(elsewhere) == before
    # The worker of that time is gone: the lease runs out, and the job is queued again.
    expire(elsewhere, running.id)
    assert sweep(elsewhere).requeued == (running.id,)
    assert {job["state"] for job in jobs(elsewhere).values()} == {State.QUEUED}
    assert set(jobs(elsewhere)) == set(ids)
    elsewhere.close()


def test_a_copy_that_was_made_while_jobs_ran_is_worked_off_elsewhere(
    sqlite_url: str, broker_url: str, tmp_path: Path
) -> None:
    copy, other = tmp_path / "copy", f"sqlite:///{tmp_path / 'other.sqlite'}"
    with Fleet(sqlite_url, broker_url) as running:
        running.worker()
        first = running.submit(medium())
        # It is stopped, so that the job is running when the copy is made.
        number = running.freeze(running.wait(first, Status.RUNNING))
        ids = [first, *(running.submit(quick(seed)) for seed in range(5))]
        assert store("backup", str(copy), sqlite_url).returncode == 0
        os.kill(number, signal.SIGCONT)
        assert running.wait(first).status is Status.SOLVED
    assert store("restore", str(copy), other).returncode == 0
    refused = store("restore", str(copy), other)
    assert (refused.returncode, "not empty" in refused.stderr) == (2, True)
    with Fleet(other, broker_url) as elsewhere:
        assert elsewhere.row(first).status is Status.RUNNING
        elsewhere.worker()
        elsewhere.sweeper()
        elsewhere.lose(elsewhere.row(first))
        assert {elsewhere.wait(one).status for one in ids} == {Status.SOLVED}
        # Two, or one more if it was tried as a quick job in between.
        assert elsewhere.row(first).job.attempt in (2, 3)


def store(command: str, file: str, url: str) -> subprocess.CompletedProcess[str]:
    return run([command, file], url)


def run(arguments: list[str], url: str) -> subprocess.CompletedProcess[str]:
    return forking.run(["-m", "store", *arguments], env=os.environ | {"HSTAR_DATABASE_URL": url})


PURGE = ["purge", "--older-than-days", "30", "--shrink"]


def test_a_purge_makes_the_file_smaller_on_demand(sqlite_sessions: Sessions, sqlite_url: str) -> None:
    old = [ended(sqlite_sessions, days=40) for _ in range(3)]
    kept = submit(sqlite_sessions)
    roll_up(sqlite_sessions)
    large = update(Job).where(Job.id.in_(old)).values(request=10**6 * "x")
    sqlite_sessions.run(lambda session: session.execute(large))
    assert run([*PURGE, "--dry-run"], sqlite_url).stdout == ("3 jobs, 0 experiments, 0 scrambles would be deleted\n")
    sqlite_sessions.checkpoint()
    file = Path(str(sqlite_sessions.engine.url.database))
    before = file.stat().st_size
    done = run(PURGE, sqlite_url)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == ["3", f"sqlite:///{file}:"]
    assert file.stat().st_size < before - 2_900_000
    assert list(jobs(sqlite_sessions)) == [kept]


def test_a_file_in_use_is_not_made_smaller_and_postgresql_needs_none_of_it(
    sqlite_url: str, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_backup, "BUSY_SECONDS", 0.1)
    sessions = make_sessions(make_engine(sqlite_url))
    with sessions.write() as session:
        session.execute(update(Job).values(kind="x"))
        with pytest.raises(BackupError, match="cannot be made smaller: database is locked"):
            shrink(sessions.engine)
    sessions.close()
    refused = run(PURGE, postgresql_url)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "PostgreSQL uses the room of deleted rows again" in refused.stderr


def test_invalid_copies_are_refused(sqlite_sessions: Sessions, tmp_path: Path) -> None:
    submit(sqlite_sessions)
    before, bad = jobs(sqlite_sessions), tmp_path / "bad"
    with pytest.raises(BackupError, match="no file"):
        restore(sqlite_sessions.engine, bad, replace=True)
    bad.write_bytes(b"no database" * 1000)
    with pytest.raises(BackupError, match="not a copy"):
        restore(sqlite_sessions.engine, bad, replace=True)
    good = tmp_path / "good"
    backup(sqlite_sessions.engine, good)
    torn = bytearray(good.read_bytes())
    torn[8192:12288] = b"\xff" * 4096
    bad.write_bytes(torn)
    with pytest.raises(BackupError, match=r"damaged|not a copy"):
        restore(sqlite_sessions.engine, bad, replace=True)
    assert jobs(sqlite_sessions) == before
