"""The errors of the library: one class for each kind. An error has all faults that were found.

>>> raise UnknownName("puzzle", "megamix", ["megaminx", "8-puzzle"])
Traceback (most recent call last):
hstar.errors.UnknownName: there is no puzzle 'megamix'; did you mean 'megaminx'? Known: megaminx, 8-puzzle

The service maps each ``code`` to an HTTP status in one table (`service/errors.py`); the command line prints the faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, ClassVar

#: an error lists at most this many faults, and says how many more there are
MAX_FAULTS = 100
#: input that an error quotes is cut to this many characters, so that a long one is not sent back
MAX_WHERE, MAX_TEXT = 200, 2000
MAX_NAME = 60

#: patterns of texts: of those that a database can hold, of ids in a file, and of owners and courses, whose characters
#: URLs, file names and logs can hold unchanged
TEXT = r"^[^\x00]*$"
IDENTIFIER = r"^[A-Za-z0-9_-]{1,64}$"
NAME = r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$"
CHARACTERS = {
    TEXT: "text without NUL characters",
    IDENTIFIER: "letters, digits and _ -, at most 64",
    NAME: "letters, digits and . _ @ + -, at most 64",
}


def clipped(text: str, most: int) -> str:
    """``text``, cut to ``most`` characters; if it was cut, with its length."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def why(error: Exception) -> str:
    """Why a file cannot be read or written: "No such file or directory: a.json"."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.strerror}: {error.filename}"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input: its place, and what it means.

    :param count: the number of faults it stands for; more than 1 for "and 12 more"
    """

    where: str
    message: str
    count: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", clipped(self.where, MAX_WHERE))
        object.__setattr__(self, "message", clipped(self.message, MAX_TEXT))

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message

    def below(self, place: str) -> Fault:
        """The same fault in the part of a larger input that is at ``place``, a JSON pointer."""
        inside = "" if self.where in ("", "/") else self.where if self.where.startswith("/") else f": {self.where}"
        return replace(self, where=place + inside)


def listed(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """The faults as they are shown: all of them, or the first hundred and how many more there are."""
    single = [fault for fault in faults if fault.count == 1]
    more = sum(fault.count for fault in faults) - min(len(single), MAX_FAULTS)
    if more == 0:
        return tuple(single)
    return (*single[:MAX_FAULTS], Fault("", f"and {more:,} more", more))


class HstarError(Exception):
    """Base of all errors that a caller can cause; ``faults`` lists all of them, never only the first (see `listed`)."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        self.message = clipped(message, MAX_TEXT)
        self.faults = listed(faults)
        super().__init__(self.message)

    @property
    def shortly(self) -> str:
        """What the first fault says; without faults, the message."""
        return self.faults[0].message if self.faults else self.message

    def __str__(self) -> str:
        return "\n  - ".join([self.message, *(str(fault) for fault in self.faults if fault.message != self.message)])


class InvalidRequest(HstarError):
    """Fields are missing, of the wrong type, out of range, or cannot be combined."""

    code = "invalid-request"


class InvalidState(HstarError):
    """The state is not one that the puzzle can be in.

    :param held: what its slots hold, if it could be read as slots
    """

    code = "invalid-state"

    def __init__(self, message: str, faults: Sequence[Fault] = (), held: Sequence[int] | None = None) -> None:
        super().__init__(message, faults)
        self.held = held


class InvalidAlg(HstarError):
    """The alg cannot be parsed, names an unknown move, or makes a move that is not possible."""

    code = "invalid-alg"


class InvalidExpression(HstarError):
    """A heuristic cannot be parsed; ``column`` counts from 1 in the given text."""

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
        close = get_close_matches(name[:MAX_NAME], self.known, n=1)
        self.hint = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"there is no feature {name!r}{self.hint or ';'} known are {', '.join(self.known)}")


class UnavailableFeature(FeatureError):
    """The feature exists, but not for this puzzle; the message says for which."""


class HeuristicFailed(HstarError):
    """A heuristic that is a function of one's own raised an error, or returned no number; the fault names the state."""

    code = "invalid-heuristic"


class UnknownName(HstarError):
    """No puzzle, move set, algorithm or the like has this name; the fault says so where a request has the name."""

    code = "unknown-name"
    places: ClassVar[Mapping[str, str]] = {"puzzle": "/puzzle", "move set": "/moves"}

    def __init__(self, kind: str, name: str, known: Iterable[str], meant: str | None = None) -> None:
        names = list(known)
        written = name[:MAX_NAME].replace("*", "_star")  # IDA* and the like
        close = [meant] if meant else get_close_matches(written, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        message = f"there is no {kind} {clipped(name, MAX_NAME)!r}{hint} Known: {', '.join(names)}"
        super().__init__(message, [Fault(self.places.get(kind, ""), message)])
        self.kind = kind
        self.name = name
        self.known = names


class SolutionRejected(HstarError):
    """A solution of the kernel does not solve the puzzle when it is replayed. This is a bug in hstar, never an
    answer."""

    code = "solution-rejected"


def in_words(detail: Mapping[str, Any]) -> str:
    """An error of the schema library in plain words, with the value found where that helps."""
    text = expected(detail)
    match detail["type"]:
        case "too_short":
            return f"{text}, found {detail['ctx']['actual_length']}"
        case "too_long":
            return f"{text}, found {detail['ctx']['actual_length'] or 'more'}"
        case kind if text.startswith("expected ") and not kind.endswith("_error"):
            return f"{text}, found {repr(detail['input'])[:60]}"
        case "literal_error":
            return f"{text}, found {str(detail['input'])[:60]}"
    return text


def expected(detail: Mapping[str, Any]) -> str:
    """What the schema library expected, in plain words."""
    bounds = detail.get("ctx", {})
    match detail["type"]:
        case "literal_error" | "enum":
            return f"expected {bounds['expected']}".replace("'", "")
        case "greater_than_equal":
            return f"expected {bounds['ge']} or more"
        case "less_than_equal":
            return f"expected {bounds['le']} or less"
        case "greater_than":
            return f"expected more than {bounds['gt']}"
        case "less_than":
            return f"expected less than {bounds['lt']}"
        case "int_parsing" | "int_from_float" | "int_type":
            return "expected a whole number"
        case "float_parsing" | "float_type" | "finite_number":
            return "expected a number"
        case "bool_parsing" | "bool_type":
            return "expected true or false"
        case "string_type":
            return "expected text"
        case "string_too_short" if bounds["min_length"] == 1:
            return "must not be empty"
        case "string_too_short":
            return f"expected {bounds['min_length']} characters or more"
        case "string_too_long":
            return f"expected {bounds['max_length']} characters or fewer"
        case "string_pattern_mismatch" if bounds["pattern"] in CHARACTERS:
            return f"expected {CHARACTERS[bounds['pattern']]}"
        case "too_short":
            return f"expected {bounds['min_length']} or more"
        case "too_long":
            return f"expected {bounds['max_length']} or fewer"
        case "missing":
            return "missing"
        case "extra_forbidden":
            return "unknown field"
        case "list_type" | "tuple_type":
            return "expected a list"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "expected an object"
        case kind if kind.startswith("datetime_") and kind != "datetime_future":
            return "expected a date and time such as 2027-01-31T23:59:00Z"
    message = str(detail["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return message[0].lower() + message[1:]
