"""Definitions with forbidden moves, compared with their whole spaces (`tests.hostile.forbidden`)."""

from __future__ import annotations

from random import Random

import pytest

import hstar
from hstar.errors import InvalidRequest
from hstar.puzzles import added_puzzle, puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from hstar.schema import Algorithm
from hstar.search import ALGORITHMS
from tests.conftest import SEED, instances
from tests.hostile.comparison import Tally
from tests.hostile.forbidden import compare


@pytest.mark.parametrize("number", instances(range(1000), few=20))
def test_random_forbidden_moves_are_as_the_whole_space_has_them(number: int) -> None:
    tally = Tally()
    compare(Random(f"{SEED} {number}"), tally, 300)
    assert tally


#: a layer of six slots that turns, and a slash that swaps two of them, but only while neither slot has the piece 5
_LAYER = """
Name layer
Set SLICE 6 1
Move U
SLICE
6 1 2 3 4 5
End
Move S
SLICE
2 1 3 4 5 6
End
"""


def test_illegal_states_of_twsearch_are_forbidden_before_and_after_each_move_and_its_powers() -> None:
    puzzle = puzzle_from_definition(read_any_definition(_LAYER + "Illegal SLICE 1 6 3\nIllegal SLICE 2 6\n", "x"))
    assert puzzle.forbids
    # After U the sixth piece is in the first slot; after U2 in the second; after U' the second is in the first.
    assert puzzle.legal(puzzle.solved, puzzle.moves) == ["U3", "U'", "S"]
    state = puzzle.apply_alg(puzzle.solved, ["U'"])
    assert puzzle.apply(state, "U'") is None  # the third piece would be in the first slot
    assert "SLICE[0] holds SLICE[2], as after it" in puzzle.why_not(state, "U'")
    assert puzzle.apply(puzzle_from_definition(read_any_definition(_LAYER, "x")).solved, "U") is None


SEARCHES_THEM = {
    "anytime", "ara_star", "astar", "auto", "bidirectional", "breadth_first", "epea_star", "greedy", "ida_star",
    "layered", "rbfs",
}  # fmt: skip


@pytest.mark.parametrize("algorithm", sorted(set(ALGORITHMS) - {"plan"}))
def test_what_does_not_search_forbidden_moves_says_so(algorithm: Algorithm) -> None:
    puzzle = added_puzzle(read_any_definition(_LAYER + "Illegal SLICE 1 6 3\nIllegal SLICE 2 6\n", "layer"))
    start, random = puzzle.solved, Random(SEED)
    for _ in range(20):
        start = puzzle.apply_alg(start, [random.choice(puzzle.legal(start, puzzle.moves))])
    if algorithm not in SEARCHES_THEM:
        with pytest.raises(InvalidRequest, match="forbid"):
            hstar.solve(hstar.State(hstar.Puzzle(puzzle), start), algorithm=algorithm)
        return
    state = start
    for move in hstar.solve(hstar.State(hstar.Puzzle(puzzle), start), algorithm=algorithm).moves or ():
        after = puzzle.apply(state, move)
        assert after is not None, f"{move} is forbidden"
        state = after
    assert state == puzzle.solved


def test_a_shorter_alg_is_legal_from_solved() -> None:
    puzzle = added_puzzle(read_any_definition(_LAYER + "Illegal SLICE 1 6 3\nIllegal SLICE 2 6\n", "layer"))
    random, moves = Random(SEED), 0
    for _ in range(30):
        alg, end = [], puzzle.solved
        for _ in range(8):
            alg.append(random.choice(puzzle.legal(end, puzzle.moves)))
            end = puzzle.apply_alg(end, alg[-1:])
        found = hstar.shorten(hstar.Puzzle(puzzle), puzzle.format_alg(alg), limits={"expanded": 2000})
        assert found.moves is not None
        assert puzzle.apply_alg(puzzle.solved, found.moves) == end  # raises where a move is forbidden
        moves += len(found.moves)
    assert moves < 30 * 8
    # U cannot be made from solved, so the inverse of the alg cannot, either.
    assert hstar.shorten(hstar.Puzzle(puzzle), "S S U'").moves == ("U'",)


def test_paths_to_another_state_are_legal() -> None:
    puzzle = hstar.Puzzle(added_puzzle(read_any_definition(_LAYER + "Illegal SLICE 1 6 3\n", "layer")))
    start, target = puzzle.solved, puzzle.random(1)
    found = hstar.solve(start, target=target, algorithm="auto")
    assert found.proven
    assert found.moves is not None
    assert puzzle._puzzle.apply_alg(start._state, found.moves) == target._state
