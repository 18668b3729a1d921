"""Instances of an experiment that are not scrambles: states or algs from a list, from a file, or a known set by name.

>>> [one.optimum for one in known_set("korf-15-puzzle")][:3]
[57, 55, 59]
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from hstar.errors import Fault, HstarError, InvalidRequest, in_words
from hstar.puzzles import Puzzle
from hstar.schema import StateIn, Strict, check_one_start

#: the most instances of one experiment
MAX_INSTANCES = 10_000
#: the most faults that an error lists
MOST_FAULTS = 20

#: the sets that come with hstar, and what they are
SETS: Mapping[str, str] = {
    "korf-15-puzzle": "the hundred 15-puzzles of Korf (1985)",
    "korf-24-puzzle": "the fifty 24-puzzles of Korf and Felner (2002)",
}


class GivenInstance(Strict):
    """One instance: a state in any of the puzzle's formats, or an alg that leads to it."""

    name: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="what rows call it; left out: its number, from 1"
    )
    state: StateIn | None = Field(None, description="facelets, tiles, or pieces and orientations")
    alg: str | None = Field(None, description="moves from the solved state")
    optimum: Annotated[int, Field(ge=0)] | None = Field(
        None, description="length of its shortest solutions, as others say; answers are compared with it"
    )

    @model_validator(mode="after")
    def _one_start(self) -> GivenInstance:
        check_one_start(self)
        return self

    @property
    def start(self) -> dict[str, Any]:
        """The field of a solve's request that it sets."""
        return {"alg": self.alg} if self.state is None else {"state": self.state}

    @property
    def text(self) -> str:
        """The state or alg as text, the same however its numbers are spaced."""
        given = self.alg if self.state is None else self.state
        if isinstance(given, dict):
            return json.dumps(given, separators=(",", ":"), sort_keys=True)
        return " ".join(given.split() if isinstance(given, str) else map(str, given or ()))


_FIELDS = set(GivenInstance.model_fields)


def _read_one(given: object) -> object:
    """A state alone is an instance, too."""
    if isinstance(given, GivenInstance) or (isinstance(given, dict) and _FIELDS & set(given)):
        return given
    return {"state": given}


def _read_all(given: object) -> object:
    return known_set(given) if isinstance(given, str) else given


def _or_text(field_schema: dict[str, Any]) -> None:
    field_schema["anyOf"].append({"type": "string", "enum": list(SETS)})


_Many = Annotated[
    list[Annotated[GivenInstance, BeforeValidator(_read_one)]], Field(min_length=1, max_length=MAX_INSTANCES)
]
#: a list, or the name of one of `SETS`
Instances = Annotated[_Many | None, BeforeValidator(_read_all), Field(json_schema_extra=_or_text)]
_MANY = TypeAdapter(_Many)


@cache
def known_set(name: str) -> Sequence[GivenInstance]:
    """The instances of one of `SETS`.

    :raises ValueError: there is no such set
    """
    if name not in SETS:
        raise ValueError(f"expected a list of instances, or one of {', '.join(SETS)}, found {name!r:.80}")
    text = (files("hstar.experiments") / "data" / f"{name}.csv").read_text()
    return _MANY.validate_python(_of_csv(text))


def read_instances(given: str | Path) -> Sequence[GivenInstance]:
    """The instances of a file, or of the set of this name.

    A file whose name ends in ``.csv`` has a column ``state`` or ``alg``, and may have ``name`` and ``optimum``; other
    columns are not read. One whose name ends in ``.json`` has the list that the API takes. Any other has a state on
    each line; what follows # is a comment.

    :raises InvalidRequest: the file cannot be read, with all its faults
    """
    path = Path(given)
    if str(given) in SETS and not path.exists():
        return known_set(str(given))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "" if path.exists() else f"; or give one of {', '.join(SETS)}"
        raise InvalidRequest(f"cannot read {path}", [Fault("/instances", reason + hint)]) from None
    kind = path.suffix.lower()
    try:
        found = _of_csv(text) if kind == ".csv" else json.loads(text) if kind == ".json" else _of_lines(text)
        return _MANY.validate_python(found)
    except ValidationError as error:
        faults = [
            Fault("/".join(map(str, ("/instances", *detail["loc"]))), in_words(detail))
            for detail in error.errors()[:MOST_FAULTS]
        ]
    except (ValueError, RecursionError, csv.Error) as error:
        faults = [Fault("/instances", str(error))]
    raise InvalidRequest(f"{path} has no list of instances", faults)


def _of_lines(text: str) -> list[object]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [_value(line) for line in lines if line]


def _of_csv(text: str) -> list[object]:
    reader = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    if not {"state", "alg"} & set(reader.fieldnames or ()):
        raise ValueError(f"expected a column state or alg, found {', '.join(reader.fieldnames or ['nothing'])}")
    found: list[object] = []
    for line in reader:
        one: dict[str, object] = {name: cell for name, cell in line.items() if name in _FIELDS and cell}
        if "state" not in one:
            one["alg"] = line.get("alg") or ""
        read = {"state": _value, "optimum": _number}
        found.append({name: read[name](str(cell)) if name in read else cell for name, cell in one.items()})
    return found


def _value(text: str) -> object:
    return json.loads(text) if text[:1] in ("{", "[") else text


def _number(text: str) -> object:
    return int(text) if text.strip().isdecimal() else text


class Instance(BaseModel):
    """A checked instance."""

    name: str
    text: str
    optimum: int | None
    #: the field of a solve's request that it sets
    start: dict[str, Any]


def numbered(given: Iterable[GivenInstance]) -> list[Instance]:
    """The instances with their names, which are not checked."""
    return [
        Instance.model_construct(name=one.name or str(number), text=one.text, optimum=one.optimum, start=one.start)
        for number, one in enumerate(given, start=1)
    ]


def check(given: Sequence[GivenInstance], puzzle: Puzzle) -> list[Instance]:
    """The instances of a puzzle, with their names.

    :raises InvalidRequest: a state or an alg is not one of the puzzle, or two have the same name; with the first faults
    """
    found, seen, faults = numbered(given), dict[str, int](), list[Fault]()
    for number, (one, instance) in enumerate(zip(given, found, strict=True)):
        where = f"/instances/{number}"
        try:
            if one.alg is None:
                puzzle.parse_state(one.state)
            else:
                puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(one.alg))
        except HstarError as error:
            faults.append(Fault(where, ": ".join([error.message, *map(str, error.faults[:1])])))
        first = seen.setdefault(instance.name, number)
        if first != number:
            faults.append(Fault(f"{where}/name", f"{instance.name!r} is the name of instance {first + 1}, too"))
        if len(faults) >= MOST_FAULTS:
            break
    if faults:
        raise InvalidRequest("these are no instances of the puzzle", faults)
    return found
