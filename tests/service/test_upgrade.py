"""A database that an older version has made, killed in the midst of its work: after the upgrade the API answers the
same, and what ran or waited ends.

``tests/data/861d2a0.sql`` is the whole database, with its schema, as that commit's own programs left it;
``861d2a0.json`` is what its API answered just before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from store.database import make_engine, make_sessions, migrate
from store.database.clock import from_now
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.settings import Settings
from store.statistics.rollup import roll_up
from tests.service.processes import ROOT

DATA = ROOT / "tests" / "data"
BEFORE: dict[str, Any] = json.loads((DATA / "861d2a0.json").read_text())
#: about so many values are compared
VALUES = 500
#: what the old API called a state; the new one has a status and, of a job that is done, an outcome
STATUS = {"solved": ("done", "solved"), "limit_reached": ("done", "limit_reached"), "cancelled": ("cancelled", None)}


def today(old: dict[str, Any]) -> dict[str, Any]:
    """A solve or a row with the words of today."""
    return old | dict(zip(("status", "outcome"), STATUS[old["status"]], strict=True))


@pytest.fixture
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("old") / "hstar.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((DATA / "861d2a0.sql").read_text())
    url = f"sqlite:///{file}"
    engine = make_engine(url)
    migrate.upgrade(engine)
    engine.dispose()
    return url


def compare(old: Any, new: Any, place: str) -> int:
    """Every value of the old answer is in the new one, which may have more fields; returns how many there are."""
    if isinstance(old, dict):
        assert old.keys() <= new.keys(), place
        return sum(compare(value, new[key], f"{place}.{key}") for key, value in old.items())
    if isinstance(old, list):
        assert len(old) == len(new), place
        return sum(compare(one, other, f"{place}[{n}]") for n, (one, other) in enumerate(zip(old, new, strict=True)))
    assert old == new, place
    return 1


def get(client: FlaskClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


def compare_all(client: FlaskClient) -> int:
    experiment = BEFORE["experiment"] | {"status": "done"}
    path = f"/v1/experiments/{experiment['id']}"
    return (
        sum(compare(today(old), get(client, f"/v1/jobs/{old['id']}"), old["id"]) for old in BEFORE["solves"])
        + sum(compare(old, get(client, f"/v1/scrambles/{old['id']}"), old["id"]) for old in BEFORE["scrambles"])
        + compare(experiment, get(client, path), "experiment")
        + compare([today(row) for row in BEFORE["rows"]], get(client, f"{path}/rows.json"), "rows")
        + compare(BEFORE["stats"], get(client, "/v1/stats?puzzle=8-puzzle"), "stats")
    )


def test_what_861d2a0_answered_is_answered_still_and_its_work_ends(
    client: FlaskClient, settings: Settings, work_off: Callable[[], int]
) -> None:
    assert compare_all(client) > VALUES
    with closing(make_sessions(make_engine(settings.database_url))) as sessions:
        # Nobody has extended a lease since then, whatever this machine's clock says.
        sessions.run(
            lambda session: session.execute(
                update(Job).where(Job.state == State.RUNNING).values(lease_until=from_now(timedelta(seconds=-1)))
            )
        )
        report = sessions.run(
            lambda session: machine.sweep(
                session, lease=timedelta(seconds=15), max_losses=3, wake_after=timedelta(seconds=1)
            )
        )
        assert sorted(report.requeued) == sorted(one for one, status in BEFORE["left"].items() if status == "running")
        assert work_off() == len(BEFORE["left"])
        for left, status in BEFORE["left"].items():
            ended = get(client, f"/v1/jobs/{left}")
            assert (ended["status"], ended["outcome"], ended["limit"]) == ("done", "limit_reached", "expanded")
            assert (ended["counters"]["expanded"], ended["attempt"]) == (
                ended["limits"]["expanded"],
                1 + (status == "running"),
            )
        while roll_up(sessions):
            pass
    assert compare_all(client) > VALUES
