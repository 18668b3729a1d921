"""Migrations of a database with solves: nothing is lost, statistics stay equal, and the downgrade restores all."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from sqlalchemy import JSON, Boolean, Double, TableClause, column, delete, insert, select, table, text

from hstar import schema
from hstar.experiments.schema import MEASURES
from hstar.schema import ScrambleIn, SolveRequest
from hstar.search import prepare, question
from store.database import Sessions, make_engine, make_sessions, migrate
from store.database.base import Id
from store.database.types import UtcDateTime
from store.ids import created_at, new_id
from store.jobs import machine
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.owners.principal import SYSTEM, Principal
from store.solves import queries
from store.solves.objects import to_object
from store.statistics.aggregation import Question
from store.tables import Base
from tests.store.builders import claim
from tests.store.solves import insert_solves, random_solve
from tests.store.test_statistics import ask, check, grouped, roll_up_all

OLD = "0003"
#: the columns of the old table that were not in its first form, or are not those of a solve today
PROGRESS = ("expanded", "generated", "stored", "lower_bound", "bytes", "building", "built")
TYPES: dict[str, Any] = {
    "id": Id, "solve_id": Id, "experiment_id": Id, "created_at": UtcDateTime, "lease_until": UtcDateTime,
    "finished_at": UtcDateTime, "progress_at": UtcDateTime, "solution": JSON(none_as_null=True), "start": JSON,
    "heuristic": JSON, "tags": JSON, "configurations": JSON, "cancel_requested": Boolean, "progress_built": Double,
}  # fmt: skip

TEXTS = {"solves": ("heuristic",)}


@pytest.fixture
def sessions(empty_database_url: str) -> Iterator[Sessions]:
    """A database in the old schema, in which solves were jobs themselves."""
    made = make_sessions(make_engine(empty_database_url))
    migrate.upgrade(made.engine, OLD)
    yield made
    made.close()


def put(sessions: Sessions, name: str, rows: Sequence[dict[str, Any]]) -> None:
    plain = TEXTS.get(name, ())
    columns = [column(key, TYPES.get(key) if key not in plain else None) for key in rows[0]]
    into: TableClause = table(name, *columns)
    with sessions.write() as session:
        session.execute(insert(into), list(rows))


def fill(sessions: Sessions, count: int) -> list[dict[str, Any]]:
    """Solves of every status with documents and tags, ten of them rows of an experiment, in the old schema."""
    draw = random.Random(3)
    solves = [random_solve(draw, width=None) for _ in range(count)]
    put(sessions, "solves", [old_solve(draw, solve) for solve in solves])
    request = SolveRequest(
        puzzle="megaminx", scramble=ScrambleIn(k=3, seed=1), moves="ccw", heuristic="misplaced_facelets / 15"
    )
    asks = question(prepare(request))
    document = {
        "request": request.model_dump_json(exclude_defaults=True),
        "start": asks.start.model_dump(mode="json"),
        "heuristic": asks.heuristic.model_dump(mode="json"),
    }
    ids = [solve["id"] for solve in solves]
    put(
        sessions, "solve_documents", [{"solve_id": one, **document, "tags": {"n": str(n)}} for n, one in enumerate(ids)]
    )
    put(sessions, "solve_tags", [{"solve_id": one, "key": "n", "value": str(n)} for n, one in enumerate(ids)])
    experiment = new_id()
    put(
        sessions,
        "experiments",
        [{
            "id": experiment, "owner": "ann", "created_at": created_at(experiment), "puzzle": "megaminx",
            "request": "{}", "configurations": [{}], "trials": 1, "row_count": 10, "fingerprint": "x",
        }],
    )  # fmt: skip
    members = [{"experiment_id": experiment, "row_index": n, "solve_id": one} for n, one in enumerate(ids[:10])]
    put(sessions, "experiment_members", members)
    return solves


def old_solve(draw: random.Random, solve: dict[str, Any]) -> dict[str, Any]:
    """The row in the old schema: with the job's columns, columns for the progress, and another name of the limit."""
    gone = {"kind", "request", "state", "outcome", "limit", "width"}
    values = {name: value for name, value in solve.items() if name not in gone}
    told = solve["status"] == "running" and draw.random() < 0.5
    progress = (draw.randrange(2**45), draw.randrange(2**45), 7, 3, 2**40, draw.choice([None, "corners:4"]), 0.3)
    return values | {
        "status": solve["status"].value,
        "limit_name": solve["limit"],
        "method": None if solve["algorithm"] == "auto" else solve["algorithm"],
        "progress_at": solve["created_at"] if told else None,
        **{f"progress_{name}": value if told else None for name, value in zip(PROGRESS, progress, strict=True)},
    }


def contents(sessions: Sessions) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    keys = {
        "solves": "id", "solve_documents": "solve_id", "solve_tags": "solve_id, key", "experiments": "id",
        "experiment_members": "experiment_id, row_index", "uncounted_solves": "solve_id",
    }  # fmt: skip
    with sessions.read() as session:
        return {
            name: [dict(row._mapping) for row in session.execute(text(f"SELECT * FROM {name} ORDER BY {key}"))]
            for name, key in keys.items()
        }


def everything(sessions: Sessions) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every present table."""
    with sessions.read() as session:
        return {
            one.name: [tuple(row) for row in session.execute(select(one).order_by(*one.primary_key.columns))]
            for one in Base.metadata.sorted_tables
        }


def test_there_and_back(sessions: Sessions) -> None:
    solves = fill(sessions, 300)
    before = contents(sessions)
    assert len(before["uncounted_solves"]) > 200

    migrate.upgrade(sessions.engine)
    first = everything(sessions)
    assert len(first["jobs"]) == len(first["solves"]) == len(solves)
    for by in ((), ("k", "heuristic"), ("length",), ("status", "outcome")):
        check(ask(sessions, Question(Principal("ann"), by, tuple(MEASURES))), grouped(solves, by), exact=True)
    with sessions.read() as session:
        for solve in solves:
            row = queries.get_solve(session, solve["id"], SYSTEM)
            assert row is not None
            shown = to_object(row)
            assert (shown.outcome or shown.status, shown.limit, shown.error) == (
                solve["status"],
                solve["limit"],
                solve["error"],
            )
            assert (shown.created_at, shown.finished_at) == (solve["created_at"], solve["finished_at"])
    told = {row["id"]: row for row in before["solves"] if row["progress_at"] is not None}
    assert told
    with sessions.read() as session:
        for identifier, old in told.items():
            row = queries.get_solve(session, str(identifier) if "-" in str(identifier) else _dashed(identifier), SYSTEM)
            assert row is not None
            progress = to_object(row).progress
            assert progress == schema.Progress(
                **{name: old[f"progress_{name}"] for name in PROGRESS}, updated_at=row.job.progress_at
            )

    migrate.downgrade(sessions.engine, OLD)
    assert contents(sessions) == before

    migrate.upgrade(sessions.engine)
    assert everything(sessions) == first
    roll_up_all(sessions)
    by = ("k", "heuristic")
    check(
        ask(sessions, Question(Principal("ann"), by, tuple(MEASURES)), exact_rows=0), grouped(solves, by), exact=False
    )


def _dashed(identifier: str) -> str:
    parts = (identifier[:8], identifier[8:12], identifier[12:16], identifier[16:20], identifier[20:])
    return "-".join(parts)


def test_queued_jobs_survive_the_migration_and_the_way_back(sessions: Sessions) -> None:
    solves = fill(sessions, 60)
    queued = {solve["id"] for solve in solves if solve["status"] == "queued"}
    migrate.upgrade(sessions.engine)
    claimed = claim(sessions)
    assert claimed is not None
    assert claimed.id in queued
    assert (claimed.kind, claimed.attempt) == ("solve", 2)
    other = NewJob("something else", "{}", "ann")
    sessions.run(lambda session: machine.submit(session, [other]))

    migrate.downgrade(sessions.engine, OLD)
    rows = {str(row["id"]).replace("-", ""): row for row in contents(sessions)["solves"]}
    assert len(rows) == len(solves), "the old form has no place for other kinds"
    row = rows[claimed.id.replace("-", "")]
    assert (row["status"], row["attempt"], row["worker"], row["progress_at"]) == ("running", 2, "worker", None)


def test_statistics_are_counted_anew_where_all_solves_are_left(sessions: Sessions) -> None:
    """Those of purged solves stay as they were counted."""
    migrate.upgrade(sessions.engine)
    draw = random.Random(7)
    solves = [random_solve(draw) for _ in range(120)]
    insert_solves(sessions, solves)
    question = Question(Principal("ann"), ("algorithm", "k"), tuple(MEASURES))
    before = ask(sessions, question)
    roll_up_all(sessions)
    gone = next(one["id"] for one in solves if one["outcome"] is not None and one["optimality"] is None)
    with sessions.write() as session:
        session.execute(delete(Job).where(Job.id == gone))
    migrate.downgrade(sessions.engine, "0014")
    migrate.upgrade(sessions.engine)
    with sessions.read() as session:
        uncounted = session.execute(text("SELECT count(*) FROM uncounted_solves")).scalar_one()
        left = session.execute(text("SELECT sum(solves) FROM statistics_rollup WHERE NOT by_length")).scalar_one()
    ended = sum(one["outcome"] is not None for one in solves)
    assert uncounted + left == ended
    assert 1 <= left < 20
    roll_up_all(sessions)
    after = ask(sessions, question, exact_rows=0)
    assert after.solves == before.solves
    assert [group.outcomes for group in after.groups] == [group.outcomes for group in before.groups]
    for one, other in zip(after.groups, before.groups, strict=True):
        for measure in MEASURES:
            found, wanted = one.measures[measure], other.measures[measure]
            assert (found.exact, found.lower_bounds, found.maximum) == (
                wanted.exact,
                wanted.lower_bounds,
                wanted.maximum,
            )
