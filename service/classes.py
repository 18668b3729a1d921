"""Permissions on assignments: instructors may do everything, students only what concerns their own submissions.

A student submits and reads under the name of their key, and sees no hidden items.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.grading import Assignment, AssignmentIn, Grading, student_view
from hstar.grading.case import VIEWS
from hstar.grading.gradebook import Attempt, Entry, EntryStatus, Work, entry, works
from hstar.grading.records import extended
from hstar.grading.requests import View
from hstar.grading.views import after_due_date, student_copy
from service.context import context, principal
from service.errors import ProblemError
from store.grading import assignments, records, rosters, submissions, uploads
from store.grading.models import StoredAssignment
from store.grading.submissions import GradedSubmission
from store.jobs.states import State
from store.owners.roles import Role


def is_student() -> bool:
    """Whether the current request comes from a student."""
    return principal().role is Role.STUDENT


def read_assignment(session: Session, assignment_id: str, *, lock: bool = False) -> StoredAssignment:
    """The assignment; raises `ProblemError` unless the current request may read it."""
    row = assignments.get(session, assignment_id, principal(), lock=lock)
    if row is None or (is_student() and not opened(document_of(row))):
        raise ProblemError("not-found", f"there is no assignment {assignment_id!r:.60}")
    return row


def opened(given: AssignmentIn) -> bool:
    """Whether students may see the assignment."""
    return given.opens is None or datetime.now(UTC) >= given.opens


def released(given: AssignmentIn) -> bool:
    """Whether students may see scores and reasons."""
    return given.release is None or datetime.now(UTC) >= given.release


def manage_assignment(session: Session, assignment_id: str, *, lock: bool = False) -> StoredAssignment:
    """The assignment; raises `ProblemError` unless the current request may change it and see the whole class."""
    row = read_assignment(session, assignment_id, lock=lock)
    if is_student():
        raise ProblemError("role-needed", "this is for the instructors of the assignment")
    return row


def find_assignment(assignment_id: str) -> StoredAssignment:
    """The current version of the assignment, for reading."""
    with context().sessions.read() as session:
        return read_assignment(session, assignment_id)


def find_managed(assignment_id: str) -> StoredAssignment:
    """The current version of the assignment, for an instructor."""
    with context().sessions.read() as session:
        return manage_assignment(session, assignment_id)


def read_submission(session: Session, row: StoredAssignment, submission_id: str) -> GradedSubmission:
    """The submission; raises `ProblemError` unless the current request may read it."""
    found = submissions.get(session, row.id, submission_id)
    if found is None or (is_student() and found.row.student != principal().owner):
        raise ProblemError("not-found", f"there is no submission {submission_id!r:.60}")
    return found


def whose(student: str | None, where: str) -> str | None:
    """The student whom a request concerns; raises `ProblemError` if a student's key names another student."""
    if not is_student():
        return student
    own = principal().owner
    if student not in (None, own):
        fault = Fault(where, f"with this key only the submissions of {own} can be read and handed in")
        raise ProblemError("invalid-request", "the key belongs to another student", [fault])
    return own


def view_of(asked: View = "instructor") -> View:
    """The view of the current request: always the student's with a student's key."""
    return "student" if is_student() else asked


def seen_by_caller(given: AssignmentIn) -> AssignmentIn:
    """An assignment as the current request may see it."""
    if not is_student():
        return given
    return student_copy(Assignment.of(given), after_due_date=after_due_date(given, datetime.now(UTC)))


def grading_of(graded: GradedSubmission, given: AssignmentIn, view: View = "instructor") -> Grading | None:
    """The grading in force, in a view; None if the submission has not been graded, or students may not see it yet."""
    if graded.job.answer is None or (view == "student" and not released(given)):
        return None
    grading = Grading.model_validate_json(graded.job.answer)
    if view == "instructor":
        return grading
    return student_view(
        grading, after_due_date=after_due_date(given, datetime.now(UTC)),
        reasons=graded.number >= given.reasons_from_attempt,
    )  # fmt: skip


def document_of(row: StoredAssignment) -> AssignmentIn:
    """The assignment as it was posted."""
    return AssignmentIn.model_validate_json(row.document)


def terms_of(session: Session, row: StoredAssignment, given: AssignmentIn, student: str) -> AssignmentIn:
    """The assignment as it is for one student, with their extension."""
    record, _ = records.get(session, row.id, student)
    return extended(given, record.extension)


def to_attempt(graded: GradedSubmission, given: AssignmentIn, view: View) -> Attempt | None:
    """A submission as the gradebook sees it; None if it has not been graded."""
    grading = grading_of(graded, given, view)
    if grading is None or graded.job.state is not State.DONE:
        return None
    return Attempt(
        grading, graded.row.submitted_at, submission=graded.row.id, adjustment=graded.adjustment,
        changed=graded.changed_at,
    )  # fmt: skip


def class_work(
    session: Session, row: StoredAssignment, given: AssignmentIn, view: View = "instructor", student: str | None = None
) -> list[Work]:
    """The work of everybody on the roster and of everybody who handed something in, or of one student.

    In the student's view the best attempt, too, is chosen by visible items alone, so that it reveals nothing of hidden
    ones.
    """
    decided = records.of_assignment(session, row.id)
    scope = rosters.scope_of_assignment(row, given)
    if student is None:
        roster = rosters.read(session, scope)
    else:
        line = rosters.line(session, scope, student)
        roster, decided = [] if line is None else [line], {k: v for k, v in decided.items() if k == student}
    known: dict[str, Work] = {}
    for graded in submissions.in_order(session, row.id, student):
        who = graded.row.student
        mine = extended(given, decided[who][0].extension) if who in decided else given
        work, attempt = known.get(who, Work(who)), to_attempt(graded, mine, view)
        if attempt is not None:
            known[who] = replace(work, attempts=[*work.attempts, attempt], status="graded")
        elif not work.attempts:
            waits: EntryStatus = "waiting" if graded.counts else "failed"
            known[who] = replace(work, status=waits, faults=[graded.job.error] if graded.job.error else [])
    for upload in uploads.not_submitted(session, row.id):
        if upload.student is None or student not in (None, upload.student):
            continue
        work = known.get(upload.student, Work(upload.student))
        status: EntryStatus = "mapping" if upload.status == "mapping" else "refused"
        faults = [*work.faults, f"{upload.filename}: {upload.message or upload.status}"]
        known[upload.student] = replace(work, faults=faults, status=work.status if work.status != "missing" else status)
    found = works(roster, known, decided)
    return found or [Work(student)] if student is not None else found


def entry_of(session: Session, row: StoredAssignment, given: AssignmentIn, student: str, view: View) -> Entry:
    """The gradebook's line of one student, in a view."""
    (work,) = class_work(session, row, given, view, student)
    now = datetime.now(UTC)
    if view == "student":
        shown = VIEWS["after_due_date" if after_due_date(extended(given, work.record.extension), now) else "visible"]
        kept = [item for item in given.rubric if item.kind != "manual" or item.visibility in shown]
        given = given.model_copy(update={"rubric": kept})
    return entry(given, work, row.terms_changed_at, now)
