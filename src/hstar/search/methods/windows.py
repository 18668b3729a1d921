"""A known or direct solution, each part of it replaced by a shortest one.

Counted are the searches for its parts, and that of the first solution where none was given.
"""

from __future__ import annotations

from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.search.anytime.windows import shorten
from hstar.search.budget import Budget
from hstar.search.method import Constants, Count, Method
from hstar.search.methods import constructive
from hstar.search.problem import Problem
from hstar.search.run import Run, Search

__all__ = ["METHOD", "Settings", "improve", "shorten_parts"]


class Settings(Constants):
    """``lengths``: of the parts, one after the other. ``expanded``: the most for a part. ``patience``: the parts of one
    length that may take longer, before longer ones are not tried."""

    lengths: tuple[Count, ...] = (6, 8, 10, 12, 14, 16, 20, 24, 30, 36)
    expanded: Count = 100_000
    patience: Count = 3


def improve(run: Run, step: Step, share: Budget) -> None:
    if run.solution is None:
        constructive.construct(run, step.model_copy(update={"settings": {}}), share)
    shorten_parts(run, share, Settings.model_validate(step.settings))


def shorten_parts(run: Run, share: Budget, settings: Settings) -> None:
    """Make parts of the best solution shortest."""
    problem = run.whole
    # What replaces a part may take pieces around that look alike only when solved. And a solution that was found
    # without telling pieces apart takes them elsewhere.
    if run.solution is None or not problem.puzzle.all_different or run.over(share):
        return
    if not problem.is_solution(run.solution):
        return

    def shortest(part: Problem) -> tuple[str, ...] | None:
        """A shortest solution of a part, if a short search finds one."""
        for choice in part.puzzle.auto(part.moves):
            heuristic = get_heuristic(choice.heuristic, part.puzzle, part.moves)
            if heuristic.build_bytes == 0 and not run.over(share):
                few = share.share(expanded=settings.expanded)
                outcome = run.search(choice.method, Search(part, heuristic, Tuning(), few))
                if outcome.status == "solved":
                    return tuple(part.puzzle.moves[number] for number in outcome.path)
        return None

    shorten(
        problem,
        run.solution,
        shortest,
        run.offer,
        lambda: run.over(share),
        settings.lengths,
        settings.patience,
    )


METHOD = Method(
    name="windows",
    summary="a known or direct solution, each part of it replaced by a shortest one",
    duplicates="as the searches it is made of",
    improve=improve,
    improves=True,
    shortens=True,
    settings=Settings,
    refuses=constructive.why_no_solution,
)
