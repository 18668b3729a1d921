"""Shorter and shorter solutions of a row that is turned over, such as a stack of pancakes: beams over the gaps between
neighbours, for the row and for its inverse, which is as far from the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.options import Width
from hstar.puzzles.base import State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.widths import Widths, widen
from hstar.search.budget import Budget
from hstar.search.method import Count
from hstar.search.run import Run

__all__ = ["Settings", "beams"]

#: bytes, more than a beam takes for each state of its width beside the state, twice, and the way to it
_STATE, _MOVE = 200, 8


class Settings(Widths):
    width: Width = 100
    widest: Width = 6_400
    varied: Count = 400
    last: Annotated[float, Field(ge=1)] = 4


def beams(run: Run, share: Budget, settings: Settings) -> None:
    """Offer the solutions of wider and wider beams."""
    problem, puzzle = run.problem, run.problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    sides: list[tuple[State, Callable[[Sequence[str]], Sequence[str]]]] = [
        (problem.start, list),
        (puzzle.inverse_state(problem.start), puzzle.inverse_alg),
    ]

    def beam(way: int, width: int) -> float | None:
        if run.over(share):
            return None
        start, read = sides[way]
        outcome = _beam(run, puzzle, start, width, share)
        if outcome.status == "solved":
            run.offer(read([puzzle.moves[number] for number in outcome.path]))
        elif outcome.status != "exhausted":
            return None
        return outcome.seconds

    def room() -> int:
        return share.memory_bytes // (2 * len(problem.start) + _STATE + _MOVE * _longest(run, puzzle))

    widen(share, settings, beam, room, len(sides))


def _longest(run: Run, puzzle: PermutationPuzzle) -> int:
    """The moves of the longest solution that is of use; two turns bring home any piece of a row."""
    return 2 * len(puzzle.orientations) if run.useful is None else max(0, run.useful)


def _beam(run: Run, puzzle: PermutationPuzzle, start: State, width: int, share: Budget) -> _kernel.Outcome:
    outcome = _kernel.gap_beam(
        puzzle.kernel,
        start,
        run.problem.move_numbers,
        get_heuristic("gaps", puzzle, run.problem.moves).kernel,
        width=width,
        longest=_longest(run, puzzle),
        threads=run.threads,
        control=share.search(),
        **share.kernel(),
    )
    run.count(outcome, share)
    return outcome
