"""Searching for a solution: ``POST /v1/solves``."""

from __future__ import annotations

from hstar import schema
from hstar.search import answer, prepare, progress, solve
from store.solves.answers import state_of, write
from store.solves.submission import KIND
from worker.kinds.kind import Ending, Kind, Work


def run(request: schema.SolveRequest, work: Work) -> Ending[schema.Solve]:
    """Search; the answer to a cancelled search has its counters and its lower bound."""
    problem = prepare(request)
    work.progress = lambda: progress(problem, work.control)
    found = answer(problem, solve(problem, work.control))
    return Ending(found, state_of(found))


SOLVE = Kind(name=KIND, request=schema.SolveRequest, run=run, write=write)
