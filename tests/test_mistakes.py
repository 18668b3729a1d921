"""Typical mistakes of a new user: each is answered in a few lines that say what to type, with status 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hstar.cli import app

MISTAKES = [
    # the input, and a text that the answer must contain
    (["solve", "megamix", "--k", "3"], "did you mean 'megaminx'?"),
    (["solve", "24-puzzle", "--k", "3"], "did you mean 'tiles:5x5'?"),
    (["solve", "megaminx"], "give one of --alg, --state, --k, --random and --shorten; found none of them"),
    (
        ["solve", "megaminx", "--k", "3", "--alg", "U"],
        "--k, --random and --shorten; found --alg and --k",
    ),
    (["solve", "megaminx", "--alg", "U Q R"], "move 2:"),
    (["solve", "8-puzzle", "--alg", "Up Rigth"], "move 2: 'Rigth' is not U, R, D, L"),
    (["solve", "megaminx", "--k", "3", "--moves", "clockwise"], "Known: cw, ccw, single, all"),
    (["solve", "megaminx", "--k", "3", "--algorithm", "a*"], "did you mean 'astar'?"),
    (["solve", "megaminx", "--k", "3", "--algorithm", "idastar"], "did you mean 'ida_star'?"),
    (["solve", "megaminx", "--k", "3", "--heuristic", "misplaced_facelet / 15"], "did you mean 'misplaced_facelets'?"),
    (["solve", "8-puzzle", "--k", "3", "--heuristic", "linear-conflicts"], "did you mean 'linear-conflict'?"),
    (["solve", "8-puzzle", "--k", "3", "--heuristic", "manhattan / 0"], "division by 0"),
    (["solve", "8-puzzle", "--k", "3", "--heuristic", "manhattan ** 2"], "the operator ** is not part"),
    (["solve", "megaminx", "--k", "3", "--heuristic", "manhattan"], "'manhattan' is not a heuristic for megaminx"),
    (["solve", "8-puzzle", "--k", "3", "--weight", "0.5"], "--weight: expected 1.0 or more, found 0.5"),
    (
        ["solve", "8-puzzle", "--k", "3", "--tie-breaking", "high"],
        "--tie-breaking: expected low_h, lifo, fifo or batch",
    ),
    (["solve", "8-puzzle", "--k", "3-14"], "Invalid value for '--k': expected a whole number, found '3-14'"),
    (
        ["solve", "8-puzzle", "--k", "3", "--weight", "two"],
        "Invalid value for '--weight': expected a number, found 'two'",
    ),
    (["solve", "8-puzzle", "--state", "board.txt"], "--state: there is no such file"),
    (["solve", "8-puzzle", "--k", "-3"], "--k: expected 0 or more, found -3"),
    (["solve", "8-puzzle", "--k", "3", "--limit-seconds", "-1"], "--limit-seconds: expected 0.0 or more, found -1.0"),
    (["solve", "8-puzzle", "--state", "1 2 3 / 4 5 6 / 7 8 0"], "It fits the goal 1 2 3 / 4 5 6 / 7 8 0"),
    (["solve", "8-puzzle", "--state", "1 2 3 4 5 6 7 8"], "the board has 8 cells; 3 x 3 has 9"),
    (["solve", "8-puzzle", "--state", "{1 2 3"], "the state is not JSON"),
    (["solve", "8-puzzle", "--state", "[[1,2,3],[8,0,4],[7,6]]"], "the board has 8 cells; 3 x 3 has 9"),
    (["solve", "megaminx", "--goal", "1 2 3", "--k", "3"], "only sliding tiles have a goal board"),
    (["check", "megaminx", "ceil(misplaced_facelets / 15"], "column"),
    (["check", "megaminx", "s2-face-distnce"], "did you mean 's2-face-distance'?"),
    (["picture", "megaminx", "--output", "x.jpg"], "expected a name that ends in .svg, .png or .pdf, found 'x.jpg'"),
    (["compare", "README.md"], "README.md has no rows of an experiment"),
    (["compare", "not-there.csv"], "cannot read not-there.csv"),
    (["grade", "a.json", "--assignment", "none.json"], "--assignment: No such file or directory: none.json"),
    (["audit", "model", "none.json"], "FILE: No such file or directory: none.json"),
    (["perft", "megaminx", "--depth", "-1"], "expected 0 or more"),
    (["scramble", "megaminx"], "missing option --k, such as --k 20"),
    (["scramble", "megaminx", "--random", "--moves", ""], "there is no move set ''"),
    (["scramble", "megaminx", "--k", "3", "--moves", ""], "there is no move set ''"),
    (["shorten", "megaminx", "U R", "--moves", ""], "there is no move set ''"),
    (["sovle", "megaminx"], "No such command 'sovle'"),
]


@pytest.mark.parametrize(("arguments", "says"), MISTAKES)
def test_the_answer_to_a_mistake_says_what_to_type(arguments: list[str], says: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2, done.output
    said = " ".join(done.stderr.replace("\u2502", " ").split())
    assert says in said
    assert len([line for line in done.stderr.splitlines() if line.strip()]) <= 12
    for word in ("pydantic", "Traceback", "Input should", "loc"):
        assert word not in said.split()


def test_every_help_has_an_example() -> None:
    run = CliRunner()
    for command in ("solve", "scramble", "puzzles", "perft", "picture", "check", "heuristics"):
        assert "Example: hstar " in " ".join(run.invoke(app, [command, "-h"]).output.split()), command
    assert "130 interrupted" in " ".join(run.invoke(app, ["-h"]).output.split())
    assert run.invoke(app, ["-V"]).output.startswith("hstar ")


def test_ways_to_give_a_state(tmp_path: Path) -> None:
    run = CliRunner()
    file = tmp_path / "board.txt"
    file.write_text("2 8 3\n1 6 4\n0 7 5\n")
    nested = "[[2, 8, 3], [1, 6, 4], [0, 7, 5]]"
    for state, typed in ((str(file), None), ("-", nested), (nested, None)):
        done = run.invoke(app, ["solve", "8-puzzle", "--state", state], input=typed)
        assert "6 (proven)" in done.stdout, done.output
    done = run.invoke(app, ["solve", "megaminx", "--alg", "(U R)2 F", "--json"])
    assert '"alg": ["U", "R", "U", "R", "F"]' in done.stdout


def test_scrambles_one_a_line() -> None:
    done = CliRunner().invoke(app, ["scramble", "megaminx", "--moves", "cw", "--k", "8", "--seed", "1", "--count", "3"])
    lines = done.stdout.splitlines()
    assert lines[0] == "D R U DR U U D U"
    assert len(set(lines)) == 3


def test_the_next_thing_to_try(tmp_path: Path) -> None:
    run = CliRunner()
    board = ["solve", "8-puzzle", "--k", "25", "--seed", "3"]
    assert (
        "Try a larger --limit-expanded, or --algorithm auto"
        in run.invoke(app, [*board, "--limit-expanded", "5"]).stdout
    )
    feasible = run.invoke(app, [*board, "--heuristic", "conflicts + inversions"]).stdout
    assert "refuted, h = " in " ".join(feasible.split())
    picture = tmp_path / "way.svg"
    assert run.invoke(app, [*board, "--picture", str(picture)]).exit_code == 0
    assert picture.read_text().startswith("<svg")


def test_grey_may_be_written_gray() -> None:
    run = CliRunner()
    said = [run.invoke(app, ["solve", "megaminx", "--alg", alg]).stdout for alg in ("gray", "grey", "D")]
    assert said[0].split()[:8] == said[1].split()[:8] == said[2].split()[:8]
    assert "D'" in said[0]


def test_a_kpattern_is_written_and_read() -> None:
    run = CliRunner()
    written = run.invoke(app, ["compose", "3x3x3", "R U", "F2", "--kpattern"]).stdout
    assert '"patternData"' in written
    done = run.invoke(app, ["solve", "3x3x3", "--state", "-", "--json"], input=written)
    assert done.exit_code == 0, done.output
    assert '"solution": ["F2", "U\'", "R\'"]' in done.stdout
