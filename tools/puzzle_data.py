"""Writes the definitions of puzzles in ``src/hstar/puzzles/data`` from their geometry: ``python -m tools.puzzle_data``.

A piece is named by the faces that it shows, clockwise as seen from outside; orientations are counted from its first
facelet. Order and first facelets are those of cubing.js 0.56, so that KPatterns can be exchanged with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hstar.puzzles import master_pyraminx
from hstar.puzzles.master_pyraminx import geometry
from hstar.puzzles.megaminx.geometry import CORNERS, FACES, SLOT_OF
from hstar.puzzles.megaminx.kpattern import CUBING_CORNERS
from hstar.puzzles.megaminx.puzzle import turns as megaminx_turns

DATA = Path(__file__).resolve().parents[1] / "src/hstar/puzzles/data"

Vector = np.ndarray[Any, np.dtype[np.float64]]
Directions = Mapping[str, Vector]
#: for each orbit, piece by piece: its place, and the directions of its facelets
Pieces = Mapping[str, Sequence[tuple[Vector, Sequence[Vector]]]]


def vector(*numbers: float) -> Vector:
    return np.array(numbers, dtype=float)


def clockwise(axis: Vector, degrees: float) -> Vector:
    """The matrix of a rotation, clockwise as seen from the tip of ``axis`` towards the origin (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    angle = -np.radians(degrees)
    matrix: Vector = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
    return matrix


def turn(pieces: Pieces, matrix: Vector, moves: Callable[[Vector], bool]) -> dict[str, Any]:
    """A move of a KPuzzle: turns the pieces at the places that ``moves`` selects by ``matrix``."""
    found = {}
    for orbit, slots in pieces.items():
        permutation, delta = list(range(len(slots))), [0] * len(slots)
        for source, (place, facelets) in enumerate(slots):
            if moves(place):
                target = _index([where for where, _ in slots], matrix @ place)
                permutation[target] = source
                delta[target] = _index(slots[target][1], matrix @ facelets[0])
        found[orbit] = {"permutation": permutation, "orientationDelta": delta}
    return found


def _index(vectors: Sequence[Vector], wanted: Vector) -> int:
    return next(i for i, v in enumerate(vectors) if np.allclose(v, wanted))


def shown(directions: Directions, *names: str) -> Sequence[tuple[Vector, Sequence[Vector]]]:
    """Pieces by the faces that they show, such as ``UFR`` or ``D-BL-BR``; each is in the middle between its faces."""
    found: list[tuple[Vector, Sequence[Vector]]] = []
    for name in names:
        faces = [directions[face] for face in (name.split("-") if "-" in name else name)]
        found.append((sum(faces, vector(0, 0, 0)), faces))
    return found


def definition(
    name: str, title: str, pieces: Mapping[str, tuple[int, int]], moves: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """A KPuzzle whose pieces are all different.

    :param pieces: number of pieces and of orientations of each orbit
    """
    return {
        "name": name,
        "orbits": [{"orbitName": o, "numPieces": n, "numOrientations": k} for o, (n, k) in pieces.items()],
        "defaultPattern": {o: {"pieces": list(range(n)), "orientation": [0] * n} for o, (n, _) in pieces.items()},
        "moves": dict(moves),
        "hstar": {"title": title, **more},
    }


CUBE: Directions = {
    "U": vector(0, 1, 0), "D": vector(0, -1, 0), "R": vector(1, 0, 0), "L": vector(-1, 0, 0), "F": vector(0, 0, 1),
    "B": vector(0, 0, -1),
}  # fmt: skip
CUBE_CORNERS = ("URF", "UBR", "ULB", "UFL", "DFR", "DLF", "DBL", "DRB")
CUBE_EDGES = ("UF", "UR", "UB", "UL", "DF", "DR", "DB", "DL", "FR", "FL", "BR", "BL")


def face_turn(pieces: Pieces, face: str) -> dict[str, Any]:
    """A quarter turn of the layer of a cube's face."""
    return turn(pieces, clockwise(CUBE[face], 90), lambda place: bool(place @ CUBE[face] > 0.5))


def whole(pieces: Pieces, degrees: float, **axes: Vector) -> dict[str, Any]:
    """Rotations of the whole puzzle by name, clockwise about these axes."""
    return {name: turn(pieces, clockwise(axis, degrees), lambda _: True) for name, axis in axes.items()}


def centres(count: int) -> dict[str, list[int]]:
    """Centres in their places, with orientations that are not visible."""
    return {"pieces": [*range(count)], "orientation": [0] * count, "orientationMod": [1] * count}


def cube_3() -> dict[str, Any]:
    pieces = {"EDGES": shown(CUBE, *CUBE_EDGES), "CORNERS": shown(CUBE, *CUBE_CORNERS)}
    return definition(
        "3x3x3", "3 x 3 x 3 cube", {"EDGES": (12, 2), "CORNERS": (8, 3)},
        {face: face_turn(pieces, face) for face in "URFDLB"},
        restingOrbits={"CENTERS": centres(6)}, rotations=whole(pieces, 90, x=CUBE["R"], y=CUBE["U"]),
    )  # fmt: skip


def cube_2() -> dict[str, Any]:
    """Turning U is turning D and rotating the cube: with one corner held, three faces reach all states."""
    pieces = {"CORNERS": shown(CUBE, *CUBE_CORNERS)}
    return definition(
        "2x2x2", "2 x 2 x 2 cube, its corner DBL held", {"CORNERS": (8, 3)},
        {face: face_turn(pieces, face) for face in "URF"}, rotations=whole(pieces, 90, x=CUBE["R"], y=CUBE["U"]),
    )  # fmt: skip


def skewb() -> dict[str, Any]:
    """The four axes of the World Cube Association's notation; the corner UFR is held, since none of them turns it."""
    centres: Sequence[tuple[Vector, Sequence[Vector]]] = [
        (direction, [direction]) for direction in (CUBE[face] for face in "ULFRBD")
    ]
    pieces = {"CORNERS": shown(CUBE, *CUBE_CORNERS), "CENTERS": centres}
    axes = {"R": "DRB", "U": "ULB", "L": "DLF", "B": "DBL"}
    moves = {}
    for name, corner in axes.items():
        axis = sum((CUBE[face] for face in corner), vector(0, 0, 0))

        def beyond(place: Vector, axis: Vector = axis) -> bool:
            return bool(place @ axis > 0.5)

        moves[name] = turn(pieces, clockwise(axis, 120), beyond)
    return definition(
        "skewb", "Skewb, its corner UFR held", {"CORNERS": (8, 3), "CENTERS": (6, 1)}, moves,
        rotations=whole(pieces, 90, x=CUBE["R"], y=CUBE["U"]),
    )  # fmt: skip


def pyraminx() -> dict[str, Any]:
    """Corners are named like the moves; opposite faces are U and D, L and BR, R and BL, B and F."""
    tips = {"U": vector(1, 1, 1), "L": vector(-1, -1, 1), "R": vector(1, -1, -1), "B": vector(-1, 1, -1)}
    faces = {"D": -tips["U"], "BR": -tips["L"], "BL": -tips["R"], "F": -tips["B"]}
    edges = shown(faces, *PYRAMINX_EDGES)
    axials = shown(faces, *PYRAMINX_TIPS)
    pieces = {
        "EDGES": edges,
        "CORNERS": [(2 * place, facelets) for place, facelets in axials],
        "CORNERS2": [(3 * place, facelets) for place, facelets in axials],
    }
    moves = {}
    for name, tip in tips.items():
        matrix = clockwise(tip, 120)
        for move, depth in ((name, 0.5), (name.lower(), 7.5)):

            def within(place: Vector, tip: Vector = tip, depth: float = depth) -> bool:
                return bool(place @ tip > depth)

            moves[move] = turn(pieces, matrix, within)
    return definition(
        "pyraminx", "Pyraminx", {"EDGES": (6, 2), "CORNERS": (4, 3), "CORNERS2": (4, 3)}, moves,
        patterns=["EDGES:6+CORNERS:4"], rotations=whole(pieces, 120, Uv=tips["U"], Lv=tips["L"]),
    )  # fmt: skip


PYRAMINX_EDGES = ("F-BL", "BL-BR", "F-D", "D-BR", "BL-D", "BR-F")
PYRAMINX_TIPS = ("F-BL-BR", "D-BR-BL", "F-BR-D", "F-D-BL")


def kilominx() -> dict[str, Any]:
    """The corners of the Megaminx; its faces keep their places, although no centre shows them."""
    home = [SLOT_OF[frozenset(corner)] for corner in CUBING_CORNERS]
    number = {slot: i for i, slot in enumerate(home)}
    shift = {slot: -CORNERS[slot].index(corner[0]) % 3 for slot, corner in zip(home, CUBING_CORNERS, strict=True)}
    moves = {}
    for face, own in ((face, megaminx_turns()[face]) for face in FACES):
        delta = [(own.twist[slot] + shift[slot] - shift[own.source[slot]]) % 3 for slot in home]
        moves[face] = {
            "CORNERS": {"permutation": [number[own.source[slot]] for slot in home], "orientationDelta": delta}
        }
    return definition(
        "kilominx", "Kilominx, its faces kept in place", {"CORNERS": (20, 3)}, moves, defaultMoves="single",
        defaultScrambleMoves="single", restingOrbits={"CENTERS": centres(12)}, hiddenOrbits=["EDGES", "EDGES2"],
        rotations={},  # moves reach whatever they do
    )  # fmt: skip


def master_tetraminx() -> dict[str, Any]:
    """The Master Pyraminx without its tips: what its layers but the first of each corner do to the other pieces."""
    orbits = [orbit for orbit in geometry.ORBITS if orbit.name != "tips"]
    moves = {}
    for name, (corner, layers, way) in master_pyraminx.MOVES.items():
        if not name.endswith("'") and layers in ((2,), (3,), (4,)):
            own = geometry.turn(corner, layers, way)
            moves[name] = {
                orbit.name: {
                    "permutation": [own.source[slot] - orbit.first for slot in orbit.slots],
                    "orientationDelta": [own.twist[slot] for slot in orbit.slots],
                }
                for orbit in orbits
            }
    return definition(
        "master_tetraminx", "Master Pyraminx without tips (Master Tetraminx), in a fixed frame",
        {orbit.name: (orbit.pieces, orbit.orientations) for orbit in orbits}, moves,
        patterns=["axials:4+edges:2+centres:2", "wings:5"],
        rotations={},  # the fourth layers reach them all
    )  # fmt: skip


def main() -> None:
    """Write every definition."""
    for made in (pyraminx(), kilominx(), cube_2(), cube_3(), skewb(), master_tetraminx()):
        (DATA / f"{made['name']}.json").write_text(text_of(made))


def text_of(made: Mapping[str, Any]) -> str:
    """A definition as JSON: a line for each orbit of each move."""
    moves = ",\n".join(
        f'    "{name}": {{\n'
        + ",\n".join(f'      "{orbit}": {json.dumps(own)}' for orbit, own in move.items())
        + "\n    }"
        for name, move in made["moves"].items()
    )
    head = ",\n".join(f'  "{key}": {json.dumps(made[key])}' for key in ("name", "orbits", "defaultPattern"))
    return f'{{\n{head},\n  "moves": {{\n{moves}\n  }},\n  "hstar": {json.dumps(made["hstar"])}\n}}\n'


if __name__ == "__main__":
    main()
