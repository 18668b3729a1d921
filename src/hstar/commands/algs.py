"""``hstar scramble``, ``hstar shorten`` and ``hstar compose``: algs, and the states that they lead to."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hstar import algs, schema, session
from hstar.commands.answer import SERVICE_FIELDS
from hstar.commands.remote import Server, asking
from hstar.commands.terminal import (
    ApiKey,
    Goal,
    Json,
    PuzzleName,
    out,
    print_json,
    read_goal,
    read_state,
    read_text,
    refusing,
    shows_progress,
)
from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle, make_scramble


def scramble(
    puzzle: PuzzleName,
    k: Annotated[int | None, typer.Option("--k", help="number of random moves")] = None,
    random: Annotated[bool, typer.Option("--random", help="moves to a uniformly random state instead")] = False,
    seed: Annotated[int, typer.Option(help="any integer from 0 to 2^63 - 1")] = 0,
    moves: Annotated[str | None, typer.Option(help="move set to draw from")] = None,
    count: Annotated[
        int | None, typer.Option(min=1, max=10_000, help="number of scrambles, with consecutive seeds")
    ] = None,
    goal: Goal = None,
    as_json: Json = False,
) -> None:
    """Print k random moves, or moves to a random state, the same on every machine for the same seed.

    Example: hstar scramble megaminx --k 8 --seed 1 --count 5
    """
    with refusing():
        if random == (k is not None):
            raise InvalidRequest(
                "missing option --k, such as --k 20 (or --random)" if k is None else "give --k or --random, not both"
            )
        board = get_puzzle(puzzle, read_goal(goal))
        made: list[schema.Scramble | algs.RandomScramble] = [
            algs.random_scramble(board, seed + number, moves)
            if k is None
            else make_scramble(board, k, seed + number, board.counted if moves is None else moves)
            for number in range(count or 1)
        ]
    if as_json:
        print_json(made[0] if count is None else [one.model_dump(mode="json") for one in made])
        return
    for one in made:
        out.print(board.format_alg(one.alg), markup=False, soft_wrap=True)


def shorten(
    puzzle: PuzzleName,
    alg: Annotated[str, typer.Argument(help="an alg of up to 10,000 moves, a file of it, or -")],
    moves: Annotated[str | None, typer.Option(help="move set that the shorter one may use")] = None,
    limit_seconds: Annotated[float, typer.Option(min=0, help="stop after this many seconds")] = 10.0,
    limit_expanded: Annotated[int | None, typer.Option(min=0, help="stop after this many expansions")] = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Print an alg with the same effect, the shortest that is found within the limits.

    Example: hstar shorten 3x3x3 "R U R' U' R U R' U' R U R' U'"
    """
    with refusing():
        given: Any = {"moves": moves, "limits": {"seconds": limit_seconds, "expanded": limit_expanded}}
        if server is None:
            found = session.shorten(puzzle, read_text(alg, "ALG"), **given)
        else:
            with asking(server, api_key) as client:
                found = client.shorten(puzzle, read_text(alg, "ALG"), progress=shows_progress(), **given)
    if as_json:
        print_json(found.answer.model_dump(mode="json", exclude=SERVICE_FIELDS))
        return
    out.print(get_puzzle(puzzle).format_alg(found.moves or ()), markup=False, soft_wrap=True)


def compose(
    puzzle: PuzzleName,
    states: Annotated[list[str], typer.Argument(help="states as JSON, or algs, in the order of application")],
    kpattern: Annotated[bool, typer.Option("--kpattern", help="as KPattern JSON, which cubing.js reads")] = False,
    as_json: Json = False,
) -> None:
    """Print, as JSON, the state after applying these algs or states to the solved state, one after the other.

    Example: hstar compose 3x3x3 "R U" "F2"
    """
    with refusing():
        board = get_puzzle(puzzle)
        together = board.solved
        for text in states:
            if text.lstrip()[:1] == "{":
                state = board.parse_state(read_state(text))
            else:
                state = board.apply_alg(board.solved, board.parse_alg(text))
            together = board.compose(together, state)
    print_json(board.format_kpattern(together) if kpattern else board.format_state(together))
