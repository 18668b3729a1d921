"""``POST /v1/solves``: submit a problem."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from hstar.certificates.proofs import can_certify
from hstar.errors import Fault
from hstar.schema import Certificate, ScrambleIn, Solve, SolveRequest
from hstar.search import databases_of, prepare, question
from service.answering import object_response
from service.context import context, principal
from service.errors import ProblemError
from service.examples import SOLVE_REQUESTS
from service.headers import retry_after
from service.job_resource import JobResource, New
from store.jobs.models import Job
from store.puzzles.models import Scramble
from store.puzzles.scrambles import get_scramble
from store.solves import queries
from store.solves.objects import as_submitted, to_object
from store.solves.submission import KIND, NewSolve, submit, submit_many

TAG = {"name": "Solves", "description": "Submit a problem; the job that solves it has progress, and a proven answer."}


class SolveResource(JobResource[SolveRequest]):
    """Solves have tables of their own, which statistics and filters read."""

    def show(self, session: Session, jobs: Sequence[Job]) -> Sequence[BaseModel]:
        found = queries.get_solves(session, [job.id for job in jobs])
        return [to_object(found[job.id]) for job in jobs]

    def prepared(self, asked: SolveRequest, id: str, many: bool) -> New:
        stored = _stored_scramble(asked)
        request = asked
        if stored is not None:
            recipe = ScrambleIn(k=stored.k, seed=stored.seed, moves=stored.moves)
            goal = None if stored.goal is None else [int(cell) for cell in stored.goal.split(",")]
            request = asked.model_copy(update={"scramble": recipe, "goal": goal})
        problem = prepare(request, context().settings.caps, costs=True)
        # Only fast checks: a verdict on the heuristic that needs many states comes with the answer.
        asks = question(problem, deep=False)
        start = asks.start
        if stored is not None and start.scramble is not None:
            named = start.scramble.model_copy(update={"id": stored.id})
            start = start.model_copy(update={"scramble": named})
        if request.certificate:
            can_certify(problem)
        certificate = Certificate(status="asked") if request.certificate else None
        more = {"start": start, "tags": request.tags, "priority": request.priority, "certificate": certificate}
        asks = asks.model_copy(update=more)
        new = NewSolve(request, asks, principal().owner, None if stored is None else stored.id, id, quick=not many)
        return New(new, databases_of(problem))

    def insert(self, session: Session, jobs: Sequence[NewSolve]) -> None:
        if len(jobs) == 1:
            submit(session, jobs[0])
        else:
            submit_many(session, jobs)

    def submitted(self, new: NewSolve) -> Response | None:
        response = object_response(as_submitted(new), 202)
        response.headers["Retry-After"] = str(retry_after(None))
        return response


def _stored_scramble(asked: SolveRequest) -> Scramble | None:
    """The stored scramble whose id ``asked`` names, if any; raises `ProblemError` if it does not fit."""
    if not isinstance(asked.scramble, str):
        return None
    with context().sessions.read() as session:
        stored = get_scramble(session, asked.scramble, principal())
    if stored is None:
        fault = Fault("/scramble", f"there is no stored scramble {asked.scramble!r}")
        raise ProblemError("invalid-request", "the scramble is not known", [fault])
    faults = []
    if stored.puzzle != asked.puzzle:
        faults.append(Fault("/puzzle", f"the scramble is one of {stored.puzzle}"))
    if asked.goal is not None and stored.goal != ",".join(map(str, asked.goal)):
        faults.append(Fault("/goal", "the scramble was made from another goal board; leave the goal out"))
    if faults:
        raise ProblemError("invalid-request", "the stored scramble belongs to another problem", faults)
    return stored


bp = SolveResource(
    path="solves",
    kind=KIND,
    noun="solve",
    request=SolveRequest,
    object=Solve,
    examples=SOLVE_REQUESTS,
    tag=TAG,
    submit="Give the puzzle and exactly one of `state`, `scramble`, `alg`, `random` and `shorten`; `target` is a state "
    "to reach instead of the solved one. The request is checked now; the search runs in a worker. The answer is the "
    "solve in its present state: queued, or, with `Prefer: wait=N` and a quick search, finished.\n\nWith an "
    "`Idempotency-Key` a request can be sent again safely: only one solve is made, and every answer shows it.",
    problems=("invalid-state", "invalid-alg", "invalid-heuristic"),
).blueprint()
