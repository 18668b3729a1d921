"""``/v1/solves`` on both databases: submit, poll, list, cancel; the worker's runner runs the searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from hstar import heuristics
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.megaminx import NEIGHBOURS
from hstar.schema import Solve
from service.examples import SOLVE_REQUESTS
from service.schema import MAX_PAGE
from store.database import make_engine, make_sessions
from store.doorbell import QUEUE
from store.jobs.models import Job
from store.settings import Settings
from tests.conftest import TEST_ALL
from tests.servers import Valkey
from tests.service.problems import faults, problem

BOARD = [2, 8, 3, 1, 6, 4, 7, 0, 5]
TILES = {"puzzle": "8-puzzle", "state": BOARD, "heuristic": "manhattan"}
MEGAMINX = {
    "puzzle": "megaminx",
    "scramble": {"k": 5, "seed": 7, "moves": "cw"},
    "moves": "ccw",
    "heuristic": "ceil(misplaced_facelets / 15)",
    "limits": {"expanded": 200_000, "memory_mib": 64},
}


def submit(client: FlaskClient, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = client.post("/v1/solves", json=body, headers=headers)
    assert answer.status_code == 202, answer.get_data(as_text=True)
    found = answer.get_json()
    assert answer.headers["Location"] == f"/v1/jobs/{found['id']}"
    assert isinstance(found, dict)
    return found


def test_a_submission_is_stored_answered_and_wakes_a_worker(client: FlaskClient, valkey: Valkey) -> None:
    body = MEGAMINX | {"tags": {"course": "ai"}, "priority": 3, "tie_breaking": "fifo", "weight": 1.5}
    answer = client.post("/v1/solves", json=body)
    assert answer.status_code == 202
    assert answer.headers["Retry-After"] == "1"
    assert "Preference-Applied" not in answer.headers
    solve = Solve.model_validate(answer.get_json())
    assert (solve.status, solve.attempt, solve.cancel_requested) == ("queued", 0, False)
    assert (solve.tags, solve.priority, solve.tie_breaking, solve.weight) == ({"course": "ai"}, 3, "fifo", 1.5)
    assert (solve.limits.expanded, solve.limits.memory_mib) == (200_000, 64)
    assert solve.heuristic.admissible == "proven"
    assert len(solve.start.alg or ()) == 5
    assert set(answer.get_json()["start"]["scramble"]) == {"id", "moves", "k", "seed"}
    assert solve.created_at is not None
    assert solve.started_at is None
    assert client.get(answer.headers["Location"]).get_json() == answer.get_json()
    assert valkey.client().llen(QUEUE) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"puzzle": "megaminx", "alg": "U F2", "algorithm": "auto"},
        {"puzzle": "megaminx", "scramble": {"k": 2, "seed": 1}, "labels": {"neighbours": NEIGHBOURS}},
        {"puzzle": "tiles:2x3", "goal": [1, 2, 3, 4, 5, 0], "scramble": {"k": 4, "seed": 2}, "tags": {"a": "b"}},
        {"puzzle": "8-puzzle", "state": "2 8 3 / 1 6 4 / 0 7 5", "algorithm": "ida_star", "priority": -1},
    ],
)
def test_the_first_answer_is_what_polling_answers(client: FlaskClient, body: dict[str, Any]) -> None:
    made = submit(client, body)
    assert client.get(f"/v1/jobs/{made['id']}").get_json() == made


def test_databases_and_what_auto_chose_are_answered(client: FlaskClient, work_off: Callable[[], int]) -> None:
    start = {"puzzle": "master_pyraminx", "scramble": {"k": 4, "seed": 1, "moves": "layers32"}}
    stored = submit(client, start | {"algorithm": "ida_star", "heuristic": 'pdb("edges:2+centres:2")'})
    chosen = submit(client, start | {"algorithm": "auto"})
    assert (stored["method"], chosen["method"]) == ("ida_star", None)
    assert stored["heuristic"]["admissible"] == "proven"
    assert work_off() == 2
    found = [client.get(f"/v1/jobs/{made['id']}").get_json() for made in (stored, chosen)]
    assert [solve["optimality"] for solve in found] == ["proven", "proven"]
    assert found[0]["length"] == found[1]["length"]
    assert (found[1]["method"], found[1]["heuristic"]["expression"]) == ("bidirectional", "0")


def test_auto_answers_what_it_cannot_prove(client: FlaskClient, work_off: Callable[[], int]) -> None:
    asked = {"puzzle": "megaminx", "random": 1, "moves": "single", "limits": {"expanded": 40_000}}
    answered = submit(client, asked | {"algorithm": "auto"})
    limited = submit(client, asked | {"algorithm": "ida_star", "heuristic": "misplaced_pieces / 10"})
    work_off()
    found = client.get(f"/v1/jobs/{answered['id']}").get_json()
    assert (found["outcome"], found["optimality"], found["method"]) == ("solved", "feasible", "anytime")
    assert 0 < found["lower_bound"] < found["length"] == len(found["solution"])
    assert found["counters"]["expanded"] <= 40_000
    puzzle = get_puzzle("megaminx")
    assert puzzle.apply_alg(puzzle.parse_state(found["start"]["state"]), found["solution"]) == puzzle.solved
    assert client.get(f"/v1/jobs/{limited['id']}").get_json()["outcome"] == "limit_reached"


def test_databases_that_do_not_fit_are_refused(client: FlaskClient) -> None:
    body = {"puzzle": "15-puzzle", "alg": "R", "heuristic": 'pdb("7-8")', "limits": {"memory_mib": 100}}
    found = faults(client.post("/v1/solves", json=body))
    assert list(found) == ["/limits/memory_mib"]
    assert "the limit is 100" in found["/limits/memory_mib"]


def test_a_solve_goes_from_submission_to_a_replayed_optimal_solution(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    made = submit(client, MEGAMINX)
    assert work_off() == 1
    answer = client.get(f"/v1/jobs/{made['id']}")
    solve = Solve.model_validate(answer.get_json())
    assert (answer.status_code, solve.outcome, solve.optimality, solve.attempt) == (200, "solved", "proven", 1)
    assert "Retry-After" not in answer.headers
    assert solve.length == solve.lower_bound == len(solve.solution or ()) <= 5
    assert solve.counters is not None
    assert solve.counters.generated >= solve.counters.expanded > 0
    puzzle = get_puzzle("megaminx")
    start = puzzle.apply_alg(puzzle.solved, solve.start.alg or ())
    assert puzzle.apply_alg(start, solve.solution or ()) == puzzle.solved


@pytest.mark.parametrize(
    "body", [{"alg": ""}, {"state": [1, 2, 3, 8, 0, 4, 7, 6, 5]}, {"scramble": {"k": 0, "seed": 1}}]
)
def test_solved_input_is_an_ordinary_solve_of_length_0(
    client: FlaskClient, work_off: Callable[[], int], body: dict[str, Any]
) -> None:
    made = submit(client, {"puzzle": "8-puzzle", **body})
    work_off()
    solve = client.get(f"/v1/jobs/{made['id']}").get_json()
    assert (solve["outcome"], solve["solution"], solve["length"]) == ("solved", [], 0)
    assert (solve["optimality"], solve["lower_bound"], solve["counters"]["expanded"]) == ("proven", 0, 0)


def test_every_example_of_the_documentation_is_solved(client: FlaskClient, work_off: Callable[[], int]) -> None:
    # Those with a limit of time use all of it to find shorter solutions; one with a solution to begin with needs none.
    # A random target needs tables that take ten seconds to make.
    def shorter(value: dict[str, Any]) -> dict[str, Any]:
        if TEST_ALL or "seconds" not in value.get("limits", {}):
            return value
        near = {"target": {"alg": "R U2 F'"}} if "target" in value else {}
        return value | near | {"limits": {"seconds": 0.5} if "shorten" in value else {"expanded": 400_000}}

    made = [submit(client, shorter(example["value"])) for example in SOLVE_REQUESTS.values()]
    assert work_off() >= len(made)  # and builds of tables for which a solve had no time
    assert {client.get(f"/v1/jobs/{solve['id']}").get_json()["outcome"] for solve in made} == {"solved"}


def test_a_stored_scramble_can_be_named(client: FlaskClient) -> None:
    scramble = client.post("/v1/scrambles", json={"puzzle": "megaminx", "k": 4, "seed": 9, "moves": "cw"}).get_json()
    made = submit(client, {"puzzle": "megaminx", "scramble": scramble["id"], "moves": "ccw"})
    inline = submit(client, MEGAMINX | {"scramble": {"k": 4, "seed": 9, "moves": "cw"}})
    assert made["start"]["given_as"] == "scramble"
    assert made["start"]["scramble"]["id"] == scramble["id"]
    assert inline["start"]["scramble"]["id"] is None
    assert made["start"]["alg"] == inline["start"]["alg"] == scramble["alg"]
    assert made["start"]["state"] == scramble["state"]


def test_a_scramble_from_another_goal_brings_its_goal(client: FlaskClient, work_off: Callable[[], int]) -> None:
    goal = [1, 2, 3, 4, 5, 0]
    body = {"puzzle": "tiles:2x3", "goal": goal, "k": 12, "seed": 3}
    scramble = client.post("/v1/scrambles", json=body).get_json()
    made = submit(client, {"puzzle": "tiles:2x3", "scramble": scramble["id"]})
    assert made["goal"] == goal
    work_off()
    assert client.get(f"/v1/jobs/{made['id']}").get_json()["outcome"] == "solved"


def test_an_alg_is_shortened_and_a_target_come_to_by_one_call_each(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    cube = get_puzzle("3x3x3")
    long = make_scramble(cube, 1000, 1).alg
    limits = {"expanded": 3000}
    asked = {"puzzle": "3x3x3", "shorten": " ".join(long), "limits": limits}
    shortened = submit(client, asked)
    away = submit(client, {"puzzle": "3x3x3", "alg": "", "target": {"alg": "R U F"}, "algorithm": "bidirectional"})
    board = submit(client, {"puzzle": "8-puzzle", "alg": "L U", "target": {"random": 3}, "heuristic": "manhattan"})
    work_off()
    found = client.get(f"/v1/jobs/{shortened['id']}").get_json()
    assert (found["outcome"], found["start"]["given_as"], found["start"]["alg"]) == ("solved", "shorten", long)
    assert found["length"] < 60
    assert cube.apply_alg(cube.solved, found["solution"]) == cube.apply_alg(cube.solved, long)
    assert client.get(f"/v1/jobs/{away['id']}").get_json()["solution"] == ["R", "U", "F"]
    found = client.get(f"/v1/jobs/{board['id']}").get_json()
    tiles = get_puzzle("8-puzzle")
    state = tiles.apply_alg(tiles.solved, ["L", "U", *found["solution"]])
    assert tiles.format_state(state) == found["start"]["target"]
    assert found["goal"] == found["start"]["target"]["tiles"]
    refused = faults(client.post("/v1/solves", json=asked | {"algorithm": "astar"}))
    assert refused == {"/algorithm": "astar begins with no alg; anytime, auto, plan and windows do"}


def test_a_scramble_of_another_problem_is_refused(client: FlaskClient) -> None:
    scramble = client.post("/v1/scrambles", json={"puzzle": "8-puzzle", "k": 4, "seed": 9}).get_json()
    body = {"puzzle": "megaminx", "scramble": scramble["id"], "goal": [1, 2, 3]}
    assert set(faults(client.post("/v1/solves", json=body))) == {"/puzzle", "/goal"}
    unknown = {"puzzle": "megaminx", "scramble": "01890000-0000-7000-8000-000000000000"}
    assert set(faults(client.post("/v1/solves", json=unknown))) == {"/scramble"}


def test_an_etag_saves_the_body_until_something_changes(client: FlaskClient, work_off: Callable[[], int]) -> None:
    path = f"/v1/jobs/{submit(client, TILES)['id']}"
    first = client.get(path)
    tag = first.headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["Retry-After"] == "1"
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
    work_off()
    changed = client.get(path, headers={"If-None-Match": tag})
    assert (changed.status_code, changed.get_json()["outcome"]) == (200, "solved")
    assert changed.headers["Cache-Control"] == "private, no-cache"


def test_a_queued_solve_is_cancelled_at_once_and_cancelling_is_idempotent(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    path = f"/v1/jobs/{submit(client, TILES)['id']}"
    answers = [client.post(f"{path}/cancel") for _ in range(3)]
    assert [(answer.status_code, answer.get_json()["status"]) for answer in answers] == [(200, "cancelled")] * 3
    assert work_off() == 0
    assert client.get(path).get_json()["status"] == "cancelled"


def test_a_finished_solve_stays_as_it_is(client: FlaskClient, work_off: Callable[[], int]) -> None:
    path = f"/v1/jobs/{submit(client, TILES)['id']}"
    work_off()
    before = client.get(path).get_json()
    answer = client.post(f"{path}/cancel")
    assert (answer.status_code, answer.get_json()) == (200, before)


def test_unknown_solves_cannot_be_cancelled(client: FlaskClient) -> None:
    for name in ("01890000-0000-7000-8000-000000000000", "42", "%00"):
        problem(client.post(f"/v1/jobs/{name}/cancel"), "not-found")
        problem(client.get(f"/v1/jobs/{name}"), "not-found")


def test_lists_are_newest_first_and_every_page_is_reached(client: FlaskClient) -> None:
    ids = [submit(client, TILES)["id"] for _ in range(7)]
    seen: list[str] = []
    path: str | None = "/v1/jobs?kind=solve&limit=3&puzzle=8-puzzle"
    sizes = []
    while path is not None:
        answer = client.get(path)
        page = answer.get_json()
        sizes.append(len(page["items"]))
        seen += [item["id"] for item in page["items"]]
        path = page["next"]
        assert answer.headers.get("Link") == (None if path is None else f'<{path}>; rel="next"')
        if len(sizes) == 1:
            submit(client, TILES)
    assert seen == ids[::-1]
    assert sizes == [3, 3, 1]


def test_the_last_full_page_has_no_next(client: FlaskClient) -> None:
    for _ in range(2):
        submit(client, TILES)
    assert client.get("/v1/jobs?kind=solve&limit=2").get_json()["next"] is None
    assert client.get(f"/v1/jobs?kind=solve&limit={MAX_PAGE}").get_json()["next"] is None


def test_filters(client: FlaskClient, work_off: Callable[[], int]) -> None:
    solved = submit(client, TILES | {"tags": {"course": "ai", "who": "a:b=c&d"}})["id"]
    work_off()
    mega = submit(client, MEGAMINX | {"tags": {"course": "ai"}})["id"]
    named = submit(client, TILES | {"heuristic": "linear-conflict"})["id"]
    expected = {
        "": {solved, mega, named},
        "status=done": {solved},
        "status=done&status=failed": {solved},
        "outcome=solved&outcome=exhausted": {solved},
        "outcome=limit_reached": set(),
        "status=queued": {mega, named},
        "status=failed": set(),
        "puzzle=megaminx": {mega},
        "moves=slide": {solved, named},
        "algorithm=astar": {solved, mega, named},
        "heuristic=manhattan": {solved},
        "heuristic=linear-conflict": {named},
        "tag=course:ai": {solved, mega},
        "tag=course:ai&tag=who:a:b%3Dc%26d": {solved},
        "tag=course:ai&tag=who:nobody": set(),
        "tag=course:ai&status=queued": {mega},
        "created_after=2020-01-01T00:00:00Z": {solved, mega, named},
        "created_after=2999-01-01T00:00:00%2B02:00": set(),
        "created_before=2999-01-01T00:00:00Z": {solved, mega, named},
        "created_before=0001-01-01T00:00:00Z": set(),
    }
    for query, ids in expected.items():
        answer = client.get(f"/v1/jobs?kind=solve&{query}")
        assert answer.status_code == 200, (query, answer.get_data(as_text=True))
        assert {item["id"] for item in answer.get_json()["items"]} == ids, query


def test_two_values_of_one_tag_fit_nothing(client: FlaskClient) -> None:
    submit(client, TILES | {"tags": {"course": "ai"}})
    assert client.get("/v1/jobs?kind=solve&tag=course:ai&tag=course:db").get_json()["items"] == []
    assert client.get("/v1/jobs?kind=solve&tag=course:db&tag=course:ai").get_json()["items"] == []


def test_next_keeps_the_filters(client: FlaskClient) -> None:
    for _ in range(3):
        submit(client, TILES | {"tags": {"who": "a:b=c&d é"}})
        submit(client, MEGAMINX)
    query = "limit=2&tag=who:a:b%3Dc%26d%20%C3%A9&puzzle=8-puzzle"
    first = client.get(f"/v1/jobs?kind=solve&{query}").get_json()
    second = client.get(first["next"]).get_json()
    assert [len(page["items"]) for page in (first, second)] == [2, 1]
    assert second["next"] is None


def test_a_full_queue_takes_nothing_more(make_client: Callable[..., FlaskClient], work_off: Callable[[], int]) -> None:
    client = make_client(max_queued=2)
    for _ in range(2):
        submit(client, TILES)
    answer = client.post("/v1/solves", json=TILES, headers={"Idempotency-Key": "later"})
    problem(answer, "queue-full")
    assert int(answer.headers["Retry-After"]) >= 1
    assert len(client.get("/v1/jobs?kind=solve").get_json()["items"]) == 2
    work_off()
    submit(client, TILES, **{"Idempotency-Key": "later"})


def test_without_the_broker_submissions_are_taken(
    make_client: Callable[..., FlaskClient], work_off: Callable[[], int]
) -> None:
    client = make_client(broker_url="redis://127.0.0.1:1/0")
    made = submit(client, TILES)
    work_off()
    answer = client.get(f"/v1/jobs/{made['id']}", headers={"Prefer": "wait=5"})
    assert answer.get_json()["outcome"] == "solved"


def test_every_outcome_of_a_row_can_be_answered(client: FlaskClient, settings: Settings) -> None:
    made = submit(client, TILES)
    sessions = make_sessions(make_engine(settings.database_url))
    with sessions.write() as session:
        finished = {"state": "failed", "error": "worker_lost", "finished_at": made_at(made), "attempt": 3, "losses": 3}
        session.execute(update(Job).values(finished))
    sessions.close()
    answer = client.get(f"/v1/jobs/{made['id']}").get_json()
    assert (answer["status"], answer["error"], answer["attempt"]) == ("failed", "worker_lost", 3)


def made_at(solve: dict[str, Any]) -> Any:
    return Solve.model_validate(solve).created_at


def test_a_heuristic_is_found_however_it_is_written(client: FlaskClient) -> None:
    made = submit(client, MEGAMINX)["id"]
    texts = ("ceil(misplaced_facelets/15)", "ceil( misplaced_facelets / 15.0 )", "ceil(misplaced_facelets / 15)")
    for text in texts:
        for more in ({}, {"puzzle": "megaminx"}):
            found = client.get("/v1/jobs", query_string={"heuristic": text} | more).get_json()["items"]
            assert [item["id"] for item in found] == [made], (text, more)
        asked = {"heuristic": text, "group_by": "heuristic"}
        (group,) = client.get("/v1/stats", query_string=asked).get_json()["groups"]
        assert group["values"] == {"heuristic": "ceil(misplaced_facelets / 15)"}


def test_a_name_and_its_expression_are_one_group(client: FlaskClient, work_off: Callable[[], int]) -> None:
    submit(client, TILES | {"heuristic": "linear-conflict"})
    expression = submit(client, TILES | {"heuristic": "manhattan+linear_conflict"})["heuristic"]["expression"]
    work_off()
    (group,) = client.get("/v1/stats?group_by=heuristic").get_json()["groups"]
    assert (group["values"], group["outcomes"]["solved"]) == ({"heuristic": expression}, 2)


def test_submitting_looks_at_no_states_and_the_answer_brings_the_verdict(
    client: FlaskClient, work_off: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a submission must not look at states")

    body = MEGAMINX | {"heuristic": "misplaced_facelets / 7.5"}
    with monkeypatch.context() as patch:
        # As in a new process, without cached results.
        patch.setattr(heuristics, "_by_text", {})
        patch.setattr(heuristics, "_by_canonical_text", {})
        patch.setattr(heuristics, "look_nearby", refuse)
        made = submit(client, body)
        client.get(f"/v1/jobs/{made['id']}")
    assert made["heuristic"]["admissible"] == "unknown"
    assert work_off() == 1
    assert client.get(f"/v1/jobs/{made['id']}").get_json()["heuristic"]["admissible"] == "refuted"
