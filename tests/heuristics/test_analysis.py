"""Proofs and refutations of admissibility, compared with true distances, of whole puzzles and near the goal."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hstar.heuristics import describe_all, get_heuristic
from hstar.heuristics.analysis import ROUNDING, prove
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.puzzles import Puzzle, get_puzzle, make_scramble
from hstar.search import SolveRequest, prepare, solve
from tests.heuristics.test_expression import expressions


def distances(puzzle: Puzzle) -> dict[bytes, int]:
    """h* of every state, by a breadth-first search that shares nothing with the analysis (moves are undone by

    moves).
    """
    found, layer = {puzzle.solved: 0}, [puzzle.solved]
    while layer:
        layer = [
            after
            for state in layer
            for _, after in puzzle.successors(state, puzzle.moves)
            if after not in found and not found.update({after: found[state] + 1})
        ]
    return found


SMALL = get_puzzle("tiles:3x2")
TRUE = distances(SMALL)
TINY = get_puzzle("tiles:2x2")


def above(value: float, exact: Fraction, limit: float) -> bool:
    """Whether a value is above a limit by more than the rounding of doubles."""
    return value > limit + ROUNDING or (value > limit and exact > limit)


@given(expressions)
def test_a_verdict_is_never_wrong(text: str) -> None:
    heuristic = get_heuristic(text, SMALL)
    moves = SMALL.move_set(None)
    verdicts = heuristic.verdicts(moves)
    values = {state: heuristic(state) for state in TRUE}
    exact = {state: heuristic.expression.evaluate_exactly(state) for state in TRUE}
    admissible = not any(above(values[state], exact[state], TRUE[state]) for state in TRUE)

    def falls(state: bytes, after: bytes) -> bool:
        return above(values[state] - values[after], exact[state] - exact[after], 1)

    consistent = admissible and not any(
        falls(state, after) for state in TRUE for _, after in SMALL.successors(state, SMALL.moves)
    )
    # 360 states: the analysis can look at all of them, so it always knows
    assert verdicts.admissible == ("proven" if admissible else "refuted")
    assert verdicts.consistent == ("proven" if consistent else "refuted")
    if verdicts.admissible == "refuted":
        assert verdicts.counterexample is not None
        state = SMALL.apply_alg(SMALL.solved, verdicts.counterexample)
        assert (verdicts.h, verdicts.true_distance) == (values[state], TRUE[state])
        assert above(values[state], exact[state], TRUE[state])
    if verdicts.consistent == "refuted":
        assert verdicts.inconsistent_at is not None
        state = SMALL.apply_alg(SMALL.solved, verdicts.inconsistent_at)
        if verdicts.inconsistent_move is None:
            assert state == SMALL.solved
            assert values[state] > 0
        else:
            assert falls(state, SMALL.apply_alg(state, [verdicts.inconsistent_move]))
    # A verdict without a look at states is never revised.
    light = get_heuristic(f"({text})", SMALL).verdicts(moves, deep=False)
    fresh = prove(heuristic.expression, moves)
    for said in (light, fresh):
        assert said.admissible in ("unknown", verdicts.admissible)
        assert said.consistent in ("unknown", verdicts.consistent)


@given(expressions, st.integers(0, 10**6))
def test_bounds_hold_along_random_walks(text: str, seed: int) -> None:
    puzzle = get_puzzle("8-puzzle")
    heuristic = get_heuristic(text, puzzle)
    b = heuristic.bounds(puzzle.move_set(None))
    slack = 2 * b.error
    state = puzzle.solved
    value = Fraction(heuristic(state))
    for move in make_scramble(puzzle, 30, seed).alg:
        state = puzzle.apply_alg(state, [move])
        after = Fraction(heuristic(state))
        assert b.low - b.error <= after <= b.high + b.error
        assert value - after <= b.drop + slack
        assert after - value <= b.rise + slack
        assert not b.integer or after.denominator == 1
        assert heuristic.kernel.evaluate(state) == after
        value = after


@pytest.mark.parametrize("puzzle", [TINY, SMALL], ids=["2x2", "3x2"])
@given(expressions)
@example("10 // 0.1 - 99 + 0 * manhattan")  # a hundred tenths are 10, but the double 0.1 is a little more than a tenth
@example("(1000000 * 1000 + manhattan * 0.1 - 1000000 * 1000) * 1000")  # a small error becomes a large one
def test_printed_bounds_hold_on_every_state_as_it_is_computed(puzzle: Puzzle, text: str) -> None:
    moves = puzzle.move_set(None)
    shown = check(HeuristicCheckRequest(puzzle=puzzle.name, heuristic=text)).bounds
    heuristic = get_heuristic(text, puzzle)
    values = {state: heuristic.kernel.evaluate(state) for state in distances(puzzle)}
    assert shown.low <= min(values.values()) <= max(values.values()) <= shown.high
    for state, before in values.items():
        for _, after in puzzle.successors(state, moves.moves):
            assert -shown.rise <= Fraction(before) - Fraction(values[after]) <= shown.drop
    assert not shown.integer or all(value.is_integer() for value in values.values())


VERDICTS = {
    ("s1-misplaced-facelets", "megaminx", "ccw"): "proven",
    ("s1-misplaced-facelets", "megaminx", "all"): "proven",
    ("s2-face-distance", "megaminx", "ccw"): "refuted",
    ("face-distance", "megaminx", "ccw"): "proven",
    ("face-distance", "megaminx", "all"): "refuted",
    ("misplaced-pieces", "megaminx", "all"): "proven",
    ("manhattan", "15-puzzle", "slide"): "proven",
    ("linear-conflict", "15-puzzle", "slide"): "proven",
    ("misplaced-tiles", "8-puzzle", "slide"): "proven",
    ("s5-misplaced-cells", "8-puzzle", "slide"): "refuted",
    ("s5-conflicts-inversions", "8-puzzle", "slide"): "refuted",
}


def test_verdicts_on_the_named_heuristics() -> None:
    known = {(d["name"], d["puzzle"], m): v["admissible"] for d in describe_all() for m, v in d["move_sets"].items()}
    assert {key: known[key] for key in VERDICTS} == VERDICTS


def test_the_counterexample_to_s2_is_three_moves_from_the_goal() -> None:
    puzzle = get_puzzle("megaminx")
    heuristic = get_heuristic("s2-face-distance", puzzle)
    verdicts = heuristic.verdicts(puzzle.move_set("ccw"))
    assert verdicts.counterexample is not None
    assert len(verdicts.counterexample) == 3
    assert heuristic(puzzle.apply_alg(puzzle.solved, verdicts.counterexample)) == 4


def test_a_heuristic_never_above_zero_is_proven_without_states() -> None:
    puzzle = get_puzzle("megaminx")
    verdicts = get_heuristic("-misplaced_facelets", puzzle).verdicts(puzzle.move_set("ccw"))
    assert (verdicts.admissible, verdicts.consistent) == ("proven", "proven")


def test_rounding_is_never_taken_for_a_proof() -> None:
    """A fifteenth is not exact as a double, and ceil can make that 1 more; so the divisor must be an integer."""
    puzzle = get_puzzle("megaminx")
    ccw = puzzle.move_set("ccw")
    assert get_heuristic("ceil(misplaced_facelets / 15)", puzzle).verdicts(ccw).consistent == "proven"
    assert get_heuristic("ceil(misplaced_facelets * 0.06666666666666667)", puzzle).verdicts(ccw).admissible != "proven"
    # Tenths are rounded up or down, but never by a whole move.
    fifteen = get_puzzle("15-puzzle")
    for text in ("ceil(manhattan * 0.1)", "0.3 * manhattan + 0.7 * misplaced_tiles"):
        assert get_heuristic(text, fifteen).verdicts(fifteen.move_set(None)).consistent == "proven"


@pytest.mark.parametrize(
    ("text", "admissible", "consistent"),
    [
        ("manhattan * 0.1 * 10", "proven", "proven"),  # doubles say 3.0000000000000004 where h* is 3
        ("0 if solved else (manhattan - 1/3)", "proven", "proven"),
        ("manhattan * 1.00000000001", "refuted", "refuted"),  # this is not rounding
        ("manhattan + 0.00000001", "refuted", "refuted"),
        ("-manhattan", "proven", "proven"),  # it counts as 0
        ("manhattan // -7", "proven", "proven"),
        ("manhattan // (1 / 3)", "refuted", "refuted"),
        ("0.5 * manhattan + 0.5 * misplaced_tiles", "proven", "proven"),
        ("manhattan // 3 * 3", "proven", "refuted"),
    ],
)
def test_the_eight_puzzle_is_checked_whole(text: str, admissible: str, consistent: str) -> None:
    puzzle = get_puzzle("8-puzzle")
    verdicts = get_heuristic(text, puzzle).verdicts(puzzle.move_set(None))
    assert (verdicts.admissible, verdicts.consistent) == (admissible, consistent), verdicts.reason


def test_heuristics_that_only_far_states_refute() -> None:
    """The nearest counterexample is 22 moves from the goal, far outside the ball of 4,000 states."""
    puzzle = get_puzzle("8-puzzle")
    heuristic = get_heuristic("23 if manhattan >= 22 else 0", puzzle)
    slide = puzzle.move_set(None)
    assert heuristic.verdicts(slide, deep=False).admissible == "unknown"
    verdicts = heuristic.verdicts(slide)
    assert verdicts.counterexample is not None
    assert len(verdicts.counterexample) == verdicts.true_distance == 22
    assert verdicts.reason.startswith("h = 23 but h* = 22 after ")


@pytest.mark.thorough
def test_a_space_of_two_million_states() -> None:
    puzzle = get_puzzle("tiles:2x5")
    slide = puzzle.move_set(None)
    heuristic = get_heuristic("47 if manhattan >= 27 else 0", puzzle)
    assert heuristic.verdicts(slide).admissible == "unknown"
    found = heuristic.check_whole_space(slide)
    assert found.admissible != "unknown"
    assert heuristic.verdicts(slide) is found


def test_the_false_proof() -> None:
    """`//` by a tenth had different values in the verdict and in the search, which then called 15 moves proven where 13
    are enough."""
    asked = {
        "puzzle": "tiles:2x3",
        "state": "2 1 3 / 5 0 4",
        "algorithm": "astar",
        "heuristic": "manhattan + 3 * misplaced_tiles * (10 * manhattan - manhattan // 0.1)",
    }
    result = solve(prepare(SolveRequest.model_validate(asked)))
    assert result.optimality == "feasible" or result.length == 13
    assert result.heuristic.verdicts(get_puzzle("tiles:2x3").move_set(None)).admissible == "refuted"


@pytest.mark.parametrize("name", ["megaminx", "8-puzzle", "15-puzzle", "tiles:2x5"])
def test_the_default_heuristic_is_admissible_for_every_move_set(name: str) -> None:
    puzzle = get_puzzle(name)
    for moves in puzzle.move_sets.values():
        assert get_heuristic(None, puzzle).verdicts(moves).consistent == "proven"
