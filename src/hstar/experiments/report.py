"""The whole answer to an experiment, made from its rows: the output of ``hstar experiment --json``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hstar.experiments.compare import compare_all
from hstar.experiments.forecast import seconds_left, tally
from hstar.experiments.rows import ExperimentRow, outcomes, with_true_distances
from hstar.experiments.schema import ExperimentRequest, ExperimentStatus, Outcomes, Report
from hstar.experiments.table import tabulate

#: with more series than this, comparing every two would be too much text
MAX_COMPARED = 8


def report(
    request: ExperimentRequest,
    rows: Iterable[ExperimentRow],
    *,
    workers: int = 1,
    id: str | None = None,
    created_at: datetime | None = None,
    finished_at: datetime | None = None,
) -> Report:
    """Tables, comparisons and progress from all rows of an experiment, including those that have not ended.

    ``workers`` is the number of searches at the same time, for ``seconds_left``.
    """
    rows = with_true_distances(rows)
    ended = outcomes(rows)
    by_distance = tabulate(rows, "true_distance") if request.true_distance else None
    running = sum(row.status == "running" for row in rows)
    table = tabulate(rows)
    compared = len({row.series for row in rows if row.role == "search"}) <= MAX_COMPARED
    return Report(
        id=id,
        status=status_of(ended, running > 0),
        request=request,
        rows=len(rows),
        outcomes=ended,
        running=running,
        fraction_done=ended.n / len(rows) if rows else 1.0,
        seconds_left=seconds_left(tally(rows), workers, request.limits.seconds),
        quality=None if ended.pending else table.quality,
        table=table,
        table_by_true_distance=by_distance,
        comparisons=compare_all(rows) if compared else [],
        created_at=created_at,
        finished_at=finished_at,
    )


def status_of(ended: Outcomes, running: bool) -> ExperimentStatus:
    """The status of the experiment: it has ended when every row has, and was cancelled if any row was."""
    if ended.pending:
        return "running" if running or ended.n else "queued"
    return "cancelled" if ended.cancelled else "done"
