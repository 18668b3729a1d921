"""Runs the experiments: each on a new system, followed by a check of the invariants, and a line of the table.

`python -m chaos faults --repeat 3 --seed 1` runs all of them three times, on SQLite and PostgreSQL in turn. The seed of
an experiment is derived from the given seed, the number of its run and its name, so `--only NAME --first N` makes the
same random choices again; the timing of the processes is not repeatable.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos.clock import Clock
from chaos.experiments import EXPERIMENTS, Experiment
from chaos.experiments.table import CannotRun
from chaos.system import ROOT, System
from tests.servers import PostgreSQL

DISK_MB = 8


@dataclass
class Result:
    """The result of one run of an experiment."""

    name: str
    database: str
    number: int
    seed: int
    faults: int = 0
    jobs: int = 0
    states: dict[str, int] = field(default_factory=dict)
    repeated_attempts: int = 0
    recovery_seconds: float = 0.0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    skipped: str | None = None
    violation: str | None = None


class PostgreSQLWithClock(PostgreSQL):
    """A PostgreSQL server that sees a clock which can be set."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        super().__init__()

    def options(self) -> dict[str, Any]:
        return {**super().options(), "env": {**os.environ, **self._clock.environment}}


def seed_of(seed: int, number: int, name: str) -> int:
    """The seed of an experiment."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}/{name}".encode()).digest()[:4], "big")


def run(
    experiments: Sequence[Experiment],
    numbers: Sequence[int],
    *,
    seed: int = 0,
    scale: float = 1.0,
    tell: Callable[[Result], None] = lambda _: None,
    root: Path = ROOT,
    **settings: str,
) -> list[Result]:
    """Run all of these. A violation is recorded in its result; the others go on."""
    results = []
    with ExitStack() as stack:
        servers = Servers(stack)
        for number in numbers:
            for one in experiments:
                result = run_one(one, number, servers, seed=seed, scale=scale, root=root, **settings)
                results.append(result)
                tell(result)
    return results


class Servers:
    """The PostgreSQL server that experiments share, started when one first needs it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._shared: PostgreSQL | None = None

    def postgresql(self) -> PostgreSQL:
        """A server that no experiment kills."""
        if self._shared is None:
            self._shared = self._stack.enter_context(PostgreSQL())
        return self._shared


def run_one(
    one: Experiment, number: int, servers: Servers, *, seed: int, scale: float, root: Path = ROOT, **settings: str
) -> Result:
    """Run one experiment; returns its result."""
    own = seed_of(seed, number, one.name)
    postgresql = one.database == "own postgresql" or (one.database in ("either", "clock") and number % 2 == 1)
    result = Result(one.name, "PostgreSQL" if postgresql else "SQLite", number, own)
    began = time.monotonic()
    try:
        with _prepared(one, postgresql, servers, own, root, settings) as system:
            result.faults = one.run(system, scale)
            system.calm()
            found = system.check()
            result.jobs, result.states = found.jobs, found.states
            result.repeated_attempts, result.recovery_seconds = found.repeated_attempts, found.recovery_seconds
            result.notes = system.notes
    except CannotRun as reason:
        result.skipped = str(reason)
    except AssertionError as error:
        result.violation = str(error) or traceback.format_exc()
    except Exception:
        result.violation = traceback.format_exc()
    result.seconds = time.monotonic() - began
    return result


@contextmanager
def _prepared(
    one: Experiment, postgresql: bool, servers: Servers, seed: int, root: Path, settings: dict[str, str]
) -> Iterator[System]:
    with ExitStack() as stack:
        named: dict[str, Any] = {}
        url = "sqlite:///{home}/hstar.sqlite"
        if one.database == "clock":
            if shutil.which("cc") is None:
                raise CannotRun("there is no C compiler")
            named["clock"] = clock = Clock()
            stack.callback(clock.close)
            if postgresql:
                url = stack.enter_context(PostgreSQLWithClock(clock)).create_database()
        elif one.database == "own postgresql":
            named["postgresql"] = own = stack.enter_context(PostgreSQL())
            url = own.create_database()
        elif one.database == "small disk":
            url = f"sqlite:///{stack.enter_context(_small_disk())}/hstar.sqlite"
        elif postgresql:
            url = servers.postgresql().create_database()
            stack.callback(servers.postgresql().drop_database, url)
        named |= one.settings | settings
        yield stack.enter_context(System(url, seed=seed, root=root, **named))


@contextmanager
def _small_disk() -> Iterator[Path]:
    """A file system of 8 MB, if this user may make one."""
    directory = Path(tempfile.mkdtemp(prefix="hstar-disk-"))
    try:
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "hstar", str(directory)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise CannotRun(f"cannot make a file system of {DISK_MB} MB: {made.stderr.strip()}")
        try:
            yield directory
        finally:
            subprocess.run(["umount", "--lazy", str(directory)], check=False)
    finally:
        directory.rmdir()


def select(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names, or all. Raises KeyError for an unknown name."""
    return [EXPERIMENTS[name] for name in names] if names else list(EXPERIMENTS.values())
