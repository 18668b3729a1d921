"""``hstar verify``: replay a claimed solution, and say how far it is from the proven optimum."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar import schema
from hstar.certificates import verdicts
from hstar.commands.certificates import CertificateFile, write_certificate
from hstar.commands.remote import Server, answered, asking
from hstar.commands.statuses import Status
from hstar.commands.terminal import (
    ApiKey,
    Goal,
    Json,
    PuzzleName,
    out,
    print_json,
    read_goal,
    read_labels,
    read_state,
    refusing,
)
from hstar.verification import Claims, Verification, VerificationRequest
from hstar.verification import verify as verify_request
from hstar.verification.schema import DEFAULT_EXPANDED, SearchLimits


def verify(
    puzzle: PuzzleName,
    solution: Annotated[str, typer.Option(help="the claimed solution")],
    alg: Annotated[str | None, typer.Option(help="instance: moves from solved")] = None,
    state: Annotated[str | None, typer.Option(help="instance: a board, or JSON")] = None,
    k: Annotated[int | None, typer.Option("--k", help="instance: a scramble of k random moves")] = None,
    seed: Annotated[int, typer.Option(help="seed of the scramble")] = 0,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of the scramble")] = None,
    moves: Annotated[str | None, typer.Option(help="move set that the solution may use")] = None,
    goal: Goal = None,
    labels: Annotated[
        Path | None, typer.Option(help="JSON file with each face's clockwise neighbours in names of your own")
    ] = None,
    notation: Annotated[str | None, typer.Option(help="how the solution is written, such as colours or tile")] = None,
    heuristic: Annotated[str | None, typer.Option(help="heuristic that the claimed counts were made with")] = None,
    claim_length: Annotated[int | None, typer.Option(help="claimed moves of the solution")] = None,
    claim_expanded: Annotated[int | None, typer.Option(help="claimed nodes expanded")] = None,
    claim_generated: Annotated[int | None, typer.Option(help="claimed nodes generated")] = None,
    claim_optimal: Annotated[
        bool | None, typer.Option("--claim-optimal/--claim-not-optimal", help="claimed optimality")
    ] = None,
    claim_heuristic: Annotated[float | None, typer.Option(help="claimed h of the start")] = None,
    limit_expanded: Annotated[
        int, typer.Option(help="expansions of the search for the optimum", min=0)
    ] = DEFAULT_EXPANDED,
    certificate: CertificateFile = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Replay a claimed solution: is it valid, and if not, why; how many moves are enough, as far as that is proven.

    Example: hstar verify megaminx --alg "U U F" --solution "F' U' U'" --moves ccw
    """
    with refusing():
        fields: dict[str, Any] = {
            "puzzle": puzzle, "goal": read_goal(goal), "labels": read_labels(labels), "state": read_state(state),
            "alg": alg, "moves": moves, "solution": solution, "notation": notation, "heuristic": heuristic,
            "scramble": None if k is None else schema.ScrambleIn(k=k, seed=seed, moves=scramble_moves),
            "claims": Claims(
                length=claim_length, expanded=claim_expanded, generated=claim_generated, optimal=claim_optimal,
                heuristic=claim_heuristic,
            ),
            "limits": SearchLimits(expanded=limit_expanded),
        }  # fmt: skip
        request = VerificationRequest(**fields)
        if server is None:
            verdict = verify_request(request)
        else:
            with asking(server, api_key) as client:
                verdict = answered(client, "/v1/verifications", request, Verification)
        write_certificate(certificate, lambda: verdicts.of_verification(request, verdict))
    if as_json:
        print_json(verdict)
    else:
        _print(verdict)
    if not verdict.valid or any(claim.judgement == "false" for claim in verdict.claims):
        raise typer.Exit(Status.WRONG)


def _print(verdict: Verification) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("valid", "yes" if verdict.valid else "no")
    if verdict.first_wrong is not None:
        table.add_row("first wrong", f"move {verdict.first_wrong}")
    if verdict.reason:
        table.add_row("reason", escape(verdict.reason))
    made = len(verdict.solution)
    cost = f" ({made} move{'s' * (made != 1)})" if verdict.valid and made != verdict.length else ""
    table.add_row("length", f"{verdict.length}{cost}")
    if verdict.optimal_length is not None:
        table.add_row("optimal length", f"{verdict.optimal_length} (proven)")
    else:
        bound = "no solution exists" if verdict.lower_bound is None else f"at least {verdict.lower_bound}"
        table.add_row("optimal length", bound)
    if verdict.excess is not None:
        table.add_row("excess", str(verdict.excess))
    if verdict.shorter is not None:
        table.add_row("shorter", escape(" ".join(verdict.shorter)))
    for claim in verdict.claims:
        table.add_row(f"claimed {claim.claim} {claim.claimed}", escape(f"{claim.judgement}: {claim.reason}"))
    out.print(table)
