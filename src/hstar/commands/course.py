"""``hstar course``: a course on a server: roster, assignments, files of a class, marks, extensions, gradebook."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from hstar.client import Client
from hstar.commands.grade import print_grading
from hstar.commands.statuses import Status
from hstar.commands.terminal import HERE, ApiKey, Json, Server, err, out, print_json, read_bytes, refusing
from hstar.errors import Fault, InvalidRequest, why
from hstar.grading.handed_in import from_disk
from hstar.grading.items import KINDS
from hstar.grading.roster import roster_text
from hstar.grading.schema import Grading
from hstar.grading.tables import decoded

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="A course on a server: roster, assignments, files of a class, marks, extensions, gradebook, copies.",
)

Assignment = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="id of `hstar course list`")]
Student = Annotated[str, typer.Argument(metavar="STUDENT", help="id on the roster")]
Reason = Annotated[str, typer.Option(help="why; the student reads it")]


@app.command("list")
def list_courses(server: Server = HERE, api_key: ApiKey = None, as_json: Json = False) -> None:
    """List the courses and assignments, for those who grade them."""
    with refusing(), Client(server, api_key) as client:
        courses = client.request("GET", "/v1/courses")
        found = client.request("GET", "/v1/assignments")["items"]
    if as_json:
        print_json({"courses": courses["items"], "assignments": found})
        return
    _table(("course", "students", "assignments"), [[c[k] for k in c] for c in courses["items"]])
    rows = [[a["id"], a["assignment"]["title"], a["assignment"]["course"], a["assignment"]["due"]] for a in found]
    _table(("assignment", "title", "course", "due"), rows)


@app.command()
def roster(
    course: Annotated[str, typer.Argument(metavar="COURSE", help="its name")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="CSV or Excel file, of Canvas or Moodle too, to import"),
    ] = None,
    replace: Annotated[bool, typer.Option(help="also remove students who are not in the file")] = False,
    check: Annotated[bool, typer.Option(help="only show what would be read")] = False,
    form: Annotated[str, typer.Option("--format", help="csv, canvas or moodle, to export")] = "csv",
    remove: Annotated[str | None, typer.Option(help="remove this student")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Import a roster, or print the one that is there.

    Example: hstar course roster ai-1 class.csv
    """
    path = f"/v1/courses/{course}/roster"
    with refusing(), Client(server, api_key) as client:
        if remove is not None:
            client.request("DELETE", path, params={"student": remove})
        if file is None and as_json:
            print_json(client.request("GET", path))
            return
        if file is None:
            sys.stdout.write(client.text(path, {"format": form}))
            return
        content = roster_text(read_bytes(file, "FILE"), file.name)
        body = {"content": content, "filename": file.name, "check": check, "mode": "replace" if replace else "add"}
        done = client.request("PUT", path, json=body)
    if as_json:
        print_json(done)
        return
    for fault in done["faults"]:
        err.print(f"not read: {escape(fault['where'])}: {escape(fault['message'])}", soft_wrap=True)
    columns = ", ".join(f"{theirs} = {ours}" for theirs, ours in done["columns"].items() if ours)
    word = "would be " if check else ""
    out.print(f"{done['format']}: {escape(columns)}", soft_wrap=True)
    numbers = f"{done['added']} {word}added, {done['changed']} changed, {done['removed']} removed"
    out.print(f"{len(done['students'])} read; {numbers}")


@app.command()
def preview(
    puzzle: Annotated[str, typer.Argument(metavar="PUZZLE")],
    k: Annotated[list[int], typer.Option("--k", help="moves of the scrambles; may be given more than once")],
    each: Annotated[int, typer.Option(help="scrambles for each k")] = 5,
    seed: Annotated[int, typer.Option(help="of the first scramble")] = 1,
    moves: Annotated[str | None, typer.Option(help="move set of solutions")] = None,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of scrambles")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Show scrambles with their true distances, to choose those of an assignment.

    Example: hstar course preview megaminx --k 3 --k 4 --moves ccw --scramble-moves cw
    """
    with refusing(), Client(server, api_key) as client:
        found = client.request("POST", "/v1/assignments/preview", json={
            "puzzle": puzzle, "moves": moves, "scramble_moves": scramble_moves,
            "instances": [{"k": k, "each": each, "seed": seed}],
        })  # fmt: skip
    if as_json:
        print_json(found)
        return
    rows = [[i["name"], i["k"], i["distance"] if i["distance"] is not None else f"at least {i['lower_bound']}",
             "collapsed" if i["collapsed"] else "", i["instance"]["alg"]] for i in found["items"]]  # fmt: skip
    _table(("instance", "k", "distance", "", "scramble"), rows)


@app.command()
def assign(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="the assignment as JSON; left out: made from the options")
    ] = None,
    replace: Annotated[str | None, typer.Option(metavar="ASSIGNMENT", help="change this one")] = None,
    title: Annotated[str | None, typer.Option()] = None,
    course: Annotated[str | None, typer.Option(help="the course whose roster counts")] = None,
    puzzle: Annotated[str | None, typer.Option()] = None,
    moves: Annotated[str | None, typer.Option(help="move set of solutions")] = None,
    scramble_moves: Annotated[str | None, typer.Option(help="move set of scrambles")] = None,
    k: Annotated[list[int] | None, typer.Option("--k", help="moves of the scrambles; more than once")] = None,
    each: Annotated[int, typer.Option(help="scrambles for each k")] = 5,
    seed: Annotated[int, typer.Option()] = 1,
    heuristic: Annotated[str | None, typer.Option(help="for judging reported numbers of nodes")] = None,
    item: Annotated[
        list[str] | None, typer.Option(help="NAME=POINTS, such as valid=60, optimal=20, report=20; more than once")
    ] = None,
    due: Annotated[datetime | None, typer.Option(help="in UTC")] = None,
    attempts: Annotated[int | None, typer.Option()] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Make an assignment, from options or from a file. An item that is no kind of item is marked by a person.

    Example: hstar course assign --title Boards --puzzle 8-puzzle --k 4 --k 8 --item valid=80 --item report=20
    """
    with refusing(), Client(server, api_key) as client:
        if file is not None:
            body = _json(file)
        else:
            given = {
                "title": title, "puzzle": puzzle, "moves": moves, "scramble_moves": scramble_moves,
                "heuristic": heuristic, "attempts": attempts, "instances": [{"k": k or [], "each": each, "seed": seed}],
                "rubric": [_item(text) for text in item or ["valid=60", "optimal=40"]],
                "due": None if due is None else f"{due.isoformat()}Z",
            }  # fmt: skip
            body = {key: value for key, value in given.items() if value is not None}
        if course is not None:
            body["course"] = course
        if replace is not None:
            made = client.request("PUT", f"/v1/assignments/{replace}", json=body)
        else:
            made = client.request("POST", "/v1/assignments", json=body)
    if as_json:
        print_json(made)
    else:
        out.print(f"{made['id']}  {escape(made['assignment']['title'])}, {len(made['instances'])} instances, "
                  f"{made['max_score']:g} points", soft_wrap=True)  # fmt: skip


@app.command()
def submit(
    assignment: Assignment,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="what the assignment asks for")],
    student: Annotated[str | None, typer.Option(help="whose it is; not needed with a student's own key")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Hand in a file, and wait for its points.

    Example: hstar course submit 01a2... answers.csv
    """
    with refusing(), Client(server, api_key) as client:
        found = client.hand_in(assignment, file.name, read_bytes(file, "FILE"), student=student)
    later = found["grading"] is None and found["status"] == "done"
    if as_json:
        print_json(found)
    elif later:
        out.print("handed in and graded; the points are shown from the assignment's release on", soft_wrap=True)
    elif found["grading"] is None:
        err.print(f"not graded: {escape(found['error'] or found['status'])}", soft_wrap=True)
    else:
        print_grading(Grading.model_validate(found["grading"]))
    if found["grading"] is None and not later:
        raise typer.Exit(Status.INCOMPLETE)


@app.command()
def upload(
    assignment: Assignment,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="files, folders and zips of a class")],
    accept: Annotated[
        bool, typer.Option("--accept-notations", help="confirm students' own notations as they were understood")
    ] = False,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Hand in for a class: a row for each file, also for one that is refused.

    Example: hstar course upload 01a2... submissions/
    """
    base = f"/v1/assignments/{assignment}/uploads"
    rows: list[dict[str, Any]] = []
    with refusing(), Client(server, api_key) as client:
        client.request("GET", f"/v1/assignments/{assignment}")
        for file in from_disk(paths):
            if file.fault is not None:
                rows.append({"filename": file.path, "status": "refused", "message": file.fault, "student": None})
                continue
            content = b64encode(file.data).decode()
            body = {"files": [{"filename": file.path, "content_base64": content}]}
            rows += [
                _confirmed(client, base, row) if accept and row["status"] == "mapping" else row
                for row in client.request("POST", base, json=body)["items"]
            ]
    if as_json:
        print_json({"items": rows})
    else:
        cells = [[row[name] for name in ("filename", "student", "status", "message")] for row in rows]
        _table(("file", "student", "status", ""), cells)
    if any(row["status"] != "submitted" for row in rows):
        raise typer.Exit(Status.INCOMPLETE)


def _confirmed(client: Client, base: str, row: dict[str, Any]) -> dict[str, Any]:
    """A file whose notation is taken as it was understood."""
    reading = client.request("GET", f"{base}/{row['id']}")["reading"]
    return client.request("PUT", f"{base}/{row['id']}", json={"notation": reading["notation"]})


@app.command()
def submissions(
    assignment: Assignment,
    student: Annotated[str | None, typer.Option(help="only this student's")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """List what was handed in, newest first: for each submission its id, and what it is worth."""
    found: list[dict[str, Any]] = []
    path: str | None = f"/v1/assignments/{assignment}/submissions"
    params = {"limit": "200"} | ({} if student is None else {"student": student})
    with refusing(), Client(server, api_key) as client:
        while path is not None:
            page = client.request("GET", path, params=params)
            found += page["items"]
            path, params = page["next"], {}  # the path of the next page has them
    if as_json:
        print_json({"items": found})
        return
    rows = [[one["id"], one["student"], one["attempt"], _state(one), *_points(one)] for one in found]
    _table(("submission", "student", "attempt", "status", "points", "of", ""), rows)


def _state(one: dict[str, Any]) -> str:
    return "graded again" if one["regrading"] else {"done": "graded"}.get(one["status"], one["status"])


def _points(one: dict[str, Any]) -> list[str]:
    if one["worth"] is None:
        return ["", "", one["error"] or ""]
    changes = [f"{one['adjustment']:+g} granted"] if one["adjustment"] else []
    changes += [f"{one['late_percent']:g} % off, late"] if one["late_percent"] else []
    return [f"{one['worth']:g}", f"{one['max_score']:g}", "; ".join(changes)]


@app.command()
def gradebook(
    assignment: Assignment,
    form: Annotated[str | None, typer.Option("--format", help="canvas, moodle, ags, csv or json: a file")] = None,
    output: Annotated[Path | None, typer.Option(help="file to write; left out: standard output")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Print the gradebook: a line for everybody on the roster, and for others who handed in."""
    path = f"/v1/assignments/{assignment}/gradebook"
    with refusing(), Client(server, api_key) as client:
        if form is not None:
            text = client.text(path, {"format": form})
            if output is None:
                sys.stdout.write(text)
            else:
                _write(output, text)
            return
        book = client.request("GET", path)
    if as_json:
        print_json(book)
        return
    rows = []
    for line in book["entries"]:
        score = "" if line["score"] is None else f"{line['score']:g}"
        notes = [*(f"{item} is not marked" for item in line["pending"]), *line["faults"]]
        rows.append([line["student"], line["name"], line["status"], score, f"{line['max_score']:g}", "; ".join(notes)])
    _table(("student", "name", "status", "points", "of", ""), rows)


@app.command()
def extend(
    assignment: Assignment,
    student: Student,
    reason: Reason,
    due: Annotated[datetime | None, typer.Option(help="in UTC")] = None,
    attempts: Annotated[int | None, typer.Option(help="so many more", min=1)] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Give one student more time or more attempts."""
    given = {"due": None if due is None else f"{due.isoformat()}Z", "attempts": attempts, "reason": reason}
    extension = {key: value for key, value in given.items() if value is not None}
    _change(server, api_key, assignment, student, {"extension": extension}, as_json)


@app.command()
def adjust(
    assignment: Assignment,
    student: Student,
    points: Annotated[float, typer.Option(help="to add; negative: to remove; 0: no adjustment")],
    reason: Reason,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Add or remove points, with a reason; they stay through regrades."""
    change = {"adjustment": {"points": points, "reason": reason} if points else None}
    _change(server, api_key, assignment, student, change, as_json)


@app.command()
def mark(
    assignment: Assignment,
    student: Student,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="a manual item of the rubric")],
    points: Annotated[list[str], typer.Argument(metavar="POINTS...", help="points, or CRITERION=POINTS for each")],
    comment: Annotated[str | None, typer.Option()] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Mark a manual item, as a whole or by its criteria.

    Example: hstar course mark 01a2... 1001 report figures=3 words=1
    """
    with refusing():
        try:
            if any("=" in text for text in points):
                criteria = {name: float(value) for name, _, value in (text.rpartition("=") for text in points)}
                given: dict[str, Any] = {"criteria": criteria}
            else:
                (one,) = points
                given = {"points": float(one)}
        except ValueError:
            fault = Fault("POINTS", f"expected a number, or CRITERION=NUMBER; found {' '.join(points)[:80]}")
            raise InvalidRequest("cannot read the points", [fault]) from None
    if comment is not None:
        given["comment"] = comment
    _change(server, api_key, assignment, student, {"marks": {item: given}}, as_json)


@app.command()
def comment(
    assignment: Assignment,
    student: Student,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="empty: none")],
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Write a comment that the student reads."""
    _change(server, api_key, assignment, student, {"comment": text or None}, as_json)


@app.command()
def excuse(
    assignment: Assignment, student: Student, server: Server = HERE, api_key: ApiKey = None, as_json: Json = False
) -> None:
    """Excuse a student from the assignment."""
    _change(server, api_key, assignment, student, {"excused": True}, as_json)


@app.command()
def copies(assignment: Assignment, server: Server = HERE, api_key: ApiKey = None, as_json: Json = False) -> None:
    """Show submissions that may be copies, with the evidence. A hint for a person, not a verdict."""
    with refusing(), Client(server, api_key) as client:
        found = client.request("GET", f"/v1/assignments/{assignment}/copies")
    if as_json:
        print_json(found)
        return
    out.print(f"{found['students']} submissions, {len(found['clusters'])} clusters. {found['note']}", soft_wrap=True)
    for cluster in found["clusters"]:
        names = escape(", ".join(cluster["students"]))
        out.print(f"[bold]{names}[/]: one chance in 2^{cluster['bits']:.0f}", soft_wrap=True)
        for one in cluster["evidence"]:
            words = f"  {one['bits']:5.1f} bits  {', '.join(one['students'])}: {one['words']}"
            out.print(escape(words), soft_wrap=True)


@app.command()
def delete(
    assignment: Assignment,
    submission: Annotated[str | None, typer.Option(help="only this submission")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Delete an assignment with all its submissions and grades, or one submission, for good.

    Example: hstar course delete 01a2... --submission 01b3...

    Without a submission there is no attempt: the student has it back, and the gradebook is as before it. Marks,
    extensions, adjustments and comments about the student stay. The ids are those of `hstar course submissions`.
    """
    path = f"/v1/assignments/{assignment}"
    with refusing(), Client(server, api_key) as client:
        if submission is not None:
            path += f"/submissions/{submission}"
            one = client.request("GET", path)
            points = "" if one["worth"] is None else f", {one['worth']:g} of {one['max_score']:g} points"
            lost = f"attempt {one['attempt']} of {one['student']}{points}: the file, its grading and regrade requests"
        else:
            book = client.request("GET", f"{path}/gradebook")
            attempts = sum(entry["attempts"] for entry in book["entries"])
            lost = f"{book['title']!r} with {attempts} submissions, all grades, marks and uploaded files"
        if not yes and not typer.confirm(f"Delete {lost}, for good?", err=True):
            raise typer.Exit(Status.INTERRUPTED)
        client.text(path, method="DELETE")
    if as_json:
        print_json({"deleted": path})
    err.print(f"deleted: {escape(lost)}", soft_wrap=True)


def _change(
    server: str, api_key: str | None, assignment: str, student: str, change: dict[str, Any], as_json: bool
) -> None:
    with refusing(options=False), Client(server, api_key) as client:
        path = f"/v1/assignments/{assignment}/record"
        done = client.request("PATCH", path, params={"student": student}, json=change)
    if as_json:
        print_json(done)
        return
    line = done["entry"] or {}
    score = "no points yet" if line.get("score") is None else f"{line['score']:g} of {line['max_score']:g} points"
    waits = "".join(f"; {item} is not marked" for item in line.get("pending", ()))
    out.print(f"{escape(student)}: {score}{escape(waits)}", soft_wrap=True)


def _item(text: str) -> dict[str, Any]:
    name, equals, points = text.partition("=")
    try:
        number = float(points)
    except ValueError:
        number = -1.0
    if not equals or number <= 0:
        raise InvalidRequest("cannot read an item", [Fault("--item", f"expected NAME=POINTS, found {text[:80]!r}")])
    return {"kind": name, "points": number} if name in KINDS else {"kind": "manual", "name": name, "points": number}


def _text(path: Path) -> str:
    return decoded(read_bytes(path, "FILE"), path.name)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("the file is not JSON", [Fault("FILE", str(error))]) from None
    if not isinstance(found, dict):
        raise InvalidRequest("the file has no assignment", [Fault("FILE", "expected an object")])
    return found


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest("cannot write the output file", [Fault("--output", why(error))]) from None


def _table(headings: tuple[str, ...], rows: list[list[Any]]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    out.print(table)
