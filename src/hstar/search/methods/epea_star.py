"""EPEA*: A* that stores only the successors that it needs (Goldenberg et al. 2014)."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    return _kernel.partial_expansion(*asked.question, asked.heuristic.kernel, **asked.limits)


METHOD = Method(
    name="epea_star",
    summary="A* that stores only the successors with the f that it is at; a node waits for its others",
    duplicates="exact, reopening",
    forbidden=True,
    search=search,
    options=("heuristic",),
    optimal=True,
    layers=True,
)
