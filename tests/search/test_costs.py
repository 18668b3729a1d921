"""Moves with costs: cheapest solutions, and everything that counts moves refuses them."""

from __future__ import annotations

from heapq import heappop, heappush
from random import Random
from typing import Any

import pytest

import hstar
from hstar.errors import InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.options import Algorithm
from hstar.puzzles import get_puzzle
from hstar.schema import LimitsIn
from hstar.search import Control, SolveRequest, prepare, solve

#: each face of a 2x2x2 that is turned; a half turn costs 2, as two quarter turns do
QUARTER_TURNS = "U U' R R' F F'"
HALF_TURNS_COST_2 = "U U2:2 U' R R2:2 R' F F2:2 F'"


@pytest.mark.parametrize("algorithm", ["astar", "ida_star", "auto"])
@pytest.mark.parametrize("seed", range(6))
def test_half_turns_that_cost_2_are_quarter_turns(algorithm: Algorithm, seed: int) -> None:
    """So two searches that share no move set have one answer, which no half turn at cost 1 has."""
    quarter = hstar.solve("2x2x2", k=5, seed=seed, moves=QUARTER_TURNS, algorithm="breadth_first")
    cheapest = hstar.solve("2x2x2", k=5, seed=seed, moves=HALF_TURNS_COST_2, algorithm=algorithm)
    assert cheapest.proven
    assert cheapest.length == quarter.length == cheapest.lower_bound
    assert cheapest.length == sum(2 if move.endswith("2") else 1 for move in cheapest)


def test_a_dear_move_is_left_for_two_cheap_ones() -> None:
    found = hstar.solve("3x3x3", alg="U2", moves="U U2:3 U'", algorithm="ida_star")
    assert (found.moves, found.length) in [(("U", "U"), 2), (("U'", "U'"), 2)]
    found = hstar.solve("3x3x3", alg="U2", moves="U:9 U2:3 U':9", algorithm="ida_star")
    assert (found.moves, found.length, found.lower_bound) == (("U2",), 3, 3)
    assert str(found).splitlines()[1].startswith("1 move that costs 3, proven shortest; ")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("U U2:0", "a move costs 1 to 255, found 'U2:0'"),
        ("U U2:256", "a move costs 1 to 255, found 'U2:256'"),
        ("U:2 U2 U:3", "U has two costs"),
        ("U U7x:2", "'U7x' is not one move of 3x3x3"),
        ("U:2 U:two", "a move costs 1 to 255, found 'U:two'"),
        (" ".join(f"{face}{turn}:200" for face in "UDLRFB" for turn in ("", "2", "'")), "at most 64 characters"),
    ],
)
def test_costs_that_are_wrong(text: str, fault: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        get_puzzle("3x3x3").move_set(text, costs=True)
    assert any(fault in str(one) for one in error.value.faults), error.value.faults


def test_a_set_has_one_name() -> None:
    puzzle = get_puzzle("3x3x3")
    found = puzzle.move_set("U2:2, U:1 U' U2:2", costs=True)
    assert (found.name, found.moves, found.costs) == ("U U2:2 U'", ("U", "U2", "U'"), (1, 2, 1))
    assert puzzle.move_set("U:1 U2:1 U':1", costs=True) == puzzle.move_set("U U2 U'")
    assert puzzle.at_cost_1(found) == puzzle.move_set("U U2 U'")


@pytest.mark.parametrize("algorithm", ["breadth_first", "anytime", "greedy", "mm"])
def test_other_algorithms_refuse_costs(algorithm: Algorithm) -> None:
    request = SolveRequest(puzzle="3x3x3", alg="R U", moves=HALF_TURNS_COST_2, algorithm=algorithm)
    with pytest.raises(InvalidRequest, match=f"{algorithm} does not search 3x3x3") as error:
        prepare(request, costs=True)
    assert "astar, auto and ida_star take other costs" in str(error.value.faults[0])


def test_what_counts_moves_refuses_costs() -> None:
    with pytest.raises(InvalidRequest, match="moves cannot have costs here"):
        prepare(SolveRequest(puzzle="3x3x3", alg="R U", moves=HALF_TURNS_COST_2))


def test_what_is_refuted_at_cost_1_may_be_proven() -> None:
    puzzle = get_puzzle("2x2x2")
    costly = puzzle.move_set("U:2 U2:2 U':2 R:2 R2:2 R':2 F:2 F2:2 F':2", costs=True)
    heuristic = get_heuristic("0 if solved else 2", puzzle, costly)
    assert heuristic.verdicts(puzzle.at_cost_1(costly)).admissible == "refuted"
    assert heuristic.verdicts(costly).consistent == "proven"
    assert heuristic.is_admissible(costly)
    cheaper = puzzle.move_set("U:2 U2:2 U':2 R:2 R2 R':2 F:2 F2:2 F':2", costs=True)
    found = get_heuristic("0 if solved else 2", puzzle, cheaper).verdicts(cheaper)
    assert (found.admissible, found.counterexample, found.true_distance) == ("refuted", ("R2",), 1)
    zero = get_heuristic("zero", puzzle, costly)
    assert zero.verdicts(costly).admissible == zero.verdicts(costly).consistent == "proven"


def distances(costs: dict[str, int]) -> dict[bytes, int]:
    """What the cheapest solution of each state costs, by Dijkstra's algorithm in plain Python."""
    puzzle = get_puzzle("2x2x2")
    found: dict[bytes, int] = {}
    waiting = [(0, puzzle.solved)]
    while waiting:
        cost, state = heappop(waiting)
        if state not in found:
            found[state] = cost
            for move, price in costs.items():
                heappush(waiting, (cost + price, puzzle.apply_alg(state, puzzle.inverse_alg([move]))))
    return found


@pytest.mark.parametrize(("least", "most"), [(1, 7), (60, 250)])
def test_databases_are_filled_by_costs(least: int, most: int) -> None:
    """On all 29,160 states of two faces. High costs are too many for a byte, so the greatest stands for more."""
    random = Random(most)
    costs = {move: random.randint(least, most) for move in ("U", "U2", "U'", "R", "R2", "R'")}
    puzzle, truth = get_puzzle("2x2x2"), distances(costs)
    assert len(truth) == 29_160
    moves = puzzle.move_set(" ".join(f"{move}:{cost}" for move, cost in costs.items()), costs=True)
    three, all_of_them = (get_heuristic(f'pdb("corners:{count}")', puzzle, moves) for count in (3, 7))
    assert all_of_them.verdicts(moves).admissible == three.verdicts(moves).admissible == "proven"
    for state in truth:
        assert all_of_them(state) == min(truth[state], 254)
        assert three(state) <= truth[state]
    # It counts costs: with databases of moves, or with symmetries that change costs, these bounds are others.
    assert any(three(state) > max(costs.values()) for state in truth)
    for state in random.sample(sorted(truth), 4):
        asked: dict[str, Any] = {"state": puzzle.format_state(state), "heuristic": 'pdb("corners:7")'}
        asked |= {"puzzle": "2x2x2", "moves": moves.name}
        one = SolveRequest(**asked, algorithm="astar", limits=LimitsIn(expanded=1))
        first = solve(prepare(one, costs=True), Control())
        assert min(truth[state], 254) <= (first.lower_bound or 0) <= truth[state]
        for algorithm in ("astar", "ida_star"):
            found = solve(prepare(SolveRequest(**asked, algorithm=algorithm), costs=True), Control())
            assert (found.length, found.optimality) == (truth[state], "proven")


def test_a_sum_of_halves() -> None:
    """It is proven by what each move changes, which is at most what it costs."""
    puzzle = get_puzzle("2x2x2")
    moves = puzzle.move_set("U:3 U2:3 U':3 R:2 R2:2 R':2", costs=True)
    truth = distances({move: moves.cost(move) for move in moves.moves})
    text = 'pdb("corners:3") / 2 + pdb("corners:4") / 2'
    half = get_heuristic(text, puzzle, moves)
    assert half.verdicts(moves).admissible == "proven"
    assert all(half(state) <= truth[state] for state in truth)
    dear = get_heuristic(f'pdb("corners:7", "{moves.name}")', puzzle, puzzle.move_set("U U2 U' R R2 R'"))
    assert dear.verdicts(puzzle.move_set("U U2 U' R R2 R'"), deep=False).admissible == "unknown"
