"""What a student may see of a grading: hidden items, and whatever would tell of them, are left out."""

from __future__ import annotations

from fractions import Fraction

from hstar.grading.schema import Grading


def student_view(grading: Grading, *, after_due_date: bool = False) -> Grading:
    """The grading without hidden items. Totals are of what is left, so that they tell nothing of the rest."""
    shown = ("visible", "after_due_date") if after_due_date else ("visible",)
    parts = [part for part in grading.parts if part.visibility in shown]
    hidden = {found.instance for found in grading.graded if found.visibility not in shown}
    return grading.model_copy(
        update={
            "parts": parts,
            "score": round(float(sum(Fraction(part.score).limit_denominator(10**6) for part in parts)), 6),
            "max_score": round(float(sum(Fraction(part.max_score).limit_denominator(10**6) for part in parts)), 6),
            "graded": [found for found in grading.graded if found.instance not in hidden],
            "ignored": [line for line in grading.ignored if not any(name in line for name in hidden)],
        }
    )
