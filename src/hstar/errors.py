"""The errors of the library: one class a kind, each carrying every fault it found.

>>> raise UnknownName("puzzle", "megamix", ["megaminx", "8-puzzle"])
Traceback (most recent call last):
hstar.errors.UnknownName: there is no puzzle 'megamix'; did you mean 'megaminx'? Known: megaminx, 8-puzzle

The service maps each ``code`` to an HTTP status in one table (`service/errors.py`); the command line prints the faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input: the place it is in, and what it means."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class HstarError(Exception):
    """Base of all errors that a caller can cause; ``faults`` lists all of them, never only the first."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n  - ".join([self.message, *map(str, self.faults)])


class InvalidRequest(HstarError):
    """Fields are missing, of the wrong type, out of range, or exclude one another."""

    code = "invalid-request"


class InvalidState(HstarError):
    """The state is not one that the puzzle can be in."""

    code = "invalid-state"


class InvalidAlg(HstarError):
    """The alg does not parse, names a move that is not there, or makes a move that is not possible."""

    code = "invalid-alg"


class InvalidExpression(HstarError):
    """A heuristic does not parse; ``column`` counts from 1 in the text that was given."""

    code = "invalid-heuristic"

    def __init__(self, message: str, column: int, expected: str) -> None:
        super().__init__(message, [Fault(f"column {column}", f"expected {expected}")])
        self.column = column
        self.expected = expected


class FeatureError(HstarError):
    """The arguments of a feature are wrong; the message says what was expected."""

    code = "invalid-heuristic"


class UnknownFeature(FeatureError):
    """The puzzle has no feature of this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"there is no feature {name!r}; known are {', '.join(self.known)}")


class UnavailableFeature(FeatureError):
    """The feature exists, but not for this puzzle; the message says for which."""


class UnknownName(HstarError):
    """No puzzle, move set, algorithm or heuristic has this name."""

    code = "unknown-name"

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        close = get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        super().__init__(f"there is no {kind} {name!r}{hint} Known: {', '.join(names)}")
        self.kind = kind
        self.name = name
        self.known = names


class SolutionRejected(HstarError):
    """A solution of the kernel does not solve the puzzle when it is replayed: a bug in hstar, never an answer."""

    code = "solution-rejected"
