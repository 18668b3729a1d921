"""The solve of some orbits of a puzzle as a part of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hstar.puzzles.base import State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.budget import Budget
from hstar.search.run import Run

__all__ = ["Part"]


@dataclass
class Part(Run):
    """The solve of some orbits of a puzzle. Only ``told`` is told of its solutions."""

    told: Callable[[tuple[str, ...]], object] = field(kw_only=True)

    @classmethod
    def of(
        cls, run: Run, first: PermutationPuzzle, start: State, share: Budget, told: Callable[[tuple[str, ...]], object]
    ) -> Part:
        moves = first.move_sets[first.default_moves]
        problem = replace(run.problem, puzzle=first, start=start, moves=moves, known=None, known_bound=0)
        return cls(problem, share, run.searches, run.threads, told=told)

    def publish(self, solution: tuple[str, ...]) -> None:
        self.told(solution)

    def raise_bound(self, bound: int) -> None:
        self.bound = max(self.bound, bound)
