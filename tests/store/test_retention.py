"""Deleting jobs that ended long ago, and nothing else."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import func, select, update

from hstar.grading.records import Record
from hstar.grading.requests import GradingRequest, RegradeRequestIn
from hstar.grading.schema import AssignmentIn
from hstar.puzzles import get_puzzle, make_scramble
from store import ids
from store.database import Sessions
from store.database.clock import from_now
from store.experiments.models import Experiment, ExperimentMember
from store.grading import assignments, records, regrade_requests, submissions
from store.grading.models import (
    StoredAssignment,
    StoredRecord,
    StoredRegradeRequest,
    StoredSubmission,
    StoredUpload,
    StoredVersion,
)
from store.ids import new_id
from store.jobs.machine import NewJob, finish
from store.jobs.machine import submit as submit_job
from store.jobs.models import Job
from store.jobs.retention import Purged, purge
from store.jobs.states import State
from store.owners.changes import record
from store.owners.models import Change
from store.owners.principal import LOCAL, SYSTEM
from store.puzzles.models import Scramble
from store.puzzles.scrambles import add_scramble
from store.solves.models import Solve
from store.statistics.aggregation import Question, aggregate
from store.statistics.rollup import roll_up
from tests.store.builders import answer, end, must_claim, submit
from tests.store.solves import insert_solves, random_solve

MONTH = timedelta(days=30)


@contextmanager
def ids_of(days: float) -> Iterator[None]:
    """New ids are those of so many days ago."""
    then = time.time_ns() - round(days * 86_400e9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "time", SimpleNamespace(time_ns=lambda: then))
        ids._forget()
        yield
    ids._forget()


def ended(sessions: Sessions, days: float) -> str:
    """A solve that ended so many days ago."""
    with ids_of(days):
        job_id = submit(sessions)
    claim = must_claim(sessions)
    assert sessions.run(lambda session: end(session, claim, answer()))
    past = from_now(-timedelta(days=days))
    with sessions.write() as session:
        session.execute(update(Job).where(Job.id == job_id).values(created_at=past, started_at=past, finished_at=past))
    return job_id


def experiment(sessions: Sessions, *members: str) -> str:
    made = Experiment(
        id=new_id(), owner="ann", created_at=from_now(-timedelta(days=90)), puzzle="megaminx", request="{}",
        configurations=[], trials=1, row_count=len(members), fingerprint="f",
    )  # fmt: skip
    with sessions.write() as session:
        session.add(made)
        session.flush()
        session.add_all(
            ExperimentMember(experiment_id=made.id, row_index=index, solve_id=job_id)
            for index, job_id in enumerate(members)
        )
    return made.id


def left(sessions: Sessions) -> set[str]:
    with sessions.read() as session:
        jobs = set(session.scalars(select(Job.id)))
        assert set(session.scalars(select(Solve.id))) == jobs
    return jobs


def test_only_old_jobs_that_nothing_needs_are_deleted(sessions: Sessions) -> None:
    old, young = ended(sessions, 40), ended(sessions, 20)
    whole = [ended(sessions, 50), ended(sessions, 60)]
    mixed = [ended(sessions, 50), ended(sessions, 1)]
    gone, kept = experiment(sessions, *whole), experiment(sessions, *mixed)
    uncounted = Purged(1, len(whole))
    assert purge(sessions, MONTH, dry=True) == uncounted
    assert roll_up(sessions) == 6
    queued = submit(sessions)

    everything = left(sessions)
    assert purge(sessions, MONTH, dry=True) == Purged(1, 1 + len(whole))
    assert left(sessions) == everything
    assert purge(sessions, MONTH) == Purged(1, 1 + len(whole))
    assert left(sessions) == {young, queued, *mixed}
    assert old not in left(sessions)
    with sessions.read() as session:
        assert set(session.scalars(select(Experiment.id))) == {kept}
        assert session.scalar(select(func.count()).select_from(ExperimentMember)) == len(mixed)
    assert gone != kept
    assert purge(sessions, MONTH) == Purged(0, 0)


def test_statistics_stay(sessions: Sessions) -> None:
    draw = random.Random(5)
    with ids_of(40):
        insert_solves(sessions, [random_solve(draw, status="solved") for _ in range(1200)])
    while roll_up(sessions):
        pass
    with sessions.read() as session:
        before = aggregate(session, Question(SYSTEM), exact_rows=0)
    assert before.solves == 1200
    assert purge(sessions, MONTH).jobs == 1200
    with sessions.read() as session:
        assert aggregate(session, Question(SYSTEM), exact_rows=0) == before


def assignment(sessions: Sessions, days: float, due_days_ago: float, *, graded: bool = True) -> str:
    """An assignment made so many days ago, with one submission, and the day on which it was due."""
    given = AssignmentIn.model_validate(
        {
            "title": "t", "puzzle": "8-puzzle", "instances": [{"alg": "U"}],
            "due": datetime.now(UTC) - timedelta(days=due_days_ago), "rubric": [{"kind": "valid", "points": 1.0}],
        }
    )  # fmt: skip
    id, past = new_id(), from_now(-timedelta(days=days))
    with ids_of(days), sessions.write() as session:
        assignments.add(session, id, LOCAL, given, "v1")
        session.flush()
        asked = GradingRequest(assignment=given, student="ann", filename="f", content="")
        submissions.add(session, new_id(), session.get_one(StoredAssignment, id), "local", asked)
        session.flush()
        mine = StoredSubmission.assignment_id == id
        job = session.scalars(select(StoredSubmission.job_id).where(mine)).one()
        session.execute(update(StoredAssignment).where(StoredAssignment.id == id).values(created_at=past))
        session.execute(update(StoredVersion).where(StoredVersion.assignment_id == id).values(created_at=past))
        session.execute(update(StoredSubmission).where(mine).values(submitted_at=past))
    times = {"created_at": past}
    if graded:
        claim = must_claim(sessions)
        assert claim.id == job
        assert sessions.run(lambda session: finish(session, claim, State.DONE, "{}"))
        times |= {"started_at": past, "finished_at": past}
    with sessions.write() as session:
        session.execute(update(Job).where(Job.id == job).values(**times))
    return id


def test_assignments_go_on_demand_and_as_a_whole(sessions: Sessions) -> None:
    solves = [ended(sessions, days) for days in (40, 50, 60)]
    over = assignment(sessions, 60, 50)
    not_due = assignment(sessions, 60, 10)
    waiting = assignment(sessions, 60, 50, graded=False)
    assert purge(sessions, MONTH) == Purged(0, 0)
    experiment(sessions, *solves[1:])
    assert roll_up(sessions) == 3
    assert purge(sessions, MONTH, dry=True, assignments=True) == Purged(1, 1 + 2 + 1, 1)
    assert purge(sessions, MONTH, assignments=True) == Purged(1, 1 + 2 + 1, 1)
    with sessions.read() as session:
        left = {not_due, waiting}
        assert set(session.scalars(select(StoredAssignment.id))) == left
        assert set(session.scalars(select(StoredSubmission.assignment_id))) == left
        assert set(session.scalars(select(StoredVersion.assignment_id))) == left
        assert session.scalar(select(func.count()).select_from(Job)) == 2
    assert over not in left


OF_ASSIGNMENT: dict[Any, Any] = {
    StoredAssignment: StoredAssignment.id,
    StoredVersion: StoredVersion.assignment_id,
    StoredSubmission: StoredSubmission.assignment_id,
    StoredRegradeRequest: StoredRegradeRequest.assignment_id,
}
LATELY: list[tuple[Any, str]] = [
    (StoredAssignment, "created_at"),
    (StoredAssignment, "terms_changed_at"),
    (StoredVersion, "created_at"),
    (StoredSubmission, "submitted_at"),
    (StoredRegradeRequest, "created_at"),
    (StoredRegradeRequest, "answered_at"),
    (Job, "finished_at"),
]


@pytest.mark.parametrize(("table", "column"), LATELY, ids=[f"{t.__tablename__}.{c}" for t, c in LATELY])
def test_an_assignment_stays_while_anything_happened_in_it_lately(sessions: Sessions, table: Any, column: str) -> None:
    """And in it alone: another one, of the same age, goes."""
    id, other = assignment(sessions, 60, 50), assignment(sessions, 60, 50)
    past = from_now(-timedelta(days=45))
    with sessions.write() as session:
        session.execute(update(StoredAssignment).values(terms_changed_at=past))
        for submission in session.scalars(select(StoredSubmission)).all():
            regrade_requests.add(session, new_id(), submission, RegradeRequestIn(note="why"))
        session.flush()
        session.execute(update(StoredRegradeRequest).values(created_at=past))
        made = session.execute(select(StoredSubmission.assignment_id, StoredSubmission.job_id))
        jobs = {row.assignment_id: row.job_id for row in made}
    assert purge(sessions, MONTH, dry=True, assignments=True) == Purged(0, 2, 2)
    for one, days, gone in ((id, 29, 1), (id, 31, 2), (other, 29, 1), (other, 31, 2)):
        ours = Job.id == jobs[one] if table is Job else OF_ASSIGNMENT[table] == one
        moment = from_now(-timedelta(days=days))
        values: dict[str, Any] = {column: moment}
        if column == "answered_at":
            values |= {"status": "declined", "answer": "no"}
        with sessions.write() as session:
            session.execute(update(table).where(ours).values(values))
        assert purge(sessions, MONTH, dry=True, assignments=True) == Purged(0, gone, gone), days
    assert purge(sessions, MONTH, assignments=True) == Purged(0, 2, 2)
    with sessions.read() as session:
        assert session.get(StoredAssignment, id) is session.get(StoredAssignment, other) is None


def test_an_assignment_stays_until_its_last_date(sessions: Sessions) -> None:
    id = assignment(sessions, 60, 50)
    for name in ("opens", "closes", "release", "regrade_requests_until"):
        for days, gone in ((29, 0), (-5, 0), (31, 1)):
            with sessions.write() as session:
                stored = session.get_one(StoredAssignment, id)
                given = AssignmentIn.model_validate_json(stored.document)
                until = datetime.now(UTC) - timedelta(days=days)
                stored.document = given.model_copy(update={name: until}).model_dump_json()
            assert purge(sessions, MONTH, dry=True, assignments=True).assignments == gone


def test_an_assignment_stays_while_somebody_marks_or_uploads(sessions: Sessions) -> None:
    """Marks, comments and extensions, and files of which none became a submission."""
    marked, uploaded, _ = (assignment(sessions, 60, 50) for _ in range(3))
    with sessions.write() as session:
        records.write(session, marked, "ann", Record(comment="fine"))
        file = StoredUpload(id=new_id(), assignment_id=uploaded, filename="a.pdf", status="refused", content="")
        file.uploaded_at = from_now(timedelta())
        session.add(file)
    for days, gone in ((29, 1), (31, 3)):
        moment = from_now(-timedelta(days=days))
        with sessions.write() as session:
            session.execute(update(StoredRecord).values(changed_at=moment))
            session.execute(update(StoredUpload).values(uploaded_at=moment))
        assert purge(sessions, MONTH, dry=True, assignments=True).assignments == gone, days


def test_a_young_experiment_of_old_solves_stays(sessions: Sessions) -> None:
    made = experiment(sessions, ended(sessions, 40))
    with sessions.write() as session:
        session.execute(update(Experiment).values(created_at=from_now(-timedelta(days=29))))
    assert roll_up(sessions) == 1
    assert purge(sessions, MONTH, dry=True) == purge(sessions, MONTH) == Purged(0, 0)
    with sessions.write() as session:
        assert session.get(Experiment, made) is not None
        session.execute(update(Experiment).values(created_at=from_now(-timedelta(days=31))))
    assert purge(sessions, MONTH) == Purged(1, 1)


def test_an_assignment_stays_while_a_submission_was_graded_again_lately(sessions: Sessions) -> None:
    assignment(sessions, 60, 50)
    with ids_of(60):
        again = NewJob("grading", "{}", "ann")
    sessions.run(lambda session: submit_job(session, [again]))
    claim = must_claim(sessions)
    assert sessions.run(lambda session: finish(session, claim, State.DONE, "{}"))
    with sessions.write() as session:
        session.execute(update(StoredSubmission).values(regrade_id=again.id))
    for days, expected in ((29, Purged(0, 0)), (31, Purged(0, 2, 1))):
        past = from_now(-timedelta(days=days))
        times = {"created_at": past, "started_at": past, "finished_at": past}
        with sessions.write() as session:
            session.execute(update(Job).where(Job.id == again.id).values(**times))
        assert purge(sessions, MONTH, dry=True, assignments=True) == expected


def test_scrambles_without_solves_go_and_the_log_on_demand(sessions: Sessions) -> None:
    def scramble(days: float) -> str:
        with ids_of(days):
            made = new_id()
        sessions.run(lambda session: add_scramble(session, make_scramble(get_puzzle("8-puzzle"), 3, 1), id=made))
        return made

    unused, young, used = scramble(40), scramble(20), scramble(50)
    of = ended(sessions, 10)
    with ids_of(40):
        sessions.run(lambda session: record(session, LOCAL, "deleteJob", "old"))
    sessions.run(lambda session: record(session, LOCAL, "deleteJob", "new"))
    with sessions.write() as session:
        session.execute(update(Solve).where(Solve.id == of).values(scramble_id=used))
    for log, lines in ((False, 0), (True, 1)):
        assert purge(sessions, MONTH, dry=True, log=log) == Purged(0, 0, scrambles=1, changes=lines)
    assert purge(sessions, MONTH) == Purged(0, 0, scrambles=1)
    assert purge(sessions, MONTH, log=True) == Purged(0, 0, changes=1)
    with sessions.read() as session:
        assert set(session.scalars(select(Scramble.id))) == {young, used}
        assert list(session.scalars(select(Change.target))) == ["new"]
    assert unused not in (young, used)
