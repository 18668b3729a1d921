"""The OpenAPI document (3.1): APIFlask's, completed and corrected.

pydantic makes all schemas in one call, so that each model has one name; every operation lists the errors that it can
answer; descriptions are where readers of the document look for them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from apiflask import APIFlask
from flask import Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import hstar.schema
import service.schema
from hstar.experiments.schema import ComparisonList, ExperimentRequest, Table
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest
from hstar.schema import Strict
from service.context import context
from service.errors import ERROR_KINDS, PROBLEM_JSON, Problem
from service.reading import FIELDS_PARAMETER, SCHEMA_REF
from service.words import FIELDS, describe

DESCRIPTION = """\
Send a puzzle state or a scramble, poll for the answer, and get a solution, a proof of how good it is, and every counter
of the search.

A solve is a job, as audits, verifications and others are: its POST answers 202 and an address below `/v1/jobs`, which
shows live progress until its `status` is `done`, `cancelled` or `failed`. `Prefer: wait=N` holds an answer back until
the job has ended, for up to N seconds; `Accept: text/event-stream` sends it whenever it has changed. The `outcome` of a
solve that is done is `solved`, `exhausted` or `limit_reached`.

Types are strict: `true` is not an integer, `"3"` is not a number, and an unknown field is an error that names it.
"""

HEADERS: dict[str, dict[str, Any]] = {
    "Location": {"description": "path of the resource", "schema": {"type": "string"}},
    "Retry-After": {
        "description": "seconds to wait before the next poll, while the solve is unfinished",
        "schema": {"type": "integer", "minimum": 1},
    },
    "ETag": {"description": "version of the answer, for If-None-Match", "schema": {"type": "string"}},
    "Preference-Applied": {"description": "the wait that was honoured", "schema": {"type": "string"}},
    "Idempotent-Replayed": {
        "description": "`true`: the Idempotency-Key was used before; the resource is the one made then",
        "schema": {"type": "string"},
    },
    "Link": {"description": 'the next page, with rel="next"', "schema": {"type": "string"}},
}


def answers(*names: str) -> dict[str, dict[str, Any]]:
    """Header objects by name, for an operation's ``responses``."""
    return {name: HEADERS[name] for name in names}


def responses(own: Mapping[int, Mapping[str, Any]], *codes: str) -> Any:
    """All responses of an operation: its ``own`` by status, and those of the error ``codes``."""
    return {**own, **problems(*codes)}


def refers(*models: type[BaseModel]) -> dict[str, Any]:
    """The schema of one of these models, by reference."""
    found = [{"$ref": SCHEMA_REF.format(model=model.__name__)} for model in models]
    return found[0] if len(found) == 1 else {"anyOf": found}


#: added to the JSON of an operation whose parameter `format` also selects a CSV file
OR_CSV: dict[int, Mapping[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}


def problems(*codes: str) -> dict[int, dict[str, Any]]:
    """The responses with the error ``codes`` of the table, by status."""
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(ERROR_KINDS[code].status, []).append(code)
    return {
        status: {
            "description": "; ".join(f"{ERROR_KINDS[code].title} (`{code}`)" for code in found),
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, found in sorted(by_status.items())
    }


#: models of the library's experiments that are bodies or answers
HEURISTICS = (HeuristicCheckRequest, HeuristicCheck)
EXPERIMENTS = (ComparisonList, ExperimentRequest, Table)

#: the parameter of every operation that answers an object
ONLY_FIELDS: dict[str, Any] = {
    "name": FIELDS_PARAMETER,
    "in": "query",
    "required": False,
    "description": "only these fields of the answer, or of each item of a list: `id,status,counters.expanded`",
    "schema": {"type": "string"},
}

READ_PROBLEMS = ("bad-request", "forbidden", "misdirected-host", "invalid-request", "unavailable", "internal-error")
WRITE_PROBLEMS = (*READ_PROBLEMS, "malformed-json", "payload-too-large", "unsupported-media-type")
#: errors of operations that queue jobs
ROOM_PROBLEMS = ("queue-full", "storage-full")


def configure(app: APIFlask) -> None:
    """Configure APIFlask for the document."""
    app.config.update(
        OPENAPI_VERSION="3.1.0",
        DESCRIPTION=DESCRIPTION,
        SERVERS=[{"url": "/"}],
        LICENSE={"name": "MIT", "identifier": "MIT"},
        AUTO_OPERATION_ID=False,
        AUTO_VALIDATION_ERROR_RESPONSE=False,
        AUTO_404_RESPONSE=False,
        AUTO_AUTH_ERROR_RESPONSE=False,
    )

    @app.spec_processor
    def complete(document: dict[str, Any] | str) -> dict[str, Any] | str:
        assert isinstance(document, dict)
        document["components"]["schemas"] = schemas()
        document["paths"] = dict(sorted(document["paths"].items()))
        document["webhooks"] = {"ended": {"post": ENDED}}
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                _complete_operation(path, method, operation)
        return document

    def answer() -> Response:
        return Response(documents(app)[context().gate.secured()], content_type="application/json")

    app.view_functions["openapi.spec"] = answer


_documents: dict[bool, bytes] = {}
_making = threading.Lock()


def documents(app: APIFlask) -> Mapping[bool, bytes]:
    """The document, by whether the service has API keys. It is the same for all apps, and is made once in a process,
    when it is first asked for: half a second, which a start of the service does not take."""
    with _making:
        if not _documents:
            document: Any = app._get_spec("json", force_update=True)
            _documents[False] = json.dumps(document).encode()
            for path, operations in document["paths"].items():
                for operation in operations.values() if path.startswith(("/v1/", "/metrics")) else ():
                    operation["security"] = [{"ApiKey": []}]
                    _add_problems(operation, "unauthorized", "too-many-requests", "too-many-wrong-keys")
            document["components"]["securitySchemes"] = {
                "ApiKey": {"type": "http", "scheme": "bearer", "description": "A key from the operator."}
            }
            _documents[True] = json.dumps(document).encode()
    return _documents


#: the request that the service sends to a webhook
ENDED: dict[str, Any] = {
    "summary": "A job or an experiment has ended",
    "description": "Sent to the addresses of `POST /v1/webhooks`.",
    "parameters": [
        {"name": name, "in": "header", "required": True, "schema": {"type": "string"}, "description": meaning}
        for name, meaning in (
            ("webhook-id", "of the message; the same when it is sent again"),
            ("webhook-timestamp", "when it was sent: seconds since 1970"),
            ("webhook-signature", "`v1,` and the signature in base64"),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WebhookMessage"}}},
    },
    "responses": {"2XX": {"description": "It has arrived; after any other status it is sent again"}},
}

#: models of kinds of jobs, registered by their resources
_included: dict[str, type[BaseModel]] = {}


def include(*models: type[BaseModel]) -> None:
    """Add models of bodies and answers, and those in them, to the document; for models defined with their resource."""
    _included.update({model.__name__: model for model in models})


#: models that occur only inside others
_ONLY_BASES = (
    "BaseModel",
    "Strict",
    "Out",
    "Job",
    "Question",
    "Answer",
    "Fit",
    "Excess",
    "HeuristicOption",
    "Tuning",
    "Options",
)


def schemas() -> dict[str, Any]:
    """JSON Schemas of all bodies and answers, by name: bodies as they are parsed, answers as they are written."""
    _, definitions = models_json_schema(
        [(model, "validation" if issubclass(model, Strict) else "serialization") for model in _bodies_and_answers()],
        ref_template=SCHEMA_REF,
    )
    named: dict[str, Any] = definitions["$defs"]
    describe(named)
    return named


def build_models() -> None:
    """Build what checks and writes bodies and answers: before processes fork, which share it, and before there are
    threads, since pydantic before 2.14 cannot do it in two at once."""
    for model in _bodies_and_answers():
        model.model_rebuild()


def _bodies_and_answers() -> list[type[BaseModel]]:
    """Their models, by name."""
    found: list[type[BaseModel]] = [
        *_models(vars(hstar.schema)),
        *_models(vars(service.schema)),
        *EXPERIMENTS,
        *HEURISTICS,
        Problem,
    ]
    found += _included.values()
    models = {model.__name__: model for model in found}
    return [
        model
        for name, model in sorted(models.items())
        if name not in _ONLY_BASES and not issubclass(model, service.schema.Parameters)
    ]


def _models(names: Mapping[str, object]) -> Iterable[type[BaseModel]]:
    return [value for value in names.values() if isinstance(value, type) and issubclass(value, BaseModel)]


def _add_problems(operation: dict[str, Any], *codes: str) -> None:
    """Adds the errors that every operation can answer."""
    for status, response in problems(*codes).items():
        known = operation["responses"].setdefault(str(status), response)
        if known is not response:
            known["description"] += f"; {response['description']}"


@cache
def _answers() -> dict[str, Any]:
    """A real answer of each operation, by its name, shortened (tests/service/contract.py writes them)."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))
    return found


def _complete_operation(path: str, method: str, operation: dict[str, Any]) -> None:
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if status.startswith("2") and content is not None and operation["operationId"] in _answers():
            shown = {**content, "example": _answers()[operation["operationId"]]}
            # Operations share responses, but not their examples.
            operation["responses"][status] = {**response, "content": {**response["content"], "application/json": shown}}
            break
    if path.startswith("/v1/") and method == "get":
        # service/app.py gives every answer an ETag, and compares it with the request's.
        operation["responses"].setdefault("304", {"description": "Nothing changed", "headers": answers("ETag")})
        operation["responses"].get("200", {}).setdefault("headers", {}).update(answers("ETag"))
    if path.startswith("/v1/") and "application/json" in operation["responses"].get("200", {}).get("content", {}):
        operation.setdefault("parameters", []).append(deepcopy(ONLY_FIELDS))
    if "requestBody" in operation:
        operation["requestBody"]["required"] = True
    for parameter in operation.get("parameters", []):
        found = parameter["schema"]
        if parameter["in"] == "header":
            parameter["name"] = "-".join(word.capitalize() for word in parameter["name"].split("-"))
        found.pop("title", None)
        # A parameter can be left out, but is never null.
        choices = [choice for choice in found.get("anyOf", []) if choice != {"type": "null"}]
        if len(choices) == 1:
            del found["anyOf"]
            found.update(choices[0])
        if found.get("default", ...) is None:
            del found["default"]
        if word := found.pop("description", FIELDS.get(parameter["name"])):
            parameter.setdefault("description", word)
        if parameter["in"] == "path" and parameter["name"] == "id":
            found["format"] = "uuid"
