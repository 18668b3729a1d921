"""Experiments in a real browser: built, filling, plotted, compared, and linked."""

from __future__ import annotations

import csv
import io
import re

from playwright.sync_api import Browser, Page, expect

from tests.service.processes import Api
from tests.web.conftest import check_axe, looks, visit

SMALL = "/#/experiments/new?puzzle=8-puzzle&k=4,6-8&seed=2&trials=3&heuristic=manhattan&heuristic=misplaced_tiles"


def test_an_experiment_is_built_and_fills(page: Page) -> None:
    page.goto(SMALL)
    expect(page.get_by_role("button", name="Run 24 searches")).to_be_enabled()
    page.get_by_label("Moves, k").fill("4, 6-")
    expect(page.locator(".field.wrong")).to_be_visible()
    page.get_by_label("Moves, k").fill("4-7")
    page.get_by_role("button", name="Run 24 searches").click()
    expect(page.locator(".standing .badge.done")).to_be_visible()
    expect(page.locator(".stat", has_text="Ended")).to_contain_text("24 of 24")
    # The table is complete: every k with both heuristics, and each search in one of its lines.
    lines = page.locator(".numbers tbody tr")
    expect(lines).to_have_count(8)
    for line in lines.all():
        expect(line.locator("td").nth(2)).to_have_text("3")
    # The plot has a point for each search, and the comparison says who expands less.
    expect(page.locator(".canvas svg circle")).to_have_count(24)
    expect(page.locator(".compare li")).to_contain_text("manhattan")
    before = page.url
    page.get_by_label("Measure").select_option("generated")
    expect(page).to_have_url(f"{before}?measure=generated")
    expect(page.locator(".canvas svg")).to_contain_text("nodes generated")
    page.reload()
    expect(page.get_by_label("Measure")).to_have_value("generated")
    expect(page.locator(".numbers tbody tr")).to_have_count(8)
    with page.expect_download() as saved:
        page.get_by_role("button", name="rows.csv").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text())))
    assert len(rows) == 24
    assert {row["outcome"] for row in rows} == {"solved"}
    page.get_by_role("link", name="Its searches").click()
    expect(page.locator("tbody tr")).to_have_count(24)


def test_the_request_shown_makes_the_same_experiment(page: Page, api: Api) -> None:
    page.goto("/#/experiments/new?puzzle=8-puzzle&k=3&seed=5&trials=2&heuristic=manhattan&weight=1&weight=2")
    page.get_by_label("JSON", exact=True).check()
    shown = page.locator(".snippets pre").inner_text()
    page.get_by_role("button", name="Run 4 searches").click()
    expect(page.locator(".standing .badge.done")).to_be_visible()
    here = re.search(r"/experiments/([^?]+)", page.url)
    assert here is not None
    with api.client() as client:
        answer = client.post("/v1/experiments", content=shown, headers={"Content-Type": "application/json"})
        assert answer.headers["Idempotent-Replayed"] == "true"
        assert answer.json()["id"] == here[1]


def test_one_that_is_refused_says_where(page: Page) -> None:
    page.goto("/#/experiments/new?puzzle=8-puzzle&k=3&seed=5&heuristic=manhatan")
    page.get_by_role("button", name=re.compile("^Run")).click()
    expect(page.locator(".notice")).to_contain_text("manhatan")
    expect(page.get_by_label("Heuristics, one in each line")).to_have_value("manhatan")


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    for page, look, paths in looks(browser, api.url, ("/#/experiments", SMALL)):
        visit(page, "/#/experiments")
        page.locator("tbody a").first.click()
        expect(page.locator(".canvas svg")).to_be_visible()
        expect(page.locator(".compare li").first).to_be_visible()
        check_axe(page, axe, f"experiment {look}")
        for path in paths:
            visit(page, path)
            check_axe(page, axe, f"{path} {look}")
