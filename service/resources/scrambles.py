"""``/v1/scrambles``: random moves from a seed, stored under an id."""

from __future__ import annotations

from apiflask import APIBlueprint
from flask import Response, url_for
from sqlalchemy.orm import Session

from hstar.puzzles import get_puzzle, make_scramble
from hstar.schema import Scramble, ScrambleRequest
from service.answering import check_cursor, next_path, object_response, page_response
from service.apart import apart_if_added
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.examples import SCRAMBLE_REQUESTS
from service.headers import idempotency_key
from service.once import earlier, fingerprint_of, make_once
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, responses
from service.schema import KeyHeader, ScrambleFilter, ScramblePage
from store.ids import new_id
from store.puzzles.scrambles import add_scramble, get_scramble, list_scrambles, to_object

TAG = {"name": "Scrambles", "description": "Random moves from a seed: the same on every machine, for ever."}

bp = APIBlueprint("scrambles", __name__, url_prefix="/v1", tag=TAG)


@bp.post("/scrambles")
@bp.input(KeyHeader, location="headers")
@bp.input(ScrambleRequest, examples=SCRAMBLE_REQUESTS)
@bp.output(Scramble, status_code=201, description="The scramble")
@bp.doc(
    operation_id="createScramble",
    responses=responses(
        {
            201: {"headers": answers("Location", "Idempotent-Replayed")},
        },
        *WRITE_PROBLEMS,
        "unknown-name",
        "invalid-state",
        "idempotency-key-reused",
    ),
)
@apart_if_added
def create_scramble(headers_data: KeyHeader, json_data: ScrambleRequest) -> Response:
    """Make and store a scramble

    `k` random moves from a seed. The same puzzle, `k`, seed and move set give the same moves on every machine, for
    ever. The answer's `id` can be sent as `scramble` in a solve.
    """
    key = idempotency_key(headers_data.idempotency_key)
    fingerprint = fingerprint_of(key, json_data)
    scramble_id = earlier(key, fingerprint)
    if scramble_id is not None:
        return _answer(scramble_id, replayed=True)
    puzzle = get_puzzle(json_data.puzzle, json_data.goal)
    scramble = make_scramble(puzzle, json_data.k, json_data.seed, json_data.moves)
    mine = new_id()

    def make(session: Session) -> None:
        add_scramble(session, scramble, goal=puzzle.goal_board(), owner=principal().owner, id=mine)

    scramble_id = make_once(key, fingerprint, mine, make)
    return _answer(scramble_id, replayed=scramble_id != mine)


@bp.get("/scrambles/<id>")
@bp.output(Scramble, description="The scramble")
@bp.doc(
    operation_id="getScramble",
    responses=responses(
        {
            200: {"headers": answers("ETag")},
            304: {"description": "Nothing changed"},
        },
        *READ_PROBLEMS,
        "not-found",
    ),
)
def get_one_scramble(id: str) -> Response:
    """Read one scramble"""
    return object_response(_find(id))


@bp.get("/scrambles")
@bp.input(ScrambleFilter, location="query")
@bp.output(ScramblePage, description="A page of scrambles")
@bp.doc(operation_id="listScrambles", responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS))
def list_all_scrambles(query_data: ScrambleFilter) -> Response:
    """List scrambles, newest first"""
    cursor = check_cursor(query_data.cursor)
    with context().sessions.read() as session:
        rows = list_scrambles(session, principal(), puzzle=query_data.puzzle, cursor=cursor, size=query_data.limit + 1)
        items = [to_object(row) for row in rows[: query_data.limit]]
    path = next_path(items[-1].id if len(rows) > query_data.limit else None)
    return page_response(ScramblePage(items=items, next=path), path)


@bp.delete("/scrambles/<id>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteScramble", responses=responses({}, *READ_PROBLEMS, "not-found"))
def delete_one_scramble(id: str) -> Response:
    """Delete a scramble; solves that were made from it stay"""

    def delete(session: Session) -> None:
        row = get_scramble(session, id, principal())
        if row is None:
            raise ProblemError("not-found", f"there is no scramble {id!r:.60}")
        record_change(session, row.id)
        session.delete(row)

    context().sessions.run(delete)
    return Response(status=204)


def _find(scramble_id: str) -> Scramble:
    with context().sessions.read() as session:
        row = get_scramble(session, scramble_id, principal())
        if row is None:
            raise ProblemError("not-found", f"there is no scramble {scramble_id!r}")
        return to_object(row)


def _answer(scramble_id: str, *, replayed: bool) -> Response:
    location = url_for("scrambles.get_one_scramble", id=scramble_id)
    response = object_response(_find(scramble_id), 201, location)
    if replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response
