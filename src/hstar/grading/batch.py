"""Grading a whole class: a row for every student and every file, whatever happens to some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath

from hstar.errors import HstarError
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Attempt, Work, works
from hstar.grading.handed_in import HandedIn
from hstar.grading.intake import Reading, rewritten, understood
from hstar.grading.records import Record
from hstar.grading.roster import By, Roster, RosterLine
from hstar.grading.schema import Grading
from hstar.grading.score import score
from hstar.grading.submissions import Read, read_something

__all__ = ["GradedFile", "by_student", "grade_files"]


@dataclass(frozen=True, slots=True)
class GradedFile:
    """A file, whose it is and how that was found, and its grading, or why there is none."""

    path: str
    student: str
    line: RosterLine | None
    by: By | None
    grading: Grading | None = None
    fault: str | None = None
    changed: datetime | None = None


def grade_files(
    assignment: Assignment,
    files: Iterable[HandedIn],
    roster: Roster | None = None,
    who: Mapping[str, str] | None = None,
    accept: bool = False,
) -> list[GradedFile]:
    """Grade every file; what cannot be graded has a fault.

    :param accept: whether notations that were inferred are taken as confirmed
    :param who: student, name and email, if a platform knows them: whatever a file says, it is theirs
    """
    reads = [(file, _read(file)) for file in files]
    named = [(file.path, read) for file, read in reads if isinstance(read, Read)]
    for _, read in named:
        read.submission = read.submission.model_copy(update=who)
    owners = {} if roster is not None or who else _owners(named)
    return [_graded(assignment, file, read, roster, owners, accept=accept) for file, read in reads]


def _read(file: HandedIn) -> Read | str:
    if file.fault is not None:
        return file.fault
    name = PurePosixPath(file.path).name
    try:
        return read_something(file.data, name)
    except HstarError as error:
        return in_one_line(error, name)


def in_one_line(error: HstarError, name: str = "?") -> str:
    """An error with its faults, for the row of a table that has the name of the file."""
    faults = [str(fault).removeprefix(f"{name}: ").removeprefix(f"{name}, ") for fault in error.faults[:5]]
    return ": ".join([error.message, "; ".join(faults)]).rstrip(": ")


def _graded(
    assignment: Assignment, file: HandedIn, read: Read | str, roster: Roster | None, owners: Mapping[str, str],
    *, accept: bool,
) -> GradedFile:  # fmt: skip
    """One file. An unexpected error is a row, too: it must not end the gradings of a class."""
    who = read.submission if isinstance(read, Read) else None
    stem = _stem(file.path)
    if roster is not None:
        inside = (who.student, who.email, who.name) if who is not None else (None, None, None)
        line, by, other = roster.whose(file.path, *inside)
        student = line.student if line is not None else (who.student if who and who.student else stem)
    else:
        line, by, other = None, None, None
        claimed = _claimed(who.student, who.email, who.name) if who is not None else None
        student = claimed or stem
        if claimed is not None and owners.get(claimed, file.path) != file.path:  # somebody else's id is in the file
            student, other = stem, claimed
    done = GradedFile(file.path, student, line, by, changed=file.changed)
    if isinstance(read, str):
        return replace(done, fault=read)
    known: dict[str, str | None] = {}
    if line is not None:
        known = {"student": student, "name": line.name, "email": line.email}
    elif other is not None:
        known = {"student": student, "name": None, "email": None}
    elif roster is not None and read.submission.student is None:
        known = {"student": student}
    read.submission = read.submission.model_copy(update=known)
    read.named = other
    try:
        reading = understood(read, assignment)
        if not reading.certain and not accept:
            return replace(done, fault=in_doubt(reading))
        return replace(done, grading=score(assignment, rewritten(read, assignment, reading.notation)))
    except HstarError as error:
        return replace(done, fault=in_one_line(error))
    except Exception as error:  # the other students' work is graded all the same
        return replace(done, fault=f"hstar failed, which is a bug: {type(error).__name__}: {error}"[:500])


def in_doubt(reading: Reading) -> str:
    """Why a file waits for a confirmation of its notation."""
    if reading.source == "unknown":
        return f"its moves are not understood: {' '.join(reading.tokens[:10])}; say what they mean"
    return f"its moves are in another notation, to be confirmed: {'; '.join(reading.why)}"


def _claimed(student: str | None, email: str | None, name: str | None) -> str | None:
    return student or email or name


def _stem(path: str) -> str:
    """The name of the top folder, or of the file before its first point."""
    top, *below = PurePosixPath(path).parts
    return top if below else top.split(".")[0] or path


def _owners(reads: Sequence[tuple[str, Read]]) -> dict[str, str]:
    """Which of the files with the same id in them is its owner's: the one whose name has the id or the name."""
    found: dict[str, str] = {}
    for path, read in reads:
        one = read.submission
        claimed = _claimed(one.student, one.email, one.name)
        if claimed is None:
            continue
        mine = Roster([RosterLine(student=claimed, name=one.name or None, email=one.email or None)])
        first = found.setdefault(claimed, path)
        if mine.of_path(path) is not None and mine.of_path(first) is None:
            found[claimed] = path
    return found


def by_student(
    files: Sequence[GradedFile], roster: Roster | None = None, records: Mapping[str, Record] | None = None
) -> list[Work]:
    """The work of every student: the roster first, in its order."""
    known: dict[str, Work] = {}
    for file in files:
        work = known.get(file.student, Work(file.student))
        if file.grading is None:
            work = replace(work, faults=[*work.faults, f"{file.path}: {file.fault}"])
        else:
            work = replace(work, attempts=[*work.attempts, Attempt(file.grading, changed=file.changed)])
        known[file.student] = replace(work, status="graded" if work.attempts else "refused")
    decided = {student: (record, None) for student, record in (records or {}).items()}
    if roster is None:  # in the order of the files
        return [replace(work, record=decided.get(work.student, (work.record, None))[0]) for work in known.values()]
    return works(roster.students, known, decided)
