"""Grading: assignments with rubrics, submissions in several formats, and scores with a reason for every deduction.

>>> grading = grade(read_assignment(text), read_submission(data))                      # doctest: +SKIP
>>> grading.score, grading.parts[0].deductions[0].reason                               # doctest: +SKIP
"""

from __future__ import annotations

from hstar.grading.assignments import Assignment, Instance, read_assignment
from hstar.grading.case import databases_of
from hstar.grading.schema import AssignmentIn, Grading, Submission
from hstar.grading.score import score as grade
from hstar.grading.submissions import Read, read_something, read_submission
from hstar.grading.views import student_view

__all__ = [
    "Assignment",
    "AssignmentIn",
    "Grading",
    "Instance",
    "Read",
    "Submission",
    "databases_of",
    "grade",
    "read_assignment",
    "read_something",
    "read_submission",
    "student_view",
]
