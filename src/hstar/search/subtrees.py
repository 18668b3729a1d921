"""Subtrees of one IDA* as jobs of a queue, and how the search ends that shares them (`hstar.search.sharing`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, NamedTuple, Protocol

from hstar import _kernel
from hstar.objects import Out, Strict
from hstar.schema import LimitName

__all__ = ["Queue", "Seen", "Shared", "Subtree", "SubtreeTask"]


class SubtreeTask(Strict):
    """What is to be searched: the subtree below ``root`` (numbers of moves from the start), to a bound on f."""

    heuristic: str
    root: list[int]
    bound: float


class Subtree(Out):
    """What a job found: a solution (numbers of moves from the start), or else ``next``, the least f above the bound;
    None if nothing was left out."""

    solution: list[int] | None
    next: float | None
    expanded: int
    generated: int
    evaluated: int
    stored: int
    peak_bytes: int

    @classmethod
    def of(cls, outcome: _kernel.Outcome) -> Subtree:
        solved = outcome.status == "solved"
        return cls(
            solution=list(outcome.path) if solved else None,
            next=None if solved or outcome.f_bound == inf else outcome.f_bound,
            expanded=outcome.expanded,
            generated=outcome.generated,
            evaluated=outcome.evaluated,
            stored=outcome.stored,
            peak_bytes=outcome.peak_bytes,
        )


class Seen(NamedTuple):
    """A job as it is now. An ``answer`` comes with its end, unless it was cancelled or has failed."""

    state: Literal["queued", "running", "ended"]
    answer: Subtree | None = None


class Queue(Protocol):
    """Where the subtrees of a solve wait for workers."""

    def submit(self, tasks: Sequence[SubtreeTask]) -> list[str]:
        """Queue these, and return their ids. Those that an earlier attempt has queued are not queued again."""
        ...

    def look(self, ids: Sequence[str]) -> Mapping[str, Seen]: ...

    def take(self, job: str) -> bool:
        """Take a job back; False if a worker has begun it."""
        ...

    def cancel(self, ids: Sequence[str]) -> None: ...


@dataclass
class Shared:
    """How the search ended, as an `Outcome` says it. Its nodes have been counted already. ``roots``: of the subtrees of
    the last iteration that was searched to its end, if it was shared."""

    status: Literal["solved", "exhausted", "limit_reached", "cancelled"]
    path: Sequence[int] = ()
    limit: LimitName | None = None
    f_bound: float = 0
    expanded_last_layer: int = 0
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    layers: Sequence[tuple[float, int]] = ()
    stored: int = 0
    max_open: int = 0
    peak_bytes: int = 0
    roots: Sequence[Sequence[int]] = ()
