"""Workers times cap is compared with the machine's memory before anything starts."""

from __future__ import annotations

import os

import pytest

from hstar.memory import total_bytes
from store.capacity import PROCESS_MIB, QUICK_MIB, check_memory, fitting_cap_mib
from store.settings import Settings, SettingsError

MIB = 2**20


def test_the_machines_memory_is_read_from_the_system() -> None:
    assert 256 * MIB <= total_bytes() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize("long", [1, 2, 7])
@pytest.mark.parametrize("quick", [0, 1])
def test_the_cap_that_is_named_is_the_highest_that_fits(long: int, quick: int) -> None:
    memory = 4000 * MIB
    cap = fitting_cap_mib(long, quick, memory)
    check_memory(Settings(cap_memory_mib=cap), long, quick, memory)
    with pytest.raises(SettingsError, match=rf"HSTAR_CAP_MEMORY_MIB to at most {cap}, or run fewer processes"):
        check_memory(Settings(cap_memory_mib=cap + 1), long, quick, memory)


def test_two_long_jobs_at_the_default_cap_and_a_quick_one_fit_into_the_container_of_the_compose_file() -> None:
    check_memory(Settings(), 2, 1, 5 * 1024 * MIB)


def test_a_tiny_machine_still_gets_a_cap() -> None:
    assert fitting_cap_mib(4, 1, (2 * PROCESS_MIB + QUICK_MIB) * MIB) == 1
