"""What an instructor decides about one student on one assignment: extension, adjustment, marks, comment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from hstar.errors import TEXT, Fault, InvalidRequest
from hstar.grading.schema import AssignmentIn, Moment, RubricItem
from hstar.schema import Strict

__all__ = ["Adjustment", "Extension", "Mark", "Record", "RecordChange", "check_marks", "exact", "extended", "points_of"]

_Reason = Annotated[str, Field(min_length=1, max_length=2000, pattern=TEXT)]
_Given = Annotated[float, Field(ge=0, le=10_000)]


class Extension(Strict):
    """More time, or more attempts, for one student."""

    due: Moment | None = None
    closes: Moment | None = None
    attempts: Annotated[int, Field(ge=1, le=1000)] | None = Field(None, description="so many more")
    reason: _Reason | None = None


class Adjustment(Strict):
    """Points that an instructor adds or removes. They stay through regrades, and lateness does not change them."""

    points: Annotated[float, Field(ge=-10_000, le=10_000)]
    reason: _Reason


class Mark(Strict):
    """The points that a person gave for a manual item, as a whole or by its criteria."""

    points: _Given | None = None
    criteria: dict[str, _Given] | None = Field(None, description="points by the name of the criterion")
    comment: _Reason | None = None
    by: str | None = Field(None, description="who marked it; set by the service")
    at: Moment | None = Field(None, description="when; set by the service")


class RecordChange(Strict):
    """A change of a record: fields left out stay, null removes. ``marks`` are merged item by item."""

    extension: Extension | None = None
    adjustment: Adjustment | None = None
    marks: dict[str, Mark | None] = Field(default_factory=dict)
    comment: _Reason | None = None
    excused: bool = False


class Record(Strict):
    """What was decided about a student."""

    extension: Extension | None = None
    adjustment: Adjustment | None = None
    marks: dict[str, Mark] = Field(default_factory=dict)
    comment: _Reason | None = None
    excused: bool = Field(False, description="needs no submission, and has no score")

    def changed(self, change: RecordChange, by: str | None = None, at: datetime | None = None) -> Record:
        """The record after a change; ``by`` and ``at``: who marked, and when."""
        given = change.model_fields_set - {"marks"}
        marks = dict(self.marks)
        for item, mark in change.marks.items():
            if mark is None:
                marks.pop(item, None)
            else:
                marks[item] = mark.model_copy(update={"by": by, "at": at})
        return self.model_copy(update={name: getattr(change, name) for name in given} | {"marks": marks})


def extended(given: AssignmentIn, extension: Extension | None) -> AssignmentIn:
    """The assignment as it is for a student with an extension."""
    if extension is None:
        return given
    update: dict[str, object] = {}
    if extension.due is not None:
        update["due"] = extension.due
    if given.closes is not None:
        update["closes"] = max(extension.closes or extension.due or given.closes, given.closes)
    if extension.attempts is not None and given.attempts is not None:
        update["attempts"] = given.attempts + extension.attempts
    return given.model_copy(update=update)


def points_of(item: RubricItem, mark: Mark | None) -> Fraction | None:
    """The points of a manual item; None if it is not marked: no points, or not every criterion has some."""
    if mark is None:
        return None
    if item.criteria is None or mark.points is not None:
        return None if mark.points is None else exact(mark.points)
    given = mark.criteria or {}
    if any(one.name not in given for one in item.criteria):
        return None
    return sum((exact(given[one.name]) for one in item.criteria), Fraction(0))


def check_marks(given: AssignmentIn, marks: Mapping[str, Mark | None]) -> None:
    """Raise `InvalidRequest` for marks of items that are not manual, and for too many points; has all faults."""
    manual = {item.name or item.kind: item for item in given.rubric if item.kind == "manual"}
    faults = []
    for name, mark in marks.items():
        where = f"/marks/{name}"
        if name not in manual:
            known = ", ".join(manual) or "none"
            faults.append(Fault(where, f"the rubric has no manual item of this name; it has {known}"))
            continue
        if mark is None:
            continue
        item = manual[name]
        most = {one.name: one.points for one in item.criteria or ()}
        if (mark.points is None) == (mark.criteria is None):
            faults.append(Fault(where, "give either points or criteria"))
        if mark.points is not None and mark.points > item.points:
            faults.append(Fault(f"{where}/points", f"at most {item.points:g}"))
        for criterion, points in (mark.criteria or {}).items():
            if criterion not in most:
                known = ", ".join(most) or "none"
                faults.append(Fault(f"{where}/criteria/{criterion}", f"the item has no such criterion; it has {known}"))
            elif points > most[criterion]:
                faults.append(Fault(f"{where}/criteria/{criterion}", f"at most {most[criterion]:g}"))
    if faults:
        raise InvalidRequest("the marks do not fit the rubric", faults)


def exact(points: float) -> Fraction:
    """Points as they were meant: they have at most six digits behind the point."""
    return Fraction(points).limit_denominator(10**6)
