"""``hstar picture``: draw a state, or the states along a path."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, cast

import typer

from hstar import pictures
from hstar.commands.terminal import Goal, Json, PuzzleName, check_picture, print_json, read_goal, read_state, refusing
from hstar.drawing import FileFormat
from hstar.errors import Fault, InvalidRequest, why
from hstar.picture_files import picture_file
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.painter import Labels


def picture(
    puzzle: PuzzleName,
    alg: Annotated[str | None, typer.Option(help='state: moves from solved, such as "U R2\'"')] = None,
    state: Annotated[str | None, typer.Option(help="state: a board such as '2 8 3 / 1 6 4 / 0 7 5', or JSON")] = None,
    k: Annotated[int | None, typer.Option("--k", help="state: a scramble of k random moves")] = None,
    seed: Annotated[int, typer.Option(help="seed of the scramble")] = 0,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of the scramble")] = None,
    goal: Goal = None,
    path: Annotated[
        str | None, typer.Option(help="draw every state along these moves, beginning with the state")
    ] = None,
    facelets: Annotated[bool, typer.Option("--facelets", help="name the colour of every facelet")] = False,
    numbers: Annotated[bool, typer.Option("--numbers", help="number the facelets of each face, from 0")] = False,
    caption: Annotated[str | None, typer.Option(help="a line of text below the picture")] = None,
    output: Annotated[
        Path | None, typer.Option(help="file to write: .svg, .png or .pdf; left out: SVG to standard output")
    ] = None,
    transparent: Annotated[bool, typer.Option("--transparent", help="draw no background")] = False,
    as_json: Json = False,
) -> None:
    """Draw a state: the solved one, or that of an alg, of a state or of a scramble.

    Example: hstar picture megaminx --alg "U R2'" --output megaminx.svg
    """
    with refusing():
        check_picture("--output", output)
        board = get_puzzle(puzzle, read_goal(goal))
        given = {"--alg": alg, "--state": state, "--k": k}
        if numbers and facelets:
            raise InvalidRequest("these options cannot be combined", [Fault("--numbers and --facelets", "give one")])
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) > 1:
            raise InvalidRequest("expected one state to draw", [Fault(" and ".join(chosen), "give only one of them")])
        shown = board.solved
        if state is not None:
            shown = board.parse_state(read_state(state))
        elif alg is not None:
            shown = board.apply_alg(shown, board.parse_alg(alg))
        elif k is not None:
            shown = board.apply_alg(shown, make_scramble(board, k, seed, scramble_moves).alg)
        if path is None:
            labels: Labels = "numbers" if numbers else "facelets" if facelets else "faces"
            drawn = pictures.draw(board, shown, caption=caption, labels=labels, transparent=transparent)
        else:
            drawn = pictures.draw_path(board, shown, board.parse_alg(path), transparent=transparent)
        if output is not None:
            write_picture("--output", output, drawn)
    if as_json:
        print_json({"svg": drawn} if output is None else {"file": str(output)})
    elif output is None:
        sys.stdout.write(drawn)


def write_picture(option: str, path: Path, svg: str) -> None:
    """Write a picture into a file; the ending of its name is the type."""
    data = picture_file(svg, cast(FileFormat, path.suffix.lower().removeprefix(".")))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidRequest("cannot write the output file", [Fault(option, why(error))]) from None
