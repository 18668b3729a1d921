"""RBFS: recursive best-first search (Korf 1993)."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    return _kernel.rbfs(*asked.question, asked.heuristic.kernel, weight=asked.options.weight, **asked.limits)


METHOD = Method(
    name="rbfs",
    summary="best-first in the memory of the path, by searching again what it forgot",
    duplicates="none (tree search)",
    forbidden=True,
    search=search,
    options=("heuristic", "weight"),
    optimal=True,
)
