"""Assignments: reading and checking them, and making their instances."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from hstar.errors import Fault, HstarError, InvalidRequest
from hstar.grading.schema import MAX_INSTANCES, MAX_SCRAMBLED, AssignmentIn, InstanceIn, Visibility
from hstar.heuristics import get_heuristic
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble

__all__ = ["Assignment", "Instance", "read_assignment", "short_name", "version_of"]

#: a longer name of an instance is shortened
MAX_NAME = 120

#: fields that may change without changing a score
_NOT_SCORED = (
    "title", "id", "attempts", "bucket", "due", "late", "counts", "regrade_requests_until", "submitted", "course",
    "opens", "closes", "release", "reasons_from_attempt",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of an assignment."""

    name: str
    state: State
    alg: tuple[str, ...] | None
    k: int | None
    visibility: Visibility
    own: bool = False


@dataclass(frozen=True)
class Assignment:
    """An assignment that has been checked: its puzzle, its moves and its instances."""

    given: AssignmentIn
    puzzle: Puzzle
    moves: MoveSet
    instances: tuple[Instance, ...]

    @classmethod
    def of(cls, given: AssignmentIn) -> Assignment:
        """Check all of an assignment.

        :raises InvalidRequest: the puzzle, a move set, a heuristic, an instance or the rubric is wrong; has all faults
        """
        try:
            puzzle = get_puzzle(given.puzzle, given.goal)
        except HstarError as error:
            raise InvalidRequest("the assignment is not valid", error.faults) from None
        faults: list[Fault] = []
        moves = puzzle.move_set(None)
        for where, name in (("/scramble_moves", given.scramble_moves), ("/moves", given.moves)):
            try:
                moves = puzzle.move_set(name)
            except HstarError as error:
                faults.append(Fault(where, error.message))
        if given.heuristic is not None:
            try:
                get_heuristic(given.heuristic, puzzle, moves)
            except HstarError as error:
                faults.append(Fault("/heuristic", error.message))
        faults += _too_many(given)
        instances: list[Instance] = []
        if not faults:
            for number, wanted in enumerate(given.instances):
                try:
                    instances += _made(wanted, puzzle, given.scramble_moves)
                except HstarError as error:
                    text = str(error.faults[0]) if error.faults else error.message
                    faults.append(Fault(f"/instances/{number}", text))
        faults += _faults(given, instances)
        if faults:
            raise InvalidRequest("the assignment is not valid", faults)
        return cls(given, puzzle, moves, tuple(instances))

    @cached_property
    def version(self) -> str:
        """See `version_of`."""
        return version_of(self.given)

    @property
    def max_score(self) -> float:
        return sum(item.points for item in self.given.rubric)


def version_of(given: AssignmentIn) -> str:
    """The name of an assignment's version. It changes only if something changes that can change a score."""
    scored = given.model_dump(mode="json", exclude=set(_NOT_SCORED))
    return sha256(json.dumps(scored, sort_keys=True).encode()).hexdigest()[:16]


def short_name(text: str) -> str:
    """The name of an instance without one: a text that differs from all others."""
    if len(text) <= MAX_NAME:
        return text
    return f"{text[: MAX_NAME - 20]}... {sha256(text.encode()).hexdigest()[:12]}"


def _made(wanted: InstanceIn, puzzle: Puzzle, scramble_moves: str | None) -> list[Instance]:
    if wanted.alg is not None:
        alg = puzzle.parse_alg(wanted.alg)
        state = puzzle.apply_alg(puzzle.solved, alg)
        return [Instance(wanted.name or short_name(wanted.alg) or "solved", state, alg, len(alg), wanted.visibility)]
    if wanted.state is not None:
        state = puzzle.parse_state(wanted.state)
        return [Instance(wanted.name or short_name(str(wanted.state)), state, None, None, wanted.visibility)]
    ks = _lengths(wanted)
    alone = wanted.each * len(ks) == 1
    found = []
    for k in ks:
        for number in range(wanted.each):
            scramble = make_scramble(puzzle, k, wanted.seed + number, scramble_moves)
            alg = tuple(scramble.alg)
            name = f"k = {k}, {number + 1}"
            if wanted.name is not None:
                name = wanted.name if alone else f"{wanted.name} {k}.{number + 1}"
            found.append(Instance(name, puzzle.apply_alg(puzzle.solved, alg), alg, k, wanted.visibility))
    return found


def _lengths(wanted: InstanceIn) -> list[int]:
    """The numbers of random moves, each for `each` scrambles."""
    return wanted.k if isinstance(wanted.k, list) else [wanted.k or 0]


def _too_many(given: AssignmentIn) -> list[Fault]:
    """Faults of the numbers of instances and of their moves, before any is made."""
    scrambled = [(wanted.each, _lengths(wanted)) for wanted in given.instances if wanted.k is not None]
    count = len(given.instances) - len(scrambled) + sum(each * len(ks) for each, ks in scrambled)
    moves = sum(each * sum(ks) for each, ks in scrambled)
    faults = []
    if count > MAX_INSTANCES:
        faults.append(Fault("/instances", f"there are {count}; at most {MAX_INSTANCES}"))
    if moves > MAX_SCRAMBLED:
        faults.append(Fault("/instances", f"they have {moves} random moves together; at most {MAX_SCRAMBLED}"))
    return faults


def _faults(given: AssignmentIn, instances: list[Instance]) -> list[Fault]:
    faults = []
    if not given.instances and not given.own_scrambles:
        faults.append(
            Fault("/instances", "choose at least one, or set own_scrambles: otherwise there is nothing to hand in")
        )
    if given.submitted == "files":
        text = (
            "students who hand in files cannot answer an instance that they do not see: make it visible, or set "
            'submitted to "program" if an autograder runs their programs'
        )
        hidden = (number for number, wanted in enumerate(given.instances) if wanted.visibility != "visible")
        faults += [Fault(f"/instances/{number}/visibility", text) for number in hidden]
    names: set[str] = set()
    for instance in instances:
        if instance.name in names:
            faults.append(Fault("/instances", f"two instances are called {instance.name!r}"))
        names.add(instance.name)
    titles: set[str] = set()
    for number, item in enumerate(given.rubric):
        title = item.name or item.kind
        if title in titles:
            faults.append(Fault(f"/rubric/{number}", f"two items are called {title!r}"))
        titles.add(title)
        missing = set(item.k or ()) - {i.k for i in instances}
        if missing and not given.own_scrambles:
            shown = ", ".join(map(str, sorted(missing)))
            faults.append(Fault(f"/rubric/{number}/k", f"no instance has k = {shown}"))
    return faults


def read_assignment(text: str) -> Assignment:
    """An assignment from JSON.

    :raises InvalidRequest: it is not JSON, or not a valid assignment
    :raises pydantic.ValidationError: fields are missing, unknown or of the wrong type
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("the assignment is not JSON", [Fault("", str(error))]) from None
    # Dates are text in JSON, which strict models accept in JSON mode only.
    return Assignment.of(AssignmentIn.model_validate_json(json.dumps(given)))
