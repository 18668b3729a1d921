"""A* with smaller and smaller weights, from the start and from the goal, as a step of plans for boards and rows.

Smaller weights give shorter solutions but take longer. A search that exceeds a round's expansions waits for the next
round, which has more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field

from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.budget import Budget
from hstar.search.method import Constants, Count, Method
from hstar.search.methods import windows
from hstar.search.problem import Problem
from hstar.search.run import Run, Search

__all__ = ["METHOD"]


class Settings(Constants):
    """``expanded``: of one search in the first round, ``more`` times as many in the next. ``rounds``: without a limit
    of seconds. Between rounds, parts of a better solution are made shortest."""

    weights: tuple[Annotated[float, Field(ge=1)], ...] = (5.0, 3.0, 2.0, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1)
    expanded: Count = 500_000
    more: Count = 4
    rounds: Count = 3
    parts: windows.Settings = windows.Settings()


def improve(run: Run, step: Step, share: Budget) -> None:
    problem, settings = run.problem, Settings.model_validate(step.settings)
    most, rounds = settings.expanded, 0
    waiting = [(*side, list(settings.weights)) for side in _sides(problem)]
    while any(weights for _, _, weights in waiting) and not run.over(share):
        before = run.solution
        for side, read, weights in waiting:
            heuristic = get_heuristic(step.heuristic, side.puzzle, side.moves)
            while weights and not run.over(share):
                own = share.share(expanded=most)
                outcome = run.search("astar", Search(side, heuristic, Tuning(weight=weights[0]), own))
                if outcome.status != "solved":
                    if outcome.limit == "memory":
                        weights.clear()
                    break
                del weights[0]
                run.offer(read([side.puzzle.moves[number] for number in outcome.path]))
        if run.solution != before:
            windows.shorten_parts(run, share, settings.parts)
        rounds += 1
        if not share.timed and rounds == settings.rounds:
            return
        most *= settings.more


def _sides(problem: Problem) -> list[tuple[Problem, Callable[[Sequence[str]], Sequence[str]]]]:
    """The problem and, if each move can be undone, that from its goal to its start, each with how its solutions are
    read. States of pieces that look alike have no inverse."""
    puzzle, moves = problem.puzzle, problem.moves.moves
    alike = isinstance(puzzle, PermutationPuzzle) and not puzzle.all_different
    if alike or {puzzle.inverse(move) for move in moves} != set(moves):
        return [(problem, list)]
    if isinstance(puzzle, SlidingTiles):
        board = SlidingTiles(puzzle.name, "", puzzle.rows, puzzle.columns, problem.start)
        backwards = problem.toward(board, puzzle.solved)
    else:
        assert isinstance(puzzle, PermutationPuzzle)
        backwards = problem.toward(puzzle, puzzle.inverse_state(problem.start))
    return [(problem, list), (backwards, puzzle.inverse_alg)]


METHOD = Method(
    name="weights",
    summary="A* with smaller and smaller weights, from both sides of a board or a row",
    duplicates="exact, reopening",
    options=("heuristic",),
    improve=improve,
    settings=Settings,
)
