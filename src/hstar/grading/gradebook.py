"""A class: whose attempt counts, what late costs, statistics by item, and submissions that are nearly the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import combinations
from math import ceil
from statistics import mean, median

from pydantic import Field

from hstar.grading.schema import AssignmentIn, Grading
from hstar.grading.submissions import Read
from hstar.schema import Out

#: two submissions are shown from this share of equal lines on
SIMILAR = 0.8
#: and from so many lines on
SIMILAR_LINES = 3


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
    changed_at: datetime | None = Field(None, description="when the score last changed")


class ItemStatistics(Out):
    """One item of the rubric over a class."""

    item: str
    max_score: float
    mean: float
    median: float
    full: int = Field(description="students with all points")
    none: int = Field(description="students with no points")


class InstanceStatistics(Out):
    """One instance over a class."""

    instance: str
    k: int | None
    submitted: int
    valid: int
    optimal: int


class Similar(Out):
    """Two submissions whose lines are nearly the same. A hint for a person, not a verdict."""

    students: tuple[str, str]
    lines: int = Field(description="instances that both have")
    same_solutions: int
    same_counts: int = Field(description="of these, with the same number of nodes")
    shared_by_no_other: int = Field(description="equal lines that no third student has")


class ClassStatistics(Out):
    """A class on one assignment."""

    students: int
    mean: float | None
    median: float | None
    items: list[ItemStatistics]
    instances: list[InstanceStatistics] = Field(description="hardest first: fewest valid, then fewest optimal")
    similar: list[Similar]


def late_percent(assignment: AssignmentIn, submitted: datetime | None) -> float:
    """What is taken off a submission of this time."""
    if assignment.due is None or submitted is None or submitted <= assignment.due:
        return 0.0
    days = ceil((submitted - assignment.due) / timedelta(days=1))
    if assignment.late.days and days > assignment.late.days:
        return 100.0
    return min(100.0, days * assignment.late.percent_a_day)


def entry(assignment: AssignmentIn, attempts: Sequence[Attempt]) -> Entry:
    """The gradebook's line of one student, from their attempts in order; those beyond the limit do not count."""
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
        changed_at=max((a.changed for a in counting if a.changed is not None), default=None),
    )


def _exact(points: float) -> Fraction:
    return Fraction(points).limit_denominator(10**6)


def statistics(gradings: Sequence[Grading], reads: Sequence[Read] = ()) -> ClassStatistics:
    """The class, by item and by instance.

    :param gradings: one for each student
    :param reads: their submissions in the same order, for those that are nearly the same
    """
    points: dict[str, list[tuple[Fraction, Fraction]]] = defaultdict(list)
    instances: dict[str, InstanceStatistics] = {}
    for grading in gradings:
        by_item: dict[str, tuple[Fraction, Fraction]] = {}
        for part in grading.parts:
            score, most = by_item.get(part.name, (Fraction(0), Fraction(0)))
            by_item[part.name] = score + Fraction(part.score), most + Fraction(part.max_score)
        for name, reached in by_item.items():
            points[name].append(reached)
        for found in grading.graded:
            before = instances.get(found.instance)
            counts = (before.submitted, before.valid, before.optimal) if before else (0, 0, 0)
            optimal = found.valid and found.length == found.optimal_length
            instances[found.instance] = InstanceStatistics(
                instance=found.instance,
                k=found.k,
                submitted=counts[0] + (found.row is not None),
                valid=counts[1] + found.valid,
                optimal=counts[2] + optimal,
            )
    scores = [grading.score for grading in gradings]
    return ClassStatistics(
        students=len(gradings),
        mean=round(mean(scores), 6) if scores else None,
        median=round(median(scores), 6) if scores else None,
        items=[_item(name, reached) for name, reached in points.items()],
        instances=sorted(instances.values(), key=lambda found: (found.valid, found.optimal)),
        similar=similar(gradings, reads),
    )


def _item(name: str, reached: list[tuple[Fraction, Fraction]]) -> ItemStatistics:
    scores = [float(score) for score, _ in reached]
    return ItemStatistics(
        item=name,
        max_score=round(float(reached[0][1]), 6),
        mean=round(mean(scores), 6),
        median=round(median(scores), 6),
        full=sum(abs(score - most) < Fraction(1, 10**5) for score, most in reached),
        none=sum(score == 0 for score, _ in reached),
    )


Line = tuple[str, int | None]


def similar(gradings: Sequence[Grading], reads: Sequence[Read]) -> list[Similar]:
    """Pairs of students with nearly the same lines. Short instances have few shortest solutions, so equal lines count
    most where no third student has them."""
    lines = [_lines(grading, read) for grading, read in zip(gradings, reads, strict=False)]
    shared = Counter((instance, line) for found in lines for instance, line in found.items())
    pairs = []
    for (a, first), (b, second) in combinations(enumerate(lines), 2):
        both = first.keys() & second.keys()
        if len(both) < SIMILAR_LINES:
            continue
        solutions = [instance for instance in both if first[instance][0] == second[instance][0]]
        counts = [i for i in solutions if first[i][1] is not None and first[i][1] == second[i][1]]
        alone = sum(shared[i, first[i]] == 2 for i in counts)
        if len(counts) >= SIMILAR * len(both) and alone:
            pairs.append(
                Similar(
                    students=(_who(gradings[a]), _who(gradings[b])),
                    lines=len(both),
                    same_solutions=len(solutions),
                    same_counts=len(counts),
                    shared_by_no_other=alone,
                )
            )
    return sorted(pairs, key=lambda pair: (-pair.shared_by_no_other, pair.students))


def _who(grading: Grading) -> str:
    return grading.student or grading.name or grading.submission


def _lines(grading: Grading, read: Read) -> dict[str, Line]:
    rows = dict(read.rows)
    graded: Iterable[tuple[str, int]] = ((g.instance, g.row) for g in grading.graded if g.row is not None)
    return {name: (" ".join(rows[row].solution.split()), rows[row].nodes) for name, row in graded if row in rows}
