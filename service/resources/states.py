"""``/v1/states``: a start in every format, and the states along moves from it. Nothing is stored."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import Response

from hstar.errors import Fault, HstarError, InvalidAlg
from hstar.puzzles import Puzzle, State
from hstar.schema import SolveRequest
from hstar.search.prepare import read_start
from service.apart import apart_if_added
from service.errors import ProblemError
from service.examples import STATE_REQUESTS
from service.formats import CERTIFICATE, JSON, chosen, content
from service.openapi import WRITE_PROBLEMS, refers, responses
from service.resources import certificates
from service.resources.scrambles import TAG
from service.schema import MoveMade, StateAnswer, StateRequest

bp = APIBlueprint("states", __name__, url_prefix="/v1", tag=TAG)

#: greatest number of moves from a start
MAX_STEPS = 1000


@bp.post("/states")
@bp.input(StateRequest, examples=STATE_REQUESTS)
@bp.output(StateAnswer, description="The start, and the states along the moves")
@bp.doc(
    operation_id="readState",
    responses=responses(
        {200: {"content": content(json=refers(StateAnswer), hcert=True)}},
        *WRITE_PROBLEMS, "invalid-state", "invalid-alg", "unknown-name", "no-certificate",
    ),
)  # fmt: skip
@apart_if_added
def read_state(json_data: StateRequest) -> StateAnswer | Response:
    """Read a state, and follow moves from it

    Give exactly one of `state`, `scramble`, `alg`, `random` and `shorten`. The answer has the state in every format of
    the puzzle, or lists all its faults. With `compose` it has the state after an alg of the start followed by algs of
    those states; with `then` also the state after each of these moves. Nothing is stored.
    `Accept: application/vnd.hstar.certificate` asks for a file that proves that no moves solve the `state`.
    """
    if chosen(JSON, CERTIFICATE) == CERTIFICATE:
        return certificates.of_state(json_data)
    asked = json_data.model_dump(exclude={"then", "compose"}, exclude_none=True)
    if not asked.keys() & {"state", "scramble", "alg", "random", "shorten"}:
        asked["alg"] = ""  # algs and states are composed from the solved state on
    puzzle, start, state = read_start(SolveRequest.model_validate(asked))
    for number, other in enumerate(json_data.compose):
        state = puzzle.compose(state, _read(puzzle, other, f"/compose/{number}"))
    composed = puzzle.format_state(state) if json_data.compose else None
    path = []
    if json_data.then is not None:
        try:
            moves = puzzle.parse_alg(json_data.then)
            if len(moves) > MAX_STEPS:
                fault = Fault("/then", f"at most {MAX_STEPS} moves, found {len(moves)}")
                raise ProblemError("invalid-request", "there are too many moves", [fault])
            for move, written in zip(moves, puzzle.written(moves), strict=True):
                state = puzzle.apply_alg(state, [move])
                path.append(MoveMade(move=move, written=written, state=puzzle.format_state(state)))
        except InvalidAlg as error:
            raise ProblemError("invalid-alg", f"then: {error.message}", error.faults) from None
    return StateAnswer(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        start=start,
        written=None if start.alg is None else puzzle.format_alg(start.alg),
        composed=composed,
        path=path,
        solved=state == puzzle.solved,
    )


def _read(puzzle: Puzzle, given: str | dict[str, Any], place: str) -> State:
    """A state, or the state that an alg leads to from solved; its faults are reported at ``place``."""
    try:
        if isinstance(given, str):
            return puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(given))
        return puzzle.parse_state(given)
    except HstarError as error:
        faults = error.faults or (Fault("", error.message),)
        raise ProblemError(error.code, error.message, [fault.below(place) for fault in faults]) from None
