"""Extends the lease of the running job, writes its progress, and reads its cancel flag.

keeper = LeaseKeeper(sessions, lease=timedelta(seconds=15), interval=0.5)
with keeper.keeping(claim, work) as watch:
    ending = kind.run(request, work)
if watch.lost: ...                      # another attempt has the job; the result must be dropped

One thread sends all heartbeats of a process, because starting a thread takes longer than most jobs. A job that ends
before its first heartbeat is due costs nothing here. A heartbeat writes the lease, and the progress only if it
changed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from store.database import Sessions
from store.jobs import machine
from store.jobs.machine import Claim
from worker.kinds.kind import Work

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Watch:
    """The state of the running job. Its flags change only from False to True."""

    claim: Claim
    work: Work
    lost: bool = False
    cancel_requested: bool = False
    written: str | None = None
    since: float = field(default_factory=lambda: time.monotonic())

    @property
    def names(self) -> dict[str, object]:
        """The fields that identify the job in a log line."""
        return {"job": self.claim.id, "attempt": self.claim.attempt}


class LeaseKeeper:
    """A daemon thread that watches the running job. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, sessions: Sessions, *, lease: timedelta, interval: float) -> None:
        self._sessions = sessions
        self._lease = lease
        self._interval = interval
        self._watch: Watch | None = None
        # A message may arrive between a claim and the start of its watch.
        self._heard: deque[str] = deque(maxlen=64)
        self._now = threading.Event()
        self._closed = threading.Event()
        threading.Thread(target=self._beat_forever, name="hstar-lease-keeper", daemon=True).start()

    @contextmanager
    def keeping(self, claim: Claim, work: Work) -> Iterator[Watch]:
        """Extend the lease of ``claim`` during the block; cancel ``work`` after a lost lease or a cancel."""
        watch = Watch(claim, work)
        self._watch = watch
        if claim.id in self._heard:
            self._now.set()
        try:
            yield watch
        finally:
            self._watch = None

    def look(self, job_id: str | None = None) -> None:
        """Read the cancel flag at once, not at the next heartbeat: of this job, or (None) of the running one."""
        if job_id is not None:
            self._heard.append(job_id)
            watch = self._watch
            if watch is None or watch.claim.id != job_id:
                return
        self._now.set()

    def interrupt(self) -> None:
        """Cancel the running work, if any; the runner decides what follows."""
        watch = self._watch
        if watch is not None:
            watch.work.control.cancel()

    def close(self) -> None:
        """End the thread soon."""
        self._closed.set()
        self._now.set()

    def _beat_forever(self) -> None:
        while not self._closed.is_set():
            called = self._now.wait(self._interval)
            self._now.clear()
            watch = self._watch
            if watch is None or watch.lost or not (called or time.monotonic() - watch.since >= self._interval):
                continue
            try:
                self._beat(watch)
            except DBAPIError as error:
                # Perhaps the lease is lost, or the database restarts: a later heartbeat or `finish` will show.
                log.warning(
                    "a heartbeat was missed", job=watch.claim.id, attempt=watch.claim.attempt, error=str(error.orig)
                )
            except Exception:
                # Any error: if this thread ended, every later job of this process would lose its lease.
                log.exception("a heartbeat failed", **watch.names)

    def _beat(self, watch: Watch) -> None:
        read = watch.work.progress
        progress = read().model_dump_json() if read is not None else None
        news = progress if progress != watch.written else None
        beat = self._sessions.transact(
            lambda session: machine.heartbeat(session, watch.claim, self._lease, news), patience=self._interval
        )
        if not beat.held:
            watch.lost = True
        elif news is not None:
            watch.written = news
        if beat.cancel_requested:
            watch.cancel_requested = True
        if watch.lost or watch.cancel_requested:
            watch.work.control.cancel()
