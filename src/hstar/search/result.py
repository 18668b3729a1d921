"""The result of a search, with its counters. Expected endings are values, not exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, inf, log
from typing import Literal

from pydantic import InstanceOf

from hstar import _kernel, schema
from hstar.databases import Databases
from hstar.heuristics import Heuristic

Ending = Literal["solved", "exhausted", "limit_reached", "cancelled"]


class Result(schema.Answer):
    """The answer to a `Problem`; a solution in it has been replayed.

    ``lower_bound`` is a proven bound on h*(start), None only if there is no solution. ``seconds`` is what the caller
    waited; ``peak_bytes`` the memory of nodes, table and open list. ``method`` and ``heuristic`` are of the search that
    ended it; ``unbuilt`` the databases for which there was no time. ``patience`` is how many seconds the verdicts
    on the heuristic may take: 0 if it was cancelled. ``kept`` is a search that kept the states which prove the answer;
    ``roots``, of one that was shared, those of its subtrees (`Shared`).
    """

    status: Ending
    counters: schema.Counters
    seconds: float
    peak_bytes: int
    method: schema.Method
    heuristic: InstanceOf[Heuristic]
    unbuilt: tuple[InstanceOf[Databases], ...] = ()
    patience: float = inf
    kept: InstanceOf[_kernel.Outcome] | None = None
    roots: Sequence[Sequence[int]] = ()


def branching_effective(generated: int, length: int) -> float | None:
    """The root b >= 0 of N + 1 = 1 + b + b^2 + ... + b^length with N = ``generated`` (Russell and Norvig).

    None if the length is 0 (no b) or nothing was generated.
    """
    if length == 0 or generated == 0:
        return None
    low, high = 0.0, float(generated)
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:  # there is no double between them
            break
        # Not by adding up: a greedy solution may have 100,000 moves.
        growth = length * log(middle)
        total = inf if growth > 700 else length if middle == 1 else middle * expm1(growth) / (middle - 1)
        low, high = (low, middle) if total > generated else (middle, high)
    return low
