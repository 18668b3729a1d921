"""The scores of submissions as narrow rows, for statistics over many assignments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, ColumnElement, Double, cast, func, select
from sqlalchemy.orm import Session

from store.grading.assignments import readable_by
from store.grading.models import StoredAssignment, StoredSubmission
from store.grading.submissions import IN_FORCE, state_in_force, with_jobs
from store.jobs.states import State
from store.owners.principal import Principal


@dataclass(frozen=True, slots=True)
class Scored:
    """A submission, with its score if it has been graded."""

    assignment: str
    student: str
    state: State
    score: float | None
    max_score: float | None


def scores(
    session: Session, principal: Principal, assignments: Sequence[str] = (), students: Sequence[str] = ()
) -> list[Scored]:
    """The submissions to all assignments that ``principal`` may read, or to some of them, or of some students."""
    sqlite = session.get_bind().dialect.name == "sqlite"

    def number(name: str) -> ColumnElement[float]:
        if sqlite:
            return func.json_extract(IN_FORCE, f"$.{name}")
        return cast(func.json_extract_path_text(cast(IN_FORCE, JSON), name), Double)

    columns: list[Any] = [StoredSubmission.assignment_id, StoredSubmission.student, state_in_force]
    found = select(*columns, number("score"), number("max_score"))
    wanted = with_jobs(found)
    wanted = wanted.join(StoredAssignment, StoredAssignment.id == StoredSubmission.assignment_id)
    wanted = wanted.where(readable_by(principal)).order_by(StoredSubmission.id)
    if assignments:
        wanted = wanted.where(StoredSubmission.assignment_id.in_(assignments))
    if students:
        wanted = wanted.where(StoredSubmission.student.in_(students))
    return [Scored(*row) for row in session.execute(wanted)]
