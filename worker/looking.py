"""Looking for jobs without a wake-up message.

A wake-up message makes a worker start sooner, but nothing depends on it: if the broker is unreachable or a message is
lost, every idle process of a worker polls the database by itself, every few seconds. Polling only reads, unless there
is a job to claim.
"""

from __future__ import annotations

import random
import threading
import time

import structlog
from sqlalchemy.exc import DBAPIError

from store.counts import WRITE_SECONDS
from worker.runner import Runner

log = structlog.get_logger(__name__)

# A process without a job that has not come to the end of a look for this long hangs.
HANGS_SECONDS = 120.0


class Looker:
    """A daemon thread that finds and runs jobs. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, runner: Runner, seconds: float) -> None:
        self._runner = runner
        self._seconds = seconds
        self._write_at = 0.0
        self._closed = threading.Event()
        self._looked_at = time.monotonic()
        threading.Thread(target=self._look_forever, name="hstar-looker", daemon=True).start()

    def close(self) -> None:
        """Stop looking. A running job goes on."""
        self._closed.set()

    def goes_on(self) -> bool:
        """Whether this process runs a job, or has looked for one lately."""
        return self._runner.is_busy or time.monotonic() - self._looked_at < HANGS_SECONDS

    def _look_forever(self) -> None:
        # A random start, so that processes do not all look at the same time.
        while not self._closed.wait(self._seconds * random.uniform(0.75, 1.25)):
            try:
                self._runner.note_that_it_works()
                self._runner.look()
                if time.monotonic() > self._write_at:
                    self._write_at = time.monotonic() + WRITE_SECONDS
                    self._runner.write_counts()
                    self._runner.delete_layers()
            except DBAPIError as error:
                log.warning("cannot look for jobs", error=str(error.orig))
            except Exception:
                log.exception("looking for jobs failed")
            self._looked_at = time.monotonic()
