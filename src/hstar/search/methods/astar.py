"""A*: best-first by f = g + weight * h."""

from __future__ import annotations

from hstar import _kernel
from hstar.search.method import Method
from hstar.search.run import Search


def search(asked: Search) -> _kernel.Outcome:
    options = asked.options
    return _kernel.astar(
        *asked.question,
        asked.heuristic.kernel,
        weight=options.weight,
        tie_breaking=options.tie_breaking,
        keep_tree=asked.keep,
        costs=asked.problem.moves.costs,
        **asked.limits,
    )


METHOD = Method(
    name="astar",
    summary="best-first by f = g + weight * h",
    duplicates="exact, reopening",
    forbidden=True,
    search=search,
    options=("heuristic", "weight", "tie_breaking"),
    optimal=True,
    costs=True,
    layers=True,
)
