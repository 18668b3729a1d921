"""The statistics of experiments, written a second time: row by row, in plain Python and by NumPy's own functions.

Nothing here is from the code that it checks, except the objects in which the answers come.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, floor, log, sqrt
from typing import Any

import numpy as np

from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Excess, Outcomes, Summary

QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}
#: algorithms that go on after their first solution
GO_ON = ("auto", "anytime", "two_phase", "windows")
#: algorithms with f-layers; auto may choose one of them
LAYERED = ("astar", "ida_star", "auto")
LAYERS = ("expanded_last_layer", "expanded_before_last_layer")


def observe(row: ExperimentRow, measure: str) -> tuple[str, float] | None:
    """("exact", value), ("lower_bound", value), or None."""
    if measure == "feasible_length":
        if row.ending == "solved" and row.optimality == "feasible" and row.length is not None:
            return "exact", row.length
        return None
    value = getattr(row, measure)
    gave_up = row.ending == "solved" and row.optimality == "feasible" and row.algorithm in GO_ON
    if row.ending == "solved" and not gave_up:
        return None if value is None else ("exact", value)
    if row.ending not in ("solved", "limit_reached", "cancelled") or row.expanded is None:
        return None
    if measure in LAYERS and row.algorithm not in LAYERED:
        return None
    if measure == "length":
        value = row.lower_bound
    return "lower_bound", 0 if value is None else value


def values(rows: Sequence[ExperimentRow], measure: str) -> tuple[list[float], list[float]]:
    """The exact values and the lower bounds."""
    seen = [found for row in rows if (found := observe(row, measure))]
    return [value for kind, value in seen if kind == "exact"], [value for kind, value in seen if kind != "exact"]


def summarise(exact: Sequence[float], bounds: Sequence[float]) -> Summary:
    found: dict[str, Any] = {}
    if exact:
        array = np.array(exact, dtype=np.float64)
        found = {"mean": np.mean(array), "minimum": min(exact), "maximum": max(exact)}
        found |= {name: np.quantile(array, q) for name, q in QUARTILES.items()}
        if len(exact) > 1:
            found["standard_deviation"] = np.std(array, ddof=1)
    if exact or bounds:
        every = sorted([*exact, *bounds])
        raised = sorted([*exact, *[float("inf")] * len(bounds)])
        for name, q in QUARTILES.items():
            place = q * (len(every) - 1)
            found[f"{name}_all"] = np.quantile(np.array(every, dtype=np.float64), q)
            found[f"{name}_all_at_least"] = any(every[at] != raised[at] for at in (floor(place), ceil(place)))
    numbers = {name: value if isinstance(value, bool) else float(value) for name, value in found.items()}
    return Summary(exact=len(exact), lower_bounds=len(bounds), **numbers)


def summarise_rows(rows: Sequence[ExperimentRow], measure: str) -> Summary:
    return summarise(*values(rows, measure))


def outcomes(rows: Sequence[ExperimentRow]) -> Outcomes:
    names = ("solved", "limit_reached", "exhausted", "cancelled", "failed")
    counts = {name: len([row for row in rows if row.ending == name]) for name in names}
    proven = [row for row in rows if row.optimality == "proven"]
    return Outcomes(n=sum(counts.values()), pending=len(rows) - sum(counts.values()), proven=len(proven), **counts)


def growth(rows: Sequence[ExperimentRow], measure: str, x: str, t: Any) -> dict[str, Any]:
    """The fields of a `Growth`; ``t``: Student's t by degrees of freedom."""
    places = sorted({getattr(row, x) for row in rows} - {None})
    seen = {place: values([row for row in rows if getattr(row, x) == place], measure) for place in places}
    points = [(place, log(v)) for place in places for v in seen[place][0] if v > 0 and not seen[place][1]]
    used = sorted({place for place, _ in points})
    found: dict[str, Any] = {"used": used, "censored": [place for place in places if seen[place][1]]}
    found |= dict.fromkeys(("factor", "low", "high", "spread")) | {"searches": len(points)}
    if len(used) > 1:
        slope, intercept = np.polyfit([place for place, _ in points], [y for _, y in points], 1)
        found["factor"] = power(slope)
        freedom = len(points) - 2
        if freedom > 0:
            middle = sum(place for place, _ in points) / len(points)
            s = sqrt(sum((y - intercept - slope * place) ** 2 for place, y in points) / freedom)
            margin = t(freedom) * s / sqrt(sum((place - middle) ** 2 for place, _ in points))
            found |= {"low": power(slope - margin), "high": power(slope + margin), "spread": power(s)}
    return found


def power(exponent: float) -> float | None:
    """e to this power; None if no float is as large."""
    try:
        return exp(exponent)
    except OverflowError:
        return None


def true_distance(row: ExperimentRow, rows: Sequence[ExperimentRow]) -> int | None:
    """h* of the row's instance, if any of the rows has proven it, or one's solution is as short as another's bound."""
    same = [one for one in rows if (one.identity, one.moves) == (row.identity, row.moves)]
    lengths = [one.length for one in same if one.length is not None]
    bounds = [one.length if one.optimality == "proven" else one.lower_bound for one in same]
    return min(lengths) if lengths and min(lengths) == max(bound or 0 for bound in bounds) else None


def excess(rows: Sequence[ExperimentRow], every: Sequence[ExperimentRow]) -> Excess:
    """Of the solutions of some rows; ``every``: those that may prove distances."""
    found = [
        row.length - distance
        for row in rows
        if row.length is not None and (distance := true_distance(row, every)) is not None
    ]
    return Excess(
        compared=len(found), optimal=len([one for one in found if one == 0]), longest_excess=max(found, default=None)
    )
