"""Sliding tiles: moves, parity, formats, and the refusal of invalid boards."""

from __future__ import annotations

import itertools
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import HstarError, InvalidAlg, InvalidRequest, InvalidState, UnknownName
from hstar.puzzles import Puzzle, get_puzzle
from hstar.search.perft import perft


def everything_reachable(puzzle: Puzzle) -> set[bytes]:
    seen, todo = {puzzle.solved}, [puzzle.solved]
    while todo:
        for _, after in puzzle.successors(todo.pop(), puzzle.moves):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


@pytest.mark.parametrize("name", ["tiles:2x2", "tiles:2x3", "tiles:3x2", "tiles:1x4", "tiles:4x1", "tiles:1x2"])
def test_exactly_the_reachable_boards_are_accepted(name: str) -> None:
    puzzle = get_puzzle(name)
    reachable = everything_reachable(puzzle)
    assert len(reachable) == puzzle.state_count
    for board in itertools.permutations(range(len(puzzle.solved))):
        if bytes(board) in reachable:
            assert puzzle.parse_state(list(board)) == bytes(board)
        else:
            with pytest.raises(InvalidState, match=r"wrong parity|never pass"):
                puzzle.parse_state(list(board))


def test_the_moves_are_those_of_the_blank() -> None:
    puzzle = get_puzzle("tiles:2x2")
    assert puzzle.format_state(puzzle.solved)["rows"] == "1 2 / 3 0"
    after = puzzle.apply(puzzle.solved, "U")
    assert after is not None
    assert puzzle.format_state(after)["rows"] == "1 0 / 3 2"
    assert puzzle.apply(puzzle.solved, "D") is None
    with pytest.raises(InvalidAlg, match="move 4: D is not possible"):
        puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("up L D2"))


def test_the_registered_goals() -> None:
    assert get_puzzle("8-puzzle").goal_board() == [1, 2, 3, 8, 0, 4, 7, 6, 5]
    assert get_puzzle("15-puzzle").goal_board() == list(range(16))
    other = get_puzzle("8-puzzle", [1, 2, 3, 4, 5, 6, 7, 8, 0])
    assert other.parse_state("1 2 3 / 4 5 6 / 7 0 8")
    with pytest.raises(InvalidState, match="wrong parity"):
        get_puzzle("8-puzzle").parse_state("1 2 3 / 4 5 6 / 7 0 8")


def test_eight_puzzle_layers() -> None:
    """181,440 states, at most 31 moves away from a goal with the blank in a corner (Reinefeld 1993)."""
    counts = list(perft(get_puzzle("tiles:3x3"), get_puzzle("tiles:3x3").move_set(None), 40))
    assert counts[:8] == [1, 2, 4, 8, 16, 20, 39, 62]
    assert (len(counts) - 1, counts[-1], sum(counts)) == (31, 2, 181_440)


def test_a_layer_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hstar.search.perft.MAX_BYTES", 12 * 12 * 50 - 1)
    puzzle = get_puzzle("megaminx")
    counted = perft(puzzle, puzzle.move_set("cw"), 5)
    assert [next(counted), next(counted)] == [1, 12]
    with pytest.raises(InvalidRequest, match="distance 2 is too large"):
        next(counted)


def test_megaminx_layers() -> None:
    """Faces that do not touch commute: of 144 ordered pairs 36 are the same as the other order."""
    puzzle = get_puzzle("megaminx")
    disjoint = 12 * 6 // 2
    assert list(perft(puzzle, puzzle.move_set("cw"), 2)) == [1, 12, 12 * 12 - disjoint]
    assert list(perft(puzzle, puzzle.move_set("all"), 1)) == [1, 48]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("1 2 3", "3 cells"),
        ("1 2 3 / 4 x 5 / 6 7 8", "'x'"),
        ("0 0 1 2 3 4 5 6 7", "tile 0 appears 2 times"),
        ("1 2 3 4 5 6 7 8 9", "tile 0 is missing"),
        ([1.0] * 9, "1.0"),
        ([True] * 9, "True"),
        (None, "not a list"),
        ({}, "unknown"),
        ({"tiles": [1], "x": 1}, "unknown"),
        ([], "0 cells"),
        ([10**400] * 9, "1000"),
        ("", "0 cells"),
    ],
)
def test_bad_boards_are_refused_with_every_fault(value: object, says: str) -> None:
    with pytest.raises(InvalidState) as caught:
        get_puzzle("8-puzzle").parse_state(value)
    assert says in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=20))
def test_no_board_raises_anything_but_our_error(value: object) -> None:
    puzzle = get_puzzle("8-puzzle")
    with suppress(InvalidState):
        state = puzzle.parse_state(value)
        assert puzzle.parse_state(puzzle.format_state(state)) == state


@given(st.text(max_size=30), st.lists(st.integers(-2, 300), max_size=70))
def test_no_puzzle_name_or_goal_raises_anything_but_our_error(name: str, goal: list[int]) -> None:
    for text in (name, f"tiles:{name}", "tiles:9x9", "tiles:0x5", "8-puzzle", "megaminx"):
        with pytest.raises(HstarError) as caught:
            get_puzzle(text, [*goal, 10**6])
        assert isinstance(caught.value, (UnknownName, InvalidRequest, InvalidState))
