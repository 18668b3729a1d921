"""Make a solution shorter: each part of it is replaced by a shortest path between the same two states.

Parts of w moves are tried at every position, with growing w while they can be searched, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import lru_cache

from hstar.puzzles import Puzzle
from hstar.search.problem import Problem

__all__ = ["merged", "shorten"]

#: lengths of parts, and the most expansions for each part
_LENGTHS = (6, 8, 10, 12, 14, 16, 20, 24, 30, 36)
_EXPANDED = 100_000


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


def shorten(
    problem: Problem,
    alg: Sequence[str],
    shortest: Callable[[Problem], tuple[str, ...] | None],
    offer: Callable[[Sequence[str]], object],
    over: Callable[[], bool],
) -> tuple[str, ...]:
    """The alg with parts replaced by shorter ones of the same effect.

    :param shortest: a shortest solution of a part, None if that takes too long
    :param offer: is shown each shorter alg
    :param over: whether to stop
    """
    puzzle = problem.puzzle
    found = merged(puzzle, alg, problem.moves.moves)
    if len(found) < len(alg):
        offer(found)
    limits = problem.limits.model_copy(update={"expanded": _EXPANDED, "generated": None, "seconds": None})
    for length in _LENGTHS:
        if length > len(found) and length > _LENGTHS[0]:
            break
        at = failed = 0
        state = problem.start
        while at < len(found):
            if over():
                return found
            part = found[at : at + length]
            its_puzzle, its_start = puzzle.along(state, part)
            better = shortest(replace(problem, puzzle=its_puzzle, start=its_start, limits=limits))
            if better is None:
                failed += 1
                if failed > 3:  # longer parts would take longer still
                    return found
            elif len(better) < len(part):
                found = merged(puzzle, (*found[:at], *better, *found[at + length :]), problem.moves.moves)
                offer(found)
                back = max(0, at - length)
                at, state = back, puzzle.apply_alg(problem.start, found[:back])
                continue
            state = puzzle.apply_alg(state, found[at : at + 1])
            at += 1
    return found
