"""Heuristics that are Python functions of the user: they search, are checked, fail, and are never believed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hstar
from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.errors import HeuristicFailed, InvalidExpression, InvalidRequest
from hstar.features import functions
from hstar.heuristics import get_heuristic
from hstar.options import Algorithm
from hstar.puzzles import get_puzzle
from hstar.session import text_of
from tests.command_line import run

#: all its 360 states can be looked at
SMALL = hstar.puzzle("tiles:2x3")


def manhattan(state: hstar.State) -> int:
    goal = state.puzzle.goal
    assert goal is not None
    columns = str(state.to_dict()["rows"]).partition("/")[0].split()
    width = len(columns)
    held = [int(one) for one in str(state.to_dict()["rows"]).replace("/", " ").split()]
    return sum(
        abs(at // width - goal.index(tile) // width) + abs(at % width - goal.index(tile) % width)
        for at, tile in enumerate(held)
        if tile
    )


@pytest.mark.parametrize("algorithm", ["astar", "ida_star", "rbfs", "greedy", "layered"])
def test_counters_are_those_of_the_expression(algorithm: Algorithm) -> None:
    mine = hstar.solve("15-puzzle", k=24, seed=3, heuristic=manhattan, algorithm=algorithm)
    theirs = hstar.solve("15-puzzle", k=24, seed=3, heuristic="manhattan", algorithm=algorithm)
    assert mine.moves == theirs.moves
    assert mine.answer.counters == theirs.answer.counters
    assert not mine.proven
    assert algorithm == "greedy" or theirs.proven


@pytest.mark.parametrize("algorithm", ["mm", "nbs"])
def test_way_back(algorithm: Algorithm) -> None:
    """On permutation puzzles a function is asked from both ends; on a board it may know only its own goal."""

    def gaps(state: hstar.State) -> float:
        return hstar.heuristic("gaps", state.puzzle)(state)

    row = hstar.solve("pancake:6", k=9, seed=1, heuristic=gaps, algorithm=algorithm)
    theirs = hstar.solve("pancake:6", k=9, seed=1, heuristic="gaps", algorithm=algorithm)
    assert row.answer.counters == theirs.answer.counters
    board = hstar.solve(SMALL, k=15, seed=1, heuristic=manhattan, algorithm=algorithm)
    assert board.length == hstar.solve(SMALL, k=15, seed=1, heuristic="manhattan", algorithm=algorithm).length


def test_nothing_is_proven_before_all_states_were_looked_at() -> None:
    def mine(state: hstar.State) -> int:
        return manhattan(state)

    start = SMALL.random(3)
    found = hstar.solve(start, heuristic=mine)
    assert not found.proven
    assert found.answer.heuristic.admissible == "unknown"
    assert "shortest if the heuristic is admissible, which is not known" in str(found)
    assert hstar.check(mine, SMALL).reason == "checked on all 360 states of the puzzle"
    again = hstar.solve(start, heuristic=mine)
    assert again.proven
    assert again.length == found.length


def test_no_value_is_asked_for_twice() -> None:
    """What was checked is what the search uses, even of a function that changes its mind."""
    checked = []

    def turncoat(state: hstar.State) -> int:
        checked.append(state)
        return 0 if len(checked) <= 400 else 50

    assert hstar.check(turncoat, SMALL).admissible == "proven"
    asked = len(checked)
    assert 360 <= asked < 400  # 360 states; two threads may ask for one at once, and get one value
    found = hstar.solve(SMALL.random(3), heuristic=turncoat)
    assert found.proven
    assert found.length == hstar.solve(SMALL.random(3), heuristic="manhattan").length
    assert len(checked) == asked


def test_where_values_are_dropped_nothing_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "KEPT", 100)

    def mine(state: hstar.State) -> int:
        return manhattan(state)

    assert hstar.check(mine, SMALL).admissible == "proven"
    assert not hstar.solve(SMALL.random(3), heuristic=mine).proven


def test_infinity_would_say_that_there_is_no_solution() -> None:
    with pytest.raises(HeuristicFailed, match="it returned inf, expected a number"):
        hstar.solve(SMALL.random(3), heuristic=lambda state: 0.0 if state.is_solved else float("inf"))


@pytest.mark.parametrize("value", [None, "3", float("nan"), 10**7, [1]])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(HeuristicFailed, match=r"hstar\.puzzle\('tiles:2x3'\)\.state\("):
        hstar.solve(SMALL.random(3), heuristic=lambda _state: value)


@pytest.mark.parametrize("algorithm", ["astar", "ida_star", "rbfs", "mm"])
def test_an_error_names_the_state(algorithm: Algorithm) -> None:
    seen: list[hstar.State] = []

    def fails(state: hstar.State) -> int:
        seen.append(state)
        if len(seen) == 30:
            raise ValueError("no idea")
        return 0

    with pytest.raises(HeuristicFailed, match="no idea") as caught:
        hstar.solve("15-puzzle", k=30, seed=1, heuristic=fails, algorithm=algorithm)
    assert caught.value.faults[0].where == repr(seen[29])
    assert "test_functions.py, line" in caught.value.faults[0].message
    assert isinstance(caught.value.__cause__, ValueError)
    assert len(seen) == 30


def test_audit_and_check_refute() -> None:
    def high(state: hstar.State) -> float:
        return manhattan(state) + (0.5 if manhattan(state) > 3 else 0)

    text = text_of(high)
    found = audit(HeuristicAuditRequest(puzzle="tiles:2x3", heuristic=text, radius=100))
    theirs = audit(
        HeuristicAuditRequest(
            puzzle="tiles:2x3", heuristic="manhattan + 0.5 if manhattan > 3 else manhattan", radius=100
        )
    )
    assert found.verdict == theirs.verdict == "refuted"
    assert found.counterexample == theirs.counterexample
    assert [row.inadmissible for row in found.by_distance] == [row.inadmissible for row in theirs.by_distance]
    assert hstar.check(high, SMALL).counterexample is not None
    with pytest.raises(HeuristicFailed):
        audit(HeuristicAuditRequest(puzzle="8-puzzle", heuristic=text_of(_fails_far_away), radius=8))


def _fails_far_away(state: hstar.State) -> int:
    if not state.is_solved:
        raise KeyError("far")
    return 0


def test_names_tell_functions_apart() -> None:
    first, second = (lambda: lambda state: 0)(), (lambda: lambda state: 1)()
    assert text_of(first) == text_of(first) != text_of(second)
    assert hstar.heuristic(text_of(second), SMALL)(SMALL.solved) == 1


def test_functions_in_expressions() -> None:
    both = hstar.heuristic(f"max({text_of(manhattan)}, linear_conflict) / 2", SMALL)
    state = SMALL.random(5)
    assert both(state) == max(manhattan(state), hstar.heuristic("linear_conflict", SMALL)(state)) / 2
    # A lower bound cut off by a function stays one.
    assert hstar.check(f"min(manhattan, {text_of(manhattan)})", "15-puzzle").admissible == "proven"


def test_servers_refuse() -> None:
    with pytest.raises(InvalidExpression, match="A server runs none"):
        get_heuristic('python("nobody named this")', get_puzzle("8-puzzle"))
    with pytest.raises(InvalidRequest, match="a server runs no functions of its users"):
        hstar.Client("http://127.0.0.1:1").solve("8-puzzle", k=3, heuristic=manhattan)
    with pytest.raises(InvalidRequest, match="a server runs no functions of its users"):
        hstar.Client("http://127.0.0.1:1").experiment("8-puzzle", k="3", heuristics=[manhattan])  # type: ignore[list-item]


def test_experiment() -> None:
    found = hstar.experiment("8-puzzle", k="4,6", trials=2, heuristics=[manhattan, "manhattan"])
    mine = [row.expanded for row in found.rows if row.heuristic != "manhattan"]
    assert mine == [row.expanded for row in found.rows if row.heuristic == "manhattan"]
    assert len(mine) == 4
    failed = hstar.experiment("8-puzzle", k="4", trials=1, heuristics=[_fails_far_away])
    assert [row.status for row in failed.rows] == ["failed"]


FILE = """
import beside

def half(state):
    return beside.FACTOR * (not state.is_solved)

asked = []

def presses(state):
    import os, signal  # Ctrl-C, once
    asked.append(state)
    if len(asked) == 20:
        os.kill(os.getpid(), signal.SIGINT)
    return 0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("FACTOR = 0.5\n")
    (tmp_path / "mine.py").write_text(FILE)
    return tmp_path / "mine.py"


def test_command_line(file: Path) -> None:
    found = run("solve", "8-puzzle", "--k", "20", "--seed", "1", "--heuristic", f"{file}:half", "--json")
    assert '"admissible": "unknown"' in found.output
    assert "mine.py:half, sha256 " in found.output
    assert '"optimality": "feasible"' in found.output
    checked = run("check", "tiles:2x3", f"{file}:half")
    assert "checked on all 360 states of the puzzle" in checked.output
    heard = run("audit", "heuristic", "tiles:2x3", f"{file}:half", "--radius", "100")
    assert "admissible: proven" in heard.output
    for text, why in ((f"{file}:none", "it has no function none"), (f"{file.parent}/no.py:f", "No such file")):
        refused = run("solve", "8-puzzle", "--k", "6", "--heuristic", text)
        assert refused.exit_code == 2
        assert why in refused.output


def test_command_line_experiment(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    both = ["--heuristic", f"{file}:half", "--heuristic", "zero"]
    found = run("experiment", "8-puzzle", "--k", "4", "--trials", "2", *both)
    assert found.exit_code == 0
    assert "mine.py:half" in found.output


def test_ctrl_c(file: Path) -> None:
    """The search ends with its answer, not in the middle of the function."""
    command = [sys.executable, "-m", "hstar.cli", "solve", "15-puzzle", "--random", "--json"]
    done = subprocess.run([*command, "--heuristic", f"{file}:presses"], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert '"status": "cancelled"' in done.stdout
