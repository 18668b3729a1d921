"""A class in a real browser: from an assignment to the gradebook, as an instructor and as a student."""

from __future__ import annotations

import csv
import io
import json
import re

from playwright.sync_api import Browser, Page, expect

from tests.grading.test_score import COURSE, STUDENTS, the_course
from tests.service.processes import Api
from tests.web.conftest import check_axe, new_page

ASSIGNMENT = the_course(hidden=True)
SCORES = {"ada": 100, "ben": 100, "cem": 85, "dee": 90, "eve": 100}


def hand_in(page: Page, student: str, file: str) -> None:
    page.get_by_label("Your id").fill(student)
    page.locator("#handed-in").set_input_files(COURSE / file)
    page.get_by_role("button", name="Hand in", exact=True).click()


def test_a_class_from_assignment_to_gradebook(page: Page) -> None:
    # The instructor writes an assignment; faults are shown with their lines while typing.
    page.goto("/#/class")
    page.get_by_role("link", name="New assignment").click()
    box = page.get_by_label("The assignment, as JSON")
    expect(page.get_by_text("It can be graded")).to_be_visible()
    box.fill('{\n  "title": "Week 3",\n  "puzzle": megaminx\n}')
    expect(page.locator(".faultlist")).to_contain_text("Line 3")
    expect(page.get_by_role("button", name="Create the assignment")).to_be_disabled()
    wrong = {**ASSIGNMENT, "rubric": [{"kind": "valid", "points": 40}, {"kind": "optimal", "points": -1}]}
    text = json.dumps(wrong, indent=2)
    box.fill(text)
    line = 1 + next(number for number, one in enumerate(text.splitlines()) if '"points": -1' in one)
    expect(page.locator(".faultlist")).to_contain_text(f"Line {line}")
    expect(page.locator(".faultlist")).to_contain_text("/rubric/1/points")
    box.fill(json.dumps({**ASSIGNMENT, "due": "2035-12-01T23:59:00+01:00"}))
    expect(page.locator(".rubric tfoot")).to_contain_text("100")
    page.get_by_role("button", name="Create the assignment").click()
    expect(page.get_by_role("heading", name=ASSIGNMENT["title"])).to_be_visible()
    expect(page.get_by_text("No submissions yet")).to_be_visible()
    assignment = page.url.split("#/class/")[1]

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
    page.get_by_label("Points to add or remove").fill("2")
    page.get_by_role("button", name="Grant").click()
    expect(page.locator(".request")).to_contain_text("+2 points")
    page.goto(f"/#/hand-in/{assignment}?student=cem")
    expect(page.locator(".request .answered")).to_contain_text("an honest one")
    expect(page.locator(".stat", has_text="Your score")).to_contain_text("75.33 of 88.33")

    # In the class: every submission with its score, and one of them with its reasons.
    page.goto(f"/#/class/{assignment}")
    rows = page.locator(".listing tbody tr")
    expect(rows).to_have_count(5)
    for student, score in SCORES.items():
        expect(rows.filter(has=page.get_by_role("link", name=student, exact=True)).locator("td").nth(3)).to_have_text(
            re.compile(f"^{score}")
        )
    page.get_by_role("link", name="dee", exact=True).click()
    expect(page.locator(".submission .parts > li", has_text="right model")).to_contain_text("F has order 10")
    page.get_by_role("tab", name="Statistics").click()
    expect(page.locator(".stat", has_text="Students")).to_contain_text("5")
    expect(page.locator(".items li")).to_have_count(len(ASSIGNMENT["rubric"]))
    expect(page.locator(".similar li").first).to_contain_text("ada and eve")
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
    assert scores == SCORES | {"cem": 87}
    assert json.loads(found["JSON"])

    # Another rubric, and every submission graded again by it.
    page.get_by_role("tab", name="Rubric").click()
    page.get_by_role("button", name="Change it").click()
    changed = [
        {**item, "points": 30} if item["kind"] == "heuristic_admissible" else item for item in ASSIGNMENT["rubric"]
    ]
    changed = [item for item in changed if item["kind"] != "covers_k"]
    box.fill(json.dumps({**ASSIGNMENT, "rubric": changed}))
    page.get_by_role("button", name="Save the new version").click()
    page.get_by_role("button", name="Grade every submission again").click()
    expect(page.get_by_text("5 submissions are queued")).to_be_visible()
    page.get_by_role("tab", name="Submissions").click()
    cem = rows.filter(has=page.get_by_role("link", name="cem", exact=True))
    expect(cem.locator("td").nth(3)).to_have_text(re.compile("^80"))


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


def test_axe_finds_nothing_to_mend(browser: Browser, api: Api, axe: str) -> None:
    with api.client() as client:
        found = client.get("/v1/assignments").json()["items"][-1]["id"]
        submission = client.get(f"/v1/assignments/{found}/submissions").json()["items"][0]
    paths = [
        "/#/class", "/#/class/new", f"/#/class/{found}?submission={submission['id']}",
        f"/#/class/{found}?show=statistics", f"/#/class/{found}?show=requests", f"/#/class/{found}?show=gradebook",
        f"/#/class/{found}?show=rubric", "/#/hand-in",
        f"/#/hand-in/{found}?student={submission['student']}",
    ]  # fmt: skip
    for scheme, width in (("light", 360), ("dark", 2000)):
        page, watch = new_page(browser, api.url, viewport={"width": width, "height": 900}, color_scheme=scheme)
        for path in paths:
            page.goto(path)
            expect(page.locator("h1")).to_be_visible()
            page.wait_for_load_state("networkidle")
            check_axe(page, axe, f"{path} at {width} in {scheme}")
        page.context.close()
        watch.check()
