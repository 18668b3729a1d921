"""Solve in a real browser: from a request to its answer, with mouse and keyboard, and with faults."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from hstar.puzzles import get_puzzle, make_scramble
from tests.certificates.checkers import first_forked
from tests.service.conftest import KEYS
from tests.service.processes import Api
from tests.web.conftest import AWAY, Watch, check_axe, looks, new_page, shows, tab_to, visit

LONG = "/#/solve?puzzle=megaminx&k=18&seed=1&scramble_moves=cw&moves=ccw&limit_memory_mib=1024"


def tiles(page: Page) -> bytes:
    """The board that the page shows."""
    cells = page.locator(".tile").evaluate_all("all => all.map(one => [+one.dataset.cell, +one.dataset.tile])")
    return bytes(tile for _, tile in sorted(cells))


def facelets(page: Page) -> dict[str, list[str]]:
    """The net that the page shows."""
    found = page.locator(".net [data-facelet]").evaluate_all(
        "all => all.map(one => [one.dataset.face, one.dataset.colour])"
    )
    shown: dict[str, list[str]] = {}
    for face, colour in found:
        shown.setdefault(face, []).append(colour)
    return shown


def moves_of(page: Page) -> list[str]:
    return page.locator(".moves button").all_inner_texts()


def test_from_a_question_to_the_solution_played(page: Page) -> None:
    page.goto("/#/solve")
    page.get_by_label("Puzzle", exact=True).select_option("8-puzzle")
    page.get_by_label("Moves, k").fill("9")
    page.get_by_label("Seed").fill("5")
    puzzle = get_puzzle("8-puzzle")
    expect(page.locator(".startline")).to_contain_text("From solved")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    expect(page.locator(".sentence")).to_contain_text("no solution is shorter")
    # Independent code computes the same state for each step.
    expect(page.locator(".moves button").first).to_be_visible()
    solution = moves_of(page)
    state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 9, 5, None).alg)
    shows(lambda: tiles(page), bytes(state))
    for number, move in enumerate(solution, 1):
        page.get_by_role("button", name="One move on").click()
        state = puzzle.apply_alg(state, [move])
        expect(page.locator(".controls output")).to_have_text(f"{number}/{len(solution)}")
        shows(lambda: tiles(page), bytes(state))
    assert state == puzzle.solved
    page.get_by_role("button", name="To the start").click()
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".controls output")).to_have_text(f"{len(solution)}/{len(solution)}")


def test_the_whole_path_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/#/solve?puzzle=8-puzzle&k=10&seed=2")
    expect(page.get_by_label("Moves, k")).to_have_value("10")

    tab_to(page, "spinbutton", "Moves, k")
    page.keyboard.press("Control+A")
    page.keyboard.type("14")
    tab_to(page, "button", "Solve")
    page.keyboard.press("Enter")
    expect(page.locator(".badge.solved")).to_be_visible()
    tab_to(page, "button", "One move on")
    page.keyboard.press("Enter")
    expect(page.locator(".moves button").first).to_be_visible()
    last = len(moves_of(page))
    expect(page.locator("[role=status]", has_text=re.compile(f"after move 1 of {last}"))).to_be_attached()
    tab_to(page, "slider", "Moves made")
    page.keyboard.press("End")
    expect(page.locator(".controls output")).to_have_text(f"{last}/{last}")
    shows(lambda: tiles(page), bytes(get_puzzle("8-puzzle").solved))


def test_the_net_shows_the_states_along_a_solution(page: Page) -> None:
    page.goto("/#/solve?puzzle=megaminx&k=4&seed=3")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    puzzle = get_puzzle("megaminx")
    expect(page.locator(".moves button").first).to_be_visible()
    state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 4, 3, None).alg)
    shows(lambda: facelets(page), puzzle.format_state(state)["facelets"])
    for number, move in enumerate(moves_of(page), 1):
        page.get_by_role("button", name="One move on").click()
        expect(page.get_by_role("img", name=f"Megaminx, after {number} moves")).to_be_visible()
        state = puzzle.apply_alg(state, [move])
        shows(lambda: facelets(page), puzzle.format_state(state)["facelets"])
    assert state == puzzle.solved


def test_a_cube_is_played_in_space(page: Page) -> None:
    page.goto("/#/solve?puzzle=3x3x3&k=3&seed=1")
    page.get_by_label("3D", exact=True).check()
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    puzzle = get_puzzle("3x3x3")
    expect(page.locator(".moves button").first).to_be_visible()
    state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 3, 1, None).alg)
    shows(lambda: in_space(page), puzzle.format_state(state)["facelets"])
    for number, move in enumerate(moves_of(page), 1):
        page.get_by_role("button", name="One move on").click()
        expect(page.locator(".controls output")).to_contain_text(f"{number}/")
        state = puzzle.apply_alg(state, [move])
        shows(lambda: in_space(page), puzzle.format_state(state)["facelets"])
    assert state == puzzle.solved


def test_a_clock_is_drawn_with_its_dials_along_a_solution(page: Page) -> None:
    page.goto("/#/solve?puzzle=clock&alg=UR3%2B%20y2%20D1-&algorithm=anytime")
    puzzle = get_puzzle("clock")
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("UR3+ y2 D1-"))

    def hours() -> list[str]:
        return [str(one.get_attribute("data-hour")) for one in page.locator(".drawn [data-hour]").all()]

    def expected() -> list[str]:
        return [str(value % 12 or 12) for value in state]

    shows(hours, expected())
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    expect(page.locator(".moves button").first).to_be_visible()
    for move in moves_of(page):
        page.get_by_role("button", name="One move on").click()
        state = puzzle.apply_alg(state, [move])
        shows(hours, expected())
    assert state == puzzle.solved


def in_space(page: Page) -> dict[str, list[str]]:
    """The facelets that stand in space, also those behind."""
    ask = "all => all.map(one => [one.dataset.face, +one.dataset.facelet, one.dataset.colour])"
    found: dict[str, dict[int, str]] = {}
    for face, index, colour in page.locator(".space polygon[data-number]").evaluate_all(ask):
        found.setdefault(face, {})[index] = colour
    return {face: [colours[i] for i in sorted(colours)] for face, colours in found.items()}


def test_a_square1_is_played_in_tuples(page: Page) -> None:
    page.goto("/#/solve?puzzle=square1&alg=(1,3)+/+(-3,0)&algorithm=ida_star")
    expect(page.locator(".startline")).to_have_text("From solved: (1,3) / (-3,0)")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    buttons = page.locator(".moves button")
    expect(buttons).to_have_text(["(3,0)", "/", "(-1,-3)"])
    forward = page.get_by_role("button", name="One move on")
    for made, at in ((1, 0), (2, 1), (3, 2), (4, 2)):  # the last tuple is two moves
        forward.click()
        expect(page.locator(".controls output")).to_have_text(f"{made}/4")
        expect(buttons.nth(at)).to_have_attribute("aria-current", "step")
        expect(page.locator(".moves [aria-current]")).to_have_count(1)
    buttons.nth(1).click()
    expect(page.locator(".controls output")).to_have_text("2/4")
    expect(page.locator(".moves .made")).to_have_count(2)


def test_a_long_search_is_watched_and_cancelled(page: Page) -> None:
    page.goto(LONG)
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.running")).to_be_visible()
    expanded = page.locator(".stat", has_text="Expanded").locator("dd")
    expect(expanded).to_have_text(re.compile(r"\d"))
    before = expanded.inner_text()
    expect(expanded).not_to_have_text(before)
    expect(page.locator(".stat", has_text="Lower bound").locator("dd")).to_have_text(re.compile(r"\d"))
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge.cancelled")).to_be_visible()
    expect(page.locator(".sentence")).to_contain_text("Every solution has at least")


def test_a_bad_expression_is_pointed_at_and_nothing_is_lost(page: Page) -> None:
    page.goto("/#/solve?puzzle=megaminx&k=3&seed=9")
    box = page.get_by_label("Heuristic h")
    box.fill("ceil(misplaced / 15)")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".says p", has_text="Column 6")).to_be_visible()
    pointed = page.locator(".pointed").inner_text().split("\n")
    assert pointed[0] == "ceil(misplaced / 15)"
    assert pointed[1].index("^") == pointed[0].index("misplaced")
    expect(box).to_have_value("ceil(misplaced / 15)")
    expect(page.get_by_label("Seed")).to_have_value("9")
    box.fill("ceil(misplaced_facelets / 15)")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()


def test_a_board_that_cannot_be_solved(page: Page) -> None:
    page.goto("/#/solve?puzzle=8-puzzle&state=1 2 3 8 0 4 7 6 5")
    expect(page.locator(".tile")).to_have_count(9)
    first, second = page.locator("[data-tile='1']"), page.locator("[data-tile='2']")
    first.drag_to(second)
    expect(page.get_by_label("Board, row by row")).to_have_value("2 1 3 8 0 4 7 6 5")
    expect(page.locator(".field.wrong .says")).to_contain_text(re.compile("parity|permutation", re.IGNORECASE))
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator("[aria-invalid=true]").first).to_be_focused()
    # Swapped back with the keyboard, it is a valid board again.
    page.locator("[data-cell='0']").press("Enter")
    page.locator("[data-cell='0']").press("ArrowRight")
    page.locator("[data-cell='1']").press("Enter")
    expect(page.locator(".field.wrong")).to_have_count(0)


def test_a_state_that_cannot_be_solved_has_a_proof(page: Page) -> None:
    page.goto("/#/solve?puzzle=8-puzzle&state=2 1 3 8 0 4 7 6 5")
    button = page.get_by_role("button", name="Proof that it cannot be solved")
    expect(button).to_be_visible()
    with page.expect_download() as saved:
        button.click()
    assert first_forked(saved.value.path()).proven
    box = page.get_by_label("Board, row by row")
    box.fill("1 2 3 8 0 4 7 6 5")
    box.blur()
    expect(button).to_have_count(0)


def test_a_painted_state_that_cannot_be(page: Page) -> None:
    page.goto("/#/solve?puzzle=megaminx&k=0&seed=1")
    page.get_by_label("State", exact=True).check()
    page.locator("[data-face='U'][data-facelet='1']").click()
    expect(page.locator(".colours label", has_text=re.compile("^U"))).to_contain_text("11/11")
    page.locator(".colours label", has_text=re.compile("^F,|^Fgreen|^F(?![LR])")).locator("input").check()
    page.locator("[data-face='U'][data-facelet='1']").click()
    expect(page.locator(".field.wrong .says p").first).to_be_visible()
    painted = page.locator("[data-face='U'][data-facelet='1']")
    expect(painted).to_have_attribute("data-colour", "F")
    # The same facelet with the keyboard: arrows move, Enter paints.
    page.locator(".colours input").first.check()
    painted.focus()
    page.keyboard.press("Enter")
    expect(painted).to_have_attribute("data-colour", "U")
    expect(page.locator(".field.wrong")).to_have_count(0)


def test_a_linked_view_is_the_same_after_a_reload(page: Page) -> None:
    page.goto("/#/solve?puzzle=15-puzzle&k=12&seed=4&algorithm=ida_star&heuristic=manhattan&limit_seconds=20")
    expect(page.locator(".startline")).to_contain_text("From solved")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()
    expect(page.locator(".moves button").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/solve/[\w-]+$"))

    def shown() -> tuple[str, str, str, bytes]:
        return page.url, page.locator(".snippets pre").inner_text(), page.locator(".sentence").inner_text(), tiles(page)

    before = shown()
    page.reload()
    expect(page.locator(".badge.solved")).to_be_visible()
    expect(page.locator(".moves button").first).to_be_visible()
    shows(shown, before)
    assert "--algorithm ida_star" in before[1]
    # An input that was not sent is not shown as the request of the answer.
    assert "--limit-seconds 20" in before[1]
    assert "--limit-expanded" not in before[1]
    page.goto("/#/jobs")
    expect(page.locator("tbody tr").first).to_contain_text("15-puzzle")
    page.locator("tbody a").first.click()
    expect(page.locator(".moves button").first).to_be_visible()
    expect(page).to_have_url(before[0])


def test_the_service_goes_down_and_comes_back(watch_and_page: tuple[Page, Watch], api: Api) -> None:
    page, watch = watch_and_page
    watch.allowed.append(AWAY)
    page.goto("/#/jobs")
    expect(page.locator(".head")).to_be_visible()
    api.kill()
    expect(page.get_by_text("The service does not answer")).to_be_visible()
    page.goto("/#/solve?puzzle=8-puzzle&k=6&seed=1")
    api.start(api.port)
    expect(page.get_by_text("The service does not answer")).to_have_count(0)
    expect(page.locator(".startline")).to_contain_text("From solved")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator(".badge.solved")).to_be_visible()


def test_with_keys_the_page_asks_for_one(browser: Browser, api: Api) -> None:
    with Api(api.settings["database_url"], api.settings["broker_url"], api_keys=KEYS) as secured:  # type: ignore[arg-type]
        page, watch = new_page(browser, secured.url)
        page.goto("/#/jobs")
        page.get_by_label("Key").fill("not-a-key")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".field.wrong")).to_be_visible()
        page.get_by_label("Key").fill("key-of-alice-in-tests")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
        assert page.evaluate("localStorage.length") == 1, "the key is kept in the tab alone"
        page.get_by_role("button", name="Forget key").click()
        expect(page.get_by_label("Key")).to_be_visible()
        # Closed before the service is stopped, because that waits for connections.
        page.context.close()
        watch.check()


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    paths = ("/#/solve?puzzle=8-puzzle&k=8&seed=1", "/#/solve?puzzle=megaminx&state={}", "/#/jobs")
    for page, look, some in looks(browser, api.url, paths):
        for path in some:
            visit(page, path)
            check_axe(page, axe, f"{path} {look}")
        visit(page, "/#/solve?puzzle=megaminx&k=3&seed=1")
        page.get_by_role("button", name="Solve", exact=True).click()
        expect(page.locator(".moves button").first).to_be_visible()
        check_axe(page, axe, f"a solution {look}")
