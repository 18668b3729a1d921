"""`python -m bench.page`: how quickly the page is there, and how quickly it shows an experiment of 100,000 searches.

Starts the service on SQLite, has the worker's own runner work off an experiment, and opens views in the tests' Chromium
over loopback, several times each. Interactive: from the navigation until the view has what it asked for, and a click is
answered within a frame. `--keep DIRECTORY` keeps the database, so that another run need not search again.
"""

from __future__ import annotations

import argparse
import gzip
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
            if found["rows"] == rows and found["status"] == "finished":
                return str(found["id"])
        made = client.post("/v1/experiments", json=body)
        assert made.status_code == 202, made.text
    runner = Runner(Settings(**api.settings))  # type: ignore[arg-type]
    runner.drain()
    runner.close()
    return str(made.json()["id"])


def opened(browser: Browser, url: str, path: str, wanted: str) -> list[float]:
    """Seconds from the navigation until ``wanted`` is there and the next frame has been drawn, in new tabs."""
    found = []
    for _ in range(TIMES):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script("if (location.protocol === 'http:') localStorage.setItem('hstar-view', 'net')")
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(url + path, wait_until="commit")
        page.locator(wanted).first.wait_for()
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found.append(time.perf_counter() - began)
        page.close()
    return found


def size(*names: str) -> int:
    """Bytes of files of the bundle as the service sends them."""
    return sum(len(gzip.compress((web.BUNDLE / name).read_bytes(), mtime=0)) for name in names)


def sizes() -> dict[str, int]:
    """The pieces of the bundle by when they are loaded."""
    page = (web.BUNDLE / "index.html").read_text(encoding="utf-8")
    first = ["index.html", *re.findall(r'(?:src|href)="/static/([^"]+)"', page)]
    assets = {path.name for path in (web.BUNDLE / "assets").iterdir()} - {Path(name).name for name in first}
    plot = [f"assets/{name}" for name in assets if name.startswith("plot")]
    player = [f"assets/{name}" for name in assets if name.startswith(("twisty", "chunk", "puzzle-geometry"))]
    return {"first view": size(*first), "plots": size(*plot), "3D player": size(*player)}


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
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS, env={**os.environ, **more})
            for name, where, wanted in (
                ("Solve is interactive, s", "/#/solve?puzzle=megaminx&k=6&seed=1", ".net [data-facelet]"),
                (f"an experiment of {options.rows:,}: table, s", f"/#/experiments/{experiment}", ".numbers tbody tr"),
                (f"an experiment of {options.rows:,}: plot, s", f"/#/experiments/{experiment}", ".canvas svg"),
                (f"an experiment of {options.rows:,}: rows, s", f"/#/experiments/{experiment}", ".virtual .badge"),
            ):
                times = opened(browser, api.url, where, wanted)
                table.add_row(name, *(f"{one:.2f}" for one in (statistics.median(times), min(times), max(times))))
            browser.close()
    Console().print(table)


if __name__ == "__main__":
    main()
