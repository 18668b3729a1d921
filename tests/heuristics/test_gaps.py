"""Gaps of a row, compared with the distances of all states, which a search in plain Python finds."""

from __future__ import annotations

from itertools import permutations, product
from typing import Literal

import pytest

import hstar
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from tests.conftest import instances

Row = tuple[int, ...]


def flips(size: int) -> dict[Row, int]:
    """By stack the fewest flips of its first 2 ... size pancakes that sort it."""
    distances, waiting = {tuple(range(size)): 0}, [tuple(range(size))]
    for row in waiting:
        for count in range(2, size + 1):
            after = (*reversed(row[:count]), *row[count:])
            if after not in distances:
                distances[after] = distances[row] + 1
                waiting.append(after)
    return distances


def test_gaps_of_pancakes_are_bounds() -> None:
    heuristic, distances = get_heuristic("gaps", get_puzzle("pancake:7")), flips(7)
    assert len(distances) == 5040
    assert [heuristic(bytes(row)) for row in distances] == [
        sum(abs(a - b) != 1 for a, b in zip(row, (*row[1:], 7), strict=True)) for row in distances
    ]
    assert all(heuristic.kernel.evaluate(bytes(row)) == heuristic(bytes(row)) <= d for row, d in distances.items())
    assert any(heuristic(bytes(row)) == d for row, d in distances.items() if d == max(distances.values()) - 1)


@pytest.mark.parametrize(("name", "parts"), [("pancake:6", 1), ("lrx:6", 2), ("topspin:7", 2)])
def test_moves_part_no_more_neighbours_than_said(name: str, parts: int) -> None:
    """The bounds are reached, and no state has more."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    heuristic = get_heuristic("gaps", puzzle)
    most = 0
    for row in map(bytes, permutations(range(len(puzzle.values)))):
        for move in puzzle.moves:
            change = abs(int(heuristic(row)) - int(heuristic(puzzle.turned(row, move))))
            assert change <= puzzle.parted(move), (row, move)
            most = max(most, change)
    assert most == max(map(puzzle.parted, puzzle.move_set("all").moves)) == parts
    assert puzzle.turns_over(puzzle.move_set("all")) == (parts == 1)
    assert heuristic.verdicts(puzzle.move_set("all")).admissible == ("proven" if parts == 1 else "refuted")


@pytest.mark.parametrize("algorithm", ["auto", "anytime"])
def test_stacks_are_sorted_with_as_few_flips_as_there_are(algorithm: Literal["auto", "anytime"]) -> None:
    puzzle, distances = hstar.puzzle("pancake:6"), flips(6)
    for row in instances([*distances], few=40):
        pattern = {"PIECES": {"pieces": [*row], "orientation": [0] * len(row)}}
        solved = hstar.solve(puzzle.state({"pieces": pattern}), algorithm=algorithm)
        assert solved.proven
        assert len(solved.moves or ()) == distances[row]


def test_a_tall_stack_is_sorted_from_both_sides() -> None:
    start = hstar.puzzle("pancake:60").random(seed=1)
    plan = [{"method": "weights", "heuristic": "gaps", "settings": {"weights": [2.0, 1.3], "expanded": 2_000}}]
    solved = hstar.solve(start, algorithm="plan", plan=plan, limits={"expanded": 10_000})
    assert solved.moves
    assert (start @ " ".join(solved.moves)).is_solved
    bound = hstar.heuristic("gaps", "pancake:60")(start)
    assert bound <= len(solved.moves) <= bound + 15


@pytest.mark.parametrize("size", [9, 40, 70, 140])
@pytest.mark.parametrize("expression", ["gaps", "gaps // 2", "max(gaps - 1, 0)"])
def test_gaps_from_move_to_move_are_those_of_the_whole_row(size: int, expression: str) -> None:
    """A second feature, which adds nothing, makes the kernel count the gaps of each state anew."""
    for weight, seed in product((1, 2), instances([0, 1, 2], few=1)):
        asked = {"puzzle": f"pancake:{size}", "random": seed, "algorithm": "ida_star", "weight": weight,
                 "limits": {"expanded": 2_000}}  # fmt: skip
        one, other = (
            solve(prepare(SolveRequest.model_validate(asked | {"heuristic": text})))
            for text in (expression, f"{expression} + 0 * misplaced_pieces")
        )
        assert one.counters == other.counters
        assert (one.solution, one.lower_bound) == (other.solution, other.lower_bound)
