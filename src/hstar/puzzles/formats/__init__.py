"""Definitions of puzzles in published formats. Each is converted to a KPuzzle, and checked as one.

| format | recognised by |
|---|---|
| KPuzzle JSON, as cubing.js writes it | an object with ``orbits`` and ``moves`` |
| twsearch and ksolve (``.tws``, ``.def``) | lines that begin with ``Name``, ``Set``, ``Move`` |
| GAP | generators as cycles: ``U:=(1,3,8,6)(2,5,7,4);`` or ``Group((1,2),(1,2,3))`` |
| generators as permutations | ``{"U": [3, 0, 1, 2], ...}``, or a list of such lists |
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles.definition import KPuzzle, read_definition
from hstar.puzzles.formats.gap import read_gap
from hstar.puzzles.formats.generators import read_generators
from hstar.puzzles.formats.square1 import with_corners
from hstar.puzzles.formats.tws import read_tws

__all__ = ["MAX_TEXT", "read_any_definition"]

#: the most characters of a text
MAX_TEXT = 2**20
#: the deepest nesting of brackets of any kind, so that no text exhausts the stack of its reader
MAX_NESTED = 32
#: but a generator of GAP may be called ``Name``
_TWS = re.compile(r"^\s*(Name|Set|Solved|StartState)(?!\s*:=)(?=\s|$)", re.MULTILINE)
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")


def read_any_definition(given: object, name: str | None = None) -> KPuzzle:
    """The definition from a text or a JSON value in any of the formats.

    :param name: the puzzle's name; left out: the one in the definition
    :raises InvalidRequest: it is not a definition; has all faults, each with its place
    """
    value = dict(_read(given))
    value["name"] = value.get("name") if name is None else name
    if not isinstance(value["name"], str) or not _NAME.match(value["name"]):
        text = "a name has 1 to 40 letters, digits, dots, dashes and underscores, and begins with a letter or digit"
        found = "there is none in the definition" if value["name"] is None else f"found {value['name']!r:.60}"
        raise InvalidRequest("the puzzle needs a name", [Fault("/name", f"{text}; {found}")])
    return read_definition(value)


def _read(given: object) -> Mapping[str, Any]:
    """The definition as the JSON value of a KPuzzle."""
    if isinstance(given, str):
        given = _from_text(given)
    if isinstance(given, Mapping) and "orbits" in given:
        return with_corners(given)
    if isinstance(given, Mapping | list):
        return read_generators(given)
    raise InvalidRequest("this is not the definition of a puzzle", [Fault("", _expected(given))])


def _from_text(text: str) -> object:
    if len(text) > MAX_TEXT:
        raise _refused(f"the text has {len(text):,} characters; at most {MAX_TEXT:,} are read")
    text = text.lstrip("\ufeff")
    if _depth(text) > MAX_NESTED:
        raise _refused(f"more than {MAX_NESTED} brackets inside one another")
    begins = text.lstrip()[:1]
    if begins == "{" or (begins == "[" and "(" not in text):
        try:
            # Some competitions publish their moves as Python dictionaries, which differ only in the quotes.
            return json.loads(text if '"' in text else text.replace("'", '"'), object_pairs_hook=_object)
        except ValueError as error:
            raise _refused(f"this begins like JSON, but cannot be read: {error}") from None
    if _TWS.search(text):
        return read_tws(text)
    if "(" in text:
        return read_gap(text)
    raise _refused(_expected(text))


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:40]!r} is there twice in one object")
    return found


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in re.findall(r"[\[{()}\]]", text):
        depth += 1 if character in "[{(" else -1
        deepest = max(deepest, depth)
    return deepest


def _expected(found: object) -> str:
    return (
        "expected KPuzzle JSON, a twsearch definition (.tws), generators of GAP, or generators as lists of integers; "
        f"found {found!r:.40}"
    )


def _refused(text: str) -> InvalidRequest:
    return InvalidRequest("this is not the definition of a puzzle", [Fault("", text)])
