"""Choosing one of the rotations that map a student's table to the puzzle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from hstar.errors import Fault, InvalidRequest
from hstar.labels.tables import Table
from hstar.polyhedra import Neighbours, isomorphisms, reversed_order
from hstar.puzzles.facelets import faces_by_name
from hstar.puzzles.shape import Shape

Faces = dict[str, str]


def choose(rotations: Sequence[Faces], table: Table, shape: Shape, anchors: object) -> Faces:
    """The first rotation that fits all anchors; without anchors, the first one with the most names equal to ours.

    :param anchors: our face or colour for some of the student's names, or None
    :raises InvalidRequest: no rotation fits, and why
    """
    if anchors is None:
        return _by_names(rotations, table, shape)
    wanted = _read(anchors, table, shape)
    fitting = [faces for faces in rotations if _holds(wanted, faces)]
    if fitting:
        return fitting[0]
    if _fits_mirror(wanted, table, shape):
        raise InvalidRequest(
            f"with these anchors the table is the mirror image of the {shape.solid}",
            [
                Fault(
                    "/neighbours",
                    "the neighbours are listed counter-clockwise: reverse every list, or leave the anchors out",
                )
            ],
        )
    faults = [
        Fault(
            f"/anchors/{a}",
            f"{a} and {b} {_lie(table, a, b)}, "
            f"but {wanted[a]} and {wanted[b]} {_lie(shape.neighbours, wanted[a], wanted[b])}",
        )
        for a, b in combinations(wanted, 2)
        if _lie(table, a, b) != _lie(shape.neighbours, wanted[a], wanted[b])
    ]
    none = Fault("/anchors", "each pair of anchors would fit, but no rotation fits all of them")
    raise InvalidRequest("the anchors do not fit the table", faults or [none])


def _by_names(rotations: Sequence[Faces], table: Table, shape: Shape) -> Faces:
    ours = faces_by_name(shape.colours)
    wanted = {name: ours[name] for name in table if name in ours}
    best = max(rotations, key=lambda faces: sum(faces[name] == face for name, face in wanted.items()))
    if not _holds(wanted, best) and len(set(wanted.values())) == len(table) and _fits_mirror(wanted, table, shape):
        text = (
            "by their names, the neighbours of every face are listed counter-clockwise: reverse every list; or, if the "
            "names are not meant as ours, say so with empty anchors"
        )
        raise InvalidRequest(f"the table is the mirror image of the {shape.solid}", [Fault("/neighbours", text)])
    return best


def _read(anchors: object, table: Table, shape: Shape) -> Faces:
    if not isinstance(anchors, Mapping):
        raise InvalidRequest(
            "the anchors are not an object", [Fault("/anchors", "expected a face or a colour by name")]
        )
    ours = faces_by_name(shape.colours)
    faults = []
    wanted: Faces = {}
    for name, value in list(anchors.items())[: 2 * len(table)]:
        where = f"/anchors/{name!s:.40}"
        face = ours.get(value) if isinstance(value, str) else None
        if name not in table:
            faults.append(Fault(where, "no such face in the table"))
        elif face is None:
            faults.append(Fault(where, f"{value!r:.40} is neither a face nor a colour; known are {', '.join(ours)}"))
        elif face in wanted.values():
            faults.append(Fault(where, f"{value} is given to two faces"))
        else:
            wanted[name] = face
    if faults:
        raise InvalidRequest("the anchors do not name faces", faults)
    return wanted


def _holds(wanted: Faces, faces: Faces) -> bool:
    return all(faces[name] == face for name, face in wanted.items())


def _fits_mirror(wanted: Faces, table: Table, shape: Shape) -> bool:
    return any(_holds(wanted, faces) for faces in isomorphisms(reversed_order(table), shape.neighbours))


def _lie(neighbours: Neighbours, a: str, b: str) -> str:
    """The position of two different faces to each other."""
    if b in neighbours[a]:
        return "touch"
    return "are two apart" if set(neighbours[a]) & set(neighbours[b]) else "are opposite"
