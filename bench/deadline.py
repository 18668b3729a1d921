"""`python -m bench.deadline`: a class hands in around a deadline, each student with a key of their own.

Starts everything as `make run` does, with two worker processes. Each student sends one file and one small search at
times that are fixed before, half of them in the last quarter of the window, whether or not earlier ones have been
answered. Meanwhile somebody outside the class solves one scramble a second. Prints how long requests took from their
time, how long jobs waited in the queue and until their end (by the database's clock), and jobs a second; checks that
every submission was graded once. `--json FILE` saves all figures.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from rich.table import Table
from sqlalchemy import select, text

from bench.classes import ASSIGNMENT, submission
from bench.report import show_and_save
from bench.serving import DATABASES, PROCESSES, Service, database_of, request
from store.database import make_engine, make_sessions, migrate
from store.jobs.models import Job
from store.owners import keys
from store.owners.keys import NewKey
from store.owners.roles import Role
from tests.servers import Valkey, wait_until

CLIENTS = 48
WAIT_SECONDS = 1800.0


@dataclass
class Run:
    """Times in seconds; `busy`: from the first submission to the end of the last job."""

    database: str
    students: int
    window: float
    requests: dict[str, list[float]] = field(default_factory=dict)
    queued: dict[str, list[float]] = field(default_factory=dict)
    ended: dict[str, list[float]] = field(default_factory=dict)
    busy: float = 0.0
    most_waiting: int = 0
    #: with PostgreSQL, at the end
    connections: int = 0
    processor: dict[str, float] = field(default_factory=dict)


def arrivals(count: int, window: float, seed: int) -> list[float]:
    """Times of so many events: half of them, evenly, in the last quarter of the window."""
    draw = random.Random(seed)
    first = count // 2
    times = [draw.uniform(0, 0.75 * window) for _ in range(first)]
    return sorted(times + [draw.uniform(0.75 * window, window) for _ in range(count - first)])


def make_keys(database_url: str, students: int) -> dict[str, str]:
    """A key for each student of a course, one for its instructor, and one for somebody else; by their owners."""
    sessions = make_sessions(make_engine(database_url))
    wanted = [NewKey(f"s{number:04}", Role.STUDENT, "cs1") for number in range(students)]
    wanted += [NewKey("prof", Role.INSTRUCTOR, "cs1"), NewKey("else", Role.STUDENT, "cs2")]
    made = sessions.run(lambda session: {one.owner: keys.create(session, one, "bench")[1] for one in wanted})
    sessions.close()
    return made


def measure(database: str, students: int, window: float) -> Run:
    """One deadline from the first submission to the last grade."""
    found = Run(database, students, window)
    with ExitStack() as stack:
        valkey, url = stack.enter_context(Valkey()), stack.enter_context(database_of(database))
        migrate.upgrade(make_engine(url))
        headers = {owner: {"Authorization": f"Bearer {key}"} for owner, key in make_keys(url, students).items()}
        service = stack.enter_context(Service(valkey.url, url, workers=PROCESSES))
        client = stack.enter_context(
            httpx.Client(base_url=service.url, timeout=120, limits=httpx.Limits(max_connections=CLIENTS + 2))
        )
        made = client.post("/v1/assignments", json=ASSIGNMENT, headers=headers["prof"])
        where = made.raise_for_status().headers["Location"]
        before = processor_seconds(service)
        _hand_in(client, where, headers, found)
        sessions = make_sessions(make_engine(url))
        with sessions.read() as session:
            if database == "PostgreSQL":
                open_now = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                found.connections = session.execute(text(open_now)).scalar_one()
            rows = session.execute(select(Job.kind, Job.created_at, Job.started_at, Job.finished_at, Job.state)).all()
        sessions.close()
        found.processor = {name: spent - before.get(name, 0) for name, spent in processor_seconds(service).items()}
    gradings = [row for row in rows if row.kind == "grading"]
    assert len(gradings) == students, f"{len(gradings)} gradings of {students} submissions"
    assert {row.state for row in rows} == {"done"}, {row.state for row in rows}
    for kind in ("grading", "solve"):
        mine = [row for row in rows if row.kind == kind]
        found.queued[kind] = [(row.started_at - row.created_at).total_seconds() for row in mine]
        found.ended[kind] = [(row.finished_at - row.created_at).total_seconds() for row in mine]
    found.busy = (max(row.finished_at for row in rows) - min(row.created_at for row in rows)).total_seconds()
    changes = sorted([(row.created_at, 1) for row in rows] + [(row.started_at, -1) for row in rows])
    found.most_waiting = int(np.cumsum([change for _, change in changes]).max())
    return found


def _hand_in(client: httpx.Client, where: str, headers: Mapping[str, Mapping[str, str]], found: Run) -> None:
    """Send everything at its time, and wait until all jobs have ended."""
    events: list[tuple[float, str, str, dict[str, Any], str, str]] = []
    names = [f"s{number:04}" for number in range(found.students)]
    random.Random(1).shuffle(names)
    for at, name in zip(arrivals(found.students, found.window, 2), names, strict=True):
        body = submission(int(name[1:]), 2) | {"student": name}
        events.append((at, "submission", f"{where}/submissions", body, name, ""))
    for at, name in zip(arrivals(found.students, found.window, 3), names, strict=True):
        events.append((at, "a student's search", "/v1/solves", request(int(name[1:])), name, ""))
    events += [
        (second, "somebody else's search, answered", "/v1/solves", request(second), "else", "wait=60")
        for second in range(int(found.window))
    ]
    began = time.perf_counter()

    def send(event: tuple[float, str, str, dict[str, Any], str, str]) -> tuple[str, float]:
        at, kind, path, body, owner, prefer = event
        time.sleep(max(0.0, began + at - time.perf_counter()))
        answer = client.post(path, json=body, headers={**headers[owner], **({"Prefer": prefer} if prefer else {})})
        assert answer.status_code in (200, 202), f"{answer.status_code} {answer.text[:300]}"
        return kind, time.perf_counter() - began - at

    with ThreadPoolExecutor(CLIENTS) as pool:
        for kind, took in pool.map(send, sorted(events, key=lambda event: event[0])):
            found.requests.setdefault(kind, []).append(took)

    def none_left() -> bool:
        asked: dict[str, Any] = {"status": ["queued", "running"], "limit": 1, "fields": "id"}
        return not client.get("/v1/jobs", params=asked, headers=headers["prof"]).raise_for_status().json()["items"]

    # An instructor sees the jobs of the course; those of somebody else were waited for.
    wait_until(none_left, "the class to be graded", WAIT_SECONDS, pause=0.25)


def processor_seconds(service: Service) -> dict[str, float]:
    """Processor time so far, by program."""
    assert service.process is not None
    spent: dict[str, float] = {}
    for process in psutil.Process(service.process.pid).children(recursive=True):
        words = " ".join(process.cmdline())
        name = next((name for name in ("gunicorn", "celery", "sweeper") if name in words), "other")
        times = process.cpu_times()
        spent[name] = spent.get(name, 0.0) + times.user + times.system
    return spent


def report(found: Sequence[Run]) -> Table:
    """The figures as a table."""
    one = found[0]
    table = Table(
        title=f"{one.students:,} students in {one.window:g} s, {PROCESSES} worker processes: p50 / p95 / max, s"
    )
    for column in ("", *(run.database for run in found)):
        table.add_column(column, justify="left" if not column else "right")

    def line(name: str, values: Sequence[Sequence[float]]) -> None:
        cells = (" / ".join(f"{x:.3g}" for x in (*np.quantile(some, [0.5, 0.95]), max(some))) for some in values)
        table.add_row(name, *cells)

    for kind in one.requests:
        line(f"request: {kind}", [run.requests[kind] for run in found])
    for kind in one.queued:
        line(f"{kind} in the queue", [run.queued[kind] for run in found])
        line(f"{kind} until its end", [run.ended[kind] for run in found])
    table.add_row("most jobs in the queue", *(f"{run.most_waiting:,}" for run in found))
    jobs = [sum(map(len, run.ended.values())) for run in found]
    table.add_row("jobs a second", *(f"{count / run.busy:.1f}" for count, run in zip(jobs, found, strict=True)))
    table.add_row("connections to PostgreSQL at the end", *(str(run.connections or "") for run in found))
    for name in ("gunicorn", "celery"):
        each = (1e3 * run.processor[name] / count for count, run in zip(jobs, found, strict=True))
        table.add_row(f"processor time of {name} for a job, ms", *(f"{ms:.1f}" for ms in each))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.deadline", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--students", type=int, default=1_000, help="with one submission and one search each (1,000)")
    parser.add_argument("--seconds", type=float, default=120, help="from the first to the deadline (120)")
    parser.add_argument("--json", type=Path, help="also write every figure to this file")
    options = parser.parse_args()
    found = [measure(database, options.students, options.seconds) for database in DATABASES]
    show_and_save(found, [report(found)], options.json)


if __name__ == "__main__":
    main()
