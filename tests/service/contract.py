"""Every answer of the service in these tests is compared with the OpenAPI document: status, type, JSON by its schema.

The applications that the fixtures make have a test client of the class here, and `checking` has httpx, and so
`hstar.Client`, do the same with answers of real servers; no test has to ask for it.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import httpx
import jsonschema_rs
import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from service.app import REQUEST_ID, create_app
from service.formats import EVENTS
from service.openapi import documents
from service.reading import FIELDS_PARAMETER
from store.settings import Settings

#: `HSTAR_WRITE_ANSWERS=1 pytest -n0 tests/service` writes the examples of the document
ANSWERS = Path(__file__).parents[2] / "service" / "answers.json"
MOST_LETTERS = 4000

#: whether answers of real servers are compared; those of another version are not
_compared = ContextVar("_compared", default=True)


class CheckedClient(FlaskClient):
    """A client that raises AssertionError for an answer that the document does not describe."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        app = self.application
        assert isinstance(app, APIFlask)
        if not answer.history and "openapi.spec" in app.view_functions:
            body = None if answer.mimetype == EVENTS else answer.get_data()
            if body is not None and answer.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            asked, secured = answer.request, bool(app.extensions["hstar"].gate.secured())
            check(asked.method, asked.path, asked.args, answer.status_code, answer.headers, body, secured=secured)
        return answer


@contextmanager
def checking() -> Iterator[None]:
    """Have httpx raise AssertionError for an answer of a real server that the document does not describe."""
    send, send_async = httpx.Client.send, httpx.AsyncClient.send

    def checked(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        return look_at(send(self, request, **options), read=not options.get("stream"))

    async def checked_async(self: httpx.AsyncClient, request: httpx.Request, **options: Any) -> httpx.Response:
        return look_at(await send_async(self, request, **options), read=not options.get("stream"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpx.Client, "send", checked)
        patch.setattr(httpx.AsyncClient, "send", checked_async)
        yield


@contextmanager
def another_version() -> Iterator[None]:
    """Leave answers of real servers as they are: they are of another version."""
    token = _compared.set(False)
    yield
    _compared.reset(token)


def look_at(answer: httpx.Response, *, read: bool) -> httpx.Response:
    """The answer, compared if the service has made it; of a stream only status and type."""
    if REQUEST_ID in answer.headers and _compared.get():
        asked, headers = answer.request, Headers(answer.headers.multi_items())
        body = answer.content if read else None
        # Whoever asks cannot know whether the service has keys; with keys it may answer more.
        check(asked.method, asked.url.path, asked.url.params, answer.status_code, headers, body, secured=True)
    return answer


def check(
    method: str, asked: str, arguments: Any, status: int, headers: Headers, body: bytes | None, *, secured: bool
) -> None:
    """Raise AssertionError unless the operation that was asked has such an answer.

    :param asked: the path
    :param arguments: the query
    :param body: decompressed; None of a stream
    """
    try:
        rule, _ = application().url_map.bind("localhost").match(asked, method=method, return_rule=True)
    except HTTPException:
        return  # there is no such operation, and its error is tests/service/test_errors.py's
    path = str(rule.rule).replace("<", "{").replace(">", "}")
    operation = document(secured)["paths"].get(path, {}).get(method.lower())
    if operation is None:
        return  # the page, its files, and HEAD
    place = f"{method} {path} {status}"
    described = operation["responses"].get(str(status))
    assert described is not None, f"{place} is not described; {sorted(operation['responses'])} are"
    content = described.get("content", {})
    kind = headers.get("Content-Type", "").partition(";")[0]
    if not content or status in (204, 304):
        assert not body, f"{place} has a body, and none is described"
        return
    assert kind in content, f"{place} is {kind}, described are {sorted(content)}"
    # `fields` leaves out what its caller does not want.
    if kind.endswith("json") and body is not None and FIELDS_PARAMETER not in arguments:
        found = json.loads(body)
        fault = next(iter(validator(secured, json.dumps(content[kind]["schema"])).iter_errors(found)), None)
        assert fault is None, f"{place}: {fault}"
        if status < 300 and "HSTAR_WRITE_ANSWERS" in os.environ:
            keep(operation["operationId"], found)


def keep(operation: str, answer: object) -> None:
    """Keep an answer as the document's example if it shows more than the one that is kept."""

    def shows(one: Any) -> tuple[bool, bool, int]:
        size = len(json.dumps(one))
        return size <= MOST_LETTERS, isinstance(one, dict) and one.get("status") == "done", size

    known = json.loads(ANSWERS.read_text(encoding="utf-8"))
    short = shortened(answer)
    if operation not in known or shows(short) > shows(known[operation]):
        known[operation] = short
        ANSWERS.write_text(json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def shortened(answer: Any) -> Any:
    """The answer with at most two items of each list of objects, and of others eight; with two measures; no secret."""
    if isinstance(answer, dict):
        shown = {name: shortened(value) for name, value in answer.items()}
        for name in {"key", "secret"} & shown.keys():
            shown[name] = f"{shown[name].partition('_')[0]}_..."
        if isinstance(measures := shown.get("measures"), dict):
            shown["measures"] = dict(list(measures.items())[:2])
        return shown
    if isinstance(answer, list):
        nested = any(isinstance(item, dict | list) for item in answer)
        return [shortened(item) for item in answer[: 2 if nested else 8]]
    return answer


@cache
def application() -> APIFlask:
    """An application for its routes and its document; it answers nothing."""
    return create_app(Settings(var=Path(gettempdir()), broker_url="redis://127.0.0.1:1/0"))


@cache
def document(secured: bool) -> dict[str, Any]:
    """The document of a service with or without keys; every application makes the same."""
    made: dict[str, Any] = json.loads(documents(application())[secured])
    return made


@cache
def validator(secured: bool, schema: str) -> Any:
    """The compiled schema of an answer."""
    schemas = document(secured)["components"]["schemas"]
    whole = {"components": {"schemas": schemas}, "allOf": [json.loads(schema)]}
    return jsonschema_rs.validator_for(whole, validate_formats=True)
