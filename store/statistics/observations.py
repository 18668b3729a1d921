"""Observations of measures from rows of ended solves, by the rules of `hstar.experiments.summaries.observe`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Double, Table

from hstar.experiments.schema import MEASURES
from hstar.experiments.summaries import has_measure
from store.solves.models import Solve
from store.solves.status import Status
from store.statistics.distributions import Distributions, Floats, Integers

solves = cast(Table, Solve.__table__)

#: measures of whole numbers
WHOLE = frozenset(measure for measure in MEASURES if not isinstance(solves.c[measure].type, Double))

#: outcomes that give a lower bound, if the search had begun
BOUNDED = (Status.LIMIT_REACHED, Status.CANCELLED)


def columns(measures: Sequence[str]) -> list[Column[Any]]:
    """The columns of ``solves`` that `Observations` reads, in order."""
    return [solves.c[name] for name in ("outcome", "algorithm", "expanded", "lower_bound", *measures)]


class Observations:
    """The values of some measures of many ended solves, exact ones or lower bounds; NaN: no observation."""

    def __init__(self, rows: Sequence[Sequence[Any]], measures: Sequence[str]) -> None:
        """``rows`` have `columns` of the measures."""
        self.measures = tuple(measures)
        solved = np.fromiter((row[0] is Status.SOLVED for row in rows), dtype=np.bool_, count=len(rows))
        bounded = np.fromiter((row[0] in BOUNDED for row in rows), dtype=np.bool_, count=len(rows))
        # With one extra column, so that no row is empty. None becomes NaN.
        table: Floats = np.array([row[2:] for row in rows], dtype=np.float64).reshape(len(rows), 2 + len(measures))
        self._is_bound = bounded & ~np.isnan(table[:, 0])
        self._values = table[:, 2:]
        for place, measure in enumerate(measures):
            if measure == "length":
                self._values[self._is_bound, place] = table[self._is_bound, 1]
        # A stopped search may have no value of a measure; its lower bound is then 0.
        unknown = self._is_bound[:, None] & np.isnan(self._values)
        self._values[unknown] = 0.0
        self._values[~(solved | self._is_bound)] = np.nan
        # A measure that the algorithm does not have gives no observation.
        algorithms = np.array([row[1] for row in rows], dtype=np.object_)
        for algorithm in set(algorithms):
            for place, measure in enumerate(measures):
                if not has_measure(algorithm, measure):
                    self._values[self._is_bound & (algorithms == algorithm), place] = np.nan

    def column(self, rows: Integers, measure: str) -> tuple[Floats, NDArray[np.bool_]]:
        """The values of a measure in some rows, NaN where there is none, and which of them are lower bounds."""
        return self._values[rows, self.measures.index(measure)], self._is_bound[rows]

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
            exact, bound = seen & ~self._is_bound, seen & self._is_bound
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
