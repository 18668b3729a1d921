"""Node counts under every documented way to search and to count.

Two correct A* programs rarely report the same number of nodes. They break ties among equal f differently, detect
duplicates in different places, test for the goal at different times, and count the goal or the start or not. This
module runs A* in plain Python under each of these conventions, so that a claimed count can be recognised. Conventions:

- ``duplicates``: "open and closed list" (a seen state is used again only with a shorter path), "closed list only" (a
state may be on the open list several times but is expanded once), "none" (a tree search), and a tree search that never
goes back to the parent.
- ``ties`` among equal f: smaller h, then the latest or the first; the latest; the first; the smaller g.
- ``goal_test``: when the goal is taken from the open list, or when it is generated.
- counting: all expansions; the goal counted as well; the start not counted. Generated: every successor, or only those
  put on the open list; the start counted as well or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, get_args

from hstar.heuristics import Heuristic
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.remembered import Remembered
from hstar.search import Control
from hstar.search.control import Stopped
from hstar.verification.schema import Convention

Duplicates = Literal["open and closed list", "closed list only", "none", "none, but never back to the parent"]
Ties = Literal["low_h", "low_h, first in", "lifo", "fifo", "low_g"]
GoalTest = Literal["when expanded", "when generated"]

#: how ties are broken, in words
TIES: dict[Ties, str] = {
    "low_h": "by smaller h, then latest first",
    "low_h, first in": "by smaller h, then earliest first",
    "lifo": "latest first",
    "fifo": "earliest first",
    "low_g": "by smaller g",
}

#: the most expansions of each convention, and the most entries of its open list
MAX_EXPANDED = 3_000
MAX_OPEN = 60_000
#: expansions between checks whether it was stopped
EXPANDED_A_LOOK = 256

_KEYS: dict[Ties, Callable[[float, float, int, int], tuple[float, ...]]] = {
    "low_h": lambda f, h, g, sequence: (f, h, -sequence),
    "low_h, first in": lambda f, h, g, sequence: (f, h, sequence),
    "lifo": lambda f, h, g, sequence: (f, -sequence),
    "fifo": lambda f, h, g, sequence: (f, sequence),
    "low_g": lambda f, h, g, sequence: (f, g, sequence),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of one run; ``below`` are the expansions with f below that of the goal."""

    expanded: int
    generated: int
    pushed: int
    below: int


class Graph:
    """Successors and heuristic values of one instance, computed once for all conventions."""

    def __init__(self, puzzle: Puzzle, moves: MoveSet, h: Callable[[State], float]) -> None:
        self.goal = puzzle.solved
        self._puzzle = puzzle
        self._moves = moves.moves
        self._h = h
        self._successors: dict[State, list[tuple[State, float]]] = {}
        self._values: dict[State, float] = {}

    def successors(self, state: State) -> list[tuple[State, float]]:
        """The successors, each with its h."""
        found = self._successors.get(state)
        if found is None:
            after = (after for _, after in self._puzzle.successors(state, self._moves))
            found = self._successors[state] = [(one, self.value(one)) for one in after]
        return found

    def value(self, state: State) -> float:
        found = self._values.get(state)
        if found is None:
            found = self._values[state] = self._h(state)
        return found


def run(
    graph: Graph,
    start: State,
    duplicates: Duplicates,
    ties: Ties,
    goal_test: GoalTest,
    whole_layer: bool = False,
    control: Control | None = None,
) -> Counted | None:
    """A* under one convention; None if it goes beyond the limits or finds nothing.

    :param whole_layer: expand all nodes with f up to the goal's: the most that any tie-breaking can expand
    :raises Stopped: by the control
    """
    key = _KEYS[ties]
    goal = graph.goal
    lists = duplicates in ("open and closed list", "closed list only")
    best: dict[State, int] = {start: 0}
    closed: set[State] = set()
    h = graph.value(start)
    queue: list[tuple[tuple[float, ...], int, int, State, State | None]] = [(key(h, h, 0, 0), 0, 0, start, None)]
    sequence = expanded = generated = pushed = 0
    cost: float | None = None
    layers: dict[float, int] = {}
    while queue:
        order, _, g, state, parent = heappop(queue)
        f = order[0]
        if cost is not None and f > cost:
            break
        if lists and (state in closed or (duplicates == "open and closed list" and g > best[state])):
            continue
        if state == goal:
            if cost is None:
                cost = f
                if not whole_layer:
                    break
            continue
        if expanded == MAX_EXPANDED or len(queue) > MAX_OPEN:
            return None
        if expanded % EXPANDED_A_LOOK == 0 and control is not None and control.cancelled:
            raise Stopped
        expanded += 1
        layers[f] = layers.get(f, 0) + 1
        if lists:
            closed.add(state)
        for after, value in graph.successors(state):
            if after == parent and duplicates == "none, but never back to the parent":
                continue
            generated += 1
            if duplicates == "open and closed list":
                if best.get(after, g + 2) <= g + 1:
                    continue
                best[after] = g + 1
                closed.discard(after)
            elif after in closed:
                continue
            pushed += 1
            if after == goal and goal_test == "when generated":
                below = sum(count for value, count in layers.items() if value < g + 1)
                return Counted(expanded, generated, pushed, below)
            sequence += 1
            heappush(queue, (key(g + 1 + value, value, g + 1, sequence), sequence, g + 1, after, state))
    if cost is None:
        return None
    return Counted(expanded, generated, pushed, sum(count for value, count in layers.items() if value < cost))


#: what may be added to a count, and its meaning; the first is the service's own
_EXPANDED = (
    (0, "the goal is not counted"),
    (1, "the goal is counted"),
    (-1, "neither the goal nor the start is counted"),
)
_GENERATED = ((0, "every successor"), (1, "every successor, and the start"))
_PUSHED = ((0, "only what is put on the open list"), (1, "what is put on the open list, and the start"))
#: every convention; ranges refer to their numbers
_CONVENTIONS = tuple(
    Convention(duplicates=duplicates, ties=ties, goal_test=goal_test, counting=counting)
    for duplicates in get_args(Duplicates)
    for ties in get_args(Ties)
    for goal_test in get_args(GoalTest)
    for _, counting in (*_EXPANDED, *_GENERATED, *_PUSHED)
)
_NUMBER_OF = {(c.duplicates, c.ties, c.goal_test, c.counting): number for number, c in enumerate(_CONVENTIONS)}


@dataclass(frozen=True, slots=True)
class Range:
    """All counts of one instance, each with the number of its convention, and the range of all of them."""

    counts: tuple[tuple[int, int], ...]
    low: int
    high: int
    own: int
    #: the number of conventions that exceeded the limits, and so are not in the range
    unfinished: int

    def matching(self, claimed: int) -> list[Convention]:
        """The conventions that give this count, those nearest to the service's own first."""
        return [_CONVENTIONS[number] for count, number in self.counts if count == claimed]


_COUNTS: Remembered[Range | None] = Remembered("counts under all conventions", Range | None)


def counts(
    puzzle: Puzzle,
    moves: MoveSet,
    heuristic: Heuristic,
    start: State,
    what: Literal["expanded", "generated"],
    control: Control | None = None,
) -> Range | None:
    """The counts of one instance under all conventions; None if the service's own does not end within the limits.

    :raises Stopped: by the control
    """
    question = [*puzzle.identity, moves.name, heuristic.expression.text, start.hex(), what]
    return _COUNTS.get(question, lambda: _counted(puzzle, moves, heuristic, start, what, control))


def _counted(
    puzzle: Puzzle,
    moves: MoveSet,
    heuristic: Heuristic,
    start: State,
    what: Literal["expanded", "generated"],
    control: Control | None,
) -> Range | None:
    graph = Graph(puzzle, moves, heuristic)
    own = run(graph, start, "open and closed list", "low_h", "when expanded", control=control)
    if own is None:
        return None
    consistent = heuristic.verdicts(moves).consistent == "proven"
    found: list[tuple[int, int]] = []
    extremes: list[int] = []
    unfinished = 0
    for duplicates in get_args(Duplicates):
        if consistent and what == "expanded":  # all before the goal's layer, and all up to its end
            most = run(graph, start, duplicates, "fifo", "when expanded", whole_layer=True, control=control)
            extremes += [] if most is None else [most.below - 1, most.expanded + 1]
        for goal_test in get_args(GoalTest):
            for ties in get_args(Ties):
                counted = run(graph, start, duplicates, ties, goal_test, control=control)
                if counted is None:
                    unfinished += 1
                    continue
                way = duplicates, ties, goal_test
                found += [(number, _NUMBER_OF[*way, counting]) for number, counting in _numbers(counted, what)]
    numbers = [number for number, _ in found] + extremes
    first = own.expanded if what == "expanded" else own.generated
    return Range(tuple(found), max(min(numbers), 0), max(numbers), first, unfinished)


def by_service(ties: Ties, what: Literal["expanded", "generated"]) -> Convention:
    """The convention of the service's own A* with these ties."""
    counting = (_EXPANDED if what == "expanded" else _GENERATED)[0][1]
    return _CONVENTIONS[_NUMBER_OF["open and closed list", ties, "when expanded", counting]]


def _numbers(found: Counted, what: Literal["expanded", "generated"]) -> Iterator[tuple[int, str]]:
    if what == "expanded":
        for more, meaning in _EXPANDED:
            yield found.expanded + more, meaning
        return
    for more, meaning in _GENERATED:
        yield found.generated + more, meaning
    if found.pushed != found.generated:
        for more, meaning in _PUSHED:
            yield found.pushed + more, meaning


def in_words(convention: Convention) -> str:
    """A convention as part of a sentence."""
    return (
        f"duplicates looked for in {_WHERE[convention.duplicates]}; ties broken {TIES[convention.ties]}; goal tested "
        f"{convention.goal_test}; {convention.counting}"
    )


_WHERE: dict[str, str] = {
    "open and closed list": "the open and the closed list",
    "closed list only": "the closed list only",
    "none": "no list (a tree search)",
    "none, but never back to the parent": "no list (a tree search that never goes back to the parent)",
}
