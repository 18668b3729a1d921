"""The kinds of jobs that a worker runs: every `Kind` in a module of this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from hstar import heuristics
from worker.kinds.kind import Kind
from worker.kinds.solve import told_at_submission


def _kinds() -> Iterator[Kind[Any, Any]]:
    for module in iter_modules(__path__):
        values = vars(import_module(f"{__name__}.{module.name}")).values()
        yield from (value for value in values if isinstance(value, Kind))


KINDS: Mapping[str, Kind[Any, Any]] = {kind.name: kind for kind in _kinds()}


def forget() -> None:
    """Free the heuristics and databases that jobs have left in this process's memory."""
    told_at_submission.cache_clear()
    heuristics.forget()
