"""Every answer of these tests is compared with the OpenAPI document: status, type of content, JSON by its schema.

The applications that the fixtures make have a test client of this class, so no test has to ask for it.
"""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from service.reading import FIELDS_PARAMETER

#: `HSTAR_WRITE_ANSWERS=1 pytest -n0 tests/service` writes the examples of the document
ANSWERS = Path(__file__).parents[2] / "service" / "answers.json"
MOST_LETTERS = 4000

#: the document by whether the service has keys; every application makes the same
_documents: dict[bool, dict[str, Any]] = {}


class CheckedClient(FlaskClient):
    """A client that raises AssertionError for an answer that the document does not describe."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        app = self.application
        assert isinstance(app, APIFlask)
        if not answer.history and "openapi.spec" in app.view_functions:
            check(app, answer)
        return answer


def check(app: APIFlask, answer: TestResponse) -> None:
    """Raise AssertionError unless the operation that was asked has such an answer."""
    asked = answer.request
    try:
        rule, _ = app.url_map.bind("localhost").match(asked.path, method=asked.method, return_rule=True)
    except HTTPException:
        return  # there is no such operation, and its error is tests/service/test_errors.py's
    path = str(rule.rule).replace("<", "{").replace(">", "}")
    secured = bool(app.extensions["hstar"].gate.secured())
    operation = document(app, secured)["paths"].get(path, {}).get(asked.method.lower())
    if operation is None:
        return  # the page, its files, and HEAD
    place = f"{asked.method} {path} {answer.status_code}"
    described = operation["responses"].get(str(answer.status_code))
    assert described is not None, f"{place} is not described; {sorted(operation['responses'])} are"
    content = described.get("content", {})
    kind = (answer.content_type or "").partition(";")[0]
    if not content or answer.status_code in (204, 304):
        assert not answer.get_data(), f"{place} has a body, and none is described"
        return
    assert kind in content, f"{place} is {kind}, described are {sorted(content)}"
    # `fields` leaves out what its caller does not want.
    if kind.endswith("json") and FIELDS_PARAMETER not in asked.args:
        body = answer.get_data()
        found = json.loads(gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body)
        fault = next(iter(validator(secured, json.dumps(content[kind]["schema"])).iter_errors(found)), None)
        assert fault is None, f"{place}: {fault}"
        if answer.status_code < 300 and "HSTAR_WRITE_ANSWERS" in os.environ:
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


def document(app: APIFlask, secured: bool) -> dict[str, Any]:
    """The document, made once for all applications, because that takes two seconds."""
    if secured not in _documents:
        made = app.view_functions["openapi.spec"]()
        assert not isinstance(made, str)
        _documents[secured] = json.loads(made.get_data())  # type: ignore[union-attr]
    return _documents[secured]


@cache
def validator(secured: bool, schema: str) -> Any:
    """The compiled schema of an answer."""
    schemas = _documents[secured]["components"]["schemas"]
    whole = {"components": {"schemas": schemas}, "allOf": [json.loads(schema)]}
    return jsonschema_rs.validator_for(whole, validate_formats=True)
