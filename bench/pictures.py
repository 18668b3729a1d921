"""`python -m bench.pictures`: every view of the page, light and dark, wide and narrow, as docs/pictures/page/*.webp.

Fills a service with a class, experiments and searches, run by a real worker, and takes a screenshot of each view in the
tests' Chromium: one file for each view, with all six modes. Needs Pillow, a dependency of Matplotlib. Look at the
results: tests cannot judge the design. ``--raw DIRECTORY`` saves every screenshot in full size, and ``--only NAME``
makes only those whose name matches.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.grading.test_score import COURSE, STUDENTS
from tests.servers import Valkey, wait_until
from tests.service.conftest import KEYS
from tests.service.processes import ROOT, Api, Worker
from tests.web.conftest import ARGUMENTS, find_chromium, new_page
from tests.web.test_course import in_numbers

OUT = ROOT / "docs" / "pictures" / "page"
HEIGHTS = {2000: 1250, 1440: 900, 390: 844}
MODES = tuple((scheme, width) for scheme in ("light", "dark") for width in HEIGHTS)
#: width of a screenshot in the picture
SHOWN = {2000: 800, 1440: 576, 390: 231}
GAP = 10
#: puzzles that are drawn in space, each after some moves
IN_SPACE = {
    "2x2x2": "R U", "3x3x3": "R U F", "4x4x4": "R 2L U", "5x5x5": "R 2L U", "6x6x6": "R 3L U", "7x7x7": "R 3L U",
    "megaminx": "U F R", "fto": "U R", "pyraminx": "U R", "skewb": "R U", "master_pyraminx": "U R",
}  # fmt: skip

Act = Callable[[Page], Any]


@dataclass(frozen=True)
class View:
    """A view: its address, and the actions before its screenshot."""

    name: str
    path: str
    ready: str
    act: Act = field(default=lambda _: None)
    key: str | None = None
    space: bool = False


def fill(api: Api) -> dict[str, str]:
    """Fill the service; returns the ids of the new resources."""
    ids: dict[str, str] = {}
    with api.client() as client:

        def post(path: str, body: Any) -> dict[str, Any]:
            answer = client.post(path, json=body)
            assert answer.is_success, answer.text
            found: dict[str, Any] = answer.json()
            return found

        for seed in range(1, 4):
            for puzzle, k in (("8-puzzle", 20), ("15-puzzle", 25), ("megaminx", 5), ("master_pyraminx", 4)):
                post("/v1/solves", {"puzzle": puzzle, "scramble": {"k": k, "seed": seed}})
        ids["solved"] = post("/v1/solves", {"puzzle": "megaminx", "scramble": {"k": 6, "seed": 1}})["id"]
        limited = {"puzzle": "15-puzzle", "scramble": {"k": 200, "seed": 1}, "limits": {"expanded": 50_000}}
        ids["limited"] = post("/v1/solves", limited | {"algorithm": "astar", "heuristic": "misplaced_tiles"})["id"]
        experiment = {
            "puzzle": "8-puzzle", "k": {"from": 4, "to": 24}, "trials": 5, "seed": 1,
            "heuristics": ["misplaced_tiles", "manhattan"], "limits": {"expanded": 3000},
        }  # fmt: skip
        ids["experiment"] = post("/v1/experiments", experiment)["id"]
        audit = {"puzzle": "megaminx", "heuristic": "ceil(misplaced_facelets / 5)", "radius": 3}
        ids["audit"] = post("/v1/audits/heuristic", audit)["id"]
        lines = [{"student": f"s{number}", "name": f"Student {number}", "section": "A"} for number in range(1, 7)]
        client.put("/v1/courses/example/roster", json={"students": lines}).raise_for_status()
        course = json.loads((COURSE / "assignment.json").read_text()) | {"due": "2035-12-01T23:59:00+01:00"}
        ids["class"] = post("/v1/assignments", course)["id"]
        where = f"/v1/assignments/{ids['class']}/submissions"
        for file in STUDENTS:
            content = base64.b64encode((COURSE / file).read_bytes()).decode()
            body = {"student": file[:3], "name": file[:3].title(), "filename": file, "content_base64": content}
            ids[file[:3]] = post(where, body)["id"]
        # Dee reports no counts. With Gil's there are five for each instance, the fewest that are shown of a class.
        report = json.loads((COURSE / "cem.json").read_text()) | {"student": "1006", "name": "Gil"}
        for line, more in zip(report["results"], (2, 5, 1, 8, 3, 21), strict=True):
            line["nodes"] += more
        content = base64.b64encode(json.dumps(report).encode()).decode()
        post(where, {"student": "gil", "name": "Gil", "filename": "gil.json", "content_base64": content})
        wait_until(lambda: client.get(f"{where}/{ids['cem']}").json()["status"] == "done", "the grading")
        post(f"{where}/{ids['cem']}/regrade-requests", {"note": "It was a slip of the pen."})
        shown = client.get(f"/v1/assignments/{ids['class']}?view=student").json()["assignment"]["instances"]
        ids["numbers"] = in_numbers([one for one in shown if one["alg"]])
        jobs = ("queued", "running")
        wait_until(
            lambda: not any(client.get(f"/v1/jobs?status={one}").json()["items"] for one in jobs), "the work", 600
        )
    return ids


def keep_busy(api: Api) -> str:
    """The id of a search that runs for minutes, with an audit queued after it."""
    long = {"puzzle": "megaminx", "scramble": {"k": 18, "seed": 1}, "moves": "ccw"}
    with api.client() as client:
        running: str = client.post("/v1/solves", json=long | {"algorithm": "ida_star"}).json()["id"]
        client.post("/v1/audits/heuristic", json={"puzzle": "8-puzzle", "heuristic": "manhattan"})
    return running


def paint(page: Page) -> None:
    """Paint a facelet in another face's colour."""
    page.get_by_label("State", exact=True).check()
    page.locator(".colours input").nth(1).check()
    page.locator("[data-face='U'][data-facelet='1']").click()
    expect(page.locator(".field.wrong .says p").first).to_be_visible()


def in_the_middle(page: Page) -> None:
    """Make some moves of a solution."""
    for _ in range(2):
        page.get_by_role("button", name="One move on").click()


def wrong_key(page: Page) -> None:
    page.get_by_label("Key").fill("not-a-key")
    page.get_by_role("button", name="Go on").click()


def verify_three(page: Page) -> None:
    page.get_by_role("button", name="Verify 3 solutions").click()
    expect(page.locator(".standing .badge.done")).to_be_visible()
    page.get_by_role("button", name="Claim 2", exact=True).click()
    expect(page.locator(".moves button").first).to_be_visible()


def choose_scrambles(page: Page) -> None:
    page.get_by_role("button", name="Show instances").click()
    page.get_by_role("button", name="Use those at distance k").click()


def in_the_class(page: Page) -> None:
    """From a result to the board, with the class's counts."""
    page.get_by_role("region", name="Instances").get_by_role("link").nth(3).click()
    expect(page.locator(".class-counts")).to_be_visible()
    page.locator(".answer-compare").scroll_into_view_if_needed()


def side_by_side(page: Page) -> None:
    page.locator(".side-by-side tbody tr").first.wait_for()
    page.locator(".side-by-side").scroll_into_view_if_needed()


def asked_about(text: str) -> Act:
    """Hand in a text in a notation of one's own."""

    def act(page: Page) -> None:
        page.get_by_label("Text", exact=True).check()
        page.get_by_label("The submission").fill(text)
        page.get_by_role("button", name="Hand in", exact=True).click()
        page.locator(".notation").scroll_into_view_if_needed()

    return act


def views(api: Api, ids: dict[str, str]) -> Iterator[View]:
    """All views of a filled service."""
    course = f"/#/class/{ids['class']}"
    yield View("solve", "/#/solve", ".startline:has-text('From solved')", space=True)
    for puzzle, alg in IN_SPACE.items():
        yield View(f"space-{puzzle}", f"/#/solve?puzzle={puzzle}&alg={alg}", ".startline", space=True)
    yield View("solve-solved", f"/#/solve/{ids['solved']}", ".moves button", in_the_middle, space=True)
    yield View("solve-net", f"/#/solve/{ids['solved']}", ".moves button", in_the_middle)
    yield View("solve-limit", f"/#/solve/{ids['limited']}", ".badge.limit_reached")
    yield View("solve-painted", "/#/solve?puzzle=megaminx&k=0&seed=1", ".net [data-facelet]", paint)
    yield View("solve-board", "/#/solve?puzzle=15-puzzle&state=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0", ".field.wrong")
    yield View("solve-heuristic", "/#/solve?puzzle=megaminx&k=3&seed=9&heuristic=ceil(misplaced / 15)", ".pointed")
    yield View("board", "/#/", ".chart-line", space=True)
    yield View(
        "board-counterexample",
        "/#/board?puzzle=megaminx&alg=U U F&moves=ccw&heuristic=s2-face-distance",
        ".chart-line",
        space=True,
    )
    yield View(
        "board-tiles", "/#/board?puzzle=8-puzzle&k=20&seed=1&heuristic=misplaced_tiles&expanded=900", ".chart-line"
    )
    yield View("board-class", f"/#/hand-in/{ids['class']}?student=ben", ".parts", in_the_class, space=True)
    yield View("audit", f"/#/audit/{ids['audit']}", ".distances")
    yield View("audit-space", "/#/audit", ".distances", space=True)
    yield View("verify", "/#/verify", ".snippets pre", verify_three)
    yield View("experiments", "/#/experiments", "tbody tr")
    yield View("experiment-new", "/#/experiments/new", ".go:not([disabled])")
    yield View("experiment", f"/#/experiments/{ids['experiment']}", ".canvas svg")
    yield View("class", "/#/class", "tbody tr")
    yield View("class-new", "/#/class/new", ".rubric-form", choose_scrambles)
    yield View("class-roster", "/#/class/roster?course=example", "tbody tr")
    yield View("class-submissions", f"{course}?submission={ids['cem']}", ".parts")
    for tab, ready in (("requests", ".tabpanel > *"), ("statistics", ".items li"), ("gradebook", "tbody tr")):
        yield View(f"class-{tab}", f"{course}?show={tab}", ready)
    alike = f"{course}?show=statistics&beside=ada&beside=eve"
    yield View("class-copies", alike, ".side-by-side", side_by_side)
    yield View("class-rubric", f"{course}?show=rubric", ".rubric")
    yield View("hand-in", f"/#/hand-in/{ids['class']}?student=cem", ".parts")
    asked = asked_about(ids["numbers"])
    yield View("hand-in-notation", f"/#/hand-in/{ids['class']}?student=fay", ".handin-form", asked)
    yield View("failing", "/#/solve/01a20272-b326-71ea-9be6-483dc2b789eb", ".notice")
    running = keep_busy(api)
    yield View("solve-running", f"/#/solve/{running}", ".badge.running")
    yield View("jobs", "/#/jobs", ".badge.running")
    yield View("jobs-solves", "/#/jobs?kind=solve", "tbody tr")


#: views of an empty service
EMPTY = tuple(
    View(f"empty-{name}", f"/#/{name}", ".steps" if name == "class" else ".empty")
    for name in ("experiments", "class", "hand-in", "jobs")
)
#: views of a service with keys
SECURED = (View("login", "/#/jobs", ".login .wrong", wrong_key),)


@contextmanager
def opened(browser: Browser, api: Api, view: View, scheme: str, width: int) -> Iterator[Page]:
    """A browser page that shows the view."""
    size = {"width": width, "height": HEIGHTS[width]}
    page, _ = new_page(browser, api.url, color_scheme=scheme, viewport=size)
    chosen = "space" if view.space else "net"
    face = "instructor" if view.name.removeprefix("empty-").startswith(("class", "experiment")) else "student"
    kept = {"hstar-view": chosen, "hstar-face": face}
    for key, value in kept.items():
        page.add_init_script(f"if (location.protocol === 'http:') localStorage.setItem('{key}', '{value}')")
    page.goto(view.path)
    if view.name != "login":
        page.locator(view.ready).first.wait_for()
    view.act(page)
    if view.space:
        page.locator(".space polygon").first.wait_for(state="attached")
    # A view that watches a search polls without end.
    with suppress(PlaywrightError):
        page.wait_for_load_state("networkidle", timeout=3000)
    yield page
    page.context.close()


def photograph(browser: Browser, api: Api, view: View) -> Iterator[tuple[str, int, Image.Image]]:
    """The view in every mode."""
    for scheme, width in MODES:
        with opened(browser, api, view, scheme, width) as page:
            yield scheme, width, Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def offline(browser: Browser, api: Api) -> Iterator[tuple[str, int, Image.Image]]:
    """The view after the service has stopped."""
    view = View("offline", "/#/jobs", "tbody tr")
    with ExitStack() as stack:
        pages = [(one, stack.enter_context(opened(browser, api, view, *one))) for one in MODES]
        api.kill()
        for (scheme, width), page in pages:
            page.locator(".offline.shown").wait_for()
            yield scheme, width, Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def write(name: str, found: Iterator[tuple[str, int, Image.Image]], raw: Path | None) -> None:
    """One picture of all modes: the widths side by side, dark below light."""
    parts = []
    try:
        for scheme, width, picture in found:
            if raw is not None:
                picture.save(raw / f"{name}-{scheme}-{width}.png")
            share = SHOWN[width] / width
            parts.append(picture.resize((SHOWN[width], round(picture.height * share)), Image.Resampling.LANCZOS))
    except (PlaywrightError, AssertionError) as fault:
        print(f"{name}: {fault}", file=sys.stderr, flush=True)
        return
    height = max(part.height for part in parts)
    sheet = Image.new("RGB", (sum(SHOWN.values()) + 4 * GAP, 2 * height + 3 * GAP), "#8a8a8a")
    for number, part in enumerate(parts):
        left = GAP + sum(list(SHOWN.values())[: number % 3]) + number % 3 * GAP
        sheet.paste(part, (left, GAP + number // 3 * (height + GAP)))
    sheet.save(OUT / f"{name}.webp", quality=72, method=6)
    print(f"{name}: {(OUT / f'{name}.webp').stat().st_size / 1000:.0f} kB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pictures", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="a regular expression for the names of the views")
    parser.add_argument("--raw", type=Path, help="directory for the screenshots in full size")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    if options.raw:
        options.raw.mkdir(parents=True, exist_ok=True)
    path, more = find_chromium()
    wanted = re.compile(options.only).search
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        valkey = stack.enter_context(Valkey())
        api = stack.enter_context(Api(f"sqlite:///{home / 'hstar.db'}", valkey.url))
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS, env={**os.environ, **more})
        for view in (view for view in EMPTY if wanted(view.name)):
            write(view.name, photograph(browser, api, view), options.raw)
        for view in (view for view in SECURED if wanted(view.name)):
            with Api(f"sqlite:///{home / 'keys.db'}", valkey.url, api_keys=KEYS) as secured:
                write(view.name, photograph(browser, secured, view), options.raw)
        stack.enter_context(Worker(api))
        for view in (view for view in views(api, fill(api)) if wanted(view.name)):
            write(view.name, photograph(browser, api, view), options.raw)
        if wanted("offline"):
            write("offline", offline(browser, api), options.raw)
        browser.close()


if __name__ == "__main__":
    main()
