"""``/v1/puzzles``: the built-in puzzles, and those that owners add."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response, url_for
from sqlalchemy.orm import Session

from hstar.errors import Fault, HstarError
from hstar.features import describe
from hstar.puzzles import Puzzle, added_puzzle, get_puzzle, puzzle_names
from hstar.puzzles.formats import read_any_definition
from service.answering import object_response
from service.apart import apart, apart_if_added
from service.context import context, principal, record_change
from service.errors import ProblemError, told_at
from service.examples import PUZZLE_REQUESTS
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, responses
from service.resources.catalogue import TAG
from service.schema import PuzzleDescription, PuzzleList, PuzzleRequest, PuzzleSummary
from store.puzzles import definitions

#: most definitions of one owner, including removed ones, which results may need
MOST_OF_AN_OWNER = 200
#: added puzzles in a list
MOST_LISTED = 500

bp = APIBlueprint("puzzles", __name__, url_prefix="/v1", tag=TAG)


@bp.get("/puzzles")
@bp.output(PuzzleList, description="The puzzles")
@bp.doc(operation_id="listPuzzles", responses=responses({}, *READ_PROBLEMS))
def list_puzzles() -> PuzzleList:
    """List the puzzles

    The built-in puzzles, then the added ones that you may see, newest first. Besides, every board of sliding tiles is a
    puzzle with the name `tiles:ROWSxCOLUMNS`, such as `tiles:2x4`.
    """
    with context().sessions.read() as session:
        rows = definitions.list_added(session, principal(), MOST_LISTED)
        mine = [(row.summary, row.owner, row.full_name) for row in rows]
    items = [_summary(_in_short(get_puzzle(name)), None, name) for name in puzzle_names()]
    return PuzzleList(items=items + [_summary(*row) for row in mine])


@bp.get("/puzzles/<name>")
@bp.output(PuzzleDescription, description="The puzzle")
@bp.doc(operation_id="getPuzzle", responses=responses({}, *READ_PROBLEMS, "not-found"))
@apart_if_added
def get_one_puzzle(name: str) -> PuzzleDescription:
    """Describe one puzzle

    Its moves and move sets, its orbits of pieces, its number of states, and the features for its heuristics; for
    Megaminx also each face's colour, opposite face and neighbours in clockwise order; for added puzzles their
    definition.
    """
    with told_at("", "not-found"):  # the name is part of the address
        return PuzzleDescription.model_validate(describe(get_puzzle(name)))


@bp.post("/puzzles")
@bp.input(PuzzleRequest, examples=PUZZLE_REQUESTS)
@bp.output(PuzzleDescription, status_code=201, description="The puzzle, added")
@bp.doc(
    operation_id="addPuzzle",
    responses=responses(
        {
            200: {
                "description": "The puzzle; its name had this definition already",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PuzzleDescription"}}},
                "headers": answers("Location"),
            },
            201: {"headers": answers("Location")},
        },
        *WRITE_PROBLEMS,
    ),
)
@apart
def add_puzzle(json_data: PuzzleRequest) -> Response:
    """Add a puzzle, or change its definition

    Its owner can then use its name, such as `ring`, wherever a puzzle is named. The answer's `name` also has the
    fingerprint of the definition, `ring@DzqcUdJ76EYJcO1Hv3zQ_w`: this full name is used in jobs and results, and
    works for everybody who knows it. Another definition under the same name is another puzzle, and changes no result.
    Adding the same definition again changes nothing.
    """
    try:
        definition = read_any_definition(json_data.definition, json_data.name)
        puzzle = added_puzzle(definition)
        shown = PuzzleDescription.model_validate(describe(puzzle))
    except HstarError as error:
        faults = [fault if fault.where == "/name" else fault.below("/definition") for fault in error.faults]
        raise ProblemError("invalid-request", error.message, faults) from None
    owner, short = principal().owner, _in_short(puzzle)

    def add(session: Session) -> bool:
        _, is_new = definitions.add(session, owner, definition, short)
        if is_new and definitions.count(session, owner) > MOST_OF_AN_OWNER:
            text = f"you have added {MOST_OF_AN_OWNER} definitions, which is the limit for one owner"
            raise ProblemError("invalid-request", "there are too many puzzles", [Fault("/name", text)])
        return is_new

    is_new = context().sessions.run(add)
    location = url_for("puzzles.get_one_puzzle", name=puzzle.name)
    return object_response(shown, 201 if is_new else 200, location)


@bp.delete("/puzzles/<name>")
@bp.output({}, status_code=204, description="The name was removed")
@bp.doc(operation_id="removePuzzle", responses=responses({}, *READ_PROBLEMS, "not-found"))
def remove_puzzle(name: str) -> tuple[str, int]:
    """Remove the name of a puzzle that was added

    Its full name stays valid, so existing jobs and results do not change. Removing a full name again changes nothing.
    """

    def remove(session: Session) -> bool:
        row = definitions.find_visible(session, principal(), name)
        if row is None:
            return False
        definitions.remove(session, row)
        record_change(session, row.id, row.full_name)
        return True

    if not context().sessions.run(remove):
        raise ProblemError("not-found", f"there is no added puzzle {name!r:.80}")
    return "", 204


def _in_short(puzzle: Puzzle) -> dict[str, Any]:
    """The summary of a puzzle in a list."""
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "state_count": None if puzzle.state_count is None else str(puzzle.state_count),
        "move_sets": list(puzzle.move_sets),
        "default_moves": puzzle.default_moves,
        "default_scramble_moves": puzzle.default_scramble_moves,
        "metric": puzzle.metric,
        "default_heuristic": puzzle.default_heuristic,
    }


def _summary(short: dict[str, Any], owner: str | None, name: str) -> PuzzleSummary:
    return PuzzleSummary(**short, owner=owner, url=url_for("puzzles.get_one_puzzle", name=name))
