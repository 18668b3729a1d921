"""Grading a submission: ``POST /v1/assignments/{id}/submissions``, and regrading."""

from __future__ import annotations

from base64 import b64decode

from hstar import schema
from hstar.grading import Assignment, Grading, grade, read_submission
from hstar.grading.intake import rewritten
from hstar.grading.requests import GradingRequest
from hstar.search.control import Stopped
from worker.kinds.kind import Ending, Kind, Work


def run(request: GradingRequest, work: Work) -> Ending[Grading]:
    """The same answer for the same submission and version of the assignment, byte for byte."""
    control = work.control
    work.progress = lambda: schema.Progress(expanded=control.expanded, generated=control.generated)
    assignment = Assignment.of(request.assignment)
    read = read_submission(b64decode(request.content), request.filename)
    known = {"student": request.student, "name": request.name, "email": request.email}
    who: dict[str, str | None] = {key: value for key, value in known.items() if value is not None}
    if request.by_student:  # a student could give somebody else's address, and learning platforms identify people by it
        who["email"] = None
    read.submission = read.submission.model_copy(update=who)
    read.named = request.named_in_file
    grading = grade(assignment, rewritten(read, assignment, request.notation), control)
    if control.cancelled:  # a stopped search may have proved less than a complete one
        raise Stopped
    return Ending(grading)


GRADING = Kind(name="grading", request=GradingRequest, run=run)
