"""The disk space of tables. The least recently used ones are deleted to make room for a new one.

All tables together may take ``HSTAR_DATABASES_MIB``, and twice ``HSTAR_RESERVE_MIB`` stay free on their disk, so that
requests for new tables cannot fill it, and end before the service refuses jobs. A table for which there is no room is
not kept.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from hstar.databases import seen

__all__ = ["BUDGET_MIB", "RESERVE_MIB", "make_room"]

BUDGET_MIB = 8192
RESERVE_MIB = 256


def make_room(directory: Path, needed: int) -> bool:
    """Remove no more tables than needed to write a file of this many bytes; returns whether it may be written.

    Processes that have a removed table open keep it until they end. If removing all would not be enough, none is
    removed.
    """
    budget = _mib("HSTAR_DATABASES_MIB", BUDGET_MIB) * 2**20
    reserve = 2 * _mib("HSTAR_RESERVE_MIB", RESERVE_MIB) * 2**20
    found = []
    for path in directory.glob("*.pdb"):
        with contextlib.suppress(FileNotFoundError):  # another process has removed it
            found.append((seen.last_used(path), path.stat().st_size, path))
    taken, free = sum(size for _, size, _ in found), shutil.disk_usage(directory).free
    if needed > budget or free + taken - needed < reserve:
        return False
    for _, size, path in sorted(found):
        if taken + needed <= budget and free - needed >= reserve:
            break
        seen.remove(path)
        taken, free = taken - size, free + size
    return True


def _mib(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else default
