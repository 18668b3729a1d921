"""Refutations of what audits, checks and verifications have found wrong, from their request and their answer.

>>> of_heuristic_audit(request, audit(request)).write(file)                       # doctest: +SKIP

Each raises `Refused` if the verdict is not that something is wrong, or has no witness that the checker accepts.
"""

from __future__ import annotations

from hstar.audits import values
from hstar.audits.heuristic import HeuristicAudit, HeuristicAuditRequest
from hstar.audits.model import ModelAudit, ModelAuditRequest
from hstar.audits.model.printed import after
from hstar.certificates import refutations
from hstar.certificates.file import Refused
from hstar.certificates.refutations import Refutation
from hstar.errors import HstarError, InvalidAlg
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest
from hstar.labels import Labelling
from hstar.puzzles import Puzzle, get_puzzle
from hstar.puzzles.notation import Said
from hstar.schema import LabelsIn
from hstar.verification import Prepared, Verification, VerificationRequest

__all__ = ["of_check", "of_heuristic_audit", "of_model_audit", "of_verification"]


def of_heuristic_audit(request: HeuristicAuditRequest, found: HeuristicAudit) -> Refutation:
    """A state on which h is above what a solution costs; else a move that lowers h by more than it costs."""
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves, costs=True)
    example = found.counterexample
    if request.values is not None:
        if example is None or example.row is None or example.solution is None:
            raise Refused("not_proven", "none of the values is known to be above the true distance")
        state, _, value = values.read(request.values, puzzle, request.labels).rows[example.row - 1]
        solution = _reader(puzzle, request.labels).parse_alg(" ".join(example.solution))
        return refutations.stated_too_high(puzzle, moves, f"row {example.row}", value, state, solution)
    h = get_heuristic(request.heuristic, puzzle, moves).expression
    if example is not None and example.alg is not None:
        state = puzzle.apply_alg(puzzle.solved, example.alg)
        return refutations.inadmissible(puzzle, moves, h, state, puzzle.inverse_alg(example.alg))
    step = found.inconsistency
    if step is not None and step.alg is not None:
        return refutations.inconsistent(puzzle, moves, h, puzzle.apply_alg(puzzle.solved, step.alg), step.move)
    raise Refused("not_proven", "the heuristic was not refuted by a state")


def of_check(request: HeuristicCheckRequest, found: HeuristicCheck) -> Refutation:
    """The same for a quick check."""
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves, costs=True)
    h = get_heuristic(request.heuristic, puzzle, moves).expression
    if found.counterexample is not None:
        alg = found.counterexample.scramble
        state = puzzle.apply_alg(puzzle.solved, alg)
        return refutations.inadmissible(puzzle, moves, h, state, puzzle.inverse_alg(alg))
    step = found.inconsistency
    if step is not None and step.move is not None:
        return refutations.inconsistent(puzzle, moves, h, puzzle.apply_alg(puzzle.solved, step.scramble), step.move)
    raise Refused("not_proven", "the heuristic was not refuted by a state")


def of_model_audit(request: ModelAuditRequest, found: ModelAudit) -> Refutation:
    """Turns that are not the puzzle's, or a printed state that its alg does not lead to."""
    if found.verdict != "wrong":
        raise Refused("not_proven", "the model was not found to be wrong")
    puzzle = get_puzzle(request.puzzle, request.goal)
    if request.states is not None:
        return _printed(puzzle, request)
    if request.turns is None:
        raise Refused("no_witness", "of tables of neighbours there are none")
    turns, default = request.turns, puzzle.move_set(None)
    if any(reason.kind == "permutation" for reason in found.reasons):
        return refutations.not_a_permutation(puzzle, default, turns)
    fitting = [moves for moves in puzzle.move_sets.values() if len(moves.moves) == len(turns)]
    named = None if found.labels is None else [found.labels[name] for name in turns]
    ours = next((moves for moves in fitting if named is not None and set(named) == set(moves.moves)), None)
    return refutations.wrong_turns(puzzle, ours or (fitting or [default])[0], turns, named if ours else None)


def _printed(puzzle: Puzzle, request: ModelAuditRequest) -> Refutation:
    reader = _reader(puzzle, request.labels)
    for line in request.states or ():
        alg = reader.parse_alg(line.alg)
        try:
            state = reader.parse_state(line.state)
        except HstarError:
            continue  # what cannot be read is no state that a path could end in
        made = after(puzzle, alg)
        if made is not None and state != made:
            allowed = next((own for own in puzzle.move_sets.values() if set(alg) <= set(own.moves)), None)
            if allowed is not None:
                return refutations.no_path(puzzle, allowed, puzzle.solved, puzzle.contents(state), alg)
    raise Refused("no_witness", "none of the wrong states can be read")


def of_verification(request: VerificationRequest, found: Verification) -> Refutation:
    """A claimed solution that does not solve, or a shorter one."""
    asked = Prepared(request)
    if found.valid:
        if found.shorter is None:
            raise Refused("not_proven", "no shorter solution is known")
        solution = [move for token in found.shorter for move in asked.reader.begin()(Said(token))]
        return refutations.shorter(asked.puzzle, asked.moves, asked.state, solution)
    tokens, read = asked.reader.said(request.solution), asked.reader.begin()
    try:  # up to the first wrong one, which perhaps cannot be made
        alg = [move for token in tokens[: found.first_wrong] for move in read(token)]
    except InvalidAlg as error:
        raise Refused("no_witness", f"move {found.first_wrong} cannot be read: {error.message}") from None
    return refutations.no_path(asked.puzzle, asked.moves, asked.state, asked.puzzle.contents(asked.puzzle.solved), alg)


def _reader(puzzle: Puzzle, labels: LabelsIn | None) -> Puzzle | Labelling:
    return puzzle if labels is None else Labelling.from_neighbours(labels.neighbours, puzzle, anchors=labels.anchors)
