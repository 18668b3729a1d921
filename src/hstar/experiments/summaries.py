"""Censored statistics: a search that hit a limit counts as a lower bound.

For one measure, a row is

- an **exact** observation: it was solved, and the measure has a value;
- a **lower bound**: it stopped at a limit, or was cancelled while it ran; or it is *unfinished*: solved, but by an
  algorithm that goes on to a proof, and ended without one. The bound is the counter at that moment; for ``length`` it
  is the proven bound on h*; if nothing is known (the last f-layer of a search that did not reach it), it is 0;
- **no observation**: it failed, was cancelled before it began, exhausted the state space, or has not ended.

``feasible_length`` has only exact observations: the lengths of solutions that are not proven shortest.

Quantile q of n sorted values x[0..n-1] is x[i] + (q(n - 1) - i)(x[i+1] - x[i]) with i = floor(q(n - 1)): NumPy's
"linear", SQL's ``percentile_cont``. Over all observations, each lower bound is used as a value. The quantile is flagged
``at_least`` if x[i] or x[i+1] (if its weight is not 0) would change with all lower bounds raised to infinity. If
flagged, it is a lower bound of the true quantile. If not, it is the true one, whatever the stopped searches would have
reached.

>>> summarise(exact=[5, 5, 9], bounds=[20, 20]).median_all
9.0
>>> summarise(exact=[5, 9], bounds=[20, 20, 20]).median_all_at_least
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import Any, Literal, NamedTuple

import numpy as np

from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import MEASURES, Summary
from hstar.schema import Algorithm
from hstar.search import ALGORITHMS

QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}


class Observation(NamedTuple):
    """What one search says about a measure."""

    kind: Literal["exact", "lower_bound"]
    value: float


#: the measure of solutions that are not proven shortest
FEASIBLE_LENGTH = "feasible_length"
#: measures of the last f-layer, which not every algorithm has
LAYERS = ("expanded_last_layer", "expanded_before_last_layer")


def has_measure(algorithm: Algorithm, measure: str) -> bool:
    """Whether searches by this algorithm have the measure at all."""
    return measure not in LAYERS or algorithm == "auto" or ALGORITHMS[algorithm].layers


_GOES_ON = frozenset({"auto", *(name for name, algorithm in ALGORITHMS.items() if algorithm.improves)})


def goes_on(algorithm: str) -> bool:
    """Whether the algorithm goes on after its first solution, to a proof: an end without one is a lower bound."""
    return algorithm in _GOES_ON


def observe(row: ExperimentRow, measure: str) -> Observation | None:
    """The observation of the measure in the row, or None."""
    unfinished = row.status == "solved" and row.optimality == "feasible" and goes_on(row.algorithm)
    if measure == FEASIBLE_LENGTH or (row.status == "solved" and not unfinished):
        value = getattr(row, measure)
        return None if value is None else Observation("exact", value)
    if not (unfinished or row.status in ("limit_reached", "cancelled")) or row.expanded is None:
        return None
    if not has_measure(row.algorithm, measure):
        return None
    value = row.lower_bound if measure == "length" else getattr(row, measure)
    return Observation("lower_bound", 0 if value is None else value)


def summarise_rows(rows: Iterable[ExperimentRow], measure: str) -> Summary:
    """The statistics of one measure; `KeyError` if there is no such measure."""
    MEASURES[measure]
    observations = [found for found in (observe(row, measure) for row in rows) if found]
    return summarise(
        [value for kind, value in observations if kind == "exact"],
        [value for kind, value in observations if kind == "lower_bound"],
    )


def summarise(exact: Sequence[float], bounds: Sequence[float]) -> Summary:
    """The statistics of exact observations and lower bounds, in float64, in their order, by NumPy's own functions."""
    return Summary(exact=len(exact), lower_bounds=len(bounds), **_of_exact(exact), **_of_all(exact, bounds))


def _of_exact(exact: Sequence[float]) -> dict[str, Any]:
    if not exact:
        return {}
    values = np.asarray(exact, dtype=np.float64)
    found = {
        "mean": float(values.mean()),
        "minimum": float(values.min()),
        "maximum": float(values.max()),
    }
    if len(values) > 1:
        found["standard_deviation"] = float(values.std(ddof=1))
    return found | {name: float(np.quantile(values, q, method="linear")) for name, q in QUARTILES.items()}


def _of_all(exact: Sequence[float], bounds: Sequence[float]) -> dict[str, Any]:
    if not exact and not bounds:
        return {}
    values = np.sort(np.asarray([*exact, *bounds], dtype=np.float64))
    raised = np.sort(np.asarray([*exact, *[np.inf] * len(bounds)], dtype=np.float64))
    found: dict[str, Any] = {}
    for name, q in QUARTILES.items():
        found[f"{name}_all"] = float(np.quantile(values, q, method="linear"))
        place = q * (len(values) - 1)
        weighty = slice(floor(place), ceil(place) + 1)
        found[f"{name}_all_at_least"] = bool((values[weighty] != raised[weighty]).any())
    return found
