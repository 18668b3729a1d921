"""A plan of the user's own."""

from __future__ import annotations

from hstar.options import Step, steps_of
from hstar.search.method import Method
from hstar.search.problem import Problem


def steps(problem: Problem) -> tuple[Step, ...]:
    return steps_of(problem.options.plan)


METHOD = Method(
    name="plan",
    summary="the steps of a plan of your own, within one budget",
    duplicates="as the searches it is made of",
    forbidden=True,
    plan=steps,
    options=("plan", "threads"),
    improves=True,
    shortens=True,
    shared=True,
)
