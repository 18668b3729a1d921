"""The rows of the service: the time of one job over HTTP, and the number of jobs a second.

Everything runs as `make run` starts it: gunicorn, a worker with two processes, the sweeper; Valkey with its append-only
file. The database is SQLite, or a PostgreSQL server of the bench.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from http.client import HTTPConnection
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import httpx

from bench import load_stats
from bench.rows import Curve, Figure, Measured, Scale, row
from hstar.schema import Progress, Solve, SolveRequest
from hstar.search import answer, prepare, question, solve
from store.database import Transaction, make_engine, make_sessions, migrate
from store.jobs import machine
from store.jobs.queries import count_queued, count_running
from store.solves import answers, queries, submission
from store.solves.status import Status
from tests.servers import PostgreSQL, Server, Valkey, wait_until
from tests.service.processes import BIN, ROOT, environment

T = TypeVar("T")

PROCESSES = 2
CLIENTS = 4
DATABASES = ("SQLite", "PostgreSQL")


class Service(Server):
    """`make run` on a free port with a given broker; ``settings``: more settings, by name."""

    def __init__(self, broker_url: str, database_url: str | None = None, **settings: object) -> None:
        super().__init__()
        self.broker_url = broker_url
        self.settings = settings
        self.database_url = database_url or f"sqlite:///{self.home / 'hstar.sqlite'}"

    @property
    def url(self) -> str:
        """The API's URL."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "running"]

    def options(self) -> dict[str, Any]:
        settings = {"broker_url": self.broker_url, "database_url": self.database_url, "workers": PROCESSES}
        settings |= self.settings
        return {"cwd": ROOT, "env": environment(var=self.home, bind=f"127.0.0.1:{self.port}", **settings)}

    def answers(self) -> bool:
        said = self.log.read_text(errors="replace")
        return "hstar is ready" in said and " ready." in said


class Noops(Server):
    """A Celery worker for tasks that do nothing."""

    def __init__(self, broker_url: str) -> None:
        super().__init__()
        self.broker_url = broker_url

    def command(self) -> list[str]:
        worker = [str(BIN / "celery"), "--app", "bench.noop", "worker", "--pool", "prefork"]
        return [*worker, "--concurrency", str(PROCESSES), "--loglevel", "info"]

    def options(self) -> dict[str, Any]:
        return {"cwd": ROOT, "env": environment(broker_url=self.broker_url)}

    def answers(self) -> bool:
        return " ready." in self.log.read_text(errors="replace")


@contextmanager
def database_of(kind: str) -> Iterator[str]:
    """The URL of an empty database."""
    if kind == "SQLite":
        with TemporaryDirectory(prefix="hstar-bench-") as home:
            yield f"sqlite:///{home}/hstar.sqlite"
    else:
        with PostgreSQL() as postgresql:
            yield postgresql.create_database()


@contextmanager
def serving(database: str) -> Iterator[Service]:
    """The whole service on a database of this kind, warmed up: both processes have solved something."""
    with Valkey() as valkey, database_of(database) as url, Service(valkey.url, url) as service:
        _warm(service)
        yield service


def _warm(service: Service) -> None:
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for seed in range(20):
            _solved(client, seed)


def request(seed: int) -> dict[str, Any]:
    """A search that takes a fraction of a millisecond: a Megaminx, three turns from solved."""
    return {"puzzle": "megaminx", "scramble": {"k": 3, "seed": seed, "moves": "cw"}, "moves": "ccw"}


def _solved(client: httpx.Client, seed: int) -> float:
    """Seconds from the submission to the result."""
    began = time.perf_counter()
    answer = client.post("/v1/solves", json=request(seed), headers={"Prefer": "wait=30"})
    took = time.perf_counter() - began
    if answer.status_code != 200 or answer.json()["length"] != 3:
        raise ValueError(f"no result of three moves: {answer.status_code} {answer.text[:300]}")
    return took


@row("latency", "one k = 3 scramble over HTTP, from submitting to the result (Prefer: wait)")
def latency(scale: Scale) -> Measured:
    """One request after the other, as a single user sends them."""
    figures = []
    count = scale.pick(200, 3)
    for database in DATABASES[: scale.pick(2, 1)]:
        with serving(database) as service, httpx.Client(base_url=service.url, timeout=60) as client:
            rounds = [[1e3 * _solved(client, seed) for seed in range(count)] for _ in range(scale.repeats)]
        for name, percent, aim in (("p50", 50, 15), ("p95", 95, 40)):
            samples = tuple(_percentile(times, percent) for times in rounds)
            # The aim is for the default database of `make run`; the other one is for comparison.
            own = aim if database == DATABASES[0] else None
            figures.append(Figure(f"{name}, {database}", "ms", samples, aim=own, sample=f"run of {count}"))
    return Measured(tuple(figures), counts={"solved with three moves": count * scale.repeats * len(figures) // 2})


@row("throughput", "k = 3 scrambles through the service, two processes that search")
def throughput(scale: Scale) -> Measured:
    """From the first request to the end of the last job, compared with tasks that do nothing, on the same broker."""
    figures = []
    jobs, tasks = scale.pick(1_000, 10), scale.pick(3_000, 100)
    with Valkey() as valkey, Noops(valkey.url):
        _noops(valkey, 100)
        noops = {"Celery tasks that do nothing": tuple(tasks / _noops(valkey, tasks) for _ in range(scale.repeats))}
    for database in DATABASES[: scale.pick(2, 1)]:
        with serving(database) as service:
            for name, work in (("one experiment", _asked), ("one request for each job", _posted)):
                samples = tuple(jobs / work(service, jobs) for _ in range(scale.repeats))
                title = f"{name}, {database}"
                ours = Figure(
                    title, "jobs/s", samples, "higher", sample=f"run of {jobs}", baselines=noops, ratio_aim=0.6
                )
                figures.append(ours)
    return Measured(tuple(figures), counts={"jobs": jobs, "tasks": tasks})


#: two searches of the same work, one that holds little memory and one that fills most of two GiB, and their expansions
SHARED: dict[str, tuple[dict[str, Any], int]] = {
    "IDA*": ({"algorithm": "ida_star"}, 400_000_000),
    "A*": ({"algorithm": "astar"}, 15_000_000),
}
OWNERS = "ann:key-of-ann-in-the-bench,bob:key-of-bob-in-the-bench"


@row("turns", "long searches of two owners in turns of 3 s in one slot, and the same one after the other")
def turns(scale: Scale) -> Measured:
    """The share of the slot's time that turns cost. Each search has the same work, so the two together need twice the
    time of one. The time of one is the mean of a run before and a run after, because the machine is shared. Each run
    has new processes, because memory that a search has used before is faster."""
    samples: dict[str, list[float]] = {name: [] for name in SHARED}
    for name, (asked, expanded) in SHARED.items():
        body = asked | {"puzzle": "tiles:5x5", "heuristic": "manhattan", "scramble": {"k": 10_000, "seed": 1}}
        body |= {"limits": {"expanded": scale.pick(expanded, 1_000), "memory_mib": 2_000}}
        for _ in range(scale.repeats):
            before, shared, after = (_together(body, owners) for owners in ((0,), (0, 1), (1,)))
            samples[name].append(100 * (1 - (before + after) / shared))
    figures = (Figure(f"lost, {name}", "%", tuple(some), aim=5) for name, some in samples.items())
    return Measured(tuple(figures), counts={"searches": 4 * scale.repeats * len(SHARED)})


def _together(body: dict[str, Any], owners: Sequence[int]) -> float:
    """The seconds from the first start to the last end of a search for each of these owners, in a new service."""
    keys = [OWNERS.split(",")[owner].partition(":")[2] for owner in owners]
    settings = {"workers": 1, "quick_slots": 1, "paused_slots": 2, "api_keys": OWNERS}
    with ExitStack() as stack:
        valkey, url = stack.enter_context(Valkey()), stack.enter_context(database_of(DATABASES[0]))
        service = stack.enter_context(Service(valkey.url, url, **settings))
        clients = [
            stack.enter_context(
                httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
            )
            for key in keys
        ]
        ids = [client.post("/v1/solves", json=body).raise_for_status().json()["id"] for client in clients]
        ended = []
        for client, one in zip(clients, ids, strict=True):
            solve: dict[str, Any] = {"status": "queued"}
            while solve["status"] in ("queued", "running"):
                solve = client.get(f"/v1/jobs/{one}", headers={"Prefer": "wait=30"}).raise_for_status().json()
            if solve["limit"] != "expanded":
                raise ValueError(f"a search did not end at its limit: {solve['status']}, {solve['limit']}")
            ended.append(solve)
    times = [[datetime.fromisoformat(solve[key]) for solve in ended] for key in ("started_at", "finished_at")]
    return (max(times[1]) - min(times[0])).total_seconds()


@row("transitions", "a job's transactions in the database, one process")
def transitions(scale: Scale) -> Measured:
    """The time of each step of a job in its worker or the API. A finish claims the next job in the same transaction."""
    count = scale.pick(300, 3)
    figures = []
    for database in DATABASES[: scale.pick(2, 1)]:
        with database_of(database) as url:
            migrate.upgrade(make_engine(url))
            steps: dict[str, list[float]] = {}
            for _ in range(scale.repeats):
                for step, seconds in _steps(url, count).items():
                    steps.setdefault(step, []).append(1e3 * seconds / count)
        figures += [
            Figure(f"{step}, {database}", "ms", tuple(times), sample=f"run of {count}") for step, times in steps.items()
        ]
    return Measured(tuple(figures), counts={"jobs": count})


def _steps(url: str, count: int) -> dict[str, float]:
    """The seconds of each step for so many jobs."""
    sessions = make_sessions(make_engine(url, pool_size=1, check_connections=False))
    asked = SolveRequest.model_validate(request(1))
    problem = prepare(asked)
    asks, ended = question(problem), answer(problem, solve(problem))
    lease = timedelta(seconds=15)
    progress = Progress(expanded=1, generated=12, stored=12, bytes=4096).model_dump_json()
    took = dict.fromkeys(("submit", "heartbeat", "finish"), 0.0)

    def step(name: str, work: Callable[[Any], T]) -> T:
        began = time.perf_counter()
        run: Any = sessions.run if name == "submit" else sessions.transact  # as the API and the worker do
        result: T = run(work)
        took[name] += time.perf_counter() - began
        return result

    for _ in range(count):
        new = submission.NewSolve(asked, asks)
        step("submit", lambda session, new=new: submission.submit(session, new))  # type: ignore[misc]
    claim = sessions.run(lambda session: machine.claim_next(session, "bench", lease))
    while claim is not None:
        held = claim
        step("heartbeat", lambda session, held=held: machine.heartbeat(session, held, lease, progress))  # type: ignore[misc]
        claim = step("finish", lambda session, held=held: _finish(session, held, ended, lease))  # type: ignore[misc]
    sessions.close()
    return took


def _finish(session: Transaction, claim: machine.Claim, ended: Solve, lease: timedelta) -> machine.Claim | None:
    # As the worker does if the answer has no new verdict on the heuristic.
    if not answers.finish(session, claim, ended, heuristic=False):
        raise ValueError("a job was lost before its end")
    return machine.claim_next(session, "bench", lease)


@row("stats", "GET /v1/stats grouped by k and heuristic, PostgreSQL")
def stats(scale: Scale) -> Measured:
    """As the number of solves grows. `python -m bench.load_stats` sends more queries, for more solves."""
    asked = "by k and heuristic"
    asks, points, found = scale.pick(20, 2), [], None
    with PostgreSQL() as postgresql:
        url = postgresql.create_database()
        migrate.upgrade(make_engine(url))
        for solves in scale.pick((100_000, 300_000, 1_000_000), (100, 200)):
            found = load_stats.measure(url, found.solves if found else 0, solves, asks * scale.repeats, [asked])
            points.append((float(solves), _percentile(found.asked[asked], 95)))
    times = [1e3 * seconds for seconds in found.asked[asked]] if found else []
    rounds = [times[i : i + asks] for i in range(0, len(times), asks)]
    samples = tuple(_percentile(some, 95) for some in rounds)
    figure = Figure(f"p95 at {points[-1][0]:,.0f} solves", "ms", samples, aim=150, sample=f"run of {asks}")
    curve = Curve("GET /v1/stats by k and heuristic", "solves stored", "p95, seconds", "hstar", tuple(points))
    return Measured((figure,), (curve,), {"solves": int(points[-1][0])})


def _percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _noops(valkey: Valkey, count: int) -> float:
    """The seconds for so many tasks that do nothing, from the first message to the start of the last task."""
    from bench.noop import app, task

    app.conf.broker_url = valkey.url
    with app.connection_for_write() as connection, valkey.client() as client:
        app.control.cancel_consumer("noop", connection=connection, reply=True)
        with app.amqp.Producer(connection) as producer:
            for _ in range(count):
                task.apply_async(producer=producer)
        began = time.perf_counter()
        app.control.add_consumer("noop", connection=connection)
        wait_until(lambda: not client.llen("noop") and not client.hlen("unacked"), "the tasks", 120, pause=0.005)
        return time.perf_counter() - began


def _posted(service: Service, count: int) -> float:
    """The seconds from the first of so many requests to the end of the last job."""

    def post(number: int) -> None:
        # Not httpx, because the client uses the same cores.
        with contextlib.closing(HTTPConnection("127.0.0.1", service.port)) as connection:
            for seed in range(number, count, CLIENTS):
                body = json.dumps(request(seed))
                connection.request("POST", "/v1/solves", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                if answer.status not in (200, 202):
                    raise ValueError(f"the job was refused: {answer.status}")

    with _ending(service, count), ThreadPoolExecutor(CLIENTS) as pool:
        began = time.perf_counter()
        list(pool.map(post, range(CLIENTS)))
    return time.perf_counter() - began


def _asked(service: Service, count: int) -> float:
    """The seconds from one request for an experiment of so many jobs to the end of the last."""
    experiment = {"puzzle": "megaminx", "scramble_moves": "cw", "moves": "ccw", "k": [3], "trials": count}
    with _ending(service, count), httpx.Client(base_url=service.url, timeout=60) as client:
        began = time.perf_counter()
        # A new seed each time, because an existing experiment is not run again.
        answer = client.post("/v1/experiments", json=experiment | {"seed": time.time_ns() % 2**40})
        if answer.status_code != 202:
            raise ValueError(f"the experiment was refused: {answer.status_code} {answer.text[:300]}")
    return time.perf_counter() - began


@contextmanager
def _ending(service: Service, count: int) -> Iterator[None]:
    """At the end of the block, wait until so many jobs that it requested have ended."""
    sessions = make_sessions(make_engine(service.database_url))

    def solved() -> int:
        with sessions.read() as session:
            return queries.count_by_status(session)[Status.SOLVED]

    def ended() -> bool:
        # Counted in the partial indices, which hardly slows the jobs.
        with sessions.read() as session:
            return count_queued(session, 1) == 0 and count_running(session) == 0

    with contextlib.closing(sessions):
        before = solved()
        yield
        wait_until(ended, "the jobs", 120, pause=0.02)
        if solved() != before + count:
            raise ValueError(f"{solved() - before} of {count} jobs were solved")
