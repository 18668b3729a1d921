"""A tetrahedron cut into four layers along each corner: its pieces, their facelets, and how a turn moves them.

Corners are U (top), L, R (front) and B (back); the face opposite to a corner is named as in cubing.js. A piece is
written as its layers from U, L, R and B: layer 1 of a corner is its tip, layer 4 the opposite face. So (1, 4, 4, 4) is
the tip at U, (2, 3, 4, 4) the wing on the edge between U and L that is nearer to U, (3, 3, 3, 4) the centre of F;
wherever a 4 stands, the piece shows a facelet on that face. A rotation is an even permutation of the corners, and so of
the layers.

One fact fixes all directions: x, y, z lie clockwise around the corner c, seen from outside, if (c, x, y, z) is an odd
permutation of (U, L, R, B).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from hstar.puzzles.base import Orbit
from hstar.puzzles.permutation import Turn, parity

CORNERS = ("U", "L", "R", "B")
FACES = ("F", "BL", "BR", "D")
COLOURS = {"F": "green", "BL": "red", "BR": "blue", "D": "yellow"}
#: the face opposite to each corner, and the corner opposite to each face
OPPOSITE: Mapping[str, str] = {"U": "D", "L": "BR", "R": "BL", "B": "F"} | {"D": "U", "BR": "L", "BL": "R", "F": "B"}

Layers = tuple[int, ...]

#: orbit by orbit, in slot order: the layers of its pieces in some order, and the orientations that a piece can take. A
#: wing's and a centre's orientation is determined by its place: no rotation but the identity keeps a wing where it is.
KINDS: tuple[tuple[str, Layers, int], ...] = (
    ("tips", (1, 4, 4, 4), 3),
    ("axials", (2, 4, 4, 4), 3),
    ("edges", (3, 3, 4, 4), 2),
    ("wings", (2, 3, 4, 4), 1),
    ("centres", (3, 3, 3, 4), 1),
)


def _odd(corners: Iterable[str]) -> bool:
    return parity([CORNERS.index(corner) for corner in corners]) == 1


def clockwise_around(corner: str) -> tuple[str, str, str]:
    """The other corners, clockwise around ``corner`` seen from outside."""
    x, y, z = (c for c in CORNERS if c != corner)
    return (x, y, z) if _odd((corner, x, y, z)) else (x, z, y)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece at home, which is also its slot: its layers from U, L, R, B and its faces, one facelet on each.

    Three faces are listed clockwise. Of two, the order tells apart the two wings of an edge, which are mirror images.
    """

    layers: Layers
    faces: tuple[str, ...]

    @property
    def name(self) -> str:
        """``U`` for a tip or an axial, ``UL`` for an edge, ``U-L`` for its wing nearer to U, ``F`` for a centre."""
        inner = _hidden(self.layers)
        if len(inner) == 3:
            return self.faces[0]
        return ("-" if sorted(self.layers)[:2] == [2, 3] else "").join(inner)


def _hidden(layers: Layers) -> list[str]:
    """The corners whose opposite face a piece does not show, the nearest first."""
    return sorted((c for c in CORNERS if layers[CORNERS.index(c)] < 4), key=lambda c: layers[CORNERS.index(c)])


def _piece(layers: Layers) -> Piece:
    hidden = _hidden(layers)
    shown = [OPPOSITE[face] for face in FACES if OPPOSITE[face] not in hidden]
    order = next((p for p in permutations(shown) if _odd((*hidden, *p))), shown)
    return Piece(layers, tuple(OPPOSITE[corner] for corner in order))


def _pieces() -> tuple[list[Piece], list[Orbit]]:
    pieces: list[Piece] = []
    orbits = []
    for name, kind, orientations in KINDS:
        found = sorted(set(permutations(kind)))
        orbits.append(Orbit(name, len(found), orientations, len(pieces)))
        pieces += [_piece(layers) for layers in found]
    return pieces, orbits


#: every piece, orbit after orbit; the index is also its home slot
PIECES, ORBITS = _pieces()
SLOT_OF: Mapping[Layers, int] = {piece.layers: slot for slot, piece in enumerate(PIECES)}


def turn(corner: str, layers: Collection[int], clockwise: bool) -> Turn:
    """The turn of some layers of a corner by 120 degrees."""
    around = clockwise_around(corner) if clockwise else tuple(reversed(clockwise_around(corner)))
    carried = {corner: corner} | {c: around[(i + 1) % 3] for i, c in enumerate(around)}
    source = list(range(len(PIECES)))
    twist = [0] * len(PIECES)
    for slot, piece in enumerate(PIECES):
        if piece.layers[CORNERS.index(corner)] in layers:
            there = {carried[c]: layer for c, layer in zip(CORNERS, piece.layers, strict=True)}
            target = SLOT_OF[tuple(there[c] for c in CORNERS)]
            source[target] = slot
            twist[target] = PIECES[target].faces.index(OPPOSITE[carried[OPPOSITE[piece.faces[0]]]])
    return Turn(tuple(source), tuple(twist))


#: the corner that is drawn on top of each face; its rows of 1, 3, 5 and 7 facelets are numbered 0 | 1-3 | 4-8 | 9-15
TOP: Mapping[str, str] = {"F": "U", "BL": "U", "BR": "U", "D": "B"}


def corners_of(face: str) -> tuple[str, str, str]:
    """Top, bottom right and bottom left corner of a face, that is, clockwise seen from outside."""
    top = TOP[face]
    x, y = (c for c in CORNERS if c not in (top, OPPOSITE[face]))
    # From the corner behind the face, the face is seen from inside.
    return (top, y, x) if _odd((OPPOSITE[face], top, x, y)) else (top, x, y)


def _facelets_of(face: str) -> list[tuple[int, int]]:
    top, right, left = corners_of(face)
    places = []
    for row in range(4):
        for column in range(2 * row + 1):
            layers = {
                OPPOSITE[face]: 4,
                top: row + 1,
                left: 4 - row + (column + 1) // 2,
                right: 4 - row + (2 * row - column + 1) // 2,
            }
            slot = SLOT_OF[tuple(layers[c] for c in CORNERS)]
            places.append((slot, PIECES[slot].faces.index(face)))
    return places


#: (slot, facelet of that slot) of each of the 16 facelets of a face
FACELETS: Mapping[str, Sequence[tuple[int, int]]] = {face: _facelets_of(face) for face in FACES}
