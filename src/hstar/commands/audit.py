"""``hstar audit heuristic`` and ``hstar audit model``: students' heuristics and puzzle models, checked."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar.audits import heuristic as heuristics
from hstar.audits import model as models
from hstar.audits.schema import AuditLimits, HeuristicAudit, HeuristicAuditRequest
from hstar.certificates import verdicts
from hstar.commands.certificates import CertificateFile, write_certificate
from hstar.commands.functions import read_heuristic
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
    refusing,
)
from hstar.errors import Fault, InvalidRequest, why
from hstar.grading import read_submission

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Search for a counterexample to a heuristic, or for the error in a puzzle model.",
)


@app.command("heuristic")
def audit_heuristic(
    puzzle: PuzzleName,
    expression: Annotated[
        str | None, typer.Argument(metavar="EXPR", help="a name, an expression, or FILE.py:FUNCTION")
    ] = None,
    moves: Annotated[str | None, typer.Option(help="move set; h* depends on it")] = None,
    radius: Annotated[
        int, typer.Option(help="check all states up to this distance from the goal; large: all states")
    ] = 4,
    values: Annotated[
        Path | None,
        typer.Option(
            help="instead of EXPR: a file of values of h that a program printed (CSV or JSON; lines of alg or state, h)"
        ),
    ] = None,
    dominates: Annotated[str | None, typer.Option(help="another heuristic to compare with, state by state")] = None,
    goal: Goal = None,
    labels: Annotated[Path | None, typer.Option(help="JSON file with names of your own for the faces")] = None,
    limit_states: Annotated[int | None, typer.Option(help="stop after this many states", min=1)] = None,
    limit_memory_mib: Annotated[int | None, typer.Option(help="memory for the states (default 1024)", min=1)] = None,
    certificate: CertificateFile = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Is it admissible and consistent? Compares h with the true distances of states within a radius of the goal.

    Example: hstar audit heuristic megaminx "ceil(misplaced_facelets / 15)" --moves ccw --radius 3
    """
    limits = {"states": limit_states, "memory_mib": limit_memory_mib}
    with refusing():
        given = None if expression is None else read_heuristic(expression)
        other = None if dominates is None else read_heuristic(dominates)
        request = HeuristicAuditRequest.model_validate(
            {
                "puzzle": puzzle, "goal": read_goal(goal), "moves": moves, "heuristic": given, "radius": radius,
                "values": None if values is None else _read_values(values), "dominates": other,
                "labels": read_labels(labels),
                "limits": AuditLimits(**{name: value for name, value in limits.items() if value is not None}),
            }
        )  # fmt: skip
        if server is None:
            verdict = heuristics.audit(request)
        else:
            with asking(server, api_key) as client:
                verdict = answered(client, "/v1/audits/heuristic", request, HeuristicAudit)
        write_certificate(certificate, lambda: verdicts.of_heuristic_audit(request, verdict))
    if as_json:
        print_json(verdict)
    else:
        _print_heuristic(verdict)
    raise typer.Exit(Status.WRONG if verdict.verdict == "refuted" else 0)


def _read_values(path: Path) -> list[dict[str, Any]]:
    """Rows of (alg or state, h): CSV with a header, a list in JSON, or JSON lines."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        if text.lstrip()[:1] == "[":
            given = json.loads(text)
        elif text.lstrip()[:1] == "{":
            given = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            given = [_from_csv(row) for row in csv.DictReader(text.splitlines())]
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise InvalidRequest("cannot read the values", [Fault("--values", why(error))]) from None
    if not isinstance(given, list):
        raise InvalidRequest("cannot read the values", [Fault("--values", "expected a list of rows")])
    return given


def _from_csv(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name.strip(): value for name, value in row.items() if name and name.strip() in ("alg", "state", "h")}
    if not isinstance(kept.get("h"), str):
        raise ValueError("expected a header with h and alg or state")
    kept["h"] = float(kept["h"])
    return {name: value for name, value in kept.items() if value is not None}


def _print_heuristic(verdict: HeuristicAudit) -> None:
    out.print(f"admissible: [bold]{verdict.verdict}[/]: {escape(verdict.reason)}", soft_wrap=True)
    out.print(f"consistent: [bold]{verdict.consistent}[/]: {escape(verdict.consistent_reason)}", soft_wrap=True)
    if verdict.counterexample is not None:
        found = verdict.counterexample
        shown = f"row {found.row}" if found.alg is None else " ".join(found.alg) or "no moves (the goal itself)"
        out.print(f"smallest counterexample: {escape(shown)}: h = {found.h:g}, h* = {found.distance}", soft_wrap=True)
    if verdict.dominance is not None:
        d = verdict.dominance
        out.print(
            f"compared with {escape(d.other)}: larger on {d.larger:,} states, equal on {d.equal:,},"
            f" smaller on {d.smaller:,}",
            soft_wrap=True,
        )
    if verdict.limit is not None:
        out.print(f"ended by the limit of {verdict.limit} after distance {verdict.radius}")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("distance", "states", "inadmissible", "inconsistent", "largest excess", "mean h/h*"):
        table.add_column(name, justify="right")
    for row in verdict.by_distance:
        table.add_row(
            str(row.distance), f"{row.states:,}", f"{row.inadmissible:,}", f"{row.inconsistent:,}",
            f"{row.largest_excess:g}", "" if row.mean_ratio is None else f"{row.mean_ratio:.3f}",
        )  # fmt: skip
    out.print(table)


@app.command("model")
def audit_model(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help='{"puzzle": ..., "turns": {NAME: LIST, ...}}, or a submission'),
    ],
    puzzle: Annotated[str | None, typer.Option(help="of the model in a submission, which does not name it")] = None,
    goal: Goal = None,
    certificate: CertificateFile = None,
    server: Server = None,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Is a program's puzzle model right, a mirror image, or wrong?

    The list of a turn has, for each of the program's own slots, the slot whose content comes there. Instead of turns,
    FILE may have the neighbours of each face, or the states that the program prints after algs.

    Example: hstar audit model model.json
    """
    with refusing(options=False):
        request = _read_model(file, puzzle)
        if goal is not None:
            request = request.model_copy(update={"goal": read_goal(goal)})
        if server is None:
            verdict = models.audit(request)
        else:
            with asking(server, api_key) as client:
                verdict = answered(client, "/v1/audits/model", request, models.ModelAudit)
        write_certificate(certificate, lambda: verdicts.of_model_audit(request, verdict))
    if as_json:
        print_json(verdict)
    else:
        _print_model(verdict)
    raise typer.Exit(Status.WRONG if verdict.verdict == "wrong" else 0)


def _read_model(file: Path, puzzle: str | None) -> models.ModelAuditRequest:
    """A model alone, or the one in a submission."""
    try:
        data = file.read_bytes()
        submission = None if puzzle is None else read_submission(data, file.name).submission
        if submission is None or submission.model is None:
            request = models.read(data.decode("utf-8-sig"))
        else:
            request = submission.model
    except (OSError, ValueError) as error:
        raise InvalidRequest("cannot read the model", [Fault("FILE", why(error))]) from None
    return request if puzzle is None else request.model_copy(update={"puzzle": puzzle})


def _print_model(verdict: models.ModelAudit) -> None:
    out.print(f"[bold]{verdict.verdict}[/]: {escape(verdict.summary)}", soft_wrap=True)
    for reason in verdict.reasons:
        out.print(f"  - {escape(reason.message)}", soft_wrap=True)
    if verdict.labels:
        shown = ", ".join(f"{theirs} = {ours}" for theirs, ours in verdict.labels.items())
        out.print(f"theirs to ours: {escape(shown)}", soft_wrap=True)
    for claim in verdict.claims:
        out.print(f"result {claim.number}: {escape(claim.reason)}", soft_wrap=True)
