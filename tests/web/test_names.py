"""Moves whose names look like syntax, on the page: asked, linked, printed as a command, and verified."""

from __future__ import annotations

import shlex
from urllib.parse import quote

from playwright.sync_api import Page, expect

from hstar.puzzles import puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from tests.service.processes import Api
from tests.web.test_solve import moves_of

NAMES = ("g1", "1", "2", "#a", "{b", '"q"', "-f", "=+", "k", "6", "seed", "&<i>", "%20")


def rings() -> dict[str, list[int]]:
    """A cycle of five points for each name, each of other points."""
    moves = {}
    for number, name in enumerate(NAMES):
        first = 5 * number
        moves[name] = [*range(first), *range(first + 1, first + 5), first, *range(first + 5, 5 * len(NAMES))]
    return moves


def test_hostile_names_of_moves(page: Page, api: Api) -> None:
    definition = {"generators": rings()}
    puzzle = puzzle_from_definition(read_any_definition(definition, "hostile"))
    with api.client() as client:
        posted = client.post("/v1/puzzles", json={"definition": definition, "name": "hostile"})
        name = quote(posted.json()["name"])
    alg = ("(g1)2", "#a'", "{b", '"q"', "&<i>2")
    page.goto(f"/#/solve?puzzle={name}")
    page.get_by_role("radio", name="Moves").check()
    page.get_by_label("Moves from solved").fill(" ".join(alg))
    expect(page.locator(".startline")).to_have_text(f"From solved: {' '.join(alg)}")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    expect(page.locator(".moves button")).to_have_count(len(alg))
    solution = moves_of(page)
    assert puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(" ".join((*alg, *solution)))) == puzzle.solved
    # The form has the question again, and so have its link and its command.
    expect(page.get_by_label("Moves from solved")).to_have_value(" ".join(alg))
    command = shlex.split(page.locator(".snippets pre").inner_text().replace("\\\n", " "))
    assert command[command.index("--alg") + 1] == " ".join(alg)
    page.get_by_label("Moves from solved").fill(" ".join((*alg, "%20")))
    page.reload()
    expect(page.get_by_label("Moves from solved")).to_have_value(" ".join((*alg, "%20")))
    # Claims that begin as a board, a comment, JSON, or a scramble.
    starts = (" ".join(alg), "1 2", "#a 1", "{b g1", "k 6 seed 1")
    lines = [f"{start} : {' '.join(puzzle.inverse_alg(puzzle.parse_alg(start)))}" for start in starts]
    for text in ("\n".join(lines), "\n".join(reversed(lines))):
        page.goto(f"/#/verify?puzzle={name}")
        page.get_by_label("Claims, one in each line").fill(text)
        page.get_by_role("button", name="Verify 5 solutions").click()
        rows = page.get_by_role("region", name="Claims").locator("tbody tr")
        expect(rows).to_have_count(5)
        for row in rows.all():
            expect(row.locator(".badge")).to_have_text("shortest")
        page.goto("about:blank")
