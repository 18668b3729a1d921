"""Shorter algs of puzzles with forbidden moves: where one or two moves do what more do, they are made instead."""

from __future__ import annotations

from collections.abc import Sequence

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Puzzle, State

__all__ = ["shortened"]

#: so many moves are tried for two, and for one
MOST_MADE = 200_000


def shortened(puzzle: Puzzle, moves: MoveSet, start: State, alg: Sequence[str]) -> tuple[str, ...]:
    """The alg without what leads back to a state that it had before, and with as few as two moves for more."""
    states = [start]
    for move in alg:
        after = puzzle.apply(states[-1], move)
        assert after is not None, "an alg whose moves can be made"
        states.append(after)
    last = {state: number for number, state in enumerate(states)}
    far = 2 if len(alg) * len(moves.moves) ** 2 <= MOST_MADE else 1
    kept, at = list[str](), 0
    while at < len(alg):
        poll()
        at = last[states[at]]
        if at == len(alg):
            break
        word, there = _farthest(puzzle, moves, states[at], last, far)
        kept += word if last[there] - at > len(word) else [alg[at]]
        at = last[there] if last[there] - at > len(word) else at + 1
    return tuple(kept)


def _farthest(
    puzzle: Puzzle, moves: MoveSet, state: State, last: dict[State, int], far: int
) -> tuple[tuple[str, ...], State]:
    """The few moves that lead farthest along an alg, by the last numbers of its states."""
    best: tuple[tuple[str, ...], State] = (), state
    level: list[tuple[tuple[str, ...], State]] = [((), state)]
    for _ in range(far):
        found = [
            ((*word, move), after)
            for word, at in level
            for move in moves.moves
            if (after := puzzle.apply(at, move)) is not None
        ]
        for word, after in found:
            if last.get(after, -1) - len(word) > last[best[1]] - len(best[0]):
                best = word, after
        level = found
    return best
