"""The command line. No server needed; ``--json`` prints the API's objects.

The exit statuses are in `hstar.commands.statuses`.

A command's module is imported when the command is called, so that no command waits for the libraries of another. The
list of commands in the help is read from their sources.
"""

from __future__ import annotations

import ast
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from hstar import __version__
from hstar.commands import statuses

#: the commands in the order of the help: the module in `hstar.commands`, and the function or group in it
COMMANDS = {
    "solve": ("solve", "solve"),
    "plan": ("plan", "plan"),
    "check": ("heuristics", "check"),
    "experiment": ("experiment", "experiment"),
    "compare": ("compare", "compare_experiments"),
    "verify": ("verify", "verify"),
    "audit": ("audit", "app"),
    "grade": ("grade", "grade"),
    "course": ("course", "app"),
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
    "unpack": ("unpack", "unpack"),
    "keys": ("keys", "app"),
    "serve": ("serve", "serve"),
    "store": ("serve", "store"),
}

#: for a command whose arguments another program reads
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


class _Imported(Mapping[str, Any]):
    """The commands of `COMMANDS` by name, each imported when it is needed."""

    def __getitem__(self, name: str) -> Any:
        module, attribute = COMMANDS[name]
        found = getattr(import_module(f"hstar.commands.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            found, function = typer.Typer(add_completion=False), found
            found.command(name, context_settings=PASSED_ON if name == "store" else None)(function)
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

    def invoke(self, ctx: Any) -> Any:
        as_json = "--json" in ctx.args
        try:
            return super().invoke(ctx)
        except typer.Abort:  # standard input ended at a question
            raise typer.Exit(statuses.Status.INTERRUPTED) from None
        except typer.TyperException as error:
            from pydantic import ValidationError

            from hstar.errors import in_words

            if isinstance(error, typer.BadParameter) and isinstance(error.__cause__, ValidationError):
                error.message = "; ".join(in_words(detail) for detail in error.__cause__.errors())
            if as_json and hasattr(error, "format_message"):
                from hstar.commands.terminal import refuse_as_json

                refuse_as_json("invalid-request", error.format_message(), [])
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        imported = self.commands
        self.commands = {name: TyperCommand(name, help=help_of(name)) for name in COMMANDS}
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = imported


def help_of(name: str) -> str:
    """The help of a command from its source, because importing all commands takes half a second."""
    module, attribute = COMMANDS[name]
    source = Path(__file__).parent / "commands" / f"{module}.py"
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=found) if found == attribute:
                return ast.get_docstring(node) or ""
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Call(keywords=keywords)) if found == attribute:
                return "".join(ast.literal_eval(one.value) for one in keywords if one.arg == "help")
    raise LookupError(name)


app = typer.Typer(
    cls=_Hstar,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=statuses.line(),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"hstar {__version__}\n")
        raise typer.Exit


def _set_color(when: str) -> str:
    """Say it to Rich, which reads these variables when the first command's module is imported, after this."""
    if when == "always":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1"
    elif when == "never":
        os.environ.pop("FORCE_COLOR", None)
        os.environ["NO_COLOR"] = "1"
    return when


def _be_quiet(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        from hstar.commands.terminal import be_quiet

        be_quiet(context)
    return wanted


@app.callback()
def _hstar(
    color: Annotated[
        Literal["auto", "always", "never"],
        typer.Option(callback=_set_color, is_eager=True, help="colours; auto: at a terminal, if NO_COLOR is not set"),
    ] = "auto",
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", callback=_be_quiet, help="print the answer and errors, and nothing else")
    ] = False,
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
    except Exception:
        traceback.print_exc()
        sys.exit(statuses.Status.FAULT)


if __name__ == "__main__":
    main()
