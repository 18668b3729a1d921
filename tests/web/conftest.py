"""A real browser, and the real service with a real worker."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.conftest import TEST_ALL, instances
from tests.servers import Valkey
from tests.service.processes import Api, Worker
from tools import web

#: only the pages
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Chromium's own message when the service refuses a request, which pages cannot prevent
REFUSAL = "Failed to load resource: the server responded with a status of 4"
AWAY = "Failed to load resource: net::ERR_"


#: sums Chromium's scores of layout shifts (visible elements that move by themselves)
COUNT_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries())
    if (!one.hadRecentInput)
      window.shifts.push([one.value, ...one.sources.map(({ node }) => node?.outerHTML?.slice(0, 160) ?? "a text")]);
}).observe({ type: "layout-shift", buffered: true });
"""
#: up to this sum a view is called good (https://web.dev/articles/cls)
MOST_SHIFTS = 0.1

expect.set_options(timeout=30_000)


def find_chromium() -> tuple[str, dict[str, str | float | bool]]:
    """A Chromium and its environment: HSTAR_CHROMIUM, else the locked one, else the machine's. Skips without any."""
    if named := os.environ.get("HSTAR_CHROMIUM"):
        return named, {}
    try:
        locked = web.chromium()
    except web.CannotBuildError as fault:
        for name in ("chromium", "chromium-browser", "google-chrome"):
            if path := shutil.which(name):
                return path, {}
        pytest.skip(f"no browser: there is no Chromium on the PATH, and the locked one cannot be had. {fault}")
    if not locked.exists():
        pytest.skip("no browser for this machine")
    return str(locked), {"LD_LIBRARY_PATH": str(locked.parent / "al2023" / "lib")}


#: what ends the browser of this process
ends: list[Callable[[], None]] = []


@pytest.fixture(scope="session")
def browser() -> Browser:
    """One Chromium for all tests of this folder that this process runs."""
    path, more = find_chromium()
    driver = sync_playwright().start()
    found = driver.chromium.launch(executable_path=path, args=ARGUMENTS, env={**os.environ, **more})
    ends.extend((driver.stop, found.close))
    return found


@pytest.hookimpl(trylast=True)  # after the pages are closed
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """End the browser with the last test of this folder, because its event loop would stay in this thread."""
    while ends and (nextitem is None or nextitem.path.parent != Path(__file__).parent):
        ends.pop()()


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The service with a worker, its own Valkey and a SQLite file, for all tests of the page in this process."""
    home = tmp_path_factory.mktemp("web")
    with Valkey() as valkey, Api(f"sqlite:///{home / 'hstar.db'}", valkey.url) as api, Worker(api):
        yield api


@dataclass
class Watch:
    """The requests, messages and shifts of a page; `check` fails if any is wrong."""

    origin: str
    faults: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=lambda: [REFUSAL])

    def follow(self, context: BrowserContext) -> None:
        context.on("console", self._said)
        context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))
        context.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self.allowed):
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.faults.append(f"request: {request.url}")

    def check(self) -> None:
        assert self.faults == []


def new_page(browser: Browser, origin: str, **options: object) -> tuple[Page, Watch]:
    """A page in a new context; it shows nets, which are quick to draw, unless 3D is requested."""
    options.setdefault("viewport", {"width": 1440, "height": 900})
    context = browser.new_context(base_url=origin, reduced_motion="reduce", **options)  # type: ignore[arg-type]
    context.set_default_timeout(30_000)
    nets = "localStorage.getItem('hstar-view') ?? localStorage.setItem('hstar-view', 'net')"
    context.add_init_script(f"if (location.protocol === 'http:') {nets}")
    context.add_init_script(COUNT_SHIFTS)
    watch = Watch(origin)
    watch.follow(context)
    return context.new_page(), watch


#: width, height and colours of a telephone, a laptop and a large screen
LOOKS = [(*size, colours) for size in ((390, 844), (1440, 900), (2000, 1250)) for colours in ("light", "dark")]


def looks(browser: Browser, origin: str, views: Sequence[str] = ()) -> Iterator[tuple[Page, str, Sequence[str]]]:
    """A page of each size and colours, their names, and the views to look at; in `make test` the smallest in light and
    the largest in dark, each with every other view."""
    for number, (width, height, colours) in enumerate(instances(LOOKS, few=2)):
        viewport = {"width": width, "height": height}
        page, watch = new_page(browser, origin, viewport=viewport, color_scheme=colours)
        yield page, f"at {width} in {colours}", views if TEST_ALL else views[number::2]
        page.context.close()
        watch.check()


@pytest.fixture
def watch_and_page(browser: Browser, api: Api) -> Iterator[tuple[Page, Watch]]:
    """A page and its record, which is checked at the end."""
    page, watch = new_page(browser, api.url)
    yield page, watch
    page.context.close()
    watch.check()


@pytest.fixture
def page(watch_and_page: tuple[Page, Watch]) -> Page:
    """A page; after the test it is checked that it sent nothing to other hosts, logged no error and kept the policy."""
    return watch_and_page[0]


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, if Node is installed."""
    try:
        web.install()
    except web.CannotBuildError as fault:
        pytest.skip(str(fault))
    return (Path(web.WEB) / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def visit(page: Page, path: str) -> None:
    """Load a view anew, not as another address of the same document, until it asks the service for nothing more."""
    page.goto("about:blank")
    page.goto(path)
    page.wait_for_load_state("networkidle")


def shows(read: Callable[[], object], wanted: object, seconds: float = 30) -> None:
    """Wait until this is read of the page. What is read once, right after an action, may be of the view before."""
    ends = time.monotonic() + seconds
    while (found := read()) != wanted and time.monotonic() < ends:
        time.sleep(0.05)
    assert found == wanted


def tab_to(page: Page, role: str, name: str) -> None:
    """Press Tab until this has the focus."""
    target = page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    expect(target).to_be_enabled()
    for _ in range(200):
        if target.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{name} cannot be reached with the keyboard")


def check_axe(page: Page, axe: str, where: str) -> None:
    """Check WCAG 2.2 AA as far as a program can, that nothing is wider than the page, and that nothing has jumped."""
    shifts = page.evaluate("window.shifts.splice(0)")
    assert sum(shift[0] for shift in shifts) <= MOST_SHIFTS, (where, shifts)
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    rules = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}"
    found = page.evaluate(f"async () => (await axe.run(document, {rules})).violations")
    assert [f"{one['id']}: {one['help']}: {one['nodes'][0]['html']}" for one in found] == [], where
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide"
