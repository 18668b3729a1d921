"""The page and its files: security policy, caching, compression, and access."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

from flask.testing import FlaskClient

from service.page import BUNDLE
from tests.service.conftest import KEYS


def files(client: FlaskClient) -> list[str]:
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get("/").get_data(as_text=True))


def test_the_policy_allows_this_host_alone(open_client: FlaskClient) -> None:
    answer = open_client.get("/")
    assert answer.content_type == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert not any("unsafe" in sources or "http" in sources or "*" in sources for sources in policy.values())
    assert {"base-uri", "form-action", "frame-ancestors"} <= policy.keys()


def test_the_page_is_asked_for_again_and_its_files_are_kept(open_client: FlaskClient) -> None:
    page = open_client.get("/")
    assert page.headers["Cache-Control"] == "no-cache"
    assert open_client.get("/", headers={"If-None-Match": page.headers["ETag"]}).status_code == 304
    assert len(files(open_client)) >= 2
    for path in files(open_client):
        answer = open_client.get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["Cache-Control"]
        assert answer.content_type in ("text/javascript; charset=utf-8", "text/css; charset=utf-8")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_compressed_answers_are_equal(open_client: FlaskClient) -> None:
    for path in files(open_client):
        plain = open_client.get(path, headers={"Accept-Encoding": "identity"})
        packed = open_client.get(path, headers={"Accept-Encoding": "gzip, br"})
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.data) == plain.data == (BUNDLE / path.removeprefix("/static/")).read_bytes()
        assert plain.headers["ETag"] != packed.headers["ETag"]
        assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"


def test_nothing_beside_the_bundle_is_served(open_client: FlaskClient) -> None:
    for name in ("../app.py", "..%2Fapp.py", "assets", "", "no.js", "..%2F..%2Fetc%2Fpasswd"):
        assert open_client.get(f"/static/{name}").status_code == 404


def test_the_page_needs_no_key_but_its_requests_do(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    assert client.get("/").status_code == 200
    assert all(client.get(path).status_code == 200 for path in files(client))
    assert client.get("/v1/puzzles").status_code == 401
