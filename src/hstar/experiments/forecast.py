"""How long will the rest of an experiment take?

Searches grow by a factor with each move, so the share of rows that are done says little of the time that is left. A
pending row is expected to take the median of its series at its k; where none has ended there, the median at the nearest
smaller k, grown by the series' own factor; and never longer than the longest search that stopped at a limit.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from hstar.experiments.design import Role
from hstar.experiments.growth import fit_growth
from hstar.experiments.rows import PENDING, ExperimentRow
from hstar.experiments.schema import Series

#: searches that are alike: proofs, or one series
_Kind = tuple[Role, Series]


def seconds_left(rows: Iterable[ExperimentRow], workers: int) -> float | None:
    """Expected seconds until all rows have ended, with so many workers; None if nothing is known or nothing is left."""
    pending: dict[tuple[_Kind, int], int] = {}
    done: dict[_Kind, list[ExperimentRow]] = {}
    for row in rows:
        key = row.role, row.series
        if row.status in PENDING:
            pending[key, row.k] = pending.get((key, row.k), 0) + 1
        elif row.seconds is not None:
            done.setdefault(key, []).append(row)
    if not pending or not done:
        return None
    forecasts = {key: _Forecast(ended) for key, ended in done.items()}
    # A series that has not begun is taken to be like the slowest one that has.
    total = 0.0
    for (key, k), count in pending.items():
        known = [forecasts[key]] if key in forecasts else list(forecasts.values())
        total += count * max(forecast.seconds(k) for forecast in known)
    return total / max(workers, 1)


class _Forecast:
    """The expected seconds of one series at any k."""

    def __init__(self, ended: list[ExperimentRow]) -> None:
        at: dict[int, list[float]] = {}
        for row in ended:
            at.setdefault(row.k, []).append(row.seconds or 0.0)
        self._median = {k: median(seconds) for k, seconds in at.items()}
        self._factor = fit_growth(ended, ended[0].series, "seconds", "k").factor or 1.0
        stopped = [row.seconds or 0.0 for row in ended if row.status == "limit_reached"]
        self._most = max(stopped, default=ended[0].limit_seconds)

    def seconds(self, k: int) -> float:
        near = max((known for known in self._median if known <= k), default=min(self._median))
        # Ten moves ahead a factor is a guess, not a forecast.
        expected = self._median[near] * self._factor ** max(-10, min(k - near, 10))
        return expected if self._most is None else min(expected, self._most)
