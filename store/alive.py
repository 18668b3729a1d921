"""Signs of life: a process tells its supervisor that it goes on, and the database that its part works.

    report()                                   # from a loop, as often as one likes
    report_while(lambda: worker_goes_on())     # from a thread, for a process whose main thread may be busy for long
    parts.note(sessions, "sweeper")

The supervisor (running/supervisor.py, or systemd with ``WatchdogSec``) ends a process that has reported before and is
silent for too long. The protocol is that of sd_notify(3): datagrams to the socket in ``NOTIFY_SOCKET``. Without that
variable nothing is sent.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable

REPORT_SECONDS = 1.0

_reported_at = 0.0


def report() -> None:
    """Say that this process goes on; at most once in `REPORT_SECONDS`. Never waits and never raises.

    Call it in a forked process at once: one that stops before its first report is not known to hang.
    """
    global _reported_at
    now = time.monotonic()
    if now - _reported_at >= REPORT_SECONDS:
        _reported_at = now
        tell("WATCHDOG=1")


def _forget() -> None:
    """The last report of the process that forked this one is not this one's."""
    global _reported_at
    _reported_at = 0.0


os.register_at_fork(after_in_child=_forget)


def tell(text: str) -> None:
    """Send a message of sd_notify(3), if there is a supervisor. Never waits and never raises."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
            to.setblocking(False)
            to.sendto(text.encode(), f"\0{address[1:]}" if address.startswith("@") else address)
    except OSError:
        pass  # it is not there or does not read; it will end this process if it has to


def report_while(goes_on: Callable[[], bool]) -> None:
    """Start a daemon thread that reports as long as ``goes_on()``. Call it in the process itself, not before a fork."""

    def report_forever() -> None:
        while True:
            if goes_on():
                report()
            time.sleep(REPORT_SECONDS)

    threading.Thread(target=report_forever, name="hstar-alive", daemon=True).start()
