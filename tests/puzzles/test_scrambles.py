"""Scrambles never change: these are recorded, and an independent implementation of the definition gives the same."""

from __future__ import annotations

from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidRequest, UnknownName
from hstar.puzzles import get_puzzle, make_scramble, permutation
from hstar.puzzles.permutation import PermutationPuzzle
from tests.conftest import SEED

WRITTEN_DOWN = [
    ("megaminx", "cw", 8, 1, "D R U DR U U D U"),
    ("megaminx", "all", 5, 2**63 - 1, "R DL2' D2 FL2 U2"),
    ("8-puzzle", "slide", 12, 7, "U R D L U R D D L U R U"),
    ("15-puzzle", "slide", 20, 0, "D D R U U L D D R R D L L U R D L U R R"),
]


@pytest.mark.parametrize(("name", "moves", "k", "seed", "alg"), WRITTEN_DOWN)
def test_written_down(name: str, moves: str, k: int, seed: int, alg: str) -> None:
    assert " ".join(make_scramble(get_puzzle(name), k, seed, moves).alg) == alg


def test_the_recipe_read_anew() -> None:
    text = "hstar scramble 1|megaminx|cw|8|1|"
    stream = b"".join(sha256(f"{text}{block}".encode()).digest() for block in range(4))
    words = [int.from_bytes(stream[i : i + 8], "big") for i in range(0, len(stream), 8)]
    assert all(word < 2**64 - 4 for word in words)  # none is in the last, partial group of twelve
    puzzle = get_puzzle("megaminx")
    assert make_scramble(puzzle, 8, 1).alg == [puzzle.move_set("cw").moves[word % 12] for word in words[:8]]


@given(st.sampled_from(["megaminx", "8-puzzle", "tiles:1x3"]), st.integers(0, 60), st.integers(0, 2**63 - 1))
def test_a_scramble_leads_to_its_state_and_undoes_no_move(name: str, k: int, seed: int) -> None:
    puzzle = get_puzzle(name)
    scramble = make_scramble(puzzle, k, seed, "all" if name == "megaminx" else None)
    assert len(scramble.alg) == k
    state = puzzle.apply_alg(puzzle.solved, scramble.alg)
    assert scramble.state == puzzle.format_state(state)
    assert puzzle.parse_state(scramble.state) == state
    if name != "tiles:1x3":
        assert all(puzzle.inverse(a) != b for a, b in zip(scramble.alg, scramble.alg[1:], strict=False))


def test_every_move_is_drawn_about_equally_often() -> None:
    puzzle = get_puzzle("megaminx")
    drawn = make_scramble(puzzle, 6000, 3, "cw").alg
    for move in puzzle.move_set("cw").moves:
        assert 400 < drawn.count(move) < 600  # 500 expected, standard deviation 21


@pytest.mark.parametrize(("k", "seed"), [(-1, 0), (10_001, 0), (3, -1), (3, 2**63)])
def test_out_of_range(k: int, seed: int) -> None:
    with pytest.raises(InvalidRequest):
        make_scramble(get_puzzle("megaminx"), k, seed)


def test_unknown_move_set() -> None:
    with pytest.raises(UnknownName, match="did you mean 'ccw'"):
        make_scramble(get_puzzle("megaminx"), 3, 0, "ccww")


@pytest.mark.parametrize("name", ["megaminx", "6x6x6", "clock", "pancake:30"])
def test_a_long_alg_leads_where_its_moves_lead(name: str) -> None:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    alg = Random(SEED).choices(puzzle.moves, k=permutation.LONG + 1)
    state = puzzle.solved
    for move in alg:
        state = puzzle.turned(state, move)
    assert puzzle.apply_alg(puzzle.solved, alg) == state != puzzle.solved
    with pytest.raises(KeyError):
        puzzle.apply_alg(puzzle.solved, [*alg, "no move"])
