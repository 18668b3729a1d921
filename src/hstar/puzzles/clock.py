"""Rubik's Clock: nine dials on each side, and a wheel at each corner of them.

A pin beside the middle dial is up on one side and down on the other. A wheel of a corner whose pin is up turns the
dials around every pin that is up: those corners, the sides next to them, and the middle. A corner is one dial for both
sides, so it goes the other way on the back. The definition is that of cubing.js (``clock``), without its marks of the
frame and of the hours.

A move is a wheel turned by 1 to 11 hours, with the pins as in scrambles of the World Cube Association: one pin up
(``UR``), the two of a side (``U``), or all four (``ALL``). With ``B`` before it, it is one of the back, named as seen
from the front, and turns clockwise as seen from there: ``BUR3+`` is ``y2 UL3- y2``, and ``B3+`` is ``y2 ALL3- y2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.base import State
from hstar.puzzles.clock_picture import ClockPainter
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.definition import read_definition
from hstar.puzzles.notation import Notation
from hstar.puzzles.painter import Painter

__all__ = ["Clock"]

#: the dials of a side are numbered row by row, as seen from that side; here the corners whose pins are up
_PINS: Mapping[str, tuple[int, ...]] = {
    "UR": (2,), "DR": (8,), "DL": (6,), "UL": (0,), "U": (0, 2), "R": (2, 8), "D": (6, 8), "L": (0, 6),
    "ALL": (0, 2, 6, 8),
}  # fmt: skip
_MIRRORED = {"UR": "UL", "UL": "UR", "DR": "DL", "DL": "DR", "R": "L", "L": "R"}
#: other pins that cubing.js names, as what they come to: three of them, and two that are opposite
_OTHERS = {
    "ULw": "U L UL'", "URw": "U R UR'", "DLw": "D L DL'", "DRw": "D R DR'",
    "MUL": "UR' DL' U R D L ALL'", "MUR": "UL' DR' U L D R ALL'", "MDR": "UR' DL' U R D L ALL'",
    "MDL": "UL' DR' U L D R ALL'", "F": "ALL",
}  # fmt: skip
_SIDE, _HOURS = 9, 12


def _behind(dial: int) -> int:
    """The dial behind one, numbered on its own side."""
    return dial // 3 * 3 + 2 - dial % 3


def _hours(pins: Sequence[int]) -> list[int]:
    """What a wheel adds to the dials of the front and of the back, one hour clockwise as seen from the front."""
    front, back = [0] * _SIDE, [0] * _SIDE
    for corner in pins:
        row, column = corner // 3, corner % 3
        for dial in (corner, 3 + column, 3 * row + 1, 4):
            front[dial] = 1
        back[_behind(corner)] = -1
    return front + back


def _back(name: str) -> str:
    return "B" if name == "ALL" else f"B{_MIRRORED.get(name, name)}"


#: the wheels of the back by their names: as they are called when they are seen
_SEEN_FROM_BEHIND = {_back(name): name for name in _PINS}


def _sign_behind(move: str) -> str:
    """Of a wheel of the back, the sign as it is seen from there; a turn by six hours has one sign."""
    return "+" if move[-2:] == "6+" or move.endswith("-") else "-"


def _whole(permutation: Sequence[int], hours: Sequence[int]) -> dict[str, Any]:
    return {"DIALS": {"permutation": list(permutation), "orientationDelta": list(hours)}}


def _definition() -> dict[str, Any]:
    dials = 2 * _SIDE
    still = range(dials)
    moves = {f"{name}_PLUS_": _whole(still, _hours(pins)) for name, pins in _PINS.items()}
    for name, pins in _PINS.items():
        hours = _hours(pins)
        moves[f"{_back(name)}_PLUS_"] = _whole(still, [-turned for turned in hours[_SIDE:] + hours[:_SIDE]])
    quarter = [6, 3, 0, 7, 4, 1, 8, 5, 2]
    return {
        "name": "clock",
        "orbits": [{"orbitName": "DIALS", "numPieces": dials, "numOrientations": _HOURS}],
        "defaultPattern": {"DIALS": {"pieces": [*still], "orientation": [0] * dials}},
        "moves": moves,
        "derivedMoves": dict.fromkeys(("UR", "DR", "DL", "UL"), "."),
        "hstar": {
            "title": "Rubik's Clock",
            "hiddenOrbits": ["FACES", "FRAME", "HOUR_MARKS"],
            "rotations": {
                "y2": _whole([*range(_SIDE, dials), *range(_SIDE)], [0] * dials),
                "z": _whole(
                    [*quarter, *(_SIDE + quarter.index(dial) for dial in range(_SIDE))], [3] * _SIDE + [9] * _SIDE
                ),
            },
            "spellings": {
                **{f"{name}_PLUS_": re.sub(r"(\w+)", r"\1_PLUS_", alg) for name, alg in _OTHERS.items()},
                "x2": "y2 z2",
            },
        },
    }


class Clock(DefinedPuzzle):
    """Rubik's Clock."""

    drawn = True

    def __init__(self) -> None:
        super().__init__(read_definition(_definition()))

    def faults(self, state: State) -> list[Fault]:
        """Names the corners whose two dials do not fit; dials in other places are named as of any puzzle."""
        found, held = super().faults(state), self.contents(state)
        if not found or any(value // _HOURS != slot for slot, value in enumerate(held)):
            return found
        corners = []
        for name in ("UL", "UR", "DL", "DR"):
            (dial,) = _PINS[name]
            front, back = held[dial] % _HOURS, held[_SIDE + _behind(dial)] % _HOURS
            if (front + back) % _HOURS:
                text = f"the corner shows {front or 12} on the front and {back or 12} on the back"
                corners.append(Fault(name, f"{text}, where {-front % _HOURS or 12} belongs: they are one dial"))
        return corners

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        own = super().notations
        about = "as in scrambles: all wheels are named as seen from the front, and y2 turns the Clock round"
        return {**own, "wca": Notation("wca", about, "UR3+ y2 ALL2-", self.parse_alg, self._written_by_side)}

    def _written_by_side(self, alg: Sequence[str]) -> str:
        if unknown := [move for move in alg if move not in self.moves]:
            raise InvalidAlg(f"{unknown[0]} is not a move of {self.name}")
        found, at_back = [], False
        for move in alg:
            behind = move.startswith("B")
            if behind != at_back:
                found.append("y2")
            at_back = behind
            found.append(_SEEN_FROM_BEHIND[move[:-2]] + move[-2] + _sign_behind(move) if behind else move)
        return " ".join(found)

    @cached_property
    def painter(self) -> Painter:
        return ClockPainter()
