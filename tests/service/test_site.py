"""The API reference: complete, self-contained, and safe with any host name."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from flask.testing import FlaskClient

from service.errors import ERROR_KINDS
from service.site import breakable, inline, prose, type_of
from tests.service.conftest import KEYS

PAGES = ("/docs", "/docs/errors")
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """The elements of a page; checks that each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.code: list[str] = []
        self.style = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        if self.open[-2:] == ["pre", "code"]:
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} closed where {self.open[-3:]} are open"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["style"]:
            self.style += data
        if "pre" in self.open:
            self.code[-1] += data

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


def page(client: FlaskClient, path: str) -> Page:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.content_type == "text/html; charset=utf-8"
    found = Page(answer.get_data(as_text=True))
    assert found.open == []
    return found


@pytest.mark.parametrize("path", PAGES)
def test_nothing_comes_from_the_network_and_no_script_runs(open_client: FlaskClient, path: str) -> None:
    found = page(open_client, path)
    assert not any(tag == "script" or name.startswith("on") for tag, at in found.elements for name in at)
    assert all(link.startswith(("/", "#", "data:")) for link in found.values("href") + found.values("src"))
    assert "url(" not in found.style
    assert "@import" not in found.style


@pytest.mark.parametrize("path", PAGES)
def test_the_policy_allows_this_style_and_nothing_else(open_client: FlaskClient, path: str) -> None:
    policy = open_client.get(path).headers["Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(page(open_client, path).style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not page(open_client, path).values("style")


@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_somewhere_and_every_anchor_is_single(open_client: FlaskClient, path: str) -> None:
    found = page(open_client, path)
    anchors = found.values("id")
    assert len(set(anchors)) == len(anchors)
    for link in found.values("href"):
        if link.startswith("#"):
            assert link[1:] in anchors, link
        elif not link.startswith("data:"):
            assert open_client.get(link).status_code == 200, link


def test_every_operation_schema_and_error_has_its_anchor(open_client: FlaskClient) -> None:
    document = open_client.get("/openapi.json").get_json()
    anchors = set(page(open_client, "/docs").values("id"))
    ids = {operation["operationId"] for methods in document["paths"].values() for operation in methods.values()}
    assert {f"operation-{name}" for name in ids} <= anchors
    assert {f"schema-{name}" for name in document["components"]["schemas"]} <= anchors
    assert set(ERROR_KINDS) <= anchors
    errors = set(page(open_client, "/docs/errors").values("id"))
    assert {kind.uri.partition("#")[2] for kind in ERROR_KINDS.values()} <= errors
    assert all(kind.uri.startswith("/docs/errors#") for kind in ERROR_KINDS.values())


def curls(found: Page) -> list[list[str]]:
    """The words of every curl command that the page shows."""
    commands = [command for code in found.code for command in re.split(r"\n\n", code) if "curl " in command]
    lines = ["\n".join(line for line in command.splitlines() if not line.startswith("#")) for command in commands]
    return [shlex.split(command.replace("\\\n", " ")) for command in lines]


#: commands that are refused without keys, or after only the commands of the page, and the reason
REFUSED = {
    ("GET", "/v1/changes"): "this needs the role operator",
    ("POST", "/v1/keys"): "this needs the role operator",
    ("DELETE", "/v1/keys/any"): "there is no key",
    ("DELETE", "/v1/puzzles/megaminx"): "there is no added puzzle",
    ("GET", "/v1/jobs/$ID/certificate"): "no-certificate",  # none was asked for
    ("PUT", "/v1/assignments/$ID/uploads/$ID"): "handed in already",
    ("POST", "/v1/assignments/$ID/submissions/$ID/regrade-requests"): "regrade",
    ("GET", "/v1/assignments/$ID/regrade-requests/any"): "any",
    ("PUT", "/v1/assignments/$ID/regrade-requests/any/answer"): "any",
}

#: ends of paths that are of one student
OF_ONE = ("/standing", "/record", "/notation")


def _url(words: list[str]) -> str:
    return next(word for word in words if word.startswith("http://localhost"))


def _turn(words: list[str]) -> tuple[object, ...]:
    """First commands that make something, then those that read it or change it, then those that delete, parts first."""
    deletes = "DELETE" in words
    names = ("$REGRADE", "$SUBMISSION", "$UPLOAD", "$ID")
    parts = _url(words).count("/") if deletes else 0
    return deletes, -parts, *(name in str(words) for name in names), "-X" in words


def test_every_curl_command_works(client: FlaskClient) -> None:
    shown = curls(page(client, "/docs"))
    document = client.get("/openapi.json").get_json()
    assert len(shown) == sum(len(methods) for methods in document["paths"].values()) + 3
    ids = {"/v1/keys": "any", "regrade-requests": "any"}  # none of these is made here
    for words in sorted(shown, key=_turn):
        assert words[0] == "curl"
        path = _url(words).removeprefix("http://localhost")
        made = next((collection for collection in ids if path.startswith(f"{collection}/$ID")), "")
        path = path.replace("$ID", ids.get(made, "")).replace("$SUBMISSION", ids.get("submissions", ""))
        path = path.replace("$UPLOAD", ids.get("uploads", ""))
        path = path.replace("$REGRADE_REQUEST", ids.get("regrade-requests", ""))
        if "$VERSION" in path:
            path = path.replace("$VERSION", client.get(path.partition("/versions")[0]).get_json()["version"])
        path += "?student=ada" if path.endswith(OF_ONE) else ""  # without keys it must name the student
        body = words[words.index("-d") + 1] if "-d" in words else None
        method = words[words.index("-X") + 1] if "-X" in words else "POST" if body else "GET"
        answer = client.open(path, method=method, data=body, content_type="application/json" if body else None)
        refusal = REFUSED.get((method, re.sub(r"[0-9a-f-]{36}", "$ID", path)))
        if refusal is not None:
            assert refusal in answer.get_data(as_text=True), (words, answer.get_data(as_text=True))
            continue
        assert answer.status_code in (200, 201, 202, 204), (words, answer.get_data(as_text=True))
        if method == "POST" and path.endswith("/uploads"):
            ids["uploads"] = answer.get_json()["items"][0]["id"]
        elif method == "POST" and isinstance(found := answer.get_json(), dict) and "id" in found:
            ids["/v1/jobs"] = found["id"] if path == "/v1/solves" else ids.get("/v1/jobs", "")
            last = path.rpartition("/")[2]
            ids[last if last in ("submissions", "regrade-requests") else path] = found["id"]


def test_with_keys_the_commands_carry_one(make_client: Callable[..., FlaskClient]) -> None:
    shown = curls(page(make_client(api_keys=KEYS), "/docs"))
    for words in shown:
        needs = not any("/health/" in word for word in words)
        assert ("Authorization: Bearer $HSTAR_API_KEY" in words) is needs, words


def test_the_host_name_is_escaped(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    for host in ('"><b>x', "a$(b)`c`", "x'y"):
        answer = client.get("/docs", headers={"Host": host})
        assert answer.status_code == 400
        assert host not in answer.get_data(as_text=True)


def test_pages_are_revalidated(open_client: FlaskClient) -> None:
    tag = open_client.get("/docs").headers["ETag"]
    assert open_client.get("/docs", headers={"If-None-Match": tag}).status_code == 304


def test_text_becomes_html_without_becoming_markup() -> None:
    assert inline("a `x < y` & b") == "a <code>x &lt; y</code> &amp; b"
    assert prose("one\ntwo\n\n`three`") == "<p>one two</p><p><code>three</code></p>"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 9}, "integer, 0 to 9"),
        ({"type": "integer", "minimum": 1}, "integer, at least 1"),
        ({"type": "string", "maxLength": 5}, "string, at most 5 characters"),
        ({"type": "string", "format": "date-time"}, "string (date-time)"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "number or null"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object of string"),
        ({"enum": ["a", "b"]}, "<code>&#34;a&#34;</code> · <code>&#34;b&#34;</code>"),
        ({"const": "a"}, "<code>&#34;a&#34;</code>"),
        ({"$ref": "#/components/schemas/Solve"}, '<a href="#schema-Solve">Solve</a>'),
        ({}, "anything"),
    ],
)
def test_types_are_said_in_words(schema: dict[str, object], words: str) -> None:
    assert str(type_of(schema)) == words


def test_errors_of_every_request_are_listed_once(open_client: FlaskClient) -> None:
    links = page(open_client, "/docs").values("href")
    assert links.count("#internal-error") == 2  # in the sentence about every request, and in the table of errors
    assert links.count("#not-found") > 5


def test_paths_break_after_slashes_alone() -> None:
    assert breakable("/experiments/{id}/rows.parquet") == "/<wbr>experiments/<wbr>{id}/<wbr>rows.parquet"
