"""Derived moves of a definition: algs of other moves, as `notation` describes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hstar.errors import InvalidAlg
from hstar.puzzles.notation import Alg, Aside, Group, Move, MoveNames, parse
from hstar.puzzles.permutation import Turn

__all__ = ["AlgError", "power", "read_alg"]


class AlgError(ValueError):
    """The alg cannot be read; the message says where."""


def read_alg(text: str, names: MoveNames, move: Callable[[str], Turn], orientations: Sequence[int]) -> Turn:
    """The turn that an alg has the effect of.

    :param names: those of moves that it may have
    :param move: gives the turn of a move with its count and prime; raises `AlgError`
    :raises AlgError: it cannot be parsed
    """
    try:
        alg = parse(text, names)
    except InvalidAlg as error:
        raise AlgError("; ".join(fault.message for fault in error.faults)) from None
    return _turn(alg, move, orientations)


def _turn(alg: Alg, move: Callable[[str], Turn], n: Sequence[int]) -> Turn:
    identity = Turn(tuple(range(len(n))), (0,) * len(n))
    turn = after = identity
    for unit in alg:
        if isinstance(unit, Aside):
            continue
        if isinstance(unit, Move):
            turn = turn.then(move(unit.text), n)
            continue
        if isinstance(unit, Group):
            made = _turn(unit.inside, move, n)
        else:
            first, second = _turn(unit.first, move, n), _turn(unit.second, move, n)
            made = first.then(second, n).then(first.inverse(n), n)
            made = made.then(second.inverse(n), n) if unit.kind == "," else made
        made = power(made, unit.count, n)
        if isinstance(unit, Group) and unit.inverse:
            after = made.inverse(n).then(after, n)
        else:
            turn = turn.then(made, n)
    return turn.then(after, n)


def power(turn: Turn, count: int, orientations: Sequence[int]) -> Turn:
    """A turn repeated ``count`` times; its inverse if the count is negative."""
    base = turn if count > 0 else turn.inverse(orientations)
    found = Turn(tuple(range(len(turn.source))), (0,) * len(turn.source))
    left = abs(count)
    while left:
        if left % 2:
            found = found.then(base, orientations)
        base, left = base.then(base, orientations), left // 2
    return found
