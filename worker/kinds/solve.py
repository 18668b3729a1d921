"""Searching for a solution: ``POST /v1/solves``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy.orm import Session

from hstar import schema
from hstar.heuristics import Heuristic
from hstar.heuristics.analysis import Verdicts, prove
from hstar.puzzles import MoveSet
from hstar.search import answer, prepare, progress, solve
from store.counts import Counts
from store.solves import answers
from store.solves.submission import KIND
from worker.kinds.kind import Ending, Kind, Work


@dataclass(frozen=True)
class SolveEnding(Ending[schema.Solve]):
    """``heuristic_is_news``: the answer tells more of the heuristic than the submission could."""

    heuristic_is_news: bool = True


def run(request: schema.SolveRequest, work: Work) -> SolveEnding:
    """Search; the answer to a cancelled search has its counters and its lower bound."""
    problem = prepare(request)
    work.progress = lambda: progress(problem, work.control)
    found = answer(problem, solve(problem, work.control))
    told, known = told_at_submission(problem.heuristic, problem.moves), found.heuristic
    same = (told.admissible, told.consistent, told.reason) == (known.admissible, known.consistent, known.reason)
    return SolveEnding(found, answers.state_of(found), not same or request.algorithm == "auto")


@lru_cache(256)
def told_at_submission(heuristic: Heuristic, moves: MoveSet) -> Verdicts:
    """What is known of a heuristic without looking at many states."""
    return prove(heuristic.expression, moves)


def write(session: Session, solve_id: str, ending: Ending[schema.Solve]) -> None:
    """Write the answer, and what is known of the heuristic where that is news."""
    assert isinstance(ending, SolveEnding)
    assert ending.answer is not None
    answers.write(session, solve_id, ending.answer, heuristic=ending.heuristic_is_news)


def count(answer: schema.Solve, counts: Counts) -> None:
    """Time, memory and nodes."""
    if answer.seconds is not None:
        counts.observe("solve_seconds", answer.seconds)
    if answer.peak_bytes is not None:
        counts.observe("solve_peak_bytes", answer.peak_bytes)
    if answer.counters is not None:
        counts.add("solve_expanded", answer.counters.expanded)
        counts.add("solve_generated", answer.counters.generated)


SOLVE = Kind(name=KIND, request=schema.SolveRequest, run=run, write=write, count=count)
