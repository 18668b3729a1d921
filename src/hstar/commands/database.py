"""``hstar database``: build pattern databases in advance, list those that are kept, and check them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
from rich.table import Table

from hstar.commands.remote import Server, answered, asking, only_here
from hstar.commands.statuses import Status
from hstar.commands.terminal import (
    ApiKey,
    Goal,
    Json,
    PuzzleName,
    err,
    out,
    print_json,
    read_goal,
    refusing,
    shows_progress,
)
from hstar.databases import watching
from hstar.databases.files import Kept, directory, kept_files
from hstar.databases.requests import BuiltDatabase, DatabaseRequest, describe, find

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Pattern databases, which heuristics look up.")


@app.callback()
def _database() -> None:
    """Pattern databases, which heuristics look up."""


@app.command()
def build(
    puzzle: PuzzleName,
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="as in pdb(...): such as corners:4, cosets, or 6-6-3 of the tiles")
    ],
    moves: Annotated[str | None, typer.Option(help="move set; the distances depend on it")] = None,
    goal: Goal = None,
    limit_memory_mib: Annotated[int | None, typer.Option(help="refuse to build if it needs more memory", min=1)] = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Build the tables that do not exist yet. Searches find them in HSTAR_DATABASES, or in the user's cache.

    Ctrl-C ends the build, and leaves nothing of a table that is not complete.

    Example: hstar database build megaminx corners:3 --moves ccw
    """
    with refusing():
        request = DatabaseRequest.model_validate(
            {"puzzle": puzzle, "goal": read_goal(goal), "pattern": pattern, "moves": moves}
        )
        if server is not None:
            only_here({"--limit-memory-mib": limit_memory_mib})
            with asking(server, api_key) as client:
                built = answered(client, "/v1/databases", request, BuiltDatabase)
        else:
            databases = find(request, limit_memory_mib)
            began = time.monotonic()
            with _progress():
                databases.load()
            built = describe(databases, request, time.monotonic() - began)
    if as_json:
        print_json(built)
    else:
        _print(built)


@app.command("list")
def list_kept(
    check: Annotated[
        bool, typer.Option("--check", help="read them all, and remove those that are damaged or old")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the tables that are kept on this machine, the largest first.

    A table is checked when it was built, and when something has written to its file. `--check` reads all bytes of all
    tables, which also finds damage on a failing disk. What is removed is built again when it is needed.
    """
    kept = sorted(kept_files(check), key=lambda one: -one.bytes)
    if as_json:
        print_json({"items": [asdict(one) for one in kept]})
        _end(kept)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("table", "MiB", "last used", *(["state"] if check else [])):
        table.add_column(column, overflow="fold", justify="right" if column == "MiB" else "left")
    for one in kept:
        day = datetime.fromtimestamp(one.used, UTC).strftime("%Y-%m-%d %H:%M")
        state = ["whole" if one.whole else "damaged or old, removed"] if check else []
        table.add_row(escape(one.name), f"{one.bytes / 2**20:,.1f}", day, *state)
    out.print(table)
    out.print(f"{len(kept)} tables, {sum(one.bytes for one in kept) / 2**20:,.1f} MiB in {escape(str(directory()))}")
    _end(kept)


def _end(kept: Sequence[Kept]) -> None:
    if any(one.whole is False for one in kept):
        raise typer.Exit(Status.WRONG)


@contextmanager
def _progress() -> Iterator[None]:
    """On a terminal: a bar for the table that is being built."""
    if not shows_progress():
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
