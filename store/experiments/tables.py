"""The table of an experiment, computed from columns: the same as `hstar.experiments.table.tabulate` computes from rows.

A hundred thousand rows as objects take seconds, their columns a fraction of a second. Both results must agree to the
last bit (tests/store/test_experiment_tables.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Table as SqlTable
from sqlalchemy import select
from sqlalchemy.orm import Session

from hstar.experiments.growth import growth_of
from hstar.experiments.quality import quality_from
from hstar.experiments.schema import MEASURES, Axis, Group, Outcomes, Series, Table
from hstar.experiments.summaries import summarise
from hstar.experiments.table import GROWING
from store.experiments import records
from store.experiments.models import Experiment, ExperimentMember
from store.solves.models import Solve
from store.solves.status import Status
from store.statistics.observations import Observations, columns

_solves = cast(SqlTable, Solve.__table__)
_members = cast(SqlTable, ExperimentMember.__table__)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: stands for an unknown x
UNKNOWN = -1


def table(session: Session, experiment: Experiment, x: Axis = "k", measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """The table of an experiment's searches. Raises KeyError for an unknown measure."""
    for measure in measures:
        MEASURES[measure]
    wanted = [*columns(measures), _solves.c.length.label("of_solution"), _solves.c.optimality, _solves.c.k]
    found = session.execute(
        select(*wanted)
        .join(_members, _members.c.solve_id == _solves.c.id)
        .where(_members.c.experiment_id == experiment.id)
        .order_by(_members.c.row_index)
    ).all()
    observed = Observations([row[:-3] for row in found], measures)
    status: list[Status | None] = [row[0] for row in found]
    proven = np.array([row[-2] == "proven" for row in found], dtype=np.bool_)
    lengths = _floats(row[-3] for row in found)
    distances = _true_distances(experiment, found, lengths)
    places = np.array([row[-1] for row in found], dtype=np.int64) if x == "k" else distances

    first = {
        row.index: row for row in records.rows(session, experiment, texts=False, last=len(experiment.configurations))
    }
    searching = {number: row.series for number, row in first.items() if row.role == "search"}
    configurations = np.arange(len(found)) % len(experiment.configurations)
    groups, growth, quality = [], [], []
    every = list(dict.fromkeys(searching.values()))
    own = {
        series: np.flatnonzero(np.isin(configurations, [number for number, one in searching.items() if one == series]))
        for series in every
    }
    known = sorted({int(place) for rows in own.values() for place in places[rows]} - {UNKNOWN})
    for place in [*known, UNKNOWN]:
        for series in every:
            here = own[series][places[own[series]] == place]
            if len(here):
                summaries = {measure: summarise(*observed.of(here, measure)) for measure in measures}
                at = None if place == UNKNOWN else place
                groups.append(Group(x=at, series=series, outcomes=_outcomes(status, proven, here), measures=summaries))
    for series in every:
        growing = [measure for measure in measures if measure in GROWING]
        growth += [_growth(observed, own[series], places, series, measure, x) for measure in growing]
        solved = own[series][~np.isnan(lengths[own[series]])]
        pairs = [
            (int(length), None if distance == UNKNOWN else int(distance))
            for length, distance in zip(lengths[solved].tolist(), distances[solved].tolist(), strict=True)
        ]
        quality.append(quality_from(series, first[min(n for n, one in searching.items() if one == series)], pairs))
    return Table(x=x, groups=groups, growth=growth, quality=quality)


def _floats(values: Iterable[Any]) -> Floats:
    """As an array of floats; None becomes NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _true_distances(experiment: Experiment, found: Sequence[Any], lengths: Floats) -> Integers:
    """h* of the instance of each row, or `UNKNOWN` if no search has proven it: the shortest solution, if it equals the
    greatest proven bound. All searches of an experiment have the same moves."""
    proven = np.array([row[-2] == "proven" for row in found], dtype=np.bool_)
    bounds = np.where(proven, lengths, _floats(row[4] for row in found))
    shape = (-1, len(experiment.configurations))
    least = np.where(np.isnan(lengths), np.inf, lengths).reshape(shape).min(axis=1)
    bound = np.where(np.isnan(bounds), -np.inf, bounds).reshape(shape).max(axis=1)
    if (wrong := np.flatnonzero(bound > least)).size:
        raise ValueError(f"a solution of {least[wrong[0]]:g} moves is below a proven bound of {bound[wrong[0]]:g}")
    distance = np.where(least == bound, least, UNKNOWN).astype(np.int64)
    return np.repeat(distance, len(experiment.configurations))


def _outcomes(status: Sequence[Status | None], proven: NDArray[np.bool_], rows: Integers) -> Outcomes:
    counts = Counter(status[row] for row in rows)
    pending = counts.pop(None, 0)
    ended = {one.value: count for one, count in counts.items() if one is not None}
    return Outcomes(n=sum(ended.values()), pending=pending, proven=int(proven[rows].sum()), **ended)


def _growth(observed: Observations, rows: Integers, places: Integers, series: Series, measure: str, x: Axis) -> Any:
    values, is_bound = observed.column(rows, measure)
    there = ~np.isnan(values) & (places[rows] != UNKNOWN)
    at = places[rows]
    censored = {int(place) for place in at[there & is_bound]}
    exact: dict[int, list[float]] = {}
    keep = there & ~is_bound & (values > 0)
    for place, value in zip(at[keep].tolist(), values[keep].tolist(), strict=True):
        exact.setdefault(place, []).append(value)
    return growth_of(exact, censored, series, measure, x)
