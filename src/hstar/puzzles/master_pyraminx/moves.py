"""The moves of the Master Pyraminx: their names, and how they are read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.master_pyraminx.geometry import CORNERS, FACES, OPPOSITE, clockwise_around
from hstar.puzzles.notation import Rotation, Step

_LAYER = re.compile(r"^([1-4]?)(BL|BR|[ULRBFD])([0-9]{0,3})('?)$")
_WIDE = re.compile(r"^([23]?)(?:([ulrb])|([ULRB])w)([0-9]{0,3})('?)$")
_ROTATION = re.compile(r"^(?:(BL|BR|[ULRBFD])v|y)([0-9]{0,3})('?)$")
_REPORT = re.compile(r"^([ULRB])([1-4])\.([12])$")
_REPORT_WITH_SPACE = re.compile(r"(?<![^\s(\[,:])([ULRB][1-4])\s+([12])(?![^\s)\],:])")


def layer_name(corner: str, layer: int, clockwise: bool) -> str:
    if layer > 2:
        corner, layer, clockwise = OPPOSITE[corner], 5 - layer, not clockwise
    return ("2" if layer == 2 else "") + corner + ("" if clockwise else "'")


def _wide_name(corner: str, layers: int, clockwise: bool) -> str:
    return ("3" if layers == 3 else "") + corner.lower() + ("" if clockwise else "'")


#: (corner, layers, clockwise) of every move: first the 32 turns of one layer, then those of several outer ones
MOVES: Mapping[str, tuple[str, tuple[int, ...], bool]] = {
    layer_name(corner, layer, clockwise): (corner, (layer,), clockwise)
    for corner in CORNERS
    for layer in (1, 2, 3, 4)
    for clockwise in (True, False)
} | {
    _wide_name(corner, layers, clockwise): (corner, tuple(range(1, layers + 1)), clockwise)
    for corner in CORNERS
    for layers in (2, 3)
    for clockwise in (True, False)
}


@cache
def _carried(corner: str, count: int) -> Mapping[str, str]:
    """The image of each corner when the whole puzzle is rotated clockwise about one, ``count`` times by 120 degrees."""
    around = clockwise_around(corner)
    return {corner: corner} | {around[i]: around[(i + count) % 3] for i in range(3)}


class Turning:
    """Reads the steps of an alg one after the other, as moves of a puzzle whose frame stays."""

    def __init__(self) -> None:
        #: our corner at each place of the puzzle as it is held
        self._at = {corner: corner for corner in CORNERS}

    def __call__(self, step: Step) -> tuple[str, ...]:
        if isinstance(step, Rotation):
            self._at = {goes: self._at[place] for place, goes in _carried(step.name, step.count).items()}
            return ()
        corner, layers, clockwise = MOVES[step]
        if len(layers) == 1:
            return (layer_name(self._at[corner], layers[0], clockwise),)
        return (_wide_name(self._at[corner], len(layers), clockwise),)


def read_rotation(token: str) -> Rotation | None:
    """A rotation of the whole puzzle about a corner or a face, ``Uv'``; ``y`` is ``Uv``. None if it is another token.

    :raises InvalidAlg: it is a multiple of a full turn
    """
    match = _ROTATION.match(token)
    if match is None:
        return None
    grip = match[1] or "U"
    clockwise = _clockwise(token, match[2], match[3])
    if grip in FACES:
        grip, clockwise = OPPOSITE[grip], not clockwise
    return Rotation(grip, 1 if clockwise else -1)


def join_report_tokens(text: str) -> str:
    """An alg in which S4's moves, ``U1 1``, are one token each, ``U1.1``."""
    return _REPORT_WITH_SPACE.sub(r"\1.\2", text)


def read_move(token: str) -> str:
    """A turn of a layer, counted from either side (``2BL'``, ``3R``), or of outer ones (``3u``); S4's: ``U1.1``."""
    token = token.replace("\u2019", "'")
    if match := _REPORT.match(token):
        return layer_name(match[1], int(match[2]), match[3] == "1")
    if match := _LAYER.match(token):
        depth, grip = int(match[1] or 1), match[2]
        clockwise = _clockwise(token, match[3], match[4])
        if grip in FACES:
            grip, depth, clockwise = OPPOSITE[grip], 5 - depth, not clockwise
        return layer_name(grip, depth, clockwise)
    if match := _WIDE.match(token):
        corner = (match[2] or match[3]).upper()
        return _wide_name(corner, int(match[1] or 2), _clockwise(token, match[4], match[5]))
    raise InvalidAlg(
        f"{token[:40]!r} is not a turn of a layer such as U, 2U, 2BL' or D, of outer layers such as u or 3u, "
        "or corner, layer and direction such as U1 1"
    )


def format_layers(alg: Sequence[str]) -> str:
    """The alg in S4's names, which `parse_alg` reads; `InvalidAlg` for turns of several layers: S4 has none."""
    shown, faults = [], []
    for number, move in enumerate(alg, start=1):
        corner, layers, clockwise = MOVES[move]
        if len(layers) > 1:
            faults.append(Fault(f"move {number}", f"{move} turns {len(layers)} layers at once"))
        shown.append(f"{corner}{layers[0]} {1 if clockwise else 2}")
    if faults:
        raise InvalidAlg("corner, layer and direction name one layer only", faults)
    return " ".join(shown)


def _clockwise(token: str, count: str, prime: str) -> bool:
    turns = int(count or 1) * (-1 if prime else 1) % 3
    if turns == 0:
        raise InvalidAlg(f"{token[:40]!r} turns by a multiple of 360 degrees, which is no move")
    return turns == 1
