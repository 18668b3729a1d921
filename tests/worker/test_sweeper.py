"""Other tasks of a sweep than lost jobs: it rolls up statistics, and records finished experiments."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from store.database import make_engine, make_sessions, migrate
from store.doorbell import Doorbell
from store.experiments import finished
from store.experiments.models import Experiment, ExperimentTable
from store.jobs import retention
from store.jobs.models import Job
from store.owners.changes import record
from store.owners.models import Change
from store.owners.principal import LOCAL, Principal
from store.settings import Settings
from store.solves import submission
from store.statistics.aggregation import Question, aggregate
from store.statistics.rollup import WORTH_A_ROLLUP, roll_up, uncounted
from tests.servers import wait_until
from tests.store.builders import new_solve
from tests.store.solves import insert_solves, random_solve
from tests.store.test_experiments import create, design, work_off
from tests.store.test_retention import ended, ids_of
from worker import sweeper as sweeping
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


def test_what_is_old_is_deleted_some_at_each_sweep_if_the_settings_say_so(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, bell = make_sessions(make_engine(database_url)), Doorbell(broker_url)
    migrate.upgrade(sessions.engine)
    young = ended(sessions, days=20)
    for _ in range(2):
        ended(sessions, days=40)
    with ids_of(days=40), sessions.write() as session:
        record(session, LOCAL, "cancelJob", "a")
    roll_up(sessions)  # what is not in the statistics stays
    monkeypatch.setattr(retention, "BATCH", 1)
    monkeypatch.setattr(sweeping, "PURGE_SECONDS", -1.0)

    def left() -> tuple[int, int]:
        with sessions.read() as session:
            count = select(func.count())
            return (
                session.scalar(count.select_from(Job)) or 0,
                session.scalar(count.select_from(Change)) or 0,
            )

    def sweep(times: int, **days: Any) -> list[tuple[int, int]]:
        sweeper = Sweeper(Settings(database_url=database_url, broker_url=broker_url, **days), sessions, bell)
        seen = []
        for _ in range(times):
            sweeper.sweep(threading.Event())
            seen.append(left())
        return seen

    assert sweep(2) == [(3, 1), (3, 1)]
    assert sweep(4, keep_days=30) == [(2, 1), (1, 1), (1, 1), (1, 1)]
    assert sweep(1, keep_log_days=30) == [(1, 0)]
    with sessions.read() as session:
        assert session.scalars(select(Job.id)).all() == [young]
    bell.close()
    sessions.close()


def test_it_looks_for_what_is_old_now_and_then(
    sqlite_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions, bell = make_sessions(make_engine(sqlite_url)), Doorbell(broker_url)
    sweeper = Sweeper(Settings(database_url=sqlite_url, broker_url=broker_url, keep_days=30), sessions, bell)

    def is_gone() -> bool:
        roll_up(sessions)
        sweeper.sweep(threading.Event())
        with sessions.read() as session:
            return session.scalar(select(func.count()).select_from(Job)) == 0

    assert is_gone()
    ended(sessions, days=40)
    assert not is_gone()
    monkeypatch.setattr(sweeper, "_purge_at", 0.0)
    assert is_gone()
    bell.close()
    sessions.close()
