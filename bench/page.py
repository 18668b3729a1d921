"""`python -m bench.page`: the time to load the page, and to show an experiment of 100,000 searches.

Starts the service on SQLite, runs an experiment with the worker's runner and one sweep, and opens each view several
times in the tests' Chromium over loopback. "Interactive" is the time from the navigation until the view has its data
and answers a click within a frame. Besides seconds, which depend on the machine's load, it reports milliseconds of
processor time of the service and of the page's scripts, which hardly do. ``--keep DIRECTORY`` keeps the database, so
that another run need not search again.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import re
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.table import Table

from store.database import make_engine, make_sessions
from store.experiments import finished
from store.settings import Settings
from tests.servers import Valkey
from tests.service.processes import Api
from tests.web.conftest import ARGUMENTS, find_chromium
from tools import web
from worker.runner import Runner

TIMES = 7


def fill(api: Api, rows: int) -> str:
    """The id of an experiment of so many searches of the 8-puzzle, all of them ended."""
    body = {
        "puzzle": "8-puzzle", "k": {"from": 1, "to": 25}, "trials": rows // 50, "seed": 1,
        "heuristics": ["manhattan", "misplaced_tiles"],
    }  # fmt: skip
    with httpx.Client(base_url=api.url, timeout=600) as client:
        for found in client.get("/v1/experiments").json()["items"]:
            if found["rows"] == rows and found["status"] == "done":
                return str(found["id"])
        made = client.post("/v1/experiments", json=body)
        assert made.status_code == 202, made.text
    runner = Runner(Settings(**api.settings))  # type: ignore[arg-type]
    runner.drain()
    runner.close()
    return str(made.json()["id"])


def sweep(api: Api) -> None:
    """Do what the sweeper does for ended experiments."""
    sessions = make_sessions(make_engine(str(api.settings["database_url"])))
    finished.note_finished(sessions)
    finished.keep_tables(sessions, math.inf)
    sessions.close()


def cpu_seconds(api: Api) -> float:
    """Processor time of the service's processes so far."""
    assert api.process is not None
    parent = str(api.process.pid)
    family = [parent, *Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    threads = (one for process in family for one in Path(f"/proc/{process}/task").iterdir())
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def costs(api: Api, path: str) -> list[float]:
    """Milliseconds of the service's processor time for one request."""
    found = []
    with api.client() as client:
        client.get(path)
        for _ in range(TIMES):
            before = cpu_seconds(api)
            client.get(path).raise_for_status()
            found.append(1000 * (cpu_seconds(api) - before))
    return found


def opened(browser: Browser, api: Api, path: str, wanted: str) -> tuple[list[float], list[float], list[float]]:
    """For new tabs: seconds from the navigation until ``wanted`` exists and the next frame was drawn, and milliseconds
    of processor time of the service and of scripts until then."""
    times, service, scripts = [], [], []
    for _ in range(TIMES):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script("if (location.protocol === 'http:') localStorage.setItem('hstar-view', 'net')")
        page.goto("about:blank")
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = cpu_seconds(api)
        began = time.perf_counter()
        page.goto(api.url + path, wait_until="commit")
        page.locator(wanted).first.wait_for()
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        times.append(time.perf_counter() - began)
        service.append(1000 * (cpu_seconds(api) - before))
        measured = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
        scripts.append(1000 * measured["ScriptDuration"])
        page.close()
    return times, service, scripts


def size(*names: str) -> int:
    """Bytes of files of the bundle, as sent by the service."""
    return sum(len(gzip.compress((web.BUNDLE / name).read_bytes(), mtime=0)) for name in names)


def sizes() -> dict[str, int]:
    """The files of the bundle by the time at which they are loaded."""
    page = (web.BUNDLE / "index.html").read_text(encoding="utf-8")
    first = ["index.html", *re.findall(r'(?:src|href)="/static/([^"]+)"', page)]
    assets = {path.name for path in (web.BUNDLE / "assets").iterdir()} - {Path(name).name for name in first}
    plot = [f"assets/{name}" for name in assets if name.startswith("plot")]
    return {"first view": size(*first), "plots": size(*plot)}


def add(table: Table, name: str, found: list[float], digits: int) -> None:
    """A line with the median, the minimum and the maximum."""
    table.add_row(name, *(f"{one:.{digits}f}" for one in (statistics.median(found), min(found), max(found))))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000, help="searches of the experiment, a multiple of 50")
    parser.add_argument("--keep", type=Path, help="directory for the database")
    options = parser.parse_args()
    home = options.keep or Path(tempfile.mkdtemp())
    home.mkdir(parents=True, exist_ok=True)
    path, more = find_chromium()
    table = Table(title="the page")
    for name in ("", "median", "least", "most"):
        table.add_column(name, justify="left" if not name else "right")
    for name, taken in sizes().items():
        table.add_row(f"{name}, kB", f"{taken / 1000:.0f}", "", "")
    database: dict[str, Any] = {"max_queued": 200_000}
    with Valkey() as valkey, Api(f"sqlite:///{home / 'hstar.db'}", valkey.url, **database) as api:
        experiment = fill(api, options.rows)
        sweep(api)
        own = f"/v1/experiments/{experiment}"
        for path_of in (
            own,
            f"{own}/table?x=k&measure=expanded",
            f"{own}/rows?first=50000&limit=100",
            "/v1/experiments",
        ):
            found = costs(api, path_of)
            add(table, f"GET {path_of.replace(experiment, 'ID')}, CPU ms", found, 1)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS, env={**os.environ, **more})
            large = f"experiment of {options.rows:,}"
            for name, where, wanted in (
                ("Solve, interactive", "/#/solve?puzzle=megaminx&k=6&seed=1", ".net [data-facelet]"),
                (f"{large}, table", f"/#/experiments/{experiment}", ".numbers tbody tr"),
                (f"{large}, plot", f"/#/experiments/{experiment}", ".canvas svg"),
                (f"{large}, rows", f"/#/experiments/{experiment}", ".virtual .badge"),
            ):
                times, service, scripts = opened(browser, api, where, wanted)
                add(table, f"{name}, s", times, 2)
                add(table, f"{name}, CPU ms of the service", service, 0)
                add(table, f"{name}, CPU ms of scripts", scripts, 0)
            browser.close()
    Console().print(table)


if __name__ == "__main__":
    main()
