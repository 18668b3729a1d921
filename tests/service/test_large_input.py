"""Bodies of nearly a megabyte, full of faults: a short answer, with a hundred faults and the number of the rest."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import Any

import pytest
from flask.testing import FlaskClient

from hstar.errors import MAX_FAULTS, Fault, InvalidState, listed
from hstar.schema import SolveRequest
from service.reading import MAX_BODY_BYTES, describe_faults
from tests.service.problems import problem

MANY = 25_000
LONG = "x" * 900_000
SOLVE: dict[str, Any] = {"puzzle": "megaminx", "alg": "U"}


def bodies() -> dict[str, dict[str, Any]]:
    names = [f"f{i:05}" for i in range(MANY)]
    return {
        "fields": SOLVE | dict.fromkeys(names, 1),
        "fields of limits": SOLVE | {"limits": dict.fromkeys(names, 1)},
        "faces": {"puzzle": "megaminx", "state": {"facelets": dict.fromkeys(names, "")}},
        "faces at the top": {"puzzle": "megaminx", "state": dict.fromkeys(names, "")},
        "faces of the master pyraminx": {"puzzle": "master_pyraminx", "state": {"facelets": dict.fromkeys(names, "")}},
        "orbits": {"puzzle": "megaminx", "state": {"pieces": {name: {} for name in names}}},
        "neighbours": SOLVE | {"labels": {"neighbours": {name: ["a"] for name in names}}},
        "tags": SOLVE | {"tags": dict.fromkeys(names, 1)},
        "tiles": {"puzzle": "8-puzzle", "state": [77] * MANY},
        "moves": {"puzzle": "megaminx", "alg": "Q " * MANY},
        "a puzzle": SOLVE | {"puzzle": LONG},
        "a move set": SOLVE | {"moves": LONG},
        "a heuristic": SOLVE | {"heuristic": LONG},
        "an alg": SOLVE | {"alg": LONG},
        "a text of tiles": {"puzzle": "8-puzzle", "state": LONG},
        "a face": {"puzzle": "megaminx", "state": {"facelets": {"U": LONG}}},
        "a scramble": {"puzzle": "megaminx", "scramble": LONG},
        "a field": SOLVE | {LONG: 1},
        "an algorithm": SOLVE | {"algorithm": LONG},
    }


@pytest.mark.parametrize("kind", bodies())
def test_the_answer_is_short(open_client: FlaskClient, kind: str) -> None:
    body = json.dumps(bodies()[kind], separators=(",", ":"))
    assert len(body) < MAX_BODY_BYTES
    answer = open_client.post("/v1/solves", data=body, content_type="application/json")
    assert answer.status_code == 422, answer.get_data(as_text=True)[:500]
    assert len(answer.get_data()) < 40_000
    found = answer.get_json()["errors"]
    assert len(found) <= MAX_FAULTS + 1
    if len(found) > MAX_FAULTS:
        assert found[-1]["message"].startswith("and ")


def test_unknown_fields_are_counted(open_client: FlaskClient) -> None:
    answer = open_client.post("/v1/solves", json=SOLVE | {f"f{i}": 1 for i in range(5000)})
    found = problem(answer, "invalid-request")["errors"]
    assert found[-1] == {"where": "", "message": "and 4,900 more"}
    assert found[0]["where"] == "/f0"


def test_parsing_is_linear_in_the_number_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Suggestions of known names are computed only for the faults that are shown."""
    compared = 0
    ratio = SequenceMatcher.real_quick_ratio

    def counted(matcher: SequenceMatcher[str]) -> float:
        nonlocal compared
        compared += 1
        return ratio(matcher)

    monkeypatch.setattr(SequenceMatcher, "real_quick_ratio", counted)
    counts = []
    for many in (1_000, 4_000):
        compared = 0
        data = SOLVE | {f"f{i}": 1 for i in range(many)}
        details: Any = [{"type": "extra_forbidden", "loc": (f"f{i}",), "msg": "", "input": 1} for i in range(many)]
        assert sum(fault.count for fault in describe_faults(SolveRequest, data, details)) == many
        counts.append(compared)
    assert counts[0] == counts[1] > 0


def test_a_list_of_faults_is_cut_once() -> None:
    faults = [Fault(f"/{i}", "wrong") for i in range(1234)]
    once = listed(faults)
    assert len(once) == MAX_FAULTS + 1
    assert str(once[-1]) == "and 1,134 more"
    assert listed(once) == once
    assert InvalidState("no state", [Fault("/x", "wrong"), *once]).faults[-1].count == 1135
