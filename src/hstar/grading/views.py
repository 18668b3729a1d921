"""A student's view of an assignment and of a grading: without hidden items and whatever would reveal them.

Totals are over the rest. Grading with a student's copy of the assignment gives the student's view of the grading,
because its points are those of the visible instances.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction

from hstar.grading.assignments import Assignment, Instance
from hstar.grading.case import VIEWS
from hstar.grading.items import PER_INSTANCE, covered, stricter
from hstar.grading.records import exact
from hstar.grading.schema import AssignmentIn, Grading, InstanceIn, RubricItem, StudentsPart, StudentsView, Visibility

__all__ = ["after_due_date", "student_copy", "student_view", "written_out"]


def after_due_date(assignment: AssignmentIn, now: datetime) -> bool:
    """Whether the parts visible after the due date are visible now."""
    return assignment.due is not None and now > assignment.due


def student_view(grading: Grading, *, after_due_date: bool = False, reasons: bool = True) -> Grading:
    """The grading without hidden items; ``reasons``: with reasons, notes, and results by instance."""
    view = _view(after_due_date)
    shown = VIEWS[view]
    parts = [part for part in grading.parts if part.visibility in shown]
    if not reasons:
        parts = [part.model_copy(update={"deductions": [], "notes": []}) for part in parts]
    graded = [found for found in grading.graded if found.visibility in shown]
    theirs = grading.students.get(view, StudentsPart(version="", ignored=[]))
    return grading.model_copy(
        update={
            "version": theirs.version,
            "parts": parts,
            "score": _total(part.score for part in parts),
            "max_score": _total(part.max_score for part in parts),
            "graded": graded if reasons else [],
            "counting": grading.counting if reasons else None,
            "ignored": theirs.ignored,
            "students": {},
            "named_in_file": None,
        }
    )


def _view(after_due_date: bool) -> StudentsView:
    return "after_due_date" if after_due_date else "visible"


def _total(points: Iterable[float]) -> float:
    return float(sum(map(exact, points)))


def student_copy(assignment: Assignment, *, after_due_date: bool = False) -> AssignmentIn:
    """The students' copy of the assignment: visible instances written out, visible items, and their points.

    It has no seeds, because a visible instance may share its seed with a hidden one. It does not have the assignment's
    version either, because that would allow students to check a guessed seed.
    """
    shown = VIEWS[_view(after_due_date)]
    instances = [written_out(i, assignment) for i in assignment.instances if i.visibility in shown]
    rubric = [kept for item in assignment.given.rubric if (kept := _part_of(item, assignment, shown)) is not None]
    update = {"instances": instances, "rubric": rubric}
    return assignment.given.model_copy(update=update)


def written_out(instance: Instance, assignment: Assignment) -> InstanceIn:
    """An instance as an assignment takes it, without a seed."""
    puzzle = assignment.puzzle
    if instance.alg is not None:
        return InstanceIn(name=instance.name, alg=puzzle.format_alg(instance.alg), visibility=instance.visibility)
    shown = puzzle.format_state(instance.state)
    state = {"pieces": shown["pieces"]} if "pieces" in shown else shown
    return InstanceIn(name=instance.name, state=state, visibility=instance.visibility)


def _part_of(item: RubricItem, assignment: Assignment, shown: tuple[Visibility, ...]) -> RubricItem | None:
    """The item with the points of its visible part; None if it has none."""
    if item.visibility not in shown:
        return None
    update: dict[str, object] = {}
    if item.kind in PER_INSTANCE and assignment.instances and not assignment.given.own_scrambles:
        seen = sum(stricter(item.visibility, instance.visibility) in shown for instance in assignment.instances)
        update["points"] = float(Fraction(item.points) * seen / len(assignment.instances))
    elif item.kind == "covers_k":
        wanted = item.k or []
        kept = [k for k in wanted if covered(assignment.instances, k, item.visibility)[0] in shown]
        update["points"] = float(Fraction(item.points) * len(kept) / len(wanted))
        update["k"] = kept
    return None if update.get("points") == 0 else item.model_copy(update=update)
