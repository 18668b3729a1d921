"""The facelets of a puzzle in space, and which of them each move turns, for pictures that can be turned.

>>> megaminx = solid_of(get_puzzle("megaminx"))
>>> len(megaminx.facelets), len(megaminx.turns[0].facelets), megaminx.turns[0].degrees
(132, 26, 72.0)

x points to the right, y up, z to the viewer; a face has distance 1 from the middle. Angles are clockwise, seen from
the tip of the axis.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from pydantic import Field

from hstar.errors import Fault, InvalidRequest
from hstar.objects import Out
from hstar.puzzles import Puzzle, octahedron
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.faces import flat_cells
from hstar.puzzles.master_pyraminx import geometry as pyraminx
from hstar.puzzles.master_pyraminx import picture as pyraminx_picture
from hstar.puzzles.master_pyraminx.moves import MOVES as PYRAMINX_MOVES
from hstar.puzzles.megaminx import geometry as megaminx
from hstar.puzzles.megaminx import picture as megaminx_picture
from hstar.puzzles.megaminx.held import SUFFIXES
from hstar.puzzles.painter import PALETTE

__all__ = ["Solid", "solid_of"]

Vector = tuple[float, float, float]


class SolidFacelet(Out):
    """A facelet in its place."""

    face: str
    index: int = Field(description="its position in the list of its face")
    corners: list[Vector] = Field(description="clockwise, seen from outside")


class SolidTurn(Out):
    """A move: some facelets turn about an axis."""

    move: str
    axis: Vector = Field(description="of length 1")
    degrees: float = Field(description="clockwise, seen from the tip of the axis")
    facelets: list[int] = Field(description="the positions, in the list of facelets, of those that turn")


class Solid(Out):
    """A puzzle in space, solved, with what each move turns."""

    puzzle: str
    colours: dict[str, str] = Field(description="the colour of each face, as #rrggbb")
    normals: dict[str, Vector] = Field(description="where each face looks")
    facelets: list[SolidFacelet]
    turns: list[SolidTurn]


def solid_of(puzzle: Puzzle) -> Solid:
    """The puzzle in space.

    :raises InvalidRequest: its place in space is not known
    """
    make = _maker(puzzle)
    if make is None:
        fault = Fault("/puzzle", f"cubes, {', '.join(_MADE)} have one")
        raise InvalidRequest(f"{puzzle.name} has no solid", [fault])
    return make(puzzle)


def _megaminx(puzzle: Puzzle) -> Solid:
    normals = _dodecahedron()
    # The drawing has its own size: as far as a side is from the middle of a face, where two faces meet.
    scale = math.tan(math.acos(1 / math.sqrt(5)) / 2) / megaminx_picture.APOTHEM
    facelets, slots = [], []
    kilominx = puzzle.name == "kilominx"
    for face in megaminx.FACES:
        normal = normals[face]
        along = _unit(_flat(normals[megaminx.NEIGHBOURS[face][0]], normal))
        across = _cross(along, normal)
        for index, points in enumerate(megaminx_picture.flat_facelets(kilominx)):
            corners = [_sum((normal, 1), (along, scale * x), (across, scale * y)) for x, y in points]
            facelets.append(SolidFacelet(face=face, index=index, corners=corners))
            number = 2 * index + 1 if kilominx else index - 1  # among edges and corners in turns
            slots.append({face} if number < 0 else set(megaminx.SLOTS[megaminx.FACELETS[face][number][0]]))
    turns = [
        SolidTurn(
            move=face + suffix,
            axis=normals[face],
            degrees=72.0 * (count if count < 3 else count - 5),
            facelets=[number for number, faces in enumerate(slots) if face in faces],
        )
        for face in megaminx.FACES
        for count, suffix in SUFFIXES.items()
    ]
    return Solid(
        puzzle=puzzle.name, colours=_colours(megaminx.COLOURS), normals=normals, facelets=facelets, turns=turns
    )


def _dodecahedron() -> dict[str, Vector]:
    """Where each face looks: U up, F towards the viewer, and the faces around U clockwise from above."""
    up, out = 1 / math.sqrt(5), 2 / math.sqrt(5)
    around = megaminx.NEIGHBOURS["U"]
    normals: dict[str, Vector] = {"U": (0.0, 1.0, 0.0), "D": (0.0, -1.0, 0.0)}
    for i, face in enumerate(around):
        angle = math.radians(72 * i)
        normals[face] = (-out * math.sin(angle), up, out * math.cos(angle))
        x, y, z = normals[face]
        normals[megaminx.OPPOSITE[face]] = (-x, -y, -z)
    return {face: normals[face] for face in megaminx.FACES}


#: faces of a tetrahedron have distance 1 from the middle, corners 3
_CORNERS: Mapping[str, Vector] = {
    "U": (0.0, 3.0, 0.0), "B": (0.0, -1.0, -2 * math.sqrt(2)), "L": (-math.sqrt(6), -1.0, math.sqrt(2)),
    "R": (math.sqrt(6), -1.0, math.sqrt(2)),
}  # fmt: skip


def _tetrahedron(layers: int) -> tuple[dict[str, Vector], list[SolidFacelet]]:
    """Where each face looks, and the facelets of all faces."""
    normals = {face: _scaled(_CORNERS[pyraminx.OPPOSITE[face]], -1 / 3) for face in pyraminx.FACES}
    facelets = []
    for face in pyraminx.FACES:
        top, right, left = (_CORNERS[corner] for corner in pyraminx.corners_of(face))
        for index, points in enumerate(pyraminx_picture.flat_facelets(layers)):
            placed = [_sum((top, 1 - x - y), (right, x), (left, y)) for x, y in points]
            facelets.append(SolidFacelet(face=face, index=index, corners=placed))
    return normals, facelets


def _pyraminx(puzzle: Puzzle) -> Solid:
    """U turns the two upper of three layers, u the tip."""
    normals, facelets = _tetrahedron(3)
    turns = []
    for move in puzzle.moves:
        axis = _scaled(_CORNERS[move[0].upper()], 1 / 3)
        least = 3 - (2 if move[0].isupper() else 1) * 4 / 3
        moved = [number for number, facelet in enumerate(facelets) if _dot(_middle(facelet), axis) > least]
        turns.append(SolidTurn(move=move, axis=axis, degrees=-120.0 if move.endswith("'") else 120.0, facelets=moved))
    return Solid(
        puzzle=puzzle.name, colours=_colours(pyraminx.COLOURS), normals=normals, facelets=facelets, turns=turns
    )


#: by move of the Skewb, the corner that it turns
_SKEWB = {"R": "DRB", "U": "ULB", "L": "DLF", "B": "DBL"}


def _skewb(puzzle: Puzzle) -> Solid:
    """Each move turns the half of the cube around a corner."""
    colours, normals, facelets = _cube_facelets(puzzle)
    turns = []
    for move in puzzle.moves:
        axis = _unit(_sum(*((normals[face], 1.0) for face in _SKEWB[move[0]])))
        moved = [number for number, facelet in enumerate(facelets) if _dot(_middle(facelet), axis) > 0]
        turns.append(SolidTurn(move=move, axis=axis, degrees=-120.0 if move.endswith("'") else 120.0, facelets=moved))
    return Solid(puzzle=puzzle.name, colours=colours, normals=normals, facelets=facelets, turns=turns)


def _octahedron(puzzle: Puzzle) -> Solid:
    """A move turns one or two of three layers, which are as thick as each other."""
    normals, facelets = {}, []
    size = math.sqrt(3)  # of a corner's distance, where faces have distance 1
    for face, corners in octahedron.CORNERS.items():
        top, right, left = (_scaled(corner, size) for corner in corners)
        normals[face] = _sum((top, 1 / 3), (right, 1 / 3), (left, 1 / 3))
        for index, points in enumerate(pyraminx_picture.flat_facelets(octahedron.LAYERS)):
            placed = [_sum((top, 1 - x - y), (right, x), (left, y)) for x, y in points]
            facelets.append(SolidFacelet(face=face, index=index, corners=placed))
    turns = []
    for move in puzzle.moves:
        name = move.removesuffix("'")
        axis = normals[name.removesuffix("w")]
        least = -1 / 3 if name.endswith("w") else 1 / 3
        moved = [number for number, facelet in enumerate(facelets) if _dot(_middle(facelet), axis) > least]
        turns.append(SolidTurn(move=move, axis=axis, degrees=-120.0 if move.endswith("'") else 120.0, facelets=moved))
    return Solid(
        puzzle=puzzle.name, colours=_colours(octahedron.COLOURS), normals=normals, facelets=facelets, turns=turns
    )


def _master_pyraminx(puzzle: Puzzle) -> Solid:
    normals, facelets = _tetrahedron(4)
    layers = [pyraminx.PIECES[pyraminx.FACELETS[one.face][one.index][0]].layers for one in facelets]
    turns = [
        SolidTurn(
            move=move,
            axis=_scaled(_CORNERS[corner], 1 / 3),
            degrees=120.0 if clockwise else -120.0,
            facelets=[n for n, own in enumerate(layers) if own[pyraminx.CORNERS.index(corner)] in turned],
        )
        for move, (corner, turned, clockwise) in PYRAMINX_MOVES.items()
    ]
    return Solid(
        puzzle=puzzle.name, colours=_colours(pyraminx.COLOURS), normals=normals, facelets=facelets, turns=turns
    )


#: by face of a cube, where it looks, and which way its rows and columns go
_CUBE: Mapping[str, tuple[Vector, Vector, Vector]] = {
    "U": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "R": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "F": ((0, 0, 1), (0, -1, 0), (1, 0, 0)),
    "D": ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    "L": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "B": ((0, 0, -1), (0, -1, 0), (-1, 0, 0)),
}
_CUBE_MOVE = re.compile(r"^(\d*)([URFDLB])(w?)(2?)('?)$")


def _cube_facelets(puzzle: Puzzle) -> tuple[dict[str, str], dict[str, Vector], list[SolidFacelet]]:
    """The colours of a cube's faces, where they look, and all facelets."""
    assert isinstance(puzzle, DefinedPuzzle)
    faces = puzzle.faces
    assert faces is not None
    facelets = []
    for face in faces.colours:
        normal, down, right = _CUBE[face]
        for index, points in enumerate(flat_cells(faces.size)):
            corners = [_sum((normal, 1), (down, 2 * y - 1), (right, 2 * x - 1)) for x, y in points]
            facelets.append(SolidFacelet(face=face, index=index, corners=corners))
    return _colours(faces.colours), {face: _CUBE[face][0] for face in faces.colours}, facelets


def _cube(puzzle: Puzzle) -> Solid:
    colours, normals, facelets = _cube_facelets(puzzle)
    size = math.isqrt(len(facelets) // len(normals))
    middles = [_middle(facelet) for facelet in facelets]
    turns = []
    for move in puzzle.moves:
        match = _CUBE_MOVE.match(move)
        if match is not None:
            axis, deepest = _CUBE[match[2]][0], int(match[1] or (2 if match[3] else 1))
            layers = range(1 if match[3] else deepest, deepest + 1)
            inside = [min(size, 1 + int((1 - _dot(middle, axis)) / (2 / size) + 1e-6)) for middle in middles]
            degrees = 90.0 * (2 if match[4] else 1) * (-1 if match[5] else 1)
            moved = [number for number, own in enumerate(inside) if own in layers]
            turns.append(SolidTurn(move=move, axis=axis, degrees=degrees, facelets=moved))
    return Solid(puzzle=puzzle.name, colours=colours, normals=normals, facelets=facelets, turns=turns)


_MADE: Mapping[str, Callable[[Puzzle], Solid]] = {
    "megaminx": _megaminx, "master_pyraminx": _master_pyraminx, "pyraminx": _pyraminx, "skewb": _skewb,
    "kilominx": _megaminx, "fto": _octahedron,
}  # fmt: skip


def _maker(puzzle: Puzzle) -> Callable[[Puzzle], Solid] | None:
    """The function that makes the puzzle's solid; None if its place in space is not known."""
    if isinstance(puzzle, DefinedPuzzle) and puzzle.faces is not None:
        names, size = set(puzzle.faces.colours), puzzle.faces.size
        if names == set(_CUBE) and size == math.isqrt(size) ** 2:
            return _cube
    return _MADE.get(puzzle.name)


def _colours(of: Mapping[str, str]) -> dict[str, str]:
    return {face: PALETTE[colour] for face, colour in of.items()}


def _middle(facelet: SolidFacelet) -> Vector:
    return _sum(*((corner, 1 / len(facelet.corners)) for corner in facelet.corners))


def _scaled(v: Vector, by: float) -> Vector:
    return v[0] * by, v[1] * by, v[2] * by


def _sum(*parts: tuple[Vector, float]) -> Vector:
    """A sum of vectors, each times a number; rounded, so that the same puzzle is the same text on every machine."""
    x, y, z = (round(sum(vector[i] * by for vector, by in parts), 6) + 0.0 for i in range(3))
    return x, y, z


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _flat(v: Vector, normal: Vector) -> Vector:
    """The part of a vector that lies in a plane."""
    away = _dot(v, normal)
    return v[0] - away * normal[0], v[1] - away * normal[1], v[2] - away * normal[2]


def _unit(v: Vector) -> Vector:
    return _scaled(v, 1 / math.sqrt(_dot(v, v)))


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
