"""Whether the machine has the memory that the workers' searches may take together.

A search keeps its memory limit, and a worker process keeps what its last search took for the next one, so a process may
hold ``HSTAR_CAP_MEMORY_MIB`` and what Python and its libraries need. Where the processes together may hold more than
there is, the system kills one of them in the middle of a search; so that is refused before anything starts.
"""

from __future__ import annotations

from hstar.memory import total_bytes
from store.settings import Settings, SettingsError

__all__ = ["PROCESS_MIB", "check_memory", "fitting_cap_mib"]

#: what a worker process needs beside its search, in MiB: 110 to 140 were measured
PROCESS_MIB = 160


def fitting_cap_mib(processes: int, memory: int | None = None) -> int:
    """The highest memory limit of a solve, in MiB, that so many processes may have at a time; at least 1.

    :param memory: bytes; by default those of the machine or the container
    """
    available = (total_bytes() if memory is None else memory) // 2**20
    return max(1, available // processes - PROCESS_MIB)


def check_memory(settings: Settings, processes: int, memory: int | None = None) -> None:
    """Raises :class:`SettingsError` unless ``processes`` searches at the cap fit into memory together.

    :param memory: bytes; by default those of the machine or the container
    """
    available = total_bytes() if memory is None else memory
    needed = processes * (settings.cap_memory_mib + PROCESS_MIB)
    if needed * 2**20 <= available:
        return
    cap = fitting_cap_mib(processes, available)
    raise SettingsError(
        f"{processes} processes with HSTAR_CAP_MEMORY_MIB={settings.cap_memory_mib} may take {needed} MiB, "
        f"and there are {available // 2**20} MiB: set HSTAR_CAP_MEMORY_MIB to at most {cap}, or run fewer processes"
    )
