"""Jobs in a real browser: all kinds in one list, filtered, viewed, cancelled."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.service.processes import Api
from tests.web.conftest import check_axe, looks, visit

LONG = {"puzzle": "megaminx", "scramble": {"k": 18, "seed": 1}, "moves": "ccw", "limits": {"memory_mib": 1024}}
AUDIT = {"puzzle": "8-puzzle", "heuristic": "manhattan"}
CHECK = {"puzzle": "megaminx", "alg": "U", "moves": "ccw", "solution": "U'"}


def test_all_kinds_are_seen_filtered_and_cancelled(page: Page, api: Api) -> None:
    with api.client(prefer="wait=10") as client:
        checked = client.post("/v1/verifications", json=CHECK).json()
        assert checked["status"] == "done"
    with api.client() as client:
        running = client.post("/v1/solves", json=LONG).json()["id"]
        waiting = client.post("/v1/audits/heuristic", json=AUDIT).json()["id"]
    page.goto("/#/jobs")
    rows = page.locator("tbody tr")
    audit, solve, verification = (rows.nth(number) for number in range(3))
    expect(solve.locator(".badge.running")).to_be_visible()
    expect(audit).to_contain_text("Heuristic audit")
    expect(verification).to_contain_text("Verification")
    # The one worker is busy: the audit waits, and is cancelled at once.
    audit.get_by_role("button", name="Cancel").click()
    expect(audit.locator(".badge.cancelled")).to_be_visible()
    solve.get_by_role("button", name="Cancel").click()
    expect(solve.locator(".badge.cancelled")).to_be_visible()
    with api.client() as client:
        assert [client.get(f"/v1/jobs/{one}").json()["status"] for one in (running, waiting)] == ["cancelled"] * 2
    page.get_by_label("Kind").select_option("verification")
    # Other tests may have left verifications there; the newest is first.
    expect(rows.filter(has_not_text="Verification")).to_have_count(0)
    rows.first.get_by_role("link").click()
    expect(page.locator(".sentence")).to_have_text("It solves the puzzle in 1 move, and no solution is shorter.")
    expect(page).to_have_url(re.compile(f"/#/verify/{checked['id']}$"))
    page.get_by_role("link", name="All verifications").click()
    expect(page.get_by_label("Kind")).to_have_value("verification")
    page.goto(f"/#/jobs/{checked['id']}")
    expect(page.locator(".snippets pre")).to_contain_text('"valid": true')
    page.get_by_role("link", name="All jobs").click()
    page.get_by_label("Status").select_option("cancelled")
    page.get_by_label("Kind").select_option("solve")
    page.get_by_label("Status").select_option("cancelled")
    expect(rows.first).to_contain_text("megaminx")
    page.reload()
    expect(page.get_by_label("Kind")).to_have_value("solve")
    expect(rows.first.locator(".badge.cancelled")).to_be_visible()


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    with api.client() as client:
        job = client.get("/v1/jobs?kind=verification").json()["items"][0]["id"]
    for page, look, paths in looks(browser, api.url, ("/#/jobs", "/#/jobs?kind=solve", f"/#/jobs/{job}")):
        for path in paths:
            visit(page, path)
            expect(page.locator("h1")).to_be_visible()
            check_axe(page, axe, f"{path} {look}")
