"""``Prefer: wait=N``: answers held back until a solve has finished, in a bounded number of threads.

A wait occupies one of the process's threads. So that waits cannot take all threads, their number is limited; beyond it
the answer is sent at once, without ``Preference-Applied``, and the client polls as if it had sent no preference.
"""

from __future__ import annotations

import threading

from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs.waiting import wait_until_final


class LongPolling:
    """The waits of one process."""

    def __init__(self, sessions: Sessions, doorbell: Doorbell, *, most: int, cap_seconds: float) -> None:
        self._sessions = sessions
        self._doorbell = doorbell
        self._places = threading.BoundedSemaphore(most)
        # Not an Event: signal handlers set it, and a handler that interrupts another would wait for the Event's lock
        # for ever.
        self._stopping = False
        self.cap_seconds = cap_seconds

    def stop(self) -> None:
        """End every wait within seconds and begin none, because the process is about to stop. For signal handlers."""
        self._stopping = True

    def until_final(self, solve_id: str, seconds: float) -> float | None:
        """Wait for the end of a solve; returns the seconds granted, or None if too many waits were going on.

        seconds: the client's preference; at most the cap is granted.
        """
        if self._stopping or not self._places.acquire(blocking=False):
            return None
        try:
            granted = min(seconds, self.cap_seconds)
            wait_until_final(self._sessions, self._doorbell, solve_id, granted, give_up=lambda: self._stopping)
            return granted
        finally:
            self._places.release()
