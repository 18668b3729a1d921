"""A shortest solution where all moves commute, by linear algebra, as the step of plans for such puzzles."""

from __future__ import annotations

from hstar.options import Step
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.budget import Budget
from hstar.search.commuting import wheels_of
from hstar.search.method import Method
from hstar.search.run import Run

__all__ = ["METHOD"]


def _improve(run: Run, _step: Step, _share: Budget) -> None:
    puzzle, wheels = run.problem.puzzle, wheels_of(run.problem.puzzle, run.problem.moves)
    if wheels is None or not isinstance(puzzle, PermutationPuzzle):
        return
    found = None
    for found in wheels.solve(puzzle.permutation_of(run.problem.start)):
        run.offer(found[0], merge=False)
    if found is not None:  # all have been tried
        run.raise_bound(found[1])


METHOD = Method(
    name="commuting",
    summary="a shortest solution where all moves commute, by linear algebra",
    duplicates="none (tree search)",
    improve=_improve,
    costs=True,
)
