"""The report's table: a line for each k (or true distance) and way to search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hstar.experiments.grouped import Grouped
from hstar.experiments.growth import grow
from hstar.experiments.observations import Columns, needed
from hstar.experiments.quality import STATED, quality_from, solutions, stated_of
from hstar.experiments.rows import ExperimentRow, columns_of, number_groups, searches
from hstar.experiments.schema import MEASURES, Axis, Group, Growth, Series, Table


def tabulate(rows: Iterable[ExperimentRow], x: Axis = "k", measures: Sequence[str] = tuple(MEASURES)) -> Table:
    """The table of an experiment's searches, by x and then in the order of the series.

    By true distance, rows must carry it (`with_true_distances`); those of unknown distance form a last line, x None.

    :raises KeyError: there is no such measure
    """
    rows = searches(rows)
    every, numbers = number_groups([row.series for row in rows])
    of_series = numbers.tolist()
    first = [rows[of_series.index(number)] for number in every.values()]
    return table_of(first, of_series, columns_of(rows, table_columns(measures, x)), x, measures)


def table_columns(measures: Sequence[str], x: Axis) -> tuple[str, ...]:
    """The names of the columns that `table_of` reads."""
    return tuple(dict.fromkeys([*needed(measures), *STATED, "true_distance", x]))


def table_of(
    first: Sequence[ExperimentRow], series: Sequence[int], columns: Columns, x: Axis, measures: Sequence[str]
) -> Table:
    """The same from columns: ``series`` is the number of each search's series, ``first`` the first row of each."""
    grouped = Grouped.of(columns, list(zip(columns[x], series, strict=True)), measures)
    keys, names = grouped.keys, [row.series for row in first]
    order = sorted(range(len(keys)), key=lambda group: (keys[group][0] is None, keys[group]))
    outcomes, summaries = grouped.outcomes(), {measure: grouped.summaries(measure) for measure in measures}
    groups = [
        Group(
            x=keys[group][0],
            series=names[keys[group][1]],
            outcomes=outcomes[group],
            measures={measure: summaries[measure][group] for measure in measures},
        )
        for group in order
    ]
    by_series = sorted(order, key=lambda group: keys[group][1])
    growth = [
        Growth(series=names[number], measure=measure, x=x, **dict(fit))
        for (number,), measure, fit in grouped.growth(0, by_series)
    ]
    found = solutions(series, columns["length"], columns["true_distance"])
    beside = zip(*(columns[name] for name in STATED), strict=True) if any(columns["optimum"]) else ()
    stated: dict[int, list[tuple[Any, ...]]] = {}
    for number, one in zip(series, beside, strict=False):
        stated.setdefault(number, []).append(one)
    quality = [
        quality_from(row.series, row, found.get(number, []), stated_of(stated.get(number, ())))
        for number, row in enumerate(first)
    ]
    return Table(x=x, groups=groups, growth=growth, quality=quality)


def fit_growth(rows: Iterable[ExperimentRow], series: Series, measure: str, x: Axis) -> Growth:
    """The growth of a measure over the rows of one series, without rows of unknown true distance."""
    columns = columns_of(rows, [*needed([measure]), x])
    found = Grouped.of(columns, columns[x], [measure])
    places = [(place, group) for group, place in enumerate(found.keys)]
    return Growth(series=series, measure=measure, x=x, **dict(grow(places, found.seen[measure])))
