"""Algs without moves that undo each other, and with one move for two."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import lru_cache

from hstar.puzzles import Puzzle

__all__ = ["merged"]


def merged(puzzle: Puzzle, alg: Sequence[str], allowed: Collection[str] = ()) -> tuple[str, ...]:
    """The alg without moves that the next one undoes, and with one move of ``allowed`` instead of two with the same
    effect."""
    kept: list[str] = []
    for move in alg:
        kept.append(move)
        while len(kept) > 1:
            together = _together(puzzle, kept[-2], kept[-1])
            if together is None or (together and together not in allowed):
                break
            kept[-2:] = [together] if together else []
    return tuple(kept)


@lru_cache(maxsize=100_000)
def _together(puzzle: Puzzle, first: str, second: str) -> str | None:
    """The move with the effect of two moves; an empty text if they do nothing; None if there is no such move."""
    if puzzle.inverse(first) == second:
        return ""
    if not puzzle.always_legal:
        return None
    return _by_effect(puzzle).get(puzzle.effect((first, second)))


@lru_cache(maxsize=16)
def _by_effect(puzzle: Puzzle) -> dict[Hashable, str]:
    """The first move with each effect."""
    return {puzzle.effect((move,)): move for move in reversed(puzzle.moves)}
