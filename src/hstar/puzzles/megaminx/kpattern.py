"""KPatterns of the Megaminx as cubing.js 0.56 writes them: ``{"CORNERS": {...}, "EDGES": {...}, "CENTERS": {...}}``.

cubing.js has its own piece numbers, and its centres are pieces whose places show how the puzzle is rotated. A KPattern
is read as the colours that it shows, by the reader of facelets. The orientation of a centre is not part of our state;
it is written as 0, with an ``orientationMod`` of 1: all orientations look the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hstar.errors import InvalidState
from hstar.puzzles.megaminx.geometry import CORNERS, FACELETS, FACES, SLOT_OF, SLOTS
from hstar.puzzles.piece_lists import read_integers

__all__ = ["CUBING_CORNERS", "facelets_of", "is_kpattern", "pattern_data"]


def _pieces(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(piece.split("-")) for piece in text.split())


#: the pieces of each orbit in the order of cubing.js, each from the facelet that its orientations count from
CUBING_CORNERS = _pieces(
    "U-F-L U-L-BL U-R-F FL-L-F L-FL-DL DL-BL-L U-BL-BR U-BR-R F-FR-FL D-DL-FL BL-DL-B B-BR-BL DR-R-BR BR-B-DR "
    "R-DR-FR D-DR-B D-FR-DR D-FL-FR D-B-DL FR-F-R"
)
_EDGES = _pieces(
    "U-F U-L F-R F-FL FL-L BL-L U-BR U-R F-L FL-FR DL-L FL-D DL-BL DL-FL BR-BL DR-R BL-B DL-B B-BR FR-R B-D BR-R "
    "FR-D DL-D DR-B DR-D U-BL FR-F DR-BR DR-FR"
)
_CENTRES = _pieces("U R F L BL BR FR FL DL DR B D")
_ORBITS = {"CORNERS": CUBING_CORNERS, "EDGES": _EDGES, "CENTERS": _CENTRES}


def is_kpattern(value: Mapping[Any, Any]) -> bool:
    """Whether a state must be a KPattern of cubing.js: its orbits are in capitals."""
    return "patternData" in value or bool(set(_ORBITS) & set(value))


def facelets_of(value: object) -> dict[str, list[str]]:
    """The colours that a KPattern shows, named by faces: 11 for each face, the centre first; CENTERS may be missing.

    :raises InvalidState: its lists have wrong lengths; has all faults
    """
    if isinstance(value, Mapping) and "patternData" in value:
        value = value["patternData"]
    parts, faults = read_integers(value, {name: (len(own), _orientations(name)) for name, own in _ORBITS.items()},
                                  optional=("CENTERS",))  # fmt: skip
    if faults:
        raise InvalidState("this is not a KPattern of the Megaminx", faults)
    centre = {face: face for face in FACES}
    shown: dict[tuple[int, str], str] = {}
    for name, (pieces, turned) in parts.items():
        for slot, (piece, orientation) in enumerate(zip(pieces, turned, strict=True)):
            here, own = _ORBITS[name][slot], _ORBITS[name][piece]
            if name == "CENTERS":
                centre[here[0]] = own[0]
                continue
            where = SLOT_OF[frozenset(here)]
            for facelet, colour in enumerate(own):
                shown[where, here[(facelet + orientation) % len(own)]] = colour
    return {face: [centre[face], *(shown[slot, SLOTS[slot][j]] for slot, j in FACELETS[face])] for face in FACES}


def pattern_data(state: bytes) -> dict[str, dict[str, list[int]]]:
    """The orbits of a state in the numbers of cubing.js: the inverse of `facelets_of`."""
    found: dict[str, dict[str, list[int]]] = {}
    for name in ("CORNERS", "EDGES"):
        number = {frozenset(own): piece for piece, own in enumerate(_ORBITS[name])}
        pieces, turned = [], []
        for here in _ORBITS[name]:
            slot, n = SLOT_OF[frozenset(here)], len(here)
            ours, orientation = divmod(state[slot], n)
            home = SLOTS[ours + (0 if name == "CORNERS" else len(CORNERS))]
            place = {colour: SLOTS[slot][(facelet + orientation) % n] for facelet, colour in enumerate(home)}
            piece = number[frozenset(home)]
            pieces.append(piece)
            turned.append(here.index(place[_ORBITS[name][piece][0]]))
        found[name] = {"pieces": pieces, "orientation": turned}
    count = len(_CENTRES)
    found["CENTERS"] = {"pieces": [*range(count)], "orientation": [0] * count, "orientationMod": [1] * count}
    return found


def _orientations(orbit: str) -> int:
    return {"CORNERS": 3, "EDGES": 2, "CENTERS": 5}[orbit]
