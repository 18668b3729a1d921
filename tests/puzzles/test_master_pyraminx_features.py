"""Features of the Master Pyraminx, compared with facelets in space, and the verdicts on the reports' heuristics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidExpression
from hstar.features import make_feature
from hstar.features.base import UnionFeature
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.puzzles.master_pyraminx import GROUPS, MOVES, MasterPyraminx
from hstar.puzzles.master_pyraminx.geometry import FACES
from tests.puzzles import facelet_witness as witness

algs = st.lists(st.sampled_from(list(MOVES)), max_size=40)


def master_pyraminx() -> MasterPyraminx:
    puzzle = get_puzzle("master_pyraminx")
    assert isinstance(puzzle, MasterPyraminx)
    return puzzle


@pytest.fixture(scope="module", name="puzzle")
def _puzzle() -> MasterPyraminx:
    return master_pyraminx()


@given(algs)
def test_features_agree_with_the_facelets(alg: list[str]) -> None:
    puzzle = master_pyraminx()
    state = puzzle.apply_alg(puzzle.solved, alg)
    shown = witness.SOLVED
    for move in alg:
        shown = witness.apply(shown, witness.turn(*MOVES[move]))
    wrong = {place for place, colour in zip(witness.FACELETS, shown, strict=True) if colour != place[0]}
    assert make_feature(puzzle, "misplaced_facelets", ()).evaluate(state) == len(wrong)
    assert make_feature(puzzle, "faces_out_of_place", ()).evaluate(state) == len({face for face, _ in wrong})
    # the definition of S4, in its own words
    groups = sum((face, n) in wrong for face in FACES for n in (0, 9, 15, 6)) + sum(
        any((face, n) in wrong for n in side)
        for face in FACES
        for side in ({1, 2, 4, 5}, {3, 7, 8}, {10, 11, 12, 13, 14})
    )
    assert make_feature(puzzle, "misplaced_groups", ()).evaluate(state) == groups
    pieces = puzzle.format_pieces(state)
    for orbit in puzzle.orbits:
        held = list(zip(pieces[orbit.name]["pieces"], pieces[orbit.name]["orientation"], strict=True))
        misplaced = sum(home != (i, 0) for i, home in enumerate(held))
        assert make_feature(puzzle, "misplaced_pieces", (orbit.name,)).evaluate(state) == misplaced


@given(algs, st.sampled_from(list(MOVES)), st.integers(0, 2**32))
def test_a_union_never_changes_by_more_than_its_bounds(alg: list[str], move: str, seed: int) -> None:
    puzzle = master_pyraminx()
    state = puzzle.apply_alg(puzzle.solved, alg)
    after = puzzle.turned(state, move)
    random = np.random.default_rng(seed)
    table = random.integers(0, 2**20, size=(len(puzzle.values), max(puzzle.values)), dtype=np.uint64)
    for _ in range(3):  # sparse, so that the union is not full
        table &= random.integers(0, 2**20, size=table.shape, dtype=np.uint64)
    arbitrary = UnionFeature.over("arbitrary", table, puzzle.solved, {m: puzzle.touched(m) for m in MOVES})
    for feature in (
        arbitrary,
        *(make_feature(puzzle, name, ()) for name in ("faces_out_of_place", "misplaced_groups")),
    ):
        drop, rise = feature.changes[move]
        change = feature.evaluate(after) - feature.evaluate(state)
        assert -drop <= change <= rise
        assert feature.low <= feature.evaluate(state) <= feature.high
        assert feature.at_goal == feature.evaluate(puzzle.solved)


def test_bounds_on_changes_by_moves(puzzle: MasterPyraminx) -> None:
    """The bound on a move's change, compared with the number of groups that one turn of the solved puzzle changes."""
    bounds = {
        name: {move: make_feature(puzzle, name, ()).changes[move][0] for move in ("U", "2U", "2D'", "D'", "u", "3u")}
        for name in ("misplaced_facelets", "faces_out_of_place")
    }
    assert list(bounds["misplaced_facelets"].values()) == [3, 9, 15, 21, 12, 27]
    assert list(bounds["faces_out_of_place"].values()) == [3, 3, 3, 3, 3, 3]
    groups = make_feature(puzzle, "misplaced_groups", ())
    hit = {move: groups.evaluate(puzzle.turned(puzzle.solved, move)) for move in MOVES}
    assert [hit[move] for move in ("U", "2U", "2D", "D", "BR", "BL", "F", "u", "3u")] == [3, 6, 9, 9, 13, 14, 12, 9, 12]
    assert groups.high == 28 == len(FACES) * len(GROUPS)
    assert all(sorted(n for group in GROUPS for n in group) == list(range(16)) for _ in FACES)
    with pytest.raises(InvalidExpression, match="no arguments"):
        get_heuristic("misplaced_groups(1)", puzzle)
    with pytest.raises(InvalidExpression, match="one of the orbits"):
        get_heuristic('misplaced_pieces("corners")', puzzle)
    with pytest.raises(InvalidExpression, match="no feature"):
        get_heuristic("face_distance(0, 1, 2, 3)", puzzle)


VERDICTS = {
    None: {"cw12": "proven", "ccw12": "proven", "layers32": "proven", "physical24": "proven"},
    "s3-faces-out-of-place": {"cw12": "proven", "ccw12": "proven", "layers32": "proven", "physical24": "proven"},
    "s4-misplaced-groups": {"cw12": "proven", "ccw12": "proven", "layers32": "refuted", "physical24": "refuted"},
    "layer-pieces": {"cw12": "proven", "ccw12": "proven", "layers32": "refuted", "physical24": "refuted"},
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_on_the_heuristics(puzzle: MasterPyraminx, name: str | None) -> None:
    heuristic = get_heuristic(name, puzzle)
    verdicts = {m.name: heuristic.verdicts(m) for m in puzzle.move_sets.values()}
    assert {m: v.admissible for m, v in verdicts.items()} == VERDICTS[name]
    assert {m: v.consistent for m, v in verdicts.items()} == VERDICTS[name]
    for moves, verdict in verdicts.items():
        if verdict.admissible == "refuted":
            assert verdict.counterexample is not None
            state = puzzle.apply_alg(puzzle.solved, verdict.counterexample)
            assert puzzle.inverse(verdict.counterexample[0]) in puzzle.move_sets[moves].moves
            assert heuristic(state) > len(verdict.counterexample)


@pytest.mark.parametrize("name", [n for n, verdicts in VERDICTS.items() if "proven" in verdicts.values()])
def test_proven_heuristics_stay_below_true_distances(puzzle: MasterPyraminx, name: str | None) -> None:
    heuristic = get_heuristic(name, puzzle)
    for moves in puzzle.move_sets.values():
        if VERDICTS[name][moves.name] != "proven":
            continue
        distance, layer = {puzzle.solved: 0}, [puzzle.solved]
        for depth in (1, 2):
            reached = {puzzle.turned(s, puzzle.inverse(m)) for s in layer for m in moves.moves} - distance.keys()
            distance |= dict.fromkeys(reached, depth)
            layer = sorted(reached)
        values = {state: heuristic(state) for state in distance}
        assert all(values[state] <= distance[state] for state in distance)
        assert all(
            values[state] - values[after] <= 1
            for state in distance
            for m in moves.moves
            if (after := puzzle.apply(state, m)) in values
        )
