"""What a labelling must know of a puzzle: its solid, and how facelets and moves refer to faces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hstar.errors import Fault, InvalidAlg, InvalidRequest
from hstar.polyhedra import Neighbours
from hstar.puzzles import Puzzle, megaminx
from hstar.puzzles import master_pyraminx as pyraminx
from hstar.puzzles.tetrahedron import CORNERS, FACES, OPPOSITE, corners_of

__all__ = ["Shape", "shape_of"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A puzzle with one name a face.

    ``places(turn)`` lists, for a face whose first neighbour is our neighbour number ``turn``, the place in our list of
    each of its facelets. ``read`` makes our token of layers (as written, counted from the face), face, count and prime;
    ``write`` takes a move of ours apart again.
    """

    solid: str
    neighbours: Neighbours
    colours: Mapping[str, str]
    #: the face opposite to each corner that moves and messages name
    corners: Mapping[str, str]
    places: Callable[[int], list[int]]
    read: Callable[[str, str, str, str], str]
    write: Callable[[str], tuple[str, str, str, str]]

    @property
    def sides(self) -> int:
        return len(next(iter(self.neighbours.values())))


def shape_of(puzzle: Puzzle) -> Shape:
    """The shape of a puzzle; `InvalidRequest` if its faces cannot be given names."""
    if isinstance(puzzle, megaminx.Megaminx):
        return _MEGAMINX
    if isinstance(puzzle, pyraminx.MasterPyraminx):
        return _MASTER_PYRAMINX
    raise InvalidRequest(f"{puzzle.name} has no faces to label", [Fault("/labels", "leave it out for this puzzle")])


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


_MEGAMINX = Shape(
    "dodecahedron", megaminx.NEIGHBOURS, megaminx.COLOURS, {}, _pentagon, _read_face_turn, _write_face_turn
)


#: clockwise from the side that ends in the top corner: right, bottom and left of a face, as the faces beyond
_AROUND = {face: tuple(OPPOSITE[corners_of(face)[i]] for i in (2, 0, 1)) for face in FACES}
_CORNERS = {corner: OPPOSITE[corner] for corner in CORNERS}
#: layers of several outer layers of a corner, counted from the face opposite to it, and their number from the corner
_WIDE = {"3-4": "", "2-4": "3"}


def _read_layers(layers: str, face: str, count: str, prime: str) -> str:
    if layers in _WIDE:
        return f"{_WIDE[layers]}{OPPOSITE[face].lower()}{count}{'' if prime else chr(39)}"
    if "-" in layers:
        raise InvalidAlg(f"layers {layers} do not turn together; {' and '.join(_WIDE)} do, counted from the face")
    return layers + face + count + prime


def _write_layers(move: str) -> tuple[str, str, str, str]:
    corner, layers, clockwise = pyraminx.MOVES[move]
    low, high = 5 - max(layers), 5 - min(layers)
    shown = f"{low}-{high}" if low < high else str(low) if low > 1 else ""
    return shown, OPPOSITE[corner], "", "'" if clockwise else ""


def _triangle(turn: int) -> list[int]:
    def distances(row: int, column: int) -> tuple[int, int, int]:
        """How many layers lie between a facelet and the right, the bottom and the left side."""
        return row - (column + 1) // 2, 3 - row, column // 2

    facelets = [distances(row, column) for row in range(4) for column in range(2 * row + 1)]
    return [facelets.index((d[-turn], d[1 - turn], d[2 - turn])) for d in facelets]


_MASTER_PYRAMINX = Shape("tetrahedron", _AROUND, pyraminx.COLOURS, _CORNERS, _triangle, _read_layers, _write_layers)
