"""``hstar check`` and ``hstar heuristics``: is my heuristic admissible, and which heuristics have a name?"""

from __future__ import annotations

import shlex
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from hstar.certificates import verdicts
from hstar.commands.certificates import CertificateFile, write_certificate
from hstar.commands.functions import read_heuristic
from hstar.commands.remote import Server, asking, only_here
from hstar.commands.statuses import Status
from hstar.commands.terminal import ApiKey, Goal, Json, PuzzleName, out, print_json, read_goal, refusing
from hstar.features import feature_docs
from hstar.heuristics import describe_all, describe_named
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest
from hstar.heuristics.check import check as check_heuristic
from hstar.puzzles import get_puzzle


def check(
    puzzle: PuzzleName,
    heuristic: Annotated[
        str, typer.Argument(help="a name from `hstar heuristics`, an expression over features, or FILE.py:FUNCTION")
    ],
    moves: Annotated[str | None, typer.Option(help="move set to solve with; `hstar puzzles PUZZLE` lists them")] = None,
    goal: Goal = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="check every state of a puzzle of up to four million states; takes seconds")
    ] = False,
    certificate: CertificateFile = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Is this heuristic admissible and consistent? If not, on which scramble does it fail?

    Example: hstar check megaminx 'ceil(misplaced_facelets / 15)' --moves ccw
    """
    with refusing():
        read = read_heuristic(heuristic)
        request = HeuristicCheckRequest(puzzle=puzzle, heuristic=read, moves=moves, goal=read_goal(goal))
        if server is None:
            found = check_heuristic(request, whole)
        else:
            only_here({"--whole": whole})
            with asking(server, api_key) as client:
                body = request.model_dump(mode="json", exclude_none=True)
                found = HeuristicCheck.model_validate(client.request("POST", "/v1/heuristics/check", json=body))
        write_certificate(certificate, lambda: verdicts.of_check(request, found))
    if as_json:
        print_json(found)
    else:
        _print_check(found, heuristic)
    raise typer.Exit(Status.WRONG if found.admissible == "refuted" else 0)


def _print_check(found: HeuristicCheck, given: str) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("heuristic", escape(found.expression) + (f"   ({found.name})" if found.name else ""))
    table.add_row("for", f"{found.puzzle}, {found.moves} moves")
    table.add_row("admissible", _verdict(found.admissible))
    table.add_row("consistent", _verdict(found.consistent))
    table.add_row("because", escape(found.reason))
    if found.inconsistency is not None and found.inconsistency.move is not None:
        after, limit = " ".join(found.inconsistency.scramble), "it costs" if ":" in found.moves else "1"
        table.add_row("", escape(f"after {after} the move {found.inconsistency.move} lowers h by more than {limit}"))
    b = found.bounds
    table.add_row("values", f"{b.low:g} to {b.high:g}" + (", integers" if b.integer else ""))
    table.add_row("one move", f"lowers h by at most {b.drop:g}, raises it by at most {b.rise:g}")
    out.print(table)
    out.print(f"\nmean h on {found.scrambles} scrambles of {found.scramble_length} moves:")
    beside = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    beside.add_row(f"{found.mean:.2f}", "[bold]this one[/]", _verdict(found.admissible))
    for other in found.beside:
        if other.name != found.name:
            beside.add_row(f"{other.mean:.2f}", other.name, _verdict(other.admissible))
    out.print(beside)
    if found.counterexample is not None:
        alg = shlex.quote(" ".join(found.counterexample.scramble))
        out.print(
            f"\nsee it: hstar solve {found.puzzle} --alg {alg} --moves {found.moves} --algorithm auto", markup=False
        )
    elif found.admissible == "unknown":
        out.print(
            f"\nsearch further: hstar audit heuristic {found.puzzle} {shlex.quote(given)}",
            markup=False,
            soft_wrap=True,
        )


def _verdict(verdict: str) -> str:
    return {"proven": "[green]proven[/]", "refuted": "[red]refuted[/]"}.get(verdict, verdict)


def heuristics(
    puzzle: Annotated[
        str | None, typer.Argument(help="only heuristics for this puzzle, and the features to write others from")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the heuristics that have a name, and for which move sets they are admissible.

    Example: hstar heuristics megaminx
    """
    with refusing():
        chosen = None if puzzle is None else get_puzzle(puzzle)
        found = describe_all() if chosen is None else describe_named(chosen)
        features = None if chosen is None else feature_docs(chosen)
    if as_json:
        print_json({"items": found, "features": features})
        return
    for name in dict.fromkeys(one["puzzle"] for one in found):
        table = Table(
            "name", "admissible for", "expression", title=name, title_justify="left", box=None, pad_edge=False
        )
        for one in found:
            if one["puzzle"] == name:
                proven = [m for m, verdict in one["move_sets"].items() if verdict["admissible"] == "proven"]
                shown = "all move sets" if len(proven) == len(one["move_sets"]) else ", ".join(proven) or "none"
                table.add_row(one["name"], shown, escape(one["expression"]))
        out.print(table)
        out.print()
    for signature, meaning in (features or {}).items():
        out.print(f"{signature}: {meaning}", markup=False, highlight=False)
