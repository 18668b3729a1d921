"""Workers times cap is compared with the machine's memory before anything starts."""

from __future__ import annotations

import os

import pytest

from hstar.memory import total_bytes
from store.capacity import PROCESS_MIB, QUICK_MIB, check_memory, fitting_cap_mib, spare_mib
from store.settings import Settings, SettingsError

MIB = 2**20


def test_the_machines_memory_is_read_from_the_system() -> None:
    assert 256 * MIB <= total_bytes() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize("long", [1, 2, 7])
@pytest.mark.parametrize("quick", [0, 1])
@pytest.mark.parametrize("paused", [0, 1, 3])
def test_the_cap_that_is_named_is_the_highest_that_fits(long: int, quick: int, paused: int) -> None:
    memory = 4000 * MIB
    cap = fitting_cap_mib(long, quick, paused, memory)
    check_memory(Settings(cap_memory_mib=cap), long, quick, paused, memory)
    with pytest.raises(SettingsError, match=rf"HSTAR_CAP_MEMORY_MIB to at most {cap}, or run fewer processes") as told:
        check_memory(Settings(cap_memory_mib=cap + 1), long, quick, paused, memory)
    assert ("HSTAR_PAUSED_SLOTS=0" in str(told.value)) == (paused > 0)
    # One more search at the cap may be paused, and not two; without turns there is nothing to spare for that.
    spare = spare_mib(Settings(cap_memory_mib=cap), long, quick, paused, memory)
    assert cap <= spare < 2 * (cap + 1) if paused else spare < long


def test_what_is_left_beside_the_running_jobs_may_be_held_by_paused_ones() -> None:
    settings = Settings(cap_memory_mib=1000)
    fixed = 2 * 1000 + 5 * PROCESS_MIB + QUICK_MIB
    assert spare_mib(settings, 2, 1, 2, (fixed + 1700) * MIB) == 1700
    assert spare_mib(settings, 2, 1, 2, fixed * MIB) == spare_mib(settings, 2, 1, 2, 0) == 0


def test_a_tiny_machine_still_gets_a_cap() -> None:
    assert fitting_cap_mib(4, 1, 0, (2 * PROCESS_MIB + QUICK_MIB) * MIB) == 1
