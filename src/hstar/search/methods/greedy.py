"""Greedy best-first search, by h alone."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    return _kernel.greedy(
        *asked.question, asked.heuristic.kernel, tie_breaking=asked.options.tie_breaking, **asked.limits
    )


METHOD = Method(
    name="greedy",
    summary="best-first by h alone: fast, seldom optimal",
    duplicates="exact",
    forbidden=True,
    search=search,
    options=("heuristic", "tie_breaking"),
    choices={"tie_breaking": ("low_h", "lifo", "fifo")},
)
