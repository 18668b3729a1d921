"""How many of the solutions in each group of solves are as short as the true distance, where that is known.

A solve proves the distance of its instance if its solution is proven, or if its length equals the largest lower bound
that any solve of the instance has proven. Instances are compared by their scrambles. A solve of another start counts
only if its own solution is proven. Solves are read themselves, so this is for answers about few of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from store.solves.status import Status
from store.statistics.aggregation import Question, grouped_by, where_solves
from store.statistics.observations import solves

#: an instance: what it is, its solving moves, and its scramble
_INSTANCE = ("puzzle", "goal", "moves", "scramble_moves", "k", "seed")


@dataclass(slots=True)
class Optimum:
    """Of the solutions of a group: those whose distance is known, those as short as it, and the largest excess."""

    compared: int = 0
    optimal: int = 0
    longest_excess: int | None = None


def optima(session: Session, question: Question, most: int) -> Mapping[tuple[Any, ...], Optimum] | None:
    """For each group with solutions, by its values; None if the question is about more than ``most`` solves."""
    by, source = grouped_by(solves, question, solves.c.outcome)
    instance = [solves.c[name] for name in _INSTANCE]
    wanted = select(*by, *instance, solves.c.outcome, solves.c.length, solves.c.optimality, solves.c.lower_bound)
    found = session.execute(
        wanted.select_from(source).where(solves.c.outcome.in_(question.final), *where_solves(question)).limit(most + 1)
    ).all()
    if len(found) > most:
        return None
    bounds: dict[tuple[Any, ...], int] = {}
    least: dict[tuple[Any, ...], int] = {}
    width = len(by)
    for row in found:
        key, (length, optimality, bound) = tuple(row[width:-4]), row[-3:]
        proven = length if optimality == "proven" else bound
        bounds[key] = max(bounds.get(key, 0), proven or 0)
        if length is not None:
            least[key] = min(least.get(key, length), length)
    groups: dict[tuple[Any, ...], Optimum] = {}
    for row in found:
        key, (outcome, length, optimality, _) = tuple(row[width:-4]), row[-4:]
        if outcome is not Status.SOLVED:
            continue
        known = length if optimality == "proven" else None
        if key[-1] is not None and least[key] == bounds[key]:
            known = least[key]
        group = groups.setdefault(tuple(row[:width]), Optimum())
        if known is not None:
            group.compared += 1
            group.optimal += length == known
            group.longest_excess = max(group.longest_excess or 0, length - known)
    return groups
