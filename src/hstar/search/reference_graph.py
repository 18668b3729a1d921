"""Greedy, breadth-first and bidirectional search in plain Python, slow but easy to read, with no code of the kernel.

The kernel must agree with them on every count. Blind searches evaluate nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Literal

from hstar.puzzles.base import Puzzle, State
from hstar.search.reference import ReferenceResult

Parents = dict[State, tuple[State, str] | None]


def greedy(
    puzzle: Puzzle,
    start: State,
    moves: Iterable[str],
    h: Callable[[State], float],
    *,
    tie_breaking: Literal["low_h", "lifo", "fifo"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
) -> ReferenceResult:
    """Smallest h first; among equal ones the latest, or the earliest (``fifo``). No state is expanded twice."""
    moves = tuple(moves)
    parents: Parents = {start: None}
    bound = h(start)
    queue = [(bound, 0, start)]
    expanded = generated = 0
    ending: tuple[Literal["exhausted", "limit_reached"], Literal["expanded", "generated"] | None] = "exhausted", None
    while queue:
        _, _, state = queue[0]
        if state == puzzle.solved:
            path = _path(parents, state)
            return ReferenceResult("solved", None, path, expanded, generated, len(parents), 0, 0, len(parents), bound)
        limit = _limit(expanded, generated, max_expanded, max_generated)
        if limit is not None:
            ending = "limit_reached", limit
            break
        heappop(queue)
        expanded += 1
        for move, after in puzzle.successors(state, moves):
            generated += 1
            if after not in parents:
                number = len(parents)
                parents[after] = state, move
                heappush(queue, (h(after), number if tie_breaking == "fifo" else -number, after))
    return ReferenceResult(*ending, (), expanded, generated, len(parents), 0, 0, len(parents), bound)


def breadth_first(
    puzzle: Puzzle,
    start: State,
    moves: Iterable[str],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
) -> ReferenceResult:
    """Breadth-first search with a queue; the goal is recognised when it is taken from the queue."""
    moves = tuple(moves)
    parents: Parents = {start: None}
    depth = {start: 0}
    queue = deque([start])
    expanded = generated = last_layer = bound = 0
    ending: tuple[Literal["exhausted", "limit_reached"], Literal["expanded", "generated"] | None] = "exhausted", None
    while queue:
        state = queue[0]
        if depth[state] > bound:
            bound, last_layer = depth[state], 0
        if state == puzzle.solved:
            path = _path(parents, state)
            return ReferenceResult(
                "solved", None, path, expanded, generated, 0, 0, last_layer, len(parents), float(bound)
            )
        limit = _limit(expanded, generated, max_expanded, max_generated)
        if limit is not None:
            ending = "limit_reached", limit
            break
        queue.popleft()
        expanded += 1
        last_layer += 1
        for move, after in puzzle.successors(state, moves):
            generated += 1
            if after not in parents:
                parents[after] = state, move
                depth[after] = depth[state] + 1
                queue.append(after)
    return ReferenceResult(*ending, (), expanded, generated, 0, 0, 0, len(parents), float(bound))


def bidirectional(
    puzzle: Puzzle,
    start: State,
    moves: Iterable[str],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
) -> ReferenceResult:
    """Whole layers from both ends, the smaller first (the start's on a tie), until one finds a state of the other."""
    moves = tuple(moves)
    directions = (moves, tuple(puzzle.inverse(move) for move in moves))
    parents: tuple[Parents, Parents] = {start: None}, {puzzle.solved: None}
    layers = [[start], [puzzle.solved]]
    depth = [0, 0]
    expanded = generated = last_layer = 0
    bound = 0.0

    def result(
        status: Literal["solved", "exhausted", "limit_reached"],
        limit: Literal["expanded", "generated"] | None = None,
        meeting: State | None = None,
    ) -> ReferenceResult:
        path: tuple[str, ...] = ()
        if meeting is not None:
            back = _path(parents[1], meeting)
            path = _path(parents[0], meeting) + tuple(puzzle.inverse(move) for move in reversed(back))
        stored = len(parents[0]) + len(parents[1])
        last = last_layer if meeting is not None else 0
        return ReferenceResult(status, limit, path, expanded, generated, 0, 0, last, stored, bound)

    if start == puzzle.solved:
        return result("solved", meeting=start)
    while True:
        bound = float(sum(depth) + 1)
        last_layer = 0
        side = 0 if len(layers[0]) <= len(layers[1]) else 1
        layer: list[State] = []
        for state in layers[side]:
            limit = _limit(expanded, generated, max_expanded, max_generated)
            if limit is not None:
                return result("limit_reached", limit)
            expanded += 1
            last_layer += 1
            successors = list(puzzle.successors(state, directions[side]))
            generated += len(successors)
            for move, after in successors:
                if after in parents[side]:
                    continue
                parents[side][after] = state, move
                if after in parents[1 - side]:
                    return result("solved", meeting=after)
                layer.append(after)
        layers[side] = layer
        depth[side] += 1
        if not layer:
            return result("exhausted")


def _limit(
    expanded: int, generated: int, max_expanded: int | None, max_generated: int | None
) -> Literal["expanded", "generated"] | None:
    if expanded == max_expanded:
        return "expanded"
    if max_generated is not None and generated >= max_generated:
        return "generated"
    return None


def _path(parents: Parents, state: State) -> tuple[str, ...]:
    """The moves that led from the root of ``parents`` to ``state``."""
    path = []
    step = parents[state]
    while step is not None:
        path.append(step[1])
        step = parents[step[0]]
    return tuple(reversed(path))
