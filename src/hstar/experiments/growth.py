"""By which factor does a measure grow with each move? A least-squares fit of its logarithm, with its spread.

For searches with x (k or true distance) and y (a measure), ln y = a + b x is fitted, and the factor is e^b. A search
that hit a limit has no y. Leaving it out but keeping the easier searches of the same x would make the line too flat. So
an x is used only if all its searches were solved; the others are listed as ``censored``. A y of 0 has no logarithm and
is left out.

With n points, Sxx = sum (x - mean x)^2 and residuals e: s^2 = sum e^2 / (n - 2), the standard error of b is
s / sqrt(Sxx), the interval b +- t(0.975, n - 2) times that, and the spread e^s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from math import atan2, cos, exp, pi, sin, sqrt
from statistics import NormalDist

import numpy as np

from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Axis, Growth, Series
from hstar.experiments.summaries import observe


def fit_growth(rows: Iterable[ExperimentRow], series: Series, measure: str, x: Axis) -> Growth:
    """The growth of a measure over the rows of one series, without rows of unknown true distance."""
    exact: dict[int, list[float]] = {}
    censored: set[int] = set()
    for row in rows:
        place: int | None = getattr(row, x)
        seen = observe(row, measure)
        if place is None or seen is None:
            continue
        if seen.kind == "lower_bound":
            censored.add(place)
        elif seen.value > 0:
            exact.setdefault(place, []).append(seen.value)
    return growth_of(exact, censored, series, measure, x)


def growth_of(
    exact: Mapping[int, Sequence[float]], censored: Collection[int], series: Series, measure: str, x: Axis
) -> Growth:
    """The growth through the exact values above 0 at each x, without the x at which a search was not solved."""
    used = sorted(exact.keys() - set(censored))
    points = [(place, value) for place in used for value in exact[place]]
    growth = Growth(series=series, measure=measure, x=x, used=used, censored=sorted(censored), searches=len(points))
    return growth if len(used) < 2 else growth.model_copy(update=fit(points))


def fit(points: list[tuple[int, float]]) -> dict[str, float | None]:
    """The factor of (x, y) with at least two different x and y > 0; its interval and spread from three points on."""
    x = np.asarray([place for place, _ in points], dtype=np.float64)
    y = np.log(np.asarray([value for _, value in points], dtype=np.float64))
    dx = x - x.mean()
    sxx = float((dx * dx).sum())
    slope = float((dx * (y - y.mean())).sum()) / sxx
    found = {"factor": _power(slope)}
    freedom = len(points) - 2
    if freedom > 0:
        residuals = y - y.mean() - slope * dx
        s = sqrt(float((residuals * residuals).sum()) / freedom)
        margin = student_t(freedom) * s / sqrt(sxx)
        found |= {"low": _power(slope - margin), "high": _power(slope + margin), "spread": _power(s)}
    return found


def _power(exponent: float) -> float | None:
    """e to this power; None if it is too large for a float, as the interval of three scattered searches can be."""
    return exp(exponent) if exponent < 700 else None


@cache
def student_t(freedom: int) -> float:
    """The t that encloses 95 % of Student's distribution on both sides, for a whole number of degrees of freedom.

    Bisection of the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4; above 200 their expansion 26.7.5, which
    is then right to nine digits.
    """
    if freedom > 200:
        z = NormalDist().inv_cdf(0.975)
        g1, g2 = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + g1 / freedom + g2 / freedom**2 + g3 / freedom**3
    low, high = 0.0, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _enclosed(middle, freedom) < 0.95 else (low, middle)
    return low


def _enclosed(t: float, freedom: int) -> float:
    """P(|T| <= t)."""
    angle = atan2(t, sqrt(freedom))
    odd = freedom % 2
    term, total = (cos(angle), 0.0) if odd else (1.0, 0.0)
    for n in range(odd + 1, freedom, 2):
        total += term
        term *= cos(angle) ** 2 * n / (n + 1)
    if odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total
