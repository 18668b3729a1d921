"""Algs and states: composed, undone, shortened, and as ways to any target and to random states."""

from __future__ import annotations

import pytest

from hstar import algs, search
from hstar.errors import HstarError
from hstar.puzzles import Puzzle, get_puzzle, make_scramble, random_state
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
        assert search.compose(puzzle, a, b) == puzzle.apply_alg(a, second)
        assert search.compose(puzzle, a, search.inverse(puzzle, a)) == puzzle.solved
        assert search.compose(puzzle, search.inverse(puzzle, a), a) == puzzle.solved


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
    assert puzzle.parse_state(problem.to_object().start.target) == target


def test_sliding_tiles_have_a_goal_instead() -> None:
    with pytest.raises(HstarError, match="no target"):
        search.prepare(SolveRequest(puzzle="8-puzzle", random=1, target=[1, 2, 3, 8, 0, 4, 7, 6, 5]))
    with pytest.raises(HstarError, match="cannot be composed"):
        search.compose(get_puzzle("8-puzzle"), bytes(range(9)), bytes(range(9)))


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


@pytest.mark.parametrize("name", ["2x2x2", "3x3x3", "master_pyraminx", "megaminx", "8-puzzle", "tiles:5x5"])
def test_a_random_scramble_leads_to_the_random_state(name: str) -> None:
    puzzle = get_puzzle(name)
    made = algs.random_scramble(puzzle, 4)
    assert puzzle.apply_alg(puzzle.solved, made.alg) == random_state(puzzle, 4)
    assert puzzle.parse_state(made.state) == random_state(puzzle, 4)
    assert set(made.alg) <= set(puzzle.move_set(made.moves).moves)


def test_the_command_line_does_it_all() -> None:
    done = run("scramble", "2x2x2", "--random", "--seed", "3")
    assert done.exit_code == 0, done.stderr
    puzzle = get_puzzle("2x2x2")
    assert puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(done.stdout)) == random_state(puzzle, 3)
    assert run("shorten", "megaminx", "--alg", "U R R' U'", "--moves", "single").stdout.strip() == ""
    composed = run("compose", "3x3x3", "R U", "U' R'")
    assert composed.exit_code == 0, composed.stderr
    assert run("scramble", "3x3x3").exit_code == 2
