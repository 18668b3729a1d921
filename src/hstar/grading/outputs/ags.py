"""Score objects of LTI Assignment and Grade Services 2.0 (imsglobal.org): ``application/vnd.ims.lis.v1.score+json``.

Checked against app/controllers/lti/ims/scores_controller.rb of github.com/instructure/canvas-lms, at 02bc7b3.

The timestamp says which of two scores is newer; a platform drops the older one. It is the time at which the score last
changed, or the time of the file if only files are known.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from hstar.errors import Fault, InvalidRequest
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry, EntryStatus
from hstar.grading.outputs.tables import reasons
from hstar.grading.schema import Grading

#: the time of a submission if it is unknown
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


Progress = Literal["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]


class Score(BaseModel):
    """One score for one user."""

    model_config = ConfigDict(extra="forbid")

    userId: Annotated[str, Field(min_length=1, max_length=255)]  # noqa: N815  # the standard's name
    timestamp: AwareDatetime
    scoreGiven: Annotated[float, Field(ge=0)] | None = None  # noqa: N815
    scoreMaximum: Annotated[float, Field(gt=0)] | None = None  # noqa: N815
    comment: str | None = None
    activityProgress: Literal["Initialized", "Started", "InProgress", "Submitted", "Completed"]  # noqa: N815
    gradingProgress: Progress  # noqa: N815

    @model_validator(mode="after")
    def _of_what(self) -> Score:
        if (self.scoreGiven is None) != (self.scoreMaximum is None):
            raise ValueError("scoreGiven and scoreMaximum belong together")
        return self


def scores(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> list[Score]:
    """The scores; `InvalidRequest` names the submissions without a student."""
    faults = [
        Fault(f"submission {number}", "an AGS score needs the student's id")
        for number, entry in enumerate(entries, start=1)
        if not entry.student
    ]
    if faults:
        raise InvalidRequest("some submissions do not name their student", faults)
    return [
        Score(
            userId=entry.student,
            timestamp=entry.changed_at or entry.submitted_at or EPOCH,
            scoreGiven=entry.score if entry.final else None,
            scoreMaximum=assignment.max_score if entry.final else None,
            comment=reasons(entry, grading) or None,
            activityProgress="Completed" if entry.attempts else "Initialized",
            gradingProgress=_progress(entry),
        )
        for entry, grading in zip(entries, gradings, strict=True)
    ]


def _progress(entry: Entry) -> Progress:
    if entry.final:
        return "FullyGraded"
    if entry.pending and entry.status == "graded":
        return "PendingManual"
    known: dict[EntryStatus, Progress] = {"waiting": "Pending", "failed": "Failed", "refused": "Failed"}
    return known.get(entry.status, "NotReady")


def write(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """A list of score objects, or one of them if there is one."""
    found = [score.model_dump(mode="json", exclude_none=True) for score in scores(assignment, gradings, entries)]
    return json.dumps(found[0] if len(found) == 1 else found, indent=2) + "\n"
