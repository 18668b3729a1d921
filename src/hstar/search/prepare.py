"""From a request to a problem that is ready to search: everything is checked, and defaults are filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from hstar import schema
from hstar.errors import Fault, HstarError, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.labels import Labelling
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble, random_state
from hstar.puzzles.base import Choice
from hstar.search.algorithms import ALGORITHMS
from hstar.search.problem import Problem, Strategy

DEFAULT_MEMORY_MIB = 1024

T = TypeVar("T")


def prepare(request: schema.SolveRequest, caps: schema.LimitsIn | None = None) -> Problem:
    """Check a whole request and fill in its defaults.

    :param caps: no limit may be above these; a limit that is left out takes the cap
    :raises HstarError: the puzzle, state, alg, move set, heuristic or a limit is not acceptable
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    errors: list[HstarError] = []

    def part(read: Callable[[], T]) -> T | None:
        """Check one part of the request. If it is wrong, the others are still checked, so that all faults are
        reported."""
        try:
            return read()
        except HstarError as error:
            errors.append(error)
            return None

    moves = part(lambda: puzzle.move_set(request.moves))
    began = part(lambda: _start(request, puzzle))
    if began is not None and request.target is not None:
        given, start = began
        toward_it = part(lambda: _toward_target(request, puzzle, given, start))
        there, began = toward_it or (puzzle, None)
    elif began is not None and request.shorten is not None:
        there, _ = puzzle.along(puzzle.solved, began[0].alg or ())
    else:
        there = puzzle
    part(lambda: _check_options(request))
    if moves is not None:
        part(lambda: _check_puzzle(request, there, moves))
    limits = part(lambda: _limits(request.limits, caps or schema.LimitsIn()))
    strategies = part(lambda: _strategies(request, there, moves or puzzle.move_set(None), limits))
    if errors or moves is None or began is None or strategies is None or limits is None:
        raise _all_of(errors)
    given, start = began
    return Problem(
        puzzle=there,
        start=start,
        moves=moves,
        algorithm=request.algorithm,
        strategies=strategies,
        weight=request.weight,
        tie_breaking=request.tie_breaking,
        limits=limits,
        given=given,
        answers=request.algorithm == "auto" and puzzle.answers(moves),
        known=given.alg if request.shorten is not None else None,
        width=width_of(request.algorithm, request.width),
    )


def read_start(request: schema.SolveRequest) -> tuple[Puzzle, schema.Start, State]:
    """The puzzle of a request and its start; the options of the search are not checked.

    :raises HstarError: the puzzle, the state or the alg is not acceptable
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    return puzzle, *_start(request, puzzle)


def _toward_target(
    request: schema.SolveRequest, puzzle: Puzzle, given: schema.Start, start: State
) -> tuple[Puzzle, tuple[schema.Start, State]]:
    """The puzzle and the state whose solutions are the paths from the start to the target.

    :raises HstarError: there is no such target, no moves of sliding tiles lead there, states of the puzzle cannot be
        composed, or there are labels
    """
    if request.labels is not None:
        raise InvalidRequest("a target cannot be combined with labels", [Fault("/target", "leave labels out")])
    target = _target(request.target, puzzle, request.moves)
    there, its_start = puzzle.toward(start, target)
    return there, (given.model_copy(update={"target": puzzle.format_state(target)}), its_start)


def _target(given: object, puzzle: Puzzle, moves: str | None) -> State:
    """A state, or the state after ``{"alg": ...}`` from solved, or the random state of ``{"random": SEED}``."""
    match given:
        case {"alg": str(alg), **others} if not others:
            return puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg))
        case {"random": int(seed), **others} if not others and not isinstance(seed, bool):
            return random_state(puzzle, seed, moves)
    return puzzle.parse_state(given)


def _strategies(
    request: schema.SolveRequest, puzzle: Puzzle, moves: MoveSet, limits: schema.Limits | None
) -> tuple[Strategy, ...]:
    """The strategies for the problem.

    :raises InvalidRequest: the heuristic's databases need more memory while they are built than the solve may take
    """
    memory = None if limits is None else limits.memory_mib * 2**20
    if request.algorithm == "auto":
        *fitting, last = [
            strategy
            for choice in puzzle.auto(moves)
            for strategy in (_chosen(choice, puzzle, moves),)
            if memory is None or strategy.heuristic.build_bytes <= memory
        ]
        return (*fitting, replace(last, expanded=None))
    expression = request.heuristic if ALGORITHMS[request.algorithm].heuristic else "zero"
    heuristic = get_heuristic(expression, puzzle, moves)
    if memory is not None and heuristic.build_bytes > memory:
        needed, allowed = -(-heuristic.build_bytes // 2**20), memory // 2**20
        raise InvalidRequest(
            "the heuristic's databases do not fit into the memory limit",
            [Fault("/limits/memory_mib", f"building them takes {needed} MiB, and the limit is {allowed}")],
        )
    return (Strategy(request.algorithm, heuristic),)


def _chosen(choice: Choice, puzzle: Puzzle, moves: MoveSet) -> Strategy:
    heuristic = get_heuristic(choice.heuristic, puzzle, moves)
    return Strategy(choice.method, heuristic, choice.expanded, choice.partitions)


def width_of(algorithm: schema.Algorithm, given: int | None) -> int | None:
    """The width of a search: the given one or the algorithm's own; None if it has none."""
    own = None if algorithm == "auto" else ALGORITHMS[algorithm].width
    return own if own is None or given is None else given


def _check_puzzle(request: schema.SolveRequest, puzzle: Puzzle, moves: MoveSet) -> None:
    """Refuse an algorithm that cannot search this puzzle."""
    why = None if request.algorithm == "auto" else ALGORITHMS[request.algorithm].refuses(puzzle, moves)
    if why is not None:
        raise InvalidRequest(
            f"{request.algorithm} does not search {puzzle.name} with {moves.name}", [Fault("/algorithm", why)]
        )


def _check_options(request: schema.SolveRequest) -> None:
    """Refuse options that the algorithm does not use."""
    name = request.algorithm
    uses_heuristic = name != "auto" and ALGORITHMS[name].heuristic
    uses_weight = name != "auto" and ALGORITHMS[name].weight
    faults = []
    if request.heuristic is not None and not uses_heuristic:
        why = "auto chooses its own heuristic" if name == "auto" else f"{name} uses no heuristic"
        faults.append(Fault("/heuristic", f"{why}; leave it out"))
    if request.weight != 1 and not uses_weight:
        faults.append(Fault("/weight", f"{name} has no weight; leave it out"))
    if request.width is not None and width_of(name, request.width) is None:
        faults.append(Fault("/width", f"{name} has no width; leave it out"))
    if request.shorten is not None and name not in ("anytime", "auto", "windows"):
        faults.append(Fault("/algorithm", f"{name} begins with no alg; anytime, auto and windows do"))
    if request.tie_breaking == "batch" and name != "astar":
        faults.append(Fault("/tie_breaking", "batch is for astar; leave it out"))
    if faults:
        raise InvalidRequest(f"{name} does not take these options", faults)


def _all_of(errors: Sequence[HstarError]) -> HstarError:
    """The error itself if there is only one; otherwise one with the faults of all."""
    if len(errors) == 1:
        return errors[0]
    faults = [fault for error in errors for fault in error.faults or [Fault("", error.message)]]
    return InvalidRequest("; ".join(error.message for error in errors), faults)


def _start(request: schema.SolveRequest, puzzle: Puzzle) -> tuple[schema.Start, State]:
    """The start in our own names, also if the request uses labels."""
    if request.labels is None:
        return _read_start(request, puzzle, puzzle)
    labelling = _labelling(request.labels, puzzle)
    try:
        given, start = _read_start(request, puzzle, labelling)
    except HstarError as error:
        raise labelling.translate(error) from None
    return given.model_copy(update={"labels": labelling.to_object()}), start


def _labelling(labels: schema.LabelsIn, puzzle: Puzzle) -> Labelling:
    try:
        return Labelling.from_neighbours(labels.neighbours, puzzle, anchors=labels.anchors)
    except InvalidRequest as error:
        raise InvalidRequest(error.message, [replace(f, where="/labels" + f.where) for f in error.faults]) from None


def _read_start(request: schema.SolveRequest, puzzle: Puzzle, reader: Puzzle | Labelling) -> tuple[schema.Start, State]:
    if request.state is not None:
        state = reader.parse_state(request.state)
        return schema.Start(given_as="state", state=puzzle.format_state(state)), state
    if request.alg is not None:
        alg = reader.parse_alg(request.alg)
        state = puzzle.apply_alg(puzzle.solved, alg)
        return schema.Start(given_as="alg", alg=list(alg), state=puzzle.format_state(state)), state
    if request.shorten is not None:
        alg = reader.parse_alg(request.shorten)
        there, state = puzzle.along(puzzle.solved, alg)
        return schema.Start(given_as="shorten", alg=list(alg), state=there.format_state(state)), state
    if request.random is not None:
        state = random_state(puzzle, request.random, request.moves)
        return schema.Start(given_as="random", random=request.random, state=puzzle.format_state(state)), state
    wanted = request.scramble
    if not isinstance(wanted, schema.ScrambleIn):
        raise InvalidRequest("there is no such scramble", [Fault("/scramble", f"no stored scramble {wanted!r:.80}")])
    scramble = make_scramble(puzzle, wanted.k, wanted.seed, wanted.moves)
    state = puzzle.apply_alg(puzzle.solved, scramble.alg)
    return started_by(scramble), state


def started_by(scramble: schema.Scramble) -> schema.Start:
    """The start given by a scramble."""
    used = schema.ScrambleUsed(moves=scramble.moves, k=scramble.k, seed=scramble.seed)
    return schema.Start(given_as="scramble", scramble=used, alg=scramble.alg, state=scramble.state)


def _limits(asked: schema.LimitsIn, caps: schema.LimitsIn) -> schema.Limits:
    faults = []
    chosen = {}
    for name in schema.LimitsIn.model_fields:
        wish, cap = getattr(asked, name), getattr(caps, name)
        if wish is not None and cap is not None and wish > cap:
            faults.append(Fault(f"/limits/{name}", f"at most {cap} here (see /v1/limits), found {wish}"))
        chosen[name] = cap if wish is None else wish
    if faults:
        raise InvalidRequest("a limit is above what this service allows", faults)
    if asked.memory_mib is None:
        chosen["memory_mib"] = min(DEFAULT_MEMORY_MIB, caps.memory_mib or DEFAULT_MEMORY_MIB)
    return schema.Limits(**chosen)
