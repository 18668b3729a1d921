"""``hstar puzzle``: definitions of the user's own puzzles, here or on a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hstar.client import Client
from hstar.commands.remote import Server
from hstar.commands.terminal import ApiKey, Json, out, print_json, refusing
from hstar.errors import Fault, InvalidRequest, UnknownName
from hstar.features import describe
from hstar.puzzles import DefinedPuzzle, added_puzzle, get_puzzle
from hstar.puzzles.added import Folder, bare_name
from hstar.puzzles.formats import MAX_TEXT, read_any_definition

app = typer.Typer(no_args_is_help=True, help="Puzzles of your own: add, list, show and remove definitions.")


@app.command()
def add(
    file: Annotated[str, typer.Argument(metavar="FILE", help="the definition; - is standard input")],
    name: Annotated[str | None, typer.Option(help="the puzzle's name; left out: the one in the definition")] = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Add a puzzle, or change its definition. Commands then accept its name.

    FILE is KPuzzle JSON of cubing.js, a definition of twsearch (.tws), generators of GAP, or generators as lists.

    Example: hstar puzzle add ring.json --name ring
    """
    with refusing():
        definition = read_any_definition(_read(file), name)
        puzzle = added_puzzle(definition)
        if server is not None:
            with Client(server, api_key) as client:
                made = client.add_puzzle(definition)
        else:
            Folder().add(definition)
            made = describe(puzzle)
    if as_json:
        print_json(made)
        return
    out.print(f"{escape(made['name'])}", soft_wrap=True)
    pieces = ", ".join(f"{orbit.name} {orbit.pieces} x {orbit.orientations}" for orbit in puzzle.orbits)
    out.print(f"pieces x orientations: {escape(pieces)}", soft_wrap=True)
    count = puzzle.state_count
    out.print(f"states: {'not known, as pieces are identical' if count is None else f'{count:,}'}", soft_wrap=True)
    for own in puzzle.move_sets.values():
        chosen = " (default)" if own.name == puzzle.default_moves else ""
        out.print(f"move set {escape(own.name)}: {len(own.moves)} moves{chosen}", soft_wrap=True)


@app.command("list")
def list_puzzles(server: Server = None, api_key: ApiKey = None, as_json: Json = False) -> None:
    """List the puzzles that were added, with the fingerprints of their definitions."""
    with refusing():
        if server is not None:
            with Client(server, api_key) as client:
                names = client.added_puzzles()
        else:
            names = [get_puzzle(name).name for name in Folder().names()]
    if as_json:
        print_json({"items": names})
    for name in names if not as_json else ():
        out.print(escape(name), soft_wrap=True)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Print the definition of a puzzle as KPuzzle JSON: of an added puzzle, or of a built-in one that has a
    definition."""
    with refusing():
        if server is not None:
            with Client(server, api_key) as client:
                definition = client.describe_puzzle(name).get("definition")
        else:
            puzzle = get_puzzle(name)
            definition = puzzle.describe().get("definition") if isinstance(puzzle, DefinedPuzzle) else None
        if definition is None:
            raise InvalidRequest(
                f"{name} has no definition as data", [Fault("", "this puzzle has no definition to print")]
            )
    print_json(definition)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Remove a puzzle's name. On a server, results under its full name stay."""
    with refusing():
        if server is not None:
            with Client(server, api_key) as client:
                client.remove_puzzle(name)
        elif not Folder().remove(bare_name(name)):
            raise UnknownName("added puzzle", name, Folder().names())
    if as_json:
        print_json({"removed": bare_name(name)})
        return
    out.print(f"{escape(bare_name(name))} is removed", soft_wrap=True)


def _read(file: str) -> str:
    try:
        if file == "-":
            text = sys.stdin.read(MAX_TEXT + 1)
        else:
            with Path(file).open(encoding="utf-8") as opened:
                text = opened.read(MAX_TEXT + 1)
    except UnicodeDecodeError as error:
        text = f"byte {error.start} is not of a text in UTF-8: save the file in this encoding"
        raise InvalidRequest(f"cannot read {file}", [Fault("", text)]) from None
    except OSError as error:
        raise InvalidRequest(f"cannot read {file}", [Fault("", error.strerror or str(error))]) from None
    return text
