"""From a request to a problem that is ready to search: everything is checked, and defaults are filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import ValidationError

from hstar import schema
from hstar.errors import Fault, HstarError, InvalidRequest, in_words
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.databases import named_by
from hstar.labels import Labelling
from hstar.options import OPTIONS, Options, Step, Tuning, steps_of
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble, random_state
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search import plans
from hstar.search.methods import ALGORITHMS, METHODS
from hstar.search.problem import Problem

DEFAULT_MEMORY_MIB = 1024
#: how deep steps of plans may have steps of their own
MOST_NESTED = 3

T = TypeVar("T")


def prepare(request: schema.SolveRequest, caps: schema.LimitsIn | None = None, *, costs: bool = False) -> Problem:
    """Check a whole request and fill in its defaults.

    :param caps: no limit may be above these; a limit that is left out takes the cap
    :param costs: whether moves may have costs other than 1
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

    usual = puzzle.default_moves if request.shorten is None else puzzle.counted
    moves = part(lambda: puzzle.move_set(usual if request.moves is None else request.moves, costs))
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
    memory_mib = DEFAULT_MEMORY_MIB if limits is None else limits.memory_mib
    part(lambda: _check_heuristics(request, there, moves or puzzle.move_set(usual), memory_mib))
    if errors or moves is None or began is None or limits is None:
        raise _all_of(errors)
    given, start = began
    if there.goal_board() != puzzle.goal_board():
        given = given.model_copy(update={"goal": puzzle.goal_board()})
    return Problem(
        puzzle=there,
        start=start,
        moves=moves,
        algorithm=request.algorithm,
        heuristic_text=request.heuristic,
        options=options_in_force(request.algorithm, request),
        limits=limits,
        given=given,
        known=given.alg if request.shorten is not None else None,
        workers=request.workers,
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


def _check_heuristics(request: schema.SolveRequest, puzzle: Puzzle, moves: MoveSet, memory_mib: int) -> None:
    """Refuse heuristics that do not exist, or whose tables need more memory than the solve may take."""
    method = ALGORITHMS[request.algorithm]
    places = [("/heuristic", request.heuristic)] if method.heuristic else []
    places += [(where + "/heuristic", step.heuristic) for where, step in _steps(steps_of(request.plan), "/plan")]
    for where, text in places:
        try:
            heuristic = get_heuristic(text, puzzle, moves)
        except HstarError as error:
            if where == "/heuristic":
                raise
            raise InvalidRequest(error.message, [Fault(where, str(f)) for f in error.faults]) from None
        if heuristic.build_bytes > memory_mib * 2**20:
            needed = -(-heuristic.build_bytes // 2**20)
            raise InvalidRequest(
                "the heuristic's databases do not fit into the memory limit",
                [Fault("/limits/memory_mib", f"building them takes {needed} MiB, and the limit is {memory_mib}")],
            )


def heuristic_of(problem: Problem) -> Heuristic:
    """The heuristic of a problem's algorithm; of ``auto`` the last one that it would search with."""
    if problem.algorithm == "auto":
        return get_heuristic(plans.proving(problem)[-1].heuristic, problem.puzzle, problem.moves)
    if ALGORITHMS[problem.algorithm].heuristic:
        return problem.heuristic
    return get_heuristic("zero", problem.puzzle, problem.moves)


def databases_of(problem: Problem) -> dict[str, int]:
    """The identity of each database that may be built for a problem, and its largest size in bytes."""
    steps = plans.proving(problem) if problem.algorithm == "auto" else steps_of(problem.options.plan)
    texts = [step.heuristic for _, step in _steps(steps, "")]
    found = [get_heuristic(text, problem.puzzle, problem.moves) for text in texts] or [heuristic_of(problem)]
    return named_by(heuristic.expression for heuristic in found)


def _steps(steps: Sequence[Step], where: str) -> Iterator[tuple[str, Step]]:
    """Each step, and those within it, with its place in the request."""
    for number, step in enumerate(steps):
        yield f"{where}/{number}", step
        yield from _steps(step.steps, f"{where}/{number}/steps")


def options_in_force(algorithm: schema.Algorithm, given: Options) -> Options:
    """The options that a search has: those that its method uses, as they are given or with the method's own values."""
    method = ALGORITHMS[algorithm]
    return Options.model_construct(**{
        name: method.in_force(name, getattr(given, name)) if name in method.options else OPTIONS[name].default
        for name in Options.model_fields
    })  # fmt: skip


def _check_puzzle(request: schema.SolveRequest, puzzle: Puzzle, moves: MoveSet) -> None:
    """Refuse an algorithm that cannot search this puzzle."""
    asked: list[tuple[str, str]] = [("/algorithm", request.algorithm)]
    asked += [(f"{where}/method", step.method) for where, step in _steps(steps_of(request.plan), "/plan")]
    for where, name in asked:
        if moves.costs and not METHODS[name].costs:
            why: str | None = f"each move has to cost 1 there; {_those('costs')} take other costs"
        elif puzzle.forbids and not METHODS[name].forbidden:
            why = f"some of its moves are forbidden in some states; {_those('forbidden')} know of that"
        else:
            why = METHODS[name].refuses(puzzle, moves)
        if why is not None:
            raise InvalidRequest(f"{name} does not search {puzzle.name} with {moves.name}", [Fault(where, why)])


def _those(flag: str) -> str:
    """The names of the algorithms that have this flag, of which there are several."""
    *others, last = sorted(name for name, method in ALGORITHMS.items() if getattr(method, flag))
    return f"{', '.join(others)} and {last}"


def _check_options(request: schema.SolveRequest) -> None:
    """Refuse options that the algorithm does not use, and settings that a step's method does not have."""
    name, method = request.algorithm, ALGORITHMS[request.algorithm]
    faults = []
    for option in OPTIONS.values():
        if option.shown.local or (value := getattr(request, option.name)) == option.default:
            continue
        if option.name not in method.options:
            why = "auto chooses its own" if name == "auto" and option.name == "heuristic" else f"{name} does not use it"
            faults.append(Fault(f"/{option.name}", f"{why}; leave it out"))
        elif value not in (allowed := method.choices.get(option.name, (value,))):
            faults.append(Fault(f"/{option.name}", f"{name} takes {' or '.join(map(str, allowed))}"))
    if request.shorten is not None and not method.shortens:
        faults.append(Fault("/algorithm", f"{name} begins with no alg; {_those('shortens')} do"))
    if request.workers > 1 and not method.shared:
        faults.append(Fault("/workers", f"{name} is not shared; {_those('shared')} are"))
    if name == "plan" and request.plan is None:
        faults.append(Fault("/plan", "give its steps; `hstar plan` prints those of auto and anytime"))
    for where, step in _steps(steps_of(request.plan), "/plan"):
        faults += _faults_of_step(where, step)
    if faults:
        raise InvalidRequest(f"{name} does not take these options", faults)


def _faults_of_step(where: str, step: Step) -> list[Fault]:
    method = METHODS[step.method]
    faults = [
        Fault(f"{where}/{name}", f"{step.method} does not use it; leave it out")
        for name in ("heuristic", *Tuning.model_fields)
        if getattr(step, name) != OPTIONS[name].default and name not in method.options
    ]
    if step.steps and method.plan is None:
        faults.append(Fault(f"{where}/steps", f"{step.method} has no steps of its own"))
    if step.method == "plan" and not step.steps:
        faults.append(Fault(f"{where}/steps", "plan needs steps; it cannot be a step of itself"))
    if where.count("/steps") >= MOST_NESTED:
        faults.append(Fault(where, f"steps within steps, at most {MOST_NESTED} deep"))
    try:
        method.settings.model_validate(step.settings)
    except ValidationError as error:
        faults += [
            Fault(f"{where}/settings/" + "/".join(map(str, detail["loc"])), in_words(detail))
            for detail in error.errors()
        ]
    return faults


def _all_of(errors: Sequence[HstarError]) -> HstarError:
    """The error itself if there is only one; otherwise one with the faults of all, each once."""
    errors = list({str(error): error for error in errors}.values())
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
        # Pieces that look alike are told apart there, and shown as they look.
        alike = isinstance(puzzle, PermutationPuzzle) and there is puzzle.twin
        shown = puzzle.apply_alg(puzzle.solved, puzzle.inverse_alg(alg)) if alike else state
        return schema.Start(
            given_as="shorten", alg=list(alg), state=(puzzle if alike else there).format_state(shown)
        ), state
    if request.random is not None:
        state = random_state(puzzle, request.random, request.moves)
        return schema.Start(given_as="random", random=request.random, state=puzzle.format_state(state)), state
    wanted = request.scramble
    if not isinstance(wanted, schema.ScrambleIn):
        raise InvalidRequest("there is no such scramble", [Fault("/scramble", f"no stored scramble {wanted!r:.80}")])
    try:
        scramble = make_scramble(puzzle, wanted.k, wanted.seed, wanted.moves)
    except HstarError as error:
        error.faults = tuple(fault.below("/scramble") for fault in error.faults)
        raise
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
