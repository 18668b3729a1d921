"""Writes the definitions of puzzles in ``src/hstar/puzzles/data`` from their geometry: ``python -m tools.puzzle_data``.

A piece is named by the faces that it shows, clockwise as seen from outside; orientations are counted from its first
facelet. Order and first facelets are those of cubing.js 0.56, so that KPatterns can be exchanged with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hstar.puzzles import master_pyraminx, octahedron
from hstar.puzzles.base import Orbit
from hstar.puzzles.master_pyraminx import geometry
from hstar.puzzles.megaminx.geometry import COLOURS, CORNERS, FACES, NEIGHBOURS, OPPOSITE, SLOT_OF
from hstar.puzzles.megaminx.held import home_frame, rotated
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


def whole(pieces: Pieces, degrees: float, **axes: Vector) -> dict[str, Any]:
    """Rotations of the whole puzzle by name, clockwise about these axes."""
    return {name: turn(pieces, clockwise(axis, degrees), lambda _: True) for name, axis in axes.items()}


def centres(count: int) -> dict[str, list[int]]:
    """Centres in their places, with orientations that are not visible."""
    return {"pieces": [*range(count)], "orientation": [0] * count, "orientationMod": [1] * count}


#: for each face of a cube, where its columns and its rows of facelets go, as in an unfolded cube with F below U
CUBE_ROWS: Mapping[str, tuple[Vector, Vector]] = {
    "U": (CUBE["R"], CUBE["F"]), "R": (CUBE["B"], CUBE["D"]), "F": (CUBE["R"], CUBE["D"]),
    "D": (CUBE["R"], CUBE["B"]), "L": (CUBE["F"], CUBE["D"]), "B": (CUBE["L"], CUBE["D"]),
}  # fmt: skip
CUBE_COLOURS = {"U": "white", "R": "red", "F": "green", "D": "yellow", "L": "orange", "B": "blue"}
CUBE_AXES = {"x": "R", "y": "U", "z": "F"}
CUBE_OPPOSITE = {"R": "L", "U": "D", "F": "B"}


def cube(n: int) -> dict[str, Any]:
    """The n x n x n cube, n from 2 to 7. If n is odd the centres of the faces are held, otherwise the corner DBL is:
    with it, turning D is turning all other layers and rotating the cube.

    A place is measured in layers: from -(n - 1) to n - 1 in steps of 2.
    """
    pieces = _cube_pieces(n)
    odd, last = n % 2 == 1, n - 1
    blocks = dict.fromkeys("URFDLB", n // 2) if odd else dict.fromkeys("URF", last)
    moves = {}
    for face, most in blocks.items():
        for depth in range(1, most + 1):

            def outer(place: Vector, axis: Vector = CUBE[face], depth: int = depth) -> bool:
                return bool(place @ axis > last - 2 * depth + 1)

            moves[_block(face, depth)] = turn(pieces, clockwise(CUBE[face], 90), outer)
    sizes = {
        orbit: (len(slots), 1 if orbit.startswith(("WINGS", "CENTERS")) else len(slots[0][1]))
        for orbit, slots in pieces.items()
    }
    grips = {}
    for letter, face in CUBE_AXES.items():
        other = CUBE_OPPOSITE[face]
        near = [_block(face, depth) for depth in range(1, blocks[face] + 1)]
        far = [f"{_block(other, depth)} {letter}" for depth in range(blocks.get(other, 0), 0, -1)]
        grips[face] = {"blocks": [*near, *far, letter], "opposite": other}
    middle = (n + 1) // 2
    slices = {"M": f"{middle}L", "E": f"{middle}D", "S": f"{middle}F"} if odd else {}
    inner = {letter.lower(): f"2-{last}{face}" for letter, face in (("M", "L"), ("E", "D"), ("S", "F")) if n > 3}
    faces = {face: {"colour": CUBE_COLOURS[face], "facelets": _cube_face(n, face, pieces)} for face in "URFDLB"}
    made = definition(
        f"{n}x{n}x{n}", f"{n} x {n} x {n} cube" + ("" if odd else ", its corner DBL held"), sizes, moves,
        **({"restingOrbits": {"CENTERS": centres(6)}} if n == 3 else {}),
        rotations=whole(pieces, 90, **{letter: CUBE[face] for letter, face in CUBE_AXES.items()}),
        grips=grips, **({"spellings": slices | inner} if slices | inner else {}), faces=faces,
    )  # fmt: skip
    for orbit, slots in pieces.items():
        if orbit.startswith("CENTERS"):  # those of a face look alike
            of = [next(i for i, face in enumerate("URFDLB") if facelets[0] @ CUBE[face] > 0.5) for _, facelets in slots]
            made["defaultPattern"][orbit]["pieces"] = of
    return made


def _block(face: str, depth: int) -> str:
    """The name of the move of the outer layers of a face."""
    return f"{depth if depth > 2 else ''}{face}{'w' if depth > 1 else ''}"


def _cube_pieces(n: int) -> dict[str, Sequence[tuple[Vector, Sequence[Vector]]]]:
    """Corners and edges as cubing.js numbers them; then wings and centres by layers, each by its face and place."""
    last = n - 1
    pieces: dict[str, Sequence[tuple[Vector, Sequence[Vector]]]] = {}
    if n % 2 == 1:
        pieces["EDGES"] = [(last * place, facelets) for place, facelets in shown(CUBE, *CUBE_EDGES)]
    pieces["CORNERS"] = [(last * place, facelets) for place, facelets in shown(CUBE, *CUBE_CORNERS)]
    layers = [last - 2 * (depth - 1) for depth in range(2, n // 2 + 1)]
    for depth, at in enumerate(layers, start=2):
        place = CUBE["U"] * last + CUBE["F"] * last + CUBE["R"] * at
        pieces["WINGS" + (f"_{depth}" if n > 5 else "")] = _images(place, (CUBE["U"], CUBE["F"]))
    inner = [*layers, 0] if n % 2 == 1 else layers
    for column in inner:
        for row in (*inner, *(-at for at in inner if at)):
            # One place of each orbit: the rotations of a face carry (column, row) to (row, -column).
            if column > 0 and row > -column and row <= column and (row != 0 or n % 2 == 1):
                place = CUBE["U"] * last + CUBE["R"] * column + CUBE["F"] * row
                name = f"CENTERS_{(last - column) // 2 + 1}_{(last + row) // 2 + 1}" if n > 4 else "CENTERS"
                pieces[name] = _images(place, (CUBE["U"],))
    return pieces


def _images(place: Vector, facelets: Sequence[Vector]) -> list[tuple[Vector, Sequence[Vector]]]:
    """A piece in all its places under the rotations of a cube, ordered by its first face in URFDLB, and row by row."""
    found = [(place, list(facelets))]
    for at, own in found:
        for face in "RU":
            matrix = clockwise(CUBE[face], 90)
            there = matrix @ at
            if not any(np.allclose(there, other) for other, _ in found):
                found.append((there, [matrix @ facelet for facelet in own]))
    key = {}
    for at, own in found:
        number = next(i for i, name in enumerate("URFDLB") if own[0] @ CUBE[name] > 0.5)
        columns, rows = CUBE_ROWS["URFDLB"[number]]
        key[id(at)] = number, round(float(at @ rows)), round(float(at @ columns))
    return sorted(found, key=lambda piece: key[id(piece[0])])


def _cube_face(n: int, face: str, pieces: Pieces) -> list[list[Any]]:
    """Row by row the orbit, the slot and the facelet of each place; an empty list for a centre that no move moves."""
    columns, rows = CUBE_ROWS[face]
    found: list[list[Any]] = []
    for row in range(-(n - 1), n, 2):
        for column in range(-(n - 1), n, 2):
            at = (n - 1) * CUBE[face] + column * columns + row * rows
            own: list[Any] = []
            for orbit, slots in pieces.items():
                for slot, (place, facelets) in enumerate(slots):
                    if np.allclose(place, at):
                        own = [orbit, slot, _index(facelets, CUBE[face])]
            found.append(own)
    return found


def skewb() -> dict[str, Any]:
    """The four axes of the World Cube Association's notation; the corner UFR is held, since none of them turns it."""
    centres: Sequence[tuple[Vector, Sequence[Vector]]] = [
        (direction, [direction]) for direction in (CUBE[face] for face in "ULFRBD")
    ]
    pieces = {"CORNERS": shown(CUBE, *CUBE_CORNERS), "CENTERS": centres}
    axes = {"R": "DRB", "U": "ULB", "L": "DLF", "B": "DBL"}
    moves = {}
    for name, corner in axes.items():
        axis = _towards(corner)

        def beyond(place: Vector, axis: Vector = axis) -> bool:
            return bool(place @ axis > 0.5)

        moves[name] = turn(pieces, clockwise(axis, 120), beyond)
    return definition(
        "skewb", "Skewb, its corner UFR held", {"CORNERS": (8, 3), "CENTERS": (6, 1)}, moves,
        rotations=whole(pieces, 90, x=CUBE["R"], y=CUBE["U"], z=CUBE["F"])
        | whole(pieces, 120, **{f"{name}v": _towards(corner) for name, corner in axes.items()}),
        grips={name: {"blocks": [name, f"{name}v"], "opposite": other} for name, other in SKEWB_OPPOSITE.items()},
        faces={face: {"colour": CUBE_COLOURS[face], "facelets": _skewb_face(face)} for face in "URFDLB"},
    )  # fmt: skip


def _skewb_face(face: str) -> list[list[Any]]:
    """Two corners, the centre, two corners: the orbit, the slot and the facelet of each."""
    columns, rows = CUBE_ROWS[face]
    corners = shown(CUBE, *CUBE_CORNERS)
    found: list[list[Any]] = []
    for column, row in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
        slot = _index([place for place, _ in corners], CUBE[face] + column * columns + row * rows)
        found.append(["CORNERS", slot, _index(corners[slot][1], CUBE[face])])
    return [*found[:2], ["CENTERS", "ULFRBD".index(face), 0], *found[2:]]


#: the corner opposite to that of each move, as cubing.js calls its move
SKEWB_OPPOSITE = {"R": "UL", "U": "D", "L": "UR", "B": "F"}


def _towards(corner: str) -> Vector:
    return sum((CUBE[face] for face in corner), vector(0, 0, 0))


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
        patterns=["EDGES:6+CORNERS:4"], rotations=whole(pieces, 120, **{f"{name}v": tip for name, tip in tips.items()}),
        spellings={"y": "Uv"}
        | {f"2{name.lower()}": f"{name} {name.lower()}'" for name in tips}
        | {face: f"{name} {name}v'" for name, face in (("U", "D"), ("L", "BR"), ("R", "BL"), ("B", "F"))},
        faces={
            face: {"colour": geometry.COLOURS[face], "facelets": _pyraminx_face(face)} for face in geometry.FACES
        },
    )  # fmt: skip


def _pyraminx_face(face: str) -> list[list[Any]]:
    """Rows of one, three and five facelets from the top corner: the orbit, the slot and the facelet of each."""
    top, right, left = geometry.corners_of(face)

    def of(orbit: str, names: Sequence[str], *corners: str) -> list[Any]:
        """The piece at a corner, or between two: it shows the faces that these have in common."""
        faces = {other for other in geometry.FACES if geometry.OPPOSITE[other] not in corners}
        slot = next(i for i, name in enumerate(names) if set(name.split("-")) == faces)
        return [orbit, slot, names[slot].split("-").index(face)]

    def tip(corner: str) -> list[Any]:
        return of("CORNERS2", PYRAMINX_TIPS, corner)

    def axial(corner: str) -> list[Any]:
        return of("CORNERS", PYRAMINX_TIPS, corner)

    def edge(one: str, other: str) -> list[Any]:
        return of("EDGES", PYRAMINX_EDGES, one, other)

    return [
        tip(top), edge(top, left), axial(top), edge(top, right), tip(left), axial(left), edge(left, right),
        axial(right), tip(right),
    ]  # fmt: skip


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
    axes = [face for number, face in enumerate(FACES) if FACES.index(OPPOSITE[face]) > number]
    held = {f"{face}v": {"CORNERS": _rotated_corners(rotated(home_frame(), face, -1))} for face in axes}
    grips = {
        face: {"blocks": [face, f"{OPPOSITE[face]} {face}v", f"{face}v"], "opposite": OPPOSITE[face]} for face in axes
    }
    return definition(
        "kilominx", "Kilominx, its faces kept in place", {"CORNERS": (20, 3)}, moves,
        restingOrbits={"CENTERS": centres(12)}, hiddenOrbits=["EDGES", "EDGES2"],
        rotations=held, grips=grips,
        spellings={"y": "Uv", "R++": "L2 Lv2'", "R--": "L2' Lv2", "D++": "U2 Uv2'", "D--": "U2' Uv2"},
        faces={face: {"colour": COLOURS[face], "facelets": _kilominx_face(face)} for face in FACES},
    )  # fmt: skip


def _kilominx_face(face: str) -> list[list[Any]]:
    """Clockwise from the corner between the first and the second neighbour: the orbit, the slot and the facelet."""
    found: list[list[Any]] = []
    for k in range(5):
        corner = {face, NEIGHBOURS[face][k], NEIGHBOURS[face][(k + 1) % 5]}
        slot = next(i for i, own in enumerate(CUBING_CORNERS) if set(own) == corner)
        found.append(["CORNERS", slot, CUBING_CORNERS[slot].index(face)])
    return found


def _rotated_corners(goes: Mapping[str, str]) -> dict[str, list[int]]:
    """The corners of a dodecahedron when each face comes to another's place."""
    number = {frozenset(corner): i for i, corner in enumerate(CUBING_CORNERS)}
    permutation, delta = [0] * len(CUBING_CORNERS), [0] * len(CUBING_CORNERS)
    for source, corner in enumerate(CUBING_CORNERS):
        there = [goes[face] for face in corner]
        target = number[frozenset(there)]
        permutation[target], delta[target] = source, CUBING_CORNERS[target].index(there[0])
    return {"permutation": permutation, "orientationDelta": delta}


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
        faces={
            face: {"colour": geometry.COLOURS[face], "facelets": _master_tetraminx_face(face, orbits)}
            for face in geometry.FACES
        },
    )  # fmt: skip


def _master_tetraminx_face(face: str, orbits: Sequence[Orbit]) -> list[list[Any]]:
    """Those of a Master Pyraminx but the tips: the orbit, the slot and the facelet of each."""
    return [
        [orbit.name, slot - orbit.first, facelet]
        for slot, facelet in geometry.FACELETS[face]
        for orbit in orbits
        if slot in orbit.slots
    ]


def fto() -> dict[str, Any]:
    """The Face-Turning Octahedron. No piece stays in its place, so the corner behind is held: with it, turning a face
    behind is turning the other two layers and rotating the puzzle."""
    faces = {face: vector(*np.sum(corners, axis=0)) for face, corners in octahedron.CORNERS.items()}
    # What a turn of a face by a third keeps apart: the faces that share no side.
    kinds = (("U", "F", "BR", "BL"), ("R", "L", "B", "D"))
    pieces: dict[str, Sequence[tuple[Vector, Sequence[Vector]]]] = {
        "CORNERS": shown(faces, *FTO_CORNERS),
        "EDGES": shown(faces, *FTO_EDGES),
    }
    centres = {}
    for number, kind in enumerate(kinds, start=1):
        centres[f"CENTERS_{number}"] = [
            (faces[face] + 2 * vector(*corner), [faces[face]])
            for face in kind for corner in octahedron.CORNERS[face]
        ]  # fmt: skip
    pieces |= centres
    moves = {}
    for face in FTO_OPPOSITE:
        for name, least in ((face, 2), (f"{face}w", -2)):

            def outer(place: Vector, axis: Vector = faces[face], least: int = least) -> bool:
                return bool(place @ axis > least)

            moves[name] = turn(pieces, clockwise(faces[face], 120), outer)
    sizes = {"CORNERS": (6, 4), "EDGES": (12, 1)} | dict.fromkeys(centres, (12, 1))
    made = definition(
        "fto", "Face-Turning Octahedron, its corner behind held", sizes, moves,
        rotations=whole(pieces, 120, **{f"{face}v": faces[face] for face in FTO_OPPOSITE}),
        grips={
            face: {"blocks": [face, f"{face}w", f"{face}v"], "opposite": other} for face, other in FTO_OPPOSITE.items()
        },
        faces={
            face: {"colour": octahedron.COLOURS[face], "facelets": _fto_face(face, faces, pieces)} for face in faces
        },
    )  # fmt: skip
    for number, kind in enumerate(kinds, start=1):  # the three of a face look alike
        made["defaultPattern"][f"CENTERS_{number}"]["pieces"] = [i for i in range(len(kind)) for _ in range(3)]
    return made


FTO_CORNERS = ("U-R-F-L", "U-B-BR-R", "U-L-BL-B", "F-D-BL-L", "F-R-BR-D", "B-BL-D-BR")
FTO_EDGES = ("U-R", "F-R", "F-L", "U-L", "U-B", "BR-R", "F-D", "BL-L", "BR-B", "BL-B", "BL-D", "BR-D")
#: the faces around the corner in front, and what is opposite
FTO_OPPOSITE = {"U": "D", "R": "BL", "F": "B", "L": "BR"}


def _fto_face(face: str, faces: Directions, pieces: Pieces) -> list[list[Any]]:
    """Rows of one, three and five facelets from the top corner: the orbit, the slot and the facelet of each."""
    top, right, left = (vector(*corner) for corner in octahedron.CORNERS[face])

    def of(place: Vector) -> list[Any]:
        for orbit, slots in pieces.items():
            for slot, (at, facelets) in enumerate(slots):
                if np.allclose(at / np.linalg.norm(at), place / np.linalg.norm(place)):
                    return [orbit, slot, _index(facelets, faces[face])]
        raise AssertionError(place)

    def centre(corner: Vector) -> list[Any]:
        return of(faces[face] + 2 * corner)

    return [
        of(top), of(top + left), centre(top), of(top + right), of(left), centre(left), of(left + right), centre(right),
        of(right),
    ]  # fmt: skip


DEFINITIONS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "pyraminx": pyraminx, "kilominx": kilominx, "skewb": skewb, "master_tetraminx": master_tetraminx,
    "fto": fto,
    **{f"{n}x{n}x{n}": partial(cube, n) for n in range(2, 8)},
}  # fmt: skip


def main() -> None:
    """Write every definition."""
    for name, make in DEFINITIONS.items():
        (DATA / f"{name}.json").write_text(text_of(make()))


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
