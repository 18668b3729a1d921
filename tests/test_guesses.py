"""Twenty guesses at the library, written before it was made to fit them, by the conventions of python-chess, networkx
and pandas. None of them ran."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hstar
from hstar.errors import InvalidRequest
from tests.command_line import run

CYCLE = {"a": [1, 2, 0]}
KOCIEMBA = "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"


def cube() -> hstar.Puzzle:
    return hstar.puzzle("3x3x3")


def state() -> hstar.State:
    return cube().solved @ "R U"


def test_lists_of_names() -> None:
    assert "3x3x3" in hstar.puzzles()  # type: ignore[operator]  # packages, which are called
    assert "manhattan" in hstar.heuristics("8-puzzle")  # type: ignore[operator]
    assert "astar" in hstar.algorithms()


def test_puzzles_are_made() -> None:
    assert hstar.Puzzle("3x3x3") == cube()
    own = hstar.Puzzle.from_generators(CYCLE)
    assert own.solved @ "a a a" == own.solved
    assert own.state_count == 3
    assert hstar.solve(own.solved @ "a").moves == ("a'",)


def test_states_have_moves_and_neighbours() -> None:
    assert "R" in state().legal_moves
    assert any(near.is_solved for near in (cube().solved @ "R").neighbors())
    assert len(state().neighbors("single")) == 12
    assert cube().solved.apply("R U") == state()
    assert cube().state(KOCIEMBA).is_solved


def test_distances() -> None:
    assert state().distance_to(cube().solved) == state().distance_to() == 2
    with pytest.raises(InvalidRequest, match="at least"):
        cube().random(1).distance_to(limits={"expanded": 10})


def test_pictures() -> None:
    assert "<svg" in str(state().draw())


def test_pictures_are_saved(tmp_path: Path) -> None:
    for ending, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        state().draw().save(tmp_path / f"cube.{ending}")
        assert (tmp_path / f"cube.{ending}").read_bytes().startswith(begin)


def test_solutions_are_sequences() -> None:
    found = state().solve()
    assert found.solution == ("U'", "R'")
    assert (len(found), list(found), bool(found)) == (2, ["U'", "R'"], True)
    assert found.states[-1].is_solved
    assert repr(found) == "<Solution: U' R', 2 moves, proven shortest>"
    assert "<table" in found._repr_html_()
    nothing = hstar.solve(cube().random(1), algorithm="astar", limits={"expanded": 1})
    assert (bool(nothing), len(nothing), nothing.states) == (False, 0, [nothing.start])


def test_heuristics_are_checked() -> None:
    assert hstar.check("manhattan", "8-puzzle").admissible == "proven"


def test_experiments_are_tables(tmp_path: Path) -> None:
    made = hstar.experiment("8-puzzle", "3-4", ["manhattan"], trials=1)
    assert repr(made) == "<Experiment on 8-puzzle: 2 searches, 2 solved>"
    assert made.to_csv(tmp_path / "rows.csv") == (tmp_path / "rows.csv").read_bytes().decode()
    assert "expanded" in made.to_csv()
    assert made._repr_html_().count("<tr>") == 1 + len(made) == 3


def test_tables_say_what_is_compared() -> None:
    request: dict[str, Any] = {"heuristics": ["manhattan"], "algorithms": ["astar", "ida_star"]}
    scrambled = hstar.experiment("8-puzzle", [3], trials=1, **request)._repr_html_()
    assert "<th>k</th>" in scrambled
    assert "<td>astar</td>" in scrambled
    assert "<td>ida_star</td>" in scrambled
    uniform = hstar.experiment("8-puzzle", random=1, **request)._repr_html_()
    assert "<th>k</th>" not in uniform
    assert "None" not in uniform
    named = hstar.experiment("8-puzzle", instances=[{"name": "near", "alg": "U"}], **request)._repr_html_()
    assert "<td>near</td>" in named


def test_solutions_are_written_as_the_community_does() -> None:
    found = (hstar.puzzle("square1").solved @ "(1,0) /").solve(algorithm="bidirectional")
    assert repr(found) == "<Solution: / (-1,0), 2 moves, proven shortest>"
    assert found.moves == ("/", "U'")
    assert "/ (-1,0)" in found._repr_html_()
    assert "solution / (-1,0)" in " ".join(run("solve", "square1", "--alg", "(1,0) /").stdout.split())
    assert "1 move," in str((cube().solved @ "R").solve())


def test_names_in_tables_are_text() -> None:
    own = hstar.Puzzle.from_generators({"<b>": [1, 2, 0]})
    assert "&lt;b&gt;" in hstar.solve(own.solved @ "<b>'", algorithm="breadth_first")._repr_html_()


OBJECTS: list[Any] = [
    cube, state, lambda: hstar.puzzle("8-puzzle", "1 2 3 / 4 5 6 / 7 8 0"),
    lambda: hstar.puzzle("tiles:2x3").scramble(4), lambda: hstar.Puzzle.from_generators(CYCLE).solved @ "a",
    lambda: hstar.solve(state()), lambda: hstar.puzzle("megaminx").scramble(3),
]  # fmt: skip


@pytest.mark.parametrize("make", OBJECTS)
def test_objects_are_copied_and_pickled(make: Any) -> None:
    one = make()
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
    if isinstance(one, hstar.State):
        assert one.copy() == one
        assert {one: 1}[pickle.loads(pickle.dumps(one))] == 1


def test_heuristics_and_experiments_are_pickled() -> None:
    h = pickle.loads(pickle.dumps(hstar.heuristic("manhattan", "8-puzzle")))
    assert h(hstar.puzzle("8-puzzle").solved @ "U") == 1
    made = hstar.experiment("8-puzzle", [3], ["manhattan"], trials=1)
    assert pickle.loads(pickle.dumps(made)).to_csv() == made.to_csv()


def test_another_process_has_the_same_puzzle(tmp_path: Path) -> None:
    """One that no file and no database knows."""
    start = hstar.Puzzle.from_generators(CYCLE, "ring").solved @ "a"
    (tmp_path / "start").write_bytes(pickle.dumps(start))
    program = "import pickle, sys, hstar; print(hstar.solve(pickle.load(open(sys.argv[1], 'rb'))).moves)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "start")],
        capture_output=True, text=True, check=True, env=dict(os.environ),
    )  # fmt: skip
    assert done.stdout.strip() == '("a\'",)'


def test_the_text_of_a_cube_is_its_state() -> None:
    assert eval(repr(state()), {"hstar": hstar}) == state()
    assert len(repr(state())) < 100
