"""The gradebook: the attempt that counts, late penalties, and adjustments by an instructor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil

from pydantic import Field

from hstar.grading.schema import AssignmentIn, Grading
from hstar.schema import Out

#: the fields of an assignment that change a student's result, besides the gradings
TERMS = ("due", "late", "counts", "attempts")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A grading, and the time of its submission.

    ``excused``: it does not count, for example after a fault of the service. ``adjustment``: points that an instructor
    added or removed in answer to a regrade request. ``changed``: when the score last changed.
    """

    grading: Grading
    submitted: datetime | None = None
    excused: bool = False
    submission: str | None = None
    adjustment: float = 0
    changed: datetime | None = None


class Entry(Out):
    """The result of one student."""

    student: str
    name: str | None
    email: str | None
    attempts: int
    score: float = Field(description="after the late penalty")
    max_score: float
    late_percent: float
    counted: int = Field(description="number of the attempt that counts, from 1")
    adjustment: float = Field(0, description="points that an instructor added or removed, before the late penalty")
    submission: str | None = Field(None, description="grading of the attempt that counts")
    submitted_at: datetime | None = Field(None, description="when it was submitted")
    changed_at: datetime | None = Field(
        None, description="when the score, or a due date or rule that it depends on, last changed"
    )


def late_percent(assignment: AssignmentIn, submitted: datetime | None) -> float:
    """The late penalty of a submission at this time, in percent."""
    if assignment.due is None or submitted is None or submitted <= assignment.due:
        return 0.0
    days = ceil((submitted - assignment.due) / timedelta(days=1))
    if assignment.late.days and days > assignment.late.days:
        return 100.0
    return min(100.0, days * assignment.late.percent_a_day)


def entry(assignment: AssignmentIn, attempts: Sequence[Attempt], terms_changed: datetime | None = None) -> Entry:
    """The gradebook's line for one student, from all attempts in order; attempts beyond the limit do not count.

    :param terms_changed: when one of `TERMS` last changed
    """
    counting = [attempt for attempt in attempts if not attempt.excused][: assignment.attempts]
    if not counting:
        counting = list(attempts[:1])
    scores = []
    for attempt in counting:
        taken = Fraction(late_percent(assignment, attempt.submitted)) / 100
        reached = _exact(attempt.grading.score) + _exact(attempt.adjustment)
        scores.append(max(Fraction(0), reached) * (1 - taken))
    number = len(scores) - 1 if assignment.counts == "last" else max(range(len(scores)), key=lambda i: (scores[i], -i))
    chosen = counting[number]
    best = chosen.grading
    return Entry(
        student=best.student or "",
        name=best.name,
        email=best.email,
        attempts=len(counting),
        score=round(float(scores[number]), 6),
        max_score=best.max_score,
        late_percent=late_percent(assignment, chosen.submitted),
        counted=number + 1,
        adjustment=chosen.adjustment,
        submission=chosen.submission,
        submitted_at=chosen.submitted,
        changed_at=max((at for at in (terms_changed, *(a.changed for a in counting)) if at is not None), default=None),
    )


def _exact(points: float) -> Fraction:
    return Fraction(points).limit_denominator(10**6)
