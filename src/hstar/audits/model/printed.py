"""Auditing models by their output: neighbours of faces, or states after algs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hstar.audits.model.schema import ModelAudit, PrintedState, Reason
from hstar.errors import Fault, HstarError, InvalidAlg, InvalidRequest
from hstar.labels import Labelling
from hstar.polyhedra import reversed_order
from hstar.puzzles import Puzzle, State
from hstar.schema import LabelsIn

MAX_DIFFERENCES = 6


def audit_neighbours(
    puzzle: Puzzle, neighbours: Mapping[str, Sequence[str]], anchors: Mapping[str, str] | None
) -> ModelAudit:
    """The verdict on a table of each face's clockwise neighbours."""
    try:
        labelling = Labelling.from_neighbours(neighbours, puzzle, anchors=anchors)
    except InvalidRequest as error:
        mirrored = _mirrored(puzzle, neighbours, anchors)
        if mirrored is not None:
            text = "every face's neighbours are listed counter-clockwise: the table is the mirror image"
            return ModelAudit(puzzle=puzzle.name, verdict="mirrored", summary=text, labels=dict(mirrored.faces))
        reasons = [Reason(kind="table", message=str(fault)) for fault in error.faults]
        return ModelAudit(puzzle=puzzle.name, verdict="wrong", summary=error.message, reasons=reasons)
    text = "the faces have the right neighbours"
    return ModelAudit(puzzle=puzzle.name, verdict="same", summary=text, labels=dict(labelling.faces))


def _mirrored(
    puzzle: Puzzle, neighbours: Mapping[str, Sequence[str]], anchors: Mapping[str, str] | None
) -> Labelling | None:
    try:
        return Labelling.from_neighbours(reversed_order(neighbours), puzzle, anchors=anchors)
    except (InvalidRequest, KeyError, TypeError):
        return None


def read_algs(
    puzzle: Puzzle, printed: Sequence[PrintedState], labels: LabelsIn | None
) -> tuple[Puzzle | Labelling, list[tuple[str, ...]]]:
    """What reads the states, and the alg of each.

    :raises HstarError: the labels or some algs cannot be read; of algs it has the places of all
    """
    labelling = None if labels is None else Labelling.from_neighbours(labels.neighbours, puzzle, anchors=labels.anchors)
    reader: Puzzle | Labelling = puzzle if labelling is None else labelling
    algs, faults = list[tuple[str, ...]](), list[Fault]()
    for number, line in enumerate(printed):
        try:
            algs.append(tuple(reader.parse_alg(line.alg)))
        except InvalidAlg as error:
            faults += [Fault(f"/states/{number}/alg", str(fault)) for fault in error.faults]
    if faults:
        raise InvalidAlg("some algs of the states cannot be read", faults)
    return reader, algs


def audit_states(puzzle: Puzzle, printed: Sequence[PrintedState], labels: LabelsIn | None) -> ModelAudit:
    """The verdict on states that a program printed after algs, compared with ours after the same algs.

    :raises HstarError: the labels or an alg cannot be read
    """
    reader, algs = read_algs(puzzle, printed, labels)
    reasons = []
    backwards = True
    in_length = sorted(range(len(printed)), key=lambda number: len(algs[number]))
    for number in in_length:
        alg, shown = algs[number], printed[number].alg or "no moves"
        expected = after(puzzle, alg)
        try:
            state = reader.parse_state(printed[number].state)
        except HstarError as error:
            backwards = False
            fault = f": {error.faults[0]}" if error.faults else ""
            reasons.append(Reason(kind="state", message=f"after {shown}: {error.message}{fault}"))
            continue
        if state != after(puzzle, [puzzle.inverse(move) for move in alg]):
            backwards = False
        if expected is None:
            reasons.append(Reason(kind="state", message=f"after {shown}: from solved these moves cannot be made"))
        elif state != expected:
            reasons.append(Reason(kind="state", message=f"after {shown}: {_differences(reader, state, expected)}"))
    count = len(printed)
    if not reasons:
        text = f"all {count} states are ours; other scrambles may still differ, and its turns would settle it"
        return ModelAudit(puzzle=puzzle.name, verdict="same", summary=text)
    if backwards:
        text = f"all {count} states are ours with every move the other way round: the mirror image"
        return ModelAudit(puzzle=puzzle.name, verdict="mirrored", summary=text)
    text = f"{len(reasons)} of {count} states are wrong"
    return ModelAudit(puzzle=puzzle.name, verdict="wrong", summary=text, reasons=reasons[:20])


def after(puzzle: Puzzle, alg: Sequence[str]) -> State | None:
    """The state after moves from solved; None if one of them cannot be made."""
    state: State | None = puzzle.solved
    for move in alg:
        state = None if state is None else puzzle.apply(state, move)
    return state


def _differences(reader: Puzzle | Labelling, state: State, expected: State) -> str:
    """The first facelets, or tiles, that differ."""
    theirs, ours = reader.format_state(state), reader.format_state(expected)
    if "facelets" in ours:
        found = [
            f"{face}[{i}] is {shown[i]}, should be {right[i]}"
            for face, right in ours["facelets"].items()
            for shown in (theirs["facelets"][face],)
            for i in range(len(right))
            if shown[i] != right[i]
        ]
    else:
        found = [f"{theirs} should be {ours}"]
    more = f", and {len(found) - MAX_DIFFERENCES} more" if len(found) > MAX_DIFFERENCES else ""
    return ", ".join(found[:MAX_DIFFERENCES]) + more
