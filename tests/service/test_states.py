"""States: parsed from every form of input, and followed along moves."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient

from hstar.pictures import draw
from hstar.puzzles import get_puzzle, make_scramble, puzzle_names, random_state
from service.resources.states import MAX_STEPS
from tests.service.problems import problem


@pytest.mark.parametrize("name", puzzle_names())
def test_a_scramble_an_alg_and_a_state_are_one(open_client: FlaskClient, name: str) -> None:
    puzzle = get_puzzle(name)
    scramble = make_scramble(puzzle, 15, seed=3)
    starts = (
        {"scramble": {"k": 15, "seed": 3}},
        {"alg": puzzle.format_alg(scramble.alg)},
        {"state": scramble.state},
    )
    for start in starts:
        answer = open_client.post("/v1/states", json={"puzzle": name, **start}).get_json()
        assert answer["start"]["state"] == puzzle.format_state(puzzle.apply_alg(puzzle.solved, scramble.alg))
        assert (answer["path"], answer["solved"]) == ([], False)


def test_random_states_and_states_put_together(open_client: FlaskClient) -> None:
    puzzle = get_puzzle("3x3x3")
    asked = {"puzzle": "3x3x3", "random": 7, "compose": ["R U", puzzle.format_state(random_state(puzzle, 8))]}
    answer = open_client.post("/v1/states", json=asked).get_json()
    assert answer["start"]["random"] == 7
    assert answer["start"]["state"] == puzzle.format_state(random_state(puzzle, 7))
    first = puzzle.compose(random_state(puzzle, 7), puzzle.apply_alg(puzzle.solved, ["R", "U"]))
    assert answer["composed"] == puzzle.format_state(puzzle.compose(first, random_state(puzzle, 8)))
    # After the moves of one alg come those of another.
    both = {"puzzle": "3x3x3", "alg": "F", "compose": ["R U", "D2"], "then": "D2 U' R' F'"}
    assert open_client.post("/v1/states", json=both).get_json()["solved"] is True
    alone = open_client.post("/v1/states", json={"puzzle": "3x3x3", "compose": ["F R U", "D2"]}).get_json()
    assert alone["composed"] == puzzle.format_state(puzzle.apply_alg(puzzle.solved, ["F", "R", "U", "D2"]))
    nothing = open_client.post("/v1/states", json={"puzzle": "3x3x3"})
    assert nothing.status_code == 422
    wrong = {"puzzle": "3x3x3", "alg": "F", "compose": ["R U", "X"]}
    told = problem(open_client.post("/v1/states", json=wrong), "invalid-alg")["errors"]
    assert told[0]["where"] == "/compose/1: move 1"
    tiles = {"puzzle": "8-puzzle", "random": 1, "compose": ["U"]}
    assert open_client.post("/v1/states", json=tiles).status_code == 422


def test_moves_are_followed_from_the_start(open_client: FlaskClient) -> None:
    puzzle = get_puzzle("megaminx")
    asked = {"puzzle": "megaminx", "alg": "U R2'", "then": "R2 U'"}
    answer = open_client.post("/v1/states", json=asked).get_json()
    state = puzzle.apply_alg(puzzle.solved, ["U", "R2'"])
    for step, move in zip(answer["path"], ["R2", "U'"], strict=True):
        state = puzzle.apply_alg(state, [move])
        assert step == {"move": move, "written": move, "state": puzzle.format_state(state)}
    assert answer["solved"] is True
    assert answer["written"] == "U R2'"


def test_moves_are_written_as_the_puzzle_writes_them(open_client: FlaskClient) -> None:
    asked = {"puzzle": "square1", "alg": "U D3 / U9", "then": "(3,0) / (-1,-3) D D"}
    answer = open_client.post("/v1/states", json=asked).get_json()
    assert answer["written"] == "(1,3) / (-3,0)"
    assert answer["start"]["alg"] == ["U", "D3", "/", "U3'"]
    assert [step["move"] for step in answer["path"]] == ["U3", "/", "U'", "D3'", "D", "D"]
    assert [step["written"] for step in answer["path"]] == ["(3,0)", "/", "", "(-1,-3)", "(0,1)", "(0,1)"]
    assert open_client.post("/v1/states", json={"puzzle": "8-puzzle", "random": 1}).get_json()["written"] is None


def test_a_board_of_any_size_and_goal(open_client: FlaskClient) -> None:
    asked = {"puzzle": "tiles:2x3", "goal": [0, 1, 2, 3, 4, 5], "state": [1, 0, 2, 3, 4, 5], "then": "L"}
    answer = open_client.post("/v1/states", json=asked).get_json()
    assert answer["goal"] == answer["path"][0]["state"]["tiles"] == [0, 1, 2, 3, 4, 5]
    assert answer["solved"] is True


def test_faults_are_reported(open_client: FlaskClient) -> None:
    swapped = {"puzzle": "8-puzzle", "state": [2, 1, 3, 8, 0, 4, 7, 6, 5]}
    assert problem(open_client.post("/v1/states", json=swapped), "invalid-state")["errors"]
    both = {"puzzle": "8-puzzle", "state": [1, 2, 3, 8, 0, 4, 7, 6, 5], "alg": "U"}
    problem(open_client.post("/v1/states", json=both), "invalid-request")
    stuck = {"puzzle": "8-puzzle", "alg": "", "then": "U U"}
    told = problem(open_client.post("/v1/states", json=stuck), "invalid-alg")
    assert told["detail"].startswith("then: ")
    endless = {"puzzle": "megaminx", "alg": "", "then": "U " * (MAX_STEPS + 1)}
    problem(open_client.post("/v1/states", json=endless), "invalid-request")


def test_the_picture_of_a_solved_puzzle_names_every_facelet(open_client: FlaskClient) -> None:
    answer = open_client.get("/v1/puzzles/megaminx/picture.svg")
    assert answer.content_type == "image/svg+xml; charset=utf-8"
    assert len(re.findall(r'data-facelet="\d+"', answer.get_data(as_text=True))) == 132
    problem(open_client.get("/v1/puzzles/teapot/picture.svg"), "not-found")


def test_a_picture_of_any_state_can_be_asked_for(open_client: FlaskClient) -> None:
    clock = get_puzzle("clock")
    state = clock.apply_alg(clock.solved, clock.parse_alg("UR3+"))
    given = {"state": json.dumps(clock.format_state(state))}
    drawn = open_client.get("/v1/puzzles/clock/picture.svg", query_string=given).get_data(as_text=True)
    assert drawn == draw(clock, state, transparent=True) != draw(clock, clock.solved, transparent=True)
    assert open_client.get("/v1/puzzles/clock").get_json()["drawn"]
    assert "drawn" not in open_client.get("/v1/puzzles/kilominx").get_json()
    cube = "UUUURRRRFFFFDDDDLLLLBBBB"
    assert open_client.get(f"/v1/puzzles/2x2x2/picture.svg?state={cube}").status_code == 200
    problem(open_client.get("/v1/puzzles/2x2x2/picture.svg?state=U"), "invalid-state")


def test_boards_are_text_rows_or_integers(open_client: FlaskClient) -> None:
    goal, state = [1, 2, 3, 4, 5, 6, 7, 8, 0], [1, 2, 3, 4, 5, 6, 0, 7, 8]
    written: list[object] = [goal, [goal[:3], goal[3:6], goal[6:]], "1 2 3 / 4 5 6 / 7 8 0", "1,2,3,4,5,6,7,8,_"]
    starts: list[object] = [state, [state[:3], state[3:6], state[6:]], "1 2 3 / 4 5 6 / 0 7 8", {"tiles": state}]
    answers = [
        open_client.post("/v1/states", json={"puzzle": "8-puzzle", "goal": board, "state": start}).get_json()
        for board, start in zip(written, starts, strict=True)
    ]
    assert all(answer == answers[0] for answer in answers)
    assert (answers[0]["goal"], answers[0]["start"]["state"]["tiles"]) == (goal, state)
    refused = open_client.post("/v1/states", json={"puzzle": "8-puzzle", "goal": "1 2 x", "alg": ""})
    (fault,) = problem(refused, "invalid-request")["errors"]
    assert fault["where"] == "/goal"
    assert fault["message"] == """expected integers, row by row, such as 1 2 3 / 4 5 6 / 7 8 0; found "1 2 x\""""
