"""``hstar solve``: find a solution, and say how good it is proven to be."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

from hstar import pictures, schema, search
from hstar.commands.answer import SERVICE_FIELDS, print_answer
from hstar.commands.picture import write_picture
from hstar.commands.terminal import (
    FAILED,
    INTERRUPTED,
    Goal,
    Json,
    PuzzleName,
    check_picture,
    err,
    print_json,
    read_goal,
    read_labels,
    read_state,
    refusing,
)
from hstar.errors import Fault, InvalidRequest, UnknownName
from hstar.labels import named
from hstar.search.algorithms import ALGORITHMS

ALGORITHM_NAMES = [*ALGORITHMS, "auto"]


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
    target: Annotated[str | None, typer.Option(help="state to reach instead of the solved one, as JSON")] = None,
    moves: Annotated[str | None, typer.Option(help="move set to solve with; `hstar puzzles PUZZLE` lists them")] = None,
    heuristic: Annotated[str | None, typer.Option(help="a name or an expression over features")] = None,
    weight: Annotated[float, typer.Option(help="f = g + weight * h")] = 1.0,
    width: Annotated[int | None, typer.Option(help="states that beam keeps of each layer (default 1000)")] = None,
    tie_breaking: Annotated[str, typer.Option(help="low_h, lifo, fifo or (astar) batch")] = "low_h",
    algorithm: Annotated[str, typer.Option(help=", ".join(ALGORITHM_NAMES))] = "astar",
    goal: Goal = None,
    labels: Annotated[
        Path | None, typer.Option(help="JSON file with each face's clockwise neighbours in names of your own")
    ] = None,
    limit_expanded: Annotated[int | None, typer.Option(help="stop after this many expansions")] = None,
    limit_generated: Annotated[int | None, typer.Option(help="stop after this many generated nodes")] = None,
    limit_seconds: Annotated[float | None, typer.Option(help="stop after this many seconds")] = None,
    limit_memory_mib: Annotated[
        int | None, typer.Option(help="memory for nodes, table and open list (default 1024)")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="for IDA*, also as a part of auto")] = 1,
    picture: Annotated[
        Path | None, typer.Option(help="also draw the states along the solution: FILE.svg, .png or .pdf")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find a solution, and say how good it is proven to be. Ctrl-C ends the search and prints what it proved.

    Pattern databases are computed when a search first needs them, which may take a while, and then kept.

    Example: hstar solve 8-puzzle --state '2 8 3 / 1 6 4 / 0 7 5' --heuristic manhattan
    """
    with refusing():
        starts = {"--alg": alg, "--state": state, "--k": k, "--random": random or None}
        given = [name for name, start in starts.items() if start is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise InvalidRequest(
                "expected one start", [Fault("", f"give one of --alg, --state, --k and --random; found {found}")]
            )
        if algorithm not in ALGORITHM_NAMES:
            raise UnknownName("algorithm", algorithm, ALGORITHM_NAMES)
        check_picture("--picture", picture)
        fields: dict[str, Any] = {
            "puzzle": puzzle, "goal": read_goal(goal), "labels": read_labels(labels), "state": read_state(state),
            "alg": alg, "moves": moves,
            "random": seed if random else None, "target": read_state(target),
            "scramble": None if k is None else schema.ScrambleIn(k=k, seed=seed, moves=scramble_moves),
            "algorithm": algorithm, "weight": weight, "width": width, "heuristic": heuristic,
            "tie_breaking": tie_breaking,
            "limits": schema.LimitsIn(
                expanded=limit_expanded, generated=limit_generated, seconds=limit_seconds, memory_mib=limit_memory_mib
            ),
        }  # fmt: skip
        problem = search.prepare(schema.SolveRequest(**fields))
        result = _run(problem, threads)
    answer = named(search.answer(problem, result))
    if picture is not None and result.solution is not None:
        with refusing():
            write_picture("--picture", picture, pictures.draw_path(problem.puzzle, problem.start, result.solution))
    if as_json:
        print_json(answer.model_dump(mode="json", exclude=SERVICE_FIELDS))
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
    """On a terminal: a bar for each pattern database while it is built, and a line while the search runs."""
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
