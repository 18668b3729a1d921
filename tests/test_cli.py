"""The command line: as a user runs it, in a new process; or in this process if only its output matters."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import psutil
import pytest

from hstar import __version__, schema
from hstar.cli import _Imported, help_of
from hstar.commands.statuses import Status
from tests import forking
from tests.certificates.checkers import first_forked
from tests.command_line import run
from tests.servers import wait_until


def hstar(*arguments: str) -> subprocess.CompletedProcess[str]:
    # Not COLUMNS, which readline in pytest sets, behind the back of Python but not of the processes of xdist.
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return forking.run(["-m", "hstar.cli", *arguments], env=env)


def test_solve_prints_the_object_of_the_api() -> None:
    done = hstar(
        "solve",
        "megaminx",
        "--k",
        "5",
        "--seed",
        "3",
        "--scramble-moves",
        "cw",
        "--moves",
        "ccw",
        "--heuristic",
        "ceil(misplaced_facelets / 15)",
        "--limit-expanded",
        "2000000",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    answer = schema.Solve.model_validate(json.loads(done.stdout))
    assert (answer.outcome, answer.optimality, answer.limits.expanded) == ("solved", "proven", 2_000_000)
    assert answer.start.scramble is not None
    assert answer.start.scramble.k == 5


def test_solve_for_people() -> None:
    done = run("solve", "8-puzzle", "--state", "2 8 3 / 1 6 4 / 0 7 5", "--heuristic", "manhattan")
    assert done.exit_code == 0, done.stderr
    assert "6 (proven)" in done.stdout
    assert "0.0 MiB" not in done.stdout
    done = run("solve", "8-puzzle", "--goal", "1 2 3 / 4 5 6 / 7 8 0", "--state", '{"tiles": [1,2,3,4,5,6,0,7,8]}')
    assert ["solution", "R", "R"] in [line.split() for line in done.stdout.splitlines()]


def test_a_limit_gives_status_one_and_the_bound() -> None:
    done = hstar("solve", "megaminx", "--k", "15", "--limit-expanded", "50", "--json")
    assert done.returncode == Status.UNSOLVED
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["limit"], answer["counters"]["expanded"]) == ("limit_reached", "expanded", 50)
    assert answer["lower_bound"] >= 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["solve", "megamix", "--alg", "U"], "did you mean 'megaminx'"),
        (["solve", "megaminx"], "give one of --alg, --state, --k, --random and --shorten"),
        (["solve", "megaminx", "--alg", "U Q"], "move 2"),
        (["solve", "megaminx", "--alg", "U", "--heuristic", "misplaced_facelets /"], "column 21"),
        (["solve", "megaminx", "--alg", "U", "--weight", "0.1"], "weight"),
        (["solve", "megaminx", "--alg", "U", "--tie-breaking", "x"], "--tie-breaking"),
        (["solve", "8-puzzle", "--state", "{"], "not JSON"),
        (["solve", "8-puzzle", "--state", "1 2 3 / 8 0 4 / 7 5 6"], "wrong parity"),
        (["scramble", "megaminx", "--k", "-3"], "--k"),
        (["scramble", "megaminx", "--k", "3", "--moves", "x"], "no move set"),
        (["puzzles", "nothing"], "no puzzle"),
        (["perft", "megaminx", "--depth", "-1"], "expected 0 or more"),
    ],
)
def test_wrong_input_is_refused_with_status_two(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert says in " ".join(done.stderr.split())


def test_with_json_an_error_is_json_too() -> None:
    done = run("solve", "8-puzzle", "--state", "1 2 3 / 8 0 4 / 7 5 6", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    said = json.loads(done.stderr)
    assert said["code"] == "invalid-state"
    assert "wrong parity" in said["errors"][0]["message"]
    # The next command is not asked for JSON.
    assert run("scramble", "megaminx", "--k", "-3").stderr.startswith("error: ")


@pytest.mark.parametrize("arguments", [["puzzles"], ["puzzles", "megaminx"], ["heuristics"]])
def test_in_a_pipe_no_line_is_broken_or_ends_with_blanks(arguments: list[str]) -> None:
    done = hstar(*arguments)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert arguments == ["puzzles"] or max(map(len, lines)) > 100


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "nope", "--alg", "U"), ("check", "nope", "manhattan"), ("audit", "heuristic", "nope", "zero"),
        ("experiment", "nope", "--k", "3", "--heuristic", "zero"), ("verify", "nope", "--alg", "U", "--solution", "U'"),
        ("scramble", "nope", "--k", "3"), ("perft", "nope", "--depth", "2"), ("puzzles", "nope"),
        ("compare", "nofile.csv"), ("system", "nope"), ("solve", "8-puzzle", "--no-such-option"), ("solve",),
        ("perft", "8-puzzle", "--depth", "two"), ("shorten", "nope", "U"), ("no-such-command",),
    ],
)  # fmt: skip
def test_with_json_whatever_is_wrong_is_json_and_two(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--json")
    told = json.loads(done.stderr)
    assert (done.exit_code, done.stdout, told.keys()) == (2, "", {"code", "detail", "errors"})
    assert told["detail"]


CERTIFIED = ("solve", "8-puzzle", "--alg", "U L", "--heuristic", "manhattan", "--certificate")


def test_quiet_leaves_answers_and_errors(tmp_path: Path) -> None:
    file = str(tmp_path / "file.hcert")
    loud, quiet = run(*CERTIFIED, file), run("--quiet", *CERTIFIED, file)
    assert "certificate: " in loud.stderr
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert quiet.stdout.splitlines()[:4] == loud.stdout.splitlines()[:4]
    refused = run("-q", "solve", "8-puzzle", "--alg", "Q")
    assert (refused.exit_code, "does not parse" in refused.stderr) == (2, True)
    assert "certificate: " in run(*CERTIFIED, file).stderr  # it holds for one command


def test_colours_are_for_terminals_if_not_asked_for() -> None:
    refused = ("solve", "8-puzzle", "--alg", "Q")
    seen = {when: hstar("--color", when, *refused).stderr for when in ("auto", "always", "never")}
    assert "\x1b[" in seen["always"]
    assert seen["auto"] == seen["never"] == re.sub(r"\x1b\[[0-9;]*m", "", seen["always"])
    assert "\x1b" not in seen["never"]
    # Nothing moves in a pipe, also where colours are asked for.
    assert hstar("--color", "always", "solve", "8-puzzle", "--alg", "U", "--heuristic", "manhattan").stderr == ""


def test_a_colour_that_is_none_is_refused() -> None:
    assert run("--color", "sometimes", "puzzles").exit_code == 2


def test_the_list_of_puzzles_is_short() -> None:
    lines = run("puzzles").stdout.splitlines()
    names = [one["name"] for one in json.loads(run("puzzles", "--json").stdout)["items"]]
    assert [line.split()[0] for line in lines[1:]] == names


def test_wrong_input_is_refused_without_a_traceback() -> None:
    done = hstar("solve", "megamix", "--alg", "U")
    assert done.returncode == 2
    assert "did you mean 'megaminx'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_what_called_a_refused_command_is_freed() -> None:
    """A validator's error leads to the frames above it, and back through pydantic, which hides the way from Python."""

    class Held:
        pass

    def call() -> weakref.ref[Held]:
        held = Held()
        refused = run("experiment", "megaminx", "--k", "5-3")
        assert refused.exit_code == 2
        return weakref.ref(held)

    found = call()
    gc.collect()
    assert found() is None


def test_the_version() -> None:
    assert hstar("--version").stdout == f"hstar {__version__}\n"


def test_scramble_and_puzzles_and_perft() -> None:
    asked = ("scramble", "megaminx", "--k", "8", "--seed", "1")
    assert run(*asked, "--moves", "cw").stdout.strip() == "D R U DR U U D U"
    assert run(*asked).stdout == run(*asked, "--moves", "all").stdout  # in which most people count
    puzzle = json.loads(run("puzzles", "megaminx", "--json").stdout)
    assert {f["name"]: f["opposite"] for f in puzzle["faces"]}["U"] == "D"
    assert len(puzzle["faces"][0]["neighbours"]) == 5
    assert [p["name"] for p in json.loads(run("puzzles", "--json").stdout)["items"]][:1] == ["megaminx"]
    assert "face BL" in run("puzzles", "megaminx").stdout
    counts = json.loads(run("perft", "megaminx", "--moves", "single", "--depth", "2", "--json").stdout)["counts"]
    assert counts[:2] == [1, 24]
    assert run("perft", "8-puzzle", "--depth", "2").stdout.split() == ["0", "1", "1", "4", "2", "8"]


def test_ctrl_c_prints_the_proven_bound() -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "hstar.cli",
            "solve",
            "megaminx",
            "--k",
            "18",
            "--seed",
            "1",
            "--heuristic",
            "s1-misplaced-facelets",
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        searching = psutil.Process(process.pid)
        wait_until(lambda: searching.memory_info().rss > 400 * 2**20, "the search to fill memory", 90)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    answer = json.loads(output)
    assert answer["status"] == "cancelled"
    assert answer["lower_bound"] >= 4
    assert answer["counters"]["expanded"] > 0


def test_the_help_lists_all_commands_without_importing_them() -> None:
    for name, command in _Imported().items():
        assert help_of(name).split("\n\n")[0].split() == (command.help or "").split("\n\n")[0].split(), name
    script = "import sys; from hstar.cli import app; app(['-h'], standalone_mode=False); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "hstar.commands.solve" not in said.split()


def test_a_state_that_cannot_be_solved_has_a_proof(tmp_path: Path) -> None:
    file = tmp_path / "proof.hcert"
    done = hstar("solve", "8-puzzle", "--state", "2 1 3 / 8 0 4 / 7 6 5", "--certificate", str(file))
    assert done.returncode == 2
    assert "proves that this state cannot be solved" in done.stderr
    assert "wrong parity" in done.stderr
    assert "the goal cannot be reached" in first_forked(file).said
    unreadable = tmp_path / "none.hcert"
    assert hstar("solve", "8-puzzle", "--state", "1 1 3", "--certificate", str(unreadable)).returncode == 2
    assert not unreadable.exists()
