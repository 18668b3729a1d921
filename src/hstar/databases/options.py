"""The options of a search over databases, whatever they are of."""

from __future__ import annotations

from typing import Required, TypedDict

from hstar import _kernel

__all__ = ["SearchOptions"]


class SearchOptions(TypedDict, total=False):
    """Keyword arguments of IDA*. With one thread the counters depend only on them; with more the solution is the same,
    but the counters of the last iteration differ. ``control`` can cancel it and read its counters."""

    max_expanded: int | None
    max_generated: int | None
    seconds: float | None
    threads: int
    control: Required[_kernel.Control]
