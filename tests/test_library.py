"""``import hstar``: a session as a user types it."""

from __future__ import annotations

import json
import os
import pydoc
import subprocess
import sys
from importlib.util import find_spec
from inspect import signature
from pathlib import Path

import pytest

import hstar
from hstar.puzzles import puzzle_names

BOARD = "2 8 3 / 1 6 4 / 0 7 5"


def test_the_face_is_small() -> None:
    assert len(hstar.__all__) == 15
    assert all(getattr(hstar, name) is not None for name in hstar.__all__)
    for name in hstar.__all__:
        assert getattr(hstar, name).__doc__
    assert len(pydoc.render_doc(hstar.solve).splitlines()) <= 40
    with pytest.raises(AttributeError):
        hstar.nothing  # noqa: B018


def test_every_way_to_give_a_start_is_an_argument() -> None:
    assert {"start", "k", "seed", "scramble_moves", "alg", "random"} <= signature(hstar.solve).parameters.keys()
    assert hstar.solve("2x2x2", random=3).start == hstar.puzzle("2x2x2").random(3)
    with pytest.raises(hstar.HstarError):
        hstar.solve("2x2x2", random=3, alg="U")


@pytest.mark.parametrize("name", [*puzzle_names(), "tiles:2x4"])
def test_states(name: str) -> None:
    puzzle = hstar.puzzle(name)
    start = puzzle.scramble(k=6, seed=3)
    assert start == puzzle.scramble(k=6, seed=3)
    assert start != puzzle.solved
    assert len({start, puzzle.scramble(k=6, seed=3), puzzle.solved}) == 2
    assert eval(repr(start), {"hstar": hstar}) == start
    assert eval(repr(puzzle), {"hstar": hstar}) == puzzle
    assert puzzle.solved.is_solved
    move = start.moves[0]
    assert start @ move == start @ [move]
    drawn = start._repr_svg_()
    assert drawn is None or drawn.startswith("<svg")
    if "tiles" in name or name.endswith("-puzzle"):
        with pytest.raises(hstar.HstarError, match="has no KPattern"):
            start.kpattern()
    else:
        assert puzzle.state(start.kpattern()) == start
    with pytest.raises(hstar.HstarError):
        start @ "Q"
    with pytest.raises(AttributeError):
        start._state = b""  # type: ignore[misc]


def test_a_goal_of_its_own_is_in_the_repr() -> None:
    puzzle = hstar.puzzle("8-puzzle", goal="1 2 3 / 4 5 6 / 7 8 0")
    assert eval(repr(puzzle.solved), {"hstar": hstar}) == puzzle.solved
    assert puzzle.solved != hstar.puzzle("8-puzzle").solved
    assert puzzle.state([[1, 2, 3], [4, 5, 6], [7, 0, 8]]) @ "R" == puzzle.solved
    assert hstar.puzzle("8-puzzle", goal=[[1, 2, 3], [4, 5, 6], [7, 8, 0]]) == puzzle
    with pytest.raises(hstar.HstarError, match="the goal is not a board"):
        hstar.puzzle("8-puzzle", goal="a b c")


def test_solving() -> None:
    start = hstar.puzzle("8-puzzle").state(BOARD)
    found = hstar.solve(start, heuristic="manhattan")
    assert found.moves is not None
    assert (start @ found.moves).is_solved
    assert (found.length, found.proven, found.lower_bound) == (6, True, 6)
    assert "6 moves, proven shortest; " in str(found)
    assert found.start == start
    assert hstar.solve("megaminx", alg="U R").length is not None
    limited = hstar.solve("megaminx", k=15, seed=1, limits={"expanded": 10})
    assert str(limited).startswith("no solution: limit reached (expanded); no solution is shorter than ")


def test_states_and_algs() -> None:
    cube = hstar.puzzle("3x3x3")
    a, b = cube.random(1), cube.solved @ "R U"
    assert a == cube.random(1) != cube.random(2)
    assert a @ b == a @ "R U"
    assert (a @ ~a).is_solved
    found = hstar.solve(a, target=a @ "R U F", algorithm="bidirectional")
    assert (found.moves, found.start) == (("R", "U", "F"), a)
    assert hstar.solve(cube.solved, target=b, algorithm="bidirectional").moves == ("R", "U")
    shorter = hstar.shorten("3x3x3", "R U U' R U2 U2", limits={"expanded": 100})
    assert shorter.moves == ("R2",)
    assert (shorter.start @ "R2").is_solved
    board = hstar.puzzle("8-puzzle")
    there = board.random(3)
    assert (board.solved @ (hstar.solve(board.solved, target=there).moves or ())) == there
    with pytest.raises(hstar.HstarError, match="two puzzles"):
        a @ hstar.puzzle("2x2x2").solved


def test_what_is_refused() -> None:
    with pytest.raises(hstar.HstarError, match="exactly one of state, scramble, alg, random and shorten"):
        hstar.solve("megaminx")
    with pytest.raises(hstar.HstarError, match="did you mean 'megaminx'"):
        hstar.solve("megamix", k=3)


def test_heuristics() -> None:
    h = hstar.heuristic("misplaced_cells", "8-puzzle")
    start = hstar.puzzle("8-puzzle").state(BOARD)
    assert h(start) == 6
    assert h.check().counterexample is not None
    assert repr(h) == "hstar.heuristic('misplaced_cells', hstar.puzzle('8-puzzle'))"


def test_an_experiment() -> None:
    found = hstar.experiment("8-puzzle", k="3-5", heuristics=["manhattan", "misplaced-tiles"], trials=2, jobs=1)
    assert len(found.rows) == 12
    assert str(found).startswith("12 searches, 12 solved")
    if find_spec("pandas") is None:
        with pytest.raises(hstar.HstarError, match="pip install pandas"):
            found.to_pandas()
    else:
        assert list(found.to_pandas().columns) == list(type(found.rows[0]).__dataclass_fields__)


@pytest.mark.parametrize("given", ["file", "standard input"])
def test_an_experiment_in_a_script_without_a_main_guard(given: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import hstar\n"
        'found = hstar.experiment("8-puzzle", k="3-4", trials=2, heuristics=["manhattan"], jobs=2)\n'
        "print([row.outcome for row in found.rows])\n"
    )
    arguments = [str(script)] if given == "file" else ["-"]
    done = subprocess.run(
        [sys.executable, *arguments],
        input=script.read_text(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("['solved', 'solved', 'solved', 'solved']\n", 0), done.stderr


#: a solve, and when it is interrupted: while it searches, once it has a solution, or while it builds a table
INTERRUPTED = [
    pytest.param({"start": "megaminx", "algorithm": "ida_star"}, "expanded", "cancelled", id="search"),
    pytest.param({"start": "master_pyraminx", "algorithm": "anytime"}, "best", "done", id="solution"),
    pytest.param({"start": "3x3x3", "algorithm": "two_phase"}, "building", "cancelled", id="phases"),
    pytest.param(
        {"start": "15-puzzle", "algorithm": "ida_star", "heuristic": 'pdb("7-8")'}, "building", "cancelled", id="build"
    ),
]

INTERRUPTS = """
import json, os, signal, sys, threading, time
import hstar
from hstar.search import Control

asked, until = json.loads(sys.argv[1]), sys.argv[2]
control = Control()

def interrupt():
    while not getattr(control, until):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
answer = hstar.solve(asked.pop("start"), k=100, seed=1, control=control, **asked)
best = None if control.best is None else len(control.best)
print(json.dumps([answer.answer.status, answer.length, best, answer.lower_bound]))
"""


@pytest.mark.parametrize(("asked", "until", "status"), INTERRUPTED)
def test_ctrl_c_ends_a_solve_with_the_best_so_far(
    asked: dict[str, str], until: str, status: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTS, json.dumps(asked), until],
        capture_output=True, text=True, timeout=60, check=False, env=os.environ | {"HSTAR_DATABASES": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ended, length, best, bound = json.loads(done.stdout)
    assert (ended, length) == (status, best)
    assert bound >= 1
    assert (best is None) == (status == "cancelled")
