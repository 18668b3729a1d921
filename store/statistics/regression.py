"""The factor by which a measure grows with each move: `hstar.experiments.growth`, from distributions instead of rows.

For the searches at one x, the least squares fit of ln y = a + b x needs only their number, the mean of ln y and the sum
of its squared differences. Distributions have these, so the fit is as exact as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, sqrt
from typing import Any

import numpy as np

from hstar.experiments.growth import student_t
from store.statistics.distributions import Distributions

#: beyond this e^x overflows
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True, slots=True)
class Growth:
    """The fit of one measure along x, for the groups that share ``series``; see `hstar.experiments.schema.Growth`."""

    series: tuple[Any, ...]
    measure: str
    x: str
    factor: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    searches: int = 0
    used: list[int] = field(default_factory=list)
    censored: list[int] = field(default_factory=list)


def fit(
    series: tuple[Any, ...],
    measure: str,
    x: str,
    places: Sequence[tuple[int | None, int]],
    exact: Distributions,
    bounds: Distributions,
) -> Growth:
    """The growth over ``places``, pairs of x and group; only an x whose searches were all solved is used."""
    known = sorted((place, group) for place, group in places if place is not None)
    censored = [place for place, group in known if bounds.count[group]]
    used = [(place, group) for place, group in known if exact.logs_count[group] and not bounds.count[group]]
    groups = [group for _, group in used]
    at = np.array([place for place, _ in used], dtype=np.float64)
    count = exact.logs_count[groups]
    searches = int(count.sum())
    factors: dict[str, float | None] = {}
    if len(used) > 1:
        y = exact.logs_mean[groups]
        dx = at - float((count * at).sum()) / searches
        dy = y - float((count * y).sum()) / searches
        sxx = float((count * dx * dx).sum())
        slope = float((count * dx * dy).sum()) / sxx
        factors["factor"] = _power(slope)
        freedom = searches - 2
        if freedom > 0:
            residuals = dy - slope * dx
            s = sqrt(float(exact.logs_squares[groups].sum() + (count * residuals * residuals).sum()) / freedom)
            margin = student_t(freedom) * s / sqrt(sxx)
            factors |= {"low": _power(slope - margin), "high": _power(slope + margin), "spread": _power(s)}
    return Growth(series, measure, x, searches=searches, used=[p for p, _ in used], censored=censored, **factors)


def _power(exponent: float) -> float | None:
    return exp(exponent) if exponent < _LARGEST_EXPONENT else None
