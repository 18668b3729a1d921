"""`python -m chaos hosts`: PostgreSQL, Redis, the API, the sweeper and workers, each on a host of its own.

The hosts are network namespaces of this machine (`chaos.network`), and this process is one more: the client. Each has
its own address, its own HSTAR_VAR and its own pattern databases; the certificates are in one directory for all.

    with hosts(workers=2) as system:
        every_kind(system)                              # a job of each kind, and each answer computed again here
        for one in cuts(system, seconds=5): ...         # each host cut off in turn, in both ways
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
from pydantic import BaseModel
from sqlalchemy import func, select, text
from sqlalchemy.orm import joinedload

from bench.classes import ASSIGNMENT, submission
from chaos import clients, invariants
from chaos.clients import Client, Submitting
from chaos.invariants import Violation
from chaos.network import CUTS, NETWORK, Cut, Host, Network
from chaos.processes import Program
from chaos.rounds import LOST_SECONDS
from chaos.system import System
from hstar import schema
from store.grading.models import StoredSubmission
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.models import Solve
from store.solves.objects import to_object
from tests.servers import PostgreSQL, Valkey, wait_until
from worker.kinds import KINDS
from worker.kinds.kind import Work

PORT = 8000
KEY = "a-key-of-the-client"
#: seconds within which any request that arrives must be answered, whatever is cut off: the time limits of a connection
#: to the database one after the other (`store.database.make_engine`), and some for a busy machine
ANSWERED_SECONDS = 30.0
#: seconds after which PostgreSQL must have noticed that a connection has no other end
FORGOTTEN_SECONDS = 60.0
#: clients that submit and that read during a cut
SUBMITTERS, READERS = 4, 2
# Boards of Korf's hundred: number 83 with 66 million nodes, and number 60, whose search ends at its limit.
SHORT = [12, 3, 9, 1, 4, 5, 10, 2, 6, 11, 15, 0, 14, 7, 13, 8]
LONG = [11, 14, 13, 1, 2, 3, 12, 4, 15, 7, 9, 5, 10, 6, 8, 0]
TILES = {"puzzle": "15-puzzle", "algorithm": "ida_star", "heuristic": "manhattan"}


class PostgreSQLThere(PostgreSQL):
    """On a host of its own."""

    def __init__(self, host: Host) -> None:
        self._host, self.address = host, host.address
        super().__init__()
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {NETWORK} trust\n")

    def start(self, port: int | None = None) -> None:
        with self._host.inside():
            super().start(port)


class ValkeyThere(Valkey):
    """On a host of its own."""

    def __init__(self, host: Host) -> None:
        self._host, self.address = host, host.address
        super().__init__()

    def command(self) -> list[str]:
        return [*super().command(), "--bind", self.address, "--protected-mode", "no"]

    def start(self, port: int | None = None) -> None:
        with self._host.inside():
            super().start(port)


class Hosts(System):
    """A system whose programs are on hosts of their own."""

    def __init__(self, network: Network, workers: int, stack: ExitStack, seed: int, settings: dict[str, str]) -> None:
        names = ["postgresql", "redis", "api", "sweeper", *(f"worker-{number}" for number in range(1, workers + 1))]
        self.network, self.places = network, {name: network.host(name) for name in names}
        #: by host, the program on it
        self.on: dict[str, Program] = {}
        self.share = False
        postgresql = stack.enter_context(PostgreSQLThere(self.places["postgresql"]))
        named: dict[str, Any] = {
            "HSTAR_BIND": f"{self.places['api'].address}:{PORT}",
            "HSTAR_API_KEYS": f"client:{KEY}",
            "HSTAR_REQUESTS_PER_MINUTE": "0",
            **settings,
        }
        valkey = ValkeyThere(self.places["redis"])
        super().__init__(postgresql.create_database(), seed=seed, postgresql=postgresql, valkey=valkey, **named)
        (self.home / "certificates").mkdir()

    @property
    def url(self) -> str:
        return f"http://{self.places['api'].address}:{PORT}"

    def make_client(self) -> Client:
        return Client(self.url, self.chance, key=KEY, timeout=ANSWERED_SECONDS, pause=0.5)

    def _start(self, name: str, command: list[str], root: Path | None) -> Program:
        def free(one: str) -> bool:
            return one.startswith(name) and (one not in self.on or self.on[one].ended())

        place = next(filter(free, self.places))
        var = self.home / place
        var.mkdir(exist_ok=True)
        with suppress(FileExistsError):  # a volume that all hosts have
            (var / "certificates").symlink_to(self.home / "certificates")
        own = {"HSTAR_VAR": str(var)} | ({} if self.share else {"HSTAR_DATABASES": str(var / "databases")})
        with self.places[place].inside():
            program = Program(name, command, self.environment | own, self.root, self.home / f"{len(self.programs)}.log")
        self.on[place] = program
        return self.adopt(program)

    def host_of(self, worker: str | None) -> str:
        """The host of the process that a job names as its worker."""
        number = int((worker or ":0").split(":")[1])
        for place, program in self.on.items():
            if any(child.pid == number for child in program.children()):
                return place
        return ""

    def check(self, seconds: float = LOST_SECONDS) -> invariants.Findings:
        found = super().check(seconds)
        with self.sessions.read() as session:
            loaded = session.scalars(select(Solve).options(joinedload(Solve.job), joinedload(Solve.document)))
            solves = {solve.id: to_object(solve) for solve in loaded}
            jobs = session.scalars(select(Job).where(Job.parent.is_(None))).all()
        wrong = [fault for job in jobs if (fault := _compare(job, solves.get(job.id)))]
        if wrong:
            raise Violation("\n".join(wrong[:20]))
        return found


@contextmanager
def hosts(
    workers: int, settings: dict[str, str], *, started: int | None = None, share: bool = False, seed: int = 0
) -> Iterator[Hosts]:
    """A system with so many hosts for workers, of which (``started``) some have one from the beginning.

    :param share: all have the same pattern databases, as on a volume
    """
    with ExitStack() as stack:
        network = stack.enter_context(Network())
        system = stack.enter_context(Hosts(network, workers, stack, seed, settings))
        system.share = share
        system.start(workers=workers if started is None else started)
        yield system


_EXPECTED: dict[tuple[str, str], Any] = {}


def _compare(job: Job, solve: schema.Solve | None) -> str:
    """What is wrong with an answer, computed again in this process; empty: nothing."""
    if job.state is not State.DONE:
        return f"{job.kind} {job.id} is {job.state}: {job.error}"
    kind, asked = KINDS[job.kind], (job.kind, job.request)
    if asked not in _EXPECTED:
        answer = kind.run(kind.request.model_validate_json(job.request), Work()).answer
        _EXPECTED[asked] = _signature(answer)
    found = _signature(solve) if solve is not None else _without_times(json.loads(job.answer or "null"))
    if found == _EXPECTED[asked]:
        return ""
    return f"{job.kind} {job.id} has the answer {found}, but here it is {_EXPECTED[asked]}"


def _signature(answer: BaseModel | None) -> Any:
    """What does not depend on who computes it. Of a shared search these are the iterations before the last."""
    if isinstance(answer, schema.Solve):
        before = answer.counters and answer.counters.expanded_before_last_layer
        return (answer.outcome, answer.limit, answer.length, answer.lower_bound, before)
    return _without_times(json.loads(answer.model_dump_json())) if answer is not None else None


def _without_times(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: _without_times(value) for name, value in answer.items() if "seconds" not in name}
    return [_without_times(one) for one in answer] if isinstance(answer, list) else answer


# Jobs of every kind


def every_kind(system: Hosts) -> dict[str, int]:
    """Submit a job of each kind, wait, and check all; returns how many of each kind there were."""
    client = system.client
    megaminx = {"puzzle": "megaminx", "moves": "ccw"}
    client.submit(clients.quick(1))
    certified = client.submit(TILES | {"scramble": {"k": 20, "seed": 1}, "algorithm": "astar", "certificate": True})
    client.submit(TILES | {"state": {"tiles": SHORT}, "workers": 2})
    client.submit(TILES | {"scramble": {"k": 20, "seed": 2}, "algorithm": "layered"})
    client.submit(megaminx | {"pattern": "corners:2"}, path="/v1/databases")
    client.submit(megaminx | {"alg": "U F R", "solution": "R' F' U'"}, path="/v1/verifications")
    analysed = {"alg": "U U F", "heuristic": "s2-face-distance", "counts": {"expanded": 4}}
    client.submit(megaminx | analysed, path="/v1/analyses")
    client.submit(
        {"puzzle": "8-puzzle", "heuristic": "manhattan", "radius": 8, "limits": {"memory_mib": 64}},
        path="/v1/audits/heuristic",
    )
    turns = {"U": [1, 2, 3, 4, 0], "F": [0, 1, 3, 2, 4]}
    client.submit({"puzzle": "megaminx", "turns": turns}, path="/v1/audits/model")
    swept = {"puzzle": "8-puzzle", "k": [5, 10], "trials": 2, "seed": 1, "heuristics": ["manhattan"]}
    experiment = client.create("/v1/experiments", swept)
    system.adopt_experiment(experiment)
    made = client.create("/v1/assignments", ASSIGNMENT)
    client.create(f"/v1/assignments/{made}/submissions", submission(1, 2))
    with system.sessions.read() as session:
        graded = session.scalars(select(StoredSubmission.job_id)).all()
    client.accepted |= {f"graded-{job_id}": job_id for job_id in graded}
    system.calm()
    system.check()
    _check_certificate(system, certified)
    assert client.get(f"/v1/experiments/{experiment}").json()["status"] == "done"
    with system.sessions.read() as session:
        kinds = session.execute(select(Job.kind, func.count()).group_by(Job.kind)).all()
    return dict(sorted((kind, count) for kind, count in kinds))


def _check_certificate(system: Hosts, job_id: str) -> None:
    """It was written on a worker's host, is read from the API's, and accepted by the checker."""
    answer = system.client.get(f"/v1/jobs/{job_id}/certificate")
    assert answer.status_code == 200, answer.text
    file = system.home / "read.hcert"
    file.write_bytes(answer.content)
    checked = [sys.executable, str(system.root / "checker" / "check.py"), str(file)]
    done = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# Cuts


@dataclass
class CutRound:
    """One host cut off once. ``answers``: of the requests that ended during the cut, by status or by error."""

    host: str
    how: Cut
    seconds: float
    jobs: int = 0
    repeated_attempts: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    longest_answer: float = 0.0
    #: from the end of the cut until every job had ended, and until a new one had
    recovery_seconds: float = 0.0
    next_job_seconds: float = 0.0

    def tell(self, outcome: str, seconds: float) -> None:
        """Count a request."""
        self.answers[outcome] += 1
        self.longest_answer = max(self.longest_answer, seconds)


def cuts(system: Hosts, seconds: float, only: Sequence[str] = (), ways: Sequence[Cut] = CUTS) -> Iterator[CutRound]:
    """Cut each host off in turn, in each way, while jobs run; after each everything is checked."""
    for place in system.places:
        for how in ways:
            if not only or place in only:
                yield _cut(system, place, how, seconds)


def _cut(system: Hosts, place: str, how: Cut, seconds: float) -> CutRound:
    done = CutRound(place, how, seconds)
    before, attempts = len(system.client.accepted), _attempts(system)
    draw = system.chance.randrange
    bodies = [_long(draw(2)), _long(draw(2)), TILES | {"state": {"tiles": SHORT}}, clients.quick(draw(4))]
    ids = system.client.submit_all(bodies)
    wait_until(lambda: _runs(system, place, ids), f"a job to run, on {place} if it is a worker", LOST_SECONDS, 0.1)
    stop = threading.Event()
    system.client.tell = done.tell
    more = [clients.quick(draw(4)) for _ in range(2 * SUBMITTERS)]
    readers = [threading.Thread(target=_read, args=(system.client, ids, stop, done)) for _ in range(READERS)]
    with Submitting(system.client, more, threads=SUBMITTERS):
        with system.network.cut(system.places[place], how):
            for reader in readers:
                reader.start()
            time.sleep(seconds)
        stop.set()
        system.calm()
    system.client.tell = lambda _outcome, _seconds: None
    for reader in readers:
        reader.join()
    system.sessions.engine.dispose()  # of this process, which would notice only now that they are dead
    found = system.check()
    began = time.monotonic()
    last = system.client.submit(clients.quick(0))
    wait_until(lambda: _has_ended(system.client, last), "a new job to end", LOST_SECONDS, 0.05)
    done.next_job_seconds = time.monotonic() - began
    done.jobs, done.recovery_seconds = len(system.client.accepted) - before, found.recovery_seconds
    done.repeated_attempts = _attempts(system) - attempts
    wait_until(lambda: not _dead(system), f"PostgreSQL to end connections of {place}", FORGOTTEN_SECONDS, 0.5)
    ended = [one for one, program in system.on.items() if program.ended()]
    assert not ended, f"the programs on {ended} have ended"
    if place != "api":
        wrong = [answer for answer in done.answers if answer not in ("200", "202", "429", "503")]
        assert not wrong, f"{place}, {how}: requests were answered by {done.answers}"
    return done


def _long(seed: int) -> dict[str, Any]:
    """A search of a second or two, until its limit."""
    return TILES | {"state": {"tiles": LONG}, "limits": {"expanded": 150_000_000 + seed}}


def _runs(system: Hosts, place: str, ids: Sequence[str]) -> bool:
    with system.sessions.read() as session:
        running = session.scalars(select(Job.worker).where(Job.state == State.RUNNING)).all()
        left = session.scalar(select(func.count()).where(Job.id.in_(ids), Job.finished_at.is_(None)))
    assert left, f"all jobs have ended, and none ran on {place}"
    return any(not place.startswith("worker") or system.host_of(worker) == place for worker in running)


def _read(client: Client, ids: Sequence[str], stop: threading.Event, done: CutRound) -> None:
    """Ask for jobs and for the state of the service, as pages and load balancers do."""
    while not stop.is_set():
        for path in (*(f"/v1/jobs/{job_id}" for job_id in ids), "/v1/jobs?limit=5", "/health/ready"):
            began = time.monotonic()
            with suppress(httpx.TransportError):
                outcome = str(client.get(path, headers={"Prefer": "wait=2"}).status_code)
                done.tell(outcome, time.monotonic() - began)
                continue
            done.tell("no answer", time.monotonic() - began)
        stop.wait(0.5)


def _has_ended(client: Client, job_id: str) -> bool:
    return bool(client.get(f"/v1/jobs/{job_id}").json().get("outcome") == "solved")


def _dead(system: Hosts) -> list[str]:
    """The connections that PostgreSQL keeps although nobody has their other end."""
    asked = "SELECT host(client_addr), client_port FROM pg_stat_activity WHERE backend_type = 'client backend'"
    with system.sessions.engine.connect() as connection:
        kept = {(address, port) for address, port in connection.execute(text(asked))}
        living = set()
        for host in (system.network.here, *system.places.values()):
            with host.inside():
                living |= {tuple(one.laddr) for one in psutil.net_connections("tcp4")}
    return [f"{address}:{port}" for address, port in kept - living]


def _attempts(system: Hosts) -> int:
    with system.sessions.read() as session:
        return session.scalar(select(func.sum(Job.attempt - 1)).where(Job.attempt > 0, Job.parent.is_(None))) or 0


def table_of(rounds: Sequence[CutRound]) -> str:
    """A row for each cut, in Markdown."""
    lines = [
        "| host | cut | jobs | repeated attempts | requests meanwhile | longest | all ended after | a new job took |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in rounds:
        told = ", ".join(f"{count} × {answer}" for answer, count in sorted(one.answers.items()))
        cells = [one.host, f"{one.how}, {one.seconds:g} s", str(one.jobs), str(one.repeated_attempts), told]
        cells += [f"{value:.1f} s" for value in (one.longest_answer, one.recovery_seconds, one.next_job_seconds)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
