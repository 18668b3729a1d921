"""The result of a search, with its counters. Expected endings are values, not exceptions."""

from __future__ import annotations

from typing import Literal

from pydantic import InstanceOf

from hstar import schema
from hstar.search.problem import Strategy

Ending = Literal["solved", "exhausted", "limit_reached", "cancelled"]


class Result(schema.Answer):
    """The answer to a `Problem`; a solution in it has been replayed.

    ``lower_bound`` is a proven bound on h*(start), None only if there is no solution. ``seconds`` is wall-clock time of
    the search only; ``peak_bytes`` the memory of its nodes, table and open list. ``strategy`` is the one that ended the
    search.
    """

    status: Ending
    counters: schema.Counters
    seconds: float
    peak_bytes: int
    strategy: InstanceOf[Strategy]


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
        total = 0.0
        for _ in range(length):
            total = total * middle + middle  # Horner's scheme for b + ... + b^length
            if total > generated:
                break
        low, high = (low, middle) if total > generated else (middle, high)
    return low
