"""What an experiment is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from chaos.clients import medium, quick
from chaos.system import System

#: which database an experiment runs on: both in turn; SQLite; a PostgreSQL of its own; SQLite on a disk of 8 MB;
#: both in turn, with a clock that can be set
Database = Literal["either", "sqlite", "own postgresql", "small disk", "clock"]


class CannotRun(Exception):
    """Why an experiment is left out on this machine."""


@dataclass(frozen=True)
class Experiment:
    """One kind of fault. ``run`` starts what it needs, breaks it, and returns how often it did.

    ``scale``: 1 for a run of about a minute at most, less for a short one. Afterwards `System.check` is called.
    """

    name: str
    what: str
    run: Callable[[System, float], int]
    database: Database = "either"
    settings: dict[str, str] = field(default_factory=dict)


def times(count: int, scale: float) -> int:
    """So many, or at least one."""
    return max(1, round(count * scale))


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte with one file, which is returned."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * 4096):
            pass
    return filler


def mixed(system: System, count: int, share: float = 0.25) -> list[dict[str, Any]]:
    """Requests of which a ``share`` searches for some tenths of a second."""
    return [
        (medium if system.chance.random() < share else quick)(system.chance.randrange(10_000)) for _ in range(count)
    ]
