"""Every statistic of a measure, each declared and computed in one place: a field of `Summary`.

    mean: Annotated[float | None, Computed(lambda seen: ...)] = None

A further field is a further statistic of the command line, the HTTP API, tables and CSV files; nothing else lists them.
It is computed for all groups of searches at once, from `Observed`: the distributions of the exact values and of the
lower bounds (`hstar.experiments.observations` says which searches give which), be they of single searches or from a
rollup of millions.

Quantile q of n sorted values x[0..n-1] is x[i] + (q(n - 1) - i)(x[i+1] - x[i]) with i = floor(q(n - 1)): NumPy's
"linear", SQL's ``percentile_cont``. Over all observations, each lower bound is used as a value. The quantile is flagged
``at_least`` if x[i] or x[i+1] (if its weight is not 0) would change with all lower bounds raised to infinity. If
flagged, it is a lower bound of the true quantile. If not, it is the true one, whatever the stopped searches would have
reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hstar.experiments.distributions import Distributions
from hstar.schema import Out


@dataclass(frozen=True)
class Observed:
    """What searches say about one measure, by group: exact values, and lower bounds of stopped searches."""

    exact: Distributions
    bounds: Distributions

    @cached_property
    def all(self) -> Distributions:
        """Both together, each bound with its own value; only for quantiles."""
        return self.exact.with_lower_bounds(self.bounds)

    def where_exact(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of the groups that have exact observations; NaN for the others."""
        return np.where(self.exact.count > 0, values, np.nan)


@dataclass(frozen=True)
class Computed:
    """How a statistic is computed: one number for each group, NaN for too few observations."""

    by: Callable[[Observed], NDArray[Any]]


def _quantile(q: float) -> Computed:
    return Computed(lambda seen: seen.exact.quantile(q))


def _quantile_of_all(q: float) -> Computed:
    return Computed(lambda seen: seen.all.quantile(q))


def _may_be_larger(q: float) -> Computed:
    return Computed(lambda seen: seen.exact.is_open(q, seen.bounds, seen.all))


class Summary(Out):
    """One measure over one group of searches.

    An observation is *exact* if the search was solved, and a *lower bound* if it stopped at a limit or was cancelled
    while running, or if ``auto``, ``anytime``, ``two_phase`` or ``windows`` ended with a solution that is not proven
    shortest. Statistics without ``_all`` are over the exact ones only. Those with ``_all`` are over both, with
    each lower bound as a value, and ``_at_least`` says that the true value may be larger. Quantiles are interpolated
    linearly (NumPy's "linear", SQL's ``percentile_cont``); the standard deviation is the sample's (n - 1). Null: too
    few observations.
    """

    exact: Annotated[int, Computed(lambda seen: seen.exact.count)] = Field(
        description="solved searches with this measure"
    )
    lower_bounds: Annotated[int, Computed(lambda seen: seen.bounds.count)] = Field(
        description="searches with only a lower bound"
    )
    mean: Annotated[float | None, Computed(lambda seen: seen.where_exact(seen.exact.mean))] = None
    standard_deviation: Annotated[float | None, Computed(lambda seen: seen.exact.deviation())] = None
    minimum: Annotated[float | None, Computed(lambda seen: seen.where_exact(seen.exact.minimum))] = None
    lower_quartile: Annotated[float | None, _quantile(0.25)] = None
    median: Annotated[float | None, _quantile(0.5)] = None
    upper_quartile: Annotated[float | None, _quantile(0.75)] = None
    maximum: Annotated[float | None, Computed(lambda seen: seen.where_exact(seen.exact.maximum))] = None
    lower_quartile_all: Annotated[float | None, _quantile_of_all(0.25)] = None
    lower_quartile_all_at_least: Annotated[bool, _may_be_larger(0.25)] = False
    median_all: Annotated[float | None, _quantile_of_all(0.5)] = None
    median_all_at_least: Annotated[bool, _may_be_larger(0.5)] = False
    upper_quartile_all: Annotated[float | None, _quantile_of_all(0.75)] = None
    upper_quartile_all_at_least: Annotated[bool, _may_be_larger(0.75)] = False


_COMPUTED = {
    name: next(part.by for part in field.metadata if isinstance(part, Computed))
    for name, field in Summary.model_fields.items()
}


def summarise(seen: Observed) -> list[Summary]:
    """The statistics of each group."""
    columns = [_without_nan(by(seen)) for by in _COMPUTED.values()]
    return [Summary(**dict(zip(_COMPUTED, values, strict=True))) for values in zip(*columns, strict=True)]


def _without_nan(column: NDArray[Any]) -> list[Any]:
    """Its values; None for NaN."""
    found = column.astype(object)
    found[column != column] = None
    return list(found)
