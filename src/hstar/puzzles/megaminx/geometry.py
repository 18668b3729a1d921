"""The dodecahedron: faces, colours, neighbours, and the pieces between them.

Faces are named as in cubing.js; each also has the colour that the standard scheme gives it. A face's facelets are
listed as its centre and then clockwise, seen from outside: the edge against its first neighbour, the corner between its
first and second neighbours, the edge against the second, and so on: 11 colours a face.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

FACES = ("U", "F", "L", "R", "BL", "BR", "D", "B", "FL", "FR", "DL", "DR")

COLOURS = {
    "U": "white", "F": "green", "L": "purple", "R": "red", "BL": "yellow", "BR": "blue",
    "D": "grey", "B": "lime", "FL": "cyan", "FR": "tan", "DL": "orange", "DR": "pink",
}  # fmt: skip

_UPPER = ("F", "L", "BL", "BR", "R")  # around U, clockwise
_LOWER = ("FL", "DL", "B", "DR", "FR")  # _LOWER[i] lies below and between _UPPER[i] and _UPPER[i + 1]


def _neighbours() -> dict[str, tuple[str, ...]]:
    around = {"U": _UPPER, "D": tuple(reversed(_LOWER))}
    for i in range(5):
        before, after = (i - 1) % 5, (i + 1) % 5
        around[_UPPER[i]] = ("U", _UPPER[before], _LOWER[before], _LOWER[i], _UPPER[after])
        around[_LOWER[i]] = ("D", _LOWER[after], _UPPER[after], _UPPER[i], _LOWER[before])
    return {face: around[face] for face in FACES}


#: the five neighbours of each face, clockwise seen from outside
NEIGHBOURS: Mapping[str, tuple[str, ...]] = _neighbours()

#: the face opposite to each face: the one other face that shares no neighbour with it
OPPOSITE: Mapping[str, str] = {
    face: next(
        o for o in FACES if o != face and o not in NEIGHBOURS[face] and not set(NEIGHBOURS[o]) & set(NEIGHBOURS[face])
    )
    for face in FACES
}


def _from_first(faces: Sequence[str]) -> tuple[str, ...]:
    """Rotate a clockwise cycle of faces so that the face that comes first in FACES is in front."""
    start = min(range(len(faces)), key=lambda i: FACES.index(faces[i]))
    return (*faces[start:], *faces[:start])


def _pieces() -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    corners: list[tuple[str, ...]] = []
    edges: list[tuple[str, ...]] = []
    for face in FACES:
        for k, neighbour in enumerate(NEIGHBOURS[face]):
            edge = _from_first((face, neighbour))
            corner = _from_first((face, neighbour, NEIGHBOURS[face][(k + 1) % 5]))
            if edge not in edges:
                edges.append(edge)
            if corner not in corners:
                corners.append(corner)
    return corners, edges


#: faces of each corner (clockwise around it) and of each edge; the index is the piece and also its home slot
CORNERS, EDGES = _pieces()
SLOTS = (*CORNERS, *EDGES)
SLOT_OF = {frozenset(faces): slot for slot, faces in enumerate(SLOTS)}


def _facelets_of(face: str) -> list[tuple[int, int]]:
    """(slot, facelet of that slot) for the ten facelets around a face, in the order of the format."""
    found = []
    for k, neighbour in enumerate(NEIGHBOURS[face]):
        for faces in ((face, neighbour), (face, neighbour, NEIGHBOURS[face][(k + 1) % 5])):
            slot = SLOT_OF[frozenset(faces)]
            found.append((slot, SLOTS[slot].index(face)))
    return found


FACELETS = {face: _facelets_of(face) for face in FACES}
