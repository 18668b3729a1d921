"""Running the steps of a plan: the one place where a solve's searches follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hstar import schema
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.databases import databases_of
from hstar.options import Step, Tuning
from hstar.search import plans
from hstar.search.budget import Budget
from hstar.search.method import Method
from hstar.search.methods import METHODS
from hstar.search.problem import Problem
from hstar.search.run import Found, Run, Search

__all__ = ["Last", "follow", "plan_of"]


@dataclass(frozen=True)
class Last:
    """The search that ended a plan, for what its answer says of it. ``outcome``: of one search of the kernel;
    ``layers``: of that, or of a method that searches often."""

    method: schema.Method
    heuristic: Heuristic
    outcome: Found | None = None
    layers: schema.Layers = ()


def plan_of(problem: Problem) -> tuple[Step, ...]:
    """The steps of a problem's algorithm; one if it is a single method."""
    method = METHODS[problem.algorithm]
    if method.plan is not None:
        return method.plan(problem)
    heuristic = problem.heuristic_text if method.heuristic else None
    used = {name: getattr(problem.options, name) for name in method.options if name in Tuning.model_fields}
    return (Step.model_construct(**{"method": problem.algorithm, **used, "heuristic": heuristic}),)


def follow(run: Run, steps: Sequence[Step], budget: Budget, within: bool = False) -> Last | None:
    """Do one step after another within a budget, until nothing can become better. May end by `Stopped`.

    :param within: these are steps of a step
    :returns: the last of them that was done; or that which found the solution, if a search after it proved nothing
    """
    last: Last | None = None
    finder: Last | None = None
    length = None
    for step in steps:
        if run.exhausted or run.proven or run.control.cancelled:
            break
        improved = run.length is not None and run.length != length
        length = run.length
        if not _due(run, step, improved):
            continue
        share = budget.share(
            until=step.until, nodes=step.nodes, seconds=step.seconds, expanded=step.expanded, together=step.together,
            beyond=step.beyond,
        )  # fmt: skip
        if share.over():
            continue
        found = _do(run, step, share, alone=len(steps) == 1 and not within)
        if found is None:
            continue
        last = found
        if run.length != length:
            finder = found
        if not run.over(share):
            run.kept[f"{step.method} ended with"] = run.solution
        if found.outcome is not None and found.outcome.status in ("solved", "exhausted"):
            break
    ended = last is not None and (last.outcome is None or last.outcome.status != "limit_reached" or run.proven)
    return last if ended or finder is None else finder


def _due(run: Run, step: Step, improved: bool) -> bool:
    """Whether a step's conditions hold."""
    known = run.problem.known
    gap = run.gap
    if step.gap_most is not None and gap is not None and gap > step.gap_most:
        return False
    if step.gap_least is not None and (gap is None or gap < step.gap_least):
        return False
    match step.when:
        case "unsolved":
            return run.solution is None
        case "solved":
            return run.solution is not None
        case "known":
            return known is not None and run.length is not None and run.length >= run.problem.moves.length(known)
        case "improved":
            return run.solution is not None and run.kept.get(f"{step.method} ended with") != run.solution
        case "unimproved":
            return not improved
    return True


def _do(run: Run, step: Step, share: Budget, *, alone: bool) -> Last | None:
    """One step; None if it was skipped."""
    method = METHODS[step.method]
    layers: schema.Layers | None = None
    if method.search is not None:
        return _search(run, method, step, share, alone=alone)
    if method.part is not None:
        if (part := method.part(run, step, share)) is not None:
            follow(part, plans.improving(part.problem), share.begun(), within=True)
    elif method.plan is not None:
        follow(run, step.steps or method.plan(run.problem), share.begun(), within=True)
    else:
        assert method.improve is not None
        layers = method.improve(run, step, share)
    heuristic = get_heuristic(step.heuristic, run.problem.puzzle, run.problem.moves) if method.heuristic else run.zero()
    return Last(method.answers_as, heuristic, layers=layers or ())


def _search(run: Run, method: Method, step: Step, share: Budget, *, alone: bool) -> Last | None:
    """Search once, with a method that proves or finds a solution in one call of the kernel."""
    problem = run.problem
    heuristic = get_heuristic(step.heuristic, problem.puzzle, problem.moves) if method.heuristic else run.zero()
    if heuristic.build_bytes and not step.tables:
        return None
    if not alone and heuristic.build_seconds > share.seconds_left:
        run.unbuilt += databases_of(heuristic.expression)
        return None
    if not run.load(heuristic, share):
        return Last(method.answers_as, heuristic)
    settings = method.settings.model_validate(step.settings)
    asked = Search(
        problem, heuristic, step, share, run.threads, run.scratch, run.queue, run.solution, settings, run.keep
    )
    outcome = run.search(step.method, asked)
    if outcome.status == "solved":
        run.offer([problem.puzzle.moves[number] for number in outcome.path], merge=False)
    elif outcome.status == "exhausted" and run.solution is None:
        run.exhausted = True
    if not run.exhausted:
        run.proves(asked, outcome.f_bound)
    return Last(method.answers_as, heuristic, outcome, tuple(outcome.layers))
