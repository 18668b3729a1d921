"""A* in plain Python, slow but easy to read: heapq and a dict, with no code of the kernel.

The kernel must agree with it on every count, because the order of expansion is defined exactly. Keys, smallest first,
with f = g + weight * h and a sequence number that grows with every push: ``low_h`` (f, h, -sequence), ``lifo`` (f,
-sequence), ``fifo`` (f, sequence). ``batch`` has the keys of ``low_h`` and takes up to 64 entries with the first f and
h together; those that are still current when their turn comes are expanded one after the other, and what they push
waits until the next batch. Duplicates are detected among all seen states, open or closed; a shorter path to one reopens
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

from hstar.puzzles.base import Puzzle, State

#: how many entries ``batch`` takes together at most
BATCH = 64


@dataclass(slots=True)
class _Node:
    g: int
    h: float
    parent: State | None
    move: str | None
    sequence: int
    expanded_once: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceResult:
    """The result to compare with the kernel's; ``f_bound`` is the largest f that left the open list."""

    status: Literal["solved", "exhausted", "limit_reached"]
    limit: Literal["expanded", "generated"] | None
    path: tuple[str, ...]
    expanded: int
    generated: int
    evaluated: int
    reopened: int
    expanded_last_layer: int
    stored: int
    f_bound: float


def astar(
    puzzle: Puzzle,
    start: State,
    moves: Iterable[str],
    h: Callable[[State], float],
    *,
    weight: float = 1.0,
    tie_breaking: Literal["low_h", "lifo", "fifo", "batch"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    watch: Callable[[State, State | None, str | None, int, float], None] | None = None,
) -> ReferenceResult:
    """Search from ``start`` to the puzzle's goal; raises nothing but what ``h`` raises.

    :param watch: called with each state that is expanded, in order: the state, its parent, the move from there, g, h
    """
    moves = tuple(moves)

    def key(node: _Node) -> tuple[float, ...]:
        f = node.g + weight * node.h
        if tie_breaking in ("low_h", "batch"):
            return f, node.h, -node.sequence
        return (f, -node.sequence) if tie_breaking == "lifo" else (f, node.sequence)

    nodes = {start: _Node(0, h(start), None, None, 0)}
    queue = [(key(nodes[start]), start)]
    sequence = expanded = generated = reopened = 0
    evaluated = 1
    f_bound = 0.0
    layers: dict[float, int] = {}

    def result(
        status: Literal["solved", "exhausted", "limit_reached"],
        limit: Literal["expanded", "generated"] | None = None,
        goal: State | None = None,
    ) -> ReferenceResult:
        path: list[str] = []
        last = 0
        if goal is not None:
            last = layers.get(nodes[goal].g + weight * nodes[goal].h, 0)
            at = nodes[goal]
            while at.parent is not None and at.move is not None:
                path.append(at.move)
                at = nodes[at.parent]
        return ReferenceResult(
            status, limit, tuple(reversed(path)), expanded, generated, evaluated, reopened, last, len(nodes), f_bound
        )

    def is_current(entry: tuple[tuple[float, ...], State]) -> bool:
        """Whether no shorter path to the state was found since; each has a sequence number of its own."""
        return entry[0] == key(nodes[entry[1]])

    def take() -> list[tuple[tuple[float, ...], State]]:
        """The entries to be expanded next, in this order."""
        taken: list[tuple[tuple[float, ...], State]] = []
        while queue and len(taken) < (BATCH if tie_breaking == "batch" else 1):
            if is_current(queue[0]):
                if taken and queue[0][0][:2] != taken[0][0][:2]:  # of another f or h
                    break
                taken.append(queue[0])
            heappop(queue)
        return taken

    while batch := take():
        for entry in batch:
            if not is_current(entry):
                continue
            (f, *_), state = entry
            node = nodes[state]
            f_bound = max(f_bound, f)
            if state == puzzle.solved:
                return result("solved", goal=state)
            if expanded == max_expanded:
                return result("limit_reached", "expanded")
            if max_generated is not None and generated >= max_generated:
                return result("limit_reached", "generated")
            expanded += 1
            reopened += node.expanded_once
            node.expanded_once = True
            layers[f] = layers.get(f, 0) + 1
            if watch is not None:
                watch(state, node.parent, node.move, node.g, node.h)
            for move, after in puzzle.successors(state, moves):
                generated += 1
                g = node.g + 1
                known = nodes.get(after)
                if known is None:
                    evaluated += 1
                    sequence += 1
                    nodes[after] = known = _Node(g, h(after), state, move, sequence)
                elif g < known.g:
                    sequence += 1
                    known.g, known.parent, known.move, known.sequence = g, state, move, sequence
                else:
                    continue
                heappush(queue, (key(known), after))
    return result("exhausted")
