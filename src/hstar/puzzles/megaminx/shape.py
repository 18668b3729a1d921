"""How facelets and moves of the Megaminx refer to its faces, for labellings."""

from __future__ import annotations

import re

from hstar.errors import InvalidAlg
from hstar.puzzles.megaminx.geometry import COLOURS, NEIGHBOURS
from hstar.puzzles.shape import Shape

_FACE_TURN = re.compile(r"^([A-Z]+)(2?)('?)$")


def _read_face_turn(layers: str, face: str, count: str, prime: str) -> str:
    if layers:
        raise InvalidAlg(f"a turn of inner layers is no move of the Megaminx: layer {layers}")
    return face + count + prime


def _write_face_turn(move: str) -> tuple[str, str, str, str]:
    match = _FACE_TURN.match(move)
    assert match is not None, "all moves of the Megaminx are turns of a face"
    return "", match[1], match[2], match[3]


def _pentagon(turn: int) -> list[int]:
    return [0, *(1 + (i + 2 * turn) % 10 for i in range(10))]


SHAPE = Shape("dodecahedron", NEIGHBOURS, COLOURS, {}, _pentagon, _read_face_turn, _write_face_turn)
