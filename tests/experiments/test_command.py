"""``hstar experiment``, run as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any

import psutil
import pyarrow.parquet
import pytest
from typer.testing import Result

from hstar.commands.experiment import _load_tables as load_tables
from hstar.experiments.design import plan
from hstar.experiments.schema import ExperimentRequest, Report
from tests.command_line import invoke
from tests.servers import wait_until

#: the setting of report S2, as far as it is quick
S2 = ["megaminx", "--k", "3-7", "--trials", "3", "--seed", "2024", "--scramble-moves", "cw", "--moves", "ccw",
      "--heuristic", "s2-face-distance", "--limit-expanded", "2000000"]  # fmt: skip
S2_EXPANDED = [3, 3, 3, 4, 4, 4, 9, 6, 5, 14, 23, 6, 21, 12, 10]
#: many small searches: distributing them takes the time, so that a faster kernel does not make it too short to
#: interrupt
LONG = ["megaminx", "--k", "3-7", "--trials", "240", "--seed", "1", "--scramble-moves", "cw", "--moves", "ccw",
        "--heuristic", "s1-misplaced-facelets", "--jobs", "2"]  # fmt: skip
LONG_ROWS = 1200


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "hstar.cli", "experiment", *arguments]


def hstar(directory: Path, *arguments: str) -> Result:
    """The command in this process, with its searches in others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        return invoke(["experiment", *arguments])


def rows_of(path: Path) -> list[dict[str, str]]:
    """The lines of the CSV without wall-clock time."""
    with path.open(newline="") as file:
        return [{name: cell for name, cell in line.items() if name != "seconds"} for line in csv.DictReader(file)]


def test_the_whole_answer_in_one_line(tmp_path: Path) -> None:
    files = ["--csv", "rows.csv", "--table", "table.csv", "--parquet", "rows.parquet", "--plot", "plot.svg"]
    done = hstar(tmp_path, *S2, *files)
    assert (done.exit_code, done.stderr) == (0, "")
    header, first, *_ = done.stdout.splitlines()
    assert header.split()[:4] == ["k", "n", "solved", "limit"]
    assert first.split()[:3] == ["3", "3", "3"]
    assert "grows by a factor of" in done.stdout
    rows = rows_of(tmp_path / "rows.csv")
    assert [(row["k"], row["trial"]) for row in rows] == [(str(k), str(t)) for k in range(3, 8) for t in (1, 2, 3)]
    assert all(row["outcome"] == "solved" and row["scramble_moves"] == "cw" for row in rows)
    assert pyarrow.parquet.read_table(BytesIO((tmp_path / "rows.parquet").read_bytes())).num_rows == 15
    assert (tmp_path / "plot.svg").read_bytes().startswith(b"<?xml")
    with (tmp_path / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        own = [int(row["expanded"]) for row in rows if row["k"] == line["k"]]
        assert float(line["expanded_mean"]) == fmean(own)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plot.svg", "rows.csv", "rows.parquet", "table.csv"]


def test_s2_is_the_same_every_time_and_with_any_number_of_processes(tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        assert hstar(tmp_path, *S2, "--jobs", jobs, "--csv", f"{jobs}.csv").exit_code == 0
    rows = rows_of(tmp_path / "1.csv")
    assert rows == rows_of(tmp_path / "2.csv")
    assert [int(row["expanded"]) for row in rows] == S2_EXPANDED


def test_json_is_the_object_of_the_api(tmp_path: Path) -> None:
    done = hstar(
        tmp_path, "8-puzzle", "--k", "4,8-9", "--trials", "2", "--heuristic", "manhattan", "--heuristic",
        "linear-conflict", "--weight", "1", "--weight", "2", "--true-distance", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    answer = Report.model_validate_json(done.stdout)
    assert (answer.status, answer.rows, answer.request.ks()) == ("done", 3 * 2 * 5, (4, 8, 9))
    assert len(answer.comparisons) == 6
    assert answer.table_by_true_distance is not None
    assert json.loads(done.stdout)["request"]["k"] == [4, 8, 9]


def start(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments), cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def journal_lines(directory: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in directory.glob("hstar-*.jsonl"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    directory = tmp_path_factory.mktemp("undisturbed")
    assert hstar(directory, *LONG, "--csv", "rows.csv").exit_code == 0
    return rows_of(directory / "rows.csv")


def test_ctrl_c_keeps_finished_rows_and_says_how_to_resume(tmp_path: Path, undisturbed: list[dict[str, str]]) -> None:
    process = start(tmp_path, *LONG, "--csv", "first.csv")
    wait_until(lambda: journal_lines(tmp_path) > 50, "some searches")
    os.killpg(process.pid, signal.SIGINT)  # to every process, as a terminal does
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    done = rows_of(tmp_path / "first.csv")
    assert 49 < len(done) < LONG_ROWS
    assert done == [row for row in undisturbed if row["index"] in {one["index"] for one in done}]
    again = errors.strip().splitlines()[-1].split()
    assert again[:3] == ["hstar", "experiment", "--resume"]
    resumed = hstar(tmp_path, *again[2:4], "--csv", "all.csv")
    assert resumed.exit_code == 0, resumed.stderr
    assert rows_of(tmp_path / "all.csv") == undisturbed
    assert not list(tmp_path.glob("*.jsonl")), "nobody asked for the journal, and it is of no more use"


def test_a_killed_experiment_goes_on_with_the_same_command(tmp_path: Path, undisturbed: list[dict[str, str]]) -> None:
    process = start(tmp_path, *LONG, "--csv", "rows.csv")
    wait_until(lambda: journal_lines(tmp_path) > 50, "some searches")
    children = psutil.Process(process.pid).children()
    process.kill()
    process.communicate()
    wait_until(
        lambda: not any(child.is_running() and child.status() != "zombie" for child in children), "its processes to end"
    )
    resumed = hstar(tmp_path, *LONG, "--csv", "rows.csv")
    assert resumed.exit_code == 0, resumed.stderr
    assert "continuing" in resumed.stderr
    assert rows_of(tmp_path / "rows.csv") == undisturbed


def test_a_named_journal_is_kept(tmp_path: Path) -> None:
    assert hstar(tmp_path, *S2, "--journal", "kept.jsonl").exit_code == 0
    assert (tmp_path / "kept.jsonl").read_bytes().count(b"\n") == 16
    assert hstar(tmp_path, "--resume", "kept.jsonl", "--csv", "rows.csv").exit_code == 0
    assert [int(row["expanded"]) for row in rows_of(tmp_path / "rows.csv")] == S2_EXPANDED
    other = hstar(tmp_path, *S2, "--trials", "4", "--resume", "kept.jsonl")
    assert (other.exit_code, "is the journal of another experiment" in other.stderr) == (2, True)
    twice = hstar(tmp_path, *S2, "--journal", "kept.jsonl")
    assert (twice.exit_code, "cannot create" in twice.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "missing PUZZLE and option --k - such as megaminx --k 3-14"),
        (["megaminx"], "missing option --k - such as --k 3-14"),
        (["megamix", "--k", "3"], "there is no puzzle 'megamix'"),
        (["megaminx", "--k", "5-3"], "expected numbers and ranges"),
        (["megaminx", "--k", "three"], "expected numbers and ranges"),
        (["megaminx", "--k", "1-99999999999"], "expected numbers and ranges"),
        (
            ["megaminx", "--k", "3", "--heuristic", "h", "--heuristic", "1 +"],
            "--heuristic no. 2: '1 +': the heuristic ends too early",
        ),
        (["megaminx", "--k", "3", "--algorithm", "auto", "--heuristic", "("], "auto would not look at them"),
        (["megaminx", "--k", "3", "--trials", "0"], "trials"),
        (["megaminx", "--k", "3", "--trials", "100001"], "--trials: expected 100000 or less"),
        (["megaminx", "--k", "3", "--plot", "plot.gif"], ".svg or .png or .pdf"),
        (["megaminx", "--k", "3", "--csv", "no/such/place.csv"], "cannot write"),
        (["megaminx", "--k", "3", "--csv", "a.csv", "--table", "./a.csv"], "a.csv is also the file of --csv"),
        (["megaminx", "--k", "3", "--y", "beauty"], "--y: expected one of expanded"),
        (["megaminx", "--k", "3", "--server", "http://127.0.0.1:9", "--jobs", "2"], "cannot be used with --server"),
        (["--resume", "none.jsonl"], "cannot read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_refused_before_any_search(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = hstar(tmp_path, *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    done = hstar(tmp_path, *S2, "--csv", "/dev/full")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot write /dev/full" in done.stderr
    assert "15 of 15 searches are done, and kept" in done.stderr
    (journal,) = tmp_path.glob("hstar-*.jsonl")
    assert hstar(tmp_path, "--resume", journal.name, "--csv", "rows.csv").exit_code == 0
    assert [int(row["expanded"]) for row in rows_of(tmp_path / "rows.csv")] == S2_EXPANDED


def test_missing_extras_are_reported_before_any_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = hstar(tmp_path, *S2, "--plot", "plot.svg")
    assert (done.exit_code, "--plot: needs matplotlib" in done.stderr) == (2, True)
    assert not list(tmp_path.iterdir())


def test_tables_are_built_where_they_can_be_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    design = plan(ExperimentRequest(puzzle="tiles:2x4", k=[3], seed=1, heuristics=['pdb("3-4")']))
    told: list[str] = []
    stop = threading.Event()
    stop.set()
    load_tables(design, stop, told.append)
    assert not list(tmp_path.glob("*.pdb"))
    load_tables(design, threading.Event(), told.append)
    assert list(tmp_path.glob("*.pdb"))
    assert any(text.startswith("building ") and text.endswith("100%") for text in told)
    assert told[-1] == ""


def test_a_limit_is_said_in_the_table(tmp_path: Path) -> None:
    given: list[Any] = ["megaminx", "--k", "6", "--trials", "4", "--heuristic", "zero", "--limit-expanded", "10"]
    done = hstar(tmp_path, *given)
    assert done.exit_code == 0
    line = done.stdout.splitlines()[1]
    assert line.split()[:4] == ["6", "4", "0", "4"]
    assert ">= 10" in line
