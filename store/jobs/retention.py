"""Deleting jobs and experiments that ended long ago, and scrambles of which no solve is left.

Statistics are kept, because they are stored as sums; but statistics by tag or time are computed from the solves, and
lose the deleted ones. An experiment is kept as long as any of its rows is younger. Submissions and gradings are
personal records: they are deleted only on demand, and only with their whole assignment, so that no gradebook has a gap.
The log of changes is shortened only on demand.

The time grows with the number of old jobs alone, however many are younger: ids ascend with time, and each batch begins
after the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

from sqlalchemy import Delete, Select, Table, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from hstar.grading.schema import AssignmentIn
from store.database import Sessions
from store.database.clock import from_now
from store.experiments.models import Experiment, ExperimentMember
from store.grading.models import (
    StoredAssignment,
    StoredRecord,
    StoredRegradeRequest,
    StoredSubmission,
    StoredUpload,
    StoredVersion,
)
from store.ids import least_id
from store.jobs.models import Job
from store.jobs.states import FINAL
from store.owners.models import Change
from store.puzzles.models import Scramble
from store.solves.models import Solve
from store.statistics.models import UncountedSolve

#: rows of one transaction, so that on SQLite other processes can write in between
BATCH = 500

_jobs = cast(Table, Job.__table__)
_members = cast(Table, ExperimentMember.__table__)
_experiments = cast(Table, Experiment.__table__)
_assignments = cast(Table, StoredAssignment.__table__)
_scrambles = cast(Table, Scramble.__table__)
_changes = cast(Table, Change.__table__)


@dataclass(frozen=True, slots=True)
class Purged:
    """The numbers of deleted rows."""

    experiments: int
    jobs: int
    assignments: int = 0
    scrambles: int = 0
    changes: int = 0

    def __add__(self, other: Purged) -> Purged:
        return Purged(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def purge(
    sessions: Sessions, age: timedelta, *, dry: bool = False, assignments: bool = False, log: bool = False
) -> Purged:
    """Delete jobs and experiments that ended more than ``age`` ago, some at a time; with ``dry`` only count them.

    :param assignments: also assignments in which nothing has happened since, with their versions, submissions, gradings
    and requests for regrades; with ``dry`` their jobs are counted, too
    :param log: also lines of the log of changes
    """
    if dry:
        before = _before(sessions, age)
        experiments, jobs = _old_experiments(before), _old_jobs(before)
        with sessions.read() as session:
            over = _old_assignments(session, before) if assignments else []
            graded = _gradings(session, over)
            alone = session.scalar(select(func.count()).select_from(jobs.subquery())) or 0
            whole = session.scalar(select(func.count()).select_from(experiments.subquery())) or 0
            ours = _members.c.experiment_id.in_(experiments)
            rows = session.scalar(select(func.count()).select_from(_members).where(ours)) or 0
            unused = session.scalar(select(func.count()).select_from(_old_scrambles(before).subquery())) or 0
            lines = session.scalar(select(func.count()).select_from(_old_changes(before).subquery())) if log else 0
        return Purged(whole, alone + rows + graded, len(over), unused, lines or 0)
    total = Purged(0, 0)
    for deleted in purging(sessions, age, assignments=assignments):
        total += deleted
    for deleted in shortening(sessions, age) if log else ():
        total += deleted
    return total


def purging(sessions: Sessions, age: timedelta, *, assignments: bool = False) -> Iterator[Purged]:
    """Delete as `purge` does; after each transaction, what it has deleted."""
    before = _before(sessions, age)
    # Deleting an experiment or an assignment leaves its jobs, which then belong to none.
    for count in _delete(sessions, _experiments, _old_experiments(before)):
        yield Purged(experiments=count, jobs=0)
    if assignments:
        with sessions.read() as session:
            over = _old_assignments(session, before)
        for one in over:
            _once(sessions, delete(_assignments).where(_assignments.c.id == one))
            yield Purged(0, 0, assignments=1)
    for count in _delete(sessions, _jobs, _old_jobs(before)):
        yield Purged(0, jobs=count)
    for count in _delete(sessions, _scrambles, _old_scrambles(before)):
        yield Purged(0, 0, scrambles=count)


def shortening(sessions: Sessions, age: timedelta) -> Iterator[Purged]:
    """The same for old lines of the log of changes."""
    for count in _delete(sessions, _changes, _old_changes(_before(sessions, age))):
        yield Purged(0, 0, changes=count)


def _before(sessions: Sessions, age: timedelta) -> datetime:
    with sessions.read() as session:
        before: datetime = session.execute(select(from_now(-age))).scalar_one()
        return before


def _delete(sessions: Sessions, table: Table, wanted: Select[tuple[str]]) -> Iterator[int]:
    """Delete the rows with these ids, some at a time, in the order of their ids; how many at each time."""

    def delete_some(session: Session) -> list[str]:
        after = wanted if last is None else wanted.where(table.c.id > last)
        ids: list[str] = [row.id for row in session.execute(after.order_by(table.c.id).limit(BATCH))]
        if ids:
            session.execute(delete(table).where(table.c.id.in_(ids)))
        return ids

    last = None
    while ids := sessions.run(delete_some):
        last = ids[-1]
        yield len(ids)


def _once(sessions: Sessions, statement: Delete) -> int:
    return sessions.run(lambda session: session.connection().execute(statement).rowcount)


def _old_jobs(before: datetime) -> Select[tuple[str]]:
    """Ended jobs that nothing else needs."""
    return select(_jobs.c.id).where(
        _jobs.c.id < least_id(before),
        _jobs.c.finished_at < before,
        ~exists().where(_members.c.solve_id == _jobs.c.id),
        ~exists().where(StoredSubmission.job_id == _jobs.c.id),
        ~exists().where(StoredSubmission.regrade_id == _jobs.c.id),
        # Solves that are not in the statistics yet must be added first.
        ~exists().where(UncountedSolve.solve_id == _jobs.c.id),
    )


def _old_scrambles(before: datetime) -> Select[tuple[str]]:
    """Scrambles of which no solve is left."""
    solves = exists().where(Solve.scramble_id == _scrambles.c.id)
    return select(_scrambles.c.id).where(_scrambles.c.id < least_id(before), ~solves)


def _old_changes(before: datetime) -> Select[tuple[str]]:
    return select(_changes.c.id).where(_changes.c.id < least_id(before))


def _old_assignments(session: Session, before: datetime) -> list[str]:
    """Assignments whose dates are past and in which nothing has happened since."""
    graded = select(StoredSubmission.id).join(
        _jobs, or_(_jobs.c.id == StoredSubmission.job_id, _jobs.c.id == StoredSubmission.regrade_id)
    )
    younger = [
        select(StoredVersion.version).where(
            StoredVersion.assignment_id == StoredAssignment.id, StoredVersion.created_at >= before
        ),
        select(StoredSubmission.id).where(
            StoredSubmission.assignment_id == StoredAssignment.id, StoredSubmission.submitted_at >= before
        ),
        graded.where(
            StoredSubmission.assignment_id == StoredAssignment.id,
            or_(_jobs.c.finished_at.is_(None), _jobs.c.finished_at >= before),
        ),
        select(StoredRegradeRequest.id).where(
            StoredRegradeRequest.assignment_id == StoredAssignment.id,
            or_(StoredRegradeRequest.created_at >= before, StoredRegradeRequest.answered_at >= before),
        ),
        select(StoredRecord.student).where(
            StoredRecord.assignment_id == StoredAssignment.id, StoredRecord.changed_at >= before
        ),
        select(StoredUpload.id).where(
            StoredUpload.assignment_id == StoredAssignment.id, StoredUpload.uploaded_at >= before
        ),
    ]
    wanted = select(StoredAssignment.id, StoredAssignment.document).where(
        StoredAssignment.created_at < before,
        or_(StoredAssignment.terms_changed_at.is_(None), StoredAssignment.terms_changed_at < before),
        *(~exists(one) for one in younger),
    )
    return [id for id, document in session.execute(wanted) if _last_date(document) < before]


def _last_date(document: str) -> datetime:
    given = AssignmentIn.model_validate_json(document)
    dates = (given.opens, given.due, given.closes, given.release, given.regrade_requests_until)
    return max((date for date in dates if date is not None), default=datetime.min.replace(tzinfo=UTC))


def _gradings(session: Session, assignments: list[str]) -> int:
    """The number of jobs in use that graded submissions to these assignments."""
    of = select(StoredSubmission).where(StoredSubmission.assignment_id.in_(assignments)).subquery()
    return session.scalar(select(func.count(of.c.job_id) + func.count(of.c.regrade_id))) or 0


def _old_experiments(before: datetime) -> Select[tuple[str]]:
    """Experiments all of whose rows ended before."""
    younger = (
        select(_jobs.c.id)
        .join(_members, _members.c.solve_id == _jobs.c.id)
        .where(
            _members.c.experiment_id == _experiments.c.id,
            or_(_jobs.c.state.not_in(sorted(FINAL)), _jobs.c.finished_at >= before),
        )
    )
    return select(_experiments.c.id).where(_experiments.c.created_at < before, ~exists(younger))
