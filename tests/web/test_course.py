"""A course in a real browser: a newcomer's class of forty, a notation asked once, copies side by side, counts."""

from __future__ import annotations

import csv
import io
import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.servers import wait_until
from tests.service.processes import Api
from tests.web.conftest import Watch, check_axe, looks, new_page, tab_to, visit

STUDENTS = [str(1001 + number) for number in range(40)]
#: what eight of them hand in instead of results
BROKEN: dict[str, tuple[str, bytes]] = {
    "1004": ("pdf", b"%PDF-1.7 a report"),
    "1007": ("csv", b""),
    "1011": ("zip", b"PK\x03\x04 cut off"),
    "1016": ("png", b"\x89PNG\r\n\x1a\n"),
    "1021": ("csv", b"colour,sound\nred,loud\n"),
    "1026": ("json", b'{"results": ['),
    "1031": ("bin", bytes(range(256))),
    "1036": ("zip", b""),
}
#: clicks of a pointer; the views are one document
COUNT_CLICKS = """
window.clicks = 0;
addEventListener("click", (event) => { if (event.isTrusted && event.detail > 0) window.clicks += 1; }, true);
"""


def undo(alg: str) -> str:
    """The solution of a scramble of clockwise turns with counter-clockwise ones."""
    return " ".join(f"{move}'" for move in reversed(alg.split()))


def rows_of(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name).locator("tbody tr")


def of_canvas(text: str) -> dict[str, float | None]:
    """The points of each student in a file for Canvas; None for an empty cell."""
    header, _, *rows = csv.reader(io.StringIO(text))
    column = next(n for n, name in enumerate(header) if name.startswith("Megaminx with A*"))
    return {next(cell for cell in row if cell in STUDENTS): float(row[column]) if row[column] else None for row in rows}


def test_forty_files_of_which_eight_are_broken_become_a_gradebook_of_forty_rows(
    browser: Browser, api: Api, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As somebody who has never seen the page: from its first view to Canvas' file, without code or JSON."""
    roster = tmp_path / "class.csv"
    roster.write_text("ID,Name\n" + "".join(f"{student},Student {student}\n" for student in STUDENTS))
    page, watch = new_page(browser, api.url)
    page.add_init_script(COUNT_CLICKS)
    began = time.perf_counter()
    page.goto("/")
    page.get_by_role("radiogroup", name="Page for").get_by_label("Instructor").check()
    page.get_by_role("link", name="Class", exact=True).click()
    page.get_by_role("link", name="Roster", exact=True).click()
    page.get_by_label("Course").fill("ai-2026")
    page.get_by_label("Course").press("Tab")
    chooser = page.get_by_label("A file with its students")
    expect(chooser).to_be_enabled()
    chooser.set_input_files(roster)
    expect(page.get_by_text("40 students")).to_be_visible()
    page.get_by_role("button", name="Store").click()
    expect(rows_of(page, "Roster")).to_have_count(40)
    page.get_by_role("link", name="All assignments").click()
    page.get_by_role("link", name="New assignment").click()
    # The view before has a field of this name, too.
    expect(page.get_by_role("button", name="Show instances")).to_be_visible()
    page.get_by_label("Course").fill("ai-2026")
    expect(page.get_by_text("Each of the 40 on its roster has a row in the gradebook.")).to_be_visible()
    page.get_by_role("button", name="Show instances").click()
    page.get_by_role("button", name="Use those at distance k").click()
    page.get_by_role("button", name="Create the assignment").click()
    expect(page.get_by_text("No submissions yet")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/class/(?!new)[\w-]+$"))
    assignment = page.url.split("#/class/")[1]

    # Outside the page: forty students answer. One does it wrongly in one line.
    with api.client() as client:
        shown = client.get(f"/v1/assignments/{assignment}?view=student").json()["assignment"]["instances"]
    lines = [f"{one['name']},{undo(one['alg'])}" for one in shown]
    files = []
    for student in STUDENTS:
        ending, data = BROKEN.get(student, ("csv", "\n".join(["instance,solution", *lines]).encode()))
        if student == "1002":
            data = "\n".join(["instance,solution", *lines[1:], f"{shown[0]['name']},U'"]).encode()
        files.append(tmp_path / f"{student}.{ending}")
        files[-1].write_bytes(data)

    page.get_by_label("Many files or a zip").set_input_files(files)
    expect(page.get_by_text("32 became submissions, 8 need a look")).to_be_visible()
    page.get_by_role("tab", name="Gradebook").click()
    book = rows_of(page, "Gradebook")
    expect(book).to_have_count(40)
    expect(book.locator(".badge.done")).to_have_count(32)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Canvas", exact=True).click()
    seconds, clicks = time.perf_counter() - began, page.evaluate("window.clicks")
    # By the keystroke-level model (Card, Moran and Newell, 1980): a click takes 1.3 s, a thought before it 1.35 s;
    # nine letters of the course twice 0.28 s each; a file dialog is another two clicks.
    person = (clicks + 2 * 2) * (1.3 + 1.35) + 2 * 9 * 0.28
    with capsys.disabled():
        print(f"\nforty files: {clicks} clicks, 2 words typed, 2 file dialogs; this browser took {seconds:.0f} s, "
              f"grading included; a person's hands and eyes about {person / 60:.1f} min")  # fmt: skip
    scores = of_canvas(saved.value.path().read_text(encoding="utf-8-sig"))
    assert len(scores) == 40
    assert [student for student in STUDENTS if scores[student] is None] == sorted(BROKEN)
    perfect = {student: score for student, score in scores.items() if student not in BROKEN and student != "1002"}
    assert set(perfect.values()) == {100}
    assert 0 < (scores["1002"] or 0) < 100
    for student in BROKEN:
        row = book.filter(has=page.get_by_role("link", name=student, exact=True))
        expect(row.locator(".badge")).to_have_text("cannot be read")
        expect(row.locator(".notes .lost")).not_to_be_empty()
    page.context.close()
    watch.check()


def test_what_is_typed_stays_while_the_view_is_drawn_again(page: Page) -> None:
    """The list of courses comes after somebody has begun to type."""
    held: list[Route] = []
    page.route("**/v1/courses", lambda route: held.append(route))
    page.goto("/#/class/roster")
    course = page.get_by_label("Course")
    course.fill("typed-early")
    wait_until(lambda: bool(page.evaluate("true") and held), "the page to ask for the courses")
    with page.expect_response("**/v1/courses"):
        held[0].fulfill(json={"items": [{"course": "of-the-list", "students": 1}]})
    expect(page.get_by_text("of-the-list")).to_be_visible()
    expect(course).to_have_value("typed-early")
    course.press("Tab")
    expect(page.get_by_label("A file with its students")).to_be_enabled()
    expect(page).to_have_url(re.compile("course=typed-early$"))


def make(api: Api, course: str, **more: object) -> tuple[str, list[dict[str, str]]]:
    """An assignment of a course, and its instances."""
    document = {
        "title": f"Week of {course}", "puzzle": "megaminx", "moves": "ccw", "scramble_moves": "cw", "course": course,
        "instances": [{"k": [3, 4, 5, 6], "each": 3, "seed": 1}], "rubric": [{"kind": "valid", "points": 10}],
        "heuristic": "s1-misplaced-facelets", **more,
    }  # fmt: skip
    with api.client() as client:
        made = client.post("/v1/assignments", json=document)
        assert made.is_success, made.text
        id = made.json()["id"]
        return id, client.get(f"/v1/assignments/{id}?view=student").json()["assignment"]["instances"]


def in_numbers(instances: list[dict[str, str]], backwards: bool = False) -> str:
    """Faces by number, with signs: `+10 -7`."""
    faces = sorted({move for one in instances for move in one["alg"].split()}, reverse=backwards)
    number = {face: i + 1 for i, face in enumerate(faces)}
    lines = []
    for one in instances:
        moves = [number[move] for move in one["alg"].split()]
        lines.append(f"{' '.join(f'+{m}' for m in moves)},{' '.join(f'-{m}' for m in reversed(moves))}")
    return "scramble,solution\n" + "\n".join(lines)


def test_a_notation_is_asked_once_and_kept(page: Page, api: Api, axe: str, tmp_path: Path) -> None:
    assignment, instances = make(api, "notations", attempts=2)
    page.goto(f"/#/hand-in/{assignment}?student=nan")
    page.get_by_label("Text", exact=True).check()
    page.get_by_label("The submission").fill(in_numbers(instances))
    page.get_by_role("button", name="Hand in", exact=True).click()
    question = page.get_by_role("region", name="What your moves mean")
    expect(question).to_contain_text("12 of 12 lines solve their instance")
    # An item without a name is called in words.
    expect(page.get_by_role("region", name="What is asked")).to_contain_text("valid solutions")
    expect(page.locator(".stat", has_text="Attempts left")).to_contain_text("2 of 2")
    face = instances[0]["alg"].split()[0]
    number = sorted({move for one in instances for move in one["alg"].split()}).index(face) + 1
    expect(question.get_by_label(f"+{number} in scrambles")).to_have_value(face)
    expect(question.get_by_label(f"-{number} in solutions")).to_have_value(f"{face}'")
    check_axe(page, axe, "the question about a notation")
    question.get_by_role("button", name="Yes, hand it in").click()
    expect(page.locator(".score")).to_contain_text("10 of 10")
    # The next file is read as it was confirmed.
    page.get_by_label("The submission").fill(in_numbers(instances).replace("scramble", "Scramble"))
    page.get_by_role("button", name="Hand in", exact=True).click()
    expect(page.locator(".stat", has_text="Attempts left")).to_contain_text("0 of 2")
    expect(question).to_have_count(0)

    # An instructor is asked the same about files of others, once for those in which the same words mean the same.
    numbered = {"max.csv": False, "mia.csv": False, "moe.csv": True}
    for file, backwards in numbered.items():
        (tmp_path / file).write_text(in_numbers(instances, backwards))
    page.goto(f"/#/class/{assignment}")
    page.get_by_label("Many files or a zip").set_input_files([tmp_path / file for file in numbered])
    row = rows_of(page, "Uploaded files").filter(has_text="max.csv")
    expect(row.locator(".badge")).to_have_text("notation to confirm")
    row.get_by_role("button", name="Confirm").click()
    expect(question.get_by_role("heading")).to_contain_text("the moves of max.csv")
    expect(question).to_contain_text("are also in mia.csv")
    expect(question).not_to_contain_text("moe.csv")
    question.get_by_role("button", name="Yes, for all 2 files").click()
    expect(page.get_by_text("2 became submissions, 1 need a look")).to_be_visible()
    row = rows_of(page, "Uploaded files").filter(has_text="moe.csv")
    row.get_by_role("button", name="Confirm").click()
    expect(question.get_by_role("heading")).to_contain_text("the moves of moe.csv")
    expect(question.get_by_role("button", name="Yes, for all")).to_have_count(0)
    question.get_by_role("button", name="Yes, hand it in").click()
    expect(page.get_by_text("3 became submissions, 0 need a look")).to_be_visible()


def test_copies_stand_side_by_side_and_the_class_counts_on_the_board(
    page: Page, browser: Browser, api: Api, axe: str
) -> None:
    assignment, instances = make(api, "copies")
    names = [one["name"] for one in instances]

    def lines(counts: list[int], wrong: tuple[int, ...] = ()) -> str:
        solutions = [undo(one["alg"]) if n not in wrong else "U' D' U'" for n, one in enumerate(instances)]
        rows = zip(names, solutions, map(str, counts), strict=True)
        return "instance,solution,nodes\n" + "\n".join(map(",".join, rows))

    files = {
        "ann": lines([20 + n for n in range(12)], (2, 5, 8)),
        "bob": lines([20 + n for n in range(12)], (2, 5, 8)) + "\n",
        **{f"s{i}": lines([10 * i + (3 * n * (i + 2) + i * i) % 11 for n in range(12)]) for i in range(1, 7)},
    }
    with api.client() as client:
        body = {"files": [{"filename": f"{name}.csv", "content": content} for name, content in files.items()]}
        assert client.post(f"/v1/assignments/{assignment}/uploads", json=body).is_success
    page.goto(f"/#/class/{assignment}?show=statistics")
    expect(page.locator(".stat", has_text="Students")).to_contain_text("8")
    alike = page.get_by_role("region", name="Alike", exact=True)
    expect(alike.locator(".similar > li")).to_have_count(1)
    expect(alike).to_contain_text("ann and bob")
    expect(alike).to_contain_text("The same wrong solutions of 3 instances")
    expect(alike).to_contain_text("not a verdict")
    expect(alike).to_contain_text(re.compile("By chance (about|less than) once in a?"))
    alike.get_by_role("link", name="Side by side").click()
    expect(page.get_by_role("heading", name="Side by side")).to_be_in_viewport()
    table = page.get_by_role("region", name="Lines side by side")
    expect(table.locator("tbody tr")).to_have_count(12)
    third = table.locator("tbody tr").nth(2)
    expect(third).to_contain_text("the same wrong solution")
    expect(third.locator("td code.same")).to_have_text(["U' D' U'", "U' D' U'"])
    expect(third.locator("td small.same")).to_have_count(2)
    assert "cheat" not in page.inner_text("main").lower()
    page.reload()
    expect(table.locator("tbody tr")).to_have_count(12)
    for other, look, _ in looks(browser, api.url):
        visit(other, page.url)
        expect(other.get_by_role("region", name="Lines side by side").locator("tbody tr")).to_have_count(12)
        check_axe(other, axe, f"side by side {look}")
        # Its cells stand below one another where they do not fit beside one another.
        table = other.get_by_role("region", name="Lines side by side")
        assert table.evaluate("one => one.scrollWidth <= one.clientWidth"), look

    # From a student's result to the board, with the class's counts beside one's own.
    page.goto(f"/#/hand-in/{assignment}?student=ann")
    page.get_by_role("region", name="Instances").get_by_role("link", name=names[0]).click()
    compare = page.get_by_role("region", name="How do I compare?")
    expect(compare.get_by_label("I expanded")).to_have_value("20")
    told = compare.locator(".class-counts")
    # 11, 20, 20, 24, 39, 45, 53 and 63: quartiles lie between neighbours
    expect(told).to_have_text(
        "Of 8 students of the class half expanded 20 to 47 nodes, the median 32. Yours is among them."
    )
    expect(compare.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"median 31\.5"))
    check_axe(page, axe, "the class on the board")
    # Another scramble is no instance of the class.
    page.get_by_label("Moves from solved").fill("U F R")
    expect(told).to_have_count(0)


def test_notation_copies_and_class_counts_with_the_keyboard_alone(page: Page, api: Api) -> None:
    assignment, instances = make(api, "keys", attempts=2)
    page.goto(f"/#/hand-in/{assignment}?student=nan")
    tab_to(page, "radio", "A file")
    page.keyboard.press("ArrowRight")
    tab_to(page, "textbox", "The submission")
    page.keyboard.insert_text(in_numbers(instances))
    tab_to(page, "button", "Hand in")
    page.keyboard.press("Enter")
    question = page.get_by_role("region", name="What your moves mean")
    expect(question).to_be_visible()
    # Another meaning is chosen, seen in the lines below, and taken back.
    first = question.get_by_role("combobox").first
    tab_to(page, "combobox", first.get_attribute("aria-label") or "")
    meant = first.input_value()
    page.keyboard.press("ArrowDown")
    expect(first).not_to_have_value(meant)
    page.keyboard.press("ArrowUp")
    expect(first).to_have_value(meant)
    tab_to(page, "button", "Yes, hand it in")
    page.keyboard.press("Enter")
    expect(page.locator(".score")).to_contain_text("10 of 10")

    lines = [f"{one['name']},{undo(one['alg'])},{17 + n}" for n, one in enumerate(instances)]
    lines[3] = lines[3].replace("'", "' D' D'", 1)
    files = [
        {"filename": f"{name}.csv", "content": "\n".join(["instance,solution,nodes", *lines]) + "\n" * n}
        for n, name in enumerate(("ann", "bob"))
    ]
    files += [{"filename": f"c{n}.csv", "content": f"instance,solution\n{lines[n]}\n"} for n in range(4)]
    with api.client() as client:
        assert client.post(f"/v1/assignments/{assignment}/uploads", json={"files": files}).is_success
    page.goto(f"/#/class/{assignment}")
    tab_to(page, "tab", "Submissions")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Statistics")).to_be_focused()
    tab_to(page, "link", "Side by side")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Lines side by side").get_by_role("row")).to_have_count(13)
    tab_to(page, "link", "Close")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Lines side by side")).to_have_count(0)

    page.goto(f"/#/hand-in/{assignment}?student=ann")
    tab_to(page, "link", instances[0]["name"])
    page.keyboard.press("Enter")
    compare = page.get_by_role("region", name="How do I compare?")
    expect(compare.get_by_label("I expanded")).to_have_value("17")
    tab_to(page, "spinbutton", "I expanded")
    page.keyboard.press("Control+A")
    page.keyboard.type("23")
    expect(compare.locator(".badge")).to_contain_text("23")


def test_numbers_and_decisions_are_taken_as_they_are_typed(page: Page, api: Api) -> None:
    """Key by key: 2. on the way to 2.5 stays 2. until the 5; and a student who says who they are sees their work."""
    assignment, instances = make(api, "decimals")
    page.goto("/#/class/new")
    number = page.get_by_label("Points", exact=True).first
    number.press("Control+A")
    page.keyboard.type("2.5")
    expect(number).to_have_value("2.5")
    with api.client() as client:
        content = f"instance,solution\n{instances[0]['name']},{undo(instances[0]['alg'])}\n"
        body = {"student": "ida", "content": content}
        assert client.post(f"/v1/assignments/{assignment}/submissions", json=body).is_success
    page.goto(f"/#/class/{assignment}?tab=gradebook")
    page.get_by_role("tab", name="Gradebook").click()
    page.get_by_role("button", name=re.compile("(Mark|Change) ida")).click()
    form = page.get_by_role("form", name="Marks and changes for ida")
    form.get_by_label("Points to add or take off").focus()
    page.keyboard.type("-0.5")
    expect(form.get_by_label("Points to add or take off")).to_have_value("-0.5")
    expect(form.get_by_text("Give a reason")).to_be_visible()
    expect(form.get_by_role("button", name="Save")).to_be_disabled()
    form.get_by_label("Why the adjustment").fill("handwriting")
    form.get_by_label("Due for this student").fill("2099-01-02T10:00")
    form.get_by_role("button", name="Save").click()
    expect(rows_of(page, "Gradebook").first.locator(".notes")).to_contain_text("−0.5: handwriting")
    page.goto(f"/#/hand-in/{assignment}?student=")
    page.get_by_label("Your id").fill("ida")
    page.get_by_label("Your id").press("Tab")
    expect(page.get_by_text("Due, extended")).to_be_visible()
    expect(page.get_by_role("region", name="Your attempts")).to_contain_text("−0.5: handwriting")
    # All that is to be solved is in sight, without a second way to scroll.
    expect(page.get_by_role("heading", name=f"What to solve: {len(instances)} instances")).to_be_visible()
    solve = page.get_by_role("region", name="Instances to solve")
    assert solve.evaluate("one => one.scrollHeight <= one.clientHeight")
    expect(page.locator(".score")).to_be_visible()


def test_an_upload_that_breaks_off_is_sent_again_with_its_key(
    watch_and_page: tuple[Page, Watch], api: Api, tmp_path: Path
) -> None:
    page, watch = watch_and_page
    watch.allowed.append("status of 503")
    assignment, instances = make(api, "retries")
    files = []
    for student in ("one", "two"):
        files.append(tmp_path / f"{student}.csv")
        files[-1].write_text(f"instance,solution\n{instances[0]['name']},{undo(instances[0]['alg'])}\n")
    page.goto(f"/#/class/{assignment}")
    keys: list[str | None] = []

    def lose_the_answer(route: Route) -> None:
        """The service has the files, and the page does not know."""
        if route.request.method != "POST":
            return route.continue_()
        keys.append(route.request.headers.get("idempotency-key"))
        answer = route.fetch()
        if len(keys) > 1:
            return route.fulfill(response=answer)
        return route.fulfill(status=503, json={"title": "Not now", "status": 503, "detail": "It broke off."})

    page.route(f"**/v1/assignments/{assignment}/uploads", lose_the_answer)
    page.get_by_label("Many files or a zip").set_input_files(files)
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.ok):
        page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("2 of 2 files sent. 2 became submissions")).to_be_visible()
    assert len(keys) == 2
    assert keys[0] == keys[1] is not None
    with api.client() as client:
        assert len(client.get(f"/v1/assignments/{assignment}/submissions").json()["items"]) == 2
