"""Tells the processes of a worker to stop, even while their main thread is inside the kernel.

Python runs signal handlers in the main thread between two of its instructions, so a search that lasts an hour delays
them for an hour. Therefore a thread polls two pipes instead:

- one that the worker's main process made before it forked. A byte in it means "warm shutdown"; end of file means that
  the main process is dead. Nobody reads the byte, so that every process sees it.
- one into which the signal module writes the number of every signal at once, in C. If SIGTERM is sent to the whole
  process group (by a terminal or systemd), each pool process receives its own.
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
    ORPHANED = "the worker's main process has died"


class StopLine:
    """The pipe from the main process to every process of the pool. Make it before the first fork."""

    def __init__(self) -> None:
        self._heard, self._said = os.pipe()

    def request(self) -> None:
        """In the main process: tell all processes of the pool, including those forked later."""
        os.write(self._said, b"s")

    def watch(self, stop: Callable[[StopReason], None]) -> None:
        """In the main thread of a pool process: call ``stop`` (in another thread) for every reason to stop."""
        # Only the main process may hold the other end; otherwise its death would not close the pipe.
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
        """In the main thread of a pool process: during the block, SIGTERM only calls ``stop``.

        Outside of it the pool's own handler ends the process, which is right while it has no job.
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
                    # The byte stays in the pipe for the others and must not wake us again; the end of file still does.
                    poll.modify(self._heard, 0)
                    stop(StopReason.SHUTDOWN)
                else:
                    poll.unregister(self._heard)
                    stop(StopReason.ORPHANED)
