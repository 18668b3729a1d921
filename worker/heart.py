"""The heart of a worker process: it keeps the lease of the running job, and hears that the job is to be cancelled.

    heart = Heart(sessions, bell, lease=timedelta(seconds=15), interval=0.5)
    with heart.keeping(claim, control) as watch:
        watch.progress = lambda: progress(problem, control)
        result = solve(problem, control)
    if watch.lost: ...                      # another attempt has the job; the result is worthless

One thread beats and one listens; both live as long as the process, because most jobs are shorter than making a thread
is worth. A job that ends before its first beat is due costs nothing here.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from hstar.schema import Progress
from hstar.search import Control
from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs import machine
from store.jobs.machine import Claim

log = structlog.get_logger(__name__)

# The listener looks up from its channel this often, to see whether it should end.
LISTEN_SECONDS = 5.0
# And leaves Redis alone for this long when it is away; meanwhile the beats bring the cancel flag.
RECONNECT_SECONDS = 2.0


@dataclass(slots=True)
class Watch:
    """What the heart knows of the running job. Its flags only ever go from False to True."""

    claim: Claim
    control: Control
    progress: Callable[[], Progress] | None = None
    lost: bool = False
    cancel_requested: bool = False
    since: float = field(default_factory=time.monotonic)


class Heart:
    """Two daemon threads and the job that they watch. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, sessions: Sessions, bell: Doorbell, *, lease: timedelta, interval: float) -> None:
        self._sessions = sessions
        self._bell = bell
        self._lease = lease
        self._interval = interval
        self._watch: Watch | None = None
        # A message may come between a claim and its watch.
        self._heard: deque[str] = deque(maxlen=64)
        self._now = threading.Event()
        self._closed = threading.Event()
        self._threads = [
            threading.Thread(target=self._beat_forever, name="hstar-heart", daemon=True),
            threading.Thread(target=self._listen_forever, name="hstar-ear", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @contextmanager
    def keeping(self, claim: Claim, control: Control) -> Iterator[Watch]:
        """Keep the lease of ``claim`` until the block ends; cancel ``control`` when it is lost or a cancel comes."""
        watch = Watch(claim, control)
        self._watch = watch
        if claim.id in self._heard:
            self._now.set()
        try:
            yield watch
        finally:
            self._watch = None

    def interrupt(self) -> None:
        """Cancel the search that runs now, if any; what to make of that is the runner's to decide."""
        watch = self._watch
        if watch is not None:
            watch.control.cancel()

    def close(self) -> None:
        """End both threads, soon."""
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
                # The lease may be lost by now, or the database restarts. A later beat or the finish will tell.
                log.warning("the heart missed a beat", id=watch.claim.id, error=str(error.orig))
            except Exception:
                # Whatever it is, a heart that stopped would lose every later job of this process.
                log.exception("the heart stumbled", id=watch.claim.id)

    def _beat(self, watch: Watch) -> None:
        read = watch.progress
        progress = read() if read is not None else None
        beat = self._sessions.run(
            lambda session: machine.heartbeat(session, watch.claim, self._lease, progress), patience=self._interval
        )
        if not beat.held:
            watch.lost = True
        if beat.cancel_requested:
            watch.cancel_requested = True
        if watch.lost or watch.cancel_requested:
            watch.control.cancel()

    def _listen_forever(self) -> None:
        while not self._closed.is_set():
            with self._bell.listen_for_cancels() as cancels:
                # A cancel that came while nobody listened is in the row.
                self._now.set()
                while cancels.connected and not self._closed.is_set():
                    cancelled = cancels.wait(LISTEN_SECONDS)
                    if cancelled is None:
                        continue
                    self._heard.append(cancelled)
                    watch = self._watch
                    # The message is only a hint; the beat reads the flag in the row.
                    if watch is not None and watch.claim.id == cancelled:
                        self._now.set()
            self._closed.wait(RECONNECT_SECONDS)
