"""Claimed solutions in a real browser: verdicts line by line, the claim played, and the same after a reload."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from hstar.puzzles import get_puzzle
from hstar.schema import ScrambleIn
from hstar.verification import VerificationRequest, verify
from tests.service.processes import Api
from tests.web.conftest import check_axe, looks, shows, visit
from tests.web.test_solve import moves_of, tiles

LINES = {
    "k 6 seed 1 : L U U": VerificationRequest(puzzle="8-puzzle", scramble=ScrambleIn(k=6, seed=1), solution="L U U"),
    "L U R D : U L D R": VerificationRequest(puzzle="8-puzzle", alg="L U R D", solution="U L D R"),
    "8 1 2 3 4 5 6 7 0 : R R": VerificationRequest(
        puzzle="8-puzzle", state=[8, 1, 2, 3, 4, 5, 6, 7, 0], solution="R R"
    ),
    "U L : R D U D": VerificationRequest(puzzle="8-puzzle", alg="U L", solution="R D U D"),
    "U L : R": VerificationRequest(puzzle="8-puzzle", alg="U L", solution="R"),
}


def test_claims_are_judged_and_played(page: Page, api: Api) -> None:
    page.goto("/#/verify?puzzle=8-puzzle")
    box = page.get_by_label("Claims, one in each line")
    box.fill("1 2 0 3 4 5 6 7 8 R R")
    expect(page.locator(".field.wrong .says")).to_contain_text("Line 1")
    box.fill("\n".join(LINES))
    page.get_by_role("button", name="Verify 5 solutions").click()
    rows = page.get_by_role("region", name="Claims").locator("tbody tr")
    expect(rows).to_have_count(5)
    expect(page.locator(".standing .badge.done")).to_be_visible()
    verdicts = [verify(request) for request in LINES.values()]
    assert {verdict.valid for verdict in verdicts} == {True, False}
    for row, verdict in zip(rows.all(), verdicts, strict=True):
        words = "not a solution" if not verdict.valid else "shortest" if verdict.excess == 0 else "valid, not shortest"
        expect(row.locator(".badge")).to_have_text(words)
        expect(row.locator("td").nth(4)).to_have_text(str(verdict.optimal_length))
    wrong = next(number for number, verdict in enumerate(verdicts) if verdict.first_wrong is not None)
    page.get_by_role("button", name=f"Claim {wrong + 1}", exact=True).click()
    expect(page.locator(".evidence .sentence")).to_contain_text(f"Move {verdicts[wrong].first_wrong} is wrong")
    # A valid one is played to the goal.
    page.get_by_role("button", name="Claim 4", exact=True).click()
    expect(page.locator(".evidence .sentence")).to_have_text("It solves the puzzle in 4 moves. 2 moves suffice.")
    shows(lambda: moves_of(page), ["R", "D", "U", "D"])
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".controls output")).to_have_text("4/4")
    expect(page.get_by_text("after move 4 of 4")).to_be_attached()
    shows(lambda: tiles(page), bytes(get_puzzle("8-puzzle").solved))

    def jobs() -> int:
        with api.client() as client:
            return len(client.get("/v1/jobs?kind=verification&limit=200").json()["items"])

    # The address has them: after a reload they are the same jobs.
    before = jobs()
    page.reload()
    expect(rows).to_have_count(5)
    expect(page.locator(".standing .badge.done")).to_be_visible()
    assert jobs() == before


def test_a_refusal_names_the_claim(page: Page) -> None:
    page.goto("/#/verify?puzzle=8-puzzle")
    page.get_by_label("Claims, one in each line").fill("R D : U L\n1 2 3 4 5 6 7 8 0 : R R")
    page.get_by_role("button", name="Verify 2 solutions").click()
    expect(page.locator(".field.wrong .says")).to_contain_text("Claim 2")
    expect(page.get_by_label("Claims, one in each line")).to_have_value("R D : U L\n1 2 3 4 5 6 7 8 0 : R R")


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    for page, look, _ in looks(browser, api.url):
        visit(page, "/#/verify")
        page.get_by_role("button", name="Verify 3 solutions").click()
        expect(page.locator(".moves button").first).to_be_visible()
        check_axe(page, axe, f"verify {look}")
