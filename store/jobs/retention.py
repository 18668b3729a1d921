"""Deleting what ended long ago.

Statistics stay, because they have been added up; those by tag and by time are made of the solves themselves, and lose
what is deleted. Jobs that graded a submission, and rows of an experiment of which any part is younger, are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import Delete, Select, Table, delete, exists, func, or_, select

from store.database import Sessions
from store.database.clock import from_now
from store.experiments.models import Experiment, ExperimentMember
from store.grading.models import StoredSubmission
from store.jobs.models import Job
from store.jobs.states import FINAL
from store.statistics.models import UncountedSolve

#: rows of one transaction, so that on SQLite others write in between
BATCH = 500

_jobs = cast(Table, Job.__table__)
_members = cast(Table, ExperimentMember.__table__)
_experiments = cast(Table, Experiment.__table__)


@dataclass(frozen=True, slots=True)
class Purged:
    """How many there were."""

    experiments: int
    jobs: int


def purge(sessions: Sessions, age: timedelta, *, dry: bool = False) -> Purged:
    """Delete what ended more than ``age`` ago, some at a time; with ``dry`` only count it."""
    with sessions.read() as session:
        before = session.execute(select(from_now(-age))).scalar_one()
    experiments, jobs = _old_experiments(before), _old_jobs(before)
    if dry:
        with sessions.read() as session:
            alone = session.scalar(select(func.count()).select_from(jobs.subquery())) or 0
            whole = session.scalar(select(func.count()).select_from(experiments.subquery())) or 0
            ours = _members.c.experiment_id.in_(experiments)
            rows = session.scalar(select(func.count()).select_from(_members).where(ours)) or 0
        return Purged(whole, alone + rows)
    # An experiment that is gone leaves jobs that belong to none.
    found = _repeat(sessions, delete(_experiments).where(_experiments.c.id.in_(experiments.limit(BATCH))))
    return Purged(found, _repeat(sessions, delete(_jobs).where(_jobs.c.id.in_(jobs.limit(BATCH)))))


def _repeat(sessions: Sessions, statement: Delete) -> int:
    total = 0
    while deleted := sessions.run(lambda session: session.connection().execute(statement).rowcount):
        total += deleted
    return total


def _old_jobs(before: datetime) -> Select[tuple[str]]:
    """Ended jobs that nothing else needs."""
    submissions = select(StoredSubmission.id).where(
        or_(StoredSubmission.job_id == _jobs.c.id, StoredSubmission.regrade_id == _jobs.c.id)
    )
    return select(_jobs.c.id).where(
        _jobs.c.created_at < before,
        _jobs.c.finished_at < before,
        ~exists().where(_members.c.solve_id == _jobs.c.id),
        ~exists(submissions),
        # What has not been added up must be first.
        ~exists().where(UncountedSolve.solve_id == _jobs.c.id),
    )


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
