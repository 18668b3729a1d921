"""Receives messages that a job was cancelled, and makes the lease keeper read the cancel flag at once.

The message is only a hint: the flag is in the row, and every heartbeat reads it. Without Redis a cancel takes effect at
the next heartbeat.
"""

from __future__ import annotations

import threading

from store.doorbell import Doorbell
from worker.lease_keeper import LeaseKeeper

# How often the listener checks whether it should end.
LISTEN_SECONDS = 5.0
# The pause before it tries Redis again, if that is unreachable.
RECONNECT_SECONDS = 2.0


class CancelListener:
    """One daemon thread. Make it in the process that runs the jobs, not before a fork."""

    def __init__(self, bell: Doorbell, keeper: LeaseKeeper) -> None:
        self._bell = bell
        self._keeper = keeper
        self._closed = threading.Event()
        threading.Thread(target=self._listen_forever, name="hstar-cancel-listener", daemon=True).start()

    def close(self) -> None:
        """End the thread at its next check."""
        self._closed.set()

    def _listen_forever(self) -> None:
        while not self._closed.is_set():
            with self._bell.listen_for_cancels() as cancels:
                # The row has any cancel that was sent before the subscription.
                self._keeper.look()
                while cancels.connected and not self._closed.is_set():
                    cancelled = cancels.wait(LISTEN_SECONDS)
                    if cancelled is not None:
                        self._keeper.look(cancelled)
            self._closed.wait(RECONNECT_SECONDS)
