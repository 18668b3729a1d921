"""``python -m worker.sweeper``: queues lost jobs again, wakes workers for jobs that none has taken, rolls up the
statistics, stores the tables of finished experiments, tells webhooks, deletes what is old, and keeps SQLite's
write-ahead log short. Any number of sweepers may run; jobs run without one as long as nothing fails. A sweeper survives
an unreachable database or Redis, ends at once on SIGTERM and SIGINT, and only reads unless there is something to do.
"""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from itertools import chain

import structlog
from sqlalchemy.exc import DBAPIError

from store import alive, logs, parts, remembered
from store.certificates import CertificateFiles
from store.counts import WRITE_SECONDS, Counts
from store.database import Sessions, make_engine, make_sessions
from store.doorbell import Doorbell
from store.experiments import finished
from store.jobs import children, machine
from store.jobs.machine import SweepReport
from store.jobs.retention import Purged, purging, shortening
from store.owners import idempotency
from store.settings import Settings, SettingsError
from store.statistics.rollup import BATCH, WORTH_A_ROLLUP, roll_up, uncounted
from worker.webhooks import Sender

log = structlog.get_logger(__name__)

USAGE = """usage: python -m worker.sweeper

Queues lost jobs again and rolls up the statistics, every two seconds, until SIGTERM or SIGINT.
It takes no options; `python -m store settings` lists the environment variables that it reads."""

# A sweeper that has not come to the end of a sweep for this long hangs; one sweep takes milliseconds, or a few seconds.
HANGS_SECONDS = 120.0
# Once the database is back, lost jobs wait at most this long for the next sweep (docs/reliability.md).
LONGEST_PAUSE_SECONDS = 5.0
FORGET_EVERY_SECONDS = 600.0
PURGE_EVERY_SECONDS = 3600.0
# Of each sweep, so that lost jobs and other writers do not wait for it.
PURGE_SECONDS = 0.5
CHECKPOINT_SECONDS = 0.25


class Sweeper:
    """Sweeps every ``pace.sweep_seconds``; less and less often while the database is unreachable."""

    def __init__(self, settings: Settings, sessions: Sessions, bell: Doorbell) -> None:
        self._settings = settings
        self._sessions = sessions
        self._bell = bell
        self._lease = timedelta(seconds=settings.lease_seconds)
        self._wake_after = timedelta(seconds=settings.pace.wake_after_seconds)
        self._counts = Counts()
        self._write_at = 0.0
        self._forget_at = 0.0
        self._purge_at = 0.0
        self._purging: Iterator[Purged] | None = None
        self._purged = Purged(0, 0)
        self._swept_at = time.monotonic()

    def goes_on(self) -> bool:
        """Whether a sweep has ended lately, or found that the database does not answer."""
        return time.monotonic() - self._swept_at < HANGS_SECONDS

    def run(self, stop: threading.Event) -> None:
        """Sweep until ``stop`` is set."""
        pause = self._settings.pace.sweep_seconds
        while True:
            try:
                self.sweep(stop)
                parts.note(self._sessions, "sweeper")
                pause = self._settings.pace.sweep_seconds
            except DBAPIError as error:
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
                log.error("the database does not answer", error=str(error.orig), again_in=pause)
            self._swept_at = time.monotonic()
            if stop.wait(pause):
                return

    def sweep(self, stop: threading.Event) -> SweepReport:
        """Sweep once; skips the less urgent parts once ``stop`` is set."""
        lease, wake_after = self._lease, self._wake_after
        with self._sessions.read() as session:
            needed = machine.needs_sweep(session, lease=lease, wake_after=wake_after)
        report = SweepReport()
        if needed:
            losses = self._settings.pace.max_losses
            report = self._sessions.run(
                lambda session: machine.sweep(session, lease=lease, max_losses=losses, wake_after=wake_after)
            )
        if report.failed or report.cancelled:
            self._bell.finished(*report.failed, *report.cancelled)
        if report.waiting and self._bell.ring(report.waiting, small=True):
            self._counts.add("wake_ups_repeated", report.waiting)
        if report.shortened:
            log.warning("shortened leases that were too long, because the clock was set back", ids=report.shortened)
        if report.requeued or report.failed or report.cancelled:
            log.warning("leases ran out", requeued=report.requeued, failed=report.failed, cancelled=report.cancelled)
        self._end_orphans()
        self._count(report)
        self._roll_up(stop)
        if not stop.is_set():
            finished.note_finished(self._sessions)
            finished.keep_tables(self._sessions, time.monotonic() + self._settings.pace.sweep_seconds)
            self._purge()
        self._forget()
        return report

    def _end_orphans(self) -> None:
        """Cancel the parts of jobs that have ended."""
        with self._sessions.read() as session:
            found = children.orphans(session)
        for job in found:
            self._sessions.run(partial(machine.request_cancel, job_id=job))
            self._bell.cancel(job)

    def _count(self, report: SweepReport) -> None:
        for became in ("requeued", "failed", "cancelled"):
            if getattr(report, became):
                self._counts.add("leases_expired", len(getattr(report, became)), became=became)
        if report.shortened:
            self._counts.add("leases_shortened", len(report.shortened))
        # While jobs wait, every sweep counts wake-up messages; it is enough to write the counts now and then.
        if report.requeued or report.failed or report.cancelled or time.monotonic() > self._write_at:
            self._write_at = time.monotonic() + WRITE_SECONDS
            self._counts.write(self._sessions)

    def _roll_up(self, stop: threading.Event) -> None:
        """Add ended solves to the statistics, once there are enough of them."""
        with self._sessions.read() as session:
            waiting = len(uncounted(session, WORTH_A_ROLLUP))
        if waiting < WORTH_A_ROLLUP:
            return
        until = time.monotonic() + self._settings.pace.sweep_seconds
        while roll_up(self._sessions) == BATCH and time.monotonic() < until and not stop.is_set():
            pass

    def _forget(self) -> None:
        """Delete old idempotency keys and cached results, and certificates of deleted jobs."""
        if time.monotonic() < self._forget_at:
            return
        self._forget_at = time.monotonic() + FORGET_EVERY_SECONDS
        hours, days = timedelta(hours=idempotency.KEPT_HOURS), timedelta(days=remembered.KEPT_DAYS)
        with self._sessions.read() as session:
            old_keys, old_results = idempotency.any_old(session, hours), remembered.any_old(session, days)
        if old_keys:
            count = self._sessions.run(lambda session: idempotency.forget_old(session, hours))
            log.info("deleted idempotency keys", count=count)
        if old_results:
            count = self._sessions.run(lambda session: remembered.delete_old(session, days))
            log.info("deleted cached results", count=count)
        if count := CertificateFiles.of(self._settings).sweep(self._sessions):
            log.info("deleted certificates", count=count)

    def _purge(self) -> None:
        """Delete what is older than the settings say, some at each sweep."""
        if self._purging is None:
            if time.monotonic() < self._purge_at:
                return
            keep, keep_log = self._settings.keep_days, self._settings.keep_log_days
            jobs = purging(self._sessions, timedelta(days=keep)) if keep else ()
            self._purging = chain(jobs, shortening(self._sessions, timedelta(days=keep_log)) if keep_log else ())
            self._purged = Purged(0, 0)
        until = time.monotonic() + PURGE_SECONDS
        for deleted in self._purging:
            self._purged += deleted
            if time.monotonic() > until:
                return
        # Also after an error of the database, which ends such an iterator.
        self._purging, self._purge_at = None, time.monotonic() + PURGE_EVERY_SECONDS
        if self._purged != Purged(0, 0):
            log.info("deleted what is old", **asdict(self._purged))


def checkpoint(sessions: Sessions, stop: threading.Event) -> None:
    """Keep SQLite's write-ahead log short until ``stop`` is set, so that no other process has to wait for the disk."""
    while not stop.wait(CHECKPOINT_SECONDS):
        try:
            sessions.checkpoint()
        except sqlite3.Error as error:
            log.warning("cannot copy the write-ahead log", error=str(error))
            stop.wait(LONGEST_PAUSE_SECONDS)


def main(arguments: list[str]) -> int:
    """Run until told to stop; 2 for wrong settings or arguments."""
    if arguments:
        wanted = arguments in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if wanted else sys.stderr)
        return 0 if wanted else 2
    logs.configure()
    try:
        settings = Settings.from_env()
    except SettingsError as error:
        log.error("wrong settings", error=str(error))
        return 2
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    sessions = make_sessions(make_engine(settings.database_url, pool_size=2))
    bell = Doorbell(settings.broker_url)
    log.info("sweeping", every=settings.pace.sweep_seconds)
    if sessions.engine.dialect.name == "sqlite":
        threading.Thread(target=checkpoint, args=(sessions, stop), name="hstar-checkpoint", daemon=True).start()
    sender = Sender(settings, sessions)
    threading.Thread(target=sender.run, args=(stop,), name="hstar-webhooks", daemon=True).start()
    sweeper = Sweeper(settings, sessions, bell)
    alive.report_while(sweeper.goes_on)
    sweeper.run(stop)
    bell.close()
    sessions.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
