"""Announces the end of jobs to waiting clients, in a separate thread.

A message to Redis and its answer take a third of the time of a short job. In this thread they overlap with the next
job, and under load one message announces the ends of many jobs: after a message the thread pauses for `PAUSE_SECONDS`.
"""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue

from store.doorbell import Doorbell

CLOSE_SECONDS = 1.0
# A message costs the process as much as a tenth of a short job.
PAUSE_SECONDS = 0.01


class Notifier:
    """One daemon thread. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, bell: Doorbell) -> None:
        self._bell = bell
        self._ended: SimpleQueue[str | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._notify_forever, name="hstar-notifier", daemon=True)
        self._thread.start()

    def finished(self, job_id: str) -> None:
        """Announce the end of a job soon; call it after the commit. Never waits and never raises."""
        self._ended.put(job_id)

    def close(self) -> None:
        """Announce the remaining ends and end the thread, unless Redis blocks it."""
        self._ended.put(None)
        self._thread.join(CLOSE_SECONDS)

    def _notify_forever(self) -> None:
        while True:
            ended = [self._ended.get()]
            while not self._ended.empty():
                ended.append(self._ended.get())
            self._bell.finished(*(job_id for job_id in ended if job_id is not None))
            if None in ended:
                return
            time.sleep(PAUSE_SECONDS)
