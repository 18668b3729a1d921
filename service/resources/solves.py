"""``/v1/solves``: submit a problem, poll it, list, cancel."""

from __future__ import annotations

from collections.abc import Mapping

from apiflask import APIBlueprint
from flask import Response, url_for
from sqlalchemy.orm import Session

from hstar.errors import Fault
from hstar.schema import Certificate, ScrambleIn, Solve, SolveRequest
from hstar.search import databases_of, prepare, question
from service.answering import check_cursor, heuristic_texts, next_path, object_response, page_response, split_tags
from service.apart import apart_if_added
from service.context import context, principal
from service.errors import ProblemError
from service.examples import SOLVE_REQUESTS
from service.headers import idempotency_key, preferred_wait, retry_after
from service.job_resource import ask_to_cancel, check_databases, check_room
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, ROOM_PROBLEMS, WRITE_PROBLEMS, answers, responses
from service.schema import ConditionalHeaders, SolveFilter, SolvePage, SubmitHeaders, WaitHeader
from store.ids import parse_id
from store.jobs.queries import get_state
from store.puzzles.models import Scramble
from store.puzzles.scrambles import get_scramble
from store.solves import queries
from store.solves.objects import as_submitted, to_object
from store.solves.status import OUTCOMES, Status
from store.solves.submission import NewSolve, submit

TAG = {"name": "Solves", "description": "Submit a problem, poll its progress, read its proven answer, cancel it."}

bp = APIBlueprint("solves", __name__, url_prefix="/v1", tag=TAG)

SUBMIT_PROBLEMS = (
    *WRITE_PROBLEMS,
    "invalid-state",
    "invalid-alg",
    "invalid-heuristic",
    "unknown-name",
    "idempotency-key-reused",
    *ROOM_PROBLEMS,
    "too-many-databases",
)


@bp.post("/solves")
@bp.input(SubmitHeaders, location="headers")
@bp.input(SolveRequest, examples=SOLVE_REQUESTS)
@bp.output(Solve, status_code=202, description="Taken; poll the address in `Location`")
@bp.doc(
    operation_id="submitSolve",
    responses=responses(
        {
            200: {
                "description": "Taken, and finished within the wait",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Solve"}}},
                "headers": answers("Location", "Preference-Applied", "Idempotent-Replayed"),
            },
            202: {"headers": answers("Location", "Retry-After", "Preference-Applied", "Idempotent-Replayed")},
        },
        *SUBMIT_PROBLEMS,
    ),
)
def submit_solve(headers_data: SubmitHeaders, json_data: SolveRequest) -> Response:
    """Submit a problem

    Give the puzzle and exactly one of `state`, `scramble`, `alg`, `random` and `shorten`; `target` is a state to reach
    instead of the solved one. The request is checked now; the search runs in a worker. The answer is the solve in its
    present state: queued, or, with `Prefer: wait=N` and a quick search, finished.

    With an `Idempotency-Key` a request can be sent again safely: only one solve is made, and every answer shows it.
    """
    solve_id, new = _take(headers_data, json_data)
    response = _answer(solve_id, wait=preferred_wait(headers_data.prefer), unfinished=202, new=new)
    response.headers["Location"] = url_for("solves.get_one_solve", id=solve_id)
    if new is None:
        response.headers["Idempotent-Replayed"] = "true"
    return response


@bp.get("/solves/<id>")
@bp.input(ConditionalHeaders, location="headers")
@bp.output(Solve, description="The solve in its present state")
@bp.doc(
    operation_id="getSolve",
    responses=responses(
        {
            200: {"headers": answers("ETag", "Retry-After", "Preference-Applied")},
            304: {"description": "Nothing changed", "headers": answers("ETag", "Retry-After", "Preference-Applied")},
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def get_one_solve(id: str, headers_data: ConditionalHeaders) -> Response:
    """Poll a solve

    While it is queued or running, `progress` has its live counters and lower bound, and `Retry-After` says when to poll
    again. With `Prefer: wait=N` the answer is sent when the solve has finished, or after N seconds.
    """
    return _answer(id, wait=preferred_wait(headers_data.prefer), unfinished=200)


@bp.get("/solves")
@bp.input(SolveFilter, location="query")
@bp.output(SolvePage, description="A page of solves")
@bp.doc(operation_id="listSolves", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_solves(query_data: SolveFilter) -> Response:
    """List solves, newest first

    Those that fit every filter. `next` is the path of the next page; new solves do not shift later pages.
    """
    cursor = check_cursor(query_data.cursor)
    tags = split_tags(query_data.tag)
    experiment = None if query_data.experiment is None else parse_id(query_data.experiment)
    if tags is None or (query_data.experiment is not None and experiment is None):
        return page_response(SolvePage(items=[], next=None), None)
    wanted = queries.SolveFilter(
        status=None if query_data.status is None else Status(query_data.status),
        puzzle=query_data.puzzle,
        moves=query_data.moves,
        algorithm=query_data.algorithm,
        heuristics=tuple(heuristic_texts(query_data.heuristic, filter(None, [query_data.puzzle])))
        if query_data.heuristic is not None
        else (),
        experiment=experiment,
        tags=tags,
        created_from=query_data.created_after,
        created_before=query_data.created_before,
    )
    with context().sessions.read() as session:
        page = queries.list_solves(session, principal(), wanted, cursor=cursor, size=query_data.limit)
        items = [to_object(row) for row in page.solves]
    path = next_path(page.next_cursor)
    return page_response(SolvePage(items=items, next=path), path)


@bp.delete("/solves/<id>")
@bp.input(WaitHeader, location="headers")
@bp.output(Solve, description="The solve has finished: cancelled now, or finished before")
@bp.doc(
    operation_id="cancelSolve",
    responses=responses(
        {
            202: {
                "description": "The solve is running and will stop in a moment",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Solve"}}},
                "headers": answers("Retry-After", "Preference-Applied"),
            },
            200: {"headers": answers("Preference-Applied")},
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def cancel_solve(id: str, headers_data: WaitHeader) -> Response:
    """Cancel a solve

    A queued solve is cancelled at once; a running one stops within a second and keeps its counters and lower bound; a
    finished one does not change. Cancelling again changes nothing.
    """
    before = _find(id)
    if before.status not in OUTCOMES:
        ask_to_cancel(id)
    return _answer(id, wait=preferred_wait(headers_data.prefer), unfinished=202)


@apart_if_added
def _take(headers: SubmitHeaders, given: SolveRequest) -> tuple[str, NewSolve | None]:
    """Check and queue a solve; returns its id, and what was made for it if it was made now."""
    key = idempotency_key(headers.idempotency_key)
    fingerprint = fingerprint_of(key, given)
    solve_id = earlier(key, fingerprint)
    if solve_id is not None:
        return solve_id, None
    asked, named = _prepare(given)
    solve_id = make_once(key, fingerprint, asked.id, lambda session: _insert(session, asked, named))
    if solve_id != asked.id:
        return solve_id, None
    context().doorbell.ring()
    return solve_id, asked


def _prepare(asked: SolveRequest) -> tuple[NewSolve, Mapping[str, int]]:
    """The checked job of the request ``asked``, and its databases; raises `HstarError` or `ProblemError`."""
    stored = _stored_scramble(asked)
    request = asked
    if stored is not None:
        recipe = ScrambleIn(k=stored.k, seed=stored.seed, moves=stored.moves)
        goal = None if stored.goal is None else [int(cell) for cell in stored.goal.split(",")]
        request = asked.model_copy(update={"scramble": recipe, "goal": goal})
    problem = prepare(request, context().settings.caps)
    # Only fast checks: a verdict on the heuristic that needs many states comes with the answer.
    asks = question(problem, deep=False)
    start = asks.start
    if stored is not None and start.scramble is not None:
        named = start.scramble.model_copy(update={"id": stored.id})
        start = start.model_copy(update={"scramble": named})
    certificate = Certificate(status="asked") if request.certificate else None
    more = {"start": start, "tags": request.tags, "priority": request.priority, "certificate": certificate}
    asks = asks.model_copy(update=more)
    return NewSolve(request, asks, principal().owner, None if stored is None else stored.id), databases_of(problem)


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


def _insert(session: Session, new: NewSolve, databases: Mapping[str, int]) -> None:
    check_room(session)
    check_databases(session, databases)
    # After a lost connection it is unknown whether the commit succeeded; the row may exist already.
    if get_state(session, new.id) is None:
        submit(session, new)


def _find(solve_id: str) -> Solve:
    with context().sessions.read() as session:
        row = queries.get_solve(session, solve_id, principal())
        if row is None:
            raise ProblemError("not-found", f"there is no solve {solve_id!r}")
        return to_object(row)


def _answer(solve_id: str, *, wait: int | None, unfinished: int, new: NewSolve | None = None) -> Response:
    """The solve in its state after the wait; ``unfinished``: HTTP status if it has not ended.

    ``new``: this request has made it, so its state is known without a query before the wait.
    """
    granted = None
    if wait is not None and (new is not None or _find(solve_id).status not in OUTCOMES):
        granted = context().long_polling.until_final(solve_id, wait)
    solve = as_submitted(new) if new is not None and wait is None else _find(solve_id)
    final = solve.status in OUTCOMES
    response = object_response(solve, 200 if final else unfinished)
    if not final:
        response.headers["Retry-After"] = str(retry_after(solve.started_at or solve.created_at))
    if granted is not None:
        response.headers["Preference-Applied"] = f"wait={granted:g}"
    return response
