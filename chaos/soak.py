"""Full load for some time: does the memory of any process grow, or the number of its open files and connections?

`python -m chaos soak --minutes 15`. Clients keep a few dozen jobs queued, so that the workers are always busy, and read
lists and statistics. Every process is measured every few seconds. The medians of the second and the last quarter of the
time are compared, since caches are full by then.
"""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

import httpx
import psutil

from chaos.clients import medium, quick
from chaos.system import System

LOOK_SECONDS = 5.0
QUEUED = 40
#: tolerance: a twentieth of the memory plus some pages, and a connection
MOST_GROWTH = 1.05
MOST_MIB = 8.0
MOST_FILES = 4


@dataclass(frozen=True)
class Look:
    """The measurements of a process at one time."""

    mib: float
    files: int
    connections: int


@dataclass(frozen=True)
class Soaked:
    """The medians of one process in the second and in the last quarter."""

    name: str
    before: Look
    after: Look
    looks: list[Look] = field(repr=False)

    @property
    def grew(self) -> bool:
        """Whether the growth exceeds the tolerance."""
        return (
            self.after.mib > self.before.mib * MOST_GROWTH + MOST_MIB
            or self.after.files > self.before.files + MOST_FILES
            or self.after.connections > self.before.connections + MOST_FILES
        )


def soak(system: System, minutes: float, rate: float | None = None) -> tuple[list[Soaked], int]:
    """Load ``system`` for so long, with at most ``rate`` jobs a second; returns the trends of its processes, and the
    number of jobs."""
    system.start()
    ended = threading.Event()
    pause = 1 / rate if rate else 0.0
    threads = [threading.Thread(target=run, args=(system, ended, pause)) for run in (_submit, _read)]
    seen: dict[str, list[Look]] = defaultdict(list)
    for thread in threads:
        thread.start()
    try:
        until = time.monotonic() + minutes * 60
        while time.monotonic() < until:
            for name, look in _look(system):
                seen[name].append(look)
            time.sleep(LOOK_SECONDS)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    most = max(map(len, seen.values()))
    # A process that did not run all the time does not have both quarters.
    whole = {name: looks for name, looks in seen.items() if len(looks) > 0.9 * most}
    if len(whole) < len(seen):
        system.note(f"did not run all the time: {', '.join(sorted(seen.keys() - whole.keys()))}")
    return [_soaked(name, looks) for name, looks in sorted(whole.items())], len(system.client.accepted)


def table_of(found: list[Soaked]) -> str:
    """A Markdown table with a row for each process."""
    lines = ["| process | MiB before | MiB after | files | connections | |", "|---|---|---|---|---|---|"]
    for one in found:
        before, after = one.before, one.after
        cells = [one.name, f"{before.mib:.1f}", f"{after.mib:.1f}", f"{before.files} → {after.files}"]
        cells += [f"{before.connections} → {after.connections}", "grew" if one.grew else "flat"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _submit(system: System, ended: threading.Event, pause: float) -> None:
    number = 0
    while not ended.wait(pause):
        with contextlib.suppress(httpx.TransportError):
            queued = system.client.get("/v1/jobs", params={"kind": "solve", "status": "queued", "limit": QUEUED})
            if queued.status_code == 200 and len(queued.json()["items"]) >= QUEUED:
                ended.wait(0.2)
                continue
        system.client.submit((medium if number % 4 == 0 else quick)(number % 10_000))
        number += 1


def _read(system: System, ended: threading.Event, pause: float) -> None:
    slow, errors = 0, 0
    while not ended.wait(0.5 + 10 * pause):
        for path in ("/v1/stats?group_by=k", "/v1/jobs", "/metrics", "/health/ready"):
            try:
                errors += system.client.get(path).status_code != 200
            except httpx.TransportError:
                slow += 1
    system.note(f"reads: {errors} answers were errors, {slow} took longer than 20 s")


def _look(system: System) -> list[tuple[str, Look]]:
    assert system.valkey.process is not None
    processes = [("valkey", psutil.Process(system.valkey.process.pid))]
    for program in system.programs:
        with contextlib.suppress(psutil.NoSuchProcess):
            main = psutil.Process(program.process.pid)
            processes.append((f"{program.name} main", main))
            processes += [(f"{program.name} {child.pid}", child) for child in main.children()]
    found = []
    for name, process in processes:
        with contextlib.suppress(psutil.Error):
            connections = len(process.net_connections("inet"))
            found.append((name, Look(process.memory_info().rss / 2**20, process.num_fds(), connections)))
    return found


def _soaked(name: str, looks: list[Look]) -> Soaked:
    quarter = max(1, len(looks) // 4)

    def middle(some: list[Look]) -> Look:
        return Look(
            statistics.median(one.mib for one in some),
            round(statistics.median(one.files for one in some)),
            round(statistics.median(one.connections for one in some)),
        )

    return Soaked(name, middle(looks[quarter : 2 * quarter]), middle(looks[-quarter:]), looks)
