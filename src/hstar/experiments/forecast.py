"""How long will the rest of an experiment take?

Searches grow by a factor with each move, so the fraction of finished rows says little about the time that is left. A
pending row is expected to take the mean of its kind at its k. If none has ended there, it is the mean at the nearest
smaller k, multiplied by the kind's growth factor. It is never longer than the longest search that stopped at a limit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import log
from typing import NamedTuple

import numpy as np

from hstar.experiments.growth import fit
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import PENDING


class Tally(NamedTuple):
    """The rows of one kind (role and series) at one k."""

    kind: Hashable
    #: 0 for instances that are no scrambles
    k: int
    pending: int
    ended: int
    seconds: float
    #: seconds of the longest search that stopped at a limit
    stopped: float | None


def tally(rows: Iterable[ExperimentRow]) -> list[Tally]:
    """The rows by kind and k; rows that ended without a search are not counted."""
    found: dict[tuple[Hashable, int], Tally] = {}
    for row in rows:
        key = (row.role, row.series), row.k or 0
        old = found.get(key) or Tally(*key, 0, 0, 0.0, None)
        if row.status in PENDING:
            found[key] = old._replace(pending=old.pending + 1)
        elif row.seconds is not None:
            stopped = max(old.stopped or 0.0, row.seconds) if row.outcome == "limit_reached" else old.stopped
            found[key] = old._replace(ended=old.ended + 1, seconds=old.seconds + row.seconds, stopped=stopped)
    return list(found.values())


def seconds_left(tallies: Iterable[Tally], workers: int, limit_seconds: float | None = None) -> float | None:
    """Expected seconds until all rows have ended, with this many workers; None if nothing is known or nothing is
    left."""
    tallies = list(tallies)
    done: dict[Hashable, list[Tally]] = {}
    for one in tallies:
        if one.ended:
            done.setdefault(one.kind, []).append(one)
    pending = [one for one in tallies if one.pending]
    if not pending or not done:
        return None
    forecasts = {kind: _Forecast(ended, limit_seconds) for kind, ended in done.items()}
    # A kind without a finished search is assumed to be like the slowest one with some.
    total = 0.0
    for one in pending:
        known = [forecasts[one.kind]] if one.kind in forecasts else list(forecasts.values())
        total += one.pending * max(forecast.seconds(one.k) for forecast in known)
    return total / max(workers, 1)


class _Forecast:
    """The expected seconds of one kind at any k."""

    def __init__(self, ended: list[Tally], limit_seconds: float | None) -> None:
        self._mean = {one.k: one.seconds / one.ended for one in ended}
        points = [(k, log(mean)) for k, mean in self._mean.items() if mean > 0]
        self._factor = 1.0
        if len(points) > 1:
            x, y = np.array(points, dtype=np.float64).T
            self._factor = fit(x, np.ones(len(x), dtype=np.int64), y, np.zeros(len(x)))["factor"] or 1.0
        self._most = max((one.stopped for one in ended if one.stopped is not None), default=limit_seconds)

    def seconds(self, k: int) -> float:
        near = max((known for known in self._mean if known <= k), default=min(self._mean))
        # Ten moves ahead a factor is a guess, not a forecast.
        expected = self._mean[near] * self._factor ** max(-10, min(k - near, 10))
        return expected if self._most is None else min(expected, self._most)
