"""Audits in a real browser: verdicts, counterexamples, and every state up to a distance."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from tests.service.processes import Api
from tests.web.conftest import check_axe, looks, shows, visit
from tests.web.test_solve import facelets


def test_a_counterexample_is_on_the_puzzle(page: Page) -> None:
    page.goto("/#/audit")
    expect(page.locator(".result .badge.refuted").first).to_be_visible()
    shown = page.locator(".see code").inner_text()
    text = page.locator(".see").inner_text()
    claimed = re.search(r"h = (\d+), and h\* = (\d+)", text)
    assert claimed is not None
    # The picture is the state after these moves, and independent code computes the same h there.
    puzzle = get_puzzle("megaminx")
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(shown))
    expect(page.locator(".see .net")).to_be_visible()
    shows(lambda: facelets(page), puzzle.format_state(state)["facelets"])
    assert get_heuristic("ceil(misplaced_facelets / 5)", puzzle, puzzle.move_set(None))(state) == int(claimed[1])
    assert int(claimed[1]) > int(claimed[2])
    # The squares above the line agree.
    expect(page.locator(".distances .over")).not_to_have_count(0)
    page.get_by_role("link", name="Solve it").click()
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".stat", has_text="Length").locator("dd")).to_have_text(claimed[2])


def test_an_expression_is_judged_as_it_is_typed(page: Page) -> None:
    page.goto("/#/audit?puzzle=8-puzzle&heuristic=manhattan")
    expect(page.locator(".sentence")).to_have_text("It never overestimates. A* with it finds a shortest solution.")
    expect(page.locator(".distances .over")).to_have_count(0)
    box = page.get_by_label("Heuristic h")
    box.fill("manhattan * 2")
    expect(page.locator(".sentence")).to_contain_text("It overestimates")
    box.fill("manhattan + ")
    expect(page.locator(".field.wrong .pointed")).to_be_visible()
    box.fill("manhattan")
    expect(page.locator(".sentence")).to_contain_text("never overestimates")
    page.reload()
    expect(box).to_have_value("manhattan")


def test_every_state_up_to_a_distance(page: Page, api: Api) -> None:
    page.goto("/#/audit?puzzle=8-puzzle&heuristic=manhattan * 1.2")
    page.get_by_label("Distance", exact=True).fill("8")
    page.get_by_role("button", name="Audit", exact=True).click()
    expect(page.locator(".audited .badge.done")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/audit/[\w-]+$"))
    with api.client() as client:
        found = client.get(f"/v1/jobs/{page.url.rsplit('/', 1)[1]}").json()["answer"]
    assert (found["verdict"], found["radius"]) == ("refuted", 8)
    wrong = sum(line["inadmissible"] for line in found["by_distance"])
    expect(page.locator(".audited .sentence")).to_contain_text(f"{wrong:,} of {found['states']:,} states")
    lines = page.locator(".audited tbody tr")
    expect(lines).to_have_count(9)
    for shown, line in zip(lines.all(), found["by_distance"], strict=True):
        expect(shown.locator("td").nth(2)).to_have_text(f"{line['inadmissible']:,}")
    wrong_at = [line["distance"] for line in found["by_distance"] if line["inadmissible"]]
    assert len(wrong_at) > 0
    expect(page.locator(".against circle.over")).to_have_count(len(wrong_at))
    # A link shows the same; another heuristic is a new request.
    page.reload()
    expect(lines).to_have_count(9)
    expect(page.get_by_label("Heuristic h")).to_have_value("manhattan * 1.2")
    page.get_by_label("Heuristic h").fill("manhattan")
    expect(page.locator(".audited tbody tr")).to_have_count(0)


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    for page, look, _ in looks(browser, api.url):
        visit(page, "/#/audit")
        expect(page.locator(".distances").first).to_be_visible()
        check_axe(page, axe, f"/#/audit {look}")
