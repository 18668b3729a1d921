"""``hstar database build``: build pattern databases in advance."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
from rich.table import Table

from hstar.commands.terminal import Goal, Json, PuzzleName, err, out, print_json, read_goal, refusing
from hstar.databases import watching
from hstar.databases.requests import BuiltDatabase, DatabaseRequest, describe, find

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Pattern databases, which heuristics look up.")


@app.callback()
def _database() -> None:
    """Pattern databases, which heuristics look up."""


@app.command()
def build(
    puzzle: PuzzleName,
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="such as corners:4, or 6-6-3 of the tiles")],
    moves: Annotated[str | None, typer.Option(help="move set; the distances depend on it")] = None,
    goal: Goal = None,
    limit_memory_mib: Annotated[int | None, typer.Option(help="refuse to build if it needs more memory", min=1)] = None,
    as_json: Json = False,
) -> None:
    """Build the tables that do not exist yet. Searches find them in HSTAR_DATABASES, or in the user's cache.

    Ctrl-C ends the build and leaves nothing behind.

    Example: hstar database build megaminx corners:3 --moves ccw
    """
    with refusing():
        request = DatabaseRequest.model_validate(
            {"puzzle": puzzle, "goal": read_goal(goal), "pattern": pattern, "moves": moves}
        )
        databases = find(request, limit_memory_mib)
    began = time.monotonic()
    with _progress():
        databases.load()
    built = describe(databases, request, time.monotonic() - began)
    if as_json:
        print_json(built)
    else:
        _print(built)


@contextmanager
def _progress() -> Iterator[None]:
    """On a terminal: a bar for the table that is being built."""
    if not err.is_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=err, transient=True) as bars:
        line = bars.add_task("looking", total=None)

        def show(what: str, done: int, total: int) -> None:
            bars.update(line, description=f"building {what}", completed=done, total=total or None)

        with watching(show):
            yield


def _print(built: BuiltDatabase) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("heuristic", escape(built.expression))
    table.add_row("puzzle", escape(f"{built.puzzle}, for the moves {built.moves}"))
    table.add_row("states", f"{built.states:,}")
    table.add_row("size", f"{built.bytes / 2**20:,.1f} MiB")
    table.add_row("seconds", f"{built.seconds:.3f}")
    out.print(table)
