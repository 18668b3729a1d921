"""Faults of the API: it is killed during submissions; clients are slow, or many, or send huge requests."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx

from chaos.clients import Submitting, quick
from chaos.experiments.table import Experiment, mixed, times
from chaos.invariants import Violation
from chaos.system import System

PROBE_SECONDS = 5.0


def api_killed(system: System, scale: float) -> int:
    """The API is killed during submissions; a job whose answer was lost must be found by its key."""
    system.start()
    faults = times(8, scale)
    with Submitting(system.client, mixed(system, 60 * faults, 0.05), threads=8):
        for _ in range(faults):
            time.sleep(system.chance.uniform(0.2, 1.0))
            program = system.find("api")
            program.send_all(signal.SIGKILL)
            program.process.wait()
            system.start_api()
    return faults


def slow_connections(system: System, scale: float) -> int:
    """500 connections send half a request and stop; probes and submissions must still be answered."""
    system.start()
    count = times(500, scale)
    with ExitStack() as stack:
        for number in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", system.port), timeout=10))
            half = b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\n"
            connection.sendall(half if number % 2 else half + b"Content-Length: 500\r\n\r\n{")
        slowest = 0.0
        for number in range(20):
            began = time.monotonic()
            assert httpx.get(f"{system.url}/health/live", timeout=20).status_code == 200
            slowest = max(slowest, time.monotonic() - began)
            system.client.submit(quick(number))
    if slowest > PROBE_SECONDS:
        raise Violation(f"/health/live took {slowest:.1f} s beside slow connections")
    return count


def pollers(system: System, scale: float) -> int:
    """1,000 clients poll at once until their jobs have ended."""
    system.start()
    count = times(1000, scale)
    ids = system.client.submit_all(mixed(system, max(10, count // 10)), threads=8)
    errors: list[str] = []

    async def poll(client: httpx.AsyncClient, job_id: str) -> None:
        while True:
            answer = await client.get(f"/v1/jobs/{job_id}")
            if answer.status_code != 200:
                errors.append(f"{answer.status_code}")
                return
            if answer.json()["status"] not in ("queued", "running"):
                return
            await asyncio.sleep(1)

    async def all_of_them() -> None:
        limits = httpx.Limits(max_connections=count)
        async with httpx.AsyncClient(base_url=system.url, timeout=60, limits=limits) as client:
            await asyncio.gather(*(poll(client, ids[number % len(ids)]) for number in range(count)))

    asyncio.run(all_of_them())
    if errors:
        raise Violation(f"{len(errors)} polls failed: {sorted(set(errors))}")
    return count


def large_experiment(system: System, scale: float) -> int:
    """An experiment of 90,000 rows during other submissions; then it is cancelled."""
    system.start()
    trials = times(1000, scale)
    body = {
        "puzzle": "megaminx",
        "scramble_moves": "cw",
        "moves": "ccw",
        "heuristics": [f"ceil(misplaced_facelets / {n})" for n in (15, 16, 17, 18, 19)],
        "k": {"from": 3, "to": 20},
        "seed": system.chance.randrange(10_000),
        "trials": trials,
        "limits": {"expanded": 1000},
    }
    slowest, ended = [0.0], threading.Event()

    def submit_meanwhile() -> None:
        number = 0
        while not ended.is_set():
            began = time.monotonic()
            system.client.submit(quick(number))
            slowest[0] = max(slowest[0], time.monotonic() - began)
            number += 1

    with ThreadPoolExecutor(1) as pool:
        meanwhile = pool.submit(submit_meanwhile)
        answer = httpx.post(f"{system.url}/v1/experiments", json=body, timeout=120)
        ended.set()
        meanwhile.result()
    if answer.status_code != 202:
        raise Violation(f"the experiment was answered with {answer.status_code}: {answer.text[:300]}")
    identifier = answer.json()["id"]
    found = httpx.delete(f"{system.url}/v1/experiments/{identifier}", timeout=120)
    assert found.status_code in (200, 202), found.text
    system.adopt_experiment(identifier)
    system.note(f"slowest other submission {slowest[0]:.1f} s")
    return 1


def many_exports(system: System, scale: float) -> int:
    """A dozen clients take all rows of an experiment as JSON at once."""
    system.start()
    body = {
        "puzzle": "megaminx",
        "scramble_moves": "cw",
        "moves": "ccw",
        "heuristics": ["ceil(misplaced_facelets / 15)"],
        "k": {"from": 3, "to": 12},
        "trials": times(500, scale),
        "seed": system.chance.randrange(10_000),
        "limits": {"expanded": 100},
    }
    identifier = httpx.post(f"{system.url}/v1/experiments", json=body, timeout=60).json()["id"]
    system.adopt_experiment(identifier)

    def take(_: int) -> int:
        with httpx.stream("GET", f"{system.url}/v1/experiments/{identifier}/rows.json", timeout=60) as answer:
            assert answer.status_code in (200, 429, 503), answer.status_code
            return sum(len(piece) for piece in answer.iter_bytes())

    with ThreadPoolExecutor(12) as pool:
        sizes = list(pool.map(take, range(12)))
    system.note(f"{max(sizes) / 2**20:.1f} MiB each")
    return 12


EXPERIMENTS = (
    Experiment("api-killed", "SIGKILL for the API during submissions; the same keys are sent again", api_killed),
    Experiment("slow-connections", "500 half-sent requests; probes within 5 s, submissions accepted", slow_connections),
    Experiment("pollers", "1,000 clients polling", pollers),
    Experiment("large-experiment", "90,000 rows in one experiment during other submissions", large_experiment),
    Experiment("exports", "a dozen exports of all rows at once", many_exports),
)
