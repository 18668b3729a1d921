"""``hstar compare`` on files; on servers in tests/service/test_experiments_on_servers.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hstar.cli import app
from hstar.experiments.compare import compare, compare_all
from hstar.experiments.export import rows_csv
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import ComparisonList
from tests.experiments.builders import searched_once


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def written(path: Path, rows: list[ExperimentRow]) -> Path:
    path.write_text("".join(rows_csv(rows)), newline="")
    return path


def test_one_file_and_two(tmp_path: Path) -> None:
    rows = list(searched_once(heuristics=("zero", "s2-face-distance")))
    zero, face = ([row for row in rows if row.heuristic == name] for name in ("zero", "s2-face-distance"))
    both = written(tmp_path / "both.csv", rows)
    first, second = written(tmp_path / "first.csv", zero), written(tmp_path / "second.csv", face)
    (found,) = compare_all(rows)
    assert found.tests
    assert run(both).stdout == "\n".join([found.sentence, *(test.sentence for test in found.tests)]) + "\n\n"
    assert run(first, second).stdout == run(both).stdout
    answer = ComparisonList.model_validate(json.loads(run(second, first, "--measure", "stored", "--json").stdout))
    assert answer.items == [compare(face, zero, "stored")]


def test_one_way_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    done = run(written(tmp_path / "alone.csv", list(searched_once(heuristics=("zero",)))))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "give a second experiment" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.csv"], "cannot read"),
        (["rows.csv", "--measure", "beauty"], "--measure: expected one of expanded"),
        (["rows.csv"], "has no rows of an experiment"),
        (["x", "--server", "nonsense"], "is not the address of a server"),
    ],
)
def test_bad_input_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("k,expanded\n3,4\n")
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
