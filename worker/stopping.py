"""How the processes of a worker learn that they have to stop, even while their main thread is inside the kernel.

A Python signal handler runs in the main thread, between two of its instructions: a search that lasts an hour keeps it
waiting for an hour. So a watching thread polls two pipes instead:

- one that the worker's main process made before it forked. A byte in it says "warm shutdown"; its end says that the
  main process is dead. Nobody reads the byte, so that every process sees it.
- one into which the C level of the signal module writes the number of every signal as it arrives. With SIGTERM sent to
  the whole process group (a terminal, systemd) each pool process gets one of its own.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum


class StopReason(Enum):
    """Why a process stops."""

    SHUTDOWN = "the worker shuts down"
    SIGNAL = "the process was told to end"
    ORPHANED = "the worker's main process is gone"


class StopLine:
    """A line from the main process to every process of the pool. Make it before the first fork."""

    def __init__(self) -> None:
        self._heard, self._said = os.pipe()

    def request(self) -> None:
        """In the main process: tell all processes of the pool, those that are not yet forked included."""
        os.write(self._said, b"s")

    def watch(self, stop: Callable[[StopReason], None]) -> None:
        """In a process of the pool, in its main thread: call ``stop`` (in another thread) for every reason to stop."""
        # Only the main process may hold the other end, or its death would not be the end of the line.
        os.close(self._said)
        arriving, writing = socket.socketpair()
        arriving.setblocking(False)
        writing.setblocking(False)
        signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        thread = threading.Thread(
            target=self._listen, args=(arriving, writing, stop), name="hstar-stop-line", daemon=True
        )
        thread.start()

    @staticmethod
    @contextmanager
    def holding() -> Iterator[None]:
        """In a process of the pool, in its main thread: while the block runs, SIGTERM reaches ``stop`` and no more.

        Outside of it the pool's own handler ends the process, which is right as long as it has no job.
        """
        before = signal.signal(signal.SIGTERM, lambda _number, _frame: None)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def _listen(self, arriving: socket.socket, _writing: socket.socket, stop: Callable[[StopReason], None]) -> None:
        poll = select.poll()
        poll.register(arriving, select.POLLIN)
        poll.register(self._heard, select.POLLIN | select.POLLHUP)
        while True:
            for descriptor, happened in poll.poll():
                if descriptor == arriving.fileno():
                    if signal.SIGTERM in arriving.recv(4096):
                        stop(StopReason.SIGNAL)
                elif happened & select.POLLIN:
                    # The byte stays there for the others, so it must not wake us again; the end of the line still does.
                    poll.modify(self._heard, 0)
                    stop(StopReason.SHUTDOWN)
                else:
                    poll.unregister(self._heard)
                    stop(StopReason.ORPHANED)
