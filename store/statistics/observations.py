"""Observations of measures from rows of ended solves, by the rules of `hstar.experiments.summaries.observe`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Double, Table

from hstar.experiments.schema import MEASURES
from hstar.experiments.summaries import FEASIBLE_LENGTH, goes_on, has_measure
from store.solves.models import Solve
from store.solves.status import Status
from store.statistics.distributions import Distributions, Floats, Integers

solves = cast(Table, Solve.__table__)

#: measures of whole numbers
WHOLE = frozenset(
    measure for measure in MEASURES if measure == FEASIBLE_LENGTH or not isinstance(solves.c[measure].type, Double)
)

#: outcomes that give a lower bound, if the search had begun
BOUNDED = (Status.LIMIT_REACHED, Status.CANCELLED)


def columns(measures: Sequence[str]) -> list[Column[Any]]:
    """The columns of ``solves`` that `Observations` reads, in order."""
    names = ["length" if measure == FEASIBLE_LENGTH else measure for measure in measures]
    return [solves.c[name] for name in ("outcome", "algorithm", "optimality", "expanded", "lower_bound", *names)]


def is_bound(outcome: Status, algorithm: str, optimality: str | None, measure: str) -> bool | None:
    """Whether such solves give lower bounds of the measure (if they had begun) or exact values; None: neither."""
    solved, feasible = outcome is Status.SOLVED, optimality == "feasible"
    if measure == FEASIBLE_LENGTH:
        return False if solved and feasible else None
    if outcome in BOUNDED or (solved and feasible and goes_on(algorithm)):
        return True
    return False if solved else None


class Observations:
    """The values of some measures of many ended solves, exact ones or lower bounds; NaN: no observation."""

    def __init__(self, rows: Sequence[Sequence[Any]], measures: Sequence[str]) -> None:
        """``rows`` have `columns` of the measures."""
        self.measures = tuple(measures)
        # With two extra columns, so that no row is empty. None becomes NaN.
        table: Floats = np.array([row[3:] for row in rows], dtype=np.float64).reshape(len(rows), 2 + len(measures))
        self._values = table[:, 2:]
        self._is_bound = np.zeros(self._values.shape, dtype=np.bool_)
        begun = ~np.isnan(table[:, 0])
        # There are few kinds of rows.
        kinds, numbers = number_groups([tuple(row[:3]) for row in rows])
        for (outcome, algorithm, optimality), number in kinds.items():
            own = numbers == number
            for place, measure in enumerate(measures):
                bound = is_bound(outcome, algorithm, optimality, measure)
                # A measure that the algorithm does not have gives no observation.
                if bound is None or (bound and not has_measure(algorithm, measure)):
                    self._values[own, place] = np.nan
                elif bound:
                    self._is_bound[own, place] = begun[own]
                    self._values[own & ~begun, place] = np.nan
                    if measure == "length":
                        self._values[own & begun, place] = table[own & begun, 1]
        # A stopped search may have no value of a measure; its lower bound is then 0.
        self._values[self._is_bound & np.isnan(self._values)] = 0.0

    def column(self, rows: Integers, measure: str) -> tuple[Floats, NDArray[np.bool_]]:
        """The values of a measure in some rows, NaN where there is none, and which of them are lower bounds."""
        place = self.measures.index(measure)
        return self._values[rows, place], self._is_bound[rows, place]

    def of(self, rows: Integers, measure: str) -> tuple[list[float], list[float]]:
        """The exact values and the lower bounds of a measure in some rows, in their order."""
        values, is_bound = self.column(rows, measure)
        seen = ~np.isnan(values)
        return values[seen & ~is_bound].tolist(), values[seen & is_bound].tolist()

    def distributions(self, groups: Integers, size: int) -> Iterator[tuple[str, Distributions, Distributions]]:
        """For each measure, its exact values and its lower bounds, by group."""
        for place, measure in enumerate(self.measures):
            values = self._values[:, place]
            seen = ~np.isnan(values)
            exact, bound = seen & ~self._is_bound[:, place], seen & self._is_bound[:, place]
            whole = measure in WHOLE
            yield (
                measure,
                Distributions.of(values[exact], groups[exact], size, whole=whole),
                Distributions.of(values[bound], groups[bound], size, whole=whole),
            )


def number_groups(keys: Sequence[Any]) -> tuple[dict[Any, int], NDArray[np.int64]]:
    """Number the distinct keys in order of their first occurrence; returns them, and the number of each key."""
    numbers: dict[Any, int] = {}
    found = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), dtype=np.int64, count=len(keys))
    return numbers, found
