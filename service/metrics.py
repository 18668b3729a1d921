"""Prometheus metrics: requests as they are answered, the queue as it stands in the database.

Under gunicorn several processes count; they share their numbers through files below PROMETHEUS_MULTIPROC_DIR, which
`service/gunicorn.py` sets before this module is imported.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from flask import Flask, Response, g, request
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from store.database import Sessions
from store.jobs.queries import count_queued, count_running

REQUESTS = Counter("hstar_http_requests", "Requests answered", ["method", "route", "status"])
SECONDS = Histogram(
    "hstar_http_request_seconds",
    "Time from the first line of a request to its answer, waits included",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS"})


class QueueCollector(Collector):
    """How many solves wait and run, asked of the database when somebody asks us."""

    def __init__(self, sessions: Sessions, most: int) -> None:
        self._sessions = sessions
        self._most = most

    def describe(self) -> Iterable[Metric]:
        """Nothing: so that registering asks no database."""
        return ()

    def collect(self) -> Iterable[Metric]:
        solves = GaugeMetricFamily("hstar_solves", "Solves that are not finished", labels=["status"])
        with self._sessions.read() as session:
            solves.add_metric(["queued"], count_queued(session, self._most))
            solves.add_metric(["running"], count_running(session))
        yield solves


def count_requests(app: Flask) -> None:
    """Count every answer of ``app`` by its route; addresses that lead nowhere share one."""

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
    queue.register(QueueCollector(sessions, most))
    own = registry if "PROMETHEUS_MULTIPROC_DIR" in os.environ else REGISTRY
    return generate_latest(own) + generate_latest(queue)
