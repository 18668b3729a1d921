"""How moves are named and algs are written: the Alg language of cubing.js. One reader, one printer, each the inverse of
the other.

A move is a name with a count and a prime: ``U``, ``U2``, ``U'``, ``U2'``. A name that ends with a digit is put in
parentheses before a count, and so is one that would be another name with it: ``(g1)2'``. Longest names are read first:
``f2'`` is the inverse of a move ``f2`` if there is one, otherwise that of ``f`` twice; ``(g1)2`` is one move,
``( g1 )2`` and ``(R)2`` are two.

An alg is moves, groups ``(R U)2'``, commutators ``[A, B]`` = A B A' B', conjugates ``[A: B]`` = A B A', moves on the
inverse ``^(A) B`` = B A' (NISS), pauses ``.`` and comments ``// to the end of the line`` and ``/* anywhere */``. A move
of the puzzle is read as such first, so that a move may be called ``.`` or ``//``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hstar.errors import Fault, InvalidAlg
from hstar.schema import MAX_SCRAMBLE_LENGTH

__all__ = [
    "NO_NAMES",
    "Alg",
    "Aside",
    "Group",
    "Move",
    "MoveNames",
    "Notation",
    "Pair",
    "Rotation",
    "Said",
    "Step",
    "parse",
    "show",
    "tokens_of",
    "written_out",
]

#: the deepest nesting of brackets
MAX_DEPTH = 20

_DIGITS = "0123456789"
_AMOUNT = re.compile(r"([0-9]{0,3})('?)")
_ENCLOSED = re.compile(r"\(([^\s()]+)\)([0-9]{0,3})('?)")
_PLAIN = re.compile(r"[^\s\[\](),:]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
#: both layers of a Square-1
_BOTH = re.compile(r"\(\s*-?[0-9]{1,2}\s*,\s*-?[0-9]{1,2}\s*\)")


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


#: for puzzles whose moves have no names that look like a part of the language
NO_NAMES = MoveNames(())


def _count(digits: str, prime: str) -> int:
    return int(digits or 1) * (-1 if prime else 1)


# -- what an alg consists of ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Move:
    """A move as it is written, with its count and prime."""

    text: str


@dataclass(frozen=True, slots=True)
class Group:
    """``(A)2'``: an alg made ``count`` times, backwards if that is negative."""

    inside: Alg
    count: int = 1
    inverse: bool = False  # ``^(A)``: to be made on the inverse


@dataclass(frozen=True, slots=True)
class Pair:
    """``[A, B]``, a commutator, or ``[A: B]``, a conjugate."""

    first: Alg
    second: Alg
    kind: Literal[",", ":"]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Aside:
    """A pause or a comment: no move."""

    text: str


Alg = tuple[Move | Group | Pair | Aside, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A move of an alg as it is written, or the inverse of that."""

    text: str
    back: bool = False

    def __str__(self) -> str:
        return f"the inverse of {self.text}" if self.back else self.text


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation of the whole puzzle, made ``count`` times."""

    name: str
    count: int


#: what is done to a puzzle that is held in some way: a move by its canonical name, or a rotation of the whole
Step = str | Rotation


def parse(text: str, names: MoveNames = NO_NAMES) -> Alg:
    """The alg that is written.

    :param names: those of moves that may look like comments, pauses or groups
    :raises InvalidAlg: a bracket or a comment is not closed, or brackets do not fit
    """
    return _Reader(text.replace("\u2019", "'"), names).read()


def show(alg: Alg, names: MoveNames = NO_NAMES) -> str:
    """The text of an alg: the inverse of `parse`."""
    shown = [_unit(unit, names) for unit in alg]
    text = ""
    for unit, part in zip(alg, shown, strict=True):
        gap = "" if not text or text.endswith("\n") else " "
        text += gap + part + ("\n" if isinstance(unit, Aside) and part.startswith("//") else "")
    return text


def _unit(unit: Move | Group | Pair | Aside, names: MoveNames) -> str:
    if isinstance(unit, Move | Aside):
        return unit.text
    digits = "" if abs(unit.count) == 1 else str(abs(unit.count))
    amount = digits + ("'" if unit.count < 0 else "")
    if isinstance(unit, Pair):
        between = ", " if unit.kind == "," else ": "
        return f"[{show(unit.first, names)}{between}{show(unit.second, names)}]{amount}"
    made = f"({show(unit.inside, names)}){amount}"
    if names.encloses(made):
        made = f"( {show(unit.inside, names)} ){amount}"
    return ("^" if unit.inverse else "") + made


class _Reader:
    def __init__(self, text: str, names: MoveNames) -> None:
        self._text, self._names = text, names
        self._at = self._moves = 0

    def read(self) -> Alg:
        alg = self._sequence(0)
        if self._at < len(self._text):
            raise self._fault(f"{self._text[self._at]!r} closes no bracket")
        return alg

    def _fault(self, text: str) -> InvalidAlg:
        return InvalidAlg("the alg does not parse", [Fault(f"move {self._moves + 1}", text)])

    def _sequence(self, depth: int) -> Alg:
        if depth > MAX_DEPTH:
            raise self._fault(f"more than {MAX_DEPTH} brackets inside one another")
        units: list[Move | Group | Pair | Aside] = []
        while (unit := self._next(depth)) is not None:
            units.append(unit)
        return tuple(units)

    def _next(self, depth: int) -> Move | Group | Pair | Aside | None:
        """The next part, or None before what ends the sequence."""
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1
        here = self._text[self._at : self._at + 1]
        if here in ("", ")", "]", ",", ":"):
            return None
        if here == "(":
            whole = _ENCLOSED.match(self._text, self._at)
            if whole is not None and self._names.encloses(whole[0]):
                return self._move(whole[0])
            both = _BOTH.match(self._text, self._at)
            return self._group(depth) if both is None else self._move(both[0])
        if here == "[":
            return self._pair(depth)
        plain = _PLAIN.match(self._text, self._at)
        assert plain is not None
        token = plain[0]
        if self._names.read(token) is not None:
            return self._move(token)
        if token.startswith(("//", "/*")):
            comment = _COMMENT.match(self._text, self._at)
            if comment is None:
                raise self._fault("a comment is not closed")
            self._at = comment.end()
            return Aside(comment[0].rstrip())
        if set(token) == {"."}:
            self._at += len(token)
            return Aside(token)
        if token == "^" and self._text[self._at + 1 : self._at + 2] == "(":
            self._at += 2
            inside = self._sequence(depth + 1)
            return Group(inside, self._close(")"), inverse=True)
        # A comment may follow a move at once.
        return self._move(re.split(r"//|/\*", token, maxsplit=1)[0])

    def _move(self, token: str) -> Move:
        self._at += len(token)
        self._moves += 1
        if self._moves > MAX_SCRAMBLE_LENGTH:  # so that a text of megabytes costs no more than the longest alg
            raise _too_long(brackets=False)
        return Move(token)

    def _group(self, depth: int) -> Group | Pair:
        self._at += 1
        inside, count = self._sequence(depth + 1), self._close(")")
        if len(inside) == 1 and isinstance(inside[0], Pair) and inside[0].count == 1:
            return replace(inside[0], count=count)  # as cubing.js prints it
        return Group(inside, count)

    def _pair(self, depth: int) -> Pair:
        self._at += 1
        first = self._sequence(depth + 1)
        kind = self._text[self._at : self._at + 1]
        if kind not in (",", ":"):
            raise self._fault("expected , or : between the parts of a bracket" if kind else "a bracket is not closed")
        self._at += 1
        second = self._sequence(depth + 1)
        return Pair(first, second, "," if kind == "," else ":", self._close("]"))

    def _close(self, bracket: str) -> int:
        if self._text[self._at : self._at + 1] != bracket:
            raise self._fault("a bracket is not closed")
        amount = _AMOUNT.match(self._text, self._at + 1)
        assert amount is not None
        self._at = amount.end()
        return _count(amount[1], amount[2])


# -- the moves of an alg ----------------------------------------------------------------------------------------------


def written_out(text: str, names: MoveNames = NO_NAMES) -> list[Said]:
    """The moves of an alg, one after the other, its groups, commutators and conjugates written out.

    :raises InvalidAlg: it cannot be parsed, or there are too many moves
    """
    alg = parse(text, names)
    said = _said(alg)
    if len(said) > MAX_SCRAMBLE_LENGTH:
        raise _too_long(any(not isinstance(unit, Move | Aside) for unit in alg))
    return said


def tokens_of(text: str) -> list[str]:
    """The words of an alg in a language without groups; `InvalidAlg` if there are too many."""
    tokens = text.replace("\u2019", "'").split()
    if len(tokens) > MAX_SCRAMBLE_LENGTH:
        raise _too_long(brackets=False)
    return tokens


def _too_long(brackets: bool) -> InvalidAlg:
    written = " when its groups are written out" if brackets else ""
    return InvalidAlg(f"the alg has more than {MAX_SCRAMBLE_LENGTH:,} moves{written}")


def _said(alg: Alg) -> list[Said]:
    found: list[Said] = []
    on_the_inverse: list[Said] = []
    for unit in alg:
        if isinstance(unit, Move):
            found.append(Said(unit.text))
            continue
        if isinstance(unit, Aside):
            continue
        if isinstance(unit, Group):
            once = _said(unit.inside)
        else:
            first, second = _said(unit.first), _said(unit.second)
            once = [*first, *second, *_back(first)] + (_back(second) if unit.kind == "," else [])
        if len(once) * abs(unit.count) + len(found) > MAX_SCRAMBLE_LENGTH:
            raise _too_long(brackets=True)
        made = (_back(once) if unit.count < 0 else once) * abs(unit.count)
        if isinstance(unit, Group) and unit.inverse:
            on_the_inverse = [*_back(made), *on_the_inverse]
        else:
            found += made
    return found + on_the_inverse


def _back(moves: Sequence[Said]) -> list[Said]:
    return [Said(one.text, not one.back) for one in reversed(moves)]
