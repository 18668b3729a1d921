"""Slots that limit how many long jobs a worker runs at a time, so that a short job never waits for all of them.

    slots = LongSlots(2)                 # in the main process, before it forks
    if slots.take(): ...                 # in a process of the pool: its job may take any time
    slots.give_back()

A worker has ``HSTAR_WORKERS`` slots for long jobs and ``HSTAR_QUICK_SLOTS`` more processes than slots. A process that
runs a job takes a slot if one is free. Otherwise it tries a new job for half a second of processor time, and hands it
back if that was not enough and still no slot is free. So some process is soon free again, however many long jobs there
are.

The slots are locks on the bytes of an unlinked file. The system releases the locks of a process that dies.
"""

from __future__ import annotations

import fcntl
import tempfile
import threading


class LongSlots:
    """The slots of one worker, shared by the processes that it forks. A process takes at most one."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
        self._mine: int | None = None
        self._changing = threading.Lock()

    @property
    def taken(self) -> bool:
        """Whether this process has a slot."""
        return self._mine is not None

    def take(self) -> bool:
        """Take a slot if this process has none and one is free; returns whether it has one."""
        with self._changing:
            for number in range(self._count) if self._mine is None else ():
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
                except OSError:
                    continue
                self._mine = number
                break
            return self._mine is not None

    def give_back(self) -> None:
        """Release the slot, if this process has one."""
        with self._changing:
            if self._mine is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, self._mine)
                self._mine = None
