"""The service as in production, every part a separate process, on one machine and for one experiment.

with System(database_url, seed=7) as system:
    system.start(api=True, workers=1, sweeper=True)
    job_id = system.client.submit(...)
    os.kill(system.children()[0].pid, signal.SIGKILL)
    system.check()                                    # raises Violation with everything that is wrong
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import httpx
import psutil
from sqlalchemy import select

from chaos import invariants, witness
from chaos.clients import Client
from chaos.clock import Clock
from chaos.processes import Program
from chaos.wires import Wire
from running.ports import free_port
from store.database import make_engine, make_sessions, migrate
from store.doorbell import Doorbell
from store.experiments.models import ExperimentMember
from store.settings import Pace
from tests.servers import PostgreSQL, Valkey, wait_until

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180.0
# Short times, so that a lost worker is noticed within seconds; and no limit on losses, since the experiments cause
# them.
PACE = Pace(heartbeat_seconds=0.25, sweep_seconds=0.25, wake_after_seconds=0.5, look_seconds=1, max_losses=100)
SETTINGS = {
    "HSTAR_LEASE_SECONDS": "2",
    "HSTAR_PACE": PACE.model_dump_json(),
    "HSTAR_CAP_MEMORY_MIB": "512",
    "HSTAR_LOG_FORMAT": "json",
}


class System:
    """One database, one broker, and the programs that use them."""

    def __init__(
        self,
        database_url: str,
        *,
        seed: int = 0,
        root: Path = ROOT,
        postgresql: PostgreSQL | None = None,
        clock: Clock | None = None,
        valkey: Valkey | None = None,
        **settings: str,
    ) -> None:
        self.chance = random.Random(seed)
        self.root = root
        self._stack = ExitStack()
        self.home = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="hstar-chaos-")))
        self.valkey = valkey or Valkey()
        #: the experiment's own PostgreSQL server, if it has one
        self.postgresql, self.clock = postgresql, clock
        self.notes: list[str] = []
        self.database_url = database_url.replace("{home}", str(self.home))
        self.programs: list[Program] = []
        #: by the name of a program and a variable of its environment: what it connects to instead
        self._wires: dict[tuple[str, str], str] = {}
        self.port = free_port()
        self.settings = SETTINGS | settings
        self.began = time.monotonic()
        #: when the last faults ended, and when one began that lasts until its process is ended
        self.calm_since = self.fault_at = self.began
        self.stages = ""

    def __enter__(self) -> Self:
        try:
            self._stack.enter_context(self.valkey)
            self.sessions = make_sessions(make_engine(self.database_url))
            self._stack.callback(self.sessions.close)
            migrate.upgrade(self.sessions.engine)
            witness.watch(self.sessions.engine)
            self.bell = Doorbell(self.valkey.url)
            self._stack.callback(self.bell.close)
            self.client = self.make_client()
            self._stack.callback(self.client.close)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            program.close()
        self._stack.close()

    @property
    def url(self) -> str:
        """The API's URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every program."""
        # Not PYTHONDONTWRITEBYTECODE: a start would compile every module, as nobody's does (Makefile, hstar.service).
        left_out = ("HSTAR_", "PROMETHEUS_", "PYTHONDONTWRITEBYTECODE")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        return kept | {
            "HSTAR_VAR": str(self.home),
            "HSTAR_DATABASES": str(self.home / "databases"),
            "HSTAR_DATABASE_URL": self.database_url,
            "HSTAR_BROKER_URL": self.valkey.url,
            "HSTAR_BIND": f"127.0.0.1:{self.port}",
            "TMPDIR": str(self.home),
            "PYTHONPATH": str(self.root),
            "PYTHONUNBUFFERED": "1",
            **(self.clock.environment if self.clock else {}),
            **self.settings,
        }

    def make_client(self) -> Client:
        """The client that submits this system's jobs."""
        return Client(self.url, self.chance)

    # Starting

    def start(self, *, api: bool = True, workers: int = 1, concurrency: int = 2, sweeper: bool = True) -> None:
        """Start these programs together, and wait until all are ready."""
        if api:
            self.start_api(wait=False)
        made = [self.start_worker(concurrency, wait=False) for _ in range(workers)]
        if sweeper:
            self.start_sweeper(wait=False)
        for program in made:
            self.until_said(program, " ready.")
        if api:
            self.wait_for_api()
        if sweeper:
            self.until_said(self.find("sweeper"), "sweeping")

    def start_api(self, *, wait: bool = True, root: Path | None = None) -> Program:
        """Start gunicorn. ``root``, here and below: the folder of the program's sources, if not the usual one."""
        # The default configuration; the request counters are in the temporary directory.
        command = [_bin("gunicorn"), "--config", "service/gunicorn.py", "service.wsgi:app"]
        program = self._start("api", command, root)
        if wait:
            self.wait_for_api()
        return program

    def start_worker(self, concurrency: int = 2, *, wait: bool = True, root: Path | None = None) -> Program:
        """Start a Celery worker with so many processes."""
        command = [_bin("celery"), "--app", "worker.app", "worker", "--pool", "prefork", "--loglevel", "info"]
        command += ["--concurrency", str(concurrency), "--without-gossip", "--without-mingle", "--without-heartbeat"]
        program = self._start("worker", [*command, "--hostname", f"{len(self.programs)}@%h"], root)
        if wait:
            self.until_said(program, " ready.")
        return program

    def start_sweeper(self, *, wait: bool = True, root: Path | None = None) -> Program:
        """A sweeper."""
        program = self._start("sweeper", [sys.executable, "-m", "worker.sweeper"], root)
        if wait:
            self.until_said(program, "sweeping")
        return program

    def start_run(self, *command: str, **settings: str) -> Program:
        """`make run` (or another command that runs it) with its own broker; waits until it is ready."""
        environment = self.environment | {"HSTAR_WORKERS": "2"} | settings
        del environment["HSTAR_BROKER_URL"]
        log = self.home / f"run-{len(self.programs)}.log"
        words = [sys.executable, "-m", *(command or ("running",))]
        program = self.adopt(Program("run", words, environment, self.root, log))
        self.wait_for_api()
        self.until_said(program, "hstar is ready")
        return program

    def wire(self, name: str, variable: str) -> Wire:
        """A wire between the programs of this name, when they are started, and the server that the variable names."""
        url = urlsplit(self.environment[variable])
        assert url.port is not None, "the server has no port"
        wire = Wire(url.port)
        self._stack.callback(wire.close)
        there = url.netloc.removesuffix(f":{url.port}")
        self._wires[name, variable] = url._replace(netloc=f"{there}:{wire.port}").geturl()
        return wire

    def _start(self, name: str, command: list[str], root: Path | None) -> Program:
        log = self.home / f"{name}-{len(self.programs)}.log"
        at = self.root if root is None else root
        wires = {variable: url for (program, variable), url in self._wires.items() if program == name}
        return self.adopt(Program(name, command, self.environment | {"PYTHONPATH": str(at)} | wires, at, log))

    def adopt(self, program: Program) -> Program:
        """End this program, too, after the experiment."""
        self.programs.append(program)
        return program

    def until_said(self, program: Program, text: str) -> None:
        def there() -> bool:
            assert not program.ended(), f"{program.name} has ended:\n{program.log.read_text(errors='replace')[-2000:]}"
            return program.said(text)

        wait_until(there, f"{program.name} to log {text!r}", START_SECONDS)

    def wait_for_api(self) -> None:
        """Wait until requests are answered."""

        def answers() -> bool:
            with suppress(httpx.TransportError):
                return httpx.get(f"{self.url}/health/ready", timeout=5).status_code == 200
            return False

        wait_until(answers, "the API to answer", START_SECONDS, pause=0.1)

    # Processes

    def find(self, name: str) -> Program:
        """The newest living program of this name."""
        return next(p for p in reversed(self.programs) if p.name == name and not p.ended())

    def children(self) -> list[psutil.Process]:
        """The worker's pool processes."""
        found = [p for program in self.programs if program.name == "worker" for p in program.children()]
        # Celery has no children except those of its pool.
        return [process for process in found if process.is_running()]

    def a_child(self) -> psutil.Process | None:
        """A random pool process."""
        found = self.children()
        return self.chance.choice(found) if found else None

    def restart_valkey(self, *, empty: bool, away: float = 0.0) -> None:
        """Kill the broker and start it again on its port, after ``away`` seconds."""
        port = self.valkey.port
        self.valkey.kill()
        if empty:
            self.valkey.forget()
        time.sleep(away)
        self.valkey.start(port)

    def set_clock(self, seconds: int) -> None:
        """Set the clock of the database and all programs to so many seconds from the true time."""
        assert self.clock is not None
        self.clock.set(seconds)

    def adopt_experiment(self, identifier: str) -> None:
        """Record the rows of an accepted experiment as accepted."""
        with self.sessions.read() as session:
            members = select(ExperimentMember.solve_id).where(ExperimentMember.experiment_id == identifier)
            self.client.accepted |= {f"member-{job_id}": job_id for job_id in session.scalars(members)}

    def note(self, text: str) -> None:
        """Add a measurement to the table."""
        self.notes.append(text)

    # Checks

    def calm(self) -> None:
        """Mark the end of the faults; from now on all jobs must end soon."""
        self.calm_since = time.monotonic()

    def check(self, seconds: float = 30.0) -> invariants.Findings:
        """Wait until all jobs have ended, and check every invariant. Raises `invariants.Violation`."""
        return invariants.check(self, seconds)

    def orphans(self) -> list[int]:
        """Processes that have outlived their program."""
        return [pid for program in self.programs if program.ended() for pid in program.left()]

    def stop(self, program: Program) -> None:
        """End a program as an operator does."""
        program.send(signal.SIGTERM)
        wait_until(program.ended, f"{program.name} to end", START_SECONDS)


def _bin(name: str) -> str:
    return str(Path(sys.executable).parent / name)
