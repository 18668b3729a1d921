"""Strict parsing of requests into pydantic models, for APIFlask's ``app.input``; answers serialized from them.

A body must be valid ``application/json`` (`service.jsontext`) and fit its model; query parameters must be known, given
once (except lists), and fit theirs. One problem document lists all faults of a location.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar, Union, get_args, get_origin

from apiflask.schema_adapters import registry
from apiflask.schema_adapters.base import SchemaAdapter
from flask import Request
from gunicorn.http.errors import ParseException
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.exceptions import RequestEntityTooLarge

from hstar.errors import MAX_FAULTS, MAX_NAME, Fault, expected
from hstar.puzzles import full_name_of
from service.batches import OneOrMany
from service.errors import ProblemError
from service.jsontext import pointer, read_json, text_fault
from service.schema import Parameters

M = TypeVar("M", bound=BaseModel)

MAX_BODY_BYTES = 2**20
FIELDS_PARAMETER = "fields"
SCHEMA_REF = "#/components/schemas/{model}"


class StrictAdapter(SchemaAdapter):
    """Parses and writes pydantic models for APIFlask."""

    def __init__(self, schema: type[BaseModel], schema_name: str | None = None, many: bool = False) -> None:
        super().__init__(schema, schema_name=schema_name, many=many)
        self.model = schema

    @property
    def schema_type(self) -> str:
        return "pydantic"

    def validate_input(self, request: Request, location: str, **kwargs: Any) -> BaseModel:
        """The model of the data of ``request`` in ``location`` (json, query, headers); raises `ProblemError`."""
        if location == "json":
            data = read_json(json_bytes(request))
            model = self.model.meant(data) if issubclass(self.model, OneOrMany) else self.model
            return with_full_names(read_model(model, data))
        if location == "query":
            return with_full_names(read_query(self.model, request))
        if location == "headers":
            return self.model.model_validate(
                {name: request.headers.get(name.replace("_", "-")) for name in self.model.model_fields}
            )
        raise ValueError(f"no input is read from {location!r}")

    def serialize_output(self, data: Any, many: bool = False) -> Any:
        """A model as JSON types."""
        if not isinstance(data, self.model):
            raise TypeError(f"a view must answer {self.model.__name__}, not {type(data).__name__}")
        return data.model_dump(mode="json")

    def get_openapi_schema(self, **kwargs: Any) -> dict[str, Any]:
        """Schema of parameters. That of a body or an answer is empty here: `service.openapi` makes all of those in one
        call, which takes half the time."""
        if not issubclass(self.model, Parameters):
            return {}
        schema = self.model.model_json_schema(ref_template=SCHEMA_REF)
        schema.pop("$defs", None)
        return schema

    def get_schema_name(self) -> str:
        return self.model.__name__


registry.register("pydantic", StrictAdapter)


def with_full_names(model: M) -> M:
    """The request with the full names of added puzzles: what a name stands for is fixed at submission."""
    found: dict[str, Any] = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        if name == "puzzle" and isinstance(value, str):
            found[name] = full_name_of(value)
        elif name == "puzzle" and isinstance(value, list):
            found[name] = [full_name_of(one) for one in value]
        elif isinstance(value, BaseModel):
            found[name] = with_full_names(value)
        elif name == "items" and isinstance(value, list):  # of a batch
            found[name] = [with_full_names(one) if isinstance(one, BaseModel) else one for one in value]
    changed = {name: value for name, value in found.items() if value != getattr(model, name)}
    return model.model_copy(update=changed) if changed else model


def json_bytes(request: Request) -> bytes:
    """Body of ``request``; raises `ProblemError` unless it is declared as plain JSON in UTF-8."""
    # A web page may send forms and text/plain to other sites without a CORS preflight, but not application/json.
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    encoding = request.headers.get("Content-Encoding", "identity").lower()
    if request.mimetype != "application/json" or charset not in ("utf-8", "utf8") or encoding != "identity":
        found = request.headers.get("Content-Type") or "no Content-Type"
        packed = "" if encoding == "identity" else f", encoded as {encoding!r:.40}"
        detail = f"the body must be application/json in UTF-8, not encoded; found {found}{packed}"
        raise ProblemError("unsupported-media-type", detail, headers={"Accept": "application/json"})
    try:
        body = request.get_data()
    except (OSError, ParseException) as error:  # gunicorn cannot know where the next request begins
        detail = f"the body cannot be read: its chunked encoding is broken ({type(error).__name__})"
        raise ProblemError("bad-request", detail, headers={"Connection": "close"}) from None
    # werkzeug cuts a body without a declared length off at the limit, and accepts one whose sender disconnected.
    if len(body) >= MAX_BODY_BYTES and request.content_length is None:
        raise RequestEntityTooLarge
    if request.content_length is not None and len(body) < request.content_length:
        raise ProblemError("bad-request", f"the body ends after {len(body)} of {request.content_length} bytes")
    return body


def read_model(model: type[M], data: Any) -> M:
    """``data`` as ``model``; raises `ProblemError` with every fault at its JSON pointer."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = describe_faults(model, data, error.errors(include_url=False))
        raise ProblemError("invalid-request", "the body does not fit its schema", faults) from None


def read_query(model: type[M], request: Request) -> M:
    """Query parameters of ``request`` as ``model``; raises `ProblemError` with every fault."""
    faults: dict[str, str] = {}
    data: dict[str, Any] = {}
    for name, values in request.args.lists():
        if name == FIELDS_PARAMETER:  # handled for every answer by service/selection.py
            continue
        if messages := list(filter(None, map(text_fault, values))):
            faults[name] = messages[0]
        field = model.model_fields.get(name)
        if field is None:
            faults[name] = _unknown("parameter", name, model.model_fields)
        elif get_origin(field.annotation) is list:
            data[name] = values
        else:
            if len(values) > 1:
                faults[name] = "the parameter appears more than once"
            data[name] = values[0]
    try:
        found = model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            # A fault of a combination has no single parameter as its place.
            name = str(detail["loc"][0]) if detail["loc"] else ""
            faults.setdefault(name, expected(detail) + (_found(detail) if name else ""))
    else:
        if not faults:
            return found
    listed = [Fault(f"query:{name}" if name else "", message) for name, message in faults.items()]
    raise ProblemError("invalid-request", "the query parameters do not fit their schema", listed)


def describe_faults(model: type[BaseModel], data: Any, details: Sequence[ErrorDetails]) -> list[Fault]:
    """pydantic's errors as faults: one for each place, without the branches of unions that were not meant.

    Only the first are listed (`hstar.errors.MAX_FAULTS`); the others are counted. Linear in the number of errors.
    """
    by_place: dict[str, list[ErrorDetails]] = {}
    for detail in details:
        by_place.setdefault(_place(data, detail), []).append(detail)
    around = {place[:i] for place in by_place for i, character in enumerate(place) if character == "/"}
    meant = [
        (place, found)
        for place, found in by_place.items()
        if not (place in around and all(detail["type"].endswith("_type") for detail in found))
    ]
    faults = [Fault(place, _describe(model, found)) for place, found in meant[:MAX_FAULTS]]
    more = len(meant) - len(faults)
    return faults if more == 0 else [*faults, Fault("", f"and {more:,} more", more)]


def _describe(model: type[BaseModel], found: Sequence[ErrorDetails]) -> str:
    messages = [
        _unknown("field", str(detail["loc"][-1]), _fields_at(model, detail["loc"][:-1]))
        if detail["type"] == "extra_forbidden"
        else expected(detail)
        for detail in found
    ]
    first, *others = dict.fromkeys(messages)
    return " or ".join([first, *(one.removeprefix("expected ") for one in others)]) + _found(found[0])


def _place(data: Any, detail: ErrorDetails) -> str:
    """JSON pointer of an error, without pydantic's names for the branches of a union."""
    here, path = data, ""
    loc = detail["loc"]
    for index, part in enumerate(loc):
        inside = part in here if isinstance(here, dict) else isinstance(here, list) and part in range(len(here))
        if inside:
            here = here[part]
        elif not (detail["type"] == "missing" and index == len(loc) - 1):
            continue
        path = pointer(path, part)
    return path


def _found(detail: ErrorDetails) -> str:
    """The value found, if it is helpful and short."""
    found = detail["input"]
    if detail["type"] in ("missing", "extra_forbidden") or isinstance(found, (dict, list)):
        return ""
    shown = json.dumps(found, ensure_ascii=False)
    return f"; found {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(name[:MAX_NAME], names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f". Known: {', '.join(names)}" if names else ""
    return f"there is no such {what}{hint}"


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> Mapping[str, Any]:
    """Fields of the model at ``loc`` below ``model``."""
    for part in loc:
        field = model.model_fields.get(str(part))
        for choice in _choices(field.annotation) if field is not None else ():
            if isinstance(choice, type) and issubclass(choice, BaseModel):
                model = choice
    return model.model_fields


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
