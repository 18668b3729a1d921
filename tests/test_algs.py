"""Algs and states: composed, undone, shortened, and as ways to any target and to random states."""

from __future__ import annotations

from pathlib import Path

import pytest

import hstar
from hstar import algs, search
from hstar.errors import HstarError
from hstar.puzzles import DefinedPuzzle, Puzzle, get_puzzle, make_scramble, random_state
from hstar.schema import LimitsIn, SolveRequest
from tests.command_line import run

COMPOSED = ["megaminx", "master_pyraminx", "3x3x3", "pyraminx", "skewb"]


def scrambled(puzzle: Puzzle, seed: int, k: int = 30) -> list[str]:
    return make_scramble(puzzle, k, seed).alg


@pytest.mark.parametrize("name", COMPOSED)
def test_states_are_composed_as_their_algs_are(name: str) -> None:
    puzzle = get_puzzle(name)
    for seed in range(5):
        first, second = scrambled(puzzle, seed), scrambled(puzzle, seed + 100)
        a, b = puzzle.apply_alg(puzzle.solved, first), puzzle.apply_alg(puzzle.solved, second)
        assert puzzle.compose(a, b) == puzzle.apply_alg(a, second)
        assert puzzle.compose(a, puzzle.inverse_state(a)) == puzzle.solved
        assert puzzle.compose(puzzle.inverse_state(a), a) == puzzle.solved


@pytest.mark.parametrize("name", COMPOSED)
def test_a_way_to_any_target_is_found(name: str) -> None:
    puzzle = get_puzzle(name)
    start = puzzle.apply_alg(puzzle.solved, scrambled(puzzle, 1))
    target = puzzle.apply_alg(start, scrambled(puzzle, 2, k=3))
    request = SolveRequest(
        puzzle=name, state=puzzle.format_state(start), target=puzzle.format_state(target), algorithm="bidirectional"
    )
    problem = search.prepare(request)
    result = search.solve(problem)
    assert result.solution is not None
    assert puzzle.apply_alg(start, result.solution) == target
    assert puzzle.parse_state(search.question(problem).start.target) == target


def test_a_target_of_sliding_tiles_is_a_goal() -> None:
    puzzle = get_puzzle("8-puzzle")
    start = random_state(puzzle, 1)
    for target in ([1, 2, 3, 8, 0, 4, 7, 6, 5], {"random": 7}, {"alg": "L U"}):
        problem = search.prepare(SolveRequest(puzzle="8-puzzle", random=1, target=target, heuristic="manhattan"))
        found = search.solve(problem).solution
        assert found is not None
        assert puzzle.format_state(puzzle.apply_alg(start, found)) == search.question(problem).start.target
    with pytest.raises(HstarError, match="parity"):
        search.prepare(SolveRequest(puzzle="8-puzzle", random=1, target=[2, 1, 3, 8, 0, 4, 7, 6, 5]))
    with pytest.raises(HstarError, match="cannot be composed"):
        get_puzzle("8-puzzle").compose(bytes(range(9)), bytes(range(9)))


@pytest.mark.parametrize("target", [{"random": -1}, {"random": True}, {"alg": 3}, {"alg": "R", "random": 1}, {}])
def test_an_invalid_target_is_refused(target: dict[str, object]) -> None:
    with pytest.raises(HstarError):
        search.prepare(SolveRequest(puzzle="3x3x3", alg="", target=target))


def test_moves_to_a_state_from_solved() -> None:
    puzzle = get_puzzle("3x3x3")
    for target in ({"alg": "R U F"}, puzzle.format_state(puzzle.apply_alg(puzzle.solved, ["R", "U", "F"]))):
        problem = search.prepare(SolveRequest(puzzle="3x3x3", alg="", target=target, algorithm="bidirectional"))
        assert search.solve(problem).solution == ["R", "U", "F"]


@pytest.mark.parametrize("algorithm", ["anytime", "auto"])
@pytest.mark.parametrize("name", ["3x3x3", "15-puzzle"])
def test_shortening_is_a_solve(name: str, algorithm: str) -> None:
    puzzle = get_puzzle(name)
    long = make_scramble(puzzle, 60, 1).alg
    request = {"puzzle": name, "shorten": " ".join(long), "algorithm": algorithm, "limits": {"expanded": 300}}
    problem = search.prepare(SolveRequest.model_validate(request))
    result = search.solve(problem)
    assert result.solution is not None
    assert len(result.solution) <= len(long)
    assert puzzle.apply_alg(puzzle.solved, result.solution) == puzzle.apply_alg(puzzle.solved, long)
    shown = search.answer(problem, result)
    assert (shown.start.given_as, shown.start.alg) == ("shorten", long)
    with pytest.raises(HstarError, match="anytime, auto, plan and windows do"):
        search.prepare(SolveRequest.model_validate(request | {"algorithm": "astar"}))


@pytest.mark.parametrize(("name", "moves"), [("megaminx", "single"), ("3x3x3", None), ("15-puzzle", None)])
def test_a_long_alg_becomes_shorter_and_does_the_same(name: str, moves: str | None) -> None:
    puzzle = get_puzzle(name)
    long = make_scramble(puzzle, 1000, 1, moves).alg
    shorter = algs.shorten(puzzle, long, moves, LimitsIn(expanded=20_000))
    assert len(shorter) < 300
    assert puzzle.apply_alg(puzzle.solved, shorter) == puzzle.apply_alg(puzzle.solved, long)
    assert set(shorter) <= set(puzzle.move_set(moves).moves)


def test_an_alg_that_does_nothing_becomes_empty() -> None:
    puzzle = get_puzzle("megaminx")
    assert algs.shorten(puzzle, puzzle.parse_alg("U R U' U R' R R' U'"), "single") == ()


@pytest.mark.parametrize("name", ["2x2x2", "3x3x3", "master_pyraminx", "megaminx", "8-puzzle", "tiles:5x5", "fto"])
def test_a_random_scramble_leads_to_the_random_state(name: str) -> None:
    puzzle = get_puzzle(name)
    made = algs.random_scramble(puzzle, 4)
    assert puzzle.apply_alg(puzzle.solved, made.alg) == random_state(puzzle, 4)
    assert puzzle.parse_state(made.state) == random_state(puzzle, 4)
    assert set(made.alg) <= set(puzzle.move_set(made.moves).moves)


def test_pieces_that_look_alike_need_moves_that_are_undone() -> None:
    with pytest.raises(HstarError, match="cannot be composed"):
        algs.random_scramble(get_puzzle("4x4x4"), 1, "U R F")


@pytest.mark.parametrize("seed", [0, 2])
def test_moves_to_a_random_megaminx_have_no_very_long_word(seed: int) -> None:
    assert len(algs.random_scramble(get_puzzle("megaminx"), seed).alg) < 250


def test_the_command_line_does_it_all(tmp_path: Path) -> None:
    done = run("scramble", "2x2x2", "--random", "--seed", "3")
    assert done.exit_code == 0, done.stderr
    puzzle = get_puzzle("2x2x2")
    assert puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(done.stdout)) == random_state(puzzle, 3)
    assert run("shorten", "megaminx", "U R R' U'", "--moves", "single").stdout.strip() == ""
    long = make_scramble(get_puzzle("3x3x3"), 1000, 1).alg
    file = tmp_path / "long.txt"
    file.write_text(" ".join(long))
    cube = get_puzzle("3x3x3")
    by_file = run("shorten", "3x3x3", str(file), "--limit-expanded", "3000")
    by_pipe = run("shorten", "3x3x3", "-", "--limit-expanded", "3000", input=" ".join(long))
    by_hand = run("shorten", "3x3x3", " ".join(long), "--limit-expanded", "3000")
    assert by_file.stdout == by_pipe.stdout == by_hand.stdout
    shorter = cube.parse_alg(by_file.stdout)
    assert len(shorter) < 60
    assert cube.apply_alg(cube.solved, shorter) == cube.apply_alg(cube.solved, long)
    composed = run("compose", "3x3x3", "R U", "U' R'")
    assert composed.exit_code == 0, composed.stderr
    assert run("scramble", "3x3x3").exit_code == 2


@pytest.mark.parametrize(
    ("name", "alg"),
    [
        ("megaminx", "U"), ("megaminx", "R++ D-- U' R++"), ("master_pyraminx", "u"), ("master_pyraminx", "u 2U U'"),
        ("3x3x3", "M E S'"), ("2x2x2", "L D' B x"), ("15-puzzle", "D D R R L R"),
    ],
)  # fmt: skip
def test_no_shorter_alg_is_longer(name: str, alg: str) -> None:
    puzzle = get_puzzle(name)
    given = puzzle.parse_alg(alg)
    shorter = algs.shorten(puzzle, given, limits=LimitsIn(expanded=500))
    assert len(shorter) <= len(given)
    assert puzzle.apply_alg(puzzle.solved, shorter) == puzzle.apply_alg(puzzle.solved, given)
    made = hstar.shorten(name, alg, limits={"expanded": 500})
    assert made.length == len(made.moves or ()) <= len(given)


@pytest.mark.parametrize(("name", "alg"), [("4x4x4", "Rw U U Uw' Uw R R"), ("fto", "U U")])
def test_alike_pieces_end_where_the_alg_brings_them(name: str, alg: str) -> None:
    found = hstar.shorten(name, alg, limits={"expanded": 500})
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, DefinedPuzzle)
    assert found.start == hstar.puzzle(name).solved @ puzzle.inverse_alg(puzzle.parse_alg(alg))
    assert found.states[-1].is_solved
    assert len(found) < len(puzzle.parse_alg(alg))
    assert puzzle.twin.effect(found.moves or ()) == puzzle.twin.effect(puzzle.parse_alg(alg))


def test_a_set_without_the_moves_of_the_alg_is_refused() -> None:
    megaminx = get_puzzle("megaminx")
    with pytest.raises(HstarError, match="ccw has no U"):
        algs.shorten(megaminx, ("U",), "ccw")
    assert algs.shorten(megaminx, ("U'", "U'", "U'", "U'", "U'"), "ccw") == ()
    assert run("shorten", "megaminx", "U", "--limit-expanded", "100").stdout.strip() == "U"
    assert "U2" in run("shorten", "megaminx", "U U", "--limit-expanded", "100").stdout


def test_a_solve_that_shortens_counts_as_the_community_does() -> None:
    asked = {"puzzle": "megaminx", "shorten": "U U", "limits": {"expanded": 100}}
    problem = search.prepare(SolveRequest.model_validate(asked))
    assert (problem.moves.name, search.solve(problem).solution) == ("all", ["U2"])
    assert search.prepare(SolveRequest.model_validate({"puzzle": "megaminx", "alg": "U U"})).moves.name == "ccw"
