"""What a request pays for: the processor time of ``POST /v1/solves`` in the API, by package.

    python -m bench.shares                          # on SQLite; --postgresql; --read: GET /v1/jobs/{id}

The application answers requests in this process, and a signal says every 2 ms of processor time which package is at
work: the innermost frame that is of one. What C code takes counts for the Python that called it. The same requests to
a real API, over HTTP, show what the server takes beside the application. Nobody takes the jobs.
"""

from __future__ import annotations

import argparse
import json
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, redirect_stderr
from http.client import HTTPConnection
from pathlib import Path
from time import process_time
from types import FrameType
from typing import Any

import psutil
from werkzeug.test import create_environ

from bench.serving import database_of, request
from service.app import create_app
from store import logs
from store.database import make_engine, migrate
from store.settings import Settings
from tests.servers import Valkey
from tests.service.processes import Api

#: seconds of processor time between two looks
PACE = 0.002
ROOT = Path(__file__).parent.parent
#: where a frame is, in the order in which this is looked for, and what is said of it
PARTS = {
    "/pydantic": "pydantic",
    "/psycopg": "the database or its driver",
    "/sqlalchemy/": "SQLAlchemy",
    "/apiflask/": "Flask, Werkzeug, APIFlask",
    "/flask/": "Flask, Werkzeug, APIFlask",
    "/werkzeug/": "Flask, Werkzeug, APIFlask",
    "/redis/": "Redis",
    "/structlog/": "the log",
    "/logging/": "the log",
    "/json/": "JSON",
    "/service/jsontext.py": "JSON",
    f"{ROOT}/service/": "hstar: service",
    f"{ROOT}/store/": "hstar: store",
    f"{ROOT}/src/hstar/": "hstar: the question",
}
#: functions of SQLAlchemy that call the driver, which is C code for SQLite
DRIVER = {"do_execute", "do_executemany", "do_commit", "do_rollback"}


def part_of(frame: FrameType | None) -> str:
    """What the innermost frame belongs to that belongs to anything."""
    if frame is not None and frame.f_code.co_name in DRIVER and "/sqlalchemy/" in frame.f_code.co_filename:
        return "the database or its driver"
    while frame is not None:
        for where, part in PARTS.items():
            if where in frame.f_code.co_filename:
                return part
        frame = frame.f_back
    return "other"


def sampled(work: Callable[[], None]) -> tuple[float, Counter[str]]:
    """The seconds of processor time of ``work``, and how often each part was seen in it."""
    seen: Counter[str] = Counter()

    def look(_: int, frame: FrameType | None) -> None:
        seen[part_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, PACE, PACE)
    began = process_time()
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return process_time() - began, seen


def _environ(method: str, path: str, body: str = "") -> dict[str, Any]:
    return dict(create_environ(path, method=method, data=body, content_type="application/json"))


def application(url: str, broker_url: str, home: Path, count: int, read: bool) -> tuple[float, Counter[str]]:
    """The seconds of each request within the application, and the shares."""
    app = create_app(Settings(var=home, database_url=url, broker_url=broker_url))
    told: list[dict[str, str]] = []

    def start(status: str, headers: list[tuple[str, str]], _: Any = None) -> Any:
        told.append({"status": status, **dict(headers)})

    def ask(environ: dict[str, Any]) -> None:
        parts: Any = app.wsgi_app(environ, start)
        b"".join(parts)
        parts.close()

    def post(first: int) -> None:
        for seed in range(first, first + count):
            ask(_environ("POST", "/v1/solves", json.dumps(request(seed))))

    def get() -> None:
        for _ in range(count):
            ask(_environ("GET", told[0]["Location"]))

    post(0)  # and once before
    seconds, seen = sampled(get if read else lambda: post(count))
    assert {one["status"][:3] for one in told} <= {"200", "202"}, told[-1]
    return seconds / count, seen


def served(url: str, broker_url: str, count: int, read: bool) -> float:
    """The seconds of each request in the processes of a real API, over HTTP."""
    with Api(url, broker_url, real=True) as api, closing(HTTPConnection("127.0.0.1", api.port)) as connection:
        where = ""

        def ask(method: str, path: str, body: str | None = None) -> None:
            nonlocal where
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (200, 202), answer.status
            where = answer.headers.get("Location", where)

        def spent() -> float:
            assert api.process is not None
            first = psutil.Process(api.process.pid)
            return sum(sum(one.cpu_times()[:2]) for one in (first, *first.children(recursive=True)))

        began = 0.0
        for number in range(2 * count):
            if number == count:
                began = spent()
            if read and number >= count:
                ask("GET", where)
            else:
                ask("POST", "/v1/solves", json.dumps(request(number)))
        return (spent() - began) / count


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.shares", description="What a request pays for.")
    parser.add_argument("--postgresql", action="store_true", help="instead of SQLite")
    parser.add_argument("--read", action="store_true", help="GET /v1/jobs/{id} instead of POST /v1/solves")
    parser.add_argument("--requests", type=int, default=1500)
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        stack.enter_context(redirect_stderr(stack.enter_context(Path("/dev/null").open("w"))))
        logs.configure()
        valkey = stack.enter_context(Valkey())
        urls = [stack.enter_context(database_of("PostgreSQL" if options.postgresql else "SQLite")) for _ in range(2)]
        for url in urls:
            migrate.upgrade(make_engine(url))
        seconds, seen = application(urls[0], valkey.url, Path(valkey.home), options.requests, options.read)
        whole = served(urls[1], valkey.url, options.requests, options.read)
    total = sum(seen.values())
    print(f"| {options.requests:,} requests one after the other | CPU ms each |\n|---|---:|")
    for part, count in seen.most_common():
        print(f"| {part} | {1e3 * seconds * count / total:.2f} |")
    print(f"| the application | {1e3 * seconds:.2f} |\n| a real API, with its server | {1e3 * whole:.2f} |")


if __name__ == "__main__":
    main()
