"""One convention for a whole submission: that of an honest program is found, and counts of another one are noted."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from hstar.grading import Assignment
from hstar.heuristics import get_heuristic
from hstar.verification.conventions import Duplicates, GoalTest, Graph, Ties, run
from tests.grading.test_score import assignment, graded

ALGS = {"one": "U F R", "two": "L DR", "three": "F BL U", "four": "R D"}
SOLUTIONS = {"one": "R' F' U'", "two": "DR' L'", "three": "U' BL' F'", "four": "D' R'"}
HEURISTIC = "misplaced_facelets / 30"


@pytest.fixture(scope="module")
def over() -> Assignment:
    return assignment(
        instances=[{"name": name, "alg": alg} for name, alg in ALGS.items()],
        rubric=[{"kind": "claims_true", "points": 4}],
        heuristic=HEURISTIC,
    )


def counted(over: Assignment, name: str, duplicates: Duplicates, ties: Ties, goal_test: GoalTest) -> tuple[int, int]:
    """The output of a program with this convention: nodes expanded and generated."""
    instance = next(instance for instance in over.instances if instance.name == name)
    heuristic = get_heuristic(HEURISTIC, over.puzzle, over.moves)
    found = run(Graph(over.puzzle, over.moves, heuristic), instance.state, duplicates, ties, goal_test)
    assert found is not None
    return found.expanded, found.generated


@pytest.mark.parametrize("duplicates", get_args(Duplicates))
@pytest.mark.parametrize("goal_test", get_args(GoalTest))
def test_an_honest_program_has_one_convention(over: Assignment, duplicates: Duplicates, goal_test: GoalTest) -> None:
    rows = []
    for name in ALGS:
        expanded, generated = counted(over, name, duplicates, "fifo", goal_test)
        rows.append(
            {"instance": name, "solution": SOLUTIONS[name], "nodes": expanded + 1, "generated": generated}
        )  # with the goal
    found = graded(rows, over)
    assert found.score == 4
    assert found.counting is not None
    assert (found.counting.explained, found.counting.of) == (8, 8)
    assert not any("does not fit" in note for note in found.parts[0].notes)


def test_counts_of_two_programs_are_distinguished(over: Assignment) -> None:
    rows: list[dict[str, Any]] = []
    for name in ALGS:
        expanded, _ = counted(over, name, "open and closed list", "low_h", "when expanded")
        rows.append({"instance": name, "solution": SOLUTIONS[name], "nodes": expanded})
    other, _ = counted(over, "one", "open and closed list", "low_h", "when generated")
    assert other != rows[0]["nodes"]
    rows[0]["nodes"] = other
    found = graded(rows, over)
    assert found.counting is not None
    assert (found.counting.explained, found.counting.of) == (3, 4)
    assert "duplicates looked for in the open and the closed list" in found.counting.convention
    (note,) = [note for note in found.parts[0].notes if "does not fit" in note]
    assert note.startswith(f"one: expanded {other} does not fit the convention of most counts")
    assert found.score == 4  # only a note, because undocumented tie breaking may give any count in the range


def test_without_counts_there_is_no_convention(over: Assignment) -> None:
    assert graded([{"instance": "one", "solution": SOLUTIONS["one"], "length": 3}], over).counting is None
    assert graded([{"instance": "one", "solution": SOLUTIONS["one"], "nodes": 10**9}], over).counting is None


def test_only_counts_have_a_convention() -> None:
    """A length of 0 is no count of nodes, though a search from the solved state generates 0."""
    over = assignment(instances=[{"name": "solved", "alg": ""}], heuristic=HEURISTIC)
    row = {"instance": "solved", "solution": "", "length": 0, "optimal": True}
    assert graded([row], over).counting is None
    assert graded([row | {"generated": 0}], over).counting is not None
