"""The Square-1 of cubing.js, whose KPuzzle lets a slash cut corners: it says nowhere that their halves stay together.

cubing.js does not ask whether a slash can be made; its solver, and that of twsearch, do so with lists of the halves of
corners, which are in the slots that the built-in ``square1`` has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hstar.puzzles.square1.layers import SECONDS

__all__ = ["with_corners"]

_ORBITS = [
    {"orbitName": "WEDGES", "numPieces": 24, "numOrientations": 9},
    {"orbitName": "EQUATOR", "numPieces": 2, "numOrientations": 6},
]
_STILL = list(range(24))
_MOVES = {
    "U_SQ_": [11, *_STILL[:11], *_STILL[12:]],
    "D_SQ_": [*_STILL[:12], 23, *_STILL[12:23]],
    "_SLASH_": [*_STILL[:6], *_STILL[12:18], *_STILL[6:12], *_STILL[18:]],
}


def with_corners(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the slash forbidden while a corner is in its way, if it is this puzzle and says nothing of its own."""
    own = value.get("hstar", {})
    if not isinstance(own, Mapping) or "forbidden" in own or not _is_square1(value):
        return value
    slots = {str(slot): sorted(SECONDS) for slot in (0, 6, 12, 18)}
    return {**value, "hstar": {**own, "forbidden": {"_SLASH_": {"WEDGES": slots}}}}


def _is_square1(value: Mapping[str, Any]) -> bool:
    """Whether orbits and moves are those of cubing.js. Others may mean a puzzle whose corners are cut."""
    moves = value.get("moves")
    if value.get("orbits") != _ORBITS or not isinstance(moves, Mapping) or moves.keys() != _MOVES.keys():
        return False
    wedges = {name: move.get("WEDGES") if isinstance(move, Mapping) else None for name, move in moves.items()}
    return all(isinstance(own, Mapping) and own.get("permutation") == _MOVES[name] for name, own in wedges.items())
