"""The OpenAPI document is complete and matches the routes; in test_http.py schemathesis checks the answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from flask.testing import FlaskClient

from service.errors import ERROR_KINDS
from service.words import FIELDS
from tests.service.conftest import KEYS
from tests.service.contract import ANSWERS


@pytest.fixture
def document(open_client: FlaskClient) -> dict[str, Any]:
    answer = open_client.get("/openapi.json")
    assert answer.content_type == "application/json"
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for below in value.values():
            yield from references(below)
    elif isinstance(value, list):
        for below in value:
            yield from references(below)


def test_it_is_openapi_3_1_and_every_schema_is_a_json_schema(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    assert document["info"]["license"]["identifier"] == "MIT"
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere_and_every_schema_is_used(document: dict[str, Any]) -> None:
    used = set(references(document))
    assert used == {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}


def test_every_field_and_every_parameter_is_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    fields = {(name, field): its for name, one in schemas.items() for field, its in one.get("properties", {}).items()}
    assert len(fields) > 1000
    assert [place for place, its in fields.items() if not its.get("description")] == []
    parameters = [
        (path, method, one["name"])
        for path, method, operation in operations(document)
        for one in operation.get("parameters", [])
        if not one.get("description")
    ]
    assert parameters == []


def test_every_word_is_used(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    used = {
        key
        for name, one in schemas.items()
        for field, its in one.get("properties", {}).items()
        for key in (f"{name}.{field}", field)
        if its.get("description") == FIELDS.get(key)
    }
    named = {one["name"] for _, _, operation in operations(document) for one in operation.get("parameters", [])}
    assert set(FIELDS) - used - named == set()


def test_every_route_is_described_and_nothing_else(document: dict[str, Any], open_client: FlaskClient) -> None:
    routes = {
        (rule.rule.replace("<", "{").replace(">", "}"), method.lower())
        for rule in open_client.application.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(("/v1/", "/health/", "/metrics"))
    }
    # A path with a suffix is a link to one format of the path without it.
    links = {(path, "get") for path, method in routes if method == "get" and (path.rpartition(".")[0], "get") in routes}
    assert len(links) == 8
    routes -= links
    assert {(path, method) for path, method, _ in operations(document)} == routes


def test_every_operation_has_a_name_words_and_its_problems(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(ids)) == len(ids)
    tags = {tag["name"] for tag in document["tags"]}
    for path, method, operation in operations(document):
        assert operation["summary"], (path, method)
        assert set(operation["tags"]) <= tags
        for status, response in operation["responses"].items():
            assert response["description"]
            if int(status) >= 400:
                assert list(response["content"]) == ["application/problem+json"]
                assert any(
                    str(kind.status) == status and kind.code in response["description"] for kind in ERROR_KINDS.values()
                )
        assert {"403", "421"} <= set(operation["responses"]), (path, method)


def test_bodies_are_required_and_their_examples_fit(document: dict[str, Any]) -> None:
    bodies = [operation["requestBody"] for _, _, operation in operations(document) if "requestBody" in operation]
    assert len(bodies) >= 5
    for body in bodies:
        assert body["required"] is True
        content = body["content"]["application/json"]
        schema = {"$ref": content["schema"]["$ref"], "components": document["components"]}
        assert content["examples"]
        for example in content["examples"].values():
            jsonschema.validate(example["value"], schema)


def test_every_operation_shows_a_real_answer_that_fits(document: dict[str, Any]) -> None:
    """`HSTAR_WRITE_ANSWERS=1 pytest -n0 tests/service` writes them anew."""
    shown = 0
    for path, method, operation in operations(document):
        contents = [
            response["content"]["application/json"]
            for status, response in operation["responses"].items()
            if status.startswith("2") and "application/json" in response.get("content", {})
        ]
        examples = [content for content in contents if "example" in content]
        assert len(examples) == min(1, len(contents)), (path, method)
        for content in examples:
            whole = {"components": document["components"], "allOf": [content["schema"]]}
            faults = list(jsonschema_rs.validator_for(whole, validate_formats=True).iter_errors(content["example"]))
            assert faults == [], (
                f"{method} {path}: write service/answers.json anew, see above: {faults[0].message:.300}"
            )
            shown += 1
    assert shown == len(json.loads(ANSWERS.read_text(encoding="utf-8"))) > 70


def test_parameters_are_described_where_readers_look(document: dict[str, Any]) -> None:
    found = {
        parameter["name"]: parameter
        for _, _, operation in operations(document)
        for parameter in operation.get("parameters", [])
    }
    assert {"Prefer", "Idempotency-Key", "If-None-Match", "cursor", "tag", "id", "name"} <= set(found)
    assert found["id"]["schema"]["format"] == "uuid"
    assert not any("anyOf" in parameter["schema"] for parameter in found.values())
    assert all("description" in found[name] for name in ("Prefer", "Idempotency-Key", "tag", "limit"))


def test_it_is_the_same_every_time(open_client: FlaskClient) -> None:
    first, again = (open_client.get("/openapi.json").get_data() for _ in range(2))
    assert first == again
    assert json.loads(first)["servers"] == [{"url": "/"}]


def test_with_keys_it_says_so(make_client: Callable[..., FlaskClient]) -> None:
    document = make_client(api_keys=KEYS).get("/openapi.json").get_json()
    assert document["components"]["securitySchemes"]["ApiKey"]["scheme"] == "bearer"
    for path, method, operation in operations(document):
        needs = not path.startswith("/health/")
        assert ("security" in operation) is needs, (path, method)
        assert ("401" in operation["responses"]) is needs
