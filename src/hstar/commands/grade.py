"""``hstar grade``: score submissions to an assignment, for people or for a learning platform; no server needed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar.commands.statuses import Status
from hstar.commands.terminal import Json, err, out, read_bytes, refusing
from hstar.errors import Fault, InvalidRequest, UnknownName, why
from hstar.grading import read_assignment
from hstar.grading.batch import GradedFile, by_student, grade_files
from hstar.grading.class_statistics import statistics
from hstar.grading.copies import Copies, copies
from hstar.grading.gradebook import entry
from hstar.grading.handed_in import from_disk
from hstar.grading.outputs import FORMATS, gradescope, prairielearn, render
from hstar.grading.roster import Roster, RosterRead, read_roster, roster_text
from hstar.grading.schema import Grading


def grade(
    submissions: Annotated[
        list[Path],
        typer.Argument(metavar="SUBMISSION...", help="JSON, JSON lines, CSV, zip; folder or zip of a class"),
    ],
    assignment: Annotated[Path, typer.Option(help="JSON file: instances and rubric")],
    form: Annotated[str | None, typer.Option("--format", help=" | ".join(FORMATS))] = None,
    output: Annotated[Path | None, typer.Option(help="file to write; left out: standard output")] = None,
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV or Excel file of the course, or of Canvas or Moodle: everybody on it has a row"),
    ] = None,
    metadata: Annotated[
        Path | None, typer.Option(help="Gradescope's submission_metadata.json: who, and how many attempts")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept-notations", help="grade files in a student's own notation as they were understood")
    ] = False,
    as_json: Json = False,
    with_statistics: Annotated[
        bool,
        typer.Option(
            "--statistics", help="statistics of the class instead: items, hardest instances, similar submissions"
        ),
    ] = False,
    with_copies: Annotated[
        bool, typer.Option("--copies", help="submissions that may be copies instead, with the evidence")
    ] = False,
) -> None:
    """Score submissions: every deduction has a reason, and many a command that shows it.

    The same submission and the same version of the assignment give the same grading, byte for byte. A file that cannot
    be graded is a row with its fault, and the others are graded.

    Example: hstar grade --assignment assignment.json --roster class.csv --format canvas submissions/
    """
    with refusing(options=False):
        if form is not None and form not in FORMATS:
            raise UnknownName("format", form, FORMATS)
        chosen = form or ("json" if as_json else None)
        checked = read_assignment(_text(assignment, "--assignment"))
        about = None if metadata is None else _metadata(metadata)
        people = None if roster is None else Roster(_roster(roster).students)
        allowed = checked.given.attempts
        if (
            chosen == "gradescope" and about is not None and allowed is not None
        ):  # other platforms count attempts themselves
            used = gradescope.attempts_used(about)
            if used >= allowed:
                _write(gradescope.refused(checked, about), output)
                return
        handed = from_disk(submissions, people)
        if not handed:
            raise InvalidRequest("there is nothing to grade", [Fault(str(p), "no file in it") for p in submissions])
        files = grade_files(checked, handed, people, who=_who(about), accept=accept)
        failed = [file for file in files if file.grading is None]
        gradings = [file.grading for file in files if file.grading is not None]
        if not gradings and people is None:
            if chosen == "prairielearn":
                _write(prairielearn.unreadable("cannot read the submission", [str(f.fault) for f in failed]), output)
                return
            raise InvalidRequest("no file can be graded", [Fault(file.path, file.fault or "") for file in failed])
        if with_statistics:
            _write(statistics(gradings).model_dump_json(indent=2) + "\n", output)
        elif with_copies:
            found = copies({file.student: file.grading for file in files if file.grading is not None})
            _write(found.model_dump_json(indent=2) + "\n" if as_json else _in_words(found), output)
        elif chosen is None:
            for file in files:
                _print(file)
        else:
            works = by_student(files, people)
            entries = [entry(checked.given, work) for work in works]
            counted = [
                None if e.counted is None else w.attempts[e.counted - 1].grading
                for w, e in zip(works, entries, strict=True)
            ]
            _write(render(chosen, checked, counted, entries), output)
        _report(files, failed, people)
        if failed:
            raise typer.Exit(Status.INCOMPLETE if gradings else Status.REFUSED)


def _in_words(found: Copies) -> str:
    lines = [f"{found.students} submissions, {len(found.clusters)} clusters. {found.note}"]
    for cluster in found.clusters:
        lines.append(f"{', '.join(cluster.students)}: one chance in 2^{cluster.bits:.0f}")
        for one in cluster.evidence:
            more = ", ..." if len(one.instances) > 8 else ""
            where = f" ({', '.join(one.instances[:8])}{more})" if one.instances else ""
            lines.append(f"  {one.bits:5.1f} bits  {', '.join(one.students)}: {one.words}{where}")
    return "\n".join(lines) + "\n"


def _report(files: list[GradedFile], failed: list[GradedFile], people: Roster | None) -> None:
    """What happened to a class, on the standard error stream, where no program reads it as a result."""
    if len(files) < 2 and not failed and people is None:
        return
    for file in failed:
        err.print(f"not graded: {escape(file.path)}: {escape(file.fault or '')}", soft_wrap=True)
    words = f"{len(files) - len(failed)} of {len(files)} files graded"
    if people is not None:
        seen = {file.student for file in files}
        missing = [line.student for line in people.students if line.student not in seen]
        others = sorted({file.student for file in files if file.line is None})
        words += f"; {len(people.students)} students on the roster, {len(missing)} without a file"
        if others:
            words += f"; not on the roster: {', '.join(others)[:500]}"
    err.print(escape(words), soft_wrap=True)


def _roster(path: Path) -> RosterRead:
    return read_roster(roster_text(read_bytes(path, "--roster"), path.name), path.name)


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


def _who(about: dict[str, Any] | None) -> dict[str, str]:
    """The student whom a platform names."""
    users = (about or {}).get("users") or []
    who = users[0] if users and isinstance(users[0], dict) else {}
    known = {"student": who.get("sid") or who.get("id"), "name": who.get("name"), "email": who.get("email")}
    return {key: str(value) for key, value in known.items() if value}


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest("cannot write the output file", [Fault("--output", why(error))]) from None


def _print(file: GradedFile) -> None:
    if file.grading is None:
        out.print(f"[bold]{escape(file.path)}[/]: not graded: {escape(file.fault or '')}", soft_wrap=True)
    else:
        print_grading(file.grading)


def print_grading(grading: Grading) -> None:
    """The points of each item, why others were not given, and what could not be read."""
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
