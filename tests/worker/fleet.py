"""Real workers and sweepers as separate processes, on a real database and a real Valkey."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from hstar import schema
from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import prepare, question
from store.database import make_engine, make_sessions, migrate
from store.database.clock import from_now
from store.doorbell import Doorbell
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.owners.principal import LOCAL_OWNER, SYSTEM
from store.settings import Pace
from store.solves import queries, submission
from store.solves.models import Solve
from store.solves.objects import to_object
from store.solves.status import Status
from tests import forking
from tests.conftest import TEST_ALL
from tests.servers import wait_until

ROOT = Path(__file__).resolve().parents[2]

# Heartbeats and sweeps are frequent. A lease outlasts every test, so that a busy machine loses no job; a test that must
# lose one lets its lease run out by `Fleet.lose`.
TIMES = {"HSTAR_LEASE_SECONDS": "3600"}


def pace(**changed: float) -> str:
    """The intervals of a fleet for ``HSTAR_PACE``, changed."""
    return Pace.model_validate({"heartbeat_seconds": 0.25, "sweep_seconds": 0.25} | changed).model_dump_json()


# Every process of a worker has a slot for a long job, unless a test is about quick or paused ones.
SLOTS = {"HSTAR_QUICK_SLOTS": "0", "HSTAR_PAUSED_SLOTS": "0"}


def quick(seed: int = 0, **changed: Any) -> SolveRequest:
    """A search that takes a millisecond: Megaminx, three clockwise moves, solved counter-clockwise."""
    fields: dict[str, Any] = {
        "puzzle": "megaminx",
        "scramble": ScrambleIn(k=3, seed=seed, moves="cw"),
        "moves": "ccw",
        "heuristic": "ceil(misplaced_facelets / 15)",
    }
    return SolveRequest(**(fields | changed))


def medium() -> SolveRequest:
    """A search that takes some seconds and half a GiB, and ends with a solution of 34 moves."""
    return SolveRequest(puzzle="15-puzzle", scramble=ScrambleIn(k=40, seed=1), heuristic="misplaced_tiles")


def long(**limits: Any) -> SolveRequest:
    """A search that goes on until its memory is full, ten seconds or more with two GiB: k = 18, misplaced facelets."""
    return SolveRequest(
        puzzle="megaminx",
        scramble=ScrambleIn(k=18, seed=1, moves="cw"),
        moves="ccw",
        heuristic="ceil(misplaced_facelets / 15)",
        limits=LimitsIn(**({"memory_mib": 2048} | limits)),
    )


def endless() -> SolveRequest:
    """A search that has a solution soon, and shorter ones for many minutes."""
    return SolveRequest(puzzle="megaminx", random=1, moves="single", algorithm="anytime")


def shortening() -> SolveRequest:
    """A search in two phases, which has a solution soon and goes on for many minutes."""
    return SolveRequest(puzzle="3x3x3", random=1, algorithm="two_phase")


def process_of(solve: Solve) -> int:
    """The id of the pool process that runs this job."""
    assert solve.job.worker is not None
    return int(solve.job.worker.split(":")[1])


class Running:
    """A process of the fleet, in its own process group, with its log."""

    def __init__(self, command: list[str], environment: dict[str, str], *, real: bool) -> None:
        self.log = Path(tempfile.mkstemp(prefix="hstar-fleet-", suffix=".log")[1])
        with self.log.open("wb") as log:
            self.process = forking.start(command, log, cwd=ROOT, env=environment, real=real, start_new_session=True)

    def said(self, text: str) -> bool:
        """Whether its log contains this text."""
        return text in self.log.read_text(errors="replace")

    def send(self, number: signal.Signals, *, group: bool = False) -> None:
        """Send a signal to the process, or to its whole group, like a terminal and systemd."""
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def close(self) -> None:
        """Kill all processes of its group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.unlink(missing_ok=True)


class Fleet:
    """A database, a `Doorbell`, and the processes that use them."""

    def __init__(self, database_url: str, broker_url: str, *, real: bool = False, **settings: str) -> None:
        self._real = real or TEST_ALL
        # A process that is killed leaves its temporary files.
        self._temporary = tempfile.TemporaryDirectory(prefix="hstar-fleet-", ignore_cleanup_errors=True)
        own = {"HSTAR_PACE": pace(), "HSTAR_VAR": self._temporary.name}
        self.environment = os.environ | TIMES | SLOTS | own | settings
        self.environment |= {
            "TMPDIR": self._temporary.name,
            "HSTAR_DATABASE_URL": database_url,
            "HSTAR_BROKER_URL": broker_url,
            "HSTAR_LOG_FORMAT": "text",
            "PYTHONPATH": str(ROOT),
        }
        self.sessions = make_sessions(make_engine(database_url))
        migrate.upgrade(self.sessions.engine)
        self.bell = Doorbell(broker_url)
        self.processes: list[Running] = []

    def worker(self, concurrency: int = 1, ready: str = " ready.", **settings: str) -> Running:
        """Start a worker, with more settings, and wait until it listens, or logs the given text."""
        command = [sys.executable, "-m", "celery", "--app", "worker.app", "worker", "--pool", "prefork"]
        command += ["--concurrency", str(concurrency), "--without-gossip", "--without-mingle"]
        command += ["--without-heartbeat", "--loglevel", "info"]
        running = self._start([*command, "--hostname", f"worker-{len(self.processes)}@%h"], settings)
        wait_until(lambda: running.said(ready), "the worker to be ready", seconds=60)
        return running

    def sweeper(self) -> Running:
        """Start a sweeper and wait until it sweeps."""
        running = self._start([sys.executable, "-m", "worker.sweeper"], {})
        wait_until(lambda: running.said("sweeping"), "the sweeper to start", seconds=60)
        return running

    def _start(self, command: list[str], settings: dict[str, str]) -> Running:
        running = Running(command, self.environment | settings, real=self._real)
        self.processes.append(running)
        return running

    def submit(self, request: SolveRequest, *, ring: bool = True, owner: str = LOCAL_OWNER) -> str:
        """Submit like the service: commit, then wake a worker."""
        new = submission.NewSolve(request, question(prepare(request)), owner)
        self.sessions.run(lambda session: submission.submit(session, new))
        if ring:
            self.bell.ring(small=new.small)
        return new.id

    def cancel(self, solve_id: str) -> State | None:
        """Cancel like the service: commit, then notify the workers."""
        status = self.sessions.run(lambda session: machine.request_cancel(session, solve_id))
        self.bell.cancel(solve_id)
        return status

    def row(self, solve_id: str) -> Solve:
        """The row of a job."""
        with self.sessions.read() as session:
            solve = queries.get_solve(session, solve_id, SYSTEM)
        assert solve is not None
        return solve

    def answer(self, solve_id: str) -> schema.Solve:
        """The answer of the API."""
        return to_object(self.row(solve_id))

    def wait(self, solve_id: str, *statuses: Status, seconds: float = 60) -> Solve:
        """The row, once it has one of these states (by default a final one)."""

        def there() -> bool:
            status = self.row(solve_id).status
            return status in statuses if statuses else status.final

        return self._wait(solve_id, there, " or ".join(statuses) or "its end", seconds)

    def wait_progress(self, solve_id: str) -> Solve:
        """The row, once it has progress from the kernel."""
        return self._wait(solve_id, lambda: self.expanded(self.row(solve_id)) > 0, "progress", 60)

    def wait_attempt(self, solve_id: str, attempt: int, seconds: float = 60) -> Solve:
        """The row, once this attempt runs."""

        def there() -> bool:
            row = self.row(solve_id)
            return row.status is Status.RUNNING and row.job.attempt == attempt

        return self._wait(solve_id, there, f"attempt {attempt}", seconds)

    def _wait(self, solve_id: str, there: Callable[[], bool], what: str, seconds: float) -> Solve:
        try:
            wait_until(there, f"{what} of {solve_id}", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {self.answer(solve_id)}\n{self.logs()}") from None
        return self.row(solve_id)

    def lose(self, solve: Solve) -> None:
        """Let the lease of this attempt run out, and wait until it has lost the job. Its process must be silent."""
        self.lose_job(solve.job)

    def lose_job(self, job: Job) -> None:
        """The same for a job of any kind."""

        def lost() -> bool:
            this = (Job.id == job.id, Job.attempt == job.attempt, Job.state == State.RUNNING)
            past = from_now(timedelta(seconds=-1))
            with self.sessions.write() as session:
                # Repeatedly, because a last heartbeat may have been on its way.
                return not session.scalars(update(Job).where(*this).values(lease_until=past).returning(Job.id)).all()

        wait_until(lost, f"attempt {job.attempt} of {job.id} to be lost", 60)

    @staticmethod
    def expanded(solve: Solve) -> int:
        """The progress of the running attempt."""
        told = solve.job.progress if solve.job.has_progress else None
        return 0 if told is None else schema.Progress.model_validate_json(told).expanded

    def wait_best(self, solve_id: str, shorter_than: int = 1000) -> list[str]:
        """The best solution so far, once it is shorter than so many moves."""

        def best() -> list[str]:
            shown = self.answer(solve_id).progress
            return [] if shown is None or shown.best is None else shown.best

        self._wait(solve_id, lambda: 0 < len(best()) < shorter_than, f"less than {shorter_than} moves", 120)
        return best()

    @staticmethod
    def kill_child_of(solve: Solve) -> int:
        """SIGKILL the pool process that runs this job; its number."""
        number = process_of(solve)
        os.kill(number, signal.SIGKILL)
        return number

    def freeze(self, solve: Solve) -> int:
        """SIGSTOP the pool process that runs this job, while it holds no lock of the database; its number."""
        number = process_of(solve)
        while True:
            os.kill(number, signal.SIGSTOP)
            try:
                with self.sessions.write() as session:
                    session.execute(select(1))
                return number
            except OperationalError:
                os.kill(number, signal.SIGCONT)

    def logs(self) -> str:
        """The last lines of all logs, for the message of a failed test."""
        return "\n".join(
            f"--- {running.process.args!r}\n{running.log.read_text(errors='replace')[-3000:]}"
            for running in self.processes
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for running in self.processes:
            running.close()
        self.bell.close()
        self.sessions.close()
        self._temporary.cleanup()


@contextlib.contextmanager
def fleet(database_url: str, broker_url: str, *, real: bool = False, **settings: str) -> Iterator[Fleet]:
    """A fleet whose processes are all ended at the end, whatever happens. With `real`, no process is forked."""
    with Fleet(database_url, broker_url, real=real, **settings) as made:
        yield made
