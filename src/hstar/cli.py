"""The command line. No server needed; ``--json`` prints the API's objects.

Exit status, in every command: 0 solved, answered or not refuted; 1 a search ended without a solution, or a heuristic or
a claim is refuted; 2 the input was refused; 130 interrupted by Ctrl-C.

A command's module is imported when the command is called, so that no command waits for the libraries of another.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hstar import __version__

#: the commands in the order of the help: the module in `hstar.commands`, and the function or group in it
COMMANDS = {
    "solve": ("solve", "solve"),
    "check": ("heuristics", "check"),
    "experiment": ("experiment", "experiment"),
    "compare": ("compare", "compare_experiments"),
    "verify": ("verify", "verify"),
    "audit": ("audit", "app"),
    "grade": ("grade", "grade"),
    "scramble": ("algs", "scramble"),
    "shorten": ("algs", "shorten"),
    "compose": ("algs", "compose"),
    "picture": ("picture", "picture"),
    "puzzles": ("puzzles", "puzzles"),
    "puzzle": ("puzzle", "app"),
    "heuristics": ("heuristics", "heuristics"),
    "perft": ("puzzles", "perft"),
    "system": ("system", "system"),
    "database": ("database", "app"),
    "keys": ("keys", "app"),
}

STATUSES = """Exit status: 0 solved or answered; 1 a search ended without a solution, or something is refuted;
2 the input was refused; 130 interrupted."""


class _Imported(Mapping[str, Any]):
    """The commands of `COMMANDS` by name, each imported when it is needed."""

    def __getitem__(self, name: str) -> Any:
        module, attribute = COMMANDS[name]
        found = getattr(import_module(f"hstar.commands.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            found, function = typer.Typer(add_completion=False), found
            found.command(name)(function)
        command = typer.main.get_command(found)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Hstar(TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": _Imported()})

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS]


app = typer.Typer(
    cls=_Hstar,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=STATUSES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"hstar {__version__}\n")
        raise typer.Exit


@app.callback()
def _hstar(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="print the version and exit"),
    ] = False,
) -> None:
    """Solve permutation puzzles and sliding tiles, prove solutions optimal and heuristics admissible, count every node.

    Example: hstar solve megaminx --k 7 --moves ccw --heuristic s1-misplaced-facelets
    """


def main() -> None:
    """Entry point of the ``hstar`` command."""
    try:
        app(standalone_mode=True)
    except BrokenPipeError:  # the reader of a pipe has ended: `hstar puzzles | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
