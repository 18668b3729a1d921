"""A* with smaller and smaller weights, from the start and from the goal, as a step of plans for boards.

Smaller weights give shorter solutions but take longer. A search that exceeds a round's expansions waits for the next
round, which has more.
"""

from __future__ import annotations

from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.puzzles import State
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.budget import Budget
from hstar.search.method import Constants, Method
from hstar.search.methods import windows
from hstar.search.run import Run, Search

__all__ = ["METHOD"]


class Settings(Constants):
    """``expanded``: of one search in the first round, ``more`` times as many in the next. ``rounds``: without a limit
    of seconds. Between rounds, parts of a better solution are made shortest."""

    weights: tuple[float, ...] = (5.0, 3.0, 2.0, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1)
    expanded: int = 500_000
    more: int = 4
    rounds: int = 3
    parts: windows.Settings = windows.Settings()


def improve(run: Run, step: Step, share: Budget) -> None:
    problem, settings = run.problem, Settings.model_validate(step.settings)
    board, most, rounds = problem.puzzle, settings.expanded, 0
    if not isinstance(board, SlidingTiles):
        return
    backwards = SlidingTiles(board.name, "", board.rows, board.columns, problem.start)
    sides: tuple[tuple[SlidingTiles, State], ...] = ((board, problem.start), (backwards, board.solved))
    waiting = {side: list(settings.weights) for side in sides}
    while any(waiting.values()) and not run.over(share):
        before = run.solution
        for side, weights in waiting.items():
            while weights and not run.over(share):
                outcome = _search(run, *side, weights[0], share.share(expanded=most))
                if outcome.status != "solved":
                    if outcome.limit == "memory":
                        weights.clear()
                    break
                del weights[0]
                path = [side[0].moves[number] for number in outcome.path]
                run.offer(path if side[0] is board else side[0].inverse_alg(path))
        if run.solution != before:
            windows.shorten_parts(run, share, settings.parts)
        rounds += 1
        if not share.timed and rounds == settings.rounds:
            return
        most *= settings.more


def _search(run: Run, board: SlidingTiles, start: State, weight: float, share: Budget) -> _kernel.Outcome:
    moves = run.problem.moves
    asked = run.problem.toward(board, start)
    return run.search("astar", Search(asked, get_heuristic(None, board, moves), Tuning(weight=weight), share))


METHOD = Method(
    name="weights",
    summary="A* with smaller and smaller weights, from both sides of a board",
    duplicates="exact, reopening",
    improve=improve,
    improves=True,
    settings=Settings,
)
