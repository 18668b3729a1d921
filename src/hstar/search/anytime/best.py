"""The best solution and bound so far, and the rest of the limits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from hstar import _kernel
from hstar.errors import SolutionRejected
from hstar.schema import LimitName, Limits
from hstar.search.anytime.windows import merged
from hstar.search.control import Control
from hstar.search.problem import Problem

__all__ = ["Best", "Found"]


@dataclass
class Found:
    """The result of an anytime search, with the fields of the kernel's `Outcome`; ``path`` is empty without a
    solution."""

    status: Literal["solved", "exhausted", "limit_reached", "cancelled"]
    limit: LimitName | None
    path: list[int]
    f_bound: float
    seconds: float
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    stored: int = 0
    max_open: int = 0
    expanded_last_layer: int = 0
    peak_bytes: int = 0


@dataclass
class Best:
    """Keeps the shortest solution that it is offered, after replaying it, and publishes it."""

    problem: Problem
    control: Control
    solution: tuple[str, ...] | None = None
    bound: int = 0
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    #: the largest numbers of all searches
    stored: int = 0
    max_open: int = 0
    peak_bytes: int = 0
    limit: LimitName | None = None
    #: whether one of its searches ended because of the limit of memory
    lacked_memory: bool = False
    began: float = field(default_factory=time.monotonic)

    def offer(self, alg: Sequence[str]) -> bool:
        """Keep a solution if it is the shortest so far.

        :raises SolutionRejected: it does not solve the problem, or has moves of another set
        """
        alg = merged(self.problem.puzzle, alg, self.problem.moves.moves)
        if self.solution is not None and len(alg) >= len(self.solution):
            return False
        if not set(self.problem.moves.moves).issuperset(alg):
            raise SolutionRejected("the solution has a move that is not in the move set")
        if self.problem.puzzle.apply_alg(self.problem.start, alg) != self.problem.puzzle.solved:
            raise SolutionRejected("the solution does not solve the puzzle")
        self.solution = tuple(alg)
        self.control.show_best(self.solution)
        return True

    def raise_bound(self, bound: int) -> None:
        """Raise the lower bound on all solutions."""
        self.bound = max(self.bound, bound)
        self.control.raise_bound(self.bound)

    @property
    def proven(self) -> bool:
        return self.solution is not None and len(self.solution) <= self.bound

    def count(self, part: _kernel.Outcome) -> None:
        """Add the counters of a search: nodes are summed, stored states and memory are the largest of all searches."""
        self._add(part.expanded, part.generated, part.evaluated, part.stored, part.peak_bytes)
        self.lacked_memory |= part.limit == "memory"
        self.reopened += part.reopened
        self.max_open = max(self.max_open, part.max_open)

    def count_beam(self, beam: _kernel.Descent) -> None:
        """Add the counters of a beam search, in which every path was evaluated."""
        self._add(beam.expanded, beam.generated, beam.generated, beam.stored, beam.peak_bytes)

    def _add(self, expanded: int, generated: int, evaluated: int, stored: int, peak_bytes: int) -> None:
        self.expanded += expanded
        self.generated += generated
        self.evaluated += evaluated
        self.stored = max(self.stored, stored)
        self.peak_bytes = max(self.peak_bytes, peak_bytes)
        self.control.count(expanded, generated, stored, peak_bytes)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float:
        allowed = self.problem.limits.seconds
        return inf if allowed is None else max(0.0, allowed - self.seconds)

    def limits_for(self, expanded: int | None, seconds: float = inf) -> Limits:
        """The limits of one search: the nodes that are left, and at most this many expansions and seconds."""
        limits = self.problem.limits
        left = None if limits.expanded is None else max(0, limits.expanded - self.expanded)
        return limits.model_copy(
            update={
                "seconds": None if seconds == inf else seconds,
                "expanded": min((n for n in (left, expanded) if n is not None), default=None),
                "generated": None if limits.generated is None else max(0, limits.generated - self.generated),
            }
        )

    def over(self) -> bool:
        """Whether to stop: proven, cancelled, or at a limit, which is then recorded."""
        limits = self.problem.limits
        if self.proven or self.control.cancelled:
            return True
        if self.seconds_left == 0:
            self.limit = "seconds"
        elif limits.expanded is not None and self.expanded >= limits.expanded:
            self.limit = "expanded"
        elif limits.generated is not None and self.generated >= limits.generated:
            self.limit = "generated"
        return self.limit is not None

    def found(self) -> Found:
        """The final result."""
        path = [self.problem.puzzle.moves.index(move) for move in self.solution or ()]
        status: Literal["solved", "limit_reached", "cancelled"] = "limit_reached"
        if self.solution is not None:  # also if it was cancelled or reached a limit, because a solution is an answer
            status = "solved"
        elif self.control.cancelled:
            status = "cancelled"
        return Found(
            status=status,
            limit=self.limit or ("memory" if self.lacked_memory else "method") if status == "limit_reached" else None,
            path=path,
            f_bound=float(self.bound),
            seconds=self.seconds,
            expanded=self.expanded,
            generated=self.generated,
            evaluated=self.evaluated,
            reopened=self.reopened,
            stored=self.stored,
            max_open=self.max_open,
            peak_bytes=self.peak_bytes,
        )
