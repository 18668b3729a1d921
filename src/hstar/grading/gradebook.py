"""The gradebook: a line for each student, with the attempt that counts, late penalties, marks and adjustments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import Literal

from pydantic import Field

from hstar.grading.records import Record, exact, extended, points_of
from hstar.grading.roster import RosterLine
from hstar.grading.schema import AssignmentIn, Grading
from hstar.schema import Out

#: the fields of an assignment that change a student's result, besides the gradings
TERMS = ("due", "late", "counts", "attempts")

#: mapping: a file waits until its notation is confirmed; missing: nothing was handed in
EntryStatus = Literal["graded", "waiting", "failed", "refused", "mapping", "missing", "excused"]
NO_LINE = RosterLine(student="?")
NO_RECORD = Record()


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


@dataclass(frozen=True, slots=True)
class Work:
    """All that is known of a student on an assignment.

    ``attempts``: what was graded, in order. ``status``: what holds without one. ``faults``: why a file was not graded.
    ``changed``: when the record last changed.
    """

    student: str
    line: RosterLine | None = None
    attempts: Sequence[Attempt] = ()
    record: Record = NO_RECORD
    status: EntryStatus = "missing"
    faults: Sequence[str] = ()
    changed: datetime | None = None


class Entry(Out):
    """The result of one student."""

    student: str
    name: str | None
    email: str | None
    status: EntryStatus = "graded"
    attempts: int
    score: float | None = Field(description="after the late penalty, with marks; null: there is none yet")
    max_score: float = Field(description="of the items that have been graded or marked")
    late_percent: float
    counted: int | None = Field(description="number of the attempt that counts, from 1; null: none")
    adjustment: float = Field(0, description="points that an instructor added or removed")
    adjustment_reason: str | None = None
    marks: float = Field(0, description="points of the manual items")
    pending: list[str] = Field(default_factory=list, description="manual items that nobody has marked yet")
    comment: str | None = None
    extension: bool = False
    faults: list[str] = Field(default_factory=list, description="why a file was not graded, or what of it was not read")
    on_roster: bool = True
    section: str | None = None
    login: str | None = None
    canvas_id: str | None = None
    submission: str | None = Field(None, description="grading of the attempt that counts")
    submitted_at: datetime | None = Field(None, description="when it was submitted")
    changed_at: datetime | None = Field(
        None, description="when the score, or a due date or rule that it depends on, last changed"
    )

    @property
    def final(self) -> bool:
        """Whether the score can go to a learning platform: it is there, and nothing waits for a person."""
        return self.score is not None and not self.pending and self.status in ("graded", "missing", "refused")


def late_percent(assignment: AssignmentIn, submitted: datetime | None) -> float:
    """The late penalty of a submission at this time, in percent."""
    if assignment.due is None or submitted is None or submitted <= assignment.due:
        return 0.0
    days = ceil((submitted - assignment.due) / timedelta(days=1))
    if assignment.late.days and days > assignment.late.days:
        return 100.0
    return min(100.0, days * assignment.late.percent_a_day)


def worth(given: AssignmentIn, attempt: Attempt) -> Fraction:
    """The points of an attempt, with what a regrade request added and after the late penalty."""
    reached = exact(attempt.grading.score) + exact(attempt.adjustment)
    return max(Fraction(0), reached) * (1 - Fraction(late_percent(given, attempt.submitted)) / 100)


@dataclass
class _Counted:
    """The attempt that counts, and its exact points after the late penalty."""

    number: int | None = None
    among: Sequence[Attempt] = ()
    attempt: Attempt | None = None
    points: Fraction = field(default_factory=Fraction)


def entry(
    assignment: AssignmentIn, work: Work, terms_changed: datetime | None = None, now: datetime | None = None
) -> Entry:
    """The gradebook's line for one student; attempts beyond the limit do not count.

    :param terms_changed: when one of `TERMS` last changed
    :param now: after the due date a missing submission has no points; None: it has no score
    """
    record, given = work.record, extended(assignment, work.record.extension)
    counted = _counted(given, work.attempts)
    manual = [(item.name or item.kind, item) for item in given.rubric if item.kind == "manual"]
    marks = {name: points_of(item, record.marks.get(name)) for name, item in manual}
    pending = [name for name, points in marks.items() if points is None]
    given_marks = sum((points for points in marks.values() if points is not None), Fraction(0))
    marked = sum((exact(item.points) for name, item in manual if name not in pending), Fraction(0))
    automatic = sum((exact(item.points) for item in given.rubric if item.kind != "manual"), Fraction(0))
    chosen = counted.attempt
    if chosen is not None:
        automatic = exact(chosen.grading.max_score)
    status: EntryStatus = "excused" if record.excused else "graded" if chosen is not None else work.status
    over = now is not None and given.due is not None and now > (given.closes or given.due)
    decided = bool(marked) or record.adjustment is not None
    without = (status == "missing" and over) or (status in ("missing", "refused") and decided)
    reached = None
    if status == "graded" or without:
        added = Fraction(0) if record.adjustment is None else exact(record.adjustment.points)
        reached = round(float(max(Fraction(0), counted.points + given_marks + added)), 6)
    line = work.line or NO_LINE
    grading = None if chosen is None else chosen.grading
    adjusted = Fraction(0) if chosen is None else exact(chosen.adjustment)
    if record.adjustment is not None:
        adjusted += exact(record.adjustment.points)
    times = (terms_changed, work.changed, *(attempt.changed for attempt in counted.among))
    read = [] if grading is None else [f"{fault.where}: {fault.message}" for fault in grading.faults]
    return Entry(
        student=work.student,
        name=line.name or (grading.name if grading is not None else None),
        email=line.email or (grading.email if grading is not None else None),
        status=status,
        attempts=len(counted.among),
        score=reached,
        max_score=round(float(automatic + marked), 6),
        late_percent=0 if chosen is None else late_percent(given, chosen.submitted),
        counted=counted.number,
        adjustment=round(float(adjusted), 6),
        adjustment_reason=None if record.adjustment is None else record.adjustment.reason,
        marks=round(float(given_marks), 6),
        pending=[] if status == "excused" else pending,
        comment=record.comment,
        extension=record.extension is not None,
        faults=[*work.faults, *read],
        on_roster=work.line is not None,
        section=line.section,
        login=line.login,
        canvas_id=line.canvas_id,
        submission=None if chosen is None else chosen.submission,
        submitted_at=None if chosen is None else chosen.submitted,
        changed_at=max((at for at in times if at is not None), default=None),
    )


def _counted(given: AssignmentIn, attempts: Sequence[Attempt]) -> _Counted:
    counting = [attempt for attempt in attempts if not attempt.excused][: given.attempts]
    if not counting:
        counting = list(attempts[:1])
    if not counting:
        return _Counted()
    scores = [worth(given, attempt) for attempt in counting]
    number = len(scores) - 1 if given.counts == "last" else max(range(len(scores)), key=lambda i: (scores[i], -i))
    return _Counted(number + 1, counting, counting[number], scores[number])


def works(
    roster: Sequence[RosterLine], known: Mapping[str, Work], records: Mapping[str, tuple[Record, datetime | None]]
) -> list[Work]:
    """The work of everybody: first the roster in its order, then others who handed something in, by their ids."""
    lines = {line.student: line for line in roster}
    others = sorted((known.keys() | records.keys()) - lines.keys())
    found = []
    for student in [*lines, *others]:
        work = known.get(student, Work(student))
        record, changed = records.get(student, (NO_RECORD, None))
        found.append(
            Work(student, lines.get(student), work.attempts, record, work.status, work.faults, changed or work.changed)
        )
    return found
