"""Puzzles of any size, by their names: ``pancake:8``, ``lrx:7``, ``topspin:12``.

| name | pieces | moves |
|---|---|---|
| ``pancake:N`` | a stack of N pancakes | ``f2`` ... ``fN``: the first 2 ... N are turned over |
| ``lrx:N`` | a ring of N | ``L``: all one place to the left, and ``L'`` back; ``X``: the first two are swapped |
| ``topspin:N`` | a ring of N | ``L``, ``L'``: as above; ``S``: the first four are reversed |

Sources: Gates and Papadimitriou, "Bounds for sorting by prefix reversal" (1979); Chervov and others, "CayleyPy RL"
(2025) for LRX; Ferdinand Lammertink's TopSpin has 20 pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.definition import MAX_VALUES, read_definition

__all__ = ["FAMILIES", "family_member"]

_NAME = re.compile(r"^([a-z]+):([0-9]{1,3})$")


def _pancake(n: int) -> dict[str, list[int]]:
    return {f"f{k}": [*reversed(range(k)), *range(k, n)] for k in range(2, n + 1)}


def _left(n: int) -> list[int]:
    return [*range(1, n), 0]


def _lrx(n: int) -> dict[str, list[int]]:
    return {"L": _left(n), "X": [1, 0, *range(2, n)]}


def _topspin(n: int) -> dict[str, list[int]]:
    return {"L": _left(n), "S": [3, 2, 1, 0, *range(4, n)]}


#: for each family: its title, its least size, and its moves (for each place, the place whose piece comes there)
FAMILIES: Mapping[str, tuple[str, int, Callable[[int], dict[str, list[int]]]]] = {
    "pancake": ("stack of {} pancakes", 2, _pancake),
    "lrx": ("LRX on {} pieces", 3, _lrx),
    "topspin": ("TopSpin with {} pieces", 5, _topspin),
}


def _usual(moves: list[str]) -> dict[str, Any]:
    """The usual heuristic of a stack, and the usual moves of a ring, which turns by one place at a time."""
    if moves[0] != "L":
        source = "Helmert, Landmark heuristics for the pancake problem (2010)"
        return {"heuristics": {"gap": {"expression": "gaps", "source": source}}, "defaultHeuristic": "gaps"}
    steps = {"moves": ["L", "L'", moves[1]], "description": "the ring turns by one place at a time"}
    return {"moveSets": {"steps": steps}, "defaultMoves": "steps"}


@lru_cache(maxsize=32)
def family_member(name: str) -> DefinedPuzzle | None:
    """The puzzle of a family with this name; None if there is no such family. The same object each time.

    :raises InvalidRequest: it is too small or too large
    """
    match = _NAME.match(name)
    if match is None or match[1] not in FAMILIES:
        return None
    title, least, moves = FAMILIES[match[1]]
    size = int(match[2])
    if not least <= size <= MAX_VALUES or name != f"{match[1]}:{size}":
        text = f"expected {match[1]}:{least} to {match[1]}:{MAX_VALUES}"
        raise InvalidRequest(f"there is no puzzle {name!r}", [Fault("/puzzle", text)])
    extra: dict[str, Any] = {"title": title.format(size), **_usual(list(moves(size)))}
    return DefinedPuzzle(
        read_definition(
            {
                "name": name,
                "orbits": [{"orbitName": "PIECES", "numPieces": size, "numOrientations": 1}],
                "defaultPattern": {"PIECES": {"pieces": [*range(size)], "orientation": [0] * size}},
                "moves": {
                    move: {"PIECES": {"permutation": source, "orientationDelta": [0] * size}}
                    for move, source in moves(size).items()
                },
                "hstar": extra,
            }
        )
    )
