"""Facelets that do not have their face's colour, counted singly, by distance, or in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hstar.errors import FeatureError
from hstar.features.base import Feature, Masks, UnionFeature
from hstar.features.registry import Arguments, FeatureKind, no_arguments
from hstar.features.tables import empty_table, table_feature
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle

#: the most groups that one feature can tell apart
MAX_GROUPS = 64


def _shown(puzzle: PermutationPuzzle) -> Iterator[tuple[int, int, int, str]]:
    """(slot, value, facelet of the slot, the face that has its colour), for every value that a slot may have."""
    first = {slot: orbit.first for orbit in puzzle.orbits for slot in orbit.slots}
    for slot, orientations in enumerate(puzzle.orientations):
        for value in range(puzzle.values[slot]):
            piece, orientation = divmod(value, orientations)
            colours = puzzle.slot_faces[first[slot] + piece]
            for facelet, colour in enumerate(colours):
                yield slot, value, (facelet + orientation) % len(colours), colour


def _facelets(puzzle: PermutationPuzzle) -> int:
    return sum(map(len, puzzle.slot_faces))


# -- one by one ----------------------------------------------------------------------------------------------------


def _misplaced_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    count = _facelets(puzzle)
    return {"misplaced_facelets": f"facelets that are not of their face's colour (0..{count})"} if count else {}


def _misplaced(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    table = empty_table(puzzle)
    for slot, value, facelet, colour in _shown(puzzle):
        table[slot, value] += puzzle.slot_faces[slot][facelet] != colour
    return table_feature(puzzle, name, table)


MISPLACED = FeatureKind(PermutationPuzzle, _misplaced_docs, _misplaced)


# -- by the way that they have to go -------------------------------------------------------------------------------

_WAYS = ("same", "adjacent", "far", "opposite")


def _face_distance_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    if not puzzle.opposite_faces:
        return {}
    return {
        f"face_distance({', '.join(_WAYS)})": (
            "sum over the facelets of one of four numbers, by how the face that shows the facelet lies to the "
            "facelet's home face: the same face, a neighbour, two away, opposite"
        )
    }


def _face_distance(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    numbers = [a for a in arguments if isinstance(a, int) and 0 <= a <= 1000]
    if len(arguments) != len(_WAYS) or len(numbers) != len(_WAYS):
        raise FeatureError(f"face_distance({', '.join(_WAYS)}) with four integers from 0 to 1000")
    same, adjacent, far, opposite = numbers
    table = empty_table(puzzle)
    for slot, value, facelet, colour in _shown(puzzle):
        face = puzzle.slot_faces[slot][facelet]
        if face == colour:
            table[slot, value] += same
        elif face == puzzle.opposite_faces[colour]:
            table[slot, value] += opposite
        else:
            table[slot, value] += adjacent if face in puzzle.face_neighbours[colour] else far
    return table_feature(puzzle, f"face_distance({', '.join(map(str, numbers))})", table)


FACE_DISTANCE = FeatureKind(PermutationPuzzle, _face_distance_docs, _face_distance)


# -- in groups -----------------------------------------------------------------------------------------------------


def _out_of_place_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    count = len(puzzle.facelets)
    if not 0 < count <= MAX_GROUPS:
        return {}
    return {"faces_out_of_place": f"faces that are not uniformly their own colour (S3; 0..{count})"}


def _groups_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    if not puzzle.facelet_groups:
        return {}
    groups = " ".join("{" + ",".join(map(str, group)) + "}" for group in puzzle.facelet_groups)
    count = len(puzzle.facelet_groups) * len(puzzle.facelets)
    return {
        "misplaced_groups": (
            "groups of facelets with at least one of another face's colour, on every face: each of "
            f"{groups} (S4; 0..{count})"
        )
    }


def _out_of_place(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    most = max(map(len, puzzle.facelets.values()))
    return _groups_feature(puzzle, name, [tuple(range(most))])


def _misplaced_groups(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    return _groups_feature(puzzle, name, puzzle.facelet_groups)


def _groups_feature(puzzle: PermutationPuzzle, name: str, groups: Sequence[Sequence[int]]) -> Feature:
    """How many of these groups of facelets, over all faces, have at least one of another face's colour."""
    bit = {
        where: np.uint64(1 << len(groups) * i + g)
        for i, places in enumerate(puzzle.facelets.values())
        for g, group in enumerate(groups)
        for number, where in enumerate(places)
        if number in group
    }
    table: Masks = np.zeros_like(empty_table(puzzle), dtype=np.uint64)
    for slot, value, facelet, colour in _shown(puzzle):
        if puzzle.slot_faces[slot][facelet] != colour:
            table[slot, value] |= bit[slot, facelet]
    touched = {move: puzzle.touched(move) for move in puzzle.moves}
    return UnionFeature.over(name, table, puzzle.solved, touched)


OUT_OF_PLACE = FeatureKind(PermutationPuzzle, _out_of_place_docs, _out_of_place)
GROUPS = FeatureKind(PermutationPuzzle, _groups_docs, _misplaced_groups)
