"""``hstar database build``: tables that are built in advance and found by the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hstar.cli import app


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
