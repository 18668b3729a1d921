"""Adding up, writing and reading counts."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from store.counts.models import Count
from store.database import Sessions
from store.database.bulk import insert_into

#: what is counted: its meaning and its labels
COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs_ended": ("Jobs that a worker has ended", ("kind", "state")),
    "fenced_ends": ("Ends that were dropped because another attempt had the job", ()),
    "leases_expired": ("Jobs whose worker was lost, and what became of them", ("became",)),
    "leases_shortened": ("Leases that were cut because the clock was set back", ()),
    "bells_rung_again": ("Bells that the sweeper rang for jobs that nobody had taken", ()),
    "solve_expanded": ("Nodes that solves have expanded", ()),
    "solve_generated": ("Nodes that solves have generated", ()),
}
#: what is measured: its meaning and the upper bounds of its buckets
HISTOGRAMS: dict[str, tuple[str, tuple[float, ...]]] = {
    "solve_seconds": ("Seconds that solves have searched", (0.001, 0.01, 0.1, 1, 10, 60, 600, 3600)),
    "solve_peak_bytes": ("Most bytes that the nodes of a solve have held", tuple(2.0**n for n in range(20, 37, 2))),
}

_counts = cast(Table, Count.__table__)

Key = tuple[str, tuple[tuple[str, str], ...]]
"""A name, and labels with their values."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A number as it is kept: ``NAME``, or of a histogram ``NAME_bucket`` (not cumulative) and ``NAME_sum``."""

    name: str
    labels: dict[str, str]
    value: float


class Counts:
    """The counts of one process since it last wrote them. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new: dict[Key, float] = defaultdict(float)

    def add(self, name: str, value: float = 1, **labels: str) -> None:
        """Count something; raises KeyError for a name or labels that are not in `COUNTERS`."""
        found = tuple(sorted(labels.items()))
        if tuple(label for label, _ in found) != COUNTERS[name][1]:
            raise KeyError(f"{name} has the labels {COUNTERS[name][1]}")
        self._add({(name, found): value})

    def observe(self, name: str, value: float) -> None:
        """Measure something; raises KeyError for a name that is not in `HISTOGRAMS`."""
        bucket = next((bound for bound in HISTOGRAMS[name][1] if value <= bound), None)
        label = "+Inf" if bucket is None else repr(float(bucket))
        self._add({(f"{name}_bucket", (("le", label),)): 1, (f"{name}_sum", ()): value})

    def _add(self, new: dict[Key, float]) -> None:
        with self._lock:
            for key, value in new.items():
                self._new[key] += value

    def write(self, sessions: Sessions) -> None:
        """Add them to what the database has. A database that fails raises, and they are kept for the next time."""
        with self._lock:
            new, self._new = self._new, defaultdict(float)
        if not new:
            return
        # In one order, so that two who write at once wait for each other rather than both for ever.
        rows = [
            {"name": name, "labels": _text(labels), "value": value} for (name, labels), value in sorted(new.items())
        ]

        def upsert(session: Session) -> None:
            statement = insert_into(session, _counts)
            total = _counts.c.value + statement.excluded.value
            statement = statement.on_conflict_do_update(index_elements=["name", "labels"], set_={"value": total})
            session.connection().execute(statement, rows)

        try:
            sessions.run(upsert, patience=1.0)
        except BaseException:
            self._add(new)
            raise


def read(session: Session) -> Sequence[Sample]:
    """Everything that was ever counted, in order."""
    rows = session.execute(select(_counts).order_by(_counts.c.name, _counts.c.labels))
    return [Sample(row.name, json.loads(row.labels), row.value) for row in rows]


def _text(labels: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(labels), sort_keys=True, separators=(",", ":"))
