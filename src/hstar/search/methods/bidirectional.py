"""Bidirectional search: layer by layer from the start and from the goal; it uses no heuristic."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    return _kernel.bidirectional(*asked.question, **asked.limits, keep_tree=asked.keep)


METHOD = Method(
    name="bidirectional",
    summary="layer by layer from the start and from the goal",
    duplicates="exact",
    forbidden=True,
    search=search,
    optimal=True,
    layers=True,
)
