"""Whether the machine has the memory that the workers' searches may take together.

A search keeps its memory limit, and a worker process keeps the memory of its last search for the next one. So a process
may hold ``HSTAR_CAP_MEMORY_MIB`` plus what Python and its libraries need; a process that only tries quick jobs
(``worker/slots.py``) may hold what a search can take in that time. If the processes together could hold more memory
than there is, the system would kill one in the middle of a search; so this is refused before anything starts.
"""

from __future__ import annotations

from hstar.memory import total_bytes
from store.settings import Settings, SettingsError

__all__ = ["PROCESS_MIB", "QUICK_MIB", "check_memory", "fitting_cap_mib"]

#: what a worker process needs besides its search, in MiB; measured: 110 to 140
PROCESS_MIB = 160
#: the most that a search takes in half a second, in MiB: touching a GiB for the first time takes one to two seconds
QUICK_MIB = 512


def fitting_cap_mib(long: int, quick: int = 0, memory: int | None = None) -> int:
    """The highest memory limit in MiB that a solve may have when so many long and quick jobs run together; at least 1.

    :param memory: bytes; by default those of the machine or the container
    """
    available = (total_bytes() if memory is None else memory) // 2**20 - quick * (PROCESS_MIB + QUICK_MIB)
    return max(1, available // long - PROCESS_MIB)


def check_memory(settings: Settings, long: int, quick: int = 0, memory: int | None = None) -> None:
    """Raise :class:`SettingsError` unless ``long`` searches at the cap and ``quick`` jobs fit into memory together.

    :param memory: bytes; by default those of the machine or the container
    """
    available = total_bytes() if memory is None else memory
    needed = long * (settings.cap_memory_mib + PROCESS_MIB) + quick * (QUICK_MIB + PROCESS_MIB)
    if needed * 2**20 <= available:
        return
    cap = fitting_cap_mib(long, quick, available)
    raise SettingsError(
        f"{long + quick} processes with HSTAR_CAP_MEMORY_MIB={settings.cap_memory_mib} may take {needed} MiB, "
        f"but only {available // 2**20} MiB exist: set HSTAR_CAP_MEMORY_MIB to at most {cap}, or run fewer processes"
    )
