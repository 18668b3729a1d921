"""Experiments in the database: all rows or none, each row an ordinary solve, the same rows everywhere."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, get_args

import pytest
from sqlalchemy import event, select, text, update
from sqlalchemy.orm import joinedload

from hstar import schema, search
from hstar.experiments.design import Design, PlannedRow, plan
from hstar.experiments.report import report
from hstar.experiments.rows import ExperimentRow, row_of, with_true_distances
from hstar.experiments.schema import Axis, ExperimentRequest, Outcomes
from hstar.experiments.table import tabulate
from hstar.schema import LimitsIn, SolveRequest
from store.database import Sessions
from store.database.options import OPTION_COLUMNS
from store.database.staging import stage
from store.experiments import records, tables
from store.experiments.models import Experiment, ExperimentMember
from store.experiments.records import Version
from store.ids import new_id
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.queries import count_queued
from store.owners.principal import SYSTEM, Principal
from store.solves import answers, queries
from store.solves.models import Solve, SolveDocument, SolveTag
from store.solves.objects import to_object
from store.solves.status import Status
from tests.store.builders import LEASE, claim, must_claim
from tests.store.solves import random_solve

GOAL = [1, 2, 3, 4, 5, 6, 7, 8, 0]


def design(**changed: Any) -> Design:
    fields: dict[str, Any] = {
        "puzzle": "8-puzzle", "k": [12, 4], "trials": 3, "seed": 7, "heuristics": ["manhattan", "misplaced_tiles"],
        "weights": [1.0, 2.0], "goal": GOAL, "limits": LimitsIn(expanded=8), "tags": {"course": "ü", "week": "1"},
        "tie_breaking": "fifo", "priority": 2,
    }  # fmt: skip
    return plan(ExperimentRequest(**(fields | changed)), LimitsIn(memory_mib=64))


def create(sessions: Sessions, planned: Design, owner: str = "ann") -> str:
    return create_as(sessions, planned, owner, new_id())


def create_as(sessions: Sessions, planned: Design, owner: str, identifier: str) -> str:
    with stage(sessions.engine, records.row_sets(identifier, owner, planned)) as staged:
        sessions.run(lambda session: records.create(session, identifier, owner, planned, staged), attach=staged.file)
    return identifier


def read(sessions: Sessions, identifier: str, *, texts: bool = True) -> list[ExperimentRow]:
    with sessions.read() as session:
        found = records.get(session, identifier, SYSTEM)
        assert found is not None
        return list(records.rows(session, found, texts=texts))


def work_off(sessions: Sessions) -> int:
    """Runs a job like a worker."""
    done = 0
    while (claimed := claim(sessions)) is not None:
        problem = search.prepare(SolveRequest.model_validate_json(claimed.request))
        answer = search.answer(problem, search.solve(problem))
        assert sessions.run(lambda session: answers.finish(session, claimed, answer))  # noqa: B023
        done += 1
    return done


def searched(planned: Design) -> list[ExperimentRow]:
    """The rows as computed without a database."""
    found = []
    for one in planned.rows():
        problem = search.prepare(planned.solve_request(one))
        found.append(row_of(planned, one, search.answer(problem, search.solve(problem))))
    return found


def timeless(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    return [replace(one, seconds=None, peak_bytes=None) for one in rows]


GIVEN = [
    {"name": "far", "state": "8 7 6 / 5 4 3 / 2 1 0", "optimum": 30}, {"alg": "U L", "optimum": 1},
    {"state": [1, 2, 3, 4, 5, 0, 7, 8, 6]},
]  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"true_distance": True},
        {"goal": None, "heuristics": [], "trials": 2},
        {"k": None, "trials": 5, "instances": GIVEN},
        {"k": None, "trials": 5, "random": 3, "limits": LimitsIn(expanded=400)},
    ],
)
def test_its_rows_are_those_of_the_design(sessions: Sessions, changed: dict[str, Any]) -> None:
    planned = design(**changed)
    identifier = create(sessions, planned)
    assert read(sessions, identifier) == [row_of(planned, one) for one in planned.rows()]
    assert work_off(sessions) == len(planned)
    found = read(sessions, identifier)
    wanted = searched(planned)
    assert timeless(found) == timeless(wanted)
    assert {one.outcome for one in found} >= {"solved", "limit_reached"}
    assert read(sessions, identifier, texts=False) == [
        replace(one, scramble=None, solution=None, layers=None) for one in found
    ]
    again, there = (report(planned.request, timeless(rows)) for rows in (found, wanted))
    assert again == there


@pytest.mark.parametrize("seed", [1, 2])
def test_the_table_of_columns_is_that_of_the_rows(sessions: Sessions, seed: int) -> None:
    draw = random.Random(seed)
    planned = design(true_distance=True, algorithms=["astar", "greedy"], weights=[1.0], trials=4)
    identifier = create(sessions, planned)
    ways = len(planned.configurations)
    with sessions.write() as session:
        members = session.scalars(select(ExperimentMember).order_by(ExperimentMember.row_index)).all()
        for member in members:
            distance = random.Random(f"{seed} {member.row_index // ways}").randrange(2, 12)
            made = random_solve(draw)
            if made["status"] == "solved":
                made["length"] = distance + draw.choice([0, 0, 2])
                made["optimality"] = "proven" if made["length"] == distance and draw.random() < 0.5 else "feasible"
            if made["lower_bound"] is not None:
                made["lower_bound"] = draw.randrange(distance + 1)
            for model, key in ((Job, Job.id), (Solve, Solve.id)):
                names = {column.name for column in model.__table__.columns} - {"id", "request", "created_at", "k"}
                names -= {
                    "algorithm",
                    "heuristic",
                    "puzzle",
                    "goal",
                    "moves",
                    "scramble_moves",
                    *OPTION_COLUMNS,
                }
                values = {name: value for name, value in made.items() if name in names}
                session.execute(update(model).where(key == member.solve_id).values(values))
    rows = with_true_distances(read(sessions, identifier, texts=False))
    assert {one.ending for one in rows} >= {"solved", "limit_reached", "cancelled", "queued"}
    assert {None} < {one.true_distance for one in rows}
    with sessions.read() as session:
        found = records.get(session, identifier, SYSTEM)
        assert found is not None
        for x in get_args(Axis):
            assert tables.table(session, found, x) == tabulate(rows, x)
            assert tables.table(session, found, x, ["length"]) == tabulate(rows, x, ["length"])
        part = list(records.rows(session, found, texts=False, first=3, last=7))
        assert part == read(sessions, identifier, texts=False)[3:7]


def test_each_row_is_an_ordinary_solve(sessions: Sessions) -> None:
    planned = design()
    identifier = create(sessions, planned, "bob")
    with sessions.read() as session:
        members = list(session.scalars(select(ExperimentMember).order_by(ExperimentMember.row_index)))
        assert [member.row_index for member in members] == list(range(len(planned)))
        assert {member.experiment_id for member in members} == {identifier}
        for member, one in zip(members, planned.rows(), strict=True):
            request = planned.solve_request(one)
            solve = queries.get_solve(session, member.solve_id, Principal("bob"))
            assert solve is not None
            # As if it had been submitted alone.
            question = search.question(search.prepare(request))
            ordinary = question.model_copy(update={"tags": request.tags, "priority": request.priority})
            shown = to_object(solve)
            assert shown == ordinary.model_copy(
                update={"id": solve.id, "owner": "bob", "about": shown.about, "created_at": solve.job.created_at}
            )
            assert SolveRequest.model_validate_json(solve.job.request) == request
        tagged = queries.SolveFilter(tags={"course": "ü", "week": "1"})
        assert len(queries.list_solves(session, Principal("bob"), tagged, size=200).solves) == len(planned)
        assert len(list(session.scalars(select(SolveTag)))) == 2 * len(planned)
    # Oldest first, in their present state.
    assert [must_claim(sessions).id for _ in range(3)] == [member.solve_id for member in members[:3]]


class Breaking(Design):
    """A design that raises after some rows."""

    def rows(self) -> Iterator[PlannedRow]:
        yield from islice(super().rows(), 20)
        raise RuntimeError("it breaks")


def test_all_rows_or_none(sessions: Sessions) -> None:
    with pytest.raises(RuntimeError, match="it breaks"):
        create(sessions, Breaking(**vars(design())))
    with sessions.read() as session:
        for table in (Experiment, ExperimentMember, Job, Solve, SolveDocument, SolveTag):
            assert session.scalar(select(table).limit(1)) is None


def test_others_write_while_its_rows_are_made(sessions: Sessions) -> None:
    wrote = []

    class Slow(Design):
        def rows(self) -> Iterator[PlannedRow]:
            for one in super().rows():
                # If the lock is held, refused at once, not after ten seconds.
                with sessions.write() as session:
                    session.execute(text("UPDATE jobs SET priority = 0 WHERE owner = 'nobody'"))
                wrote.append(one.index)
                yield one

    if sessions.engine.dialect.name == "sqlite":
        event.listen(sessions.engine, "connect", lambda made, _: made.execute("PRAGMA busy_timeout=0"))
        sessions.engine.dispose()
    planned = Slow(**vars(design()))
    identifier = create(sessions, planned)
    assert set(wrote) == set(range(len(planned)))
    assert len(read(sessions, identifier)) == len(planned)


def test_the_same_id_twice_is_refused_whole(sessions: Sessions) -> None:
    planned = design()
    identifier = create(sessions, planned)
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        create_as(sessions, planned, "ann", identifier)
    assert len(read(sessions, identifier)) == len(planned)
    with sessions.read() as session:
        assert count_queued(session, 1000) == len(planned)


def test_it_is_its_owners_and_lists_are_newest_first(sessions: Sessions) -> None:
    small = design(heuristics=["manhattan"], weights=[1.0], trials=1)
    mega = design(puzzle="megaminx", goal=None, heuristics=["s2-face-distance"], weights=[1.0], trials=1)
    first, second, third = create(sessions, small), create(sessions, mega), create(sessions, small)
    create(sessions, small, "bob")
    with sessions.read() as session:
        for wrong in (new_id(), "", "x" * 36, first[:-1]):
            assert records.get(session, wrong, SYSTEM) is None
        assert records.get(session, first, Principal("bob")) is None
        found = records.get(session, first.upper(), Principal("ann"))
        assert found is not None
        assert records.request_of(found) == small.request

        def ids(**wanted: Any) -> list[str]:
            return [one.id for one in records.list_experiments(session, Principal("ann"), **wanted)]

        assert ids() == [third, second, first]
        assert ids(size=2) == [third, second]
        assert ids(cursor=second) == [first]
        assert ids(puzzle="megaminx") == [second]


def test_counts_of_rows(sessions: Sessions) -> None:
    planned = design(trials=1)
    identifier, other = create(sessions, planned), create(sessions, planned)

    def stands() -> tuple[dict[str, int], Version, bool]:
        with sessions.read() as session:
            both = [session.get_one(Experiment, one) for one in (identifier, other)]
            found = records.standing_of(session, both)[identifier]
            version = records.version_of(session, both[0])
            assert found.running == len(version.running)
            return found.outcomes.model_dump(), version, found.finished_at is not None

    nothing = dict.fromkeys(Outcomes.model_fields, 0) | {"pending": 8}
    assert stands() == (nothing, Version(0, ()), False)
    first, second = must_claim(sessions), must_claim(sessions)
    assert stands() == (nothing, Version(0, (0, 1)), False)
    assert sessions.run(lambda session: machine.fail(session, first, "it broke"))
    assert stands() == (nothing | {"n": 1, "failed": 1, "pending": 7}, Version(1, (1,)), False)
    assert sessions.run(lambda session: machine.release(session, second))
    assert stands()[1] == Version(1, ())
    assert work_off(sessions) == 15
    counts, version, ended = stands()
    assert (counts["n"], counts["pending"], version, ended) == (8, 0, Version(8, ()), True)
    rows = read(sessions, identifier)
    assert (rows[0].status, rows[0].error, rows[0].expanded) == ("failed", "it broke", None)


def test_cancelling_ends_queued_rows_and_flags_running_ones(sessions: Sessions) -> None:
    identifier, other = create(sessions, design(), "ann"), create(sessions, design(trials=1), "ann")
    running = [must_claim(sessions) for _ in range(2)]
    done = running.pop()
    answer = schema.Solve.model_validate(
        search.question(search.prepare(SolveRequest.model_validate_json(done.request))).model_dump()
        | {"status": "done", "outcome": "solved", "solution": [], "length": 0}
    )
    assert sessions.run(lambda session: answers.finish(session, done, answer))
    flagged = sessions.run(lambda session: records.request_cancel(session, identifier))
    assert flagged == [running[0].id]
    statuses = [one.ending for one in read(sessions, identifier)]
    assert (statuses[0], statuses[1], set(statuses[2:])) == ("running", "solved", {"cancelled"})
    assert sessions.run(lambda session: machine.heartbeat(session, running[0], LEASE)).cancel_requested
    # Its worker shuts down: it is cancelled, not queued again.
    assert sessions.run(lambda session: machine.release(session, running[0]))
    assert read(sessions, identifier)[0].status == "cancelled"
    assert sessions.run(lambda session: records.request_cancel(session, identifier)) == []
    with sessions.read() as session:
        assert count_queued(session, 100) == 8
        assert records.count_standing(session, [other])[other].outcomes.pending == 8
        assert {solve.status for solve in session.scalars(select(Solve).options(joinedload(Solve.job)))} == {
            Status.CANCELLED, Status.SOLVED, Status.QUEUED,
        }  # fmt: skip
