"""Generators in the notation of GAP, as the PuzzleGeometry of cubing.js also writes them.

    U := (1,3,8,6)(2,5,7,4);  R := ( 3,38,43,19);
    G := Group(U, R);                      # groups of named generators are ignored
    Group( (1,2,3), (1,2) )                # generators without names: g1, g2

``(1,2,3)`` takes what is at point 1 to point 2. Points count from 1. ``ip:=[[1,5],[2]]``, which PuzzleGeometry adds,
lists points whose pieces are identical.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles.definition import MAX_PLACES
from hstar.puzzles.formats.generators import definition_of

__all__ = ["read_gap"]

_COMMENT = re.compile(r"#[^\n]*")
_CYCLES = r"\(\s*(?:\d{1,6}\s*(?:,\s*\d{1,6}\s*)*)?\)"
_PERMUTATION = re.compile(rf"(?:{_CYCLES}\s*\*?\s*)+")
_NAMED = re.compile(r"^([A-Za-z_][A-Za-z0-9_.]*)\s*:=\s*(.*)$", re.DOTALL)
_IDENTICAL = re.compile(r"^ip\s*:=\s*\[(.*)\]$", re.DOTALL)
_CYCLE = re.compile(r"\(([\d,\s]*)\)")


def read_gap(text: str) -> dict[str, Any]:
    """The JSON value of the KPuzzle whose moves are the generators of a text.

    :raises InvalidRequest: there are no generators, or a permutation has a point twice
    """
    faults: list[Fault] = []
    moves: dict[str, list[list[int]]] = {}
    identical: list[list[int]] = []
    if (large := re.search(r"\d{7,}", text)) is not None:
        raise InvalidRequest(
            "these are not generators of GAP", [Fault("", f"there is a point {large[0]:.20}; at most {MAX_PLACES}")]
        )
    for statement in _COMMENT.sub("", text).split(";"):
        statement = statement.strip()
        if (same := _IDENTICAL.match(statement)) is not None:
            identical = [
                [int(n) for n in re.findall(r"\d{1,6}", part)] for part in re.findall(r"\[([^\[\]]*)\]", same[1])
            ]
            continue
        named = _NAMED.match(statement)
        body = named[2] if named else statement
        if named and _PERMUTATION.fullmatch(body.strip()):
            name = named[1].removeprefix("M_")
            faults += [Fault(name, "there are two generators of this name")] if name in moves else []
            moves[name] = _cycles(body)
            continue
        if statement.count("(") != statement.count(")"):
            faults.append(Fault(f"{statement:.20}", "a bracket is not closed, or not opened"))
            continue
        for found in _PERMUTATION.finditer(_unwrapped(body)):
            free = next(number for number in count(len(moves) + 1) if f"g{number}" not in moves)
            moves[f"g{free}"] = _cycles(found[0])
    if not moves and not faults:
        faults.append(Fault("", "there are no generators, such as U:=(1,2,3)(4,5);"))
    points = max((point for cycles in moves.values() for cycle in cycles for point in cycle), default=1)
    if points > MAX_PLACES:
        faults.append(Fault("", f"there are points up to {points}; at most {MAX_PLACES}"))
    generators: dict[str, list[int]] = {}
    for name, cycles in moves.items() if not faults else ():
        seen = [point for cycle in cycles for point in cycle]
        if len(set(seen)) < len(seen) or 0 in seen:
            faults.append(Fault(name, "expected each point once, counted from 1"))
            continue
        source = list(range(points))
        for cycle in cycles:
            for before, after in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                source[after - 1] = before - 1
        generators[name] = source
    if faults:
        raise InvalidRequest("these are not generators of GAP", faults)
    labels = list(range(points))
    for alike in identical:
        for point in alike:
            if 1 <= point <= points and 1 <= alike[0] <= points:
                labels[point - 1] = alike[0] - 1
    return definition_of(generators, None if labels == list(range(points)) else labels)


def _cycles(text: str) -> list[list[int]]:
    return [[int(point) for point in inner.split(",")] for inner in _CYCLE.findall(text) if inner.strip()]


def _unwrapped(text: str) -> str:
    """The text inside the outer brackets of ``Group( ... )`` and ``[ ... ]``."""
    match = re.match(r"^(?:[A-Za-z_]\w*\s*)?[\[(]\s*(?=[(\[])(.*)[\])]$", text.strip(), re.DOTALL)
    return text if match is None or _PERMUTATION.fullmatch(text.strip()) else match[1]
