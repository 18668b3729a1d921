"""Scoring a submission: every item of the rubric, each deduction with its reason and a command that shows it.

Points are exact fractions until they are shown, and nothing depends on time, so a second grading is the first one byte
for byte.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hstar.audits import heuristic as heuristics
from hstar.audits import model as models
from hstar.audits.schema import HeuristicAuditRequest
from hstar.errors import HstarError
from hstar.grading.assignments import Assignment, Instance
from hstar.grading.schema import Deduction, Graded, Grading, ItemKind, Part, ReadFault, RubricItem, SubmissionRow
from hstar.grading.submissions import Read
from hstar.labels import Labelling
from hstar.puzzles import State
from hstar.search import Control
from hstar.verification import Claims, Verification, VerificationRequest, verify

__all__ = ["score"]

#: instances of their own that students may bring
MAX_OWN = 500
MAX_IGNORED = 20
MAX_COMMAND = 4000

Reached = tuple[Fraction, Deduction | None, str | None]


@dataclass(frozen=True, slots=True)
class _Row:
    """One line that was matched to an instance, and what the service found."""

    number: int
    given: SubmissionRow
    verdict: Verification


@dataclass
class _Case:
    """A submission beside its assignment."""

    assignment: Assignment
    read: Read
    labelling: Labelling | None
    control: Control | None
    instances: list[Instance]
    rows: Mapping[str, _Row] = field(default_factory=dict)

    def commands(self, row: _Row, instance: Instance, *more: str) -> str | None:
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


def score(assignment: Assignment, read: Read, control: Control | None = None) -> Grading:
    """The grading of a submission; what is wrong with it is part of the answer.

    :param control: stops the searches; a grading that was stopped must not be used
    """
    faults = list(read.faults)
    case = _Case(assignment, read, _labelling(assignment, read, faults), control, list(assignment.instances))
    ignored: list[str] = []
    case.rows = _match(case, faults, ignored)
    parts = [part for number, item in enumerate(assignment.given.rubric, 1) for part in _parts(case, number, item)]
    total = sum((Fraction(part.score).limit_denominator(10**6) for part in parts), Fraction(0))
    submission = read.submission
    return Grading(
        assignment=assignment.given.title,
        version=assignment.version,
        student=submission.student,
        name=submission.name,
        email=submission.email,
        submission=read.fingerprint,
        score=_shown(total),
        max_score=_shown(sum((Fraction(item.points) for item in assignment.given.rubric), Fraction(0))),
        parts=parts,
        graded=[_graded(instance, case.rows.get(instance.name)) for instance in case.instances],
        faults=faults,
        ignored=ignored,
    )


def _shown(points: Fraction) -> float:
    return round(float(points), 6)


def _labelling(assignment: Assignment, read: Read, faults: list[ReadFault]) -> Labelling | None:
    labels = read.submission.labels
    if labels is None:
        return None
    try:
        return Labelling.from_neighbours(labels.neighbours, assignment.puzzle, anchors=labels.anchors)
    except HstarError as error:
        faults += [ReadFault(where=f"labels{fault.where}", message=fault.message) for fault in error.faults[:10]]
        return None


# -- lines and instances -----------------------------------------------------------------------------------------------


def _match(case: _Case, faults: list[ReadFault], ignored: list[str]) -> dict[str, _Row]:
    """For each instance the last line that is for it, verified."""
    by_name = {instance.name: instance for instance in case.instances}
    by_state: dict[State, Instance] = {}
    for known in case.instances:
        by_state.setdefault(known.state, known)
    chosen: dict[str, tuple[int, SubmissionRow]] = {}
    left_out = 0
    for number, row in case.read.rows:
        instance, why = _instance_of(case, row, by_name, by_state)
        if instance is None:
            left_out += 1
            if left_out <= MAX_IGNORED:
                ignored.append(f"row {number}: {why}")
            continue
        if instance.name in chosen and len(ignored) < MAX_IGNORED:
            ignored.append(f"row {chosen[instance.name][0]}: row {number} is for the same instance, {instance.name}")
        chosen[instance.name] = number, row
    if left_out > MAX_IGNORED:
        ignored.append(f"and {left_out - MAX_IGNORED} more")
    instances = {instance.name: instance for instance in case.instances}
    return {name: _verified(case, number, row, instances[name], faults) for name, (number, row) in chosen.items()}


def _instance_of(
    case: _Case, row: SubmissionRow, by_name: Mapping[str, Instance], by_state: dict[State, Instance]
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


def _verified(case: _Case, number: int, row: SubmissionRow, instance: Instance, faults: list[ReadFault]) -> _Row:
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
        return _Row(number, row, verify(VerificationRequest.model_validate(request), case.control))
    except HstarError as error:  # their heuristic or notation; the solution is still looked at
        faults.append(ReadFault(where=f"row {number}", message=str(error.message)))
        request |= {"heuristic": assignment.given.heuristic, "notation": None}
        return _Row(number, row, verify(VerificationRequest.model_validate(request), case.control))


def _graded(instance: Instance, row: _Row | None) -> Graded:
    verdict = None if row is None else row.verdict
    return Graded(
        instance=instance.name,
        k=instance.k,
        visibility=instance.visibility,
        row=None if row is None else row.number,
        valid=verdict is not None and verdict.valid,
        length=None if verdict is None else verdict.length,
        optimal_length=None if verdict is None else verdict.optimal_length,
        expanded=None if row is None else row.given.nodes,
    )


# -- items of the rubric -----------------------------------------------------------------------------------------------


def _parts(case: _Case, number: int, item: RubricItem) -> Iterator[Part]:
    """The item's parts, one for each visibility of its instances."""
    per_instance = _PER_INSTANCE.get(item.kind)
    if per_instance is None:
        points, deductions, notes = _ON_THE_WHOLE[item.kind](case, item)
        yield _part(f"{number}", item, item.visibility, points, Fraction(item.points), deductions, notes)
        return
    if not case.instances:
        text = Deduction(points=item.points, reason="no instance was submitted")
        yield _part(f"{number}", item, item.visibility, Fraction(0), Fraction(item.points), [text], [])
        return
    share = Fraction(item.points) / len(case.instances)
    for visibility in ("visible", "after_due_date", "hidden"):
        mine = [i for i in case.instances if _stricter(item.visibility, i.visibility) == visibility]
        if not mine:
            continue
        reached = [per_instance(case, item, instance, share) for instance in mine]
        yield _part(
            f"{number}.{visibility}" if len(mine) < len(case.instances) else f"{number}",
            item,
            visibility,
            sum((points for points, _, _ in reached), Fraction(0)),
            share * len(mine),
            [deduction for _, deduction, _ in reached if deduction is not None],
            [note for _, _, note in reached if note is not None],
        )


def _stricter(one: str, other: str) -> str:
    order = ("visible", "after_due_date", "hidden")
    return max(one, other, key=order.index)


def _part(
    number: str,
    item: RubricItem,
    visibility: str,
    points: Fraction,
    possible: Fraction,
    deductions: list[Deduction],
    notes: list[str],
) -> Part:
    return Part.model_validate(
        {
            "number": number, "name": item.name or item.kind, "kind": item.kind, "visibility": visibility,
            "score": _shown(points), "max_score": _shown(possible), "passed": points == possible,
            "notes": notes[:20], "deductions": deductions,
        }
    )  # fmt: skip


def _less(
    share: Fraction, reason: str, instance: Instance, row: _Row | None = None, command: str | None = None
) -> Deduction:
    return Deduction(
        points=_shown(share),
        reason=reason,
        command=command,
        instance=instance.name,
        row=None if row is None else row.number,
    )


def _valid(case: _Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None:
        return Fraction(0), _less(share, "no line of the submission is for this instance", instance), None
    if row.verdict.valid:
        return share, None, None
    where = "" if row.verdict.first_wrong is None else f"move {row.verdict.first_wrong}: "
    return Fraction(0), _less(share, f"{where}{row.verdict.reason}", instance, row, case.commands(row, instance)), None


def _optimal(case: _Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.valid:
        return Fraction(0), _less(share, "there is no valid solution for this instance", instance, row), None
    verdict = row.verdict
    if verdict.optimal_length is None:
        note = f"{instance.name}: h* is not known within the limit, so the solution counts as optimal"
        return share, None, note
    if verdict.length <= verdict.optimal_length + item.excess:
        return share, None, None
    reason = f"the solution has {verdict.length} moves; {verdict.optimal_length} are enough"
    return Fraction(0), _less(share, reason, instance, row, case.commands(row, instance)), None


def _expanded(case: _Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.valid:
        return Fraction(0), _less(share, "there is no valid solution for this instance", instance, row), None
    claim = next((claim for claim in row.verdict.claims if claim.claim == "expanded"), None)
    if claim is None:
        return Fraction(0), _less(share, "the line tells no number of nodes expanded", instance, row), None
    if claim.judgement == "false":
        command = _count_command(case, row, instance)
        return (
            Fraction(0),
            _less(share, f"the number of nodes cannot be right: {claim.reason}", instance, row, command),
            None,
        )
    if item.at_most is not None and claim.claimed > item.at_most:
        reason = f"{claim.claimed:,} nodes were expanded; at most {item.at_most:,}"
        return Fraction(0), _less(share, reason, instance, row), None
    return share, None, None


def _claims(case: _Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.claims:
        return Fraction(0), _less(share, "the submission claims nothing of this instance", instance, row), None
    wrong = [claim for claim in row.verdict.claims if claim.judgement == "false"]
    notes = [claim for claim in row.verdict.claims if claim.judgement == "convention"]
    note = "; ".join(f"{instance.name}: {claim.claim} {claim.claimed} is {claim.reason}" for claim in notes) or None
    if not wrong:
        return share, None, note
    lost = share * len(wrong) / len(row.verdict.claims)
    reason = "; ".join(f"{claim.claim} {claim.claimed}: {claim.reason}" for claim in wrong)
    return share - lost, _less(lost, reason, instance, row, _count_command(case, row, instance)), note


def _count_command(case: _Case, row: _Row, instance: Instance) -> str | None:
    more = []
    heuristic = case.read.submission.heuristic or case.assignment.given.heuristic
    if heuristic is not None:
        more += ["--heuristic", heuristic]
    for claim in row.verdict.claims:
        if claim.claim == "optimal":
            more.append("--claim-optimal" if claim.claimed else "--claim-not-optimal")
        else:
            more += [
                f"--claim-{claim.claim}",
                f"{claim.claimed:g}" if claim.claim == "heuristic" else str(claim.claimed),
            ]
    return case.commands(row, instance, *more)


Whole = tuple[Fraction, list[Deduction], list[str]]


def _heuristic(case: _Case, item: RubricItem) -> Whole:
    """Their heuristic as an expression, or the values that they printed: a table, or beside the lines."""
    submission, assignment = case.read.submission, case.assignment
    values = [value.model_dump() for value in submission.values or ()]
    if not values and submission.heuristic is None:
        values = [
            {"state": assignment.puzzle.format_state(instance.state), "h": row.given.heuristic}
            for instance in case.instances
            if (row := case.rows.get(instance.name)) is not None and row.given.heuristic is not None
        ]
    full = Fraction(item.points)
    if submission.heuristic is None and not values:
        text = "there is no heuristic in the submission: neither an expression nor values"
        return Fraction(0), [Deduction(points=item.points, reason=text)], []
    request: dict[str, Any] = {
        "puzzle": assignment.given.puzzle, "goal": assignment.given.goal, "moves": assignment.moves.name,
        "radius": item.radius, "labels": submission.labels if submission.values else None,
    }  # fmt: skip
    request |= {"heuristic": submission.heuristic} if submission.heuristic is not None else {"values": values}
    try:
        verdict = heuristics.audit(HeuristicAuditRequest.model_validate(request), case.control)
    except HstarError as error:
        detail = f": {error.faults[0]}" if error.faults else ""
        text = f"the heuristic cannot be read: {error.message}{detail}"
        return Fraction(0), [Deduction(points=item.points, reason=text)], []
    if verdict.verdict != "refuted":
        return full, [], [verdict.reason]
    found = verdict.counterexample
    reason = f"the heuristic is not admissible: {verdict.reason}"
    if found is not None and found.alg is not None:
        reason = (
            f"the heuristic is not admissible: after {' '.join(found.alg) or 'no moves'} it is {found.h:g}, and "
            f"{found.distance} moves are enough"
        )
    command = None
    if submission.heuristic is not None:
        radius = item.radius if found is None else found.distance
        command = shlex.join(
            ["hstar", "audit", "heuristic", assignment.given.puzzle, submission.heuristic, "--moves",
             assignment.moves.name, "--radius", str(radius)]
        )  # fmt: skip
    return Fraction(0), [Deduction(points=item.points, reason=reason, command=command)], []


def _model(case: _Case, item: RubricItem) -> Whole:
    model = case.read.submission.model
    if model is None:
        return Fraction(0), [Deduction(points=item.points, reason="there is no model in the submission")], []
    try:
        verdict = models.audit(model.model_copy(update={"puzzle": case.assignment.given.puzzle}))
    except HstarError as error:
        detail = f": {error.faults[0]}" if error.faults else ""
        text = f"the model cannot be read: {error.message}{detail}"
        return Fraction(0), [Deduction(points=item.points, reason=text)], []
    full = Fraction(item.points)
    if verdict.verdict == "same":
        return full, [], [verdict.summary]
    command = "hstar audit model model.json"
    if verdict.verdict == "mirrored":
        reached = full * Fraction(item.mirrored)
        text = f"the model is the mirror image: {verdict.summary}"
        return reached, [Deduction(points=_shown(full - reached), reason=text, command=command)], []
    text = f"the model is wrong: {'; '.join(reason.message for reason in verdict.reasons[:2])}"
    return Fraction(0), [Deduction(points=item.points, reason=text, command=command)], []


def _covers(case: _Case, item: RubricItem) -> Whole:
    wanted = item.k or []
    share = Fraction(item.points) / max(len(wanted), 1)
    solved = {i.k for i in case.instances if (row := case.rows.get(i.name)) is not None and row.verdict.valid}
    missing = [k for k in wanted if k not in solved]
    found = [Deduction(points=_shown(share), reason=f"there is no valid solution with k = {k}") for k in missing]
    return share * (len(wanted) - len(missing)), found, []


_PER_INSTANCE: Mapping[ItemKind, Callable[[_Case, RubricItem, Instance, Fraction], Reached]] = {
    "valid": _valid, "optimal": _optimal, "expanded_at_most": _expanded, "claims_true": _claims,
}  # fmt: skip
_ON_THE_WHOLE: Mapping[ItemKind, Callable[[_Case, RubricItem], Whole]] = {
    "heuristic_admissible": _heuristic, "model_right": _model, "covers_k": _covers,
}  # fmt: skip
