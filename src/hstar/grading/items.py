"""The items of a rubric: the points of each for a submission, and the reasons for deductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, get_args

from hstar.audits import heuristic as heuristics
from hstar.audits import model as models
from hstar.audits.schema import HeuristicAuditRequest
from hstar.errors import HstarError
from hstar.grading.assignments import Assignment, Instance
from hstar.grading.case import Case, Row, command_line
from hstar.grading.schema import Deduction, ItemKind, Overestimate, Part, RubricItem, Visibility
from hstar.verification.schema import ClaimJudged

__all__ = ["KINDS", "PER_INSTANCE", "covered", "parts", "shown", "stricter"]

#: from visible to all to hidden from every student
VISIBILITIES: tuple[Visibility, ...] = ("visible", "after_due_date", "hidden")

#: makes a command also write a file that proves what was wrong, so that an appeal is answered with it
PROOF = ("--certificate", "proof.hcert")

Reached = tuple[Fraction, Deduction | None, str | None]


def shown(points: Fraction) -> float:
    """Points as they are shown, with six digits."""
    return round(float(points), 6)


def parts(case: Case, number: int, item: RubricItem) -> Iterator[tuple[Part, Fraction]]:
    """The item's parts, one for each visibility of its instances, and the exact points of each."""
    if item.kind == "manual":  # marked by a person, in the gradebook
        return
    if item.kind == "covers_k":
        yield from _covers(case, number, item)
        return
    per_instance = PER_INSTANCE.get(item.kind)
    if per_instance is None:
        points, deductions, notes = _ON_THE_WHOLE[item.kind](case, item)
        yield _part(f"{number}", item, item.visibility, points, Fraction(item.points), deductions, notes)
        return
    if not case.instances:
        text = Deduction(points=item.points, reason="no instance was submitted")
        yield _part(f"{number}", item, item.visibility, Fraction(0), Fraction(item.points), [text], [])
        return
    share = Fraction(item.points) / len(case.instances)
    for visibility in VISIBILITIES:
        mine = [i for i in case.instances if stricter(item.visibility, i.visibility) == visibility]
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


def stricter(one: Visibility, other: Visibility) -> Visibility:
    """The stricter of two visibilities."""
    return max(one, other, key=VISIBILITIES.index)


def _part(
    number: str,
    item: RubricItem,
    visibility: Visibility,
    points: Fraction,
    possible: Fraction,
    deductions: list[Deduction],
    notes: list[str],
) -> tuple[Part, Fraction]:
    part = Part.model_validate(
        {
            "number": number, "name": item.name or item.kind, "kind": item.kind, "visibility": visibility,
            "score": shown(points), "max_score": shown(possible), "passed": points == possible,
            "notes": notes[:20], "deductions": deductions,
        }
    )  # fmt: skip
    return part, points


def _less(
    share: Fraction, reason: str, instance: Instance, row: Row | None = None, command: str | None = None
) -> Deduction:
    return Deduction(
        points=shown(share),
        reason=reason,
        command=command,
        instance=instance.name,
        row=None if row is None else row.number,
    )


def _valid(case: Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None:
        return Fraction(0), _less(share, "no line of the submission is for this instance", instance), None
    if row.verdict.valid:
        return share, None, None
    where = "" if row.verdict.first_wrong is None else f"move {row.verdict.first_wrong}: "
    command = case.commands(row, instance, *PROOF)
    return Fraction(0), _less(share, f"{where}{row.verdict.reason}", instance, row, command), None


def _no_solution(case: Case, instance: Instance, share: Fraction, row: Row | None) -> Reached:
    command = None if row is None else case.commands(row, instance, *PROOF)
    return Fraction(0), _less(share, "there is no valid solution for this instance", instance, row, command), None


def _optimal(case: Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.valid:
        return _no_solution(case, instance, share, row)
    verdict = row.verdict
    if verdict.optimal_length is None:
        note = f"{instance.name}: h* is not known within the limit, so the solution counts as optimal"
        return share, None, note
    if verdict.length <= verdict.optimal_length + item.excess:
        return share, None, None
    reason = f"the solution has {verdict.length} moves; {verdict.optimal_length} are enough"
    return Fraction(0), _less(share, reason, instance, row, case.commands(row, instance, *PROOF)), None


def _expanded(case: Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.valid:
        return _no_solution(case, instance, share, row)
    claim = next((claim for claim in row.verdict.claims if claim.claim == "expanded"), None)
    if claim is None:
        return Fraction(0), _less(share, "the line has no number of expanded nodes", instance, row), None
    if claim.judgement == "false":
        command = _count_command(case, row, instance)
        return (
            Fraction(0),
            _less(share, f"the number of nodes cannot be right: {claim.reason}", instance, row, command),
            None,
        )
    if item.at_most is not None and claim.claimed > item.at_most:
        reason = f"{claim.claimed:,} nodes were expanded; at most {item.at_most:,}"
        return Fraction(0), _less(share, reason, instance, row, _count_command(case, row, instance)), None
    return share, None, None


def _claims(case: Case, item: RubricItem, instance: Instance, share: Fraction) -> Reached:
    row = case.rows.get(instance.name)
    if row is None or not row.verdict.claims:
        return Fraction(0), _less(share, "the submission claims nothing about this instance", instance, row), None
    wrong = [claim for claim in row.verdict.claims if claim.judgement == "false"]
    notes = [text for claim in row.verdict.claims if (text := _convention(case, row, claim)) is not None]
    note = "; ".join(f"{instance.name}: {text}" for text in notes) or None
    if not wrong:
        return share, None, note
    lost = share * len(wrong) / len(row.verdict.claims)
    reason = "; ".join(f"{claim.claim} {claim.claimed}: {claim.reason}" for claim in wrong)
    return share - lost, _less(lost, reason, instance, row, _count_command(case, row, instance)), note


def _convention(case: Case, row: Row, claim: ClaimJudged) -> str | None:
    """A note about a right count: its convention, and whether the other lines share it."""
    if case.common is not None and row.counts.fitting(claim) and not case.common.explains(row.counts, claim):
        others, number, of = case.common.in_words(claim.claim), case.common.explained, case.common.of
        which = "most counts in the submission" if 2 * number > of else f"{number} of the {of} counts"
        return f"{claim.claim} {claim.claimed} does not fit the convention of {which}: {others}"
    if claim.judgement != "convention":
        return None
    if case.common is not None and case.common.explains(row.counts, claim):
        words = case.common.in_words(claim.claim)
        return f"{claim.claim} {claim.claimed} is right under another convention: {words}"
    return f"{claim.claim} {claim.claimed} is {claim.reason}"


def _count_command(case: Case, row: Row, instance: Instance) -> str | None:
    more = []
    if case.heuristic is not None:
        more += ["--heuristic", case.heuristic]
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


def _heuristic(case: Case, item: RubricItem) -> Whole:
    """The student's heuristic as an expression, or the values that the program printed, in a table or in the lines."""
    submission, assignment = case.read.submission, case.assignment
    values = [value.model_dump() for value in submission.values or ()]
    if not values and submission.heuristic is None:
        values = [
            {"state": assignment.puzzle.format_state(instance.state), "h": row.given.heuristic}
            for instance in case.instances
            if (row := case.rows.get(instance.name)) is not None
            and row.given.heuristic is not None
            and stricter(item.visibility, instance.visibility)
            == item.visibility  # otherwise it would reveal hidden ones
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
        text = f"cannot read the heuristic: {error.message}{detail}"
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
        command = command_line(
            ["hstar", "audit", "heuristic", assignment.given.puzzle, submission.heuristic, "--moves",
             assignment.moves.name, "--radius", str(radius), *_goal(assignment), *PROOF]
        )  # fmt: skip
    elif found is not None and found.alg is not None:  # the distance, which the printed value exceeds
        alg = assignment.puzzle.format_alg(found.alg)
        moves = assignment.moves.name
        command = command_line(
            ["hstar", "solve", assignment.given.puzzle, "--alg", alg, "--moves", moves, *_goal(assignment)]
        )  # fmt: skip
    seen = None
    if submission.heuristic is not None and found is not None and found.alg is not None:
        seen = Overestimate(heuristic=submission.heuristic, alg=list(found.alg))
    return Fraction(0), [Deduction(points=item.points, reason=reason, command=command, overestimate=seen)], []


def _goal(assignment: Assignment) -> list[str]:
    goal = assignment.given.goal
    return [] if goal is None else ["--goal", " ".join(map(str, goal))]


def _model(case: Case, item: RubricItem) -> Whole:
    model = case.read.submission.model
    if model is None:
        return Fraction(0), [Deduction(points=item.points, reason="there is no model in the submission")], []
    try:
        asked = {"puzzle": case.assignment.given.puzzle, "goal": case.assignment.given.goal}
        verdict = models.audit(model.model_copy(update=asked))
    except HstarError as error:
        detail = f": {error.faults[0]}" if error.faults else ""
        text = f"cannot read the model: {error.message}{detail}"
        return Fraction(0), [Deduction(points=item.points, reason=text)], []
    full = Fraction(item.points)
    if verdict.verdict == "same":
        return full, [], [verdict.summary]
    whole = ["--puzzle", case.assignment.given.puzzle, *_goal(case.assignment)]
    command = command_line(["hstar", "audit", "model", case.read.name, *whole])
    if verdict.verdict == "mirrored":
        reached = full * Fraction(item.mirrored)
        text = f"the model is the mirror image: {verdict.summary}"
        return reached, [Deduction(points=shown(full - reached), reason=text, command=command)], []
    text = f"the model is wrong: {'; '.join(reason.message for reason in verdict.reasons[:2])}"
    return Fraction(0), [Deduction(points=item.points, reason=text, command=f"{command} {command_line(PROOF)}")], []


def covered(instances: Sequence[Instance], k: int, visibility: Visibility) -> tuple[Visibility, list[Instance]]:
    """The instances that can cover k, and their visibility: only the most visible ones of this k, so that no visible
    points depend on a hidden instance."""
    able = [(stricter(visibility, instance.visibility), instance) for instance in instances if instance.k == k]
    least = min((seen for seen, _ in able), key=VISIBILITIES.index, default=visibility)
    return least, [instance for seen, instance in able if seen == least]


def _covers(case: Case, number: int, item: RubricItem) -> Iterator[tuple[Part, Fraction]]:
    wanted = item.k or []
    share = Fraction(item.points) / len(wanted)
    by_k = {k: covered(case.instances, k, item.visibility) for k in wanted}
    for visibility in VISIBILITIES:
        mine = [k for k in wanted if by_k[k][0] == visibility]
        if not mine:
            continue
        missing = [k for k in mine if not any(_is_valid(case, instance) for instance in by_k[k][1])]
        reasons = [Deduction(points=shown(share), reason=f"there is no valid solution with k = {k}") for k in missing]
        part = f"{number}" if len(mine) == len(wanted) else f"{number}.{visibility}"
        yield _part(part, item, visibility, share * (len(mine) - len(missing)), share * len(mine), reasons, [])


def _is_valid(case: Case, instance: Instance) -> bool:
    row = case.rows.get(instance.name)
    return row is not None and row.verdict.valid


#: all kinds of items
KINDS: tuple[ItemKind, ...] = get_args(ItemKind)
PER_INSTANCE: Mapping[ItemKind, Callable[[Case, RubricItem, Instance, Fraction], Reached]] = {
    "valid": _valid, "optimal": _optimal, "expanded_at_most": _expanded, "claims_true": _claims,
}  # fmt: skip
_ON_THE_WHOLE: Mapping[ItemKind, Callable[[Case, RubricItem], Whole]] = {
    "heuristic_admissible": _heuristic, "model_right": _model,
}  # fmt: skip
