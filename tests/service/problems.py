"""Checks of problem documents."""

from __future__ import annotations

from typing import Any

from werkzeug.test import TestResponse

from service.errors import ERROR_KINDS, PROBLEM_JSON


def problem(response: TestResponse, code: str) -> dict[str, Any]:
    """The problem document of ``response``, checked to be complete and of the kind ``code``."""
    body = response.get_json(force=True)
    kind = ERROR_KINDS[code]
    assert (response.status_code, body.get("type")) == (kind.status, f"/docs/errors#{code}"), body
    assert response.content_type == PROBLEM_JSON
    assert set(body) == {"type", "title", "status", "detail", "instance", "errors"}
    assert (body["status"], body["title"]) == (kind.status, kind.title)
    assert body["detail"]
    assert body["instance"] == response.request.path
    assert all(set(error) == {"where", "message"} and error["message"] for error in body["errors"])
    assert isinstance(body, dict)
    return body


def faults(response: TestResponse, code: str = "invalid-request") -> dict[str, str]:
    """The faults of a problem document by place; no place may appear twice."""
    errors = problem(response, code)["errors"]
    found = {error["where"]: error["message"] for error in errors}
    assert len(found) == len(errors), errors
    return found
