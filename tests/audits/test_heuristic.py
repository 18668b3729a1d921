"""Audits of heuristics: the kernel compared with breadth-first search in plain Python, and the verdicts."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path

import pytest

from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.audits.schema import HeuristicAudit
from hstar.errors import HstarError
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest
from hstar.heuristics.check import check as checked
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle
from tests.command_line import run as hstar


def distances(puzzle: Puzzle, moves: MoveSet, radius: int) -> dict[State, int]:
    """By breadth-first search with inverse moves, in plain Python."""
    backwards = [puzzle.inverse(move) for move in moves.moves]
    known = {puzzle.solved: 0}
    queue = deque([puzzle.solved])
    while queue and known[queue[0]] < radius:
        state = queue.popleft()
        for _, before in puzzle.successors(state, backwards):
            if before not in known:
                known[before] = known[state] + 1
                queue.append(before)
    return known


def check(puzzle: str, heuristic: str, moves: str, radius: int, **fields: object) -> HeuristicAudit:
    return audit(
        HeuristicAuditRequest.model_validate(
            {"puzzle": puzzle, "heuristic": heuristic, "moves": moves, "radius": radius} | fields
        )
    )


#: the heuristics of the reports S1 to S5, with their true verdicts
SYSTEMS = [
    ("megaminx", "s1-misplaced-facelets", "ccw", 3, "proven"),
    ("megaminx", "s2-face-distance", "ccw", 3, "refuted"),
    ("master_pyraminx", "s3-faces-out-of-place", "cw12", 3, "proven"),
    ("master_pyraminx", "s4-misplaced-groups", "layers32", 2, "refuted"),
    ("8-puzzle", "s5-misplaced-cells", "slide", 12, "refuted"),
    ("8-puzzle", "s5-conflicts-inversions", "slide", 12, "refuted"),
    ("8-puzzle", "s5-clustered-misplaced", "slide", 12, "refuted"),
    ("8-puzzle", "manhattan", "slide", 12, "proven"),
    ("8-puzzle", "linear-conflict", "slide", 12, "proven"),
]


@pytest.mark.parametrize(("name", "text", "moves", "radius", "verdict"), SYSTEMS)
def test_every_figure_equals_breadth_first_search_in_python(
    name: str, text: str, moves: str, radius: int, verdict: str
) -> None:
    puzzle = get_puzzle(name)
    move_set = puzzle.move_set(moves)
    h = get_heuristic(text, puzzle, move_set)
    found = check(name, text, moves, radius)
    assert found.verdict == verdict
    known = distances(puzzle, move_set, radius)
    for row in found.by_distance:
        states = [state for state, distance in known.items() if distance == row.distance]
        values = [h(state) for state in states]
        assert row.states == len(states)
        assert row.inadmissible == sum(value > row.distance for value in values)
        assert row.inconsistent == sum(
            any(value > 1 + h(after) + 1e-9 for _, after in puzzle.successors(state, move_set.moves))
            for state, value in zip(states, values, strict=True)
        )
        assert row.largest_excess == max(0, *(value - row.distance for value in values))
        if row.distance:
            assert row.mean_ratio == pytest.approx(sum(values) / len(values) / row.distance)
    confirm(puzzle, move_set, found, known)


def confirm(puzzle: Puzzle, moves: MoveSet, found: HeuristicAudit, known: dict[State, int]) -> None:
    """Replay the counterexample, and search its distance forwards."""
    assert (found.counterexample is not None) == (found.verdict == "refuted")
    if found.counterexample is None:
        return
    assert found.counterexample.alg is not None
    state = puzzle.apply_alg(puzzle.solved, found.counterexample.alg)
    h = get_heuristic(found.expression, puzzle, moves)(state)
    assert h == found.counterexample.h > found.counterexample.distance == known[state]
    layer, distance = {state}, 0
    while puzzle.solved not in layer:
        layer = {after for before in layer for _, after in puzzle.successors(before, moves.moves)}
        distance += 1
    assert distance == found.counterexample.distance
    nearest = min(row.distance for row in found.by_distance if row.inadmissible)
    assert nearest == found.counterexample.distance


def test_manhattan_is_proven_over_the_whole_8_puzzle() -> None:
    found = check("8-puzzle", "manhattan", "slide", 100)
    assert (found.verdict, found.consistent, found.whole_space) == ("proven", "proven", True)
    assert found.states == sum(row.states for row in found.by_distance) == 181_440
    assert found.reason == "it holds on all 181,440 states of the puzzle"
    # If the bounds do not prove an expression, a check of all states does.
    assert check("8-puzzle", "max(manhattan, misplaced_tiles * 1)", "slide", 100).verdict == "proven"
    assert check("8-puzzle", "0 if solved else 1", "slide", 3).reason.startswith("h is 0 at the goal")


def test_verdicts_without_a_proof_name_the_radius() -> None:
    text = "abs(manhattan - misplaced_tiles) * abs(manhattan - misplaced_tiles) * 0.01"
    found = check("15-puzzle", text, "slide", 8)
    assert found.verdict == "unrefuted"
    assert found.reason == f"it holds on all {found.states:,} states within 8 moves of the goal; no proof is known"
    wrong_goal = check("8-puzzle", "1", "slide", 2)
    assert (wrong_goal.verdict, wrong_goal.h_at_goal) == ("refuted", 1)
    assert wrong_goal.counterexample is not None
    assert (wrong_goal.counterexample.alg, wrong_goal.counterexample.distance) == ([], 0)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("manhattan + 0.0000000001", "refuted"), ("manhattan + (0.1 + 0.2 - 0.3)", "proven"),
     ("manhattan * 0.1 * 10", "proven"), ("manhattan * 1.0000000001", "refuted")],
)  # fmt: skip
def test_an_audit_and_a_check_agree_on_what_is_rounding(text: str, verdict: str) -> None:
    """What is above the true distance by less than doubles are off is looked at in exact fractions."""
    said = audit(HeuristicAuditRequest(puzzle="tiles:2x3", heuristic=text, radius=100))
    known = checked(HeuristicCheckRequest(puzzle="tiles:2x3", heuristic=text))
    assert said.whole_space
    assert (said.verdict, said.consistent) == (known.admissible, known.consistent) == (verdict, verdict)


def test_moves_that_cannot_go_on() -> None:
    found = check("8-puzzle", "manhattan", "U R", 10)
    assert (found.verdict, found.by_distance[-1].distance, found.expected) == ("proven", 2, [])


def test_dominance_and_the_expected_count() -> None:
    found = check("8-puzzle", "linear-conflict", "slide", 12, dominates="manhattan")
    assert found.dominance is not None
    assert found.dominance.dominates
    assert found.dominance.larger > 0
    assert found.dominance.larger + found.dominance.equal == found.states
    other = check("8-puzzle", "manhattan", "slide", 12, dominates="linear-conflict")
    assert other.dominance is not None
    assert other.dominance.smaller == found.dominance.larger
    assert [row.distance for row in found.expected] == list(range(13))
    blind = check("8-puzzle", "0", "slide", 12)
    assert [row.expanded for row in blind.expected][2] == sum(row.states for row in blind.by_distance[:3])
    assert found.expected[12].expanded < blind.expected[12].expanded


def test_limits_are_counted_in_states() -> None:
    found = check("megaminx", "s1-misplaced-facelets", "cw", 6, limits={"states": 200})
    assert (found.limit, found.radius) == ("states", 2)
    assert [row.states for row in found.by_distance] == [1, 12, 108]


VALUES = [
    {"alg": "", "h": 0},
    {"alg": "U", "h": 1},
    {"alg": "U U", "h": 2},
    {"alg": "U U F", "h": 4},
    {"alg": "U F", "h": 2},
]


def test_a_table_of_values_that_a_program_printed() -> None:
    request = {"puzzle": "megaminx", "moves": "ccw", "values": VALUES}
    found = audit(HeuristicAuditRequest.model_validate(request))
    assert (found.verdict, found.consistent) == ("refuted", "refuted")
    assert found.counterexample is not None
    assert (found.counterexample.row, found.counterexample.h, found.counterexample.distance) == (4, 4, 3)
    assert found.inconsistency is not None
    assert (found.inconsistency.h, found.inconsistency.h_after, found.inconsistency.move) == (4, 2, "F'")
    right = {**request, "values": VALUES[:3]}
    assert audit(HeuristicAuditRequest.model_validate(right)).verdict == "unrefuted"
    negative = {**request, "values": [{"alg": "U", "h": -1}]}
    assert "below 0" in audit(HeuristicAuditRequest.model_validate(negative)).reason
    twice = {**request, "values": [{"alg": "U F2", "h": 1}, {"alg": "U F F", "h": 2}]}
    assert "same state" in audit(HeuristicAuditRequest.model_validate(twice)).consistent_reason
    bad = {**request, "values": [{"alg": "Q", "h": 1}, {"alg": "U", "h": 1}, {"alg": "X", "h": 2}]}
    with pytest.raises(HstarError) as refused:
        audit(HeuristicAuditRequest.model_validate(bad))
    assert [fault.where for fault in refused.value.faults] == ["/values/0", "/values/2"]


def test_the_command_line(tmp_path: Path) -> None:
    done = hstar("audit", "heuristic", "megaminx", "s2-face-distance", "--moves", "ccw", "--radius", "3", "--json")
    assert done.exit_code == 1, done.stderr
    answer = json.loads(done.stdout)
    HeuristicAudit.model_validate(answer)
    assert answer["verdict"] == "refuted"
    assert set(answer["by_distance"][0]) == {
        "distance", "states", "inadmissible", "inconsistent", "largest_excess", "mean_ratio",
    }  # fmt: skip
    assert {"alg", "h", "distance"} <= set(answer["counterexample"])
    table = tmp_path / "values.csv"
    table.write_text("\ufeffalg,h\n" + "".join(f"{row['alg']},{row['h']}\n" for row in VALUES), encoding="utf-8")
    done = hstar("audit", "heuristic", "megaminx", "--values", str(table), "--moves", "ccw")
    assert done.exit_code == 1, done.stderr
    assert "smallest counterexample: U U F: h = 4, h* = 3" in done.stdout
    assert hstar("audit", "heuristic", "megaminx", "nonsense", "--moves", "ccw").exit_code == 2
    assert hstar("audit", "heuristic", "megaminx", "--moves", "ccw").exit_code == 2
