"""Other tasks of a sweep than lost jobs: it rolls up statistics, and records finished experiments."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from store.database import make_engine, make_sessions, migrate
from store.doorbell import Doorbell
from store.experiments import finished
from store.experiments.models import Experiment, ExperimentTable
from store.owners.principal import Principal
from store.settings import Settings
from store.solves import submission
from store.statistics.aggregation import Question, aggregate
from store.statistics.rollup import WORTH_A_ROLLUP, uncounted
from tests.servers import wait_until
from tests.store.builders import new_solve
from tests.store.solves import insert_solves, random_solve
from tests.store.test_experiments import create, design, work_off
from worker.sweeper import Sweeper, checkpoint


def test_ended_solves_are_rolled_up_once_there_are_enough(database_url: str, broker_url: str) -> None:
    settings = Settings(database_url=database_url, broker_url=broker_url)
    sessions, bell = make_sessions(make_engine(database_url)), Doorbell(broker_url)
    migrate.upgrade(sessions.engine)
    sweeper, draw = Sweeper(settings, sessions, bell), random.Random(2)

    def waiting() -> int:
        with sessions.read() as session:
            return len(uncounted(session, WORTH_A_ROLLUP + 1))

    insert_solves(sessions, [random_solve(draw, status="solved") for _ in range(WORTH_A_ROLLUP - 1)])
    sweeper.sweep(threading.Event())
    assert waiting() == WORTH_A_ROLLUP - 1
    insert_solves(sessions, [random_solve(draw, status="solved")])
    sweeper.sweep(threading.Event())
    assert waiting() == 0
    with sessions.read() as session:
        assert aggregate(session, Question(Principal("ann")), exact_rows=0).solves == WORTH_A_ROLLUP
    bell.close()
    sessions.close()


def test_it_copies_the_write_ahead_log_so_that_no_writer_has_to(sqlite_url: str) -> None:
    sessions, stop = make_sessions(make_engine(sqlite_url)), threading.Event()
    file = Path(str(sessions.engine.url.database))
    before = file.stat().st_size
    sessions.run(lambda session: submission.submit_many(session, [new_solve() for _ in range(400)]))
    assert file.stat().st_size == before  # it is in the log
    copying = threading.Thread(target=checkpoint, args=(sessions, stop))
    copying.start()
    try:
        wait_until(lambda: file.stat().st_size > before, "the log to be copied")
    finally:
        stop.set()
        copying.join()
        sessions.close()


def test_finished_experiments_are_noted_and_their_tables_kept(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finished, "LARGE", 1)
    settings = Settings(database_url=database_url, broker_url=broker_url)
    sessions, bell = make_sessions(make_engine(database_url)), Doorbell(broker_url)
    migrate.upgrade(sessions.engine)
    identifier = create(sessions, design(trials=1))
    work_off(sessions)
    sweeper = Sweeper(settings, sessions, bell)
    stop = threading.Event()
    stop.set()
    sweeper.sweep(stop)
    with sessions.read() as session:
        assert session.get_one(Experiment, identifier).finished_at is None
    sweeper.sweep(threading.Event())
    with sessions.read() as session:
        assert session.get_one(Experiment, identifier).finished_at is not None
        assert session.get(ExperimentTable, (identifier, "k", "expanded")) is not None
    bell.close()
    sessions.close()
