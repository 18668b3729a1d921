"""Scoring a submission: every item of the rubric, each deduction with its reason and a command that shows it.

Points are exact fractions until they are shown, and nothing depends on time, so a second grading has the same bytes as
the first.
"""

from __future__ import annotations

from fractions import Fraction

from hstar.grading.assignments import Assignment, Instance, version_of
from hstar.grading.case import VIEWS, Row, matched
from hstar.grading.items import parts, shown
from hstar.grading.schema import Graded, Grading, StudentsPart
from hstar.grading.submissions import Read
from hstar.grading.views import student_copy
from hstar.search import Control

__all__ = ["score"]


def score(assignment: Assignment, read: Read, control: Control | None = None) -> Grading:
    """The grading of a submission; its faults are part of the answer.

    :param control: stops the searches; a grading that was stopped must not be used
    """
    faults = list(read.faults)
    case = matched(assignment, read, control, faults)
    found = [part for number, item in enumerate(assignment.given.rubric, 1) for part in parts(case, number, item)]
    submission = read.submission
    return Grading(
        assignment=assignment.given.title,
        version=assignment.version,
        student=submission.student,
        name=submission.name,
        email=submission.email,
        submission=read.fingerprint,
        named_in_file=read.named,
        score=shown(sum((points for _, points in found), Fraction(0))),
        max_score=shown(sum((Fraction(i.points) for i in assignment.given.rubric if i.kind != "manual"), Fraction(0))),
        parts=[part for part, _ in found],
        graded=[_graded(instance, case.rows.get(instance.name)) for instance in case.instances],
        counting=None if case.common is None else case.common.shown(),
        faults=faults,
        ignored=case.ignored,
        students={
            view: StudentsPart(
                version=version_of(student_copy(assignment, after_due_date=view == "after_due_date")),
                ignored=case.ignored_for_students[view],
            )
            for view in VIEWS
        },
    )


def _graded(instance: Instance, row: Row | None) -> Graded:
    verdict = None if row is None else row.verdict
    return Graded(
        instance=instance.name,
        k=instance.k,
        visibility=instance.visibility,
        row=None if row is None else row.number,
        valid=verdict is not None and verdict.valid,
        length=None if verdict is None else verdict.length,
        optimal_length=None if verdict is None else verdict.optimal_length,
        expanded=None if row is None else row.given.nodes,
        solution=None if row is None else row.solution,
        own=instance.own,
    )
