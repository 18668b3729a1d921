"""The gradebook: which attempt counts, what late costs, and what an instructor gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil

from pydantic import Field

from hstar.grading.schema import AssignmentIn, Grading
from hstar.schema import Out

#: of an assignment: what decides, beside its gradings, what a student has
TERMS = ("due", "late", "counts", "attempts")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A grading, and when its submission came.

    ``excused``: it counts for nothing, as after a fault of the service. ``adjustment``: points that an instructor gave
    or took in answer to a request for a regrade. ``changed``: when the score last changed.
    """

    grading: Grading
    submitted: datetime | None = None
    excused: bool = False
    submission: str | None = None
    adjustment: float = 0
    changed: datetime | None = None


class Entry(Out):
    """What one student has."""

    student: str
    name: str | None
    email: str | None
    attempts: int
    score: float = Field(description="with what late costs taken off")
    max_score: float
    late_percent: float
    counted: int = Field(description="which attempt counts, from 1")
    adjustment: float = Field(0, description="points that an instructor gave or took, before what late costs")
    submission: str | None = Field(None, description="the attempt that counts")
    submitted_at: datetime | None = Field(None, description="when that came")
    changed_at: datetime | None = Field(
        None, description="when the score last changed, or a due date or rule that it depends on"
    )


def late_percent(assignment: AssignmentIn, submitted: datetime | None) -> float:
    """What is taken off a submission of this time."""
    if assignment.due is None or submitted is None or submitted <= assignment.due:
        return 0.0
    days = ceil((submitted - assignment.due) / timedelta(days=1))
    if assignment.late.days and days > assignment.late.days:
        return 100.0
    return min(100.0, days * assignment.late.percent_a_day)


def entry(assignment: AssignmentIn, attempts: Sequence[Attempt], terms_changed: datetime | None = None) -> Entry:
    """The gradebook's line of one student, from their attempts in order; those beyond the limit do not count.

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
