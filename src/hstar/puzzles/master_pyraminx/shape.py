"""How facelets and moves of the Master Pyraminx refer to its faces, for labellings."""

from __future__ import annotations

from hstar.errors import InvalidAlg
from hstar.puzzles.master_pyraminx.geometry import COLOURS, CORNERS, FACES, OPPOSITE, corners_of
from hstar.puzzles.master_pyraminx.moves import MOVES
from hstar.puzzles.shape import Shape

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
    corner, layers, clockwise = MOVES[move]
    low, high = 5 - max(layers), 5 - min(layers)
    shown = f"{low}-{high}" if low < high else str(low) if low > 1 else ""
    return shown, OPPOSITE[corner], "", "'" if clockwise else ""


def _triangle(turn: int) -> list[int]:
    def distances(row: int, column: int) -> tuple[int, int, int]:
        """How many layers lie between a facelet and the right, the bottom and the left side."""
        return row - (column + 1) // 2, 3 - row, column // 2

    facelets = [distances(row, column) for row in range(4) for column in range(2 * row + 1)]
    return [facelets.index((d[-turn], d[1 - turn], d[2 - turn])) for d in facelets]


SHAPE = Shape("tetrahedron", _AROUND, COLOURS, _CORNERS, _triangle, _read_layers, _write_layers)
