"""Which searches say what about a measure: a search that hit a limit counts as a lower bound.

For one measure, a search is

- an **exact** observation: it was solved, and the measure has a value;
- a **lower bound**: it stopped at a limit, or was cancelled while it ran; or it is *unfinished*: solved, but by an
  algorithm that goes on to a proof, and ended without one. The bound is the counter at that moment; for ``length`` it
  is the proven bound on h*; if nothing is known (the last f-layer of a search that did not reach it), it is 0;
- **no observation**: it failed, was cancelled before it began, exhausted the state space, or has not ended.

``feasible_length`` has only exact observations: the lengths of solutions that are not proven shortest.

Searches are given as `Columns`, which a database has anyway, and of which rows are a special case (`columns_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hstar.experiments.distributions import Distributions, Floats, Integers
from hstar.experiments.rows import ExperimentRow, columns_of, number_groups
from hstar.experiments.schema import FEASIBLE_LENGTH, MEASURES
from hstar.experiments.summaries import Observed, Summary, summarise
from hstar.schema import RATES, Algorithm
from hstar.search import ALGORITHMS

#: for each name a value of each search
Columns: TypeAlias = Mapping[str, Sequence[Any]]

#: the columns that decide whether a search gives an exact value, a lower bound or nothing
KIND = ("ending", "algorithm", "optimality")
NOTHING, EXACT, BOUND = range(3)
#: measures of the last f-layer, which not every algorithm has
LAYERS = ("expanded_last_layer", "expanded_before_last_layer")

_GOES_ON = frozenset({"auto", *(name for name, algorithm in ALGORITHMS.items() if algorithm.improves)})


def goes_on(algorithm: str) -> bool:
    """Whether the algorithm goes on after its first solution, to a proof: an end without one is a lower bound."""
    return algorithm in _GOES_ON


def has_measure(algorithm: Algorithm, measure: str) -> bool:
    """Whether searches by this algorithm have the measure at all."""
    return measure not in LAYERS or algorithm == "auto" or ALGORITHMS[algorithm].layers


def gives(ending: str | None, algorithm: Algorithm, optimality: str | None, measure: str) -> int:
    """What such a search says about the measure: `EXACT`, `BOUND` (if it had begun) or `NOTHING`."""
    solved, feasible = ending == "solved", optimality == "feasible"
    if measure == FEASIBLE_LENGTH:
        return EXACT if solved and feasible else NOTHING
    if ending in ("limit_reached", "cancelled") or (solved and feasible and goes_on(algorithm)):
        return BOUND if has_measure(algorithm, measure) else NOTHING
    return EXACT if solved else NOTHING


def column_of(measure: str) -> str:
    """The column that has the values of a measure. Raises KeyError for an unknown one."""
    MEASURES[measure]
    return "length" if measure == FEASIBLE_LENGTH else measure


def needed(measures: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns that `Observations` reads."""
    return tuple(dict.fromkeys([*KIND, "expanded", "lower_bound", *map(column_of, measures)]))


def is_whole(measure: str) -> bool:
    """Whether the measure has whole numbers only."""
    MEASURES[measure]
    return measure not in ("seconds", *RATES)


def given_by(columns: Columns) -> Callable[[str], NDArray[np.int64]]:
    """For a measure what each search gives: `EXACT`, `BOUND` (if it had begun) or `NOTHING`."""
    # There are few kinds of searches.
    kinds, numbers = number_groups(list(zip(*(columns[name] for name in KIND), strict=True)))

    def given(measure: str) -> NDArray[np.int64]:
        of_kinds = [gives(ending, algorithm, optimality, measure) for ending, algorithm, optimality in kinds]
        return np.array(of_kinds, dtype=np.int64)[numbers]

    return given


class Observations:
    """The values of some measures of many searches, exact ones or lower bounds; NaN: no observation."""

    def __init__(self, columns: Columns, measures: Sequence[str]) -> None:
        """``columns``: those that are `needed` for the measures."""
        begun = np.array([value is not None for value in columns["expanded"]], dtype=np.bool_)
        given = given_by(columns)
        self._values: dict[str, Floats] = {}
        self._is_bound: dict[str, NDArray[np.bool_]] = {}
        for measure in measures:
            # None becomes NaN.
            values = np.array(columns[column_of(measure)], dtype=np.float64)
            given_here = given(measure)
            bound = (given_here == BOUND) & begun
            values[~bound & (given_here != EXACT)] = np.nan
            if measure == "length":
                values[bound] = np.array(columns["lower_bound"], dtype=np.float64)[bound]
            # A stopped search may have no value of a measure; its lower bound is then 0.
            values[bound & np.isnan(values)] = 0.0
            self._values[measure], self._is_bound[measure] = values, bound

    def column(self, measure: str) -> tuple[Floats, NDArray[np.bool_]]:
        """The value of each search, NaN where there is none, and which of them are lower bounds."""
        return self._values[measure], self._is_bound[measure]

    def observed(self, measure: str, groups: Integers, size: int) -> Observed:
        """The observations of a measure, by group: the numbers of ``groups`` are below ``size``."""
        values, is_bound = self.column(measure)
        seen = ~np.isnan(values)
        exact, bounds = (
            Distributions.of(values[chosen], groups[chosen], size, whole=is_whole(measure))
            for chosen in (seen & ~is_bound, seen & is_bound)
        )
        return Observed(exact, bounds)


class Observation(NamedTuple):
    """What one search says about a measure."""

    kind: Literal["exact", "lower_bound"]
    value: float


def observe(rows: Iterable[ExperimentRow], measure: str) -> list[Observation | None]:
    """What each search says about the measure. Raises KeyError for an unknown one."""
    values, is_bound = Observations(columns_of(rows, needed([measure])), [measure]).column(measure)
    return [
        None if value != value else Observation("lower_bound" if bound else "exact", value)
        for value, bound in zip(values.tolist(), is_bound.tolist(), strict=True)
    ]


def summarise_rows(rows: Iterable[ExperimentRow], measure: str) -> Summary:
    """The statistics of one measure; `KeyError` if there is no such measure."""
    columns = columns_of(rows, needed([measure]))
    everything = np.zeros(len(columns["ending"]), dtype=np.int64)
    return summarise(Observations(columns, [measure]).observed(measure, everything, 1))[0]
