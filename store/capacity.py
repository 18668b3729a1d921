"""Whether the machine has the memory that the workers' searches may take together.

A search keeps its memory limit, and a worker process keeps the memory of its last search for the next one. So a process
may hold ``HSTAR_CAP_MEMORY_MIB`` plus what Python and its libraries need; a process that only tries quick jobs
(``worker/slots.py``) may hold what a search can take in that time. A paused search (``worker/turns.py``) keeps what it
holds: there is room for one at the cap, or for more that are smaller. If the processes together could hold more memory
than there is, the system would kill one in the middle of a search; so this is refused before anything starts.
"""

from __future__ import annotations

from hstar.memory import total_bytes
from store.settings import Settings, SettingsError

__all__ = ["PROCESS_MIB", "QUICK_MIB", "check_memory", "fitting_cap_mib", "spare_mib"]

#: what a worker process needs besides its search, in MiB; measured: 110 to 140
PROCESS_MIB = 160
#: the most that a search takes in half a second, in MiB: touching a GiB for the first time takes one to two seconds
QUICK_MIB = 512


def fitting_cap_mib(long: int, quick: int = 0, paused: int = 0, memory: int | None = None) -> int:
    """The highest memory limit in MiB of a solve, when so many long, quick and paused jobs run together; at least 1.

    :param memory: bytes; by default those of the machine or the container
    """
    return max(1, (_available(memory) - _fixed(long, quick, paused)) // (long + min(paused, 1)))


def spare_mib(settings: Settings, long: int, quick: int = 0, paused: int = 0, memory: int | None = None) -> int:
    """What paused jobs may hold together in MiB, while so many others run at the cap."""
    return max(0, _available(memory) - _fixed(long, quick, paused) - long * settings.cap_memory_mib)


def check_memory(settings: Settings, long: int, quick: int = 0, paused: int = 0, memory: int | None = None) -> None:
    """Raise :class:`SettingsError` unless these fit into memory together: ``long`` searches at the cap, one that is
    paused at the cap if ``paused`` is not 0, and ``quick`` jobs.

    :param memory: bytes; by default those of the machine or the container
    """
    available = _available(memory)
    needed = _fixed(long, quick, paused) + (long + min(paused, 1)) * settings.cap_memory_mib
    if needed <= available:
        return
    cap = fitting_cap_mib(long, quick, paused, memory)
    raise SettingsError(
        f"{long + quick + paused} processes with HSTAR_CAP_MEMORY_MIB={settings.cap_memory_mib} may take {needed} MiB, "
        f"but only {available} MiB exist: set HSTAR_CAP_MEMORY_MIB to at most {cap}, or run fewer processes"
        + (", or set HSTAR_PAUSED_SLOTS=0" if paused else "")
    )


def _available(memory: int | None) -> int:
    return (total_bytes() if memory is None else memory) // 2**20


def _fixed(long: int, quick: int, paused: int) -> int:
    """MiB of everything but the searches at the cap."""
    return (long + quick + paused) * PROCESS_MIB + quick * QUICK_MIB
