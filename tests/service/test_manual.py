"""`/manual`: every page is there, every link leads somewhere, words are found, and nothing comes from elsewhere."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

import hstar
from service import manual
from tests.service.problems import problem

TUTORIALS = ("student", "instructor", "puzzler", "researcher", "operator")
MOST_WORDS = 2500


def test_the_manual_has_no_warnings() -> None:
    assert manual.warnings() == []
    for name in TUTORIALS:
        assert f"tutorial-{name}" in manual.pages()


def test_every_page_is_short() -> None:
    for page in manual.pages().values():
        assert sum(len(part.text.split()) for part in page.parts) < MOST_WORDS, page.name


def test_a_link_that_leads_nowhere_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(manual.pages())
    known["index"] = manual.read("index", "# A\n\n[b](nothing.md) [c](jobs.md#no-such-heading) [d](#a) [e](jobs.md)\n")
    del known["glossary"]
    monkeypatch.setattr(manual, "pages", lambda: known)
    wrong = manual.warnings()
    assert "index: there is no page nothing" in wrong
    assert "index: jobs has no heading #no-such-heading" in wrong
    assert "glossary is not in the contents" in wrong
    assert not [one for one in wrong if one.startswith("index: ") and "nothing" not in one and "no-such" not in one]


@pytest.mark.parametrize("name", manual.pages())
def test_a_page_is_whole_and_from_here(open_client: FlaskClient, name: str) -> None:
    answer = open_client.get(f"/manual/{name}")
    assert answer.status_code == 200
    page = manual.pages()[name]
    assert f"<title>hstar: {page.title}</title>".replace("&", "&amp;") in answer.text
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    for source in re.findall(r'src="([^"]+)"', answer.text):
        assert open_client.get(source).status_code == 200, source
    assert "<script" not in answer.text
    assert open_client.get(f"/manual/{name}", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_the_start_is_the_contents(open_client: FlaskClient) -> None:
    text = open_client.get("/manual").text
    for name in manual.pages():
        inside = manual.pages()[name].parent
        assert f'href="/manual/{name if inside is None else inside}"' in text
    problem(open_client.get("/manual/nothing"), "not-found")
    problem(open_client.get("/manual/pictures/../index.md"), "not-found")


def test_words_are_found_where_they_are(open_client: FlaskClient) -> None:
    (best, *_) = manual.find("weighted pohl")
    assert (best[1].page, "<mark>Pohl</mark>" in best[2]) == ("glossary", True)
    assert manual.find("certificates CHECKER")
    assert manual.find("hstar.solve")[0][1].page == "reference-python-hstarsolve"
    assert manual.find("") == manual.find("word-that-is-nowhere-here") == []
    found = open_client.get("/manual/find?q=is my <b>heuristic</b>")
    assert found.status_code == 200
    assert "<b>heuristic" not in found.text
    for href in re.findall(
        r'<h3><a href="/manual/([\w-]+)#([^"]+)"', open_client.get("/manual/find?q=admissible").text
    ):
        assert href[1] in manual.pages()[href[0]].anchors


def test_every_name_of_the_library_is_in_the_reference() -> None:
    titles = {page.title for page in manual.pages().values()}
    assert {f"hstar.{name}" for name in hstar.__all__} <= titles
    assert "Client.solve" in [words for _, words in manual.pages()["reference-python-hstarclient"].headings]
