"""How much of a disk tables may take. Those that were used longest ago make room for a new one.

``HSTAR_DATABASES_MIB`` is what all of them may take, and ``HSTAR_DATABASES_RESERVE_MIB`` what stays free on their disk,
so that tables, of which anybody may ask for new ones, cannot fill it. A table for which there is no room is not kept.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

__all__ = ["make_room", "used"]

BUDGET_MIB = 4096
RESERVE_MIB = 512


def used(path: Path) -> None:
    """Note that a table is used now: its time of modification says so, whatever the disk is mounted with."""
    with contextlib.suppress(OSError):
        os.utime(path)


def make_room(directory: Path, needed: int) -> bool:
    """Remove as many tables as it takes, and no more, so that a file of so many bytes may be written; whether it may.

    Processes that read a table which is removed keep it until they end. None is removed where it would be in vain.
    """
    budget, reserve = (
        _mib(name, default) * 2**20
        for name, default in (("HSTAR_DATABASES_MIB", BUDGET_MIB), ("HSTAR_DATABASES_RESERVE_MIB", RESERVE_MIB))
    )
    found = []
    for path in directory.glob("*.pdb"):
        with contextlib.suppress(FileNotFoundError):  # somebody else made room
            status = path.stat()
            found.append((status.st_mtime_ns, status.st_size, path))
    taken, free = sum(size for _, size, _ in found), shutil.disk_usage(directory).free
    if needed > budget or free + taken - needed < reserve:
        return False
    for _, size, path in sorted(found):
        if taken + needed <= budget and free - needed >= reserve:
            break
        path.unlink(missing_ok=True)
        taken, free = taken - size, free + size
    return True


def _mib(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else default
