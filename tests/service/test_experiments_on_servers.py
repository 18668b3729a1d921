"""The same experiment here and on real servers: gunicorn, Valkey, one and two Celery workers."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from sqlalchemy import func, select
from typer.testing import CliRunner

from hstar.cli import app
from hstar.client import Client
from hstar.experiments.schema import ExperimentRequest, KRange
from store.database import make_engine, make_sessions
from store.experiments.models import ExperimentMember
from store.jobs.models import Job
from tests.servers import PostgreSQL, Valkey
from tests.service.processes import Api, Worker

LINE = ["megaminx", "--k", "3-6", "--trials", "3", "--seed", "2024", "--scramble-moves", "cw", "--moves", "ccw",
        "--heuristic", "s2-face-distance", "--heuristic", "zero", "--limit-expanded", "2000",
        "--limit-seconds", "600"]  # fmt: skip
#: ten thousand of them are measured by bench/load_experiments.py
MANY = ExperimentRequest(
    puzzle="8-puzzle", k=KRange.model_validate({"from": 1, "to": 10}), trials=30, seed=1, heuristics=["manhattan"]
)


def hstar(*arguments: str | Path) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.stdout


def rows_of(file: bytes) -> list[dict[str, str]]:
    """The lines of the CSV without wall-clock time."""
    lines = csv.DictReader(StringIO(file.decode(), newline=""))
    return [{name: cell for name, cell in line.items() if name != "seconds"} for line in lines]


def without_seconds(table: str) -> list[list[str]]:
    """The lines of a printed table up to the columns that differ from run to run."""
    return [line.split()[:9] for line in table.splitlines() if line.split()[:1] and line.split()[0].isdigit()]


@pytest.fixture(scope="module")
def api(postgresql: PostgreSQL, valkey: Valkey) -> Iterator[Api]:
    """The service with one worker, for both experiments."""
    with Api(postgresql.create_database(migrated=True), valkey.url) as api, Worker(api):
        yield api


def test_the_same_rows_everywhere(api: Api, tmp_path: Path) -> None:
    here = tmp_path / "here.csv"
    table = hstar("experiment", *LINE, "--jobs", "2", "--csv", here, "--journal", tmp_path / "journal")
    wanted = rows_of(here.read_bytes())
    assert {row["outcome"] for row in wanted} == {"solved", "limit_reached"}
    files = {name: tmp_path / name for name in ("there.csv", "table.csv", "rows.parquet", "plot.svg", "plot.png")}
    outputs: list[str | Path] = [
        "--csv",
        files["there.csv"],
        "--table",
        files["table.csv"],
        "--parquet",
        files["rows.parquet"],
    ]
    there = hstar("experiment", *LINE, "--server", api.url, *outputs, "--plot", files["plot.svg"])
    # The same command again finds the experiment, and runs nothing.
    hstar("experiment", *LINE, "--server", api.url, "--plot", files["plot.png"])
    with Client(api.url) as client:
        (first,) = client.experiments()
        assert first.id is not None
        request = first.request
        again = client.submit_experiment(request, idempotency_key="once-more")
        assert again.id is not None
        *_, done = client.follow_experiment(again.id, every=0.2)
        assert done.status == "done"
        assert rows_of(client.experiment_rows(again.id)) == wanted
        compared = hstar("compare", first.id, again.id, "--server", api.url)
    assert rows_of(files["there.csv"].read_bytes()) == wanted
    assert without_seconds(there) == without_seconds(table)
    assert there.splitlines()[-2:] == table.splitlines()[-2:], "the comparison of the two heuristics"
    assert all(path.stat().st_size for path in files.values())
    assert "0; 12 are equal" in " ".join(compared.split())
    assert "0; 12 are equal" in " ".join(hstar("compare", here, files["there.csv"]).split())


def test_many_rows_on_two_workers_are_searched_once_each(api: Api) -> None:
    with Worker(api), Client(api.url) as client:
        made = client.submit_experiment(MANY)
        assert made.id is not None
        *_, done = client.follow_experiment(made.id, every=0.5)
        rows = rows_of(client.experiment_rows(made.id))
    assert (done.status, done.rows, done.outcomes.n, done.outcomes.solved) == ("done", 300, 300, 300)
    assert Counter((row["k"], row["trial"]) for row in rows) == Counter(
        (str(k), str(trial)) for k in range(1, 11) for trial in range(1, 31)
    )
    assert {row["outcome"] for row in rows} == {"solved"}
    sessions = make_sessions(make_engine(str(api.settings["database_url"])))
    with sessions.read() as session:
        members = select(func.count(), func.sum(Job.attempt)).select_from(ExperimentMember)
        its = members.join(Job, Job.id == ExperimentMember.solve_id).where(ExperimentMember.experiment_id == made.id)
        assert session.execute(its).one() == (300, 300)
    sessions.close()
