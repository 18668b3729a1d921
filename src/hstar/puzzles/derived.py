"""Derived moves of a definition: algs of other moves, in the notation of cubing.js.

An alg is moves (``U2'``), groups (``(R U)3``), conjugates ``[A: B]`` = A B A' and commutators ``[A, B]`` = A B A' B',
each of these with a count and a prime.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hstar.puzzles.notation import MoveNames, scan
from hstar.puzzles.permutation import Turn

__all__ = ["AlgError", "read_alg"]

#: the deepest nesting of brackets
MAX_DEPTH = 20
_AMOUNT = re.compile(r"^([0-9]{0,3})('?)$")


class AlgError(ValueError):
    """The alg cannot be read; the message says where."""


def read_alg(text: str, names: MoveNames, move: Callable[[str], Turn], orientations: Sequence[int]) -> Turn:
    """The turn that an alg has the effect of.

    :param names: those of moves that it may have
    :param move: gives the turn of a token that is neither bracket nor group; raises `AlgError`
    :raises AlgError: it cannot be parsed
    """
    reader = _Reader(list(scan(text, names.encloses)), move, orientations)
    turn = reader.sequence(0)
    if reader.at < len(reader.tokens):
        raise AlgError(f"unexpected {reader.tokens[reader.at]!r}")
    return turn


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


class _Reader:
    def __init__(self, tokens: Sequence[str], move: Callable[[str], Turn], orientations: Sequence[int]) -> None:
        self.tokens, self.at = tokens, 0
        self._move, self._orientations = move, orientations

    def sequence(self, depth: int) -> Turn:
        if depth > MAX_DEPTH:
            raise AlgError(f"more than {MAX_DEPTH} brackets inside one another")
        size = len(self._orientations)
        turn = Turn(tuple(range(size)), (0,) * size)
        while self.at < len(self.tokens) and self.tokens[self.at][0] not in "]),:":
            turn = turn.then(self._unit(depth), self._orientations)
        return turn

    def _unit(self, depth: int) -> Turn:
        token = self.tokens[self.at]
        self.at += 1
        if token not in ("(", "["):
            return self._move(token)
        first = self.sequence(depth + 1)
        if token == "[":
            between = self._next()
            if between not in (",", ":"):
                raise AlgError("expected , or : between the parts of a bracket")
            second = self.sequence(depth + 1)
            n = self._orientations
            parts = [first, second, first.inverse(n)] + ([second.inverse(n)] if between == "," else [])
            first = parts[0]
            for part in parts[1:]:
                first = first.then(part, n)
        closing = self._next()
        if closing[0] != ("]" if token == "[" else ")"):
            raise AlgError("a bracket is not closed")
        match = _AMOUNT.match(closing[1:])
        count = int(match[1] or 1) * (-1 if match[2] else 1) if match else 1
        return power(first, count, self._orientations)

    def _next(self) -> str:
        if self.at == len(self.tokens):
            raise AlgError("a bracket is not closed")
        self.at += 1
        return self.tokens[self.at - 1]
