"""`hstar check` and `POST /v1/heuristics/check`: the verdict, a counterexample, and the named heuristics."""

from __future__ import annotations

import pytest

from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.puzzles import get_puzzle
from tests.test_cli import hstar

#: the heuristics of the five reports, with their own move sets
REPORTS = {
    ("megaminx", "s1-misplaced-facelets", "all"): ("proven", "proven"),
    ("megaminx", "s2-face-distance", "ccw"): ("refuted", "refuted"),
    ("master_pyraminx", "s3-faces-out-of-place", "cw12"): ("proven", "proven"),
    ("master_pyraminx", "s4-misplaced-groups", "layers32"): ("refuted", "refuted"),
    ("8-puzzle", "s5-misplaced-cells", None): ("refuted", "refuted"),
    ("8-puzzle", "s5-clustered-misplaced", None): ("refuted", "refuted"),
    ("8-puzzle", "s5-conflicts-inversions", None): ("refuted", "refuted"),
}


@pytest.mark.parametrize(("puzzle", "name", "moves"), REPORTS)
def test_the_heuristics_of_the_reports(puzzle: str, name: str, moves: str | None) -> None:
    found = check(HeuristicCheckRequest(puzzle=puzzle, heuristic=name, moves=moves))
    assert (found.admissible, found.consistent) == REPORTS[puzzle, name, moves], found.reason
    board = get_puzzle(puzzle)
    if found.counterexample is not None:
        state = board.apply_alg(board.solved, found.counterexample.scramble)
        assert get_heuristic(name, board)(state) == found.counterexample.h > found.counterexample.true_distance
        assert len(found.counterexample.scramble) == found.counterexample.true_distance
    assert (found.counterexample is not None) == (found.admissible == "refuted")
    assert (found.inconsistency is not None) == (found.consistent == "refuted")
    assert found.name == name
    assert next(one.mean for one in found.beside if one.name == name) == found.mean


def test_for_people() -> None:
    done = hstar("check", "megaminx", "ceil( face_distance(0,1,2,7)/15 )", "--moves", "ccw")
    assert done.returncode == 1, done.stderr
    assert "h = 4 but h* = 3 after U U F" in done.stdout
    assert "(s2-face-distance)" in done.stdout
    assert "hstar solve megaminx --alg 'U U F' --moves ccw" in done.stdout
    done = hstar("check", "8-puzzle", "manhattan")
    assert done.returncode == 0
    assert "h is 0 at the goal and no move lowers it by more than 1 (move set slide)" in done.stdout


def test_the_list() -> None:
    done = hstar("heuristics", "8-puzzle")
    assert "linear-conflict" in done.stdout
    assert "s2-face-distance" not in done.stdout
