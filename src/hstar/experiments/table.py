"""The report's table: a line for each k (or true distance) and way to search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hstar.experiments.growth import fit_growth
from hstar.experiments.quality import quality_of
from hstar.experiments.rows import ExperimentRow, outcomes, searches, series_of
from hstar.experiments.schema import MEASURES, Axis, Group, Series, Table
from hstar.experiments.summaries import summarise_rows

#: measures whose growth with each move is fitted
GROWING = ("expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes")


def tabulate(rows: Iterable[ExperimentRow], x: Axis = "k", measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """The table of an experiment's searches, by x and then in the order of the series.

    By true distance, rows must carry it (`with_true_distances`); those of unknown distance form a last line, x None.

    :raises KeyError: there is no such measure
    """
    rows = searches(rows)
    found: dict[tuple[int | None, Series], list[ExperimentRow]] = {}
    every = series_of(rows)
    for row in rows:
        found.setdefault((getattr(row, x), row.series), []).append(row)
    places = sorted({place for place, _ in found if place is not None})
    groups = [
        Group(
            x=place,
            series=series,
            outcomes=outcomes(group),
            measures={measure: summarise_rows(group, measure) for measure in measures},
        )
        for place in [*places, None]
        for series in every
        if (group := found.get((place, series)))
    ]
    of_series = {series: [row for row in rows if row.series == series] for series in every}
    growth = [
        fit_growth(of_series[series], series, measure, x)
        for series in every
        for measure in measures
        if measure in GROWING
    ]
    quality = [quality_of(series, of_series[series]) for series in every]
    return Table(x=x, groups=groups, growth=growth, quality=quality)
