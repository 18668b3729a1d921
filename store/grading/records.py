"""Storing and reading assignments and submissions.

A submission that its own job could not grade (failed, cancelled) costs no attempt. A regrade leaves the first grading
in force until its own is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar.grading.requests import GradingRequest
from hstar.grading.schema import AssignmentIn
from store.grading.models import StoredAssignment, StoredSubmission
from store.ids import created_at, parse_id
from store.jobs import machine
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.states import State
from store.owners.principal import Principal, visible_to

KIND = "grading"
#: of a regrade: behind every fresh submission
REGRADE_PRIORITY = -50


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """A submission with the job whose answer is in force, and which of the student's submissions it is."""

    row: StoredSubmission
    job: Job
    number: int

    @property
    def counts(self) -> bool:
        """Whether it uses an attempt: not if the service could not grade it."""
        return self.job.state not in (State.FAILED, State.CANCELLED)


def add_assignment(session: Session, id: str, owner: str, given: AssignmentIn, version: str) -> None:
    """Insert an assignment."""
    session.add(
        StoredAssignment(
            id=id, owner=owner, created_at=created_at(id), document=given.model_dump_json(), version=version
        )
    )


def get_assignment(
    session: Session, assignment_id: str, principal: Principal, *, lock: bool = False
) -> StoredAssignment | None:
    """The assignment, if ``principal`` may see it; ``lock``: until the end of the transaction."""
    identifier = parse_id(assignment_id)
    if identifier is None:
        return None
    wanted = select(StoredAssignment).where(
        StoredAssignment.id == identifier, visible_to(principal, StoredAssignment.owner)
    )
    return session.scalar(wanted.with_for_update() if lock else wanted)


def list_assignments(session: Session, principal: Principal, most: int = 1000) -> Sequence[StoredAssignment]:
    """The newest assignments that ``principal`` may see."""
    wanted = select(StoredAssignment).where(visible_to(principal, StoredAssignment.owner))
    return session.scalars(wanted.order_by(StoredAssignment.id.desc()).limit(most)).all()


def submissions(session: Session, assignment_id: str, student: str | None = None) -> list[GradedSubmission]:
    """All submissions to an assignment, or a student's, in the order in which they came."""
    wanted = (
        select(StoredSubmission).where(StoredSubmission.assignment_id == assignment_id).order_by(StoredSubmission.id)
    )
    if student is not None:
        wanted = wanted.where(StoredSubmission.student == student)
    rows = session.scalars(wanted).all()
    own = select(StoredSubmission.job_id).where(StoredSubmission.assignment_id == assignment_id)
    again = select(StoredSubmission.regrade_id).where(StoredSubmission.assignment_id == assignment_id)
    jobs = {job.id: job for job in session.scalars(select(Job).where(Job.id.in_(own.union(again))))}
    found = []
    numbers: dict[str, int] = {}
    for row in rows:
        regrade = None if row.regrade_id is None else jobs.get(row.regrade_id)
        job = regrade if regrade is not None and regrade.state is State.DONE else jobs[row.job_id]
        numbers[row.student] = numbers.get(row.student, 0) + 1
        found.append(GradedSubmission(row, job, numbers[row.student]))
    return found


def add_submission(session: Session, id: str, assignment: StoredAssignment, owner: str, asked: GradingRequest) -> None:
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


def regrade(session: Session, assignment: StoredAssignment) -> int:
    """Queue all submissions again, by the assignment as it now is, behind everything fresh; how many."""
    given = AssignmentIn.model_validate_json(assignment.document)
    found = submissions(session, assignment.id)
    jobs = []
    for graded in found:
        asked = GradingRequest.model_validate_json(
            f'{{"assignment": {given.model_dump_json()}, {graded.row.document[1:]}'
        )
        job = NewJob(KIND, asked.model_dump_json(), assignment.owner, REGRADE_PRIORITY)
        jobs.append(job)
        # The job whose answer is in force becomes the one to fall back on.
        graded.row.job_id = graded.job.id
        graded.row.regrade_id = job.id
    if jobs:
        machine.submit(session, jobs)
    return len(jobs)
