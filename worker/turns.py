"""Watches the running job of a process: ends a try that takes too long, and pauses a long job while others have its
turn (`worker/slots.py` has the rules).

A paused job waits in its process, with all that it holds in memory, and goes on from there. Its lease is extended, a
cancel or a shutdown wakes it, and its limit of seconds does not run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import DBAPIError

from hstar.memory import own_mib
from store.capacity import PROCESS_MIB
from store.jobs.machine import Claim
from worker.kinds.kind import Work
from worker.slots import LongJob, Role, Slots

log = structlog.get_logger(__name__)

# Processor time of a try: a hundred times what a small job takes, and short enough for other small jobs to wait for.
# `QUICK_MIB` of store/capacity.py is what a search can take in this time.
QUICK_SECONDS = 0.5
# The elapsed time of a try is limited to so many times its processor time.
MOST_QUICK_TIMES = 4
# How often a long job looks whether it is its turn.
LOOK_SECONDS = 0.05


@dataclass(slots=True)
class _Job:
    claim: Claim
    work: Work
    share: float | None = None
    waits: bool = False
    began: float = field(default_factory=lambda: time.monotonic())
    processor: float = field(default_factory=lambda: time.process_time())

    @property
    def owner(self) -> str:
        return self.claim.owner

    @property
    def left(self) -> float:
        """The seconds that are left of its try."""
        # Processor time counts, so that a small job is small on a busy machine, too.
        processor = self.processor + QUICK_SECONDS - time.process_time()
        return min(processor, self.began + MOST_QUICK_TIMES * QUICK_SECONDS - time.monotonic())


class Turns:
    """One daemon thread. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, slots: Slots, share_of: Callable[[str], float]) -> None:
        """:param share_of: the share of an owner (`store.jobs.choice.share_of`)"""
        self._slots = slots
        self._share_of = share_of
        self._job: _Job | None = None
        self._changing = threading.Lock()
        self._now = threading.Event()
        self._closed = threading.Event()
        threading.Thread(target=self._watch_forever, name="hstar-turns", daemon=True).start()

    @contextmanager
    def taking(self, claim: Claim, work: Work) -> Iterator[None]:
        """Pause ``work`` while it is not its turn, during the block; cancel it if it was a try that took too long."""
        self._job = _Job(claim, work)
        if self._slots.role is not Role.SLOT:
            if self._slots.role is Role.PAUSED:
                work.control.pause()
            self._now.set()
        try:
            yield
        finally:
            with self._changing:
                self._job = None

    def close(self) -> None:
        """End the thread soon."""
        self._closed.set()
        self._now.set()

    def _watch_forever(self) -> None:
        while not self._closed.is_set():
            self._now.wait(self._pause())
            self._now.clear()
            job = self._job
            if job is None:
                continue
            try:
                # Read first, because the end of a job must not wait for the database.
                if job.share is None and (job.left <= 0 or self._slots.role is Role.PAUSED):
                    job.share = self._read_share(job.owner)
                with self._changing:
                    if self._job is job:
                        self._look(job)
            except Exception:
                # Any error: if this thread ended, a paused job would never go on.
                log.exception("looking whose turn it is failed")

    def _pause(self) -> float:
        job = self._job
        if job is None or (self._slots.role is Role.SLOT and job.left > 0):
            return QUICK_SECONDS
        return min(LOOK_SECONDS, max(job.left, 0.01)) if self._slots.role is Role.QUICK else LOOK_SECONDS

    def _read_share(self, owner: str) -> float:
        try:
            return self._share_of(owner)
        except DBAPIError as error:
            log.warning("cannot read the share of an owner", error=str(error.orig))
            return 1.0

    def _look(self, job: _Job) -> None:
        if self._slots.role is Role.QUICK:
            if job.left > 0:
                return
            if not self._slots.keep(job.owner):
                job.work.control.cancel()
                return
        elif self._slots.role is Role.SLOT and job.left > 0:
            return
        long = LongJob(job.owner, job.share or 1.0, job.began, max(0, own_mib() - PROCESS_MIB))
        waits = not self._slots.look(long)
        if waits != job.waits:
            job.waits = waits
            said = "the job waits for its turn" if waits else "the job goes on"
            log.info(said, job=job.claim.id, attempt=job.claim.attempt)
        if waits:
            job.work.control.pause()
        else:
            job.work.control.resume()
