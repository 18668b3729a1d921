"""The type of fault experiments, and helpers for them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chaos.clients import medium, quick
from chaos.system import System

#: the database of an experiment: both in turn; SQLite; its own PostgreSQL server; SQLite on a disk of 8 MB;
#: both in turn, with a clock that can be set
Database = Literal["either", "sqlite", "own postgresql", "small disk", "clock"]


class CannotRun(Exception):
    """The reason why an experiment is skipped on this machine."""


@dataclass(frozen=True)
class Experiment:
    """One kind of fault. ``run`` starts the programs, injects faults, and returns their number.

    ``scale``: 1 for a run of at most about a minute, less for a shorter one. Afterwards `System.check` is called.
    """

    name: str
    what: str
    run: Callable[[System, float], int]
    database: Database = "either"
    settings: dict[str, str] = field(default_factory=dict)


def times(count: int, scale: float) -> int:
    """The scaled number, at least one."""
    return max(1, round(count * scale))


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte with one file; returns its path."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * 4096):
            pass
    return filler


def mixed(system: System, count: int, share: float = 0.25) -> list[dict[str, Any]]:
    """Requests; a ``share`` of them search for some tenths of a second."""
    return [
        (medium if system.chance.random() < share else quick)(system.chance.randrange(10_000)) for _ in range(count)
    ]
