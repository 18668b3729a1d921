"""A Square-1 is made square first, then solved without leaving that shape, as a step of plans."""

from __future__ import annotations

from hstar.options import Step
from hstar.puzzles.base import State
from hstar.puzzles.square1 import Square1
from hstar.puzzles.square1.squaring import inner, inner_state, outer_alg, squared
from hstar.search.budget import Budget
from hstar.search.method import Method
from hstar.search.methods.part import Part
from hstar.search.run import Run

__all__ = ["METHOD"]


def square(run: Run, step: Step, share: Budget) -> Part | None:
    """The solve of the square shape; each of its solutions is offered between the moves that lead there and back."""
    puzzle = run.problem.puzzle
    if not isinstance(puzzle, Square1):
        return None
    last, goal = squared(puzzle, puzzle.goal, lambda there: True)

    def between(here: State) -> State:
        return inner().toward(inner_state(here), inner_state(goal))[1]

    first, here = squared(
        puzzle, puzzle.own_names(run.problem.start), lambda there: inner().is_reachable(between(there))
    )

    def told(alg: tuple[str, ...]) -> None:
        run.offer(puzzle.merged((*first, *outer_alg(puzzle, alg), *puzzle.inverse_alg(last))))

    told(()) if here == goal else None
    return Part.of(run, inner(), between(here), share, told)


METHOD = Method(
    name="by_shape",
    summary="a Square-1 made square, and then the plan ``anytime`` for that shape",
    duplicates="as the searches it is made of",
    forbidden=True,
    part=square,
)
