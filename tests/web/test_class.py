"""A class in a real browser: from an assignment to the gradebook, as an instructor and as a student."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import Error as PlaywrightError

from bench import pictures
from hstar.puzzles import get_puzzle
from hstar.search import SolveRequest, prepare, solve
from tests.grading.test_score import COURSE, STUDENTS, the_course
from tests.servers import Valkey
from tests.service.processes import Api, Worker
from tests.web.conftest import check_axe, looks, visit

ASSIGNMENT = the_course(hidden=True)
SCORES = {"ada": 100, "ben": 100, "cem": 85, "dee": 90, "eve": 100}


def hand_in(page: Page, student: str, file: str) -> None:
    page.get_by_label("Your id").fill(student)
    page.locator("#handed-in").set_input_files(COURSE / file)
    page.get_by_role("button", name="Hand in", exact=True).click()


def test_a_class_from_assignment_to_gradebook(page: Page, api: Api) -> None:
    # The instructor's assignment; how one is written in the form is another test.
    with api.client() as client:
        document = {**ASSIGNMENT, "due": "2035-12-01T23:59:00+01:00"}
        assignment = client.post("/v1/assignments", json=document).json()["id"]
    page.goto(f"/#/class/{assignment}")
    expect(page.get_by_role("heading", name=ASSIGNMENT["title"])).to_be_visible()
    expect(page.get_by_text("No submissions yet")).to_be_visible()

    # Five students submit; Cem sees why he lost points, and a command that shows it.
    for file in STUDENTS:
        page.goto(f"/#/hand-in/{assignment}?student={file[:3]}")
        expect(page.locator(".stat", has_text="Attempts left")).to_contain_text("3 of 3")
        hand_in(page, file[:3], file)
        expect(page.locator(".attempts .badge.done")).to_be_visible()
        expect(page.locator(".stat", has_text="Attempts left")).to_contain_text("2 of 3")
    page.goto(f"/#/hand-in/{assignment}?student=cem")
    reason = page.locator(".parts > li", has_text="admissible heuristic")
    expect(reason.locator(".reasons")).to_contain_text("U U F")
    expect(reason.locator(".command code")).to_contain_text("hstar")
    reason.get_by_role("link", name="See it on the board").click()
    expect(page.get_by_label("Moves from solved")).to_have_value("U U F")
    expect(page.get_by_role("region", name="Is h admissible?")).to_contain_text("h = 4, but h* = 3 at the start")
    page.go_back()
    expect(page.locator(".parts")).not_to_contain_text("hidden")
    # He brought this scramble himself; to a student it is like any other.
    expect(page.locator(".faults")).to_contain_text("its scramble is none of the assignment's instances")

    # He asks for a regrade, and the instructor answers.
    page.get_by_role("button", name="Ask for a regrade").click()
    page.get_by_label("About").select_option("admissible heuristic")
    page.get_by_label("What is wrong").fill("It was a slip of the pen.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".request")).to_contain_text("waits for an answer")
    page.goto(f"/#/class/{assignment}?show=requests")
    expect(page.locator(".request blockquote")).to_have_text("It was a slip of the pen.")
    page.get_by_role("textbox", name="Answer").fill("It is an error, but an honest one.")
    page.get_by_label("Points to add").fill("2.5")
    page.get_by_role("button", name="Grant").click()
    expect(page.locator(".request")).to_contain_text("+2.5 points")
    expect(page.get_by_role("tab", name="Regrade requests")).to_have_text("Regrade requests")
    page.goto(f"/#/hand-in/{assignment}?student=cem")
    expect(page.locator(".request .answered")).to_contain_text("an honest one")
    expect(page.locator(".stat", has_text="Your score")).to_contain_text("75.83 of 88.33")

    # In the class: every submission with its score, and one of them with its reasons.
    page.goto(f"/#/class/{assignment}")
    rows = page.locator(".listing tbody tr")
    expect(rows).to_have_count(5)
    for student, score in SCORES.items():
        told = f"{score + 2.5}{score}, +2.5 granted" if student == "cem" else str(score)
        expect(rows.filter(has=page.get_by_role("link", name=student, exact=True)).locator("td").nth(3)).to_have_text(
            told
        )
    # What was granted stands with the submission, too.
    page.get_by_role("link", name="cem", exact=True).click()
    one = page.get_by_role("region", name="Submission", exact=True)
    expect(one.locator("> .answered")).to_have_text(
        "85 by the grading, +2.5 granted: this attempt is worth 87.5 of 100."
    )
    expect(one).to_contain_text("In the gradebook cem has 87.5 of 100 (this attempt counts).")
    page.get_by_role("link", name="dee", exact=True).click()
    expect(page.locator(".submission .parts > li", has_text="right model")).to_contain_text("F has order 10")
    page.get_by_role("tab", name="Statistics").click()
    expect(page.locator(".stat", has_text="Students")).to_contain_text("5")
    expect(page.locator(".items li")).to_have_count(len(ASSIGNMENT["rubric"]))
    expect(page.locator(".similar li").first).to_contain_text("ada Ada and eve Eve")
    expect(page.get_by_role("region", name="Instances").locator("tbody tr")).to_have_count(6)
    page.get_by_role("tab", name="Gradebook").click()
    expect(page.locator(".tabpanel tbody tr")).to_have_count(5)
    found = {}
    for name in ("Canvas", "Moodle", "LTI scores", "CSV", "JSON"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name, exact=True).click()
        found[name] = saved.value.path().read_text(encoding="utf-8-sig")
        assert saved.value.suggested_filename.endswith((".csv", ".json"))
    scores = {
        line["Student"].lower(): float(line[next(name for name in line if ASSIGNMENT["id"] in name)])
        for line in list(csv.DictReader(io.StringIO(found["Canvas"])))[1:]
    }
    assert scores == SCORES | {"cem": 87.5}
    assert json.loads(found["JSON"])

    # Another rubric, and every submission graded again by it.
    page.get_by_role("tab", name="Rubric").click()
    page.get_by_role("button", name="Change it").click()
    names = [item.get("name", item["kind"]) for item in ASSIGNMENT["rubric"]]
    admissible = page.locator(".rubric-form li").nth(names.index("admissible heuristic"))
    admissible.get_by_label("Points").fill("30")
    covers = next(n for n, item in enumerate(ASSIGNMENT["rubric"]) if item["kind"] == "covers_k")
    page.get_by_role("button", name=f"Remove item {covers + 1}").click()
    page.get_by_role("button", name="Save the new version").click()
    page.get_by_role("button", name="Grade every submission again").click()
    expect(page.get_by_text("5 submissions are queued")).to_be_visible()
    page.get_by_role("tab", name="Submissions").click()
    cem = rows.filter(has=page.get_by_role("link", name="cem", exact=True))
    expect(cem.locator("td").nth(3)).to_have_text(re.compile("^82.5"))


def test_an_assignment_is_written_in_a_form(page: Page, api: Api) -> None:
    page.goto("/#/class")
    page.get_by_role("link", name="New assignment").click()
    # It begins without a word of fault; what is missing is said when a field with a fault was left, or it is sent.
    expect(page.get_by_text("Choose instances first.")).to_be_visible()
    with page.expect_response("**/v1/assignments/check"):
        page.get_by_label("Title").fill("")
    expect(page.locator(".wrong, .notice, .lost")).to_have_count(0)
    page.get_by_label("Title").press("Tab")
    expect(page.locator(".wrong")).to_have_count(1)
    expect(page.locator(".wrong")).to_contain_text("must not be empty")
    page.get_by_label("Title").fill("Week 3")
    page.get_by_label("Title").press("Tab")
    expect(page.locator(".wrong, .notice, .lost")).to_have_count(0)
    page.get_by_role("button", name="Create the assignment").click()
    expect(page.locator(".notice")).to_contain_text("instances: choose at least one")
    # Scrambles are chosen with their true distances in sight; some are nearer than k.
    page.get_by_label("Moves k, from").fill("3")
    page.get_by_label("to", exact=True).fill("4")
    page.get_by_label("For each k").fill("8")
    page.get_by_role("button", name="Show instances").click()
    rows = page.get_by_role("region", name="Instances to choose from").locator("tbody tr")
    expect(rows).to_have_count(16)
    puzzle = get_puzzle("megaminx")
    true = []
    for row in rows.all():
        cells = row.locator("td").all_inner_texts()
        given = {"puzzle": "megaminx", "alg": cells[2], "moves": "ccw", "algorithm": "breadth_first"}
        length = solve(prepare(SolveRequest.model_validate(given))).length
        assert len(puzzle.parse_alg(cells[2])) == int(cells[3])
        assert int(cells[4]) == length
        assert ("nearer than k" in cells[5]) == (int(cells[3]) > int(cells[4]))
        true += [cells[1]] if int(cells[3]) == length else []
    # Those as far as they are long are chosen at once.
    expect(page.get_by_text(f"{len(true)} chosen: ")).to_be_visible()
    page.get_by_role("button", name="Use those at distance k").click()
    rows.first.get_by_role("checkbox").uncheck()
    kept = [name for name in true if name != rows.first.locator("td").nth(1).inner_text()]
    # A fault of the rubric stands at its item.
    points = page.locator(".rubric-form li").first.get_by_label("Points")
    points.fill("-1")
    points.press("Tab")
    expect(page.locator(".rubric-form li").first.locator(".wrong")).to_be_visible()
    points.fill("70")
    page.get_by_role("button", name="Add an item").click()
    page.get_by_label("Due").fill("2035-12-01T23:59")
    expect(page.get_by_text("It can be graded")).to_be_visible()
    page.get_by_role("button", name="Create the assignment").click()
    expect(page.get_by_role("heading", name="Week 3")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/class/(?!new)[\w-]+$"))
    with api.client() as client:
        made = client.get(f"/v1/assignments/{page.url.split('#/class/')[1]}").json()
    assert made["instances"] == kept
    assert made["max_score"] == 120
    assert made["assignment"]["due"].startswith("2035-12-01T")


def test_scrambles_of_ones_own_are_written_in_the_form(page: Page, api: Api) -> None:
    """Those that a class already has, as moves or boards; a wrong one is named, and nothing that was typed is lost."""
    page.goto("/#/class/new")
    page.get_by_role("radiogroup", name="Instances from").get_by_label("My own").check()
    lines = page.get_by_label("Instances, one a line")
    lines.fill("first: U F\n\nU F XX\n")
    page.get_by_role("button", name="Show instances").click()
    panel = page.locator(".instances")
    expect(panel.locator(".notice")).to_contain_text("XX")
    expect(lines).to_have_value("first: U F\n\nU F XX\n")
    lines.fill("first: U F\nU F R\nU U U U U")
    page.get_by_role("button", name="Show instances").click()
    rows = page.get_by_role("region", name="Instances to choose from").locator("tbody tr")
    expect(rows).to_have_count(3)
    assert [row.locator("td").all_inner_texts()[1:5] for row in rows.all()] == [
        ["first", "U F", "2", "2"], ["U F R", "U F R", "3", "3"], ["U U U U U", "U U U U U", "5", "0"],
    ]  # fmt: skip
    page.get_by_role("button", name="Use those at distance k (2)").click()
    page.get_by_role("button", name="Create the assignment").click()
    expect(page).to_have_url(re.compile(r"#/class/(?!new)[\w-]+$"))
    with api.client() as client:
        made = client.get(f"/v1/assignments/{page.url.split('#/class/')[1]}").json()
    assert [(one["name"], one["alg"]) for one in made["assignment"]["instances"]] == [("first", "U F"), ("U F R",) * 2]

    # Boards are tiles, row by row.
    page.goto("/#/class/new")
    page.get_by_label("Puzzle", exact=True).select_option("8-puzzle")
    page.get_by_role("radiogroup", name="Instances from").get_by_label("My own").check()
    lines.fill("1 2 3 / 8 0 4 / 7 6 5\nhard: 2 8 3 1 6 4 0 7 5")
    page.get_by_role("button", name="Show instances").click()
    expect(rows).to_have_count(2)
    assert [row.locator("td").all_inner_texts()[1:3] for row in rows.all()] == [
        ["1 2 3 / 8 0 4 / 7 6 5", "a state"], ["hard", "a state"],
    ]  # fmt: skip


def test_the_example_class_has_a_row_for_everybody_until_it_is_deleted(page: Page, axe: str, tmp_path: Path) -> None:
    page.goto("/#/class")
    page.get_by_role("button", name="Example class").click()
    expect(page.get_by_role("heading", name="Example: Megaminx with A*")).to_be_visible()
    book = page.get_by_role("region", name="Gradebook").locator("tbody tr:not(.opened)")
    expect(book).to_have_count(6)

    def row(student: str) -> Locator:
        return book.filter(has=page.get_by_role("link", name=student, exact=True))

    for student, score in {"ada": 80, "ben": 72.5, "cem": 60, "dee": 40}.items():
        expect(row(student).locator("td").nth(5)).to_have_text(f"{score:g}")
    expect(row("eve").locator(".badge")).to_have_text("cannot be read")
    expect(row("eve").locator(".notes")).to_contain_text("it is a PDF")
    expect(row("fay").locator(".badge")).to_have_text("nothing handed in")
    # A report is marked, and a point is added with its reason.
    row("ada").get_by_role("button", name="Mark ada").click()
    record = page.get_by_role("form", name="Marks and changes for ada")
    # It opens below the row that it belongs to.
    expect(page.locator("tr.chosen + tr.opened").get_by_role("form")).to_have_count(1)
    record.get_by_label("report, of 20").fill("20")
    record.get_by_label("Points to add or take off").fill("1")
    record.get_by_label("Why the adjustment").fill("a good question")
    record.get_by_role("button", name="Save").click()
    expect(row("ada").locator("td").nth(5)).to_have_text("101")
    expect(row("ada").locator(".notes")).to_contain_text("+1: a good question")
    expect(row("ada").locator(".notes")).to_contain_text("more than the maximum")
    expect(page.get_by_text("6 students: 4 graded, 1 cannot be read, 1 nothing handed in.")).to_be_visible()
    # Those without a score are no zeros.
    page.get_by_role("tab", name="Statistics").click()
    expect(page.locator(".histogram [role=img]")).to_have_attribute("aria-label", re.compile("^0 to 10 percent: 0;"))
    # From lost points to their reasons; another student's do not stay beside a list that is narrowed.
    page.get_by_role("tab", name="Gradebook").click()
    row("ben").get_by_role("link", name="Why ben lost points").click()
    why = page.get_by_role("region", name="Submission", exact=True)
    expect(why.get_by_role("heading", name="ben, attempt 1")).to_be_in_viewport()
    page.get_by_role("textbox", name="Student", exact=True).press_sequentially("x")
    page.get_by_role("textbox", name="Student", exact=True).fill("cem")
    listed = page.get_by_role("region", name="Submissions", exact=True).locator("tbody tr")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("Cem Karaca")
    expect(why).to_have_count(0)
    page.get_by_role("textbox", name="Student", exact=True).fill("")
    # More files at once; of one nobody knows whose it is, until somebody says so.
    page.get_by_role("tab", name="Submissions").click()
    fay, other, broken = (tmp_path / name for name in ("fay.csv", "results (3).csv", "notes.pdf"))
    fay.write_text("instance,solution\nk2-1,F' U'\n")
    other.write_text("instance,solution\nk2-1,F' U'\nk3-1,F' U' U'\n")
    broken.write_bytes(b"%PDF-1.7")
    page.get_by_label("Many files or a zip").set_input_files([fay, other, broken])
    rows = page.get_by_role("region", name="Uploaded files").locator("tbody tr")
    expect(rows.filter(has_text="fay.csv").locator(".badge")).to_have_text("submitted")
    expect(rows.filter(has_text="notes.pdf").locator(".badge")).to_have_count(1)
    unknown = rows.filter(has_text="results (3).csv")
    expect(unknown.locator(".badge")).to_have_text("whose is it?")
    page.get_by_role("tab", name="Gradebook").click()
    page.get_by_role("link", name="One file is of nobody who is known here.").click()
    expect(unknown.locator(".badge")).to_have_text("whose is it?")
    unknown.get_by_role("textbox").fill("eve")
    unknown.get_by_role("button", name="Again").click()
    expect(unknown.locator(".badge")).to_have_text("submitted")
    page.get_by_role("tab", name="Gradebook").click()
    expect(row("eve").locator(".badge")).to_have_text("graded")

    # A submission is deleted: first not, then for good.
    page.get_by_role("tab", name="Submissions").click()
    page.get_by_role("link", name="ben", exact=True).click()
    page.get_by_role("region", name="Submission", exact=True).get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete attempt 1 of ben?")
    expect(dialog).to_contain_text("72.5 of 80 points")
    check_axe(page, axe, "the question before a submission is deleted")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Delete").last).to_be_focused()
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("region", name="Submission", exact=True)).to_have_count(0)
    expect(page.get_by_role("region", name="Submissions").get_by_role("link", name="ben", exact=True)).to_have_count(0)
    page.get_by_role("tab", name="Gradebook").click()
    expect(row("ben").locator(".badge")).to_have_text("nothing handed in")
    # A student leaves the roster, and the whole class goes.
    page.goto("/#/class/roster?course=example")
    roster = page.get_by_role("region", name="Roster").locator("tbody tr")
    expect(roster).to_have_count(6)
    page.get_by_role("button", name="Remove fay").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(roster).to_have_count(5)
    page.get_by_role("link", name="All assignments").click()
    page.get_by_role("link", name="Example: Megaminx with A*", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(dialog).to_contain_text("graded submissions of 5 students")
    dialog.get_by_role("button", name="Delete for good").click()
    expect(page).to_have_url(re.compile("#/class$"))
    expect(page.get_by_role("heading", name="Class")).to_be_visible()
    expect(page.get_by_role("link", name="Example: Megaminx with A*", exact=True)).to_have_count(0)


def test_what_is_to_be_solved_is_downloaded_filled_in_and_handed_in(page: Page, api: Api, tmp_path: Path) -> None:
    """And changing the face stays with the assignment, also on a phone."""
    document = {
        "title": "Downloads", "puzzle": "8-puzzle", "instances": [{"k": 3, "each": 2, "seed": 4}],
        "rubric": [{"kind": "valid", "points": 4}],
    }  # fmt: skip
    with api.client() as client:
        assignment = client.post("/v1/assignments", json=document).json()["id"]
    page.goto("/#/class")
    page.get_by_role("link", name="Gradebook of Downloads").click()
    expect(page.get_by_role("tab", name="Gradebook")).to_have_attribute("aria-selected", "true")
    faces = page.get_by_role("radiogroup", name="Page for")
    faces.get_by_label("Instructor").check()
    expect(page).to_have_url(re.compile(f"#/class/{assignment}"))
    faces.get_by_label("Student").check()
    expect(page).to_have_url(re.compile(f"#/hand-in/{assignment}$"))
    task = page.get_by_role("region", name="What to solve")
    expect(task.locator("tbody tr")).to_have_count(2)
    with page.expect_download() as saved:
        task.get_by_role("button", name="Download as CSV").click()
    rows = list(csv.DictReader(io.StringIO(saved.value.path().read_text())))
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    lines = [{**row, "solution": " ".join(back[move] for move in reversed(row["scramble"].split()))} for row in rows]
    shown = task.locator("tbody tr code").all_inner_texts()
    assert [row["scramble"] for row in rows] == shown
    done = tmp_path / "done.csv"
    with done.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(lines)
    page.get_by_label("Your id").fill("dora")
    page.locator("#handed-in").set_input_files(done)
    page.get_by_role("button", name="Hand in", exact=True).click()
    expect(page.locator(".score")).to_contain_text("4 of 4")
    with page.expect_download() as saved:
        task.get_by_role("button", name="JSON").click()
    copy = json.loads(saved.value.path().read_text())
    assert [one["alg"] for one in copy["instances"]] == shown
    page.set_viewport_size({"width": 390, "height": 844})
    face = page.get_by_role("combobox", name="Page for")
    expect(face).to_have_value("student")
    face.select_option("instructor")
    expect(page).to_have_url(re.compile(rf"#/class/{assignment}\?"))
    expect(page.get_by_role("region", name="Submission", exact=True)).to_contain_text("dora, attempt 1")


def test_a_roster_is_shown_before_it_is_stored(page: Page) -> None:
    page.goto("/#/class/roster?course=roster-test")
    box = page.get_by_label("or paste lines")
    box.fill("Matrikel;Name;E-Mail\n17;Ada Lovelace;ada@example.org\n17;Nobody;\n18;Ben;ben@example.org\n")
    expect(page.get_by_role("button", name="Store")).to_be_disabled()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("2 students")).to_be_visible()
    expect(page.get_by_text("line 3: 17 is on an earlier line, too")).to_be_visible()
    expect(page.get_by_text("Nobody yet")).to_be_visible()
    page.get_by_role("button", name="Store").click()
    expect(page.get_by_role("region", name="Roster").locator("tbody tr")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("region", name="Roster").locator("tbody tr").first).to_contain_text("Ada Lovelace")


def test_text_is_handed_in_until_no_attempt_is_left(page: Page, api: Api) -> None:
    with api.client() as client:
        made = client.post("/v1/assignments", json={**ASSIGNMENT, "attempts": 1, "due": "2020-01-01T00:00:00Z"}).json()
    page.goto(f"/#/hand-in/{made['id']}?student=fay")
    expect(page.get_by_text("The due date has passed")).to_be_visible()
    page.get_by_label("Text", exact=True).check()
    box = page.get_by_label("The submission")
    box.fill("colour,sound\nred,loud\n")
    page.get_by_role("button", name="Hand in", exact=True).click()
    # A file that cannot be read at all costs no attempt, and the input is kept.
    expect(page.locator(".notice")).to_be_visible()
    expect(box).to_have_value("colour,sound\nred,loud\n")
    expect(page.locator(".stat", has_text="Attempts left")).to_contain_text("1 of 1")
    box.fill("scramble,solution\nU F R,R' F' U'\n")
    page.get_by_role("button", name="Hand in", exact=True).click()
    expect(page.locator(".attempts .badge.done")).to_be_visible()
    expect(page.get_by_text("No attempt is left.")).to_be_visible()
    page.reload()
    expect(page.locator(".score")).to_be_visible()


@pytest.mark.thorough
def test_axe_finds_nothing_in_any_view_of_the_pictures(browser: Browser, axe: str, tmp_path: Path) -> None:
    """At three sizes, light and dark; puzzles in space, which differ in the picture alone, in one of them."""
    faults = []
    with Valkey() as valkey, Api(f"sqlite:///{tmp_path / 'hstar.db'}", valkey.url) as api:

        def check(view: pictures.View) -> None:
            for scheme, width in pictures.MODES[:1] if view.name.startswith("space-") else pictures.MODES:
                try:
                    with pictures.opened(browser, api, view, scheme, width) as page:
                        check_axe(page, axe, f"{view.name} at {width} in {scheme}")
                except (AssertionError, PlaywrightError) as fault:
                    faults.append(f"{view.name} at {width} in {scheme}: {fault}")

        for view in pictures.EMPTY:
            check(view)
        with Worker(api):
            for view in pictures.views(api, pictures.fill(api)):
                check(view)
    assert not faults, "\n\n".join(faults)


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    with api.client() as client:
        found = client.get("/v1/assignments").json()["items"][-1]["id"]
        submission = client.get(f"/v1/assignments/{found}/submissions").json()["items"][0]
    paths = [
        "/#/class", "/#/class/new", "/#/class/roster?course=roster-test",
        f"/#/class/{found}?submission={submission['id']}",
        f"/#/class/{found}?show=statistics", f"/#/class/{found}?show=requests", f"/#/class/{found}?show=gradebook",
        f"/#/class/{found}?show=rubric", "/#/hand-in",
        f"/#/hand-in/{found}?student={submission['student']}",
    ]  # fmt: skip
    for page, look, some in looks(browser, api.url, paths):
        for path in some:
            visit(page, path)
            expect(page.locator("h1")).to_be_visible()
            check_axe(page, axe, f"{path} {look}")
