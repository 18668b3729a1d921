"""The command line. No server needed; ``--json`` prints the API's objects.

Exit status, in every command: 0 solved, answered or not refuted; 1 a search ended without a solution, or a heuristic or
a claim is refuted; 2 the input was refused; 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
from rich.table import Table

from hstar import __version__, algs, pictures, schema, search
from hstar.commands.answer import SERVICE_FIELDS, print_answer
from hstar.commands.audit import app as audit
from hstar.commands.compare import compare_experiments
from hstar.commands.database import app as database
from hstar.commands.experiment import experiment
from hstar.commands.grade import grade
from hstar.commands.heuristics import check, heuristics
from hstar.commands.keys import app as keys
from hstar.commands.system import system
from hstar.commands.terminal import FAILED, INTERRUPTED, Goal, Json, PuzzleName, check_svg, err, out, write_text
from hstar.commands.terminal import print_json as _print_json
from hstar.commands.terminal import read_goal as _read_goal
from hstar.commands.terminal import read_labels as _read_labels
from hstar.commands.terminal import read_state as _read_state
from hstar.commands.terminal import refusing as _refusing
from hstar.commands.verify import verify
from hstar.errors import Fault, InvalidRequest, UnknownName
from hstar.features import describe
from hstar.labels import named
from hstar.puzzles import get_puzzle, make_scramble, puzzle_names
from hstar.search.algorithms import ALGORITHMS
from hstar.search.perft import perft as count_states

ALGORITHM_NAMES = [*ALGORITHMS, "auto"]

STATUSES = """Exit status: 0 solved or answered; 1 a search ended without a solution, or something is refuted;
2 the input was refused; 130 interrupted."""

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=STATUSES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"hstar {__version__}")
        raise typer.Exit


@app.callback()
def _hstar(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="print the version and leave"),
    ] = False,
) -> None:
    """Solve permutation puzzles and sliding tiles, prove solutions optimal and heuristics admissible, count every node.

    Example: hstar solve megaminx --k 7 --moves ccw --heuristic s1-misplaced-facelets
    """


app.command()(experiment)
app.command("compare")(compare_experiments)
app.command()(system)
app.command()(check)
app.command()(heuristics)
app.command()(verify)
app.add_typer(audit, name="audit")
app.command()(grade)
app.add_typer(database, name="database")
app.add_typer(keys, name="keys")


@app.command()
def solve(
    puzzle: PuzzleName,
    alg: Annotated[str | None, typer.Option(help='start: moves from solved, such as "U R2\'"')] = None,
    state: Annotated[
        str | None, typer.Option(help="start: a board such as '2 8 3 / 1 6 4 / 0 7 5', JSON, a file of either, or -")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="start: a scramble of k random moves")] = None,
    random: Annotated[bool, typer.Option("--random", help="start: a uniformly random state, from the seed")] = False,
    seed: Annotated[int, typer.Option(help="seed of the scramble, or of the random state")] = 0,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of the scramble")] = None,
    target: Annotated[str | None, typer.Option(help="state to come to instead of solved, as JSON")] = None,
    moves: Annotated[str | None, typer.Option(help="move set to solve with; `hstar puzzles PUZZLE` lists them")] = None,
    heuristic: Annotated[str | None, typer.Option(help="a name or an expression over features")] = None,
    weight: Annotated[float, typer.Option(help="f = g + weight * h")] = 1.0,
    tie_breaking: Annotated[str, typer.Option(help="low_h, lifo, fifo or (astar) batch")] = "low_h",
    algorithm: Annotated[str, typer.Option(help=", ".join(ALGORITHM_NAMES))] = "astar",
    goal: Goal = None,
    labels: Annotated[
        Path | None, typer.Option(help="JSON file with each face's clockwise neighbours in names of your own")
    ] = None,
    limit_expanded: Annotated[int | None, typer.Option(help="stop after so many expansions")] = None,
    limit_generated: Annotated[int | None, typer.Option(help="stop after so many generated nodes")] = None,
    limit_seconds: Annotated[float | None, typer.Option(help="stop after so many seconds")] = None,
    limit_memory_mib: Annotated[
        int | None, typer.Option(help="memory for nodes, table and open list (default 1024)")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="for IDA* over pattern databases")] = 1,
    picture: Annotated[Path | None, typer.Option(help="also draw the states along the solution into this SVG")] = None,
    as_json: Json = False,
) -> None:
    """Find a solution, and say how good it is proven to be. Ctrl-C ends the search and prints what it proved.

    Pattern databases that the search needs are computed on first use, which may take a while, and kept.

    Example: hstar solve 8-puzzle --state '2 8 3 / 1 6 4 / 0 7 5' --heuristic manhattan
    """
    with _refusing():
        starts = {"--alg": alg, "--state": state, "--k": k, "--random": random or None}
        given = [name for name, start in starts.items() if start is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise InvalidRequest(
                "which state is the start?", [Fault("", f"give one of --alg, --state, --k and --random; found {found}")]
            )
        if algorithm not in ALGORITHM_NAMES:
            raise UnknownName("algorithm", algorithm, ALGORITHM_NAMES)
        check_svg("--picture", picture)
        fields: dict[str, Any] = {
            "puzzle": puzzle, "goal": _read_goal(goal), "labels": _read_labels(labels), "state": _read_state(state),
            "alg": alg, "moves": moves,
            "random": seed if random else None, "target": _read_state(target),
            "scramble": None if k is None else schema.ScrambleIn(k=k, seed=seed, moves=scramble_moves),
            "algorithm": algorithm, "weight": weight, "heuristic": heuristic, "tie_breaking": tie_breaking,
            "limits": schema.LimitsIn(
                expanded=limit_expanded, generated=limit_generated, seconds=limit_seconds, memory_mib=limit_memory_mib
            ),
        }  # fmt: skip
        problem = search.prepare(schema.SolveRequest(**fields))
        result = _run(problem, threads)
    answer = named(search.answer(problem, result))
    if picture is not None and result.solution is not None:
        with _refusing():
            write_text("--picture", picture, pictures.draw_path(problem.puzzle, problem.start, result.solution))
    if as_json:
        _print_json(answer.model_dump(mode="json", exclude=SERVICE_FIELDS))
    else:
        print_answer(answer, given_goal=goal is not None, verdicts=result.strategy.heuristic.verdicts(problem.moves))
    if result.status == "cancelled":
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if result.status == "solved" else FAILED)


def _run(problem: search.Problem, threads: int) -> search.Result:
    """Search in a thread of its own, so that Ctrl-C and the progress line work."""
    control = search.Control()
    before = signal.signal(signal.SIGINT, lambda *_: control.cancel())
    try:
        with _progress() as show, ThreadPoolExecutor(1) as pool:
            running = pool.submit(search.solve, problem, control, threads)
            while not wait([running], timeout=0.2).done:
                show(search.progress(problem, control))
            return running.result()
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress() -> Iterator[Callable[[schema.Progress], None]]:
    """On a terminal: a bar for each pattern database that is built, and a line while the search runs."""
    if not err.is_terminal:
        yield lambda _: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=err, transient=True) as bars:
        line = bars.add_task("searching", total=None)

        def show(now: schema.Progress) -> None:
            if now.building is None:
                text = f"{now.expanded:,} expanded, h* >= {now.lower_bound}, {now.bytes / 2**20:,.0f} MiB"
                if now.best_length is not None:
                    text += f", best {now.best_length}"
                bars.update(line, description=text, total=None)
            else:
                done = now.built or 0.0
                bars.update(line, description=f"building {now.building}", completed=done, total=1.0)

        yield show


@app.command()
def scramble(
    puzzle: PuzzleName,
    k: Annotated[int | None, typer.Option("--k", help="number of random moves")] = None,
    random: Annotated[bool, typer.Option("--random", help="moves to a uniformly random state instead")] = False,
    seed: Annotated[int, typer.Option(help="any integer from 0 to 2^63 - 1")] = 0,
    moves: Annotated[str | None, typer.Option(help="move set to draw from")] = None,
    count: Annotated[int | None, typer.Option(min=1, max=10_000, help="so many, with the seeds that follow")] = None,
    goal: Goal = None,
    as_json: Json = False,
) -> None:
    """Print k random moves, or moves to a random state, the same on every machine for the same seed.

    Example: hstar scramble megaminx --k 8 --seed 1 --count 5
    """
    with _refusing():
        if random == (k is not None):
            raise InvalidRequest(
                "missing option --k, such as --k 20 (or --random)" if k is None else "give --k or --random, not both"
            )
        board = get_puzzle(puzzle, _read_goal(goal))
        made: list[schema.Scramble | algs.RandomScramble] = [
            algs.random_scramble(board, seed + number, moves)
            if k is None
            else make_scramble(board, k, seed + number, moves)
            for number in range(count or 1)
        ]
    if as_json:
        _print_json(made[0] if count is None else [one.model_dump(mode="json") for one in made])
        return
    for one in made:
        out.print(board.format_alg(one.alg), markup=False, soft_wrap=True)


@app.command()
def shorten(
    puzzle: PuzzleName,
    alg: Annotated[str, typer.Option(help="the alg, of up to 10,000 moves")],
    moves: Annotated[str | None, typer.Option(help="move set that the shorter one may use")] = None,
    limit_seconds: Annotated[float, typer.Option(min=0, help="stop after so many seconds")] = 10.0,
) -> None:
    """Print a shorter alg with the same effect, as short as the time allows.

    Example: hstar shorten 3x3x3 --alg "R U R' U' R U R' U' R U R' U'"
    """
    with _refusing():
        board = get_puzzle(puzzle)
        limits = schema.LimitsIn(seconds=limit_seconds)
        out.print(
            board.format_alg(algs.shorten(board, board.parse_alg(alg), moves, limits)), markup=False, soft_wrap=True
        )


@app.command()
def compose(
    puzzle: PuzzleName,
    states: Annotated[list[str], typer.Argument(help="states as JSON, or algs; the first one first")],
) -> None:
    """Print the state that algs of these states, one after the other, lead to from solved.

    Example: hstar compose 3x3x3 "R U" "F2"
    """
    with _refusing():
        board = get_puzzle(puzzle)
        together = board.solved
        for text in states:
            if text.lstrip()[:1] == "{":
                state = board.parse_state(_read_state(text))
            else:
                state = board.apply_alg(board.solved, board.parse_alg(text))
            together = search.compose(board, together, state)
    _print_json(board.format_state(together))


@app.command()
def puzzles(
    name: Annotated[str | None, typer.Argument(help="one puzzle, in full")] = None, as_json: Json = False
) -> None:
    """List the puzzles, or describe one: faces, orbits, move sets, features, number of states.

    Example: hstar puzzles megaminx
    """
    with _refusing():
        described = [describe(get_puzzle(n)) for n in ([name] if name else puzzle_names())]
    if as_json:
        _print_json(described[0] if name else described)
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
            around = " ".join(face["neighbours"])
            table.add_row(f"face {face['name']}", f"{face['colour']}, opposite {face['opposite']}, clockwise {around}")
        out.print(table)
        out.print()


@app.command()
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
    with _refusing():
        board = get_puzzle(puzzle, _read_goal(goal))
        move_set = board.move_set(moves)
        counts = []
        for distance, count in enumerate(count_states(board, move_set, depth)):
            counts.append(count)
            if not as_json:
                out.print(f"{distance:3} {count:,}")
    if as_json:
        _print_json({"puzzle": board.name, "moves": move_set.name, "depth": depth, "counts": counts})


@app.command()
def picture(
    puzzle: PuzzleName,
    alg: Annotated[str | None, typer.Option(help='state: moves from solved, such as "U R2\'"')] = None,
    state: Annotated[str | None, typer.Option(help="state: a board such as '2 8 3 / 1 6 4 / 0 7 5', or JSON")] = None,
    k: Annotated[int | None, typer.Option("--k", help="state: a scramble of k random moves")] = None,
    seed: Annotated[int, typer.Option(help="seed of the scramble")] = 0,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of the scramble")] = None,
    goal: Goal = None,
    path: Annotated[str | None, typer.Option(help="draw every state along these moves, from the state on")] = None,
    facelets: Annotated[bool, typer.Option("--facelets", help="name the colour of every facelet")] = False,
    caption: Annotated[str | None, typer.Option(help="a line of text below the picture")] = None,
    output: Annotated[Path | None, typer.Option(help="SVG file to write; left out: standard output")] = None,
) -> None:
    """Draw a state as SVG: the solved one, or that of an alg, of a state or of a scramble.

    Example: hstar picture megaminx --alg "U R2'" --output megaminx.svg
    """
    with _refusing():
        check_svg("--output", output)
        board = get_puzzle(puzzle, _read_goal(goal))
        given = {"--alg": alg, "--state": state, "--k": k}
        chosen = [name for name, value in given.items() if value is not None]
        if len(chosen) > 1:
            raise InvalidRequest("there is one state to draw", [Fault(" and ".join(chosen), "give only one of them")])
        shown = board.solved
        if state is not None:
            shown = board.parse_state(_read_state(state))
        elif alg is not None:
            shown = board.apply_alg(shown, board.parse_alg(alg))
        elif k is not None:
            shown = board.apply_alg(shown, make_scramble(board, k, seed, scramble_moves).alg)
        if path is None:
            drawn = pictures.draw(board, shown, caption=caption, labels="facelets" if facelets else "faces")
        else:
            drawn = pictures.draw_path(board, shown, board.parse_alg(path))
        if output is None:
            sys.stdout.write(drawn)
        else:
            write_text("--output", output, drawn)


def main() -> None:
    """Entry point of the ``hstar`` command."""
    try:
        app(standalone_mode=True)
    except BrokenPipeError:  # the reader of a pipe has gone: `hstar puzzles | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
