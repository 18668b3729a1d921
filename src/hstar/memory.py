"""The memory of the machine, or of the container that this process runs in."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["total_bytes"]

# Versions 2 and 1 of control groups, as a container sees its own.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def total_bytes() -> int:
    """The machine's memory, or the container's limit where that is lower; in use or not."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in _LIMITS:
        with suppress(OSError, ValueError):  # the file may be missing, or hold "max" instead of a number
            memory = min(memory, int(limit.read_text()))
    return memory
