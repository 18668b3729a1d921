"""The whole answer to an experiment: what ``GET /v1/experiments/{id}`` and ``hstar experiment --json`` give."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hstar.experiments.compare import compare_all
from hstar.experiments.forecast import seconds_left
from hstar.experiments.rows import ExperimentRow, outcomes, with_true_distances
from hstar.experiments.schema import Experiment, ExperimentRequest, ExperimentStatus
from hstar.experiments.table import tabulate

#: comparing every two of more series than this would be more text than anyone reads
MAX_COMPARED = 8


def report(
    request: ExperimentRequest,
    rows: Iterable[ExperimentRow],
    *,
    workers: int = 1,
    id: str | None = None,
    created_at: datetime | None = None,
    finished_at: datetime | None = None,
) -> Experiment:
    """Tables, comparisons and progress from all rows of an experiment, those that have not ended included.

    ``workers`` is how many search at the same time, for ``seconds_left``.
    """
    rows = with_true_distances(rows)
    ended = outcomes(rows)
    by_distance = tabulate(rows, "true_distance") if request.true_distance else None
    compared = len({row.series for row in rows if row.role == "search"}) <= MAX_COMPARED
    return Experiment(
        id=id,
        status=_status(rows),
        request=request,
        rows=len(rows),
        outcomes=ended,
        fraction_done=ended.n / len(rows) if rows else 1.0,
        seconds_left=seconds_left(rows, workers),
        table=tabulate(rows),
        table_by_true_distance=by_distance,
        comparisons=compare_all(rows) if compared else [],
        created_at=created_at,
        finished_at=finished_at,
    )


def _status(rows: list[ExperimentRow]) -> ExperimentStatus:
    """Of the whole: it has ended when every row has, and was cancelled if any of them was."""
    statuses = {row.status for row in rows}
    if "running" in statuses or ("queued" in statuses and len(statuses) > 1):
        return "running"
    if "queued" in statuses:
        return "queued"
    return "cancelled" if "cancelled" in statuses else "finished"
