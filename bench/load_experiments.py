"""`python -m bench.load_experiments`: ten thousand small solves as one experiment, on two worker processes.

Starts everything as `make run` does, on SQLite and on its own PostgreSQL server, submits the experiment, polls it to
its end, and fetches its answers. Prints the time of each step and the resident memory of all API processes together,
and checks that each row was searched exactly once. `--json FILE` saves all figures.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
import psutil
from rich.table import Table
from sqlalchemy import func, select

from bench.report import show_and_save
from bench.serving import Service
from store.database import make_engine, make_sessions
from store.experiments.models import ExperimentMember
from store.jobs.models import Job
from tests.servers import PostgreSQL, Valkey

ANSWERS = ("table", "rows.csv", "rows.json", "rows.parquet", "plot.svg", "comparison")
POLL_SECONDS = 0.25


@dataclass
class Measured:
    """Times in seconds, sizes in bytes."""

    database: str
    rows: int
    submitted: float = 0.0
    worked_off: float = 0.0
    polls: list[float] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=dict)
    answers: dict[str, float] = field(default_factory=dict)


def request(rows: int) -> dict[str, Any]:
    """An experiment of so many solves of the 8-puzzle, most of which take less than a millisecond."""
    return {
        "puzzle": "8-puzzle", "k": {"from": 1, "to": 20}, "trials": rows // 20, "seed": 1, "heuristics": ["manhattan"],
    }  # fmt: skip


def measure(service: Service, database: str, rows: int) -> Measured:
    """One experiment from its submission to its last answer."""
    found = Measured(database, rows)
    with httpx.Client(base_url=service.url, timeout=120) as client:
        client.get("/v1/limits").raise_for_status()
        found.memory["at first"] = api_memory(service)
        began = time.perf_counter()
        answer = client.post("/v1/experiments", json=request(rows))
        found.submitted = time.perf_counter() - began
        assert answer.status_code == 202, answer.text
        found.memory["submitted"] = largest = api_memory(service)
        path = answer.headers["Location"]
        while True:
            asked = time.perf_counter()
            stands = client.get(path).json()
            found.polls.append(time.perf_counter() - asked)
            largest = max(largest, api_memory(service))
            if stands["status"] == "done":
                break
            time.sleep(POLL_SECONDS)
        found.worked_off = time.perf_counter() - began
        found.memory["while polled"] = largest
        assert stands["outcomes"]["solved"] == stands["rows"] == rows, stands["outcomes"]
        # At the first request each process loads Matplotlib and pyarrow, and keeps them.
        for times in ("once", "twice", "thrice"):
            for name in ANSWERS:
                asked = time.perf_counter()
                client.get(f"{path}/{name}").raise_for_status()
                found.answers[name] = time.perf_counter() - asked
            found.memory[f"after its answers, {times}"] = api_memory(service)
    check(service.database_url, rows)
    return found


def api_memory(service: Service) -> int:
    """Resident bytes of all gunicorn processes."""
    assert service.process is not None
    return sum(
        process.memory_info().rss
        for process in psutil.Process(service.process.pid).children(recursive=True)
        if any("gunicorn" in word for word in process.cmdline())
    )


def check(database_url: str, rows: int) -> None:
    """Check that every row exists once and was run once."""
    sessions = make_sessions(make_engine(database_url))
    with sessions.read() as session:
        counts = session.execute(select(func.count(), func.sum(Job.attempt), func.sum(Job.losses))).one()
        assert tuple(counts) == (rows, rows, 0), counts
        members = select(func.count(ExperimentMember.solve_id.distinct()), func.max(ExperimentMember.row_index) + 1)
        assert tuple(session.execute(members).one()) == (rows, rows)
    sessions.close()


def report(found: list[Measured]) -> Table:
    """The figures as a table."""
    table = Table(title=f"one experiment of {found[0].rows:,} solves, two worker processes")
    table.add_column("")
    for one in found:
        table.add_column(one.database, justify="right")

    def line(name: str, values: list[str]) -> None:
        table.add_row(name, *values)

    line("submitted within, s", [f"{one.submitted:.2f}" for one in found])
    line("completed, s", [f"{one.worked_off:.1f}" for one in found])
    line("solves a second", [f"{one.rows / one.worked_off:,.0f}" for one in found])
    line(
        "poll, p50 / p95, ms",
        [f"{p[9] * 1e3:.0f} / {p[18] * 1e3:.0f}" for p in (quantiles(m.polls, n=20) for m in found)],
    )
    for name in found[0].memory:
        line(f"API memory {name}, MB", [f"{one.memory[name] / 1e6:.0f}" for one in found])
    for name in found[0].answers:
        line(f"{name}, s", [f"{one.answers[name]:.2f}" for one in found])
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.load_experiments", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--rows", type=int, default=10_000, help="solves of the experiment, a multiple of 20 (10,000)")
    parser.add_argument("--json", type=Path, help="also write every figure to this file")
    options = parser.parse_args()
    found = []
    for database in ("SQLite", "PostgreSQL"):
        with ExitStack() as stack:
            valkey = stack.enter_context(Valkey())
            url = stack.enter_context(PostgreSQL()).create_database() if database == "PostgreSQL" else None
            service = stack.enter_context(Service(valkey.url, url))
            found.append(measure(service, database, options.rows))
    show_and_save(found, [report(found)], options.json)


if __name__ == "__main__":
    main()
