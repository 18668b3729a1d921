"""Storing and reading submissions.

A submission whose job could not grade it (failed, cancelled) costs no attempt. During a regrade the old grading stays
in force until the new one is done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, case, func, or_, select
from sqlalchemy.orm import Session, aliased, defer

from hstar.grading.requests import GradingRequest
from store.grading.models import StoredAssignment, StoredRegradeRequest, StoredSubmission
from store.ids import created_at, parse_id
from store.jobs import machine
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.states import State

KIND = "grading"
#: priority of a regrade: after all new submissions
REGRADE_PRIORITY = -50
#: ids in one statement
AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """A submission with the job whose answer is in force, and its number among the student's submissions.

    ``regrade``: a job that is grading it again. ``adjustment``: points that an instructor gave; ``adjusted_at``: when.
    """

    row: StoredSubmission
    job: Job
    regrade: Job | None
    number: int
    adjustment: float
    adjusted_at: datetime | None

    @property
    def changed_at(self) -> datetime | None:
        """When the score last changed; None if there is no score."""
        return max(filter(None, (self.job.finished_at, self.adjusted_at)), default=None)

    @property
    def counts(self) -> bool:
        """Whether it uses an attempt; False if the service could not grade it."""
        return self.job.state not in (State.FAILED, State.CANCELLED)


_first, _again, _earlier = aliased(Job), aliased(Job), aliased(StoredSubmission)
#: the state and the answer of the job that is in force
state_in_force: ColumnElement[State] = case((_again.state == State.DONE, _again.state), else_=_first.state)
IN_FORCE: ColumnElement[str | None] = case((_again.state == State.DONE, _again.answer), else_=_first.answer)


def with_jobs(statement: Select[Any]) -> Select[Any]:
    """A statement on submissions, joined to the jobs that graded them."""
    joined = statement.join(_first, _first.id == StoredSubmission.job_id)
    return joined.outerjoin(_again, _again.id == StoredSubmission.regrade_id)


def _select(*where: ColumnElement[bool]) -> Select[Any]:
    """Submissions with their jobs and numbers, but without their files, which may be large."""
    number = (
        select(func.count())
        .where(
            _earlier.assignment_id == StoredSubmission.assignment_id,
            _earlier.student == StoredSubmission.student,
            _earlier.id <= StoredSubmission.id,
        )
        .scalar_subquery()
    )
    adjustment = (
        select(func.coalesce(func.sum(StoredRegradeRequest.adjustment), 0.0))
        .where(StoredRegradeRequest.submission_id == StoredSubmission.id)
        .scalar_subquery()
    )
    adjusted_at = (
        select(func.max(StoredRegradeRequest.answered_at))
        .where(StoredRegradeRequest.submission_id == StoredSubmission.id)
        .scalar_subquery()
    )
    found = select(StoredSubmission, _first, _again, number, adjustment, adjusted_at).where(*where)
    return with_jobs(found).options(
        defer(StoredSubmission.document), defer(_first.request), defer(_again.request)
    )  # fmt: skip


def _read(session: Session, wanted: Select[Any]) -> list[GradedSubmission]:
    found = []
    for row, first, again, number, adjustment, adjusted_at in session.execute(wanted):
        in_force = again if again is not None and again.state is State.DONE else first
        pending = again if again is not None and not again.state.final else None
        found.append(GradedSubmission(row, in_force, pending, number, adjustment, adjusted_at))
    return found


def get(session: Session, assignment_id: str, submission_id: str) -> GradedSubmission | None:
    """One submission to an assignment."""
    identifier = parse_id(submission_id)
    if identifier is None:
        return None
    wanted = _select(StoredSubmission.id == identifier, StoredSubmission.assignment_id == assignment_id)
    return next(iter(_read(session, wanted)), None)


def page(
    session: Session,
    assignment_id: str,
    *,
    student: str | None = None,
    state: State | None = None,
    cursor: str | None = None,
    size: int = 50,
) -> list[GradedSubmission]:
    """At most ``size`` submissions to an assignment, newest first, after the one with the id ``cursor``."""
    wanted = _select(StoredSubmission.assignment_id == assignment_id).order_by(StoredSubmission.id.desc()).limit(size)
    if student is not None:
        wanted = wanted.where(StoredSubmission.student == student)
    if state is not None:
        wanted = wanted.where(state_in_force == state)
    if cursor is not None:
        wanted = wanted.where(StoredSubmission.id < cursor)
    return _read(session, wanted)


def in_order(session: Session, assignment_id: str, student: str | None = None) -> list[GradedSubmission]:
    """All submissions to an assignment, or a student's, oldest first."""
    wanted = _select(StoredSubmission.assignment_id == assignment_id).order_by(StoredSubmission.id)
    return _read(session, wanted if student is None else wanted.where(StoredSubmission.student == student))


def count(session: Session, assignment_id: str) -> int:
    """The number of submissions to an assignment."""
    wanted = select(func.count()).select_from(StoredSubmission).where(StoredSubmission.assignment_id == assignment_id)
    return session.scalar(wanted) or 0


def add(session: Session, id: str, assignment: StoredAssignment, owner: str, asked: GradingRequest) -> None:
    """Insert a submission and queue its grading."""
    job = NewJob(KIND, asked.model_dump_json(), owner)
    machine.submit(session, [job])
    session.add(
        StoredSubmission(
            id=id,
            assignment_id=assignment.id,
            student=asked.student,
            submitted_at=created_at(id),
            document=asked.model_dump_json(exclude={"assignment"}),
            job_id=job.id,
        )
    )


def graded_by(session: Session, jobs: Sequence[str]) -> dict[str, StoredSubmission]:
    """By the id of a job, the submission that it graded."""
    graded = or_(StoredSubmission.job_id.in_(jobs), StoredSubmission.regrade_id.in_(jobs))
    found: dict[str, StoredSubmission] = {}
    for row in session.scalars(select(StoredSubmission).where(graded)) if jobs else ():
        found |= {job: row for job in (row.job_id, row.regrade_id) if job is not None}
    return found


def document(session: Session, submission_id: str) -> dict[str, Any] | None:
    """A submission as it was received: a GradingRequest without its assignment."""
    found = session.scalar(select(StoredSubmission.document).where(StoredSubmission.id == submission_id))
    return None if found is None else json.loads(found)


def delete(session: Session, found: Sequence[GradedSubmission]) -> None:
    """Delete submissions with the jobs that graded them.

    A grading that waits is deleted; one that runs is cancelled, and its job goes with others that have ended.
    """
    for graded in found:
        session.delete(graded.row)
    session.flush()
    _forget(session, [job for g in found for job in (g.row.job_id, g.row.regrade_id) if job is not None])


def regrade(session: Session, assignment: StoredAssignment, found: Sequence[GradedSubmission]) -> int:
    """Queue submissions again with the present version of the assignment, after all new ones; returns how many.

    Unfinished gradings of these submissions are cancelled, because their answers would be replaced at once.
    """
    requests = _requests(session, assignment, [graded.row.id for graded in found])
    jobs = [NewJob(KIND, requests[g.row.id], assignment.owner, REGRADE_PRIORITY, quick=False) for g in found]
    if jobs:
        machine.submit(session, jobs)
    replaced = []
    for graded, job in zip(found, jobs, strict=True):
        # The job whose answer is in force is kept as the fallback.
        row, kept = graded.row, graded.job.id
        replaced += [old for old in (row.job_id, row.regrade_id) if old is not None and old != kept]
        row.job_id, row.regrade_id = kept, job.id
    session.flush()
    _forget(session, replaced)
    return len(jobs)


def _forget(session: Session, jobs: Iterable[str]) -> None:
    """Delete jobs, which have the submitted file, too; one that runs is cancelled, and goes when it has ended."""
    for job in jobs:
        machine.request_cancel(session, job)
        machine.delete(session, job)


def _requests(session: Session, assignment: StoredAssignment, ids: Sequence[str]) -> dict[str, str]:
    """A submission as a GradingRequest in JSON with the present assignment, joined from two JSON texts of ours."""
    found = {}
    for first in range(0, len(ids), AT_ONCE):
        piece = ids[first : first + AT_ONCE]
        wanted = select(StoredSubmission.id, StoredSubmission.document).where(StoredSubmission.id.in_(piece))
        for id, document in session.execute(wanted):
            found[id] = f'{{"assignment":{assignment.document},{document[1:]}'
    return found
