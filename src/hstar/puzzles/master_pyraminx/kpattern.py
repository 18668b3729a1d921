"""KPatterns of the Master Pyraminx as cubing.js 0.56 writes them, with its numbers of pieces and of orientations.

Its wings have two orientations and its centres three; the slot of a piece determines which. Turns never flip a wing in
its place; the orientation of a centre is invisible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hstar.errors import Fault, InvalidState
from hstar.puzzles.master_pyraminx.geometry import ORBITS, PIECES
from hstar.puzzles.piece_lists import read_integers

__all__ = ["is_kpattern", "pattern_data", "pieces_of"]

#: by cubing.js's orbit: ours, its number of orientations, and for each of its slots our piece's name and how far its
#: first facelet lies from ours
_ORBITS: Mapping[str, tuple[str, int, tuple[str, ...], tuple[int, ...]]] = {
    "CORNERS": ("tips", 3, ("L", "U", "R", "B"), (2, 0, 1, 2)),
    "CORNERS2": ("axials", 3, ("U", "B", "R", "L"), (0, 2, 1, 2)),
    "EDGES2": ("edges", 2, ("UL", "UB", "LR", "RB", "LB", "UR"), (0, 0, 0, 1, 1, 0)),
    "EDGES": (
        "wings",
        2,
        ("U-L", "B-U", "R-L", "L-R", "U-B", "B-R", "L-U", "R-B", "L-B", "U-R", "B-L", "R-U"),
        (0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1),
    ),
    "CENTERS": ("centres", 3, ("F", "BR", "D", "BL"), (0, 0, 0, 0)),
}


def is_kpattern(value: Mapping[Any, Any]) -> bool:
    """Whether a state must be a KPattern of cubing.js: its orbits are in capitals."""
    return "patternData" in value or bool(set(_ORBITS) & set(value))


def pieces_of(value: object) -> dict[str, dict[str, list[int]]]:
    """A KPattern in our own numbers, as `MasterPyraminx.format_pieces` writes it.

    :raises InvalidState: its lists have wrong lengths, or a wing is flipped; has all faults
    """
    if isinstance(value, Mapping) and "patternData" in value:
        value = value["patternData"]
    parts, faults = read_integers(value, {name: (len(own[2]), own[1]) for name, own in _ORBITS.items()})
    found = {}
    for name, (pieces, turned) in parts.items():
        ours, orientations, names, shift = _ORBITS[name]
        (orbit,) = (o for o in ORBITS if o.name == ours)
        number = {PIECES[slot].name: slot - orbit.first for slot in orbit.slots}
        own = {"pieces": [0] * orbit.pieces, "orientation": [0] * orbit.pieces}
        for slot, (piece, orientation) in enumerate(zip(pieces, turned, strict=True)):
            here = number[names[slot]]
            own["pieces"][here] = number[names[piece]]
            facelet = (orientation + shift[piece] - shift[slot]) % orientations
            if orbit.orientations > 1:
                own["orientation"][here] = facelet
            elif ours == "wings" and facelet:
                faults.append(Fault(f"/{name}/orientation/{slot}", "turns never flip a wing in place"))
        found[ours] = own
    if faults:
        raise InvalidState("this is not a KPattern of the Master Pyraminx", faults)
    return found


def pattern_data(pieces: Mapping[str, Mapping[str, list[int]]]) -> dict[str, dict[str, list[int]]]:
    """The orbits of a state, as `MasterPyraminx.format_pieces` writes it, in the numbers of cubing.js: the inverse of
    `pieces_of`. The orientation of a centre is not known, and written as 0 with an ``orientationMod`` of 1."""
    found: dict[str, dict[str, list[int]]] = {}
    for name, (ours, orientations, names, shift) in _ORBITS.items():
        (orbit,) = (o for o in ORBITS if o.name == ours)
        number = [names.index(PIECES[slot].name) for slot in orbit.slots]
        own = {"pieces": [0] * orbit.pieces, "orientation": [0] * orbit.pieces}
        for here, (held, facelet) in enumerate(zip(pieces[ours]["pieces"], pieces[ours]["orientation"], strict=True)):
            slot, piece = number[here], number[held]
            own["pieces"][slot] = piece
            own["orientation"][slot] = (facelet + shift[slot] - shift[piece]) % orientations
        if ours == "centres":
            own |= {"orientation": [0] * orbit.pieces, "orientationMod": [1] * orbit.pieces}
        found[name] = own
    return found
