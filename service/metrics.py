"""Prometheus metrics: answered requests, the jobs in the database, and the counts of workers and sweepers.

Under gunicorn several processes count requests. They share their numbers through files below PROMETHEUS_MULTIPROC_DIR,
which `service/gunicorn.py` sets before this module is imported.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterable

from flask import Flask, Response, g, request
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from store import counts
from store.database import Sessions
from store.jobs.queries import count_queued, count_running, largest_running_bytes, oldest_queued_seconds

REQUESTS = Counter("hstar_http_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram(
    "hstar_http_request_seconds",
    "Time from the first line of a request to its answer, waits included",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


class DatabaseCollector(Collector):
    """The states of jobs, and the counts of workers and sweepers; read from the database at each scrape."""

    def __init__(self, sessions: Sessions, most: int) -> None:
        self._sessions = sessions
        self._most = most

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not query the database."""
        return ()

    def collect(self) -> Iterable[Metric]:
        with self._sessions.read() as session:
            queued, running = count_queued(session, self._most), count_running(session)
            oldest, held = oldest_queued_seconds(session), largest_running_bytes(session)
            samples = counts.read(session)
        jobs = GaugeMetricFamily("hstar_jobs", "Jobs that have not ended", labels=["state"])
        jobs.add_metric(["queued"], queued)
        jobs.add_metric(["running"], running)
        yield jobs
        yield GaugeMetricFamily("hstar_queue_oldest_seconds", "How long the oldest queued job has waited", value=oldest)
        yield GaugeMetricFamily(
            "hstar_running_bytes", "Bytes of nodes that the largest running solve holds", value=held
        )
        free = self._sessions.free_bytes()
        if free is not None:
            yield GaugeMetricFamily("hstar_disk_free_bytes", "What is free on the disk of the SQLite file", value=free)
        yield from _counted(samples)


def _counted(samples: Iterable[counts.Sample]) -> Iterable[Metric]:
    """The counts as Prometheus metrics; those without labels also if they are 0."""
    by_name: dict[str, list[counts.Sample]] = defaultdict(list)
    for sample in samples:
        by_name[sample.name].append(sample)
    for name, (text, labels) in counts.COUNTERS.items():
        family = CounterMetricFamily(f"hstar_{name}", text, labels=labels)
        for sample in by_name[name] or ([] if labels else [counts.Sample(name, {}, 0)]):
            family.add_metric([sample.labels[label] for label in labels], sample.value)
        yield family
    for name, (text, bounds) in counts.HISTOGRAMS.items():
        found = {sample.labels["le"]: sample.value for sample in by_name[f"{name}_bucket"]}
        buckets, below = [], 0.0
        for label in (*(repr(float(bound)) for bound in bounds), "+Inf"):
            below += found.get(label, 0)
            buckets.append((label, below))
        total = sum(sample.value for sample in by_name[f"{name}_sum"])
        yield HistogramMetricFamily(f"hstar_{name}", text, buckets=buckets, sum_value=total)


def count_requests(app: Flask) -> None:
    """Count every answer of ``app`` by its route; all unknown addresses count as one route."""

    def begin() -> None:
        g.began = time.perf_counter()

    def count(response: Response) -> Response:
        method = request.method if request.method in KNOWN_METHODS else "other"
        route = request.url_rule.rule if request.url_rule is not None else "none"
        REQUESTS.labels(method, route, str(response.status_code)).inc()
        if "began" in g:
            SECONDS.labels(method, route).observe(time.perf_counter() - g.began)
        return response

    app.before_request(begin)
    app.after_request(count)


def exposition(sessions: Sessions, most: int) -> bytes:
    """All metrics in Prometheus's text format."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    queue = CollectorRegistry()
    queue.register(DatabaseCollector(sessions, most))
    own = registry if "PROMETHEUS_MULTIPROC_DIR" in os.environ else REGISTRY
    return generate_latest(own) + generate_latest(queue)
