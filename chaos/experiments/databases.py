"""Faults of the database: it is killed, is full, is locked by another process, or its clock jumps."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import httpx

from chaos.clients import Submitting
from chaos.experiments.table import Experiment, fill, mixed, times
from chaos.invariants import Violation
from chaos.system import System

HOUR = 3600


def postgresql_killed(system: System, scale: float) -> int:
    """PostgreSQL is killed while jobs are submitted and end."""
    own = system.postgresql
    assert own is not None
    system.start()
    faults = times(8, scale)
    with Submitting(system.client, mixed(system, 40 * faults, 0.1)):
        for _ in range(faults):
            time.sleep(system.chance.uniform(0.5, 2.0))
            port = own.port
            own.kill()
            time.sleep(system.chance.uniform(0, 1))
            own.start(port)
    return faults


def disk_filled(system: System, scale: float) -> int:
    """The disk of the database, 8 MB, is filled to the last byte under load, and emptied again."""
    system.start()
    faults = times(6, scale)
    disk = Path(system.database_url.removeprefix("sqlite:///")).parent
    with Submitting(system.client, mixed(system, 20 * faults, 0.2)):
        for _ in range(faults):
            time.sleep(0.5)
            filler = fill(disk)
            time.sleep(1.5)
            if system.find("worker").ended() or system.find("api").ended():
                raise Violation("a program has ended")
            filler.unlink()
    return faults


def lock_held(system: System, scale: float) -> int:
    """Another process holds SQLite's write lock for three seconds; /health/live must still answer at once."""
    system.start()
    faults = times(5, scale)
    slowest = 0.0
    with Submitting(system.client, mixed(system, 20 * faults, 0.2)):
        for _ in range(faults):
            with sqlite3.connect(system.database_url.removeprefix("sqlite:///"), isolation_level=None) as other:
                other.execute("PRAGMA busy_timeout=20000")
                other.execute("BEGIN IMMEDIATE")
                until = time.monotonic() + 3
                while time.monotonic() < until:
                    began = time.monotonic()
                    assert httpx.get(f"{system.url}/health/live", timeout=10).status_code == 200
                    slowest = max(slowest, time.monotonic() - began)
                    time.sleep(0.1)
                other.execute("ROLLBACK")
            other.close()
            time.sleep(0.3)
    if slowest > 2:
        raise Violation(f"/health/live took {slowest:.1f} s")
    return faults


def clock_set(system: System, scale: float) -> int:
    """The database's clock is set an hour forward and an hour back under load, and workers are killed each time."""
    system.start()
    faults = times(6, scale)
    with Submitting(system.client, mixed(system, 30 * faults)):
        for number in range(faults):
            system.set_clock(HOUR if number % 2 == 0 else 0)
            child = system.a_child()
            if child is not None:
                child.kill()
            time.sleep(1.5)
    system.set_clock(-HOUR)
    child = system.a_child()
    if child is not None:
        child.kill()
    return faults + 1


EXPERIMENTS = (
    Experiment(
        "postgresql-killed",
        "SIGKILL for PostgreSQL while jobs are submitted and end",
        postgresql_killed,
        "own postgresql",
    ),
    Experiment(
        "disk-full",
        "SQLite on a disk of 8 MB that is filled under load",
        disk_filled,
        "small disk",
        # The service must not refuse anything before the database does.
        {"HSTAR_RESERVE_MIB": "0"},
    ),
    Experiment(
        "lock-held",
        "SQLite's write lock held by another process for 3 s; /health/live answers at once",
        lock_held,
        "sqlite",
    ),
    Experiment("clock", "the clock one hour forward and back, a process killed each time", clock_set, "clock"),
)
