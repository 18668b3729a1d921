"""Search: one call for each solve.

>>> problem = prepare(SolveRequest(puzzle="megaminx", alg="U R2'"))
>>> result = solve(problem)
>>> result.status, result.length, result.optimality
('solved', 3, 'proven')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from hstar import schema
from hstar._kernel import Outcome
from hstar.errors import SolutionRejected
from hstar.heuristics import get_heuristic
from hstar.polling import polling
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import SolveRequest
from hstar.search.algorithms import ALGORITHMS, SearchAlgorithm
from hstar.search.anytime import Found
from hstar.search.control import Control, Stopped
from hstar.search.prepare import DEFAULT_MEMORY_MIB, prepare, width_of
from hstar.search.problem import Problem, Strategy
from hstar.search.result import Ending, Result, branching_effective

__all__ = [
    "ALGORITHMS",
    "DEFAULT_MEMORY_MIB",
    "PROVING",
    "Control",
    "Problem",
    "Result",
    "SearchAlgorithm",
    "SolveRequest",
    "answer",
    "prepare",
    "progress",
    "solve",
    "width_of",
]

#: what part of the limits `auto` proves with, before the rest goes to a solution that is not proven
PROVING = 0.75
#: the most seconds that it looks for a short solution before it proves
ANSWERING = 15.0


def solve(problem: Problem, control: Control | None = None, threads: int = 1) -> Result:
    """Search, and replay the solution before it is returned.

    Runs without Python's global lock; ``control`` can cancel it and read its counters from another thread. Missing
    databases are built first. This can be watched and cancelled in the same way, and does not count as time.

    :param threads: for IDA*; the answer is the same for any number, the counters of its last iteration are not
    :raises SolutionRejected: the kernel's solution does not solve the puzzle, which would be a bug
    """
    control = control or Control()
    first, *others = problem.strategies
    last = Strategy("anytime", get_heuristic("zero", problem.puzzle, problem.moves))
    if problem.puzzle.unsolvable_with(problem.start, problem.moves) is not None:
        return _without_search(problem, first, "exhausted")
    known = problem.known if problem.known is not None and problem.is_solution(problem.known) else None
    if known is not None:
        control.show_best(tuple(known))
    proving = replace(problem, limits=_share(problem.limits, PROVING)) if problem.answers else problem
    result = _search(proving, first, None, control, threads)
    answered = None
    for strategy, following in zip(problem.strategies, others, strict=False):
        if not _gives_up(strategy, proving, result):
            break
        if known is None and following is others[-1] and _bounds_help(problem):
            control.search_again()
            seconds = result.seconds + min((1 - PROVING) * (problem.limits.seconds or 0), ANSWERING)
            answering = replace(problem, limits=problem.limits.model_copy(update={"seconds": seconds}))
            answered = result = _search(answering, last, result, control, threads)
            if result.status != "solved" or result.optimality == "proven":
                break
            known = tuple(result.solution or ())
            proving = replace(problem, known=known)
            result = result.model_copy(update={"status": "limit_reached", "limit": "seconds"})
        control.search_again()
        result = _search(proving, following, result, control, threads)
    if problem.answers and result.status == "limit_reached" and answered is None:
        control.search_again()
        proof, result = result, _search(problem, last, result, control, threads)
        if result.status == "limit_reached" and not problem.puzzle.constructs(problem.moves):
            result = result.model_copy(update={"limit": proof.limit})  # no limit kept it from a solution
    if known is not None and result.solution is None:
        result = _with_solution(result, known)
        if answered is not None:
            result = result.model_copy(update={"strategy": answered.strategy})
    return result


def _bounds_help(problem: Problem) -> bool:
    """Whether `auto` looks for a short solution before it proves: then the proof need not look for one as short."""
    blocks = isinstance(problem.puzzle, SlidingTiles) and problem.puzzle.blocks
    return problem.answers and bool(blocks) and problem.limits.seconds is not None


def _share(limits: schema.Limits, part: float) -> schema.Limits:
    """A part of the limits on nodes and time; memory is free again after each search."""
    return limits.model_copy(
        update={
            "expanded": None if limits.expanded is None else ceil(part * limits.expanded),
            "generated": None if limits.generated is None else ceil(part * limits.generated),
            "seconds": None if limits.seconds is None else part * limits.seconds,
        }
    )


def _with_solution(result: Result, solution: Sequence[str]) -> Result:
    """The result of a search that ended without one, with a solution that has been replayed."""
    return result.model_copy(
        update={
            "status": "solved",
            "solution": list(solution),
            "length": len(solution),
            "optimality": "proven" if len(solution) == result.lower_bound else "feasible",
            "limit": None,
            "counters": _with_ratios(result.counters, len(solution)),
        }
    )


def _gives_up(strategy: Strategy, problem: Problem, result: Result) -> bool:
    """Whether the next strategy may continue: this one ended at its own limit, or out of memory."""
    if strategy.expanded is None or result.status != "limit_reached":
        return False
    allowed = problem.limits.expanded
    return result.limit == "memory" or (
        result.limit == "expanded" and (allowed is None or result.counters.expanded < allowed)
    )


def _search(problem: Problem, strategy: Strategy, before: Result | None, control: Control, threads: int) -> Result:
    """Search with one strategy, after ``before``; the counters of the result are of all searches so far."""
    part = problem.only(strategy, _what_is_left(problem.limits, strategy, before))
    try:
        with control.watching_builds():
            strategy.heuristic.load()
    except (Stopped, MemoryError) as why:
        ending = _without_search(part, strategy, "cancelled" if isinstance(why, Stopped) else "limit_reached")
        return ending if before is None else _together(before, ending)
    outcome = ALGORITHMS[strategy.method].search(part, control, threads)
    solution, status = None, outcome.status
    if outcome.status == "exhausted" and part.known is not None and part.is_solution(part.known):
        solution, status = list(part.known), "solved"  # there is no shorter one
    elif outcome.status == "solved":
        solution = [problem.puzzle.moves[number] for number in outcome.path]
        _replay(problem, solution)
    lower_bound = None if status == "exhausted" else _proven(part, outcome.f_bound, control)
    if solution is not None and lower_bound is not None:
        lower_bound = min(lower_bound, len(solution))
    result = Result(
        status=status,
        solution=solution,
        length=None if solution is None else len(solution),
        optimality=None if solution is None else "proven" if len(solution) == lower_bound else "feasible",
        lower_bound=lower_bound,
        limit=outcome.limit,
        counters=_counters(outcome, solution, ALGORITHMS[strategy.method].layers),
        seconds=outcome.seconds,
        peak_bytes=outcome.peak_bytes,
        strategy=strategy,
    )
    return result if before is None else _together(before, result)


def _proven(part: Problem, f: float, control: Control) -> int:
    """The proven lower bound; if the solve is cancelled meanwhile, one that takes milliseconds."""
    try:
        with polling(control.check):
            return part.bound_from(f)
    except Stopped:
        return part.bound_from(f, deep=False)


def _what_is_left(limits: schema.Limits, strategy: Strategy, before: Result | None) -> schema.Limits:
    """The limits of the solve minus what has been used, and the strategy's own limits."""
    expanded = min((n for n in (limits.expanded, strategy.expanded) if n is not None), default=None)
    if before is None:
        return limits.model_copy(update={"expanded": expanded})
    done = before.counters
    return limits.model_copy(
        update={
            "expanded": None if expanded is None else max(0, expanded - done.expanded),
            "generated": None if limits.generated is None else max(0, limits.generated - done.generated),
            "seconds": None if limits.seconds is None else max(0.0, limits.seconds - before.seconds),
        }
    )


def _without_search(problem: Problem, strategy: Strategy, status: Ending) -> Result:
    """The result without a search: the moves do not lead from the start to the goal, or databases were not built."""
    return Result(
        status=status,
        lower_bound=None if status == "exhausted" else problem.root_bound(),
        limit="memory" if status == "limit_reached" else None,
        counters=schema.Counters(expanded=0, generated=0, evaluated=0, reopened=0, stored=0, max_open=0),
        seconds=0.0,
        peak_bytes=0,
        strategy=strategy,
    )


def _together(before: Result, last: Result) -> Result:
    """The ending of the last search, with the counters of all searches."""
    a, b = before.counters, last.counters
    counters = b.model_copy(
        update={
            name: getattr(a, name) + getattr(b, name) for name in ("expanded", "generated", "evaluated", "reopened")
        }
        | {"max_open": max(a.max_open, b.max_open)}
    )
    bound = last.lower_bound
    return last.model_copy(
        update={
            "lower_bound": bound if bound is None or before.lower_bound is None else max(bound, before.lower_bound),
            "counters": _with_ratios(counters, last.length),
            "seconds": before.seconds + last.seconds,
            "peak_bytes": max(before.peak_bytes, last.peak_bytes),
        }
    )


def _replay(problem: Problem, solution: list[str]) -> None:
    allowed = set(problem.moves.moves)
    if not allowed.issuperset(solution):
        raise SolutionRejected("the kernel returned a move that is not in the move set")
    if problem.puzzle.apply_alg(problem.start, solution) != problem.puzzle.solved:
        raise SolutionRejected("the kernel returned a solution that does not solve the puzzle")


def _counters(outcome: Outcome | Found, solution: list[str] | None, layers: bool) -> schema.Counters:
    counted = schema.Counters(
        expanded=outcome.expanded,
        generated=outcome.generated,
        evaluated=outcome.evaluated,
        reopened=outcome.reopened,
        stored=outcome.stored,
        max_open=outcome.max_open,
        expanded_last_layer=outcome.expanded_last_layer if solution is not None and layers else None,
    )
    return _with_ratios(counted, None if solution is None else len(solution))


def _with_ratios(counted: schema.Counters, length: int | None) -> schema.Counters:
    """The counters, with those that are computed from others."""
    last = counted.expanded_last_layer
    return counted.model_copy(
        update={
            "expanded_before_last_layer": None if last is None else counted.expanded - last,
            "branching_generated": counted.generated / length if length else None,
            "branching_effective": branching_effective(counted.generated, length) if length else None,
        }
    )


def progress(problem: Problem, control: Control) -> schema.Progress:
    """The live counters of a running search; safe from any thread."""
    building, built = control.building or (None, None)
    return schema.Progress(
        expanded=control.expanded,
        generated=control.generated,
        stored=control.stored,
        # Called twice a second by the lease keeper's thread, so it must be cheap.
        lower_bound=problem.bound_from(control.f_bound, deep=False),
        bytes=control.bytes,
        best_length=None if control.best is None else len(control.best),
        best=None if control.best is None else list(control.best),
        building=building,
        built=built,
    )


def answer(problem: Problem, result: Result) -> schema.Solve:
    """The whole object that the API shows and that the command line prints."""
    method = result.strategy.method
    return problem.to_object().model_copy(
        update={
            "method": method,
            "duplicate_detection": schema.DUPLICATE_DETECTION[method],
            "heuristic": problem.describe(result.strategy.heuristic),
            "status": result.status,
        }
        | {name: getattr(result, name) for name in schema.Answer.model_fields}
    )
