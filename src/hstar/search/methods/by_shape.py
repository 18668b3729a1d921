"""Where moves are forbidden: to the goal's shape first, then without leaving it for good, as a step of plans."""

from __future__ import annotations

from hstar.options import Step
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.shapes import shortened, ways_of
from hstar.search.budget import Budget
from hstar.search.method import Method
from hstar.search.methods.part import Part
from hstar.search.run import Run

__all__ = ["METHOD"]


def shape(run: Run, step: Step, share: Budget) -> Part | None:
    """The solve of the states of the goal's shape; each of its solutions is offered after the moves that lead there."""
    problem, puzzle = run.problem, run.problem.puzzle
    if not isinstance(puzzle, PermutationPuzzle):
        return None
    ways = run.make(lambda: ways_of(puzzle, problem.moves), share)
    found = None if ways is None else run.make(lambda: ways.find(problem.start), share)
    if found is None:
        return None
    way, inside, here = found

    def told(alg: tuple[str, ...]) -> None:
        whole = way if inside is None else (*way, *inside.outer_alg(alg))
        if problem.is_solution(whole):
            run.offer(shortened(puzzle, problem.moves, problem.start, whole))

    if inside is None or here is None or here == inside.solved:
        told(())
        return None
    return Part.of(run, inside, here, share, told)


METHOD = Method(
    name="by_shape",
    summary="where moves are forbidden, the shape of the goal made first, and then the plan ``anytime`` for its states",
    duplicates="as the searches it is made of",
    forbidden=True,
    part=shape,
)
