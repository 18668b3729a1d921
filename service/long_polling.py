"""``Prefer: wait=N``: answers held back until a job has ended, in a bounded number of threads; and streams of events.

A wait occupies one of the process's threads. So that waits cannot take all threads, their number is limited; beyond it
the answer is sent at once, without ``Preference-Applied``, and the client polls as if it had sent no preference.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs.waiting import wait_until_final

#: how often something that no message announces is looked at
LOOK_SECONDS = 0.5
#: after which a client of a stream that has ended connects again
RETRY_SECONDS = 2


class LongPolling:
    """The waits of one process."""

    def __init__(self, sessions: Sessions, doorbell: Doorbell, *, most: int, cap_seconds: float) -> None:
        self._sessions = sessions
        self._doorbell = doorbell
        self._places = threading.BoundedSemaphore(most)
        self._streams = threading.BoundedSemaphore(max(1, most // 2))
        # Not an Event: signal handlers set it, and a handler that interrupts another would wait for the Event's lock
        # for ever.
        self._stopping = False
        self.cap_seconds = cap_seconds

    def stop(self) -> None:
        """End every wait within seconds and begin none, because the process is about to stop. For signal handlers."""
        self._stopping = True

    def until_final(self, job_id: str, seconds: float) -> float | None:
        """Wait for the end of a job; returns the seconds granted, or None if too many waits were going on.

        seconds: the client's preference; at most the cap is granted.
        """

        def wait(granted: float) -> None:
            wait_until_final(self._sessions, self._doorbell, job_id, granted, give_up=lambda: self._stopping)

        return self._granted(seconds, wait)

    def until(self, ended: Callable[[], bool], seconds: float) -> float | None:
        """The same for something that no message announces, such as the last of many jobs."""

        def wait(granted: float) -> None:
            until = time.monotonic() + granted
            while not ended() and (left := until - time.monotonic()) > 0 and not self._stopping:
                time.sleep(min(left, LOOK_SECONDS))

        return self._granted(seconds, wait)

    def _granted(self, seconds: float, wait: Callable[[float], None]) -> float | None:
        if self._stopping or not self._places.acquire(blocking=False):
            return None
        try:
            granted = min(seconds, self.cap_seconds)
            wait(granted)
            return granted
        finally:
            self._places.release()

    def events(self, look: Callable[[], tuple[str, bool]]) -> Iterator[str]:
        """Server-sent events: what ``look`` shows, whenever it changes, until it says that this was the end.

        A stream is a wait that tells how things stand meanwhile: it takes one of the same places, of half of them at
        most, and ends after the cap; its client connects again. Without a place it shows the present state and ends.
        """
        yield f"retry: {RETRY_SECONDS * 1000}\n\n"
        shown, ended = look()
        yield f"data: {shown}\n\n"
        if ended or self._stopping or not self._streams.acquire(blocking=False):
            return
        try:
            if not self._places.acquire(blocking=False):
                return
            try:
                until = time.monotonic() + self.cap_seconds
                while not ended and (left := until - time.monotonic()) > 0 and not self._stopping:
                    time.sleep(min(left, LOOK_SECONDS))
                    now, ended = look()
                    # A line without content tells us that the client is gone.
                    yield ":\n\n" if now == shown else f"data: {now}\n\n"
                    shown = now
            finally:
                self._places.release()
        finally:
            self._streams.release()
