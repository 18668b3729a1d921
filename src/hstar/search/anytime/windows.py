"""Make a solution shorter: each part of it is replaced by a shortest path between the same two states.

Parts of w moves are tried at every position, with growing w while they can be searched, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hstar.search.merging import merged
from hstar.search.problem import Problem

__all__ = ["shorten"]


def shorten(
    problem: Problem,
    alg: Sequence[str],
    shortest: Callable[[Problem], tuple[str, ...] | None],
    offer: Callable[[Sequence[str]], object],
    over: Callable[[], bool],
    lengths: Sequence[int],
    patience: int,
) -> None:
    """Replace parts of an alg by shorter ones of the same effect.

    :param shortest: a shortest solution of a part, None if that takes too long
    :param offer: is shown the alg without moves that undo one another, and each shorter one
    :param over: whether to stop
    :param lengths: of the parts
    :param patience: parts of one length that may have none, before longer ones are not tried
    """
    puzzle = problem.puzzle
    found = merged(puzzle, alg, problem.moves.moves)
    offer(found)
    for length in lengths:
        if length > len(found) and length > lengths[0]:
            break
        at = failed = 0
        state = problem.start
        while at < len(found):
            if over():
                return
            part = found[at : at + length]
            its_puzzle, its_start = puzzle.along(state, part)
            better = shortest(problem.toward(its_puzzle, its_start))
            if better is None:
                failed += 1
                if failed > patience:  # longer parts would take longer still
                    return
            elif len(better) < len(part):
                found = merged(puzzle, (*found[:at], *better, *found[at + length :]), problem.moves.moves)
                offer(found)
                back = max(0, at - length)
                at, state = back, puzzle.apply_alg(problem.start, found[:back])
                continue
            state = puzzle.apply_alg(state, found[at : at + 1])
            at += 1
