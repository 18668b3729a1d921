"""Hostile input for every operation with a body; the operations are read from the OpenAPI document, so none is missed.

No answer is a 5xx, every refusal is a problem document, nothing is stored, and the service goes on.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.errors import PROBLEM_JSON
from service.reading import MAX_BODY_BYTES
from tests.conftest import TEST_ALL, instances

DIGITS = "9" * 5000
#: JSON literals that replace a value; each has caused bugs in parsers
LITERALS = {
    "5,000 digits": DIGITS,
    "minus 5,000 digits": f"-{DIGITS}",
    "2^63": str(2**63),
    "-2^63-1": str(-(2**63) - 1),
    "2^31": str(2**31),
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "1e400": "1e400",
    "1e-400": "1e-400",
    "tiny exponent": "1e-" + DIGITS,
    "huge exponent": "1e" + DIGITS,
    "true": "true",
    "null": "null",
    "a float": "1.5",
    "a lone surrogate": r'"\ud800"',
    "NUL": r'"\u0000"',
    "a long text": json.dumps("x" * 100_000),
    "right to left": r'"\u202e\u0000abc"',
    "deep arrays": "[" * 63 + "]" * 63,
    "deeper arrays": "[" * 5000 + "]" * 5000,
    "deep objects": '{"a":' * 500 + "1" + "}" * 500,
    "an empty object": "{}",
    "a prototype": '{"__proto__": {"a": 1}, "__class__": "x"}',
    "many keys": json.dumps({f"k{i}": i for i in range(3000)}),
    "many numbers": json.dumps([0] * 3000),
}


@pytest.fixture
def database_url(either_database_url: str) -> str:
    """Most of these requests are refused before the database, but not all."""
    return either_database_url


def operations(client: FlaskClient) -> Iterator[tuple[str, str, Any]]:
    """Method, path and example of every operation with a body, its parameters filled in."""
    for path, methods in client.get("/openapi.json").get_json()["paths"].items():
        for method, operation in methods.items():
            if "requestBody" in operation:
                examples = operation["requestBody"]["content"]["application/json"]["examples"]
                filled = path.replace("{name}", "megaminx").replace("{course}", "cs1")
                for name in ("id", "submission", "upload", "regrade_request", "version"):
                    filled = filled.replace(f"{{{name}}}", "01890000-0000-7000-8000-000000000000")
                assert "{" not in filled, path
                yield method.upper(), filled, next(iter(examples.values()))["value"]


def check(answer: TestResponse, what: object) -> None:
    """The answer is a success or a refusal in a problem document, never an error of the service."""
    assert answer.status_code < 500, (what, answer.get_data(as_text=True)[:300])
    if answer.status_code >= 400:
        assert answer.content_type == PROBLEM_JSON, what
        assert answer.get_json(force=True)["status"] == answer.status_code
        assert len(answer.get_data()) < 65_536, what  # the answer does not repeat the input


def send(client: FlaskClient, method: str, path: str, body: bytes | str, **headers: str) -> TestResponse:
    kind = headers.pop("content_type", "application/json")
    data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return client.open(path, method=method, data=data, content_type=kind, headers=headers)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a JSON value, from the top down."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, below in items:
        yield from places(below, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], literal: str) -> str:
    """The value as JSON with ``literal`` at a place."""
    marker = "\N{SNOWMAN} here"

    def put(here: Any, rest: tuple[str | int, ...]) -> Any:
        if not rest:
            return marker
        copy: Any = dict(here) if isinstance(here, dict) else list(here)
        copy[rest[0]] = put(copy[rest[0]], rest[1:])
        return copy

    return json.dumps(put(value, path), ensure_ascii=False).replace(json.dumps(marker, ensure_ascii=False), literal)


def test_every_literal_in_every_field(open_client: FlaskClient) -> None:
    """In `make test` each field gets a few of the literals, in rotation; in `make test-all` all."""
    number = 0
    names = list(LITERALS)
    for method, path, example in operations(open_client):
        for place in places(example):
            step = names if TEST_ALL else [names[(number + i * 7) % len(names)] for i in range(3)]
            number += 1
            for name in step:
                answer = send(open_client, method, path, replaced(example, place, LITERALS[name]))
                check(answer, (method, path, place, name))
    assert number > 100


def test_every_literal_as_the_whole_body_and_every_key_twice(open_client: FlaskClient) -> None:
    for method, path, example in operations(open_client):
        for name, literal in LITERALS.items():
            answer = send(open_client, method, path, literal)
            check(answer, (method, path, name))
            assert answer.status_code in (400, 404, 409, 413, 422), (path, name, answer.status_code)
        first = next(iter(example))
        twice = json.dumps(example)[:-1] + f", {json.dumps(first)}: {json.dumps(example[first])}}}"
        answer = send(open_client, method, path, twice)
        check(answer, (method, path, "a key twice"))
        assert answer.status_code in (400, 404)


def test_truncated_wrong_and_compressed_bodies(open_client: FlaskClient) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < MAX_BODY_BYTES
    for method, path, example in operations(open_client):
        body = json.dumps(example).encode()
        for cut in sorted({0, 1, len(body) // 2, len(body) - 1}):
            answer = send(open_client, method, path, body[:cut])
            check(answer, (method, path, cut))
            assert answer.status_code in (400, 404)
        for encoding, data in (("gzip", bomb), ("deflate", zlib.compress(body)), ("br", body), ("gzip, gzip", bomb)):
            answer = send(open_client, method, path, data, **{"Content-Encoding": encoding})
            check(answer, (method, path, encoding))
            assert answer.status_code in (404, 415)
        check(send(open_client, method, path, bomb), (method, path, "a bomb that is declared as JSON"))
        for kind in (
            "text/plain",
            "application/xml",
            "multipart/form-data; boundary=x",
            "application/json; charset=utf-7",
        ):
            answer = send(open_client, method, path, body, content_type=kind)
            check(answer, (method, path, kind))
            assert answer.status_code in (404, 415)
        for data in (b"\xff\xfe{\x00}\x00", b"\xed\xa0\x80", b'{"a": "\xc0\x80"}', b"\xef\xbb\xbf" + body, b"\x00"):
            check(send(open_client, method, path, data), (method, path, data[:9]))
        answer = send(open_client, method, path, b" " * (MAX_BODY_BYTES + 1))
        check(answer, (method, path, "too large"))
        assert answer.status_code in (404, 413)


def test_hostile_headers_paths_and_queries(client: FlaskClient) -> None:
    texts = ["%00", "%ff", "x" * 8000, "../../etc/passwd", "\x7f", "';--", "${jndi:x}", "%0d%0aX: y", "-1", "0x1p9"]
    texts = instances(texts, few=3)
    document = client.get("/openapi.json").get_json()["paths"]
    for path, methods in document.items():
        for text in texts:
            parts = path.replace("{", "\0").split("\0")
            filled = parts[0] + "".join(text + part.partition("}")[2] for part in parts[1:])
            for method in methods:
                if method != "post":
                    check(client.open(filled, method=method.upper()), (method, filled))
            names = [one["name"] for one in methods.get("get", {}).get("parameters", []) if one["in"] == "query"]
            if names and "{" not in path:
                check(client.get(path, query_string=dict.fromkeys(names, text)), (path, text))
        # One by one, because one that is refused hides the others.
        for name in [one["name"] for one in methods.get("get", {}).get("parameters", []) if one["in"] == "query"]:
            for text in ("", *texts):
                check(client.get(path, query_string={name: text}), (path, name, text))
    for name in ("Prefer", "Idempotency-Key", "If-None-Match", "Authorization", "Accept", "Content-Type", "Cookie"):
        for text in (
            "x" * 8000,
            "wait=" + DIGITS,
            'W/"' + "x" * 500,
            "Bearer \x80",
            "\x7f",
            "*",
            "wait=-1",
            "Bearer " * 99,
        ):
            headers = {name: text}
            check(client.get("/v1/jobs?kind=solve", headers=headers), headers)
            check(client.post("/v1/states", json={"puzzle": "8-puzzle", "alg": ""}, headers=headers), headers)


def test_hostile_tokens(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys="alice:key-of-alice-in-tests", broker_url="redis://127.0.0.1:1/0")
    for token in ("", "hstar_", "hstar_" + "x" * 43, "\x00", "x" * 8000, "ü" * 9, "a b", "\x80"):
        answer = client.get("/v1/me", headers={"Authorization": f"Bearer {token}".encode().decode("latin-1")})
        check(answer, token)
        assert answer.status_code == 401
