"""``hstar puzzles`` and ``hstar perft``: the puzzles, and the number of states at each distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar.commands.terminal import Goal, Json, PuzzleName, out, print_json, read_goal, refusing
from hstar.databases.building import aside
from hstar.features import describe
from hstar.options import OPTIONS, Scratch
from hstar.puzzles import get_puzzle, puzzle_names
from hstar.puzzles.added import definitions
from hstar.search.control import Control
from hstar.search.perft import count_states

_DIRECTORY = "what memory cannot hold is kept here, and a count that was interrupted goes on from here"


def puzzles(
    name: Annotated[str | None, typer.Argument(help="describe this puzzle")] = None, as_json: Json = False
) -> None:
    """List the puzzles, or describe one: number of states, move sets, features, faces.

    Example: hstar puzzles megaminx
    """
    with refusing():
        described = [describe(get_puzzle(n)) for n in ([name] if name else [*puzzle_names(), *definitions().names()])]
    if as_json:
        print_json(described[0] if name else {"items": described})
        return
    if name is None:
        _print_list(described)
        return
    for puzzle in described:
        table = Table(title=puzzle["title"], title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
        table.add_row("name", puzzle["name"])
        table.add_row("states", _count(puzzle["state_count"]))
        for m in puzzle["move_sets"]:
            table.add_row(
                f"move set {m}", f"{puzzle['move_sets'][m]['count']} moves: {puzzle['move_sets'][m]['description']}"
            )
        for feature, meaning in puzzle["features"].items():
            table.add_row("feature", escape(f"{feature}: {meaning}"))
        for face in puzzle.get("faces", []):
            around = " ".join(face.get("neighbours", ()))
            more = f", opposite {face['opposite']}, clockwise {around}" if around else ""
            table.add_row(f"face {face['name']}", face["colour"] + more)
        out.print(table)
        out.print()


def _print_list(described: Sequence[Mapping[str, Any]]) -> None:
    """A line for each puzzle."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("name", "states", "move sets (the usual one first)"):
        table.add_column(heading)
    for puzzle in described:
        usual = puzzle["default_moves"]
        others = [name for name in puzzle["move_sets"] if name != usual]
        table.add_row(puzzle["name"], _count(puzzle["state_count"]), ", ".join([usual, *others]))
    out.print(table)


def _count(text: str | None) -> str:
    if text is None:
        return "not known"
    return f"{int(text):,}" if len(text) < 15 else f"{Decimal(text):.2e}"


def perft(
    puzzle: PuzzleName,
    depth: Annotated[int | None, typer.Option(help="largest distance to count; left out: all states")] = None,
    moves: Annotated[str | None, typer.Option(help="move set")] = None,
    goal: Goal = None,
    limit_memory_mib: Annotated[int, typer.Option(help="most MiB for layers, or for all states", min=1)] = 1024,
    threads: Annotated[int, typer.Option(help="on so many cores", min=1, max=64)] = 1,
    directory: Annotated[str | None, typer.Option(help=_DIRECTORY)] = None,
    disk_mib: Annotated[int, typer.Option(help=OPTIONS["disk_mib"].help, min=1)] = OPTIONS["disk_mib"].default,
    as_json: Json = False,
) -> None:
    """Print the number of distinct states at each distance from solved.

    All states are counted with two bits for each, if they can be numbered and that fits into the memory.

    Example: hstar perft 8-puzzle --depth 10
    """
    with refusing():
        board = get_puzzle(puzzle, read_goal(goal))
        move_set = board.move_set(moves)
        scratch = None if directory is None else Scratch(directory, disk_mib)
        control = Control()
        counts = aside(
            lambda: count_states(
                board, move_set, depth,
                memory_mib=limit_memory_mib, threads=threads, scratch=scratch, control=control,
            ),
            stop=control.cancel,
        )  # fmt: skip
    if as_json:
        print_json({"puzzle": board.name, "moves": move_set.name, "depth": depth, "counts": counts})
        return
    for distance, count in enumerate(counts):
        out.print(f"{distance:3} {count:,}")
