"""The API reference, ``/docs``, made from the OpenAPI document; without scripts, and with nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from apiflask import APIBlueprint, APIFlask
from flask import Response, current_app, make_response, render_template, request
from markupsafe import Markup, escape

from service.context import context
from service.errors import ERROR_KINDS
from service.openapi import READ_PROBLEMS, documents

bp = APIBlueprint("site", __name__, enable_openapi=False)

#: in the place of the service's address
BASE = "http://address-of-this-service.invalid"

_CODE = re.compile(r"`([^`]+)`")
_EXAMPLE_PARTS = {"id": "$ID", "name": "megaminx", "course": "ai-1", "submission": "$SUBMISSION"}
#: for operations with parameters that cannot be left out
_EXAMPLE_QUERIES = {"compareSubmissions": "?student=ada&student=ben", "getClassCounts": "?instance=1"}


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as the page shows it."""

    anchor: str
    method: str
    path: str
    spec: Mapping[str, Any]
    curl: str
    #: responses by status that are not errors
    answers: Mapping[str, Any]
    #: codes of its errors, besides those of every request
    errors: tuple[str, ...]
    body: Mapping[str, Any] | None = None
    examples: tuple[tuple[str, str], ...] = ()
    #: a real answer, its lists cut short
    answer: str | None = None


@dataclass(slots=True)
class Section:
    """The operations of one tag."""

    name: str
    description: str
    operations: list[Operation] = field(default_factory=list)


@bp.get("/docs")
def docs() -> Response:
    """The whole reference."""
    return _page("docs.html")


@bp.get("/docs/errors")
def errors() -> Response:
    """The table of errors, to which the `type` of every problem document leads."""
    return _page("errors.html")


def sections(document: Mapping[str, Any], base: str, *, secured: bool) -> list[Section]:
    """The operations of an OpenAPI document by tag, in the order of its tags."""
    found = {tag["name"]: Section(tag["name"], tag["description"]) for tag in document["tags"]}
    order = {"post": 0, "get": 1, "delete": 2}
    for path, operations in document["paths"].items():
        for method, spec in sorted(operations.items(), key=lambda item: order.get(item[0], 9)):
            found[spec["tags"][0]].operations.append(_operation(path, method, spec, base, secured))
    return list(found.values())


def _operation(path: str, method: str, spec: Mapping[str, Any], base: str, secured: bool) -> Operation:
    content = spec.get("requestBody", {}).get("content", {}).get("application/json", {})
    given = content.get("examples", {}).values()
    answers, errors = {}, []
    for status, response in sorted(spec["responses"].items()):
        codes = [code for code in _CODE.findall(response["description"]) if code in ERROR_KINDS]
        errors += [code for code in codes if code not in READ_PROBLEMS]
        if not codes:
            answers[status] = response
    examples = [(example["summary"], _by_line(example["value"])) for example in given]
    return Operation(
        anchor=f"operation-{spec['operationId']}",
        method=method.upper(),
        path=path,
        spec=spec,
        curl=" \\\n  ".join(_curl(path, method, spec, base, secured, examples[0][1] if examples else None)),
        answers=answers,
        errors=tuple(errors),
        body=content.get("schema"),
        examples=tuple(examples[1:]),
        answer=next(filter(None, map(_answer, answers.values())), None),
    )


def _curl(path: str, method: str, spec: Mapping[str, Any], base: str, secured: bool, body: str | None) -> Iterator[str]:
    address = base + re.sub(r"{(\w+)}", lambda part: _EXAMPLE_PARTS.get(part[1], f"${part[1].upper()}"), path)
    address += _EXAMPLE_QUERIES.get(spec["operationId"], "")
    implied = "get" if body is None else "post"
    yield "curl " + (f"-X {method.upper()} " if method != implied else "") + f'"{address}"'
    if secured and "security" in spec:
        yield '-H "Authorization: Bearer $HSTAR_API_KEY"'
    if body is not None:
        yield "-H 'Content-Type: application/json'"
        yield f"-d {shlex.quote(body)}"


def _answer(response: Mapping[str, Any]) -> str | None:
    example = response.get("content", {}).get("application/json", {}).get("example")
    return None if example is None else _by_line(example) if isinstance(example, dict) else json.dumps(example)


def _by_line(value: Mapping[str, Any]) -> str:
    """JSON with one field a line."""
    fields = (f"  {json.dumps(name)}: {json.dumps(field, ensure_ascii=False)}" for name, field in value.items())
    return "{\n" + ",\n".join(fields) + "\n}"


def type_of(schema: Mapping[str, Any]) -> Markup:
    """A JSON Schema in a few words, with links to the schemas that it refers to."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    if "anyOf" in schema:
        return Markup(" or ").join(type_of(choice) for choice in schema["anyOf"])
    if "const" in schema:
        return Markup("<code>{}</code>").format(json.dumps(schema["const"]))
    if "enum" in schema:
        return Markup(" · ").join(Markup("<code>{}</code>").format(json.dumps(value)) for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        return Markup("array of {}").format(type_of(schema.get("items", {})))
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(type_of(schema["additionalProperties"]))
    words = f"{kind} ({schema['format']})" if "format" in schema else kind
    return escape(words) + escape(_range(schema))


def _range(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum", schema.get("minLength"))
    high = schema.get("maximum", schema.get("maxLength"))
    unit = " characters" if "maxLength" in schema else ""
    if low is not None and high is not None:
        return f", {low} to {high}{unit}"
    if low is not None:
        return f", at least {low}{unit}"
    return f", at most {high}{unit}" if high is not None else ""


def prose(text: str) -> Markup:
    """Paragraphs of plain text with code in backticks, as HTML."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
    return Markup("").join(Markup("<p>{}</p>").format(inline(part)) for part in paragraphs)


def inline(text: str) -> Markup:
    """Plain text with code in backticks, as HTML."""
    return Markup(_CODE.sub(lambda found: f"<code>{found[1]}</code>", str(escape(text))))


def breakable(path: str) -> Markup:
    """A path that a line may be broken in after each slash, not within a word."""
    return Markup("/<wbr>").join(path.split("/"))


@cache
def _text(template: str, secured: bool) -> str:
    """A page with `BASE` as its address, which clients can choose; kept, because everybody may ask for it."""
    app = _application()
    document = json.loads(documents(app)[secured])
    return render_template(
        template, title="hstar", style=page_style()[0], version=app.version, prose=prose, inline=inline,
        type_of=type_of, breakable=breakable, base=BASE, secured=secured, document=document, common=READ_PROBLEMS,
        sections=sections(document, BASE, secured=secured), schemas=document["components"]["schemas"],
        kinds=ERROR_KINDS.values(),
    )  # fmt: skip


def _page(template: str) -> Response:
    text = _text(template, context().gate.secured())
    return without_scripts(text.replace(BASE, str(escape(request.url_root.rstrip("/")))))


def without_scripts(text: str, images: str = "data:", forms: str = "'none'") -> Response:
    """A page that may use its own style sheet, images from ``images`` and forms to ``forms``, and nothing else."""
    response = make_response(text)
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'sha256-{page_style()[1]}'; img-src {images}; base-uri 'none'; "
        f"form-action {forms}; frame-ancestors 'none'"
    )
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


@cache
def page_style() -> tuple[Markup, str]:
    """The style sheet and its hash for the Content-Security-Policy."""
    text = (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
    return Markup(text), base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _application() -> APIFlask:
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    assert isinstance(app, APIFlask)
    return app
