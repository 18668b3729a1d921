"""Pictures of solves: each step of the solution, the whole path, refusals; and labels, end to end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from hstar.pictures import draw_path
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import NEIGHBOURS
from tests.service.problems import problem

NAMES = {face: f"face-{face.lower()}" for face in NEIGHBOURS}


@pytest.fixture
def solved(client: FlaskClient, work_off: Callable[[], int]) -> Callable[..., dict[str, Any]]:
    """Submit, solve, and read the answer."""

    def run(**body: object) -> dict[str, Any]:
        made = client.post("/v1/solves", json=body)
        assert made.status_code == 202, made.text
        assert work_off() == 1
        found: dict[str, Any] = client.get(made.headers["Location"]).get_json()
        assert found["outcome"] == "solved"
        return found

    return run


def fills(svg: str) -> list[str]:
    """The colours shown, facelet by facelet."""
    return [e.attrib["data-colour"] for e in ElementTree.fromstring(svg).iter() if "data-colour" in e.attrib]


def test_every_step_is_drawn(client: FlaskClient, solved: Callable[..., dict[str, Any]]) -> None:
    made = solved(puzzle="megaminx", alg="U R2'", moves="all")
    address = f"/v1/jobs/{made['id']}/picture.svg"
    first = client.get(address)
    assert first.status_code == 200
    assert first.content_type == "image/svg+xml; charset=utf-8"
    end = client.get(f"{address}?step=-1").text
    last = client.get(f"{address}?step={made['length']}").text
    assert end == last
    shown = fills(end)
    assert len(shown) >= 120
    assert fills(first.text) != shown
    puzzle = get_puzzle("megaminx")
    path = client.get(f"{address}?path=true").text
    start = puzzle.apply_alg(puzzle.solved, ["U", "R2'"])
    assert path == draw_path(puzzle, start, made["solution"], title=f"Megaminx: solve {made['id']}")


def test_refusals_of_pictures(client: FlaskClient, solved: Callable[..., dict[str, Any]]) -> None:
    made = solved(puzzle="8-puzzle", state="2 8 3 / 1 6 4 / 0 7 5")
    problem(client.get(f"/v1/jobs/{made['id']}/picture.svg?step=7"), "invalid-request")
    problem(client.get(f"/v1/jobs/{made['id']}/picture.svg?step=x"), "invalid-request")
    problem(client.get("/v1/jobs/01a1fc0b-0c34-7387-b086-ae26419d5185/picture.svg"), "not-found")


def test_labels_are_read_answered_and_drawn(client: FlaskClient, solved: Callable[..., dict[str, Any]]) -> None:
    table = {NAMES[face]: [NAMES[n] for n in around] for face, around in NEIGHBOURS.items()}
    labels = {"neighbours": table, "anchors": {NAMES["U"]: "U", NAMES["F"]: "F"}}
    made = solved(puzzle="megaminx", alg="face-u face-br", moves="ccw", labels=labels)
    assert made["start"]["alg"] == ["face-u", "face-br"]
    assert made["solution"] == ["face-br'", "face-u'"]
    assert "face-br" in client.get(f"/v1/jobs/{made['id']}/picture.svg").text
    wrong = labels | {"neighbours": table | {"face-u": [*table["face-u"][:4], "face-d"]}}
    body = {"puzzle": "megaminx", "alg": "", "labels": wrong}
    problem(client.post("/v1/solves", json=body), "invalid-request")
