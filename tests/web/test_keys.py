"""The page uses the role of the key: a student sees only what students may see, and gets no refusals."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, Response, Route, expect

from store.database import make_engine, make_sessions
from store.owners import keys
from store.owners.roles import Role
from tests.grading.test_score import COURSE
from tests.servers import wait_until
from tests.service.processes import Api, Worker
from tests.web.conftest import new_page


def test_a_student_hands_in_under_the_name_of_the_key(browser: Browser, sqlite_url: str, broker_url: str) -> None:
    sessions = make_sessions(make_engine(sqlite_url))
    _, prof = sessions.run(lambda session: keys.create(session, keys.NewKey("prof", Role.INSTRUCTOR, "cs1"), "test"))
    _, ann = sessions.run(lambda session: keys.create(session, keys.NewKey("ann", Role.STUDENT, "cs1"), "test"))
    sessions.close()
    with Api(sqlite_url, broker_url) as secured, Worker(secured):
        document = json.loads((COURSE / "assignment.json").read_text())
        with secured.client(authorization=f"Bearer {prof}") as client:
            assignment = client.post("/v1/assignments", json=document).json()["id"]
        page, watch = new_page(browser, secured.url)
        held: list[Route] = []

        def hold(route: Route) -> None:
            """A request without a key is answered late."""
            route.continue_() if "authorization" in route.request.headers else held.append(route)

        page.route(re.compile(r"/v1/jobs\?"), hold)
        page.goto("/#/jobs")
        page.get_by_label("Key").fill(ann)
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
        wait_until(lambda: bool(page.evaluate("true") and held), "the request without a key")
        # That it had no key is no reason to ask for one again.
        with page.expect_response(lambda answer: answer.status == 401):
            held[0].continue_()
        expect(page.locator(".who")).to_have_text("ann student")
        refused: list[Response] = []
        page.on("response", lambda answer: refused.append(answer) if answer.status >= 400 else None)
        # Loaded anew, so that the view is there before it is known whose the key is.
        page.goto("about:blank")
        page.goto(f"/#/class/{assignment}")
        expect(page.get_by_text("This is for instructors")).to_be_visible()
        views = page.get_by_role("navigation", name="Views")
        expect(views.get_by_role("link", name="Hand in")).to_be_visible()
        expect(views.get_by_role("link", name="Class")).to_have_count(0)
        page.get_by_role("main").get_by_role("link", name="Hand in").click()
        box = page.get_by_label("Your id")
        expect(box).to_have_value("ann")
        expect(box).not_to_be_editable()
        page.locator("#handed-in").set_input_files(COURSE / "cem.json")
        page.get_by_role("button", name="Hand in", exact=True).click()
        expect(page.locator(".attempts .badge.done")).to_be_visible()
        expect(page.locator(".score")).to_be_visible()
        # She may view everything else of the page.
        for view in ("Experiments", "Jobs", "Hand in"):
            if view != "Hand in":  # it is behind More, whose name is then that of the view
                views.locator("summary").click()
            views.get_by_role("link", name=view).click()
            expect(page.get_by_role("heading", level=1)).to_have_text(view)
            page.wait_for_load_state("networkidle")
        assert [answer.url for answer in refused] == []
        # An instructor's key shows the class, and what she has handed in.
        page.get_by_role("button", name="Forget key").click()
        page.get_by_label("Key").fill(prof)
        page.get_by_role("button", name="Go on").click()
        views.get_by_role("link", name="Class").click()
        page.get_by_role("link", name=document["title"], exact=True).click()
        expect(page.locator(".listing tbody tr")).to_contain_text("ann")
        page.context.close()
        watch.check()
