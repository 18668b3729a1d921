"""IDA* in plain Python, slow but easy to read, with the same pruning rules as the kernel.

Here moves are pruned during the search, by their effect on a few states; the kernel compiles an automaton from the
definitions of the moves. Both must agree on every count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from itertools import pairwise
from math import inf
from random import Random
from typing import Literal

from hstar.puzzles.base import Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.reference import ReferenceResult

Pruning = Literal["none", "inverse", "canonical"]

#: sequences of up to this many moves are compared with others of the same effect
LONGEST_WORD = 6


class _StoppedError(Exception):
    def __init__(self, limit: Literal["expanded", "generated"]) -> None:
        self.limit: Literal["expanded", "generated"] = limit


def ida_star(
    puzzle: Puzzle,
    start: State,
    moves: Iterable[str],
    h: Callable[[State], float],
    *,
    weight: float = 1.0,
    pruning: Pruning = "canonical",
    max_expanded: int | None = None,
    max_generated: int | None = None,
) -> ReferenceResult:
    """Depth-first searches from ``start`` with rising thresholds of f = g + weight * h."""
    moves = tuple(moves)
    allowed = _rule(puzzle, moves, pruning)
    path: list[str] = []
    expanded = generated = 0
    next_threshold = inf

    def weighted(state: State) -> float:
        return weight * h(state)

    def visit(state: State) -> bool:
        """Whether a path from this state reaches the goal within the threshold; ``path`` is then that path."""
        nonlocal expanded, generated, next_threshold
        if state == puzzle.solved:
            return True
        if expanded == max_expanded:
            raise _StoppedError("expanded")
        if max_generated is not None and generated >= max_generated:
            raise _StoppedError("generated")
        expanded += 1
        for move, after in puzzle.successors(state, moves):
            if not allowed(tuple(path), move):
                continue
            generated += 1
            f = len(path) + 1 + weighted(after)
            if f > threshold:
                next_threshold = min(next_threshold, f)
                continue
            path.append(move)
            if visit(after):
                return True
            path.pop()
        return False

    def result(
        status: Literal["solved", "exhausted", "limit_reached"],
        limit: Literal["expanded", "generated"] | None = None,
    ) -> ReferenceResult:
        last = expanded - before if status == "solved" else 0
        solution = tuple(path) if status == "solved" else ()
        return ReferenceResult(
            status, limit, solution, expanded, generated, generated + 1, 0, last, len(path) + 1, threshold
        )

    threshold = weighted(start)
    while True:
        before = expanded
        if threshold == inf and start != puzzle.solved:
            return result("exhausted")
        try:
            if visit(start):
                return result("solved")
        except _StoppedError as stopped:
            return result("limit_reached", stopped.limit)
        threshold, next_threshold = next_threshold, inf


def _rule(puzzle: Puzzle, moves: tuple[str, ...], pruning: Pruning) -> Callable[[tuple[str, ...], str], bool]:
    """Whether a move may follow this path."""
    if pruning == "none":
        return lambda path, move: True

    def undoes(path: tuple[str, ...], move: str) -> bool:
        return bool(path) and puzzle.inverse(path[-1]) == move

    if pruning == "inverse" or not isinstance(puzzle, PermutationPuzzle):
        return lambda path, move: not undoes(path, move)
    order = _order(puzzle, moves)
    return lambda path, move: order.allows(path, move) and not undoes(path, move)


class _Order:
    """The order that selects the first of the shortest sequences with the same effect. A move that is forbidden in some
    states commutes with none."""

    def __init__(self, puzzle: PermutationPuzzle, moves: tuple[str, ...]) -> None:
        random = Random(1)
        # Two sequences with the same effect on some random states are taken as equal.
        mixed = [random.choices(moves, k=60) for _ in range(2)] if moves else []
        states = [reduce(puzzle.turned, alg, puzzle.solved) for alg in mixed]
        effects: dict[tuple[str, ...], bytes] = {(): b"".join(states)}
        slots = len(puzzle.solved)

        def then(effect: bytes, move: str) -> bytes:
            return b"".join(puzzle.turned(effect[i : i + slots], move) for i in range(0, len(effect), slots))

        free = [move for move in moves if move not in puzzle.forbidden]
        self._commute = {
            (a, b) for a in free for b in free if then(then(effects[()], a), b) == then(then(effects[()], b), a)
        }
        after = {(a, b): then(then(effects[()], a), b) for a in moves for b in moves}
        self._last = self._turned_into_one_another(moves, after)
        moves = tuple(sorted(moves, key=self._last.__contains__))  # stable
        self._number = {move: i for i, move in enumerate(moves)}
        first = {effects[()]}
        self._dropped: set[tuple[str, ...]] = set()
        layer: list[tuple[str, ...]] = [()]
        for _ in range(LONGEST_WORD):
            longer = []
            for word in layer:
                for move in moves:
                    new = (*word, move)
                    if not self._is_word(new):
                        continue
                    effects[new] = then(effects[word], move)
                    if effects[new] in first:
                        self._dropped.add(new)
                    else:
                        first.add(effects[new])
                        longer.append(new)
            layer = longer

    def _turned_into_one_another(self, moves: tuple[str, ...], after: dict[tuple[str, str], bytes]) -> frozenset[str]:
        """The moves that each other move turns into one another, as many as there are; none if all commute anyway."""
        image = {(t, by): next((o for o in moves if after[by, o] == after[t, by]), None) for t in moves for by in moves}
        found = frozenset(moves)
        while (fewer := frozenset(t for t in found if all(image[t, by] in found for by in moves))) != found:
            found = fewer
        commute = all((t, by) in self._commute for t in found for by in moves if by not in found)
        return frozenset() if commute else found

    def _is_word(self, word: tuple[str, ...]) -> bool:
        """Whether all its moves commute with one another, and are in ascending order."""
        *others, last = word
        return all((a, last) in self._commute for a in others) and all(
            self._number[a] <= self._number[b] for a, b in pairwise(word)
        )

    @lru_cache(maxsize=100_000)  # noqa: B019  # the few orders there are live as long as their cache
    def allows(self, path: tuple[str, ...], move: str) -> bool:
        """Whether ``move`` may follow ``path``, which is itself allowed."""
        if path and path[-1] in self._last and move not in self._last:
            return False
        for earlier in reversed(path):
            if (earlier, move) not in self._commute:
                break
            if self._number[move] < self._number[earlier]:
                return False
        sequence = (*path[-LONGEST_WORD:], move)
        return not any(sequence[i:] in self._dropped for i in range(len(sequence)))


@lru_cache(maxsize=64)
def _order(puzzle: PermutationPuzzle, moves: tuple[str, ...]) -> _Order:
    return _Order(puzzle, moves)
