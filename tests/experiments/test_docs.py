"""docs/experiments.md says what its own commands print."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hstar.cli import app
from hstar.experiments.export import read_rows_csv
from tests.packaging.test_run import Run, run
from tests.test_docs import shell

__all__ = ["run"]

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "experiments.md").read_text(encoding="utf-8")


def printed(number: int, directory: Path) -> str:
    """What the command of the page with this number prints."""
    command = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[number].replace("\\\n", " ")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        done = CliRunner().invoke(app, shlex.split(command)[1:])
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


def test_one_request_is_the_whole_report(run: Run, tmp_path: Path) -> None:
    (text,) = (block for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) if "/v1/experiments" in block)
    done = shell(text.replace("localhost:8000", run.url), tmp_path)
    assert done.returncode == 0, done.stderr
    *_, answer = done.stdout.splitlines()
    shown = without_costs(re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)[0])
    found = {group["values"]["k"]: group["measures"]["expanded"] for group in json.loads(answer)["groups"]}
    assert list(found) == [int(line[0]) for line in shown]
    for k, _, _, median, mean, *_ in shown:
        assert found[int(k)]["median"] == int(median.replace(",", ""))
        assert found[int(k)]["mean"] == pytest.approx(float(mean.replace(",", "")), rel=0.01)
    with (tmp_path / "table.csv").open(newline="") as file:
        assert [float(line["expanded_median_all"]) for line in csv.DictReader(file)] == [
            measure["median_all"] for measure in found.values()
        ]
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert len(list(read_rows_csv(file))) == 60
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_comparison(tmp_path: Path) -> None:
    shown = " ".join(line.removeprefix("> ") for line in TEXT.splitlines() if line.startswith("> "))
    assert shown in " ".join(printed(1, tmp_path).split())
