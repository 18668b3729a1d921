"""docs/experiments.md shows the real output of its commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import invoke

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "experiments.md").read_text(encoding="utf-8")


def printed(number: int, directory: Path) -> str:
    """The output of the page's command with this number."""
    command = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[number].replace("\\\n", " ")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        done = invoke(shlex.split(command)[1:])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def without_costs(table: str) -> list[list[str]]:
    """The lines of a table without seconds, MiB and b*."""
    return [line.split()[:10] for line in table.splitlines() if len(line.split()) == 13 and line.split()[0].isdigit()]


def test_s2s_table(tmp_path: Path) -> None:
    shown = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)[0]
    found = printed(0, tmp_path)
    assert without_costs(found) == without_costs(shown)
    assert len(without_costs(shown)) == 12
    assert shown.strip().splitlines()[-1] in " ".join(found.split())
    assert (tmp_path / "rows.csv").read_bytes().count(b"\r\n") == 61
    picture = (DOCS / "pictures" / "experiment-s2.svg").read_text(encoding="utf-8")
    assert re.findall("<!-- .*? -->", picture) == re.findall(
        "<!-- .*? -->", (tmp_path / "plot.svg").read_text(encoding="utf-8")
    )


def test_the_comparison(tmp_path: Path) -> None:
    shown = " ".join(line.removeprefix("> ") for line in TEXT.splitlines() if line.startswith("> "))
    assert shown in " ".join(printed(3, tmp_path).split())
