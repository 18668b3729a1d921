"""Histories of whole services under a virtual clock, and what they notice when a part is broken."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from chaos.simulation.services import live_services
from chaos.simulation.specification import Violation
from hstar.search import Control
from store.ids import created_at, new_id
from tests.conftest import instances
from worker.lease_keeper import LeaseKeeper
from worker.slots import Table

BROKEN: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "nobody yields": (Table, "_must_yield", lambda *_: False),
    "a turn loses the work": (Control, "pause", Control.cancel),
    "no heartbeat": (LeaseKeeper, "_beat", lambda *_: None),
}


@pytest.mark.parametrize("seed", instances(range(200), 3))
def test_everything_comes_in_time_and_nothing_is_lost(seed: int) -> None:
    live_services(seed)
    assert created_at(new_id()) < datetime.now(UTC) + timedelta(seconds=1), "ids of the virtual clock"


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_part_is_noticed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, broken = BROKEN[what]
    monkeypatch.setattr(owner, name, broken)

    def live_some() -> None:
        for seed in range(20):
            live_services(seed)

    with pytest.raises(Violation):
        live_some()
