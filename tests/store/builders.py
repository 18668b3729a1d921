"""Jobs, answers and databases for the tests of the store, made without the search library."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session, joinedload

from hstar import schema
from store.database import Sessions
from store.database.clock import from_now
from store.jobs import machine
from store.jobs.machine import Claim
from store.jobs.models import Job
from store.jobs.states import State
from store.solves import answers, submission
from store.solves.models import Solve
from store.solves.submission import NewSolve

LEASE = timedelta(seconds=60)

COUNTERS = schema.Counters(
    expanded=120,
    generated=1440,
    evaluated=1300,
    reopened=2,
    stored=1300,
    max_open=1180,
    expanded_last_layer=20,
    expanded_before_last_layer=100,
    branching_generated=480.0,
    branching_effective=10.9,
)


def question(**changed: Any) -> schema.Solve:
    """The library's problem of a request, before it is solved."""
    fields: dict[str, Any] = {
        "status": "queued",
        "puzzle": "megaminx",
        "moves": "ccw",
        "algorithm": "astar",
        "weight": 1.0,
        "heuristic": schema.HeuristicUsed(
            name="s2", expression="ceil(misplaced_facelets / 15)", admissible="proven", consistent="proven", reason="15"
        ),
        "tie_breaking": "low_h",
        "duplicate_detection": "exact, reopening",
        "limits": schema.Limits(expanded=2_000_000, memory_mib=512),
        "start": schema.Start(
            given_as="scramble",
            scramble=schema.ScrambleUsed(moves="cw", k=3, seed=7),
            alg=["U", "R", "F"],
            state={"facelets": "abc"},
        ),
    }
    return schema.Solve(**(fields | changed))


def new_solve(owner: str = "ann", **changed: Any) -> NewSolve:
    """A job that has not been submitted yet."""
    asked = question(**changed)
    request = schema.SolveRequest(
        puzzle=asked.puzzle,
        scramble=schema.ScrambleIn(k=3, seed=7),
        moves=asked.moves,
        tags=asked.tags,
        priority=asked.priority,
    )
    return NewSolve(request, asked, owner=owner)


def answer(status: str = "solved", **changed: Any) -> schema.Solve:
    """An answer as from the library, complete for each final status."""
    fields: dict[str, Any] = {"counters": COUNTERS, "lower_bound": 3, "seconds": 0.25, "peak_bytes": 4096}
    fields["layers"] = ((2.0, 100), (3.5, 20))
    if status == "solved":
        fields |= {"solution": ["F'", "R'", "U'"], "length": 3, "optimality": "proven"}
    if status == "limit_reached":
        fields |= {"limit": "expanded"}
    if status == "failed":
        fields |= {"error": "it broke"}
    if status in ("solved", "exhausted", "limit_reached"):
        fields |= {"outcome": status}
        status = "done"
    return question(status=status, **(fields | changed))


def submit(sessions: Sessions, owner: str = "ann", **changed: Any) -> str:
    """Submit one job; its id."""
    new = new_solve(owner, **changed)
    sessions.run(lambda session: submission.submit(session, new))
    return new.id


def claim(sessions: Sessions, worker: str = "worker", lease: timedelta = LEASE) -> Claim | None:
    """Claim the next job."""
    return sessions.run(lambda session: machine.claim_next(session, worker, lease))


def must_claim(sessions: Sessions, worker: str = "worker", lease: timedelta = LEASE) -> Claim:
    """Claim the next job, which must be there."""
    claimed = claim(sessions, worker, lease)
    assert claimed is not None
    return claimed


def end(session: Session, claim: Claim, answer: schema.Solve) -> bool:
    """End a solve like the worker, with this answer or as failed."""
    if answer.status == "failed":
        return machine.fail(session, claim, answer.error or "")
    return answers.finish(session, claim, answer)


def row(sessions: Sessions, job_id: str) -> Job:
    """The row of a job, without relations."""
    with sessions.read() as session:
        return session.get_one(Job, job_id)


def solve_of(sessions: Sessions, solve_id: str) -> Solve:
    """The row of a solve, with its job."""
    with sessions.read() as session:
        return session.get_one(Solve, solve_id, options=[joinedload(Solve.job)])


def expire(sessions: Sessions, *job_ids: str) -> None:
    """Let the leases of these running jobs run out."""
    with sessions.write() as session:
        past = from_now(timedelta(seconds=-1))
        session.execute(update(Job).where(Job.id.in_(job_ids), Job.state == State.RUNNING).values(lease_until=past))


def sweep(sessions: Sessions, max_losses: int = 3, wake_after: timedelta = timedelta(0)) -> machine.SweepReport:
    """One sweep."""
    return sessions.run(
        lambda session: machine.sweep(session, lease=LEASE, max_losses=max_losses, wake_after=wake_after)
    )
