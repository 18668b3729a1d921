"""Pictures of states: of a solve, from its start along its solution, of a solved puzzle, and a puzzle in space."""

from __future__ import annotations

import json
from contextlib import suppress

from apiflask import APIBlueprint
from flask import Response

from hstar.errors import Fault
from hstar.labels import labelling_of
from hstar.pictures import can_draw, draw, draw_path, state_at
from hstar.puzzles import get_puzzle
from hstar.solids import Solid, solid_of
from service.apart import apart, apart_if_added
from service.context import context, principal
from service.errors import ProblemError, told_at
from service.openapi import READ_PROBLEMS, include, responses
from service.resources.catalogue import TAG as CATALOGUE
from service.resources.solves import TAG
from service.schema import DrawnState, PictureOptions
from store.solves import queries
from store.solves.objects import to_canonical_object

include(Solid)

bp = APIBlueprint("pictures", __name__, url_prefix="/v1", tag=TAG)


@bp.get("/jobs/<id>/picture.svg")
@bp.input(PictureOptions, location="query")
@bp.doc(
    operation_id="drawJob",
    responses=responses(
        {200: {"description": "The picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
        *READ_PROBLEMS,
        "not-found",
    ),
)
@apart
def draw_solve(id: str, query_data: PictureOptions) -> Response:
    """Draw a solve

    The state after `step` moves of the solution: 0 is the start, -1 the end. With `path`, all states in one picture.
    """
    with context().sessions.read() as session:
        row = queries.get_solve(session, id, principal())
        if row is None:
            raise ProblemError("not-found", f"there is no solve {id!r}")
        solve = to_canonical_object(row)
    puzzle = get_puzzle(solve.puzzle, solve.goal)
    if not can_draw(puzzle):
        raise ProblemError("not-found", f"there are no pictures of {puzzle.name}")
    start = puzzle.parse_state(solve.start.state)
    solution = solve.solution or []
    if query_data.path:
        return _svg(draw_path(puzzle, start, solution, title=f"{puzzle.title}: solve {solve.id}"))
    step = len(solution) if query_data.step == -1 else query_data.step
    if step > len(solution):
        text = f"expected 0 to {len(solution)} (the moves of the solution found so far) or -1"
        raise ProblemError("invalid-request", "there is no such step", [Fault("query:step", text)])
    labelling = labelling_of(solve)
    names = None if labelling is None else labelling.names
    moved = "start" if step == 0 else f"after {step} of {len(solution)} moves"
    title = f"{puzzle.title}: solve {solve.id}, {moved}"
    return _svg(draw(puzzle, state_at(puzzle, start, solution, step), title=title, caption=moved, names=names))


@bp.get("/puzzles/<name>/picture.svg")
@bp.input(DrawnState, location="query")
@bp.doc(
    operation_id="drawPuzzle",
    tags=[CATALOGUE["name"]],
    responses=responses(
        {200: {"description": "The picture", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}},
        *READ_PROBLEMS,
        "not-found",
        "invalid-state",
    ),
)
@apart_if_added
def draw_puzzle(name: str, query_data: DrawnState) -> Response:
    """Draw a puzzle

    Solved, or in the given state. Every facelet has attributes that identify it: `data-face`, `data-facelet` and
    `data-colour`, or `data-cell` and `data-tile`.
    """
    with told_at("", "not-found"):
        puzzle = get_puzzle(name)
    if not can_draw(puzzle):
        raise ProblemError("not-found", f"there are no pictures of {puzzle.name}")
    given = query_data.state
    if given is None:
        return _svg(draw(puzzle, puzzle.solved))
    with suppress(ValueError):
        given = json.loads(given)
    return _svg(draw(puzzle, puzzle.parse_state(given), transparent=True))


@bp.get("/puzzles/<name>/solid")
@bp.output(Solid, description="The solid")
@bp.doc(
    operation_id="getSolid",
    tags=[CATALOGUE["name"]],
    responses=responses({}, *READ_PROBLEMS, "not-found"),
)
@apart_if_added
def get_solid(name: str) -> Solid:
    """Describe a puzzle in space

    Every facelet of the solved puzzle with its corners, and for each move the axis, the angle and the facelets that
    turn: enough to draw any state, and to turn it.
    """
    with told_at("", "not-found"):
        return solid_of(get_puzzle(name))


def _svg(text: str) -> Response:
    return Response(text, content_type="image/svg+xml; charset=utf-8")
