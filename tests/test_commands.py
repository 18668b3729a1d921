"""What holds for every command: exit statuses, ``--json`` with errors as JSON, ``--server`` where it makes sense."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from hstar import cli
from hstar.commands.statuses import MEANINGS, Status
from tests.command_line import run
from tests.packaging.compose import ROOT

#: commands that start a program, which has its own output
PROGRAMS = {"serve", "store"}
#: commands that only work here, and why
HERE = {
    "plan": "shows the steps that this version ships",
    "grade": "is for an autograder's container; a server has `course upload`",
    "scramble": "is the same on every machine",
    "compose": "takes no time",
    "picture": "draws",
    "puzzles": "describes what this version has; `puzzle list` asks a server",
    "heuristics": "describes what this version has",
    "perft": "has no job",
    "system": "repeats a report by its own program",
    "database list": "lists files of this machine",
    "unpack": "copies files of this installation",
}


def commands(command: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """Every command of the parser by its words."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *path, name)
    if not hasattr(command, "commands"):
        yield " ".join(path), command


COMMANDS = dict(commands(typer.main.get_command(cli.app)))


def options(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - PROGRAMS))
def test_every_command_has_json_and_its_errors_are_json(name: str) -> None:
    assert "--json" in options(COMMANDS[name])
    done = run(*name.split(), "--no-such-option", "--json")
    told = json.loads(done.stderr)
    assert (done.exit_code, done.stdout, told.keys()) == (Status.REFUSED, "", {"code", "detail", "errors"})


def test_every_command_that_a_server_can_answer_has_server() -> None:
    without = {name for name, command in COMMANDS.items() if "--server" not in options(command)}
    assert without == PROGRAMS | HERE.keys()
    for name in COMMANDS.keys() - without:
        (server,) = (parameter for parameter in COMMANDS[name].params if "--server" in parameter.opts)
        assert server.envvar == "HSTAR_URL", name


@pytest.mark.parametrize(
    ("status", "command"), [(status, one) for status, (_, _, examples) in MEANINGS.items() for one in examples]
)
def test_each_command_of_the_table_of_statuses_ends_so(
    status: Status, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples" / "course", tmp_path, dirs_exist_ok=True)
    (tmp_path / "notes.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    done = run(*shlex.split(command)[1:])
    assert done.exit_code == status, (command, done.stdout, done.stderr)


def test_a_fault_of_hstar_is_no_refutation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["hstar", "check", "8-puzzle", "manhattan"])
    monkeypatch.setattr("hstar.commands.heuristics.check_heuristic", lambda *_: json.loads("a fault"))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == Status.FAULT
    assert "JSONDecodeError" in capsys.readouterr().err


def test_a_question_that_is_not_answered_with_yes_deletes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def request(_: Any, method: str, *__: Any, **___: Any) -> dict[str, Any]:
        asked.append(method)
        return {"worth": None, "attempt": 1, "student": "ada"}

    monkeypatch.setattr("hstar.client.Client.request", request)
    for answer in ("n\n", ""):
        done = run("course", "delete", "1", "--submission", "2", "--server", "http://127.0.0.1:9", input=answer)
        assert done.exit_code == Status.INTERRUPTED, done.output
    assert asked == ["GET", "GET"]
