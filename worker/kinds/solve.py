"""Searching for a solution: ``POST /v1/solves``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import BinaryIO

from pydantic import ValidationError

from hstar import schema
from hstar.certificates.proofs import write
from hstar.databases.requests import DatabaseRequest, request_for
from hstar.heuristics import Heuristic
from hstar.heuristics.analysis import Verdicts, prove
from hstar.puzzles import MoveSet
from hstar.search import ALGORITHMS, Problem, Result, answer, heuristic_of, prepare, progress, solve
from hstar.search.control import Stopped
from store.counts import Counts
from store.database import Transaction
from store.jobs import builds
from store.jobs.machine import Claim, FollowingClaim
from store.solves import answers
from store.solves.submission import KIND
from worker.kinds.kind import Ending, Kind, Work


@dataclass(frozen=True)
class SolveEnding(Ending[schema.Solve]):
    """``heuristic_is_news``: the answer has a verdict on the heuristic that was not known at submission. ``unbuilt``:
    what later solves need, and this one had no time to build."""

    heuristic_is_news: bool = True
    unbuilt: tuple[DatabaseRequest, ...] = ()


def run(request: schema.SolveRequest, work: Work) -> SolveEnding:
    """Search; a cancelled search answers with its counters, its lower bound and its best solution so far."""
    began = work.control.now()
    problem = _going_on(prepare(request, costs=True), work.before)
    if problem.known is not None:
        work.control.show_best(tuple(problem.known))
    work.progress = lambda: progress(problem, work.control)
    result = solve(problem, work.control, began=began, keep=request.certificate, scratch=work.scratch, queue=work.queue)
    found = answer(problem, result)
    partial = work.control.cancelled and _improves(problem) and found.optimality == "feasible"
    if request.certificate:
        certificate = _certificate(problem, result, work)
        partial |= certificate is None
        found = found.model_copy(update={"certificate": certificate or _STOPPED})
    told, known = told_at_submission(heuristic_of(problem), problem.moves), found.heuristic
    same = (told.admissible, told.consistent, told.reason) == (known.admissible, known.consistent, known.reason)
    unbuilt = tuple(map(request_for, result.unbuilt))
    return SolveEnding(found, answers.state_of(found), partial, not same or request.algorithm == "auto", unbuilt)


_STOPPED = schema.Certificate(status="none", reason="it was cancelled before it was made")


def _certificate(problem: Problem, result: Result, work: Work) -> schema.Certificate | None:
    """What became of the answer's certificate; None if it was being made when the job was told to stop."""
    if result.status == "cancelled":
        return _STOPPED

    def write_it(file: BinaryIO, most_bytes: int) -> tuple[str, str]:
        written = write(problem, result, file, most_bytes=most_bytes, control=work.control)
        return written.claim, written.by

    try:
        return work.certify(write_it)
    except Stopped:
        return None


def _improves(problem: Problem) -> bool:
    """Whether it is searched by something that has solutions before its end."""
    return ALGORITHMS[problem.algorithm].improves


def _going_on(problem: Problem, before: str | None) -> Problem:
    """The problem, begun with the best solution and the bound that an earlier attempt came to."""
    if before is None or not _improves(problem):
        return problem
    try:
        last = schema.Progress.model_validate_json(before)
    except ValidationError:  # another version wrote it
        return problem
    known = last.best if last.best is not None and problem.is_solution(last.best) else None
    return replace(problem, known=known or problem.known, known_bound=last.lower_bound or 0)


@lru_cache(256)
def told_at_submission(heuristic: Heuristic, moves: MoveSet) -> Verdicts:
    """The verdict on a heuristic without a look at many states."""
    return prove(heuristic.expression, moves)


def finish(session: Transaction, claim: Claim, ending: Ending[schema.Solve], following: FollowingClaim | None) -> bool:
    """End the job with the answer, and with the verdict on the heuristic if it is new."""
    assert isinstance(ending, SolveEnding)
    assert ending.answer is not None
    kept = answers.finish(session, claim, ending.answer, heuristic=ending.heuristic_is_news, following=following)
    if kept and ending.unbuilt:
        builds.request(session, claim.id, [asked.model_dump_json(exclude_defaults=True) for asked in ending.unbuilt])
    return kept


def count(answer: schema.Solve, counts: Counts) -> None:
    """Time, memory and nodes."""
    if answer.seconds is not None:
        counts.observe("solve_seconds", answer.seconds)
    if answer.peak_bytes is not None:
        counts.observe("solve_peak_bytes", answer.peak_bytes)
    if answer.counters is not None:
        counts.add("solve_expanded", answer.counters.expanded)
        counts.add("solve_generated", answer.counters.generated)


SOLVE = Kind(name=KIND, request=schema.SolveRequest, run=run, finish=finish, count=count)
