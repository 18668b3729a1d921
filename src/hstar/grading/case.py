"""A submission beside its assignment: each line matched to its instance and verified."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hstar.errors import HstarError
from hstar.grading.assignments import Assignment, Instance
from hstar.grading.counting import Common, Counts, common
from hstar.grading.schema import ReadFault, SubmissionRow
from hstar.grading.submissions import Read
from hstar.heuristics import get_heuristic
from hstar.labels import Labelling
from hstar.puzzles import State
from hstar.search import Control
from hstar.verification import Claims, Verification, VerificationRequest, verify

__all__ = ["Case", "Row", "matched"]

#: instances of their own that students may bring
MAX_OWN = 500
MAX_IGNORED = 20
MAX_COMMAND = 4000


@dataclass(frozen=True, slots=True)
class Row:
    """One line that was matched to an instance, and what the service found."""

    number: int
    given: SubmissionRow
    verdict: Verification
    counts: Counts


@dataclass
class Case:
    """A submission beside its assignment."""

    assignment: Assignment
    read: Read
    labelling: Labelling | None
    control: Control | None
    instances: list[Instance]
    rows: Mapping[str, Row] = field(default_factory=dict)
    common: Common | None = None

    def commands(self, row: Row, instance: Instance, *more: str) -> str | None:
        """``hstar verify`` of one line, in the service's own names, for which no file is needed."""
        given = self.assignment.given
        puzzle = self.assignment.puzzle
        if instance.alg is not None:
            start = ["--alg", puzzle.format_alg(instance.alg)]
        else:
            shown = puzzle.format_state(instance.state)
            start = ["--state", str(shown.get("rows", shown))]
        solution = row.given.solution
        if self.labelling is not None:
            solution = puzzle.format_alg(self.labelling.parse_alg(" ".join(row.verdict.solution)))
            if row.verdict.first_wrong is not None:
                solution += " ?"
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
        if self.read.submission.notation is not None and self.labelling is None:
            command += ["--notation", self.read.submission.notation]
        text = shlex.join([*command, *more])
        return text if len(text) <= MAX_COMMAND else None


def matched(
    assignment: Assignment, read: Read, control: Control | None, faults: list[ReadFault], ignored: list[str]
) -> Case:
    """The submission's lines beside the instances that they are for.

    :param faults: what could not be read is added here, and to ``ignored`` the lines that are not graded
    """
    case = Case(assignment, read, _labelling(assignment, read, faults), control, list(assignment.instances))
    case.rows = _match(case, faults, ignored)
    # Of visible instances alone, so that what is said of it tells nothing of hidden ones.
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


def _match(case: Case, faults: list[ReadFault], ignored: list[str]) -> dict[str, Row]:
    """For each instance the last line that is for it, verified."""
    by_name = {instance.name: instance for instance in case.instances}
    by_state: dict[State, Instance] = {}
    for known in case.instances:
        by_state.setdefault(known.state, known)
    chosen: dict[str, tuple[int, SubmissionRow]] = {}
    left_out: list[str] = []
    for number, row in case.read.rows:
        instance, why = _instance_of(case, row, by_name, by_state)
        if instance is None:
            left_out.append(f"row {number}: {why}")
            continue
        if instance.name in chosen:
            left_out.append(f"row {chosen[instance.name][0]}: row {number} is for the same instance, {instance.name}")
        chosen[instance.name] = number, row
    ignored += left_out[:MAX_IGNORED]
    if len(left_out) > MAX_IGNORED:
        ignored.append(f"and {len(left_out) - MAX_IGNORED:,} more")
    instances = {instance.name: instance for instance in case.instances}
    return {name: _verified(case, number, row, instances[name], faults) for name, (number, row) in chosen.items()}


def _instance_of(
    case: Case, row: SubmissionRow, by_name: Mapping[str, Instance], by_state: dict[State, Instance]
) -> tuple[Instance | None, str]:
    if row.instance is not None and row.instance in by_name:
        return by_name[row.instance], ""
    puzzle = case.assignment.puzzle
    reader = case.labelling or puzzle
    try:
        if row.scramble is not None:
            alg: tuple[str, ...] | None = reader.parse_alg(row.scramble)
            state = puzzle.apply_alg(puzzle.solved, alg or ())
        elif row.state is not None:
            alg, state = None, reader.parse_state(row.state)
        else:
            return None, f"no instance is called {row.instance!r:.80}" if row.instance else "it names no instance"
    except HstarError as error:
        detail = f": {error.faults[0]}" if error.faults else ""
        return None, f"its scramble cannot be read: {error.message}{detail}"
    if state in by_state:
        return by_state[state], ""
    if not case.assignment.given.own_scrambles:
        hint = "" if case.labelling is None else ", read in the names of its labels"
        return None, f"its scramble is none of the assignment's instances{hint}"
    own = len(case.instances) - len(case.assignment.instances)
    if own >= MAX_OWN:
        return None, f"only {MAX_OWN} instances of one's own are graded"
    found = Instance(f"own {own + 1}", state, alg, None if alg is None else len(alg), "visible")
    case.instances.append(found)
    by_state[state] = found
    return found, ""


def _verified(case: Case, number: int, row: SubmissionRow, instance: Instance, faults: list[ReadFault]) -> Row:
    assignment, submission = case.assignment, case.read.submission
    shown = assignment.puzzle.format_state(instance.state)
    request: dict[str, Any] = {
        "puzzle": assignment.given.puzzle, "goal": assignment.given.goal, "moves": assignment.moves.name,
        "state": {"pieces": shown["pieces"]} if "pieces" in shown else shown, "notation": submission.notation,
        "heuristic": submission.heuristic or assignment.given.heuristic, "solution": row.solution,
        "limits": assignment.given.limits,
        "claims": Claims(
            length=row.length, expanded=row.nodes, generated=row.generated, optimal=row.optimal,
            heuristic=row.heuristic if row.heuristic is None or row.heuristic >= 0 else None,
        ),
    }  # fmt: skip
    if case.labelling is not None:
        request |= {"labels": submission.labels, "state": case.labelling.format_state(instance.state)}
    try:
        verdict = verify(VerificationRequest.model_validate(request), case.control)
    except HstarError as error:  # their heuristic or notation; the solution is still looked at
        faults.append(ReadFault(where=f"row {number}", message=str(error.message)))
        request |= {"heuristic": assignment.given.heuristic, "notation": None}
        verdict = verify(VerificationRequest.model_validate(request), case.control)
    heuristic = get_heuristic(request["heuristic"], assignment.puzzle, assignment.moves)
    return Row(number, row, verdict, Counts(verdict.claims, instance.state, assignment.moves, heuristic))
