"""Puzzles that owners add over HTTP: posted, used in every kind of job, changed, removed, and owned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from hstar.client import Client, ServerError
from hstar.puzzles import read_definition
from hstar.puzzles.added import earlier_name, full_name
from hstar.puzzles.formats import read_any_definition
from store.puzzles.definitions import StoredDefinitions
from store.puzzles.models import AddedPuzzle
from tests.conftest import TEST_ALL
from tests.notation.test_names import FORMATS, puzzles
from tests.puzzles.cubes import cube, replayed
from tests.service.conftest import KEYS
from tests.service.problems import problem

CUBE = json.loads((Path(__file__).resolve().parents[1] / "data" / "cubingjs_3x3x3.json").read_text())
RING = "L:=(1,7,6,5,4,3,2); X:=(1,2);"


def test_the_cube_of_cubing_js_posted_as_it_is(client: FlaskClient, work_off: Callable[[], int]) -> None:
    """Scrambles, solves (k = 8 optimal), audits, experiments, verifications, pictures, statistics."""
    posted = client.post("/v1/puzzles", json={"definition": CUBE, "name": "my-cube"})
    assert posted.status_code == 201
    full = posted.get_json()["name"]
    assert posted.headers["Location"] == f"/v1/puzzles/{full}"
    assert client.get("/v1/puzzles/my-cube").get_json() == posted.get_json()
    assert client.post("/v1/puzzles", json={"definition": CUBE, "name": "my-cube"}).status_code == 200

    scramble = client.post("/v1/scrambles", json={"puzzle": "my-cube", "k": 8, "seed": 1}).get_json()
    assert scramble["puzzle"] == full
    solve = {"puzzle": "my-cube", "scramble": scramble["id"], "algorithm": "bidirectional"}
    asked = client.post("/v1/solves", json=solve)
    assert asked.status_code == 202, asked.get_json()
    audit = {"puzzle": "my-cube", "heuristic": "ceil(misplaced_pieces / 8)", "radius": 1}
    audited = client.post("/v1/audits/heuristic", json=audit)
    experiment = {"puzzle": "my-cube", "k": [2, 3], "trials": 2, "seed": 1, "algorithms": ["bidirectional"]}
    tried = client.post("/v1/experiments", json=experiment)
    assert tried.status_code == 202, tried.get_json()
    verification = {"puzzle": "my-cube", "alg": "R U", "solution": "U' R'", "moves": "like-U"}
    verified = client.post("/v1/verifications", json=verification)
    assert work_off() == 7
    solved = client.get(asked.headers["Location"]).get_json()
    assert (solved["puzzle"], solved["outcome"], solved["optimality"]) == (full, "solved", "proven")
    assert len(solved["solution"]) <= 8
    assert client.get(audited.headers["Location"]).get_json()["answer"]["puzzle"] == full
    assert client.get(verified.headers["Location"]).get_json()["answer"]["valid"]
    done = client.get(tried.headers["Location"]).get_json()
    assert done["outcomes"]["solved"] == 4
    assert done["request"]["puzzle"] == full
    assert client.get(f"/v1/jobs/{solved['id']}/picture.svg").status_code == 200
    assert client.get("/v1/puzzles/my-cube/picture.svg").status_code == 200
    for name in ("my-cube", full):
        assert len(client.get(f"/v1/jobs?kind=solve&puzzle={name}").get_json()["items"]) == 5
        groups = client.get(f"/v1/stats?puzzle={name}&group_by=puzzle").get_json()["groups"]
        assert [group["values"]["puzzle"] for group in groups] == [full]
    assert client.post("/v1/states", json={"puzzle": "my-cube", "alg": "R"}).status_code == 200
    assert client.post("/v1/heuristics/check", json={"puzzle": "my-cube", "heuristic": "zero"}).status_code == 200


@pytest.mark.parametrize("n", [5, 7, 9] if TEST_ALL else [9])
def test_a_large_cube_posted_is_answered(n: int, client: FlaskClient, work_off: Callable[[], int]) -> None:
    posted = client.post("/v1/puzzles", json={"definition": {"generators": cube(n)}, "name": "big"})
    assert posted.status_code == 201, posted.get_json()
    solve = {"puzzle": "big", "random": 3, "algorithm": "anytime", "limits": {"seconds": 60, "expanded": 10}}
    asked = client.post("/v1/solves", json=solve)
    assert asked.status_code == 202, asked.get_json()
    near = client.post("/v1/solves", json={"puzzle": "big", "alg": "x0 y1", "algorithm": "bidirectional"})
    work_off()
    solved = client.get(asked.headers["Location"]).get_json()
    assert solved["outcome"] == "solved"
    start = solved["start"]["state"]["points"]
    assert replayed(cube(n), start, solved["solution"]) == list(range(6 * n * n))
    assert client.get(near.headers["Location"]).get_json()["length"] == 2


def test_a_later_definition_changes_no_result(client: FlaskClient, work_off: Callable[[], int]) -> None:
    first = client.post("/v1/puzzles", json={"definition": RING, "name": "ring"}).get_json()["name"]
    queued = client.post("/v1/solves", json={"puzzle": "ring", "alg": "L X L' X"}).headers["Location"]
    changed = client.post("/v1/puzzles", json={"definition": "L:=(1,2,3); X:=(1,2);", "name": "ring"})
    assert changed.status_code == 201
    assert changed.get_json()["name"] != first
    assert work_off() == 1
    solved = client.get(queued).get_json()
    assert (solved["puzzle"], solved["outcome"]) == (first, "solved")
    assert client.get(f"/v1/puzzles/{first}").get_json()["state_count"] == "5040"
    assert client.get("/v1/puzzles/ring").get_json()["state_count"] == "6"
    names = [item["name"] for item in client.get("/v1/puzzles").get_json()["items"] if item["owner"]]
    assert names == [changed.get_json()["name"]]
    # The first definition again gives the first puzzle again.
    assert client.post("/v1/puzzles", json={"definition": RING, "name": "ring"}).get_json()["name"] == first
    assert client.delete("/v1/puzzles/ring").status_code == 204
    problem(client.delete("/v1/puzzles/ring"), "not-found")
    problem(client.get("/v1/puzzles/ring"), "not-found")
    problem(client.post("/v1/solves", json={"puzzle": "ring", "alg": "L"}), "unknown-name")
    assert client.get(queued).get_json() == solved
    again = client.post("/v1/solves", json={"puzzle": first, "alg": "L X"})
    assert again.status_code == 202
    assert work_off() == 1


def test_names_are_of_their_owner(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    definition: dict[str, Any] = {"definition": RING, "name": "hers"}
    full = client.post("/v1/puzzles", json=definition, headers=alice).get_json()["name"]
    problem(client.get("/v1/puzzles/hers", headers=bob), "not-found")
    problem(client.post("/v1/solves", json={"puzzle": "hers", "alg": "L"}, headers=bob), "unknown-name")
    problem(client.delete(f"/v1/puzzles/{full}", headers=bob), "not-found")
    assert all(item["owner"] is None for item in client.get("/v1/puzzles", headers=bob).get_json()["items"])
    # Everybody who knows the full name may use it, such as a class its instructor's puzzle.
    assert client.post("/v1/solves", json={"puzzle": full, "alg": "L"}, headers=bob).status_code == 202
    other = {"definition": "(1,2,3,4)", "name": "hers"}
    assert client.post("/v1/puzzles", json=other, headers=bob).get_json()["state_count"] == "4"
    assert client.get("/v1/puzzles/hers", headers=alice).get_json()["state_count"] == "5040"


def test_the_client_adds_lists_shows_and_removes(client: FlaskClient) -> None:
    definition = read_any_definition(RING, "ring")
    with Client("http://localhost") as there:
        there._http = httpx.Client(transport=httpx.WSGITransport(app=client.application), base_url="http://localhost")
        full = there.add_puzzle(definition)["name"]
        assert full == full_name(definition)
        assert there.added_puzzles() == [full]
        assert read_definition(there.describe_puzzle("ring")["definition"]) == definition
        there.remove_puzzle("ring")
        assert there.added_puzzles() == []
        with pytest.raises(ServerError, match="there is no added puzzle"):
            there.remove_puzzle("ring")


def test_invalid_definitions_are_refused_with_their_places(client: FlaskClient) -> None:
    refused = client.post("/v1/puzzles", json={"definition": CUBE})
    assert [fault["where"] for fault in problem(refused, "invalid-request")["errors"]] == ["/name"]
    broken = json.loads(json.dumps(CUBE))
    broken["moves"]["U"]["CORNERS"]["permutation"][0] = 99
    broken["moves"]["L"]["EDGES"]["orientationDelta"] = [0]
    refused = client.post("/v1/puzzles", json={"definition": broken, "name": "broken"})
    assert [fault["where"] for fault in problem(refused, "invalid-request")["errors"]] == [
        "/definition/moves/U/CORNERS/permutation/0",
        "/definition/moves/L/EDGES/orientationDelta",
    ]
    text = {"definition": "Name x\nSet A 3", "name": "broken"}
    assert (
        problem(client.post("/v1/puzzles", json=text), "invalid-request")["errors"][0]["where"] == "/definition: line 2"
    )
    for name in ("megaminx", "8-puzzle", "99-puzzle"):
        problem(client.post("/v1/puzzles", json={"definition": RING, "name": name}), "invalid-request")


@pytest.mark.parametrize("kind", FORMATS)
def test_answers_are_read_back_whatever_moves_are_called(
    kind: str, client: FlaskClient, work_off: Callable[[], int]
) -> None:
    """A scramble, a solve, its verification, the same solve asked again by its alg, and the states along it."""
    for puzzle, random in puzzles(kind, 60 if TEST_ALL else 6):
        definition = puzzle.definition.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        assert client.post("/v1/puzzles", json={"definition": definition, "name": "p"}).status_code in (200, 201)
        moves = random.choice(list(puzzle.move_sets))
        made = client.post("/v1/scrambles", json={"puzzle": "p", "k": 6, "seed": 1, "moves": moves}).get_json()
        asked = {"puzzle": "p", "moves": moves, "alg": " ".join(made["alg"]), "algorithm": "breadth_first"}
        place = client.post("/v1/solves", json=asked).headers["Location"]
        work_off()
        solved = client.get(place).get_json()
        assert solved["start"]["alg"] == made["alg"]
        assert solved["start"]["state"] == made["state"]
        written = " ".join(solved["solution"])
        claim = {"puzzle": "p", "moves": moves, "alg": " ".join(solved["start"]["alg"]), "solution": written}
        judged = client.post("/v1/verifications", json=claim).headers["Location"]
        along = client.post("/v1/states", json={"puzzle": "p", "alg": asked["alg"], "then": written}).get_json()
        assert [step["move"] for step in along["path"]] == solved["solution"]
        work_off()
        answer = client.get(judged).get_json()["answer"]
        assert (answer["valid"], answer["excess"], answer["solution"]) == (True, 0, solved["solution"])


def test_an_earlier_full_name_stays_valid(client: FlaskClient, work_off: Callable[[], int]) -> None:
    """A row of the time when fingerprints had 64 bits, and a job, a link and a new name for it."""
    full = client.post("/v1/puzzles", json={"definition": RING, "name": "ring"}).get_json()["name"]
    earlier = earlier_name(full)
    assert len(full.partition("@")[2]) == 22
    assert len(earlier.partition("@")[2]) == 16
    sessions = client.application.extensions["hstar"].sessions
    sessions.run(lambda session: session.execute(update(AddedPuzzle).values(full_name=earlier)))
    addresses = []
    for name in (earlier, full, "ring"):
        assert client.get(f"/v1/puzzles/{name}").status_code == 200, name
        asked = client.post("/v1/solves", json={"puzzle": name, "alg": "L X"})
        assert asked.status_code == 202, asked.get_json()
        addresses.append((asked.headers["Location"], earlier if name == earlier else full))
    assert client.get(f"/v1/puzzles/{earlier}").get_json()["name"] == earlier
    work_off()
    for address, name in addresses:
        solved = client.get(address).get_json()
        assert (solved["puzzle"], solved["outcome"]) == (name, "solved")
    # The same definition again is the same row.
    assert client.post("/v1/puzzles", json={"definition": RING, "name": "ring"}).status_code == 200


def test_another_definition_with_the_same_64_bits_changes_nothing(client: FlaskClient) -> None:
    first = client.post("/v1/puzzles", json={"definition": RING, "name": "ring"}).get_json()["name"]
    client.post("/v1/puzzles", json={"definition": "L:=(1,2,3); X:=(1,2);", "name": "ring"})
    # As if both had one earlier name, which takes 2^32 attempts to make.
    sessions = client.application.extensions["hstar"].sessions
    other = select(AddedPuzzle).where(AddedPuzzle.full_name != first)

    def collide(session: Session) -> None:
        session.scalars(other).one().full_name = earlier_name(first)

    sessions.run(collide)
    assert StoredDefinitions(sessions, None).find(earlier_name(first)) is None
    found = StoredDefinitions(sessions, None).find(first)
    assert found is not None
    assert full_name(found) == first
