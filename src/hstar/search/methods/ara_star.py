"""ARA*: A* whose weight falls to 1, and which keeps what it has found (Likhachev, Gordon & Thrun 2003)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar import _kernel, schema
from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.search.budget import Budget
from hstar.search.method import Constants, Method
from hstar.search.run import Run, Search

__all__ = ["METHOD"]


class Settings(Constants):
    """``less``: by how much the weight falls after each search."""

    less: Annotated[float, Field(gt=0)] = 0.2


def improve(run: Run, step: Step, share: Budget) -> schema.Layers:
    problem, settings = run.problem, Settings.model_validate(step.settings)
    heuristic = get_heuristic(step.heuristic, problem.puzzle, problem.moves)
    layers: schema.Layers = ()
    if not run.load(heuristic, share):
        return layers
    asked = Search(problem, heuristic, Tuning(), share)
    repairing = _kernel.RepairingSearch(
        *asked.question, heuristic.kernel, memory_bytes=share.kernel()["memory_bytes"]
    )  # fmt: skip
    weight = METHOD.in_force("weight", step.weight)
    while not run.over(share):
        limits = asked.limits
        del limits["memory_bytes"]  # of all searches together
        with heuristic.watching(run.control.cancel):
            outcome = repairing.improve(weight, **limits)
        run.count(outcome, share)
        layers = tuple(outcome.layers)
        if outcome.status == "exhausted" and run.solution is None:
            run.exhausted = True
            return layers
        if outcome.path:
            run.offer([problem.puzzle.moves[number] for number in outcome.path], merge=False)
        run.proves(asked, outcome.f_bound)
        # With a heuristic that is not consistent, states are left over also at weight 1.
        if outcome.status != "solved" or (weight == 1 and outcome.f_bound >= len(outcome.path)):
            return layers
        weight = max(1.0, round(weight - settings.less, 9))
    return layers


METHOD = Method(
    name="ara_star",
    summary="A* with a weight that falls to 1: a solution soon, then shorter ones; it keeps what it has found",
    duplicates="exact, reopening",
    forbidden=True,
    improve=improve,
    options=("heuristic", "weight"),
    own={"weight": 3.0},
    improves=True,
    settings=Settings,
)
