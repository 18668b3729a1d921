"""Uniformly random states: valid, never changing, and equally likely."""

from __future__ import annotations

from collections import Counter

import pytest

from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle, puzzle_names, random_state


@pytest.mark.parametrize("name", [*puzzle_names(), "tiles:2x2", "tiles:5x5", "tiles:6x6", "tiles:1x5", "tiles:2x7"])
def test_a_random_state_is_valid(name: str) -> None:
    puzzle = get_puzzle(name)
    states = [random_state(puzzle, seed) for seed in range(20)]
    assert [puzzle.parse_state(puzzle.format_state(state)) for state in states] == states
    assert states == [random_state(puzzle, seed) for seed in range(20)]
    assert len(set(states)) > 1


def test_random_states_never_change() -> None:
    assert random_state(get_puzzle("8-puzzle"), 1) == bytes([8, 1, 0, 3, 6, 2, 5, 7, 4])
    assert random_state(get_puzzle("15-puzzle"), 1) == bytes([15, 12, 8, 13, 11, 0, 10, 6, 9, 3, 5, 4, 1, 2, 7, 14])
    megaminx = random_state(get_puzzle("megaminx"), 1)
    assert list(megaminx[:12]) == [39, 3, 10, 14, 47, 23, 20, 49, 24, 8, 56, 29]


def test_move_sets_that_generate_the_same_group_have_the_same_random_states() -> None:
    megaminx = get_puzzle("megaminx")
    assert len({random_state(megaminx, 7, moves) for moves in megaminx.move_sets}) == 1
    master = get_puzzle("master_pyraminx")
    assert random_state(master, 7, "cw12") == random_state(master, 7, "ccw12")
    assert random_state(master, 7, "cw12") != random_state(master, 7, "layers32")


def test_all_states_are_as_likely() -> None:
    """Chi-squared over the 12 states of the 3-puzzle: 27 is exceeded once in 200 sets of seeds."""
    puzzle = get_puzzle("tiles:2x2")
    counts = Counter(random_state(puzzle, seed) for seed in range(2400))
    assert len(counts) == puzzle.state_count == 12
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 27


def test_a_seed_out_of_range_is_refused() -> None:
    for seed in (-1, 2**63):
        with pytest.raises(InvalidRequest):
            random_state(get_puzzle("8-puzzle"), seed)
