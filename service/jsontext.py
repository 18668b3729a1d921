"""Strict parsing of JSON: every fault of a text is reported with its JSON pointer.

>>> read_json(b'{"k": 8, "seed": 7}')
{'k': 8, 'seed': 7}
>>> read_json(b'{"a": [NaN], "k": 1, "k": 2}')
Traceback (most recent call last):
service.errors.ProblemError: the body is JSON that cannot be taken

The standard library's parser is used, for its speed, with stricter rules: by itself it accepts NaN, takes the last of
two equal keys, accepts half a surrogate pair, and turns 1e999 into infinity.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hstar.errors import Fault
from service.errors import ProblemError

MAX_DEPTH = 64
MAX_DIGITS = 64

_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[][{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A placeholder for a refused value, so that its place can be found once the whole tree is parsed."""

    message: str


class _Repeating(dict[str, Any]):
    """An object with repeated keys."""

    repeated: list[str]


def read_json(body: bytes) -> Any:
    """The value of the JSON text ``body``; raises `ProblemError` (``malformed-json``) with all faults."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _malformed(Fault(f"byte {error.start}", f"not UTF-8: {error.reason}")) from None
    _check_depth(text)
    try:
        tree = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=lambda name: _Refusal(f"{name} is not a JSON number"),
            parse_float=_float,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        raise _malformed(Fault(f"line {error.lineno} column {error.colno}", error.msg)) from None
    faults = list(_faults(tree, ""))
    if faults:
        raise ProblemError("malformed-json", "the body is JSON that cannot be taken", faults)
    return tree


def text_fault(text: str) -> str | None:
    """Why ``text`` cannot be stored or answered, or None if it can."""
    if "\x00" in text:
        return "the character U+0000 is not allowed"
    if _SURROGATE.search(text):
        return "half of a surrogate pair is not a character"
    return None


def pointer(path: str, key: str | int) -> str:
    """The JSON pointer (RFC 6901) of ``key`` below ``path``."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def _malformed(fault: Fault) -> ProblemError:
    return ProblemError("malformed-json", "the body is not JSON", [fault])


def _check_depth(text: str) -> None:
    # Counted before parsing, because the parser recurses for each level.
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match.group()
        if token in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise _malformed(Fault(f"character {match.start() + 1}", f"nested deeper than {MAX_DEPTH} levels"))
        elif token in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    found = _Repeating(plain)
    found.repeated = list(dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


def _float(literal: str) -> float | _Refusal:
    value = float(literal)
    return value if math.isfinite(value) else _Refusal("the number is too large")


def _integer(literal: str) -> int | _Refusal:
    return int(literal) if len(literal) <= MAX_DIGITS else _Refusal(f"an integer of {len(literal)} digits is too large")


def _faults(value: Any, path: str) -> Iterator[Fault]:
    if isinstance(value, _Refusal):
        yield Fault(path, value.message)
    elif isinstance(value, str):
        if message := text_fault(value):
            yield Fault(path, message)
    elif isinstance(value, dict):
        if isinstance(value, _Repeating):
            yield from (Fault(pointer(path, key), "the key appears more than once") for key in value.repeated)
        for key, below in value.items():
            if message := text_fault(key):
                yield Fault(pointer(path, key), message)
            yield from _faults(below, pointer(path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _faults(below, pointer(path, index))
