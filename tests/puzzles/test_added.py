"""Puzzles that are added on the command line: their names work wherever a puzzle's name does."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

import hstar
from hstar.errors import InvalidRequest, UnknownName
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder
from hstar.puzzles.defined import puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from tests.command_line import run

CUBE = Path(__file__).resolve().parents[1] / "data" / "cubingjs_3x3x3.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory of added puzzles for this test."""
    monkeypatch.setenv("HSTAR_PUZZLES", str(tmp_path / "puzzles"))
    return tmp_path / "puzzles"


def add(tmp_path: Path, text: str, name: str, *options: str) -> str:
    file = tmp_path / "definition"
    file.write_text(text)
    made = run("puzzle", "add", str(file), "--name", name, "--json", *options)
    assert made.exit_code == 0, made.stderr
    return str(json.loads(made.stdout)["name"])


def test_the_cube_of_cubing_js_as_it_is(tmp_path: Path) -> None:
    """Scrambled, solved at k = 8, audited, verified, in an experiment on two processes, drawn, checked."""
    full = add(tmp_path, CUBE.read_text(), "my-cube")
    assert full.startswith("my-cube@")
    described = json.loads(run("puzzles", "my-cube", "--json").stdout)
    assert described["name"] == full
    assert described["state_count"] == "43252003274489856000"
    assert set(described["rotations"]) == {"x", "y", "z", "Uv", "Lv", "Fv", "Rv", "Bv", "Dv"}
    assert described["move_sets"]["like-U"]["count"] == 18

    scrambled = json.loads(run("scramble", "my-cube", "--k", "8", "--seed", "1", "--json").stdout)
    assert scrambled["puzzle"] == full
    alg = " ".join(scrambled["alg"])
    start = ["--k", "8", "--seed", "1"]
    solved = json.loads(run("solve", "my-cube", *start, "--algorithm", "bidirectional", "--json").stdout)
    assert solved["optimality"] == "proven"
    # The same alg of the cube of our own, which has no rotations.
    own = json.loads(run("solve", "3x3x3", "--alg", alg, "--algorithm", "bidirectional", "--json").stdout)
    assert (solved["length"], solved["lower_bound"]) == (own["length"], own["lower_bound"])
    assert solved["puzzle"] == full

    audit = run("audit", "heuristic", "my-cube", "ceil(misplaced_pieces / 8)", "--radius", "2", "--json")
    assert audit.exit_code in (0, 1), audit.stderr
    assert json.loads(audit.stdout)["puzzle"] == full
    checked = run("verify", "my-cube", "--alg", alg, "--solution", " ".join(solved["solution"]), "--json")
    assert json.loads(checked.stdout)["puzzle"] == full
    rows = tmp_path / "rows.csv"
    ran = run(
        "experiment", "my-cube", "--k", "2-3", "--trials", "2", "--algorithm", "bidirectional",
        "--jobs", "2", "--csv", str(rows),
    )  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    assert rows.read_text().count(full) == 4
    assert "<svg" in run("picture", "my-cube", "--alg", "R").stdout
    assert run("check", "my-cube", "misplaced_pieces / 8").exit_code == 0


def test_a_random_state_is_answered_and_the_library_knows_the_name(tmp_path: Path) -> None:
    add(tmp_path, "L:=(1,7,6,5,4,3,2); X:=(1,2);", "ring")
    found = json.loads(
        run(
            "solve", "ring", "--random", "--seed", "4", "--algorithm", "anytime", "--limit-expanded", "1000", "--json"
        ).stdout
    )
    assert found["solution"] is not None
    ring = hstar.puzzle("ring")
    assert (ring.solved @ "L X L'") != ring.solved
    assert repr(ring) == f"hstar.puzzle({get_puzzle('ring').name!r})"


def test_another_definition_is_another_puzzle(tmp_path: Path) -> None:
    first = add(tmp_path, "L:=(1,2,3,4); X:=(1,2);", "ring")
    assert add(tmp_path, "L := (1,2,3,4); # the same\nX:=(1,2);", "ring") == first
    second = add(tmp_path, "L:=(1,2,3,4,5); X:=(1,2);", "ring")
    assert second != first
    assert get_puzzle("ring").name == second
    assert get_puzzle("ring").state_count == 120
    assert run("puzzle", "list").stdout.split() == [second]
    shown = json.loads(run("puzzle", "show", "ring").stdout)
    assert shown["name"] == "ring"
    again = add(tmp_path, json.dumps(shown), "ring")
    assert again == second
    assert run("puzzle", "remove", "ring").exit_code == 0
    assert run("puzzle", "remove", "ring").exit_code == 2
    with pytest.raises(UnknownName, match="there is no puzzle 'ring'"):
        get_puzzle("ring")


def test_names_of_our_own_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "definition"
    file.write_text("(1,2,3)")
    for name in ("3x3x3", "megaminx", "24-puzzle"):
        refused = run("puzzle", "add", str(file), "--name", name)
        assert refused.exit_code == 2
        assert "choose another name" in refused.stderr
    assert run("puzzle", "add", str(tmp_path / "nothing")).exit_code == 2


def test_a_full_name_means_one_definition(tmp_path: Path, folder: Path) -> None:
    first = add(tmp_path, "(1,2,3,4,5,6)(7,8); (1,2);", "changing")
    (folder / "changing.json").write_text((folder / "changing.json").read_text().replace('"g2"', '"g3"'))
    with pytest.raises(InvalidRequest, match="has changed since"):
        Folder().find(first)
    (folder / "changing.json").write_text("{")
    with pytest.raises(InvalidRequest, match="cannot be read"):
        get_puzzle("changing")


def test_misspelled_names_get_suggestions_of_added_puzzles(tmp_path: Path) -> None:
    add(tmp_path, "(1,2,3);", "triangle")
    with pytest.raises(UnknownName, match="did you mean 'triangle'"):
        get_puzzle("triangel")


def test_names_of_rotations_mean_the_same_where_all_pieces_are_different() -> None:
    """Two of three points look alike; with three different ones ``x`` would rotate the whole."""
    generators = {"A2": [1, 0, 2], "2": [1, 0, 2], "1e3": [1, 2, 0], "x": [1, 0, 2]}
    definition = json.dumps({"generators": generators, "central_state": [0, 1, 1]})
    puzzle = puzzle_from_definition(read_any_definition(definition, "turns"))
    assert puzzle.twin.all_different
    assert set(puzzle.moves) <= set(puzzle.twin.moves)


def test_nothing_is_held_that_a_move_undone_takes_out_of_reach() -> None:
    """After x the rotation y2 brings one of three pieces home; after x' none does."""
    text = "x:=(1,3,2);\nip_:=(1,3,2);\ny2:=(1,2);\nA22:=(1,2);\n"
    puzzle = puzzle_from_definition(read_any_definition(text, "turns"))
    states = {puzzle.parse_state(list(points)) for points in permutations(range(3))}
    assert (puzzle.hold, len(states)) == (None, 6)
