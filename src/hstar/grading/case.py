"""A submission and its assignment: each line is matched to its instance and verified.

Lines are matched once for instructors and once for each view of a student. Students do not know hidden instances, so in
their view a line for a hidden instance is a line for no instance, or their own scramble.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from hstar.errors import HstarError
from hstar.grading.assignments import Assignment, Instance, short_name
from hstar.grading.counting import Common, Counts, common
from hstar.grading.schema import AssignmentIn, ReadFault, StudentsView, SubmissionRow, Visibility
from hstar.grading.submissions import Read
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import named_by
from hstar.labels import Labelling
from hstar.puzzles import State, get_puzzle
from hstar.search import Control
from hstar.verification import Claims, Verification, VerificationRequest, verify
from hstar.verification.replay import Reader, replay

__all__ = ["VIEWS", "Case", "Row", "command_line", "matched"]

#: the most instances of their own that students may add
MAX_OWN = 500
MAX_IGNORED = 20
MAX_COMMAND = 4000

#: what students see, before and after the due date
VIEWS: Mapping[StudentsView, tuple[Visibility, ...]] = {
    "visible": ("visible",),
    "after_due_date": ("visible", "after_due_date"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line that was matched to an instance, with the service's verdict; ``solution`` is its fingerprint."""

    number: int
    given: SubmissionRow
    verdict: Verification
    counts: Counts
    solution: str


@dataclass
class Case:
    """A submission and its assignment.

    ``heuristic`` is that of the claimed counts. ``ignored`` has the lines that are not graded, and why, for each view.
    """

    assignment: Assignment
    read: Read
    labelling: Labelling | None
    notation: str | None
    heuristic: str | None
    control: Control | None
    instances: list[Instance]
    rows: Mapping[str, Row] = field(default_factory=dict)
    common: Common | None = None
    ignored: list[str] = field(default_factory=list)
    ignored_for_students: dict[StudentsView, list[str]] = field(default_factory=dict)

    @property
    def reader(self) -> Reader:
        """The reader of the student's moves."""
        return Reader(self.assignment.puzzle, self.labelling, self.notation)

    def commands(self, row: Row, instance: Instance, *more: str) -> str | None:
        """The ``hstar verify`` command for one line, in the service's own names, so that it needs no file."""
        given = self.assignment.given
        puzzle = self.assignment.puzzle
        if instance.alg is not None:
            start = ["--alg", puzzle.format_alg(instance.alg)]
        else:
            shown = puzzle.format_state(instance.state)
            start = ["--state", str(shown.get("rows", shown))]
        solution = row.given.solution
        if self.labelling is not None:
            right = puzzle.format_alg(self.labelling.parse_alg(" ".join(row.verdict.solution)))
            solution = " ".join(filter(None, (right, self._wrong_move(row))))
        command = [
            "hstar",
            "verify",
            given.puzzle,
            *start,
            "--solution",
            solution,
            "--moves",
            self.assignment.moves.name,
        ]
        if given.goal is not None:
            command += ["--goal", " ".join(map(str, given.goal))]
        if self.notation is not None and self.labelling is None:
            command += ["--notation", self.notation]
        text = command_line([*command, *more])
        return text if len(text) <= MAX_COMMAND else None

    def _wrong_move(self, row: Row) -> str:
        """The first wrong move in the service's own names, or as it was written if it cannot be read."""
        assert self.labelling is not None
        number = row.verdict.first_wrong
        moves = row.given.solution.split()
        if number is None or number > len(moves):
            return ""
        try:
            return self.assignment.puzzle.format_alg(self.labelling.parse_alg(moves[number - 1]))
        except HstarError:
            return moves[number - 1]


def command_line(words: Iterable[str]) -> str:
    """Words as a shell reads them; moves with apostrophes stand in double quotes, if they can."""
    return " ".join(
        f'"{word}"' if "'" in word and not re.search(r'["$`\\!]', word) else shlex.quote(word) for word in words
    )


def matched(assignment: Assignment, read: Read, control: Control | None, faults: list[ReadFault]) -> Case:
    """Match the submission's lines to their instances.

    :param faults: faults of what could not be read are added here
    """
    case = Case(
        assignment, read, _labelling(assignment, read, faults), _notation(assignment, read, faults),
        _heuristic(assignment, read, faults), control, list(assignment.instances),
    )  # fmt: skip
    lines = [_line(case, number, row) for number, row in read.rows]
    whole = _assigned(case, lines, assignment.instances)
    case.ignored = _some(whole.left_out)
    by_view: dict[StudentsView, _Assigned] = {}
    for view, shown in VIEWS.items():
        known = [instance for instance in assignment.instances if instance.visibility in shown]
        by_view[view] = whole if len(known) == len(assignment.instances) else _assigned(case, lines, known)
        case.ignored_for_students[view] = _some(by_view[view].left_out)
    # A student's own scramble is their own even if a hidden instance has the same.
    case.instances += by_view["visible"].own.values()
    chosen = whole.chosen | by_view["visible"].chosen
    case.rows = {
        instance.name: _verified(case, *chosen[instance.name], instance)
        for instance in case.instances
        if instance.name in chosen
    }
    # From visible instances only, so that it reveals nothing about hidden ones.
    visible = (case.rows.get(instance.name) for instance in case.instances if instance.visibility == "visible")
    case.common = common(row.counts for row in visible if row is not None)
    return case


def _labelling(assignment: Assignment, read: Read, faults: list[ReadFault]) -> Labelling | None:
    labels = read.submission.labels
    if labels is None:
        return None
    try:
        return Labelling.from_neighbours(labels.neighbours, assignment.puzzle, anchors=labels.anchors)
    except HstarError as error:
        faults += [ReadFault(where=f"labels{fault.where}", message=fault.message) for fault in error.faults[:10]]
        return None


def _notation(assignment: Assignment, read: Read, faults: list[ReadFault]) -> str | None:
    name = read.submission.notation
    try:
        return None if name is None else assignment.puzzle.notation(name).name
    except HstarError as error:
        faults.append(ReadFault(where="notation", message=error.message))
        return None


def _heuristic(assignment: Assignment, read: Read, faults: list[ReadFault]) -> str | None:
    """The heuristic for judging claimed counts: the student's, or the assignment's if the student's is missing or
    unreadable. That it is unreadable is said if an item asks for it."""
    text = read.submission.heuristic
    if text is not None:
        try:
            get_heuristic(text, assignment.puzzle, assignment.moves)
            return text
        except HstarError as error:
            if any(item.kind in ("heuristic_admissible", "claims_true") for item in assignment.given.rubric):
                faults.append(ReadFault(where="heuristic", message=error.message))
    return assignment.given.heuristic


def databases_of(given: AssignmentIn, read: Read) -> dict[str, int]:
    """What identifies each pattern database that the student's heuristic names, and its bytes at most.

    A heuristic that cannot be read names none; the grading says what is wrong with it.
    """
    if read.submission.heuristic is None:
        return {}
    puzzle = get_puzzle(given.puzzle, given.goal)
    try:
        heuristic = get_heuristic(read.submission.heuristic, puzzle, puzzle.move_set(given.moves))
    except HstarError:
        return {}
    return named_by([heuristic.expression])


@dataclass(frozen=True, slots=True)
class _Line:
    """A line and the state of its scramble, or what is wrong with the scramble."""

    number: int
    row: SubmissionRow
    state: State | None
    alg: tuple[str, ...] | None
    fault: str


@dataclass
class _Assigned:
    """The last line for each instance, by its name; the student's own instances; and the other lines."""

    chosen: dict[str, tuple[int, SubmissionRow]] = field(default_factory=dict)
    own: dict[State, Instance] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def _line(case: Case, number: int, row: SubmissionRow) -> _Line:
    puzzle = case.assignment.puzzle
    reader = case.labelling or puzzle
    try:
        if row.scramble is not None:
            alg = reader.parse_alg(row.scramble)
            return _Line(number, row, puzzle.apply_alg(puzzle.solved, alg), alg, "")
        if row.state is not None:
            return _Line(number, row, reader.parse_state(row.state), None, "")
    except HstarError as error:
        detail = f": {error.faults[0]}" if error.faults else ""
        return _Line(number, row, None, None, f"cannot read its scramble: {error.message}{detail}")
    fault = f"no instance is called {row.instance!r:.80}" if row.instance else "it names no instance"
    return _Line(number, row, None, None, fault)


def _assigned(case: Case, lines: Sequence[_Line], instances: Sequence[Instance]) -> _Assigned:
    """Match each line to one of these instances, as if there were no others."""
    found = _Assigned()
    by_name = {instance.name: instance for instance in instances}
    by_state: dict[State, Instance] = {}
    for known in instances:
        by_state.setdefault(known.state, known)
    for line in lines:
        instance: Instance | None
        if line.row.instance is not None and line.row.instance in by_name:
            instance, why = by_name[line.row.instance], ""
        elif line.state is None:
            instance, why = None, line.fault
        else:
            instance, why = by_state.get(line.state) or found.own.get(line.state), ""
            if instance is None:
                instance, why = _own(case, line, line.state, found)
        if instance is None:
            found.left_out.append(f"row {line.number}: {why}")
            continue
        if instance.name in found.chosen:
            earlier = found.chosen[instance.name][0]
            found.left_out.append(f"row {earlier}: row {line.number} is for the same instance, {instance.name}")
        found.chosen[instance.name] = line.number, line.row
    return found


def _own(case: Case, line: _Line, state: State, found: _Assigned) -> tuple[Instance | None, str]:
    """The student's own instance in a line, named so that equal names mean equal instances."""
    if not case.assignment.given.own_scrambles:
        hint = "" if case.labelling is None else ", read in the names of its labels"
        return None, f"its scramble is none of the assignment's instances{hint}"
    if len(found.own) >= MAX_OWN:
        return None, f"at most {MAX_OWN} own instances are graded"
    puzzle = case.assignment.puzzle
    if line.alg is not None:
        text = puzzle.format_alg(line.alg) or "solved"
    else:
        shown = puzzle.format_state(state)
        text = str(shown["rows"]) if "rows" in shown else f"state {sha256(state).hexdigest()[:12]}"
    name = f"own: {short_name(text)}"
    while any(name == instance.name for instance in case.assignment.instances):
        name = f"own {name}"
    k = None if line.alg is None else len(line.alg)
    found.own[state] = Instance(name, state, line.alg, k, "visible", own=True)
    return found.own[state], ""


def _some(left_out: list[str]) -> list[str]:
    more = len(left_out) - MAX_IGNORED
    return [*left_out[:MAX_IGNORED], f"and {more:,} more"] if more > 0 else left_out


def _verified(case: Case, number: int, row: SubmissionRow, instance: Instance) -> Row:
    assignment = case.assignment
    shown = assignment.puzzle.format_state(instance.state)
    request: dict[str, Any] = {
        "puzzle": assignment.given.puzzle, "goal": assignment.given.goal, "moves": assignment.moves.name,
        "state": {"pieces": shown["pieces"]} if "pieces" in shown else shown, "notation": case.notation,
        "heuristic": case.heuristic, "solution": row.solution, "limits": assignment.given.limits,
        "claims": Claims(
            length=row.length, expanded=row.nodes, generated=row.generated, optimal=row.optimal,
            heuristic=row.heuristic if row.heuristic is None or row.heuristic >= 0 else None,
        ),
    }  # fmt: skip
    if case.labelling is not None:
        labels = case.read.submission.labels
        request |= {"labels": labels, "state": case.labelling.format_state(instance.state)}
    verdict = verify(VerificationRequest.model_validate(request), case.control)
    heuristic = get_heuristic(case.heuristic, assignment.puzzle, assignment.moves)
    counts = Counts(verdict.claims, instance.state, assignment.moves, heuristic)
    return Row(number, row, verdict, counts, _fingerprint(case, row, instance))


def _fingerprint(case: Case, row: SubmissionRow, instance: Instance) -> str:
    """The fingerprint of a solution, equal for equal moves in any notation."""
    replayed = replay(case.reader, instance.state, case.assignment.moves, row.solution)
    moves = replayed.moves if replayed.number is None else tuple(row.solution.split())
    return sha256(" ".join(moves).encode("utf-8", "surrogatepass")).hexdigest()[:12]
