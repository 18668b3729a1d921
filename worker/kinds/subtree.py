"""A part of one iteration of IDA*, for a solve that several workers share (`hstar.search.sharing`)."""

from __future__ import annotations

from hstar import schema
from hstar.errors import HstarError
from hstar.heuristics import get_heuristic
from hstar.objects import Strict
from hstar.options import Step
from hstar.search import Budget, prepare
from hstar.search.control import Stopped
from hstar.search.methods.ida_star import search_part
from hstar.search.run import Search
from hstar.search.subtrees import Subtree, SubtreeTask
from worker.kinds.kind import Ending, Kind, Work
from worker.subtrees import KIND


class SubtreeRequest(Strict):
    """The request of the solve, and what is to be searched of it."""

    solve: schema.SolveRequest
    task: SubtreeTask


def run(request: SubtreeRequest, work: Work) -> Ending[Subtree]:
    """Search it; the solve's limits are kept by the worker that shares it."""
    control, task = work.control, request.task
    work.progress = lambda: schema.Progress(expanded=control.expanded, generated=control.generated)
    problem = prepare(request.solve, costs=True)
    heuristic = get_heuristic(task.heuristic, problem.puzzle, problem.moves)
    with control.watching_builds():
        heuristic.load()
    budget = Budget(schema.Limits(memory_mib=problem.limits.memory_mib), control)
    asked = Search(problem, heuristic, Step(method="ida_star"), budget)
    outcome = search_part(asked, (task.root, task.bound, 0))
    budget.count(outcome)
    if outcome.status == "cancelled":
        raise Stopped
    if outcome.status == "limit_reached":
        raise HstarError("memory ran out")
    return Ending(Subtree.of(outcome))


SUBTREE = Kind(name=KIND, request=SubtreeRequest, run=run)
