"""Answers with the requested fields, and in gzip."""

from __future__ import annotations

import gzip
import json
from io import BytesIO

from flask import Flask, Response, request, send_file
from flask.testing import FlaskClient

from service.selection import compress
from tests.service.problems import faults, problem

BODY = {"puzzle": "megaminx", "scramble": {"k": 3, "seed": 1}}


def test_an_answer_has_the_fields_that_are_asked_for(client: FlaskClient) -> None:
    made = client.post("/v1/solves?fields=id,status", json=BODY)
    assert made.status_code == 202
    assert set(made.get_json()) == {"id", "status"}
    address = made.headers["Location"]
    whole = client.get(address)
    some = client.get(f"{address}?fields=status, start.scramble.k,start.scramble.seed,heuristic")
    assert some.get_json() == {
        "status": "queued",
        "start": {"scramble": {"k": 3, "seed": 1}},
        "heuristic": whole.get_json()["heuristic"],
    }
    assert some.headers["ETag"] != whole.headers["ETag"]
    # Below a null every field is absent, whatever its name.
    assert client.get(f"{address}?fields=counters.expanded").get_json() == {"counters": None}


def test_the_fields_of_a_list_are_those_of_its_items(client: FlaskClient) -> None:
    for seed in range(3):
        client.post("/v1/solves", json=BODY | {"scramble": {"k": 3, "seed": seed}})
    page = client.get("/v1/jobs?kind=solve&limit=2&fields=id,start.scramble.seed").get_json()
    assert [item["start"]["scramble"]["seed"] for item in page["items"]] == [2, 1]
    assert all(set(item) == {"id", "start"} for item in page["items"])
    following = client.get(page["next"]).get_json()
    assert [set(item) for item in following["items"]] == [{"id", "start"}]
    assert client.get("/v1/puzzles?fields=name").get_json()["items"][0].keys() == {"name"}


def test_a_field_that_is_not_there_is_refused(client: FlaskClient) -> None:
    address = client.post("/v1/solves", json=BODY).headers["Location"]
    for wanted, says in {
        "idd": "did you mean 'id'?",
        "status,heuristic.expresion": "did you mean 'expression'?",
        "xyzzy": "Known: ",
        "": "expected 1 to 64 names",
    }.items():
        answer = client.get(f"{address}?fields={wanted}")
        problem(answer, "invalid-request")
        assert says in faults(answer)["query:fields"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_answers_are_compressed_for_those_who_take_it(client: FlaskClient) -> None:
    address = client.post("/v1/solves", json=BODY).headers["Location"]
    plain = client.get(address)
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 2
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert all("Accept-Encoding" in answer.headers["Vary"] for answer in (plain, packed))
    for answer in (plain, packed):
        again = client.get(address, headers={"Accept-Encoding": "gzip", "If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    small = client.get(f"{address}?fields=id", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small.headers
    refused = client.get(address, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


def test_files_are_compressed_while_they_are_sent() -> None:
    app = Flask("files")
    text = json.dumps(list(range(100_000))).encode()

    @app.get("/file")
    def file() -> Response:
        return compress(request, send_file(BytesIO(text), "text/csv"))

    answer = app.test_client().get("/file", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Content-Length" not in answer.headers
    assert gzip.decompress(answer.data) == text
