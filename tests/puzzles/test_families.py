"""Pancakes, LRX and TopSpin of any size, compared with published counts."""

from __future__ import annotations

from math import factorial

import pytest

from hstar.errors import InvalidRequest, UnknownName
from hstar.puzzles import get_puzzle
from hstar.search.perft import perft
from tests.command_line import run
from tests.conftest import instances

#: OEIS A092113: stacks of n pancakes that need k flips
PANCAKES = {
    4: [1, 3, 6, 11, 3],
    5: [1, 4, 12, 35, 48, 20],
    6: [1, 5, 20, 79, 199, 281, 133, 2],
    7: [1, 6, 30, 149, 543, 1357, 1903, 1016, 35],
}


@pytest.mark.parametrize("size", PANCAKES)
def test_pancakes_need_as_many_flips_as_published(size: int) -> None:
    puzzle = get_puzzle(f"pancake:{size}")
    assert list(perft(puzzle, puzzle.move_set(None), 20)) == PANCAKES[size]
    assert puzzle.state_count == factorial(size)


@pytest.mark.parametrize("size", instances([4, 5, 6, 7, 8], few=3))
def test_lrx_has_the_published_diameter(size: int) -> None:
    """n(n - 1)/2 from n = 4 on (Chervov and others 2025)."""
    puzzle = get_puzzle(f"lrx:{size}")
    counts = list(perft(puzzle, puzzle.move_set(None), 100))
    assert len(counts) - 1 == size * (size - 1) // 2
    assert sum(counts) == puzzle.state_count == factorial(size)


@pytest.mark.parametrize(("size", "states"), [(6, 720), (7, 2520), (8, 40320), (20, factorial(20))])
def test_topspin_reaches_all_of_an_even_ring_and_half_of_an_odd_one(size: int, states: int) -> None:
    """Reversing a window of four is even; a step of the ring is even only for an odd number of pieces."""
    puzzle = get_puzzle(f"topspin:{size}")
    assert puzzle.state_count == states
    if states < 3000:
        assert sum(perft(puzzle, puzzle.move_set(None), 100)) == states


def test_they_are_solved_like_all_others() -> None:
    assert get_puzzle("pancake:8") is get_puzzle("pancake:8")
    solved = run("solve", "topspin:8", "--k", "6", "--seed", "1", "--algorithm", "bidirectional")
    assert solved.exit_code == 0
    assert "proven" in solved.stdout
    for wrong in ("pancake:1", "lrx:0", "topspin:999", "pancake:08"):
        with pytest.raises(InvalidRequest, match="expected"):
            get_puzzle(wrong)
    with pytest.raises(InvalidRequest, match="cannot be chosen"):
        get_puzzle("lrx:5", [1, 0, 2, 3, 4])
    for unknown in ("pancakes:5", "pancake:", "pancake:x"):
        with pytest.raises(UnknownName):
            get_puzzle(unknown)
