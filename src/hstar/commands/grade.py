"""``hstar grade``: score submissions to an assignment, for people or for a learning platform; no server needed."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar.commands.terminal import out, refusing
from hstar.errors import Fault, InvalidRequest, UnknownName, why
from hstar.grading import Grading, Read, read_assignment, read_submission
from hstar.grading import grade as grade_submission
from hstar.grading.class_statistics import statistics
from hstar.grading.gradebook import Attempt, entry
from hstar.grading.outputs import FORMATS, gradescope, prairielearn, render


def grade(
    submissions: Annotated[list[Path], typer.Argument(metavar="SUBMISSION...", help="JSON, JSON lines, CSV or zip")],
    assignment: Annotated[Path, typer.Option(help="JSON file: instances and rubric")],
    form: Annotated[str | None, typer.Option("--format", help=" | ".join(FORMATS))] = None,
    output: Annotated[Path | None, typer.Option(help="file to write; left out: standard output")] = None,
    metadata: Annotated[
        Path | None, typer.Option(help="Gradescope's submission_metadata.json: who, and how many attempts")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="the same as --format json")] = False,
    with_statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="statistics of the class instead: items, hardest instances, similar submissions"
        ),
    ] = False,
) -> None:
    """Score submissions: every deduction has a reason and a command that shows it.

    The same submission and the same version of the assignment give the same output, byte for byte.

    Example: hstar grade --assignment assignment.json submission.json

    Exit status: 0 for any score, 2 if the assignment or the submission was refused.
    """
    with refusing(options=False):
        if form is not None and form not in FORMATS:
            raise UnknownName("format", form, FORMATS)
        chosen = form or ("json" if as_json else None)
        checked = read_assignment(_text(assignment, "--assignment"))
        about = None if metadata is None else _metadata(metadata)
        allowed = checked.given.attempts
        if (
            chosen == "gradescope" and about is not None and allowed is not None
        ):  # other platforms count attempts themselves
            used = gradescope.attempts_used(about)
            if used >= allowed:
                _write(gradescope.refused(checked, about), output)
                return
        try:
            reads = [_read(path, about) for path in submissions]
        except InvalidRequest as error:
            if chosen != "prairielearn":
                raise
            _write(prairielearn.unreadable(error.message, [str(fault) for fault in error.faults]), output)
            return
        gradings = [grade_submission(checked, read) for read in reads]
        if with_statistics:
            _write(statistics(gradings).model_dump_json(indent=2) + "\n", output)
        elif chosen is None:
            for grading in gradings:
                _print(grading)
        else:
            attempts = [Attempt(g, changed=_changed(path)) for g, path in zip(gradings, submissions, strict=True)]
            entries = [entry(checked.given, [attempt]) for attempt in attempts]
            _write(render(chosen, checked, gradings, entries), output)


def _text(path: Path, option: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InvalidRequest("cannot read a file", [Fault(option, why(error))]) from None


def _metadata(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(_text(path, "--metadata"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("the metadata is not JSON", [Fault("--metadata", str(error))]) from None
    if not isinstance(given, dict):
        raise InvalidRequest("cannot read the metadata", [Fault("--metadata", "expected an object")])
    return given


def _read(path: Path, about: dict[str, Any] | None) -> Read:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidRequest("cannot read the submission", [Fault("", why(error))]) from None
    read = read_submission(data, path.name)
    users = (about or {}).get("users") or []
    if users and isinstance(users[0], dict):
        who = users[0]
        known = {
            "student": str(who.get("sid") or who.get("id") or ""),
            "name": who.get("name"),
            "email": who.get("email"),
        }
        read.submission = read.submission.model_copy(update={key: value for key, value in known.items() if value})
    return read


def _changed(path: Path) -> datetime:
    """When a file was last written, for systems that keep the newer of two scores."""
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest("cannot write the output file", [Fault("--output", why(error))]) from None


def _print(grading: Grading) -> None:
    who = grading.name or grading.student
    out.print(f"[bold]{escape(grading.assignment)}[/]" + (f", {escape(who)}" if who else ""))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("item")
    table.add_column("points", justify="right")
    table.add_column("of", justify="right")
    for part in grading.parts:
        apart = "" if part.visibility == "visible" else f" ({part.visibility.replace('_', ' ')})"
        table.add_row(escape(part.name) + apart, f"{part.score:g}", f"{part.max_score:g}")
    table.add_row("[bold]total[/]", f"[bold]{grading.score:g}[/]", f"{grading.max_score:g}")
    out.print(table)
    for part in grading.parts:
        for deduction in part.deductions:
            where = f" ({deduction.instance})" if deduction.instance else ""
            out.print(f"-{deduction.points:g} {escape(part.name + where)}: {escape(deduction.reason)}", soft_wrap=True)
            if deduction.command:
                out.print(f"     {escape(deduction.command)}", soft_wrap=True)
        for note in part.notes:
            out.print(f"   {escape(part.name)}: {escape(note)}", soft_wrap=True)
    for fault in grading.faults:
        out.print(f"not read: {escape(fault.where)}: {escape(fault.message)}", soft_wrap=True)
    for line in grading.ignored:
        out.print(f"not graded: {escape(line)}", soft_wrap=True)
