"""How moves are named and algs are written. Reading is the inverse of writing, and the rule is here alone.

A move is a name with a count and a prime: ``U``, ``U2``, ``U'``, ``U2'``. A name that ends with a digit is put in
parentheses before a count, and so is one that would be another name with it: ``(g1)2'``. An alg is moves and groups of
them: ``(R U)2``. Longest names are read first: ``f2'`` is the inverse of a move ``f2`` if there is one, otherwise that
of ``f`` twice; ``(g1)2`` is one move, ``( g1 )2`` and ``(R)2`` are
two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from hstar.errors import Fault, InvalidAlg
from hstar.schema import MAX_SCRAMBLE_LENGTH

__all__ = ["MoveNames", "Notation", "scan", "written_out"]

_DIGITS = "0123456789"
_AMOUNT = re.compile(r"([0-9]{0,3})('?)")
_ENCLOSED = re.compile(r"\(([^\s()]+)\)([0-9]{0,3})('?)")
_TOKEN = re.compile(r"[\])][0-9]{0,3}'?|[\[(,:]|[^\s\[\](),:]+")


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write algs of one puzzle. Both functions raise `hstar.errors.InvalidAlg`, and nothing else.

    ``parse(format(moves)) == moves`` wherever ``format`` succeeds, and ``format(parse(text))`` is ``text`` in its
    shortest form.
    """

    name: str
    description: str
    example: str
    parse: Callable[[str], tuple[str, ...]]
    format: Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class MoveNames:
    """The names of moves that counts and primes follow: `read` is the inverse of `write`.

    :param names: without white space, primes, parentheses, commas, colons and brackets
    """

    names: Collection[str]

    def write(self, name: str, count: int) -> str:
        """The move of a name made ``count`` times; its inverse, if the count is negative."""
        digits = str(abs(count)) if abs(count) != 1 else ""
        shown = f"({name})" if self._enclosed(name, digits) else name
        return shown + digits + ("'" if count < 0 else "")

    def read(self, token: str) -> tuple[str, int] | None:
        """The name in a token, and how many times it is made; None if the token has no name of a move."""
        match = _ENCLOSED.fullmatch(token)
        if match is not None and match[1] in self.names:
            return match[1], _count(match[2], match[3])
        for end in range(len(token), max(0, len(token) - 5), -1):
            name = token[:end]
            amount = _AMOUNT.fullmatch(token, end) if name in self.names else None
            if amount is not None and not (amount[1] and name[-1] in _DIGITS):
                return name, _count(amount[1], amount[2])
        return None

    def encloses(self, token: str) -> bool:
        """Whether parentheses are those of a name, and not of a group of one move."""
        match = _ENCLOSED.fullmatch(token)
        return match is not None and match[1] in self.names and (not match[2] or self._enclosed(match[1], match[2]))

    def _enclosed(self, name: str, digits: str) -> bool:
        return bool(digits) and (name[-1].isdigit() or name + digits in self.names)


def _count(digits: str, prime: str) -> int:
    return int(digits or 1) * (-1 if prime else 1)


def scan(text: str, encloses: Callable[[str], bool]) -> Iterator[str]:
    """The tokens of an alg: moves, opening brackets, closing ones with their count and prime, commas and colons.

    :param encloses: whether a token with parentheses around a part is one move
    """
    text = text.replace("\u2019", "'")
    at = 0
    while (found := _TOKEN.search(text, at)) is not None:
        whole = _ENCLOSED.match(text, found.start())
        token = whole[0] if whole is not None and encloses(whole[0]) else found[0]
        yield token
        at = found.start() + len(token)


def written_out(text: str, encloses: Callable[[str], bool]) -> list[str]:
    """The tokens of the moves of an alg, with its groups written out: ``(R U)2 F`` is ``R U R U F``.

    :raises InvalidAlg: a bracket has no other one, or there are too many moves
    """
    groups: list[list[str]] = [[]]
    longest = 0
    for token in scan(text, encloses):
        if token == "(":
            groups.append([])
        elif token[0] != ")":
            groups[-1].append(token)
        elif len(groups) == 1 or token[-1] == "'":
            text = f"{token!r} closes no bracket" if len(groups) == 1 else "a group has a count, but no prime"
            raise _unread(len(groups[-1]) + 1, text)
        else:
            group, count = groups.pop(), int(token[1:] or 1)
            longest = max(longest, len(groups[-1]) + len(group) * count)
            groups[-1] += group * count if longest <= MAX_SCRAMBLE_LENGTH else []
    if len(groups) > 1:
        raise _unread(len(groups[0]) + 1, "a bracket is not closed")
    if max(longest, len(groups[0])) > MAX_SCRAMBLE_LENGTH:
        written = " when its groups are written out" if longest else ""
        raise InvalidAlg(f"the alg has more than {MAX_SCRAMBLE_LENGTH:,} moves{written}")
    return groups[0]


def _unread(number: int, text: str) -> InvalidAlg:
    return InvalidAlg("the alg does not parse", [Fault(f"move {number}", text)])
