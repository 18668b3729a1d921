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

#: how often each process writes its counts
WRITE_SECONDS = 10.0

#: counters, with their meaning and labels
COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs_ended": ("Jobs that a worker has ended", ("kind", "state")),
    "fenced_ends": ("Results that were dropped because another attempt had the job", ()),
    "leases_expired": ("Jobs whose worker was lost, and what became of them", ("became",)),
    "leases_shortened": ("Leases that were cut because the clock was set back", ()),
    "wake_ups_repeated": ("Wake-up messages that the sweeper sent for jobs that no worker had taken", ()),
    "solve_expanded": ("Nodes that solves have expanded", ()),
    "solve_generated": ("Nodes that solves have generated", ()),
}
#: histograms, with their meaning and the upper bounds of their buckets
HISTOGRAMS: dict[str, tuple[str, tuple[float, ...]]] = {
    "solve_seconds": ("Seconds that solves have searched", (0.001, 0.01, 0.1, 1, 10, 60, 600, 3600)),
    "solve_peak_bytes": ("Most bytes that the nodes of a solve have held", tuple(2.0**n for n in range(20, 37, 2))),
}

_counts = cast(Table, Count.__table__)

Key = tuple[str, tuple[tuple[str, str], ...]]
"""A name, and labels with their values."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The key of a stored number: ``NAME``; for a histogram ``NAME_bucket`` (not cumulative) and ``NAME_sum``."""

    name: str
    labels: dict[str, str]
    value: float


class Counts:
    """The counts of one process since it last wrote them. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new: dict[Key, float] = defaultdict(float)

    def add(self, name: str, value: float = 1, **labels: str) -> None:
        """Increase a counter; raises KeyError for a name or labels that are not in `COUNTERS`."""
        found = tuple(sorted(labels.items()))
        if tuple(label for label, _ in found) != COUNTERS[name][1]:
            raise KeyError(f"{name} has the labels {COUNTERS[name][1]}")
        self._add({(name, found): value})

    def observe(self, name: str, value: float) -> None:
        """Record an observation; raises KeyError for a name that is not in `HISTOGRAMS`."""
        bucket = next((bound for bound in HISTOGRAMS[name][1] if value <= bound), None)
        label = "+Inf" if bucket is None else repr(float(bucket))
        self._add({(f"{name}_bucket", (("le", label),)): 1, (f"{name}_sum", ()): value})

    def _add(self, new: dict[Key, float]) -> None:
        with self._lock:
            for key, value in new.items():
                self._new[key] += value

    def write(self, sessions: Sessions) -> None:
        """Add the counts to those in the database. If that fails it raises, and keeps them for the next time."""
        with self._lock:
            new, self._new = self._new, defaultdict(float)
        if not new:
            return
        # In a fixed order, so that two processes that write at once cannot deadlock.
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
    """All counts, in order."""
    rows = session.execute(select(_counts).order_by(_counts.c.name, _counts.c.labels))
    return [Sample(row.name, json.loads(row.labels), row.value) for row in rows]


def _text(labels: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(labels), sort_keys=True, separators=(",", ":"))
