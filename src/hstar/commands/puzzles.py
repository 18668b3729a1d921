"""``hstar puzzles`` and ``hstar perft``: the puzzles, and the number of states at each distance."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from hstar.commands.terminal import Goal, Json, PuzzleName, out, print_json, read_goal, refusing
from hstar.features import describe
from hstar.puzzles import get_puzzle, puzzle_names
from hstar.puzzles.added import definitions
from hstar.search.perft import perft as count_states


def puzzles(
    name: Annotated[str | None, typer.Argument(help="describe this puzzle")] = None, as_json: Json = False
) -> None:
    """List the puzzles, or describe one: faces, orbits, move sets, features, number of states.

    Example: hstar puzzles megaminx
    """
    with refusing():
        described = [describe(get_puzzle(n)) for n in ([name] if name else [*puzzle_names(), *definitions().names()])]
    if as_json:
        print_json(described[0] if name else described)
        return
    for puzzle in described:
        table = Table(title=puzzle["title"], title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
        table.add_row("name", puzzle["name"])
        table.add_row(
            "states",
            "not known"
            if puzzle["state_count"] is None
            else f"{int(puzzle['state_count']):,}"
            if len(puzzle["state_count"]) < 30
            else f"{float(puzzle['state_count']):.4g}",
        )
        for m in puzzle["move_sets"]:
            table.add_row(
                f"move set {m}", f"{puzzle['move_sets'][m]['count']} moves: {puzzle['move_sets'][m]['description']}"
            )
        for feature, meaning in puzzle["features"].items():
            table.add_row("feature", escape(f"{feature}: {meaning}"))
        for face in puzzle.get("faces", []) if name else []:
            around = " ".join(face.get("neighbours", ()))
            more = f", opposite {face['opposite']}, clockwise {around}" if around else ""
            table.add_row(f"face {face['name']}", face["colour"] + more)
        out.print(table)
        out.print()


def perft(
    puzzle: PuzzleName,
    depth: Annotated[int, typer.Option(help="largest distance to count")],
    moves: Annotated[str | None, typer.Option(help="move set")] = None,
    goal: Goal = None,
    as_json: Json = False,
) -> None:
    """Print the number of distinct states at each distance from solved.

    Example: hstar perft 8-puzzle --depth 10
    """
    with refusing():
        board = get_puzzle(puzzle, read_goal(goal))
        move_set = board.move_set(moves)
        counts = []
        for distance, count in enumerate(count_states(board, move_set, depth)):
            counts.append(count)
            if not as_json:
                out.print(f"{distance:3} {count:,}")
    if as_json:
        print_json({"puzzle": board.name, "moves": move_set.name, "depth": depth, "counts": counts})
