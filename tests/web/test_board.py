"""The analysis board in a real browser: four questions from a cold start, turning by hand, traces, and figures."""

from __future__ import annotations

import re
import statistics
import time
from pathlib import Path
from urllib.parse import parse_qs
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble
from hstar.search import SolveRequest, prepare, reference, solve
from hstar.verification import conventions
from tests.service.processes import ROOT, Api
from tests.web.conftest import check_axe, looks, new_page, shows, tab_to, visit
from tests.web.test_solve import in_space

S2 = "s2-face-distance"
WALK = ROOT / "build" / "walk"
#: a facelet of the front, and where it is dragged to, in pixels
DRAGS = ((1, 90, 8), (9, 5, -80), (1, -90, -10))
#: from a pointer's move, as the browser had it, until the frame with what it changed has been painted
SEEN = """
window.seen = [];
addEventListener("pointermove", (event) => {
  if (event.buttons === 0) return;
  const paint = new MessageChannel();
  paint.port1.onmessage = () => window.seen.push(performance.now() - event.timeStamp);
  requestAnimationFrame(() => paint.port2.postMessage(0));
}, true);
"""


def show_space(page: Page) -> None:
    page.get_by_label("3D", exact=True).check()
    expect(page.locator(".space polygon[data-number]").first).to_be_attached()


def settled(page: Page) -> None:
    """The answers are those of the question that is shown."""
    expect(page.locator(".answers")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".layer-bars")).to_be_attached()


def line_in(url: str) -> tuple[str, ...]:
    """The line of moves in an address."""
    return tuple(parse_qs(url.split("?", 1)[1])["line"][0].split())


def line_of(page: Page) -> list[str]:
    return page.locator(".moves button").all_inner_texts()


class Walk:
    """The seconds of each step, and a trace that `playwright show-trace` plays."""

    def __init__(self, page: Page) -> None:
        self.page, self.steps, self._began = page, dict[str, float](), time.perf_counter()
        page.context.tracing.start(screenshots=True, snapshots=True)

    def step(self, name: str) -> None:
        self.steps[name] = time.perf_counter() - self._began - sum(self.steps.values())

    def end(self, capsys: pytest.CaptureFixture[str]) -> None:
        WALK.mkdir(parents=True, exist_ok=True)
        self.page.context.tracing.stop(path=WALK / "four-questions.zip")
        told = "\n".join(f"  {seconds:5.1f} s  {name}" for name, seconds in self.steps.items())
        (WALK / "four-questions.txt").write_text(told + "\n")
        with capsys.disabled():
            print(f"\nfour questions in {sum(self.steps.values()):.1f} s ({WALK / 'four-questions.zip'}):\n{told}")


def test_four_questions_from_a_cold_start(browser: Browser, api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    page, watch = new_page(browser, api.url)
    walk = Walk(page)
    page.goto("/")
    settled(page)
    walk.step("the board, from nothing")
    puzzle = get_puzzle("megaminx")
    moves = puzzle.move_set("ccw")
    h = get_heuristic(S2, puzzle, moves)
    scramble = make_scramble(puzzle, 7, 17, "cw")
    start = puzzle.apply_alg(puzzle.solved, scramble.alg)

    # Is my h admissible? No: here, and the nearest counterexample is put on the board.
    answer = page.get_by_role("region", name="Is h admissible?")
    claimed = re.search(r"h = (\d+), but h\* = (\d+) after move (\d+)", answer.inner_text())
    assert claimed is not None
    value, distance, number = map(int, claimed.groups())
    state = puzzle.apply_alg(start, line_of(page)[:number])
    given = {"puzzle": "megaminx", "state": puzzle.format_state(state), "moves": "ccw", "algorithm": "breadth_first"}
    assert (h(state), solve(prepare(SolveRequest.model_validate(given))).length) == (value, distance)
    assert value > distance
    answer.get_by_role("button", name="after move").click()
    expect(page.locator(".controls output")).to_have_text(f"{number}/7")
    answer.get_by_role("button", name="Show the counterexample").click()
    expect(page.get_by_label("Moves from solved")).to_have_value("U U F")
    settled(page)
    expect(answer).to_contain_text("h = 4, but h* = 3 at the start")
    walk.step("is my h admissible")
    page.go_back()

    # Why did k = 7 die? Each layer as plain Python counts it.
    page.get_by_label("Examples").select_option(label="Megaminx, k = 7, a heuristic that overestimates")
    settled(page)
    layers: dict[float, int] = {}

    def watched(state: bytes, parent: bytes | None, move: str | None, g: int, value: float) -> None:
        layers[g + value] = layers.get(g + value, 0) + 1

    reference.astar(puzzle, start, moves.moves, h, watch=watched)
    nodes = page.get_by_role("region", name="Where did the nodes go?")
    told = "; ".join(f"f {f:g}: {count}" for f, count in sorted(layers.items()))
    expect(nodes.get_by_role("img")).to_have_attribute("aria-label", f"Expansions by f. {told}")
    worst = max(layers, key=lambda f: layers[f])
    expect(nodes).to_contain_text(f"f = {worst:g} took {layers[worst]} of {sum(layers.values())} expansions")
    walk.step("why did k = 7 die")

    # What is the optimum in my names?
    shortest = page.get_by_role("region", name="What is shortest?")
    expect(shortest).to_contain_text("7 moves, and no solution is shorter")
    ours = shortest.locator(".alg").inner_text().split()
    assert puzzle.apply_alg(start, ours) == puzzle.solved
    shortest.get_by_label("Moves named").select_option("own")
    face = ours[0].rstrip("'")
    shortest.get_by_label(re.compile(rf"^{face} ")).fill("front")
    shortest.get_by_label(re.compile(rf"^{face} ")).press("Tab")
    settled(page)
    expect(shortest.locator(".alg")).to_have_text(
        " ".join("front'" if move == f"{face}'" else move for move in ours), use_inner_text=True
    )
    walk.step("what is my optimum in my labels")

    # How do I compare? The count of a queue that tests nothing for duplicates.
    graph = conventions.Graph(puzzle, moves, h)
    other = conventions.run(graph, start, "none", "fifo", "when expanded")
    assert other is not None
    assert other.expanded != sum(layers.values())
    compare = page.get_by_role("region", name="How do I compare?")
    compare.get_by_label("I expanded").fill(str(other.expanded))
    settled(page)
    expect(compare.locator(".badge")).to_have_text(f"{other.expanded:,}: right by a convention")
    walk.step("how do I compare")
    walk.end(capsys)
    page.context.close()
    watch.check()


def place_of(page: Page, facelet: int) -> tuple[float, float]:
    """The middle of a facelet of the front, while nothing moves."""
    box = page.locator(f".space polygon[data-face='F'][data-facelet='{facelet}']").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, place: tuple[float, float], dx: float, dy: float) -> None:
    """Drag what is at this place by so many pixels."""
    x, y = place
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.3, 0.6, 1.0):
        page.mouse.move(x + dx * part, y + dy * part)
    page.mouse.up()


def test_a_face_is_turned_by_dragging_it(page: Page) -> None:
    page.goto("/#/board?puzzle=megaminx&alg=U F&moves=single")
    show_space(page)
    settled(page)
    puzzle = get_puzzle("megaminx")
    made: list[str] = []
    state = puzzle.apply_alg(puzzle.solved, ("U", "F"))
    shows(lambda: in_space(page), puzzle.format_state(state)["facelets"])
    for facelet, dx, dy in DRAGS:
        drag(page, place_of(page, facelet), dx, dy)
        expect(page.locator(".moves button")).to_have_count(len(made) + 1)
        move = line_of(page)[len(made)]
        made.append(move)
        state = puzzle.apply_alg(state, [move])
        # At once: who goes on turning turns what is seen.
        assert puzzle.parse_state({"facelets": in_space(page)}) == state
    assert len(set(made)) > 1
    settled(page)
    expect(page.locator(".controls output")).to_have_text("3/3")
    # What was turned is the line in the address, and a link shows it again; from its end one can go on.
    shows(lambda: line_in(page.url), tuple(made))
    page.reload()
    settled(page)
    shows(lambda: line_of(page), made)
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("button", name="Start here").click()
    expect(page.get_by_label("Moves from solved")).to_have_value(" ".join(["U", "F", *made]))
    settled(page)
    shows(lambda: in_space(page), puzzle.format_state(state)["facelets"])


def test_turns_by_hand_that_follow_quickly_are_all_made(page: Page) -> None:
    """A drag ends the turn before, which still moves, and takes hold of what is then under the pointer."""
    page.emulate_media(reduced_motion="no-preference")
    page.goto("/#/board?puzzle=megaminx&alg=U F&moves=single")
    show_space(page)
    settled(page)
    places = [place_of(page, facelet) for facelet, _, _ in DRAGS]
    for place, (_, dx, dy) in zip(places, DRAGS, strict=True):
        drag(page, place, dx, dy)
    expect(page.locator(".moves button")).to_have_count(len(DRAGS))
    puzzle = get_puzzle("megaminx")
    made = tuple(line_of(page))
    shows(lambda: in_space(page), puzzle.format_state(puzzle.apply_alg(puzzle.solved, ("U", "F", *made)))["facelets"])
    settled(page)
    shows(lambda: line_in(page.url), made)


@pytest.mark.thorough
def test_how_long_a_turn_by_hand_takes_to_be_seen(
    browser: Browser, api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prints figures for docs/performance.md, and asserts none of them: each move of the pointer was drawn."""
    told = []
    every = [("megaminx", 1), ("master_pyraminx", 6), ("3x3x3", 1), ("7x7x7", 3)]
    for puzzle, facelet in every:
        page, watch = new_page(browser, api.url)
        page.add_init_script(SEEN)
        page.goto(f"/#/board?puzzle={puzzle}&alg=&heuristic=zero")
        show_space(page)
        settled(page)
        held = page.locator(f".space polygon[data-face='F'][data-facelet='{facelet}']")
        x, y = place_of(page, facelet)
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.mouse.move(x, y)
        page.mouse.down()
        before = scripts(tools)
        drawn = set()
        for step in range(1, MOVES + 1):
            page.mouse.move(x + 8 + 0.6 * step, y + step / 8)
            drawn.add(held.get_attribute("points"))
        page.wait_for_function(f"window.seen.length >= {MOVES}")
        work = (scripts(tools) - before) / MOVES
        page.mouse.up()
        assert len(drawn) > MOVES / 2  # two moves within one frame are drawn at once
        seen = sorted(page.evaluate("window.seen"))
        told.append(
            f"  {puzzle}: {statistics.median(seen):.0f} ms, 95 % below {seen[int(0.95 * len(seen))]:.0f} ms, most "
            f"{seen[-1]:.0f} ms; {work:.1f} ms of processor time a move"
        )
        page.context.close()
        watch.check()
    with capsys.disabled():
        print(f"\nfrom a pointer's move to the painted frame, {MOVES} moves each:\n" + "\n".join(told))


MOVES = 60


def scripts(tools: CDPSession) -> float:
    """Milliseconds of processor time of the page's thread so far."""
    found = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(found["TaskDuration"])


def test_a_puzzle_in_space_has_all_of_its_room_while_the_net_is_loaded(page: Page) -> None:
    page.route("**/picture.svg", lambda _: None)
    page.goto("/#/board?puzzle=3x3x3&alg=R U&heuristic=zero")
    show_space(page)
    settled(page)
    room, drawn = (page.locator(place).bounding_box() for place in (".see .picture", ".see .space"))
    assert room is not None
    assert room == drawn


def test_a_painted_state_stands_in_space(page: Page) -> None:
    page.goto("/#/board?puzzle=master_pyraminx&k=0&seed=1")
    show_space(page)
    page.get_by_label("State", exact=True).check()
    page.locator(".colours input").nth(1).check()
    page.locator(".space polygon[data-face='F'][data-facelet='6']").click()
    expect(page.locator(".space polygon[data-face='F'][data-facelet='6']")).to_have_attribute("data-colour", "BL")
    expect(page.locator(".field.wrong .says p").first).to_be_visible()


def test_everything_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/#/board?puzzle=8-puzzle&alg=U L&heuristic=manhattan")
    settled(page)

    tab_to(page, "textbox", "Moves to make from here")
    page.keyboard.type("D U")
    page.keyboard.press("Enter")
    settled(page)
    shows(lambda: line_of(page), ["D", "U"])
    expect(page.locator(".controls output")).to_have_text("2/2")
    tab_to(page, "button", "Shortest line")
    page.keyboard.press("Enter")
    settled(page)
    shows(lambda: line_of(page), ["R", "D"])
    tab_to(page, "spinbutton", "I expanded")
    page.keyboard.type("2")
    settled(page)
    expect(page.get_by_role("region", name="How do I compare?").locator(".badge")).to_have_text(
        "2: the service's count"
    )


def test_a_count_is_what_was_typed_for_this_search(page: Page) -> None:
    """No example has one, it stays with another h, and another start has none."""
    page.goto("/#/")
    settled(page)
    compare = page.get_by_role("region", name="How do I compare?")
    typed = compare.get_by_label("I expanded")
    examples = page.get_by_label("Examples")
    for number in range(1, examples.locator("option").count()):
        examples.select_option(index=number)
        settled(page)
        expect(typed).to_have_value("")
        expect(compare.locator(".badge, .spread")).to_have_count(0)
    # The goal is the example's own, and so is what is in its place.
    board = page.locator(".boards")
    expect(board.locator(".goal")).to_contain_text("Goal: 1 2 3 / 8 □ 4 / 7 6 5")
    tiles, goal = (2, 1, 6, 4, 0, 8, 7, 5, 3), (1, 2, 3, 8, 0, 4, 7, 6, 5)
    home = [str(tile) for tile, wanted in zip(tiles, goal, strict=True) if tile == wanted != 0]
    assert sorted(board.locator(".tile.home").all_inner_texts()) == home
    typed.fill("1873")
    settled(page)
    expect(compare.locator(".badge")).to_contain_text("1,873: ")
    page.get_by_label("Heuristic h").fill("manhattan")
    settled(page)
    expect(typed).to_have_value("1873")
    page.get_by_role("radiogroup", name="Given as").get_by_label("Random").check()
    settled(page)
    expect(typed).to_have_value("")


def test_a_long_search_is_compared_in_words(page: Page) -> None:
    """What the text names stands on the axis, and no word is a program's."""
    page.goto("/#/board?puzzle=8-puzzle&k=40&seed=2&heuristic=zero&expanded=45000")
    settled(page)
    given = {"puzzle": "8-puzzle", "scramble": {"k": 40, "seed": 2}, "heuristic": "zero"}
    counts = [
        solve(prepare(SolveRequest.model_validate({**given, "tie_breaking": ties}))).counters.expanded
        for ties in ("low_h", "lifo", "fifo")
    ]
    compare = page.get_by_role("region", name="How do I compare?")
    expect(compare.locator(".badge")).to_have_text("45,000: could be right")
    for count in counts:
        expect(compare).to_contain_text(f"{count:,} with ties")
    expect(compare).not_to_contain_text(re.compile("low_h|lifo|fifo"))
    told = f"all from {min(*counts, 45_000)} to {max(*counts, 45_000)}"
    expect(compare.get_by_role("img")).to_have_attribute("aria-label", re.compile(told))
    expect(compare.locator(".spread rect")).to_have_count(len(set(counts)))
    expect(compare.get_by_role("link", name="Hand in")).to_be_visible()


def test_the_largest_layer_and_the_one_before_stand_by_themselves(page: Page) -> None:
    puzzle, layers = get_puzzle("8-puzzle"), dict[float, int]()
    h = get_heuristic("manhattan * 4", puzzle, puzzle.move_set(None))
    start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 26, 3, None).alg)

    def watched(state: bytes, parent: bytes | None, move: str | None, g: int, value: float) -> None:
        layers[g + value] = layers.get(g + value, 0) + 1

    reference.astar(puzzle, start, puzzle.move_set(None).moves, h, watch=watched)
    page.goto("/#/board?puzzle=8-puzzle&k=26&seed=3&heuristic=manhattan * 4")
    settled(page)
    told = page.locator(".layer-bars").get_attribute("aria-label") or ""
    bars = re.findall(r"f (\S+ ?\d*): (\d+)", told)
    assert len(bars) == 6
    assert sum(int(count) for _, count in bars) == sum(layers.values())
    worst = max(layers, key=lambda f: layers[f])
    assert (f"{worst:g}", str(layers[worst])) in bars
    assert (f"{worst - 1:g}", str(layers[worst - 1])) in bars


def test_on_a_telephone_the_question_comes_first_and_tabs_stay_in_place(browser: Browser, api: Api) -> None:
    page, watch = new_page(browser, api.url, viewport={"width": 390, "height": 844})
    page.goto("/#/board?puzzle=megaminx&k=4&seed=3&heuristic=s1-misplaced-facelets&expanded=9")
    settled(page)
    question = page.locator(".ask > summary")
    expect(question).to_be_in_viewport(ratio=0.999)
    expect(question).to_contain_text("s1-misplaced-facelets")
    tabs = page.get_by_role("radiogroup", name="Answer")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    before = tabs.bounding_box()
    for name in ("Nodes", "Shortest", "Compare", "h ≤ h*?"):
        tabs.get_by_label(name, exact=True).check()
        expect(page.locator(".answers .panel:visible")).to_have_count(1)
        assert tabs.bounding_box() == before, name
    # While h is changed, the verdict is in sight.
    question.click()
    h = page.get_by_label("Heuristic h")
    h.fill("s2-face-distance")
    h.scroll_into_view_if_needed()
    expect(question.locator(".badge")).to_have_text("h ≤ h*: refuted")
    expect(question.locator(".badge")).to_be_in_viewport()
    h.fill("zero")
    expect(question.locator(".badge")).to_have_text("h ≤ h*: proven")
    page.context.close()
    watch.check()


def test_the_trace_of_ones_own_search(page: Page, tmp_path: Path) -> None:
    puzzle = get_puzzle("8-puzzle")
    h = get_heuristic("manhattan", puzzle, puzzle.move_set(None))
    start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 14, 3, None).alg)
    rows = ["Tiefe;Heuristik"]

    def watched(state: bytes, parent: bytes | None, move: str | None, g: int, value: float) -> None:
        rows.append(f"{g};{value:g}")

    reference.astar(puzzle, start, puzzle.move_set(None).moves, h, watch=watched)
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(rows))
    page.goto("/#/board?puzzle=8-puzzle&k=14&seed=3&heuristic=manhattan")
    settled(page)
    page.get_by_label("or my A* wrote").set_input_files(file)
    found = page.locator(".traced")
    expect(found).to_contain_text(f"{len(rows) - 1} rows, columns Tiefe = g, Heuristik = h")
    expect(found.locator(".badge")).to_have_text("nothing wrong")
    # Its link has the trace.
    address = page.url
    assert re.search(r"#/board/[\w-]+$", address)
    page.goto("/#/jobs")
    page.goto(address)
    expect(found).to_contain_text(f"{len(rows) - 1} rows")
    (tmp_path / "not.csv").write_text("colour,sound\nred,loud\n")
    page.get_by_label("or my A* wrote").set_input_files(tmp_path / "not.csv")
    expect(page.locator(".answer-compare .field.wrong .says")).to_contain_text("it needs a column g")


def test_one_figure_for_a_report(page: Page) -> None:
    page.goto("/#/board?puzzle=megaminx&k=4&seed=3")
    settled(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Figure as SVG").click()
    root = ET.parse(saved.value.path()).getroot()
    text = " ".join(root.itertext())
    assert "Megaminx: k = 4, seed 3" in text
    assert "4 moves, proven shortest" in text
    assert len([one for one in root.iter() if one.tag.endswith("polygon")]) >= 60
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_link_asks_no_second_time(page: Page, api: Api) -> None:
    page.goto("/#/board?puzzle=8-puzzle&k=9&seed=27")
    settled(page)
    with api.client() as client:
        before = client.get("/v1/jobs?kind=analysis").json()["items"][0]["id"]
        page.reload()
        settled(page)
        assert client.get("/v1/jobs?kind=analysis").json()["items"][0]["id"] == before


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    for page, look, paths in looks(browser, api.url, ("/#/", "/#/board?puzzle=8-puzzle&k=8&seed=1&expanded=9")):
        for path in paths:
            visit(page, path)
            settled(page)
            assert page.viewport_size is not None
            check_axe(page, axe, f"{path} {look}")
            # The puzzle, its chart and an answer stand above the fold.
            for part in (".see .picture", ".chart-line", ".answers .sentence >> visible=true"):
                box = page.locator(part).first.bounding_box()
                assert box is not None, part
                assert box["y"] + box["height"] <= page.viewport_size["height"], (part, path, look)


@pytest.mark.parametrize("size", [(390, 844), (1440, 900), (2000, 1250)])
def test_what_matters_is_above_the_fold(browser: Browser, api: Api, size: tuple[int, int]) -> None:
    width, height = size
    page, watch = new_page(browser, api.url, viewport={"width": width, "height": height})

    def in_sight(*parts: Locator) -> None:
        for part in parts:
            expect(part).to_be_in_viewport(ratio=0.999)

    # many layers, and a long answer
    board = "/#/board?puzzle=8-puzzle&k=20&seed=1&heuristic=misplaced_tiles&expanded=900"
    page.goto(board)
    # The last to come is the answer; what is above has its place by then.
    expect(page.locator(".answers")).to_have_attribute("aria-busy", "false")
    in_sight(page.locator(".see .picture"), page.locator(".controls"), page.locator(".chart-line"))
    if width < 1000:
        in_sight(page.get_by_role("radiogroup", name="Answer"), page.get_by_text("admissible: proven"))
    else:
        for answer in ("Is h admissible?", "Where did the nodes go?", "What is shortest?", "How do I compare?"):
            in_sight(page.get_by_role("heading", name=answer))
        in_sight(page.get_by_text("900: cannot be"), page.get_by_role("button", name="Copy the link"))
    page.goto("/#/solve?puzzle=8-puzzle&k=8&seed=1")
    solve = page.get_by_role("button", name="Solve", exact=True)
    expect(solve).to_be_enabled()
    in_sight(page.locator(".see .picture"), solve)
    solve.click()
    in_sight(page.locator(".result .badge.solved"), page.locator(".result .sentence"))
    page.context.close()
    watch.check()
