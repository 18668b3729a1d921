"""``hstar solve``: find a solution, and say how good it is proven to be."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

from hstar import pictures, schema, search
from hstar.certificates import Refused
from hstar.certificates.proofs import can_certify, write_file
from hstar.commands.answer import SERVICE_FIELDS, print_answer
from hstar.commands.certificates import certifying_unsolvable
from hstar.commands.options import taking_options
from hstar.commands.picture import write_picture
from hstar.commands.remote import Server, asking, only_here
from hstar.commands.statuses import Status
from hstar.commands.terminal import (
    ApiKey,
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
    shows_progress,
)
from hstar.errors import Fault, InvalidRequest, UnknownName
from hstar.heuristics.analysis import Verdicts
from hstar.labels import named
from hstar.options import LocalOptions, flag_of
from hstar.search import ALGORITHMS


@taking_options()
def solve(
    puzzle: PuzzleName,
    alg: Annotated[str | None, typer.Option(help='start: moves from solved, such as "U R2\'"')] = None,
    state: Annotated[
        str | None, typer.Option(help="start: a board such as '2 8 3 / 1 6 4 / 0 7 5', JSON, a file of either, or -")
    ] = None,
    k: Annotated[int | None, typer.Option("--k", help="start: a scramble of k random moves")] = None,
    random: Annotated[bool, typer.Option("--random", help="start: a uniformly random state, from the seed")] = False,
    shorten: Annotated[str | None, typer.Option(help="start: an alg; a solution has the same effect")] = None,
    seed: Annotated[int, typer.Option(help="seed of the scramble, or of the random state")] = 0,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of the scramble")] = None,
    target: Annotated[str | None, typer.Option(help="state to reach instead of the solved one, as JSON")] = None,
    moves: Annotated[str | None, typer.Option(help="move set to solve with; `hstar puzzles PUZZLE` lists them")] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help=f"{', '.join(ALGORITHMS)} (default astar; plan with a plan, anytime to shorten; auto of clock, "
            "anytime of square1)"
        ),
    ] = None,
    goal: Goal = None,
    labels: Annotated[
        Path | None, typer.Option(help="JSON file with each face's clockwise neighbours in names of your own")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="also draw the states along the solution: FILE.svg, .png or .pdf")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="also write a proof of the answer to this file, for checker/check.py")
    ] = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
    *,
    options: dict[str, Any],
    limits: dict[str, Any],
) -> None:
    """Find a solution, and say how good it is proven to be. Ctrl-C ends the search and prints what it proved.

    Pattern databases are computed when a search first needs them, within its limit of seconds, and then kept.

    Example: hstar solve 8-puzzle --state '2 8 3 / 1 6 4 / 0 7 5' --heuristic manhattan
    """
    began = time.monotonic()
    with refusing():
        starts = {"--alg": alg, "--state": state, "--k": k, "--random": random or None, "--shorten": shorten}
        given = [name for name, start in starts.items() if start is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise InvalidRequest(
                "expected one start",
                [Fault("", f"give one of --alg, --state, --k, --random and --shorten; found {found}")],
            )
        if algorithm is not None and algorithm not in ALGORITHMS:
            raise UnknownName("algorithm", algorithm, list(ALGORITHMS))
        check_picture("--picture", picture)
        fields: dict[str, Any] = {
            "puzzle": puzzle, "goal": read_goal(goal), "labels": read_labels(labels), "state": read_state(state),
            "alg": alg, "moves": moves, "shorten": shorten,
            "random": seed if random else None, "target": read_state(target),
            "scramble": None if k is None else schema.ScrambleIn(k=k, seed=seed, moves=scramble_moves),
            "limits": schema.LimitsIn(**limits),
        } | ({} if algorithm is None else {"algorithm": algorithm})  # fmt: skip
        machine = LocalOptions(**{name: options.pop(name) for name in LocalOptions.model_fields if name in options})
        request = schema.SolveRequest(**fields, **options)
        if server is not None:
            own = {flag_of(name): value for name, value in machine if value != getattr(LocalOptions(), name)}
            only_here({"--picture": picture, **own})
            answer = _ask(server, api_key, request, certificate)
            _show(answer, as_json, given_goal=goal is not None, given=options)
            raise typer.Exit(_status(answer))
        with certifying_unsolvable(certificate, request):
            problem = search.prepare(request, costs=True)
        if certificate is not None:
            can_certify(problem)
        result = _run(problem, machine, began, keep=certificate is not None)
    answer = named(search.answer(problem, result))
    if picture is not None and result.solution is not None:
        with refusing():
            write_picture("--picture", picture, pictures.draw_path(problem.puzzle, problem.start, result.solution))
    if certificate is not None:
        with refusing():
            _certify(problem, result, certificate)
    verdicts = result.heuristic.verdicts(problem.moves, deep=False)
    _show(answer, as_json, given_goal=goal is not None, verdicts=verdicts, unbuilt=result.unbuilt, given=options)
    raise typer.Exit(_status(answer))


def _show(answer: schema.Solve, as_json: bool, *, verdicts: Verdicts | None = None, **more: Any) -> None:
    if as_json:
        print_json(answer.model_dump(mode="json", exclude=SERVICE_FIELDS))
        return
    used = answer.heuristic
    print_answer(answer, verdicts=verdicts or Verdicts(used.admissible, used.consistent, used.reason), **more)


def _status(answer: schema.Solve) -> Status:
    """The exit status."""
    if answer.status == "cancelled":
        return Status.INTERRUPTED
    return Status.DONE if answer.outcome == "solved" else Status.UNSOLVED


def _ask(server: str, api_key: str | None, request: schema.SolveRequest, certificate: Path | None) -> schema.Solve:
    """The answer of a server. Ctrl-C cancels the solve there, and its answer has what it proved."""
    asked = request.model_copy(update={"certificate": certificate is not None})
    with asking(server, api_key) as client:
        made = client.submit(asked)
        assert made.id is not None
        answer = client.wait(made.id, progress=shows_progress())
        if answer.status == "failed":
            raise InvalidRequest("the search failed on the server", [Fault("", answer.error or "")])
        told = answer.certificate
        if certificate is not None and told is not None and told.status == "made":
            certificate.write_bytes(client.certificate(made.id))
            err.print(f"certificate: {told.bytes or 0:,} bytes", soft_wrap=True)
        elif certificate is not None:
            err.print(f"no certificate: {escape((told and told.reason) or 'none was made')}", soft_wrap=True)
    return answer


def _certify(problem: search.Problem, result: search.Result, path: Path) -> None:
    """Write the certificate, or say why there is none."""
    try:
        written = write_file(problem, result, path)
    except Refused as refused:
        err.print(f"no certificate: {escape(str(refused))}", soft_wrap=True)
        return
    size = f"{written.states:,} states, {written.bytes:,} bytes"
    err.print(f"certificate: {size}; by {escape(written.by)}", soft_wrap=True)


def _run(problem: search.Problem, machine: LocalOptions, began: float, *, keep: bool) -> search.Result:
    """Search in a thread of its own, so that Ctrl-C and the progress line work."""
    control = search.Control()
    before = signal.signal(signal.SIGINT, lambda *_: control.cancel())
    try:
        with _progress() as show, ThreadPoolExecutor(1) as pool:
            running = pool.submit(
                search.solve, problem, control, machine.threads, began, keep=keep, scratch=machine.scratch
            )
            while not wait([running], timeout=0.1).done:
                show(search.progress(problem, control))
            return running.result()
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress() -> Iterator[Callable[[schema.Progress], None]]:
    """On a terminal: a bar for each pattern database while it is built, and a line while the search runs."""
    if not shows_progress():
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
