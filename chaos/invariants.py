"""The invariants that must hold after every experiment; all are checked each time.

1. Every accepted id is a row, and every row was accepted; each Idempotency-Key has one id.
2. Every job has ended, and jobs kept ending: never did none end for the given number of seconds.
3. Every job ended once (by the triggers), in the attempt that the row names (by the triggers and the logs), and every
   transition was legal.
4. The statistics equal those computed again from the rows.
5. Every solution, replayed by the puzzle in Python, solves its scramble, and is not shorter than the proven bound.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import joinedload

from chaos import witness
from hstar.puzzles import get_puzzle
from store.jobs.models import Job
from store.jobs.states import FINAL
from store.owners.principal import SYSTEM
from store.solves.models import Solve
from store.solves.objects import to_canonical_object
from store.statistics.aggregation import Question, aggregate

if TYPE_CHECKING:
    from chaos.system import System


class Violation(AssertionError):
    """A job was lost, done twice or not done, or a result is wrong."""


@dataclass(frozen=True)
class Findings:
    """The figures of a checked system."""

    jobs: int
    states: dict[str, int]
    #: attempts after the first, of all jobs
    repeated_attempts: int
    #: seconds from the end of the faults until every job had ended
    recovery_seconds: float


def check(system: System, seconds: float) -> Findings:
    """Wait for the end of all jobs, then check all invariants."""
    _wait_for_ends(system, seconds)
    recovery = time.monotonic() - system.calm_since
    with system.sessions.read() as session:
        jobs = session.scalars(select(Job)).all()
        loaded = select(Solve).options(joinedload(Solve.job), joinedload(Solve.document))
        solves = session.scalars(loaded).all()
    faults = [*system.client.contradictions]
    faults += _accepted(jobs, system.client.accepted)
    faults += _ends(system, jobs)
    faults += _statistics(system, solves)
    for solve in solves:
        faults += _replay(solve)
    if faults:
        shown = "\n".join(faults[:20])
        raise Violation(f"{len(faults)} violations:\n{shown}")
    states = Counter(solve.status.value for solve in solves)
    repeated = sum(max(0, job.attempt - 1) for job in jobs)
    return Findings(len(jobs), dict(states), repeated, recovery)


def _wait_for_ends(system: System, seconds: float) -> None:
    """Wait until all jobs have ended; raises `Violation` if none ends for so many seconds."""
    fewest, since = None, time.monotonic()
    pending = select(func.count()).select_from(Job).where(Job.state.not_in(sorted(FINAL)))
    while True:
        with suppress(DBAPIError), system.sessions.read() as session:
            left = session.scalar(pending)
            if not left:
                return
            if left != fewest:
                fewest, since = left, time.monotonic()
        if time.monotonic() - since > seconds:
            break
        time.sleep(0.1)
    with system.sessions.read() as session:
        stuck = session.scalars(select(Job).where(Job.state.not_in(sorted(FINAL))).limit(5)).all()
    told = "\n".join(f"{job.id} {job.state} attempt {job.attempt} of {job.worker}" for job in stuck)
    raise Violation(f"none of {fewest} jobs has ended for {seconds:g} s, such as\n{told}")


def _accepted(jobs: Sequence[Job], accepted: dict[str, str]) -> list[str]:
    # A job with a parent is a part of a solve, which its worker has queued.
    rows, ids = {job.id for job in jobs if job.parent is None}, set(accepted.values())
    lost = [f"{job_id} was accepted, but there is no such job" for job_id in sorted(ids - rows)]
    unknown = [f"{job_id} is a job that no client submitted" for job_id in sorted(rows - ids)]
    doubled = [f"{job_id} was accepted under {n} keys" for job_id, n in Counter(accepted.values()).items() if n > 1]
    return lost + unknown + doubled


def _ends(system: System, jobs: Sequence[Job]) -> list[str]:
    noted = witness.changes(system.sessions.engine)
    told = witness.kept_ends(event for program in system.programs for event in program.events())
    found = []
    for job in jobs:
        key = job.id.replace("-", "")
        found += witness.faults_of(job.id, job.attempt, noted.get(key, []))
        said = told.get(key, [])
        if said not in ([], [job.attempt]):
            found.append(f"{job.id} is at attempt {job.attempt}, but the logs say that attempts {said} ended it")
    return found


def _statistics(system: System, solves: Sequence[Solve]) -> list[str]:
    with system.sessions.read() as session:
        found = aggregate(session, Question(SYSTEM))
    expected = Counter(solve.status.value for solve in solves)
    outcomes: Counter[str] = Counter()
    for group in found.groups:
        outcomes.update({name: int(count) for name, count in dict(group.outcomes).items() if name in expected})
    faults = []
    if found.solves != len(solves):
        faults.append(f"the statistics count {found.solves} solves, but there are {len(solves)}")
    if outcomes != expected:
        faults.append(f"the statistics count {dict(outcomes)}, but the rows have {dict(expected)}")
    return faults


def _replay(solve: Solve) -> list[str]:
    if solve.solution is None:
        return []
    found = to_canonical_object(solve)
    puzzle, start = get_puzzle(solve.puzzle, found.goal), found.start
    if start.alg is not None:
        state = puzzle.apply_alg(puzzle.solved, start.alg)
    else:  # a random state
        state = puzzle.parse_state(next(iter(start.state.values())))
    state = puzzle.apply_alg(state, solve.solution)
    if state != puzzle.solved:
        return [f"{solve.id}: its solution does not solve its scramble"]
    if solve.length != len(solve.solution) or (solve.lower_bound or 0) > len(solve.solution):
        return [f"{solve.id}: {len(solve.solution)} moves, length {solve.length}, bound {solve.lower_bound}"]
    return []
