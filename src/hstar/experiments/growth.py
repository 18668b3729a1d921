"""By which factor does a measure grow with each move? A least-squares fit of its logarithm, with its spread.

For searches with x (k or true distance) and y (a measure), ln y = a + b x is fitted, and the factor is e^b. A search
that hit a limit has no y. Leaving it out but keeping the easier searches of the same x would make the line too flat. So
an x is used only if all its searches were solved; the others are listed as ``censored``. A y of 0 has no logarithm and
is left out.

With n points, Sxx = sum (x - mean x)^2 and residuals e: s^2 = sum e^2 / (n - 2), the standard error of b is
s / sqrt(Sxx), the interval b +- t(0.975, n - 2) times that, and the spread e^s. Of the searches at one x this needs
only their number, the mean of ln y and the sum of its squared differences, which distributions have; so the fit is as
exact as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import atan2, cos, exp, pi, sin, sqrt
from statistics import NormalDist

import numpy as np

from hstar.experiments.distributions import Floats, Integers
from hstar.experiments.schema import Fit
from hstar.experiments.summaries import Observed

#: beyond this e^x overflows
_LARGEST_EXPONENT = 700.0


def grow(places: Sequence[tuple[int | None, int]], seen: Observed) -> Fit:
    """The growth over ``places``, pairs of x and group; an x of None is left out."""
    known = sorted((x, group) for x, group in places if x is not None)
    censored = [x for x, group in known if seen.bounds.count[group]]
    used = [(x, group) for x, group in known if seen.exact.logs_count[group] and not seen.bounds.count[group]]
    at, groups = np.array([x for x, _ in used], dtype=np.float64), [group for _, group in used]
    exact = seen.exact
    count = exact.logs_count[groups]
    fitted = fit(at, count, exact.logs_mean[groups], exact.logs_squares[groups]) if len(used) > 1 else {}
    return Fit(searches=int(count.sum()), used=[x for x, _ in used], censored=censored, **fitted)


def fit(x: Floats, count: Integers, mean: Floats, squares: Floats) -> dict[str, float | None]:
    """The factor through at least two different x, and from three points on its interval and spread.

    At each x there are ``count`` points; ``mean`` is that of their ln y, and ``squares`` the sum of its squared
    differences.
    """
    points = int(count.sum())
    dx = x - float((count * x).sum()) / points
    dy = mean - float((count * mean).sum()) / points
    sxx = float((count * dx * dx).sum())
    slope = float((count * dx * dy).sum()) / sxx
    found = {"factor": _power(slope)}
    freedom = points - 2
    if freedom > 0:
        residuals = dy - slope * dx
        s = sqrt(float(squares.sum() + (count * residuals * residuals).sum()) / freedom)
        margin = student_t(freedom) * s / sqrt(sxx)
        found |= {"low": _power(slope - margin), "high": _power(slope + margin), "spread": _power(s)}
    return found


def _power(exponent: float) -> float | None:
    """e to this power; None if it is too large for a float, as the interval of three scattered searches can be."""
    return exp(exponent) if exponent < _LARGEST_EXPONENT else None


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
