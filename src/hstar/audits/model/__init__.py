"""Auditing a model: is the puzzle in a student's program right, a mirror image, or wrong, and where?

>>> turns = {"a": [...], "b": [...]}                                                   # doctest: +SKIP
>>> audit(ModelAuditRequest(puzzle="megaminx", turns=turns)).verdict                   # doctest: +SKIP
'same'

Slots and turns may have any numbers and names. A puzzle and its mirror image differ only in names, because a reflection
maps clockwise turns to counter-clockwise ones. So a mirror image is recognised only if the names say which turn is
which: if all names are those of our moves, or by ``anchors``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from hstar.audits.model import printed
from hstar.audits.model.explain import explain, in_order, single_turns
from hstar.audits.model.schema import ModelAudit, ModelAuditRequest, Reason, ResultTouched
from hstar.audits.model.turn_system import ours
from hstar.errors import Fault, InvalidAlg, InvalidRequest
from hstar.groups.isomorphism import Isomorphism, find, with_turns
from hstar.groups.permutations import word
from hstar.groups.turn_system import TurnSystem
from hstar.puzzles import MoveSet, Puzzle, get_puzzle

__all__ = ["ModelAudit", "ModelAuditRequest", "audit", "check", "read"]


def read(text: str) -> ModelAuditRequest:
    """A request from JSON.

    :raises InvalidRequest: it is not JSON
    :raises pydantic.ValidationError: it is not such a request; has all faults
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("the model is not JSON", [Fault("", str(error))]) from None
    return ModelAuditRequest.model_validate(given)


def check(request: ModelAuditRequest) -> None:
    """Raise `HstarError` unless the puzzle exists, and labels and algs of states can be read. Faults of the model
    are its verdict, not errors."""
    puzzle = get_puzzle(request.puzzle, request.goal)
    if request.states is not None:
        printed.read_algs(puzzle, request.states, request.labels)


def audit(request: ModelAuditRequest) -> ModelAudit:
    """The verdict on a model.

    :raises HstarError: the puzzle is unknown or has no facelets, or anchors or labels cannot be read. Errors in the
    model itself are not raised; they are the verdict
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    if request.neighbours is not None:
        return printed.audit_neighbours(puzzle, request.neighbours, request.anchors)
    if request.states is not None:
        return printed.audit_states(puzzle, request.states, request.labels)
    assert request.turns is not None
    named = _named(puzzle, list(request.turns), request.anchors or {})
    faults = _not_permutations(request.turns)
    if faults:
        known = None if named is None else dict(zip(request.turns, named, strict=True))
        return _wrong(puzzle, faults, "a turn that is not a permutation loses facelets", known)
    theirs = TurnSystem(tuple(request.turns), tuple(tuple(p) for p in request.turns.values()))
    verdict = _judge(puzzle, theirs, named)
    return verdict.model_copy(update={"claims": _results(request, puzzle, theirs, verdict)})


def _named(puzzle: Puzzle, names: Sequence[str], anchors: dict[str, str]) -> list[str] | None:
    """Our move for each turn, if all names (or their anchors) are different moves of ours."""
    unknown = [Fault(f"/anchors/{name}", "there is no turn of this name") for name in anchors if name not in names]
    found = []
    for name in names:
        try:
            moves = puzzle.parse_alg(anchors.get(name, name))
        except InvalidAlg as error:
            if name in anchors:
                unknown.append(Fault(f"/anchors/{name}", error.shortly))
            continue
        if len(moves) == 1:
            found.append(moves[0])
    if unknown:
        raise InvalidRequest("cannot read the anchors", unknown)
    return found if len(set(found)) == len(names) else None


def _not_permutations(turns: dict[str, list[object]]) -> list[Reason]:
    """All faults of turns that are not permutations of the same slots."""
    if not turns:
        return [Reason(kind="turns", message="there are no turns")]
    sizes = sorted({len(p) for p in turns.values()}, key=lambda size: -sum(len(p) == size for p in turns.values()))
    reasons = []
    for name, p in turns.items():
        if len(p) != sizes[0]:
            text = f"{name} has {len(p)} slots, and others have {sizes[0]}"
            reasons.append(Reason(kind="permutation", message=text, turns=[name]))
            continue
        wrong = [i for i, v in enumerate(p) if type(v) is not int or not 0 <= v < len(p)]
        if wrong:
            text = f"{name} is no permutation: p[{wrong[0]}] = {p[wrong[0]]!r:.40} is no slot from 0 to {len(p) - 1}"
            reasons.append(Reason(kind="permutation", message=text, turns=[name], slots=wrong[:20]))
            continue
        missing = sorted(set(range(len(p))) - set(p))
        if missing:
            twice = next(v for v in p if p.count(v) > 1)
            at = [i for i, v in enumerate(p) if v == twice]
            text = (
                f"{name} is no permutation: slots {at[0]} and {at[1]} both take what was in slot {twice}, "
                f"and what was in slot {missing[0]} is lost"
            )
            reasons.append(Reason(kind="permutation", message=text, turns=[name], slots=at))
    return reasons


def _judge(puzzle: Puzzle, theirs: TurnSystem, named: list[str] | None) -> ModelAudit:
    fitting = [m for m in puzzle.move_sets.values() if len(m.moves) == len(theirs.turns)]
    if named is not None and fitting:
        found = _as_named(puzzle, theirs, named)
        if found is not None:
            text = "every turn does what our move of its name does"
            return _right(puzzle, theirs, ours(puzzle, tuple(named)), found, "same", text)
        inverse = [puzzle.inverse(move) for move in named]
        found = _as_named(puzzle, theirs, inverse)
        if found is not None:
            text = (
                "every turn does what our move of its name does the other way round: this is the mirror image, or all "
                "turns go counter-clockwise, or p is written the other way (old[p[i]] = new[i])"
            )
            return _right(puzzle, theirs, ours(puzzle, tuple(inverse)), found, "mirrored", text)
    for moves in fitting:
        system = ours(puzzle, moves.moves)
        found = find(theirs, system)
        if found is not None:
            text = f"under other names and numbers these are the moves {moves.name}"
            return _right(puzzle, theirs, system, found, "same", text)
    system = ours(puzzle, next(iter(puzzle.move_sets.values())).moves)
    if not fitting:
        sizes = sorted({len(m.moves) for m in puzzle.move_sets.values()})
        text = f"there are {len(theirs.turns)} turns; move sets of {puzzle.title} have {', '.join(map(str, sizes))}"
        reasons = in_order([Reason(kind="turns", message=text), *single_turns(theirs, ours(puzzle, puzzle.moves))])
        return _wrong(puzzle, reasons, reasons[0].message, None)
    system = ours(puzzle, _nearest(fitting, named))
    by_name = None
    if named is not None and set(named) == set(system.names):
        by_name = [system.names.index(move) for move in named]
    reasons, scramble, known = explain(theirs, system, by_name)
    labels = None if known is None else {name: system.names[known[n]] for n, name in enumerate(theirs.names)}
    return _wrong(puzzle, reasons, reasons[0].message, labels).model_copy(update={"scramble": scramble})


def _nearest(fitting: Sequence[MoveSet], named: list[str] | None) -> tuple[str, ...]:
    """The move set that the names belong to, else the first."""
    sets = [m.moves for m in fitting]
    return next((moves for moves in sets if named is not None and set(moves) == set(named)), sets[0])


def _as_named(puzzle: Puzzle, theirs: TurnSystem, moves: Sequence[str]) -> Isomorphism | None:
    system = ours(puzzle, tuple(moves))
    if theirs.types != system.types:
        return None
    return with_turns(theirs, system, range(len(moves)))


def _right(
    puzzle: Puzzle, theirs: TurnSystem, system: TurnSystem, found: Isomorphism, verdict: str, summary: str
) -> ModelAudit:
    names = [system.slots[found.slots[slot]] if slot in found.slots else None for slot in range(theirs.size)]
    return ModelAudit.model_validate(
        {
            "puzzle": puzzle.name, "verdict": verdict, "summary": summary, "facelets": names,
            "labels": {name: system.names[found.turns[n]] for n, name in enumerate(theirs.names)},
        }
    )  # fmt: skip


def _wrong(puzzle: Puzzle, reasons: list[Reason], summary: str, labels: dict[str, str] | None) -> ModelAudit:
    return ModelAudit(puzzle=puzzle.name, verdict="wrong", summary=summary, labels=labels, reasons=in_order(reasons))


def _results(
    request: ModelAuditRequest, puzzle: Puzzle, theirs: TurnSystem, verdict: ModelAudit
) -> list[ResultTouched]:
    """Which claimed results are wrong because of the model: those that solve the model but not the puzzle."""
    found = []
    suspects = {turn for reason in verdict.reasons if reason.kind in _BLAMES for turn in reason.turns}
    for number, result in enumerate(request.results, start=1):
        names = [*result.alg, *result.solution]
        missing = sorted(set(names) - set(theirs.names))
        if missing:
            raise InvalidRequest(
                "a result has turns that the model has not",
                [Fault(f"/results/{number - 1}", f"no turn {missing[0]!r:.40}")],
            )
        turns = [theirs.turns[theirs.names.index(name)] for name in names]
        in_theirs = word(turns, theirs.size) == tuple(range(theirs.size))
        in_ours = None
        if verdict.labels is not None:
            state = puzzle.apply_alg(puzzle.solved, [verdict.labels[name] for name in names])
            in_ours = state == puzzle.solved
        uses = sorted(suspects & set(names))
        touched = verdict.verdict == "wrong" and (in_theirs != in_ours or bool(uses))
        if in_ours is not None and in_theirs != in_ours:
            text = f"the solution solves {'the model, not the puzzle' if in_theirs else 'the puzzle, not the model'}"
        elif touched:
            text = "the model is wrong, and its turns have no counterparts on the puzzle"
            if uses:
                text = f"it makes wrong turns ({', '.join(uses)}), so its length and counts may be wrong"
        else:
            text = "the error does not affect it" if verdict.verdict == "wrong" else "the model is right"
        found.append(
            ResultTouched(number=number, touched=touched, solves_theirs=in_theirs, solves_ours=in_ours, reason=text)
        )
    return found


#: kinds of reasons that name wrong turns
_BLAMES = ("order", "cycles", "turn")
