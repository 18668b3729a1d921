"""``/v1/stats``: aggregate statistics of solves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from apiflask import APIBlueprint
from flask import Response

from hstar.errors import Fault
from hstar.experiments.distributions import QUANTILE_ERROR
from hstar.experiments.export import write_csv
from hstar.experiments.schema import MEASURES, Excess, Outcomes, Summary
from hstar.schema import HeuristicUsed
from service.answering import heuristic_texts, object_response, split_tags, verdict_of
from service.context import context, principal
from service.errors import ProblemError
from service.formats import CSV, JSON, chosen, content, link_formats
from service.openapi import READ_PROBLEMS, answers, refers, responses
from service.schema import TAG_NAMES, Stats, StatsGroup, StatsGrowth, StatsQuality, StatsQuery
from store.statistics.aggregation import (
    DIMENSIONS,
    EXACT_ROWS,
    MAX_GROUPS,
    USUAL_MEASURES,
    Aggregate,
    Question,
    TooManyGroups,
    aggregate,
    excesses,
)

TAG = {"name": "Statistics", "description": "Aggregates over all solves, with limits counted as lower bounds."}

bp = APIBlueprint("stats", __name__, url_prefix="/v1", tag=TAG)


@bp.get("/stats")
@bp.input(StatsQuery, location="query")
@bp.output(Stats, description="The statistics")
@bp.doc(
    operation_id="getStats",
    responses=responses(
        {200: {"content": content(json=refers(Stats), csv=True), "headers": answers("ETag")}}, *READ_PROBLEMS
    ),
)
def get_stats(query_data: StatsQuery) -> Response:
    """Aggregate solves

    For every group the outcomes, and for every measure two statistics: over the solved ones, and over all, with limits
    as lower bounds. With `k` or `length` among `group_by` also the factor by which each measure grows with a move.

    Every number is exact for up to 10,000 solves. Beyond that `exact` is false: counts, minima and maxima stay exact,
    and the relative error of quantiles is at most `quantile_error`. Requests that name tags or times read the solves
    themselves, and take longer the more there are.

    `Accept: text/csv`, or the path `stats.csv`: one line for each group, with the values that it is grouped by, the
    outcomes, and every statistic as `measure_statistic`. Cells that a spreadsheet would run as a formula begin with an
    apostrophe.
    """
    found, quality = _ask(query_data)
    if chosen(JSON, CSV) == CSV:
        response = Response("".join(_lines(query_data, found)), content_type=f"{CSV}; charset=utf-8")
        response.headers["Content-Disposition"] = "attachment; filename=stats.csv"
        return response
    by = query_data.group_by
    axis = next((name for name in ("k", "length") if name in by), None)
    others = [name for name in by if name != axis]
    return object_response(
        Stats(
            solves=found.solves,
            exact=found.exact,
            quantile_error=0.0 if found.exact else QUANTILE_ERROR,
            groups=[
                StatsGroup(
                    values=dict(zip(by, group.values, strict=True)),
                    heuristic=_verdict(query_data, dict(zip(by, group.values, strict=True))),
                    quality=StatsQuality(**dict(quality[group.values])) if group.values in quality else None,
                    outcomes=group.outcomes,
                    measures=dict(group.measures),
                )
                for group in found.groups
            ],
            growth=[
                StatsGrowth(
                    series=dict(zip(others, one.series, strict=True)), measure=one.measure, x=one.x, **dict(one.fit)
                )
                for one in found.growth
            ],
        )
    )


link_formats(bp, "/stats", get_stats, "csv")


def _verdict(query: StatsQuery, values: Mapping[str, object]) -> HeuristicUsed | None:
    """The verdict on a group's heuristic; None if the group mixes puzzles, move sets or heuristics."""
    known = []
    for name in ("puzzle", "moves", "heuristic"):
        asked = getattr(query, name)
        value = values.get(name, asked[0] if len(asked) == 1 else None)
        if not isinstance(value, str):
            return None
        known.append(value)
    goal = values.get("goal", query.goal[0] if len(query.goal) == 1 else None)
    return verdict_of(known[0], goal if isinstance(goal, str) else None, known[1], known[2])


def _ask(query: StatsQuery) -> tuple[Aggregate, Mapping[tuple[Any, ...], Excess]]:
    """The answer, and how good the solutions of each group are if few solves were asked for."""
    tags = split_tags(query.tag)
    where = {name: tuple(values) for name in DIMENSIONS if (values := getattr(query, name))}
    if query.heuristic:
        texts = [text for given in query.heuristic for text in heuristic_texts(given, query.puzzle)]
        where["heuristic"] = tuple(dict.fromkeys(texts))
    if tags is None:
        where["status"] = ()  # a tag has only one value
    question = Question(
        principal=principal(),
        group_by=tuple(TAG_NAMES.get(name, name) for name in query.group_by),
        measures=_measures(query),
        where=where,
        tags=tags or {},
        created_from=query.created_after,
        created_before=query.created_before,
    )
    try:
        with context().sessions.read() as session:
            found = aggregate(session, question)
            few = found.exact and found.solves <= EXACT_ROWS
            return found, (excesses(session, question, EXACT_ROWS) if few else None) or {}
    except TooManyGroups:
        fault = Fault("query:group_by", f"there are more than {MAX_GROUPS:,} groups; group by less, or filter")
        raise ProblemError("invalid-request", "the answer would be too large", [fault]) from None


def _measures(query: StatsQuery) -> tuple[str, ...]:
    if "all" in query.measure:
        return tuple(MEASURES)
    return tuple(query.measure) or USUAL_MEASURES


def _lines(query: StatsQuery, found: Aggregate) -> Iterator[str]:
    measures = _measures(query)
    header = [*query.group_by, *Outcomes.model_fields]
    header += [f"{measure}_{statistic}" for measure in measures for statistic in Summary.model_fields]
    return write_csv(
        header,
        (
            [
                *group.values,
                *dict(group.outcomes).values(),
                *(value for measure in measures for value in dict(group.measures[measure]).values()),
            ]
            for group in found.groups
        ),
    )
