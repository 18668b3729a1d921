"""Search: one call a solve.

>>> problem = prepare(SolveRequest(puzzle="megaminx", alg="U R2'"))
>>> result = solve(problem)
>>> result.status, result.length, result.optimality
('solved', 3, 'proven')
"""

from __future__ import annotations

from hstar import schema
from hstar._kernel import Control, Outcome
from hstar.errors import SolutionRejected
from hstar.schema import SolveRequest
from hstar.search.algorithms import ALGORITHMS, SearchAlgorithm, strongest
from hstar.search.problem import Problem, prepare
from hstar.search.result import Result, branching_effective

__all__ = [
    "ALGORITHMS",
    "Control",
    "Problem",
    "Result",
    "SearchAlgorithm",
    "SolveRequest",
    "answer",
    "prepare",
    "progress",
    "solve",
    "strongest",
]


def solve(problem: Problem, control: Control | None = None) -> Result:
    """Search, and replay the solution before anyone sees it.

    Runs without Python's global lock; ``control`` can cancel it and read its counters from another thread.

    :raises SolutionRejected: the kernel's solution does not solve the puzzle, which would be a bug
    """
    if problem.puzzle.unsolvable_with(problem.start, problem.moves) is not None:
        return _unsolvable()
    outcome = ALGORITHMS[problem.method].search(problem, control or Control())
    solution = None
    if outcome.status == "solved":
        solution = [problem.puzzle.moves[number] for number in outcome.path]
        _replay(problem, solution)
    lower_bound = None if outcome.status == "exhausted" else problem.bound_from(outcome.f_bound)
    if solution is not None and lower_bound is not None:
        lower_bound = min(lower_bound, len(solution))
    return Result(
        status=outcome.status,
        solution=solution,
        length=None if solution is None else len(solution),
        optimality=None if solution is None else "proven" if len(solution) == lower_bound else "feasible",
        lower_bound=lower_bound,
        limit=outcome.limit,
        counters=_counters(outcome, solution, ALGORITHMS[problem.method].layers),
        seconds=outcome.seconds,
        peak_bytes=outcome.peak_bytes,
    )


def _unsolvable() -> Result:
    """No search is needed to know that the moves do not lead from the start to the goal."""
    return Result(
        status="exhausted",
        solution=None,
        length=None,
        optimality=None,
        lower_bound=None,
        limit=None,
        counters=schema.Counters(expanded=0, generated=0, evaluated=0, reopened=0, stored=0, max_open=0),
        seconds=0.0,
        peak_bytes=0,
    )


def _replay(problem: Problem, solution: list[str]) -> None:
    allowed = set(problem.moves.moves)
    if not allowed.issuperset(solution):
        raise SolutionRejected("the kernel returned a move that is not in the move set")
    if problem.puzzle.apply_alg(problem.start, solution) != problem.puzzle.solved:
        raise SolutionRejected("the kernel returned a solution that does not solve the puzzle")


def _counters(outcome: Outcome, solution: list[str] | None, layers: bool) -> schema.Counters:
    length = len(solution) if solution is not None else None
    counted = length is not None and layers
    return schema.Counters(
        expanded=outcome.expanded,
        generated=outcome.generated,
        evaluated=outcome.evaluated,
        reopened=outcome.reopened,
        stored=outcome.stored,
        max_open=outcome.max_open,
        expanded_last_layer=outcome.expanded_last_layer if counted else None,
        expanded_before_last_layer=outcome.expanded - outcome.expanded_last_layer if counted else None,
        branching_generated=outcome.generated / length if length else None,
        branching_effective=branching_effective(outcome.generated, length) if length else None,
    )


def progress(problem: Problem, control: Control) -> schema.Progress:
    """The live counters of a running search; safe from any thread."""
    return schema.Progress(
        expanded=control.expanded,
        generated=control.generated,
        stored=control.stored,
        lower_bound=problem.bound_from(control.f_bound),
        bytes=control.bytes,
    )


def answer(problem: Problem, result: Result) -> schema.Solve:
    """The whole object that the API shows and that the command line prints."""
    return problem.to_object().model_copy(
        update={
            "status": result.status,
            "solution": result.solution,
            "length": result.length,
            "optimality": result.optimality,
            "lower_bound": result.lower_bound,
            "limit": result.limit,
            "counters": result.counters,
            "seconds": result.seconds,
            "peak_bytes": result.peak_bytes,
        }
    )
