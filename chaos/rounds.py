"""Fault rounds: one fault in the running processes, recovery, and a check of all invariants; a thousand times.

An experiment repeats one kind of fault for a minute and checks once. Here a system goes through some fifty rounds. In
each, a few jobs are submitted, a random fault is injected while they run, all must end again, and every invariant is
checked for all jobs of the system so far.

    for round_ in run(range(0, 50), "sqlite", seed=1): ...
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import func, select, text

from chaos import clients
from chaos.clients import Submitting
from chaos.faults import seed_of
from chaos.system import PACE, System
from running.__main__ import is_ready
from store.doorbell import QUEUE
from store.jobs.models import Job
from store.jobs.states import State
from store.settings import Pace, Settings
from tests.servers import PostgreSQL, wait_until

#: rounds of one system; the next system starts with an empty database
LIFE = 50
#: of `make run` with two workers: the supervisor, Valkey, the API's five, the worker's six, the sweeper
SUPERVISED_PROCESSES = 14
#: seconds within which everything should end after a fault; longer recoveries are counted, with the machine's load
STUCK_SECONDS = 30.0
#: seconds after which a job that has not ended counts as lost
LOST_SECONDS = 180.0
#: in the place of a database: the whole of `make run`, supervised
SUPERVISED = "supervised"
#: the default times, not the shortened ones of the experiments
SHIPPED = {
    "HSTAR_LEASE_SECONDS": str(Settings().lease_seconds),
    "HSTAR_PACE": Pace(max_losses=PACE.max_losses).model_dump_json(),
}


@dataclass(frozen=True)
class Fault:
    """A fault in the processes of a system.

    ``weight``: relative frequency; cheaper faults are more frequent. ``database``: the only one that has it; empty:
    both. `SUPERVISED`: faults of `make run` under (a stand-in for) systemd, which is on SQLite.
    """

    name: str
    what: str
    do: Callable[[System], None]
    weight: int
    database: str = ""


@dataclass(frozen=True)
class Round:
    """The result of a round. ``recovery_seconds``: from the fault and the last submission until all jobs had ended;
    for a process that hangs also until it was there again."""

    number: int
    fault: str
    database: str
    jobs: int = 0
    repeated_attempts: int = 0
    recovery_seconds: float = 0.0
    #: of a process that hangs: its program, and after how many seconds it was ended and all were there again
    stages: str = ""
    load: float = 0.0
    violation: str | None = None


def long(seed: int) -> dict[str, Any]:
    """A search that takes some tenths of a second, and longer if many processes share a core."""
    return clients.quick(seed) | {
        "scramble": {"k": 18, "seed": seed, "moves": "cw"},
        "limits": {"expanded": 400_000, "memory_mib": 256},
    }


def run(
    numbers: Sequence[int], database: str, seed: int, settings: dict[str, str], log: Path | None = None
) -> list[Round]:
    """Run these rounds on one system, up to the first violation, which all later rounds would find again.

    Each is appended to ``log``, an object of JSON in a line, as soon as it has ended.
    """
    found: list[Round] = []
    try:
        with _system(database, seed_of(seed, numbers[0], database), settings) as system:
            if database == SUPERVISED:
                system.start_run("chaos.systemd")
            else:
                system.start()
            for number in numbers:
                found.append(_round(system, number, database))
                if log is not None:
                    with log.open("a") as file:
                        file.write(json.dumps(asdict(found[-1])) + "\n")
                if found[-1].violation:
                    break
    except Exception:
        found.append(Round(numbers[0] + len(found), "none", database, violation=traceback.format_exc()))
    return found


def run_all(
    count: int,
    first: int,
    seed: int,
    processes: int,
    settings: dict[str, str],
    *,
    hang: bool = False,
    log: Path | None = None,
) -> Iterator[list[Round]]:
    """Run so many rounds from number ``first`` on, on SQLite and PostgreSQL in turn, or (``hang``) with `SUPERVISED`
    faults; yields each as it ends."""
    lives = [range(at, min(at + LIFE, first + count)) for at in range(first, first + count, LIFE)]
    databases = ["postgresql" if numbers[0] // LIFE % 2 else "sqlite" for numbers in lives]
    if hang:
        databases = [SUPERVISED] * len(lives)
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(run, lives, databases, repeat(seed), repeat(settings), repeat(log))


def table_of(rounds: Sequence[Round]) -> str:
    """A row for each fault, in Markdown."""
    lines = [
        "| fault | what is done | rounds | jobs | repeated attempts | median recovery | longest | violations |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for fault in FAULTS:
        own = [one for one in rounds if one.fault == fault.name]
        if not own:
            continue
        times = sorted(one.recovery_seconds for one in own)
        counts = [len(own), sum(one.jobs for one in own), sum(one.repeated_attempts for one in own)]
        cells = [f"`{fault.name}`", fault.what, *(f"{count:,}" for count in counts)]
        cells += [f"{times[len(times) // 2]:.1f} s", f"{times[-1]:.1f} s"]
        lines.append("| " + " | ".join([*cells, str(sum(one.violation is not None for one in own))]) + " |")
    return "\n".join([*lines, "", summary_of(rounds) + "."])


def summary_of(rounds: Sequence[Round]) -> str:
    """A summary of all rounds in a sentence."""
    longest = max((one.recovery_seconds for one in rounds), default=0.0)
    stages = "".join(
        f"\n  {one.recovery_seconds:.1f} s: {one.stages}"
        for one in rounds
        if one.stages and one.recovery_seconds > STUCK_SECONDS
    )
    late = [one.load for one in rounds if one.recovery_seconds > STUCK_SECONDS]
    return (
        f"{len(rounds):,} rounds, each with its check, {sum(one.jobs for one in rounds):,} jobs: "
        f"{sum(one.violation is not None for one in rounds)} violations; longest recovery {longest:.1f} s, "
        f"{len(late)} beyond {STUCK_SECONDS:g} s{f' (load {min(late):.0f} to {max(late):.0f})' if late else ''}{stages}"
    )


@contextmanager
def _system(database: str, seed: int, settings: dict[str, str]) -> Iterator[System]:
    with ExitStack() as stack:
        url, own = "sqlite:///{home}/hstar.sqlite", None
        if database == "postgresql":
            own = stack.enter_context(PostgreSQL())
            url = own.create_database()
        named: dict[str, Any] = {"postgresql": own, **settings}
        yield stack.enter_context(System(url, seed=seed, **named))


def _round(system: System, number: int, database: str) -> Round:
    drawn = [
        fault for fault in FAULTS if fault.database in ([SUPERVISED] if database == SUPERVISED else ["", database])
    ]
    fault = system.chance.choices(drawn, [one.weight for one in drawn])[0]
    before, attempts = len(system.client.accepted), _attempts(system)
    told = partial(Round, number, fault.name, database)
    try:
        bodies = [make(system.chance.randrange(10_000)) for make in (long, clients.medium, clients.quick)]
        ids = system.client.submit_all(bodies)
        wait_until(lambda: _running(system) != [] or _all_ended(system, ids), "a running job", LOST_SECONDS, pause=0.1)
        with Submitting(system.client, [clients.quick(system.chance.randrange(10_000)) for _ in range(2)]):
            fault.do(system)
            if system.chance.random() < 0.2:
                system.client.cancel(system.chance.choice(ids))
        if database != SUPERVISED:  # where it was calm as soon as every process was there again
            system.calm()
        found = system.check(LOST_SECONDS)
        jobs, again = len(system.client.accepted) - before, found.repeated_attempts - max(0, attempts)
        seconds = found.recovery_seconds
        if database == SUPERVISED:
            seconds += system.calm_since - system.fault_at
        else:
            _make_whole(system)
        return told(jobs, again, seconds, system.stages, os.getloadavg()[0])
    except AssertionError as error:
        return told(violation=str(error) or traceback.format_exc())
    except Exception:
        return told(violation=traceback.format_exc())


def _make_whole(system: System) -> None:
    """Wait until restarted programs are ready for the next fault."""
    system.until_said(system.find("worker"), " ready.")
    system.until_said(system.find("sweeper"), "sweeping")
    system.wait_for_api()


def _supervised(system: System) -> list[psutil.Process]:
    """All processes of `make run`, its supervisor first."""
    return system.find("run").children()


def _until_whole(system: System, hung: psutil.Process) -> None:
    """Wait until it has ended, no other is stopped, all are there again, and the service is ready."""
    name = " ".join(word for word in _words(hung) if not word.startswith("-"))[-60:]
    wait_until(lambda: not _lives(hung), f"a process that hangs to end: {hung} {name}", LOST_SECONDS, pause=0.1)
    ended = time.monotonic() - system.fault_at

    def whole() -> bool:
        with suppress(psutil.NoSuchProcess):
            there = [one for one in _supervised(system) if one.status() != psutil.STATUS_ZOMBIE]
            stopped = any(one.status() == psutil.STATUS_STOPPED for one in there)
            return len(there) >= SUPERVISED_PROCESSES and not stopped and is_ready(system.url)
        return False

    wait_until(whole, "every process to be there again", LOST_SECONDS, pause=0.3)
    system.calm()
    system.stages = f"{name}: ended {ended:.1f} s, whole {system.calm_since - system.fault_at:.1f} s"


def _words(process: psutil.Process) -> list[str]:
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def _hang(system: System) -> None:
    process = system.chance.choice(_supervised(system))
    system.fault_at = time.monotonic()
    with suppress(psutil.NoSuchProcess):
        process.suspend()
    _until_whole(system, process)


def _hang_sweeper_and_kill(system: System) -> None:
    """The sweeper hangs, and the searches lose their processes: nobody would queue them again."""
    processes: list[psutil.Process] = []

    def there() -> bool:  # it may be starting
        processes[:] = sorted(_supervised(system), key=lambda one: "worker.sweeper" not in _words(one))
        return "worker.sweeper" in _words(processes[0])

    wait_until(there, "the sweeper to be there", LOST_SECONDS, pause=0.1)
    sweeper = processes[0]
    system.fault_at = time.monotonic()
    sweeper.suspend()
    for process in processes:
        if process.pid in _running(system):
            with suppress(psutil.NoSuchProcess):
                process.kill()
    _until_whole(system, sweeper)


def _attempts(system: System) -> int:
    with system.sessions.read() as session:
        return session.scalar(select(func.coalesce(func.sum(Job.attempt - 1), 0)).where(Job.attempt > 0)) or 0


def _all_ended(system: System, ids: Sequence[str]) -> bool:
    with system.sessions.read() as session:
        states = session.scalars(select(Job.state).where(Job.id.in_(ids))).all()
    return all(state.final for state in states)


def _running(system: System) -> list[int]:
    """The processes that run a job."""
    with system.sessions.read() as session:
        workers = session.scalars(select(Job.worker).where(Job.state == State.RUNNING)).all()
    return [int(worker.split(":")[1]) for worker in workers if worker]


def _searching(system: System) -> psutil.Process:
    """A process that runs a job, or else an idle one."""
    living: list[psutil.Process] = []

    def there() -> bool:
        living[:] = [one for one in system.children() if _lives(one)]
        return bool(living)

    wait_until(there, "a process that searches", LOST_SECONDS, pause=0.1)
    running = _running(system)
    return system.chance.choice([one for one in living if one.pid in running] or living)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def _kill_process(system: System) -> None:
    with suppress(psutil.NoSuchProcess):
        _searching(system).kill()


def _stop_process(system: System) -> None:
    process = _searching(system)
    with suppress(psutil.NoSuchProcess):
        process.suspend()
        time.sleep(system.chance.uniform(0.5, 2) * float(system.settings["HSTAR_LEASE_SECONDS"]))
        process.resume()


def _kill_worker(system: System) -> None:
    program = system.find("worker")
    program.send(signal.SIGKILL)
    program.process.wait()
    system.start_worker(wait=False)


def _end_worker(system: System) -> None:
    system.find("worker").send(signal.SIGTERM)
    system.start_worker(wait=False)


def _kill_sweeper(system: System) -> None:
    program = system.find("sweeper")
    program.send(signal.SIGKILL)
    program.process.wait()
    _kill_process(system)
    system.start_sweeper(wait=False)


def _kill_api(system: System) -> None:
    program = system.find("api")
    program.send_all(signal.SIGKILL)
    program.process.wait()
    system.start_api(wait=False)


def _kill_api_process(system: System) -> None:
    living = [one for one in system.find("api").children() if _lives(one)]
    with suppress(psutil.NoSuchProcess):
        system.chance.choice(living).kill()


def _kill_broker(system: System, *, empty: bool) -> None:
    system.restart_valkey(empty=empty, away=system.chance.uniform(0, 1))


def _stop_broker(system: System) -> None:
    assert system.valkey.process is not None
    system.valkey.process.send_signal(signal.SIGSTOP)
    time.sleep(system.chance.uniform(0.5, 4))
    system.valkey.process.send_signal(signal.SIGCONT)


def _reset_connections(system: System) -> None:
    with closing(system.valkey.client()) as client:
        client.client_kill_filter(skipme=True)


def _lose_messages(system: System) -> None:
    until = time.monotonic() + 2
    with closing(system.valkey.client()) as client:
        while time.monotonic() < until:
            client.blpop([QUEUE], timeout=0.2)


def _send_nonsense(system: System) -> None:
    nonsense = ["", "{}", "no JSON", '{"body": "!", "headers": {}, "properties": {}}', "\0" * 100]
    with closing(system.valkey.client()) as client:
        client.lpush(QUEUE, *(system.chance.choice(nonsense) for _ in range(20)))


def _hold_lock(system: System) -> None:
    file = system.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(file, isolation_level=None, timeout=20)) as other:
        other.execute("BEGIN IMMEDIATE")
        time.sleep(system.chance.uniform(0.5, 3))
        other.execute("ROLLBACK")


def _kill_postgresql(system: System) -> None:
    assert system.postgresql is not None
    port = system.postgresql.port
    system.postgresql.kill()
    time.sleep(system.chance.uniform(0, 1))
    system.postgresql.start(port)


def _end_connections(system: System) -> None:
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hstar'"
    with system.sessions.engine.connect() as connection:
        connection.execute(text(f"{ended} AND pid <> pg_backend_pid()"))


FAULTS = (
    Fault("process-killed", "SIGKILL for a process that searches", _kill_process, 20),
    Fault("process-stopped", "SIGSTOP for half a lease to two, then SIGCONT", _stop_process, 14),
    Fault("worker-killed", "SIGKILL for the worker's main process; a new one starts", _kill_worker, 6),
    Fault("worker-ended", "SIGTERM for the worker; a new one starts beside it", _end_worker, 6),
    Fault("sweeper-killed", "SIGKILL for the sweeper and a process that searches", _kill_sweeper, 7),
    Fault("api-killed", "SIGKILL for the API; a new one starts", _kill_api, 4),
    Fault("api-process-killed", "SIGKILL for one process of the API", _kill_api_process, 8),
    Fault("redis-killed", "SIGKILL for Redis; back within a second", partial(_kill_broker, empty=False), 8),
    Fault(
        "redis-emptied",
        "SIGKILL for Redis; back within a second, without its data",
        partial(_kill_broker, empty=True),
        7,
    ),
    Fault("redis-stopped", "SIGSTOP for Redis, up to four seconds", _stop_broker, 7),
    Fault("connections-reset", "all connections to Redis are reset", _reset_connections, 8),
    Fault("messages-lost", "another client takes all messages of two seconds", _lose_messages, 8),
    Fault("messages-wrong", "20 malformed messages", _send_nonsense, 7),
    Fault("lock-held", "SQLite's write lock held by another process for up to 3 s", _hold_lock, 12, "sqlite"),
    Fault("postgresql-killed", "SIGKILL for PostgreSQL; back within a second", _kill_postgresql, 7, "postgresql"),
    Fault("part-hung", "SIGSTOP for good for any process of `make run`, or for itself", _hang, 9, SUPERVISED),
    Fault(
        "sweeper-hung",
        "SIGSTOP for good for the sweeper, SIGKILL for the processes that search",
        _hang_sweeper_and_kill,
        1,
        SUPERVISED,
    ),
    Fault("backends-ended", "all connections to PostgreSQL are ended", _end_connections, 7, "postgresql"),
)
