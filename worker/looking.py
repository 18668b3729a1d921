"""Looking for jobs without having been rung for.

A bell makes a worker quick, but nothing may depend on one: while the broker is away, or a message is lost, every idle
process of a worker looks into the database by itself, every few seconds. Looking reads; only what it finds is claimed.
"""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import structlog
from sqlalchemy.exc import DBAPIError

from worker.runner import Runner

log = structlog.get_logger(__name__)

WRITE_COUNTS_SECONDS = 10.0


class Looker:
    """One daemon thread, which runs what it finds. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, runner: Runner, seconds: float, sign_of_life: Path | None = None) -> None:
        self._runner = runner
        self._seconds = seconds
        self._sign_of_life = sign_of_life
        self._write_at = 0.0
        self._closed = threading.Event()
        threading.Thread(target=self._look_forever, name="hstar-looker", daemon=True).start()

    def close(self) -> None:
        """Look no more. A job that it runs goes on."""
        self._closed.set()

    def _look_forever(self) -> None:
        # Not all processes at the same moment.
        while not self._closed.wait(self._seconds * random.uniform(0.75, 1.25)):
            try:
                self._runner.look()
                if time.monotonic() > self._write_at:
                    self._write_at = time.monotonic() + WRITE_COUNTS_SECONDS
                    self._runner.write_counts()
                if self._sign_of_life is not None:
                    self._sign_of_life.touch()
            except DBAPIError as error:
                log.warning("cannot look for jobs", error=str(error.orig))
            except Exception:
                log.exception("looking for jobs failed")
