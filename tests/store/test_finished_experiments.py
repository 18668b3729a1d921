"""Stored counts and tables of finished experiments: always equal to the rows', and only once no row can change."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from sqlalchemy import delete, func, select, update

from hstar.experiments.schema import MEASURES, Axis, Outcomes, Quality, Table
from store.database import Sessions
from store.experiments import finished, records, tables
from store.experiments.models import LARGE, Experiment, ExperimentMember, ExperimentTable
from store.experiments.records import Version
from store.jobs import machine
from store.jobs.models import Job
from store.solves.models import Solve
from tests.store.builders import must_claim
from tests.store.solves import random_solve
from tests.store.test_experiments import create, design, work_off

KEPT = ("status", "outcome", "limit", "error", "state", "attempt", "losses", "worker", "started_at", "finished_at")


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every experiment as a large one."""
    monkeypatch.setattr(finished, "LARGE", 1)


def end(sessions: Sessions, identifier: str, seed: int, *, but: Sequence[int] = ()) -> None:
    """End every row in some way, except those with these numbers."""
    draw = random.Random(seed)
    with sessions.write() as session:
        for member in session.scalars(select(ExperimentMember).where(ExperimentMember.experiment_id == identifier)):
            made = random_solve(
                draw, status=draw.choice(["solved", "limit_reached", "exhausted", "failed", "cancelled"])
            )
            if member.row_index in but:
                continue
            for model, key in ((Job, Job.id), (Solve, Solve.id)):
                names = {column.name for column in model.__table__.columns} - {"id", "request", "created_at"}
                names &= {*KEPT, "solution", "length", "optimality", *records._ANSWER}
                values = {name: value for name, value in made.items() if name in names}
                # Nothing is proven, so that the searches of an instance cannot contradict one another.
                values |= {"optimality": "feasible", "lower_bound": 0} if model is Solve else {}
                session.execute(update(model).where(key == member.solve_id).values(values))


def read(sessions: Sessions, identifier: str) -> tuple[Experiment, dict[str, Any]]:
    with sessions.read() as session:
        found = session.get_one(Experiment, identifier)
        return found, {x: tables.table(session, found, x) for x in get_args(Axis)}


def test_it_is_noted_when_the_last_row_has_ended(sessions: Sessions) -> None:
    planned = design(trials=1)
    identifier, other = create(sessions, planned), create(sessions, planned)
    # The last row has ended, one in the middle runs.
    end(sessions, identifier, 1, but=[3])
    assert finished.note_finished(sessions) == 0
    assert read(sessions, identifier)[0].outcomes is None
    running = must_claim(sessions)
    assert finished.note_finished(sessions) == 0
    assert sessions.run(lambda session: machine.fail(session, running, "it broke"))
    assert finished.note_finished(sessions) == 1
    assert finished.note_finished(sessions) == 0
    with sessions.read() as session:
        both = [session.get_one(Experiment, one) for one in (identifier, other)]
        standing = records.standing_of(session, both)
        assert standing == records.count_standing(session, [identifier, other])
        assert standing[identifier].finished_at == both[0].finished_at is not None
        assert (standing[other].outcomes.pending, both[1].outcomes) == (len(planned), None)
        assert records.version_of(session, both[0]) == Version(len(planned), ())


def test_the_quality_of_a_finished_experiment_is_computed_once(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    identifier = create(sessions, design(trials=1))
    read_tables, computed = 0, tables.table

    def counted(*arguments: Any) -> Table:
        nonlocal read_tables
        read_tables += 1
        return computed(*arguments)

    monkeypatch.setattr(tables, "table", counted)

    def quality() -> list[Quality]:
        with sessions.read() as session:
            return finished.quality(session, session.get_one(Experiment, identifier))

    assert quality() == quality()  # it has rows that may change
    assert read_tables == 2
    end(sessions, identifier, 1)
    assert finished.note_finished(sessions) == 1
    first = quality()
    assert [quality(), quality()] == [first, first]
    assert read_tables == 3


def test_real_searches_and_cancelling_end_it_too(sessions: Sessions) -> None:
    searched, cancelled = create(sessions, design(trials=1)), create(sessions, design(trials=1), "bob")
    sessions.run(lambda session: records.request_cancel(session, cancelled))
    work_off(sessions)
    assert finished.note_finished(sessions) == 2
    assert read(sessions, cancelled)[0].outcomes == Outcomes(n=8, cancelled=8).model_dump()
    outcomes = read(sessions, searched)[0].outcomes
    assert outcomes is not None
    assert outcomes["solved"] > 0


@pytest.mark.usefixtures("large")
def test_kept_tables_are_those_of_the_rows(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    identifier = create(sessions, design(algorithms=["astar", "greedy"], weights=[1.0], trials=4))
    end(sessions, identifier, 2)
    finished.note_finished(sessions)
    assert finished.keep_tables(sessions, 0) == 1
    assert finished.keep_tables(sessions, 0) == 1
    assert finished.keep_tables(sessions, 0) == 0
    found, wanted = read(sessions, identifier)

    def refuse(*_: object) -> None:
        raise AssertionError("it is made of the rows")

    with sessions.read() as session:
        for x in get_args(Axis):
            for measures in (tuple(MEASURES), ["length"], ["expanded", "length", "seconds"], ["seconds", "expanded"]):
                made = tables.table(session, found, x, measures)
                with monkeypatch.context() as patch:
                    patch.setattr(tables, "table", refuse)
                    kept = finished.table(session, found, x, measures)
                assert kept == made
                assert kept.model_dump_json() == made.model_dump_json()
            assert finished.table(session, found, x) == wanted[x]
        with pytest.raises(KeyError):
            finished.table(session, found, "k", ["colour"])
    # Tables of another version are computed again.
    with sessions.write() as session:
        session.execute(update(ExperimentTable).where(ExperimentTable.x == "k").values(version="0", body="{}"))
    with sessions.read() as session:
        assert finished.table(session, found, "k") == wanted["k"]
    assert finished.keep_tables(sessions, 0) == 1
    with sessions.write() as session:
        assert session.scalar(select(func.count()).where(ExperimentTable.body == "{}")) == 0
        session.execute(delete(Experiment).where(Experiment.id == identifier))
        assert session.scalar(select(func.count()).select_from(ExperimentTable)) == 0


def test_small_and_unfinished_ones_are_not_kept(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    identifier = create(sessions, design(trials=1))
    assert read(sessions, identifier)[0].row_count < LARGE
    work_off(sessions)
    finished.note_finished(sessions)
    assert finished.keep_tables(sessions, 0) == 0
    monkeypatch.setattr(finished, "LARGE", 1)
    assert finished.keep_tables(sessions, 0) == 1
    create(sessions, design(trials=1), "bob")
    assert finished.keep_tables(sessions, 0) == 1
    assert finished.keep_tables(sessions, 0) == 0
