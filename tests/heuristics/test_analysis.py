"""Proofs and refutations of admissibility, against the true distances of whole puzzles and of balls around the goal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.heuristics import describe_all, get_heuristic
from hstar.heuristics.analysis import bounds
from hstar.puzzles import Puzzle, get_puzzle, make_scramble
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


@given(expressions)
def test_a_verdict_is_never_wrong(text: str) -> None:
    heuristic = get_heuristic(text, SMALL)
    verdicts = heuristic.verdicts(SMALL.move_set(None))
    values = {state: heuristic(state) for state in TRUE}
    admissible = all(values[state] <= TRUE[state] for state in TRUE)
    consistent = admissible and all(
        values[state] <= 1 + values[after] for state in TRUE for _, after in SMALL.successors(state, SMALL.moves)
    )
    # 360 states: the analysis can look at all of them, so it always knows
    assert verdicts.admissible == ("proven" if admissible else "refuted")
    assert verdicts.consistent == ("proven" if consistent else "refuted")
    if verdicts.counterexample is not None and not admissible:
        state = SMALL.apply_alg(SMALL.solved, verdicts.counterexample)
        assert values[state] > TRUE[state]


@given(expressions, st.integers(0, 10**6))
def test_bounds_hold_along_random_walks(text: str, seed: int) -> None:
    puzzle = get_puzzle("8-puzzle")
    heuristic = get_heuristic(text, puzzle)
    found = bounds(heuristic.expression, puzzle.move_set(None))
    state = puzzle.solved
    value = heuristic.expression.root.evaluate([f.evaluate(state) for f in heuristic.expression.features])
    for move in make_scramble(puzzle, 30, seed).alg:
        state = puzzle.apply_alg(state, [move])
        after = heuristic.expression.root.evaluate([f.evaluate(state) for f in heuristic.expression.features])
        slack = 0 if found.exact else 1 + 1e-6
        assert found.low - slack <= after <= found.high + slack
        assert value - after <= found.drop + slack + 1e-9
        assert after - value <= found.rise + slack + 1e-9
        assert not found.integer or after == int(after)
        value = after


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


def test_what_is_known_of_the_named_heuristics() -> None:
    known = {(d["name"], d["puzzle"], m): v["admissible"] for d in describe_all() for m, v in d["move_sets"].items()}
    assert {key: known[key] for key in VERDICTS} == VERDICTS


def test_the_counterexample_to_s2_is_three_moves_from_the_goal() -> None:
    puzzle = get_puzzle("megaminx")
    heuristic = get_heuristic("s2-face-distance", puzzle)
    verdicts = heuristic.verdicts(puzzle.move_set("ccw"))
    assert verdicts.counterexample is not None
    assert len(verdicts.counterexample) == 3
    assert heuristic(puzzle.apply_alg(puzzle.solved, verdicts.counterexample)) == 4


def test_rounding_is_never_taken_for_a_proof() -> None:
    """30 * 0.1 is above 3 in doubles: ceil makes 4 of it, so no proof may rest on exact tenths."""
    puzzle = get_puzzle("15-puzzle")
    tenth = get_heuristic("ceil(manhattan * 0.1)", puzzle).verdicts(puzzle.move_set(None))
    assert tenth.consistent != "proven"
    assert tenth.admissible == "proven"  # on other grounds: it is at most the distance times 1, rounded up
    assert get_heuristic("ceil(manhattan / 10)", puzzle).verdicts(puzzle.move_set(None)).consistent == "proven"


@pytest.mark.parametrize("name", ["megaminx", "8-puzzle", "15-puzzle", "tiles:2x5"])
def test_the_default_heuristic_is_admissible_for_every_move_set(name: str) -> None:
    puzzle = get_puzzle(name)
    for moves in puzzle.move_sets.values():
        assert get_heuristic(None, puzzle).verdicts(moves).consistent == "proven"
