"""The whole answer to an experiment, from its rows: what ``hstar experiment --json`` gives."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from hstar.experiments.compare import compare_all
from hstar.experiments.forecast import seconds_left, tally
from hstar.experiments.rows import ExperimentRow, outcomes, with_true_distances
from hstar.experiments.schema import ExperimentRequest, ExperimentStatus, Outcomes, Report
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
) -> Report:
    """Tables, comparisons and progress from all rows of an experiment, those that have not ended included.

    ``workers`` is how many search at the same time, for ``seconds_left``.
    """
    rows = with_true_distances(rows)
    ended = outcomes(rows)
    by_distance = tabulate(rows, "true_distance") if request.true_distance else None
    running = sum(row.status == "running" for row in rows)
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
        table=tabulate(rows),
        table_by_true_distance=by_distance,
        comparisons=compare_all(rows) if compared else [],
        created_at=created_at,
        finished_at=finished_at,
    )


def status_of(ended: Outcomes, running: bool) -> ExperimentStatus:
    """Of the whole: it has ended when every row has, and was cancelled if any of them was."""
    if ended.pending:
        return "running" if running or ended.n else "queued"
    return "cancelled" if ended.cancelled else "finished"
