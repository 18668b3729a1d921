"""The memory of the machine, or of the container that this process runs in, and what the process holds of it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["own_mib", "total_bytes"]

# Versions 2 and 1 of control groups, as a container sees its own.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def total_bytes() -> int:
    """The machine's memory, or the container's limit where that is lower; in use or not."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in _LIMITS:
        with suppress(OSError, ValueError):  # the file may be missing, or hold "max" instead of a number
            memory = min(memory, int(limit.read_text()))
    return memory


def own_mib() -> int:
    """MiB that this process holds, without mapped files; 0 where the system does not tell."""
    with suppress(OSError, ValueError):
        resident, shared = map(int, Path("/proc/self/statm").read_text().split()[1:3])
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE") // 2**20
    return 0
