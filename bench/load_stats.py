"""`python -m bench.load_stats 1000000 10000000`: GET /v1/stats on PostgreSQL, as the number of solves grows.

Fills a database with so many ended solves (COPY), rolls them up with the sweeper's code, starts the API under gunicorn
and queries it over HTTP. Prints a table of times in milliseconds, and the times of filling and rolling up; `--json
FILE` saves all single times. Without `--database-url` it starts its own PostgreSQL server, with default configuration
except `fsync`, and removes it at the end. A database given by `--database-url` keeps its rows, so that another run can
query it again or make it larger.

The solves are synthetic: Megaminx at k = 3 to 20 with five heuristics, expansions that grow by a factor of 2.1 with
each move and scatter over two orders of magnitude, one in eleven stopped by a limit, one in a hundred cancelled or
failed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import psycopg
import pyarrow
import pyarrow.csv
from rich.table import Table
from sqlalchemy.engine import make_url

from bench.report import show_and_save
from store.database import make_engine, make_sessions, migrate
from store.jobs.models import Job
from store.solves.models import Solve
from store.statistics.rollup import roll_up
from tests.servers import PostgreSQL
from tests.service.processes import Api

HEURISTICS = (
    "ceil(misplaced_facelets / 15)",
    "ceil(face_distance(0, 1, 7, 2) / 15)",
    "max(corner_moves // 5, edge_moves // 5)",
    "misplaced_pieces / 10",
    "0",
)
CHUNK = 100_000
# Every roll_up rewrites the rows that it touches, here all of them; so batches are fewer and larger than the sweeper's.
AT_ONCE = 50_000
TAGGED = (
    "INSERT INTO solve_tags (solve_id, key, value) SELECT id, 'course', 'ai-101' FROM solves ORDER BY id LIMIT 5000"
)
QUESTIONS = {
    "by k and heuristic": "group_by=k&group_by=heuristic",
    "by k and heuristic, all measures": "group_by=k&group_by=heuristic&measure=all",
    "by heuristic": "group_by=heuristic",
    "by length": "group_by=length",
    "one k, by heuristic": "k=12&group_by=heuristic",
    "by k and heuristic, CSV": ".csv?group_by=k&group_by=heuristic",
    "one tag (5,000 solves), by k": "tag=course:ai-101&group_by=k",
}


@dataclass(frozen=True)
class Measured:
    """Times in seconds at one size."""

    solves: int
    new: int
    filled: float
    rolled_up: float
    database_bytes: int
    rollup_rows: int
    asked: dict[str, list[float]]
    #: processor time of one answer, API and database together; other programs on the machine affect it least
    processor: dict[str, float]


def solves(count: int, seed: int) -> pyarrow.Table:
    """Synthetic rows of ``solves``, all ended."""
    rng = np.random.default_rng(seed)
    k = rng.integers(3, 21, count)
    way = rng.integers(0, len(HEURISTICS), count)
    status = rng.choice(["solved", "limit_reached", "cancelled", "failed"], count, p=[0.9, 0.09, 0.005, 0.005])
    solved, ran = status == "solved", status != "failed"
    length = np.maximum(k - 2 * rng.poisson(0.4, count), k % 2)
    expanded = np.floor(3 * (1.6 + 0.25 * way) ** k * rng.lognormal(0, 1, count)).astype(np.int64)
    expanded = np.where(status == "limit_reached", 2_000_000, np.minimum(expanded, 1_999_999))
    last = np.floor(expanded * rng.random(count)).astype(np.int64)
    generated = expanded * 12 - rng.integers(0, 12, count)
    seconds = expanded / 1.5e6 * rng.lognormal(0, 0.2, count)
    now = time.time_ns() // 1_000_000
    started = np.datetime64(now, "ms")

    def where(mask: Any, values: Any) -> pyarrow.Array:
        return pyarrow.array(values, mask=~mask)

    moment = pyarrow.array(np.full(count, started)).cast(pyarrow.timestamp("ms", tz="UTC"))
    columns: dict[str, Any] = {
        "id": list(_ids(now, seed * CHUNK, count)),
        "created_at": moment,
        "finished_at": moment,
        "kind": np.full(count, "solve"),
        "request": np.full(count, "{}"),
        "state": np.where(solved | (status == "limit_reached"), "done", status),
        "outcome": status,
        "owner": np.full(count, "local"),
        "worker": np.full(count, "host:1:0123abcd"),
        "puzzle": np.full(count, "megaminx"),
        "moves": np.full(count, "ccw"),
        "scramble_moves": np.full(count, "cw"),
        "algorithm": np.full(count, "astar"),
        "tie_breaking": np.full(count, "low_h"),
        "heuristic": np.array(HEURISTICS)[way],
        "weight": np.ones(count),
        "priority": np.zeros(count, dtype=np.int64),
        "attempt": np.ones(count, dtype=np.int64),
        "losses": np.zeros(count, dtype=np.int64),
        "cancel_requested": status == "cancelled",
        "limit_expanded": np.full(count, 2_000_000),
        "limit_memory_mib": np.full(count, 1024),
        "k": k,
        "seed": rng.integers(0, 2**48, count),
        "solution": where(solved, np.full(count, '["U\'"]')),
        "length": where(solved, length),
        "optimality": where(solved, np.full(count, "proven")),
        "lower_bound": where(ran, np.maximum(length - 2 * ~solved, 0)),
        "limit": where(status == "limit_reached", np.full(count, "expanded")),
        "error": where(status == "failed", np.full(count, "worker_lost")),
        "expanded": where(ran, expanded),
        "generated": where(ran, generated),
        "evaluated": where(ran, np.floor(generated * 0.9).astype(np.int64)),
        "reopened": where(ran, rng.integers(0, 3, count)),
        "stored": where(ran, np.floor(generated * 0.9).astype(np.int64)),
        "max_open": where(ran, np.floor(generated * 0.8).astype(np.int64)),
        "expanded_last_layer": where(solved, last),
        "expanded_before_last_layer": where(solved, expanded - last),
        "branching_generated": where(solved & (length > 0), generated / np.maximum(length, 1)),
        "branching_effective": where(solved & (length > 0), np.maximum(generated, 1) ** (1 / np.maximum(length, 1))),
        "seconds": where(ran, seconds),
        "peak_bytes": where(ran, generated * 70 + 2**16),
    }
    return pyarrow.table(columns)


def _ids(milliseconds: int, first: int, count: int) -> Iterator[str]:
    """Ascending UUIDs of version 7."""
    for number in range(first, first + count):
        yield f"{milliseconds >> 16:08x}-{milliseconds & 0xFFFF:04x}-7000-8000-{number:012x}"


def fill(url: str, first: int, count: int) -> None:
    """COPY solves number ``first`` to ``first + count - 1`` into the database."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        for begin in range(first, first + count, CHUNK):
            table = solves(min(CHUNK, first + count - begin), begin // CHUNK)
            for into in (Job.__table__, Solve.__table__):
                names = [name for name in table.column_names if name in into.columns]
                text = BytesIO()
                pyarrow.csv.write_csv(table.select(names), text, pyarrow.csv.WriteOptions(include_header=False))
                quoted = ", ".join(f'"{name}"' for name in names)
                statement = f"COPY {into.description} ({quoted}) FROM STDIN (FORMAT csv)"
                with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
                    copy.write(text.getvalue())
        if not first:
            connection.execute(TAGGED.encode())
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM (ANALYZE) solves")


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(url: str, have: int, wanted: int, repeats: int, names: Iterable[str] = QUESTIONS) -> Measured:
    """Grow the database from ``have`` to ``wanted`` solves, and send the queries with these names."""
    filled = timed(lambda: fill(url, have, wanted - have))
    sessions = make_sessions(make_engine(url))

    def roll_up_all() -> None:
        while roll_up(sessions, AT_ONCE):
            pass

    rolled_up = timed(roll_up_all)
    with sessions.read() as session:
        connection = session.connection()
        size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
        rollup_rows = connection.exec_driver_sql("SELECT count(*) FROM statistics_rollup").scalar_one()
    sessions.close()
    # Reading needs no broker.
    asked, processor = {}, {}
    with Api(url, "redis://127.0.0.1:1/0") as api, api.client() as client:
        for name in names:
            for _ in range(5):
                _ask(client, QUESTIONS[name])
            before = _processor_seconds(api, url)
            asked[name] = [_ask(client, QUESTIONS[name]) for _ in range(repeats)]
            processor[name] = (_processor_seconds(api, url) - before) / repeats
    return Measured(wanted, wanted - have, filled, rolled_up, size, rollup_rows, asked, processor)


def _processor_seconds(api: Api, url: str) -> float:
    """Processor time so far of the API's processes, and of the database's sessions with them."""
    assert api.process is not None
    processes = psutil.Process(api.process.pid).children()
    backend = f"postgres: {make_url(url).username} {make_url(url).database} "
    processes += [one for one in psutil.process_iter(["cmdline"]) if backend in " ".join(one.info["cmdline"] or ())]
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def _ask(client: httpx.Client, question: str) -> float:
    path = f"/v1/stats{question}" if question.startswith(".") else f"/v1/stats?{question}"
    began = time.perf_counter()
    answer = client.get(path)
    taken = time.perf_counter() - began
    assert answer.status_code == 200, answer.text
    return taken


def report(found: list[Measured]) -> list[Table]:
    """The figures as tables."""
    times = Table(title="GET /v1/stats over HTTP, PostgreSQL: p50 / p95 in ms (processor time of one answer)")
    times.add_column("question")
    for one in found:
        times.add_column(f"{one.solves:,} solves", justify="right")
    for name in QUESTIONS:
        cells = []
        for one in found:
            p50, p95 = np.quantile(one.asked[name], [0.5, 0.95]) * 1000
            cells.append(f"{p50:.0f} / {p95:.0f} ({one.processor[name] * 1000:.0f})")
        times.add_row(name, *cells)
    making = Table(title="making them")
    for column in ("solves", "new", "filled, s", "rolled up, s", "a second", "rollup rows", "database, GB"):
        making.add_column(column, justify="right")
    for one in found:
        rate = one.new / one.rolled_up if one.new else 0
        making.add_row(
            f"{one.solves:,}", f"{one.new:,}", f"{one.filled:.0f}", f"{one.rolled_up:.0f}", f"{rate:,.0f}",
            str(one.rollup_rows), f"{one.database_bytes / 1e9:.2f}",
        )  # fmt: skip
    return [times, making]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.load_stats", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("solves", type=int, nargs="+", help="sizes, ascending")
    parser.add_argument(
        "--database-url", help="a PostgreSQL database of these solves, or an empty one (default: one of its own)"
    )
    parser.add_argument("--repeats", type=int, default=100, help="how often each query is sent (100)")
    parser.add_argument("--json", type=Path, help="also write all single times to this file")
    options = parser.parse_args()
    with ExitStack() as stack:
        url = options.database_url
        if url is None:
            url = stack.enter_context(PostgreSQL()).create_database()
        engine = make_engine(url)
        migrate.upgrade(engine)
        with engine.connect() as connection:
            have = connection.exec_driver_sql("SELECT count(*) FROM solves").scalar_one()
        found: list[Measured] = []
        for wanted in sorted(options.solves):
            found.append(measure(url, found[-1].solves if found else have, wanted, options.repeats))
    show_and_save(found, report(found), options.json)


if __name__ == "__main__":
    main()
