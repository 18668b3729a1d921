"""Search: one call for each solve.

>>> problem = prepare(SolveRequest(puzzle="megaminx", alg="U R2'"))
>>> result = solve(problem)
>>> result.status, result.length, result.optimality
('solved', 3, 'proven')

`methods` has a file for each way to search, `plans` what ``auto`` and ``anytime`` are made of, `runner` does the steps
of a plan, `budget` is the one ledger of limits and counters.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from math import isfinite
from threading import Lock

from hstar import _kernel, schema
from hstar.heuristics import Heuristic
from hstar.options import Scratch
from hstar.polling import polling, watched
from hstar.schema import SolveRequest
from hstar.search.budget import Budget
from hstar.search.control import Control, Stopped
from hstar.search.methods import ALGORITHMS, METHODS
from hstar.search.plans import proof
from hstar.search.prepare import DEFAULT_MEMORY_MIB, databases_of, heuristic_of, options_in_force, prepare
from hstar.search.problem import Problem
from hstar.search.result import Ending, Result, branching_effective
from hstar.search.run import Run
from hstar.search.runner import Last, follow, plan_of
from hstar.search.subtrees import Queue, Shared

__all__ = [
    "ALGORITHMS",
    "DEFAULT_MEMORY_MIB",
    "Budget",
    "Control",
    "Problem",
    "Result",
    "SolveRequest",
    "answer",
    "databases_of",
    "heuristic_of",
    "options_in_force",
    "plan_of",
    "prepare",
    "progress",
    "proof",
    "question",
    "shortest_if_admissible",
    "solve",
    "solve_interruptibly",
]


def solve(
    problem: Problem,
    control: Control | None = None,
    threads: int = 1,
    began: float | None = None,
    *,
    keep: bool = False,
    scratch: Scratch | None = None,
    queue: Queue | None = None,
) -> Result:
    """Search, and replay the solution before it is returned.

    Runs without Python's global lock; ``control`` can cancel it and read its counters from another thread. Missing
    tables are built first, within the limit of seconds. This can be watched and cancelled in the same way.

    :param threads: for IDA*, beams and layered; the answer is the same for any number, the counters of the last
        iteration are not
    :param began: when the caller asked, by the clock of the control (`Control.now`): the limit of seconds counts from
        then; now if None
    :param keep: A*, breadth-first and bidirectional search keep the states that prove their answer, for a certificate
    :param scratch: where layered search keeps files, and goes on from
    :param queue: other workers, which search parts of IDA* if the problem asks for several
    :raises InvalidRequest: the directory cannot be used, or has the files of another search
    :raises SolutionRejected: a search's solution does not solve the puzzle, which would be a bug
    """
    control = control or Control()
    budget = Budget(problem.limits, control, began)
    for answered in (Result, schema.Solve):  # pydantic completes them on first use: now, not after the limit
        answered.model_rebuild()
    searches = {name: method.search for name, method in METHODS.items() if method.search is not None}
    run = Run(problem, budget, searches, threads, keep, scratch, queue)
    last: Last | None = None
    if problem.unsolvable:
        run.exhausted = True
    else:
        with suppress(Stopped), polling(budget.check):
            last = _steps(run)
    if not run.proven and not run.exhausted:
        run.raise_root_bound()
    return _result(run, last)


def solve_interruptibly(
    problem: Problem,
    control: Control | None = None,
    threads: int = 1,
    began: float | None = None,
    *,
    keep: bool = False,
    scratch: Scratch | None = None,
) -> Result:
    """`solve` in a thread of its own, so that Ctrl-C cancels it, and it answers with what it has found."""
    chosen = control or Control()
    answer: Future[Result] = Future()
    taken = Lock()

    def work() -> None:
        if not taken.acquire(blocking=False):
            return
        try:
            answer.set_result(solve(problem, chosen, threads, began, keep=keep, scratch=scratch))
        except BaseException as error:
            answer.set_exception(error)

    with ThreadPoolExecutor(1, thread_name_prefix="hstar-solve") as pool:
        try:
            pool.submit(work)
            return watched(answer, ask=lambda: None)
        except KeyboardInterrupt:
            chosen.cancel()
            pool.submit(work)  # Ctrl-C may have come before the first was taken; if it was, this does nothing
            return answer.result()


def _steps(run: Run) -> Last | None:
    """Do what the problem's algorithm does."""
    problem = run.problem
    run.raise_bound(problem.known_bound)
    if problem.known is not None and problem.is_solution(problem.known):
        run.offer(problem.known)
    if METHODS[problem.algorithm].search is None:
        run.raise_root_bound()
        if problem.algorithm != "auto" and problem.start == problem.puzzle.solved:
            run.offer(())
    return follow(run, plan_of(problem), run.budget)


def _result(run: Run, last: Last | None) -> Result:
    """What is known at the end."""
    solution = run.solution
    status: Ending = "limit_reached"
    if solution is not None:  # also if it was cancelled or reached a limit, because a solution is an answer
        status = "solved"
    elif run.exhausted:
        status = "exhausted"
    elif run.control.cancelled:
        status = "cancelled"
    bound = None if run.exhausted and solution is None else run.bound
    if run.length is not None and bound is not None:
        bound = min(bound, run.length)
    method, heuristic = _searched_by(run, last)
    return Result(
        status=status,
        solution=None if solution is None else list(solution),
        length=run.length,
        optimality=None if solution is None else "proven" if run.length == bound else "feasible",
        lower_bound=bound,
        limit=run.why_none if status == "limit_reached" else None,
        layers=_layers(run, last),
        counters=_counters(run, last),
        seconds=run.budget.seconds,
        peak_bytes=run.budget.counted.peak_bytes,
        method=method,
        heuristic=heuristic,
        unbuilt=tuple(run.unbuilt),
        patience=0.0 if run.control.cancelled else run.budget.patience,
        kept=_kept(run, last),
        roots=last.outcome.roots if last is not None and isinstance(last.outcome, Shared) else (),
    )


def _kept(run: Run, last: Last | None) -> _kernel.Outcome | None:
    """The search that kept its states, or what it learned."""
    outcome = last.outcome if last is not None and run.keep else None
    if not isinstance(outcome, _kernel.Outcome):
        return None
    named = run.problem.algorithm == "auto" or METHODS[run.problem.algorithm].search is not None  # by the answer
    return outcome if named or outcome.learned else None


def _searched_by(run: Run, last: Last | None) -> tuple[schema.Method, Heuristic]:
    """The method that ended the solve, and its heuristic."""
    problem = run.problem
    if problem.algorithm != "auto":
        return problem.algorithm, run.zero() if last is None or METHODS[problem.algorithm].plan else last.heuristic
    if last is None:  # it did not come to its first step
        return "anytime", run.zero()
    return last.method, last.heuristic


def _counters(run: Run, last: Last | None) -> schema.Counters:
    counted, length = run.budget.counted, run.length
    layer = None
    layers = METHODS[run.problem.algorithm].layers
    if layers and last is not None and last.outcome is not None and length is not None and METHODS[last.method].layers:
        layer = last.outcome.expanded_last_layer
    return schema.Counters(
        expanded=counted.expanded,
        generated=counted.generated,
        evaluated=counted.evaluated,
        reopened=counted.reopened,
        stored=counted.stored,
        max_open=counted.max_open,
        expanded_last_layer=layer,
        expanded_before_last_layer=None if layer is None else counted.expanded - layer,
        branching_generated=counted.generated / length if length else None,
        branching_effective=branching_effective(counted.generated, length) if length else None,
    )


def _layers(run: Run, last: Last | None) -> schema.Layers | None:
    """The f-layers of the last search, if the algorithm is its method or chose it."""
    if last is None or run.problem.algorithm not in ("auto", last.method):
        return None
    layers = last.layers
    # A start without a solution may have an infinite h.
    shown = len(layers) <= schema.MOST_LAYERS and all(isfinite(f) for f, _ in layers)
    return (layers or None) if shown else None


def progress(problem: Problem, control: Control) -> schema.Progress:
    """The live counters of a running search; safe from any thread."""
    building, built = control.building or (None, None)
    return schema.Progress(
        expanded=control.expanded,
        generated=control.generated,
        stored=control.stored,
        # Called twice a second by the lease keeper's thread, so it must be cheap.
        lower_bound=max(control.lower_bound, problem.known_bound, problem.root_bound(deep=False)),
        bytes=control.bytes,
        best_length=None if control.best is None else len(control.best),
        best=None if control.best is None else list(control.best),
        building=building,
        built=built,
    )


def question(problem: Problem, deep: bool = True) -> schema.Solve:
    """The problem as the API shows it before it has been searched; ``deep``: see `Heuristic.verdicts`."""
    return _question(problem, problem.describe(heuristic_of(problem), deep))


def _question(problem: Problem, heuristic: schema.HeuristicUsed) -> schema.Solve:
    return schema.Solve(
        status="queued",
        puzzle=problem.puzzle.name,
        goal=problem.puzzle.goal_board(),
        moves=problem.moves.name,
        algorithm=problem.algorithm,
        method=None if problem.algorithm == "auto" else problem.algorithm,
        **dict(problem.options),
        heuristic=heuristic,
        duplicate_detection=None if problem.algorithm == "auto" else METHODS[problem.algorithm].duplicates,
        limits=problem.limits,
        start=problem.given,
    )


def answer(problem: Problem, result: Result) -> schema.Solve:
    """The whole object that the API shows and that the command line prints."""
    return _question(problem, _described(problem, result)).model_copy(
        update={
            "method": result.method,
            "duplicate_detection": METHODS[result.method].duplicates,
            "status": "cancelled" if result.status == "cancelled" else "done",
            "outcome": None if result.status == "cancelled" else result.status,
        }
        | {name: getattr(result, name) for name in schema.Answer.model_fields}
    )


def shortest_if_admissible(answer: schema.Solve) -> bool:
    """Whether a solution without a proof is shortest if the heuristic is admissible, which is not known."""
    optimal = ALGORITHMS[answer.algorithm].optimal and answer.weight == 1 and answer.solution is not None
    return optimal and answer.heuristic.admissible == "unknown"


def _described(problem: Problem, result: Result) -> schema.HeuristicUsed:
    """The heuristic with all that can be known of it in the time that is left."""
    left = Budget(schema.Limits(seconds=result.patience, memory_mib=problem.limits.memory_mib))
    try:
        with polling(left.check):
            return problem.describe(result.heuristic)
    except (Stopped, KeyboardInterrupt):
        return problem.describe(result.heuristic, deep=False)
