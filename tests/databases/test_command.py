"""``hstar database build``: tables that are built in advance and found by the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hstar.cli import app
from hstar.databases import forget
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle


def test_it_builds_once_and_describes_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    # A pattern that no other test uses, because an open table is not built again.
    command = ["database", "build", "megaminx", "corners:1", "--moves", "ccw", "--json"]
    first = CliRunner().invoke(app, command)
    assert first.exit_code == 0, first.output
    built = json.loads(first.stdout)
    # 20 places of a corner, each in three ways.
    assert (built["states"], built["expression"], built["moves"]) == (20 * 3, 'pdb("corners:1")', "ccw")
    (table,) = tmp_path.glob("*.pdb")
    before = table.stat().st_mtime_ns
    again = CliRunner().invoke(app, command)
    assert json.loads(again.stdout) | {"seconds": 0} == built | {"seconds": 0}
    assert table.stat().st_mtime_ns == before
    assert "states" in CliRunner().invoke(app, command[:-1]).stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["megaminx", "corners:99"], "1 to 20 corners"),
        (["megaminx", "corners:5", "--limit-memory-mib", "16"], "at most 16"),
        (["megaminx", "corners:2", "--moves", "none"], "none"),
        (["8-puzzle", "3-3"], "8 tiles"),
        (["nothing", "corners:2"], "nothing"),
    ],
)
def test_impossible_tables_are_refused_with_the_reason(arguments: list[str], reason: str) -> None:
    refused = CliRunner().invoke(app, ["database", "build", *arguments])
    assert refused.exit_code == 2
    assert reason in " ".join((refused.stderr or refused.output).split())


def test_what_is_kept_is_listed_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    forget()
    assert "0 tables" in CliRunner().invoke(app, ["database", "list"]).stdout
    for text in ("5-3", "7-1"):  # a heuristic of another test may hold the tables of other texts
        get_heuristic(f'pdb("{text}")', get_puzzle("8-puzzle")).load()
    forget()
    listed = json.loads(CliRunner().invoke(app, ["database", "list", "--json"]).stdout)["items"]
    sizes = [one["bytes"] for one in listed]
    assert len(listed) == len(list(tmp_path.glob("*.pdb"))) > 2
    assert sizes == sorted(sizes, reverse=True)
    assert {one["whole"] for one in listed} == {None}
    checked = CliRunner().invoke(app, ["database", "list", "--check"])
    assert (checked.exit_code, checked.stdout.count("whole")) == (0, len(listed))
    damaged = tmp_path / f"{listed[0]['name']}.pdb"
    with damaged.open("r+b") as file:
        file.seek(5000)
        file.write(b"damage")
    checked = CliRunner().invoke(app, ["database", "list", "--check"])
    assert (checked.exit_code, checked.stdout.count("removed")) == (1, 1)
    assert not damaged.exists()
    assert CliRunner().invoke(app, ["database", "list", "--check"]).exit_code == 0
