"""The distance of each piece alone: the fewest moves of a move set that solve it if all other pieces are ignored.

A single piece has few places (60 for a corner of the Megaminx, with its orientations), so a breadth-first search
backwards from its solved place finds all distances. No move of the set brings a piece more than 1 nearer. So the
maximum over all pieces is consistent, and so is the sum divided by the number of pieces that one move touches. For
other moves, the bounds of the feature, computed from its table for each move, say by how much they change the value.

The same is done for facelets: a facelet is solved anywhere on the face of its colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from hstar.errors import FeatureError, InvalidRequest, UnknownName
from hstar.features.base import Feature, Table
from hstar.features.registry import Arguments, FeatureKind, quoted
from hstar.features.tables import empty_table, maximum_feature, table_feature
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.permutation import PermutationPuzzle

_GREATEST = "max_"
_MOVES = "_moves"


def _docs(puzzle: PermutationPuzzle) -> dict[str, str]:
    chosen = " | ".join(f'"{name}"' for name in puzzle.move_sets)
    found = {}
    for orbit in puzzle.orbits:
        name = orbit.one + _MOVES
        found[f"{name} or {name}({chosen})"] = (
            f"sum over the {orbit.name} of the fewest moves of a move set, {puzzle.default_moves} if none is named, "
            "that bring this piece alone to its slot and orientation; a piece that they never bring home counts 0"
        )
        found[f"{_GREATEST}{name} or {_GREATEST}{name}({chosen})"] = (
            f"the greatest of these numbers of the {orbit.name}"
        )
    if puzzle.slot_faces:
        found[f"facelet{_MOVES} or facelet{_MOVES}({chosen})"] = (
            f"sum over the facelets of the fewest moves of a move set, {puzzle.default_moves} if none is named, that "
            "bring this facelet alone anywhere on its home face"
        )
    return found


def _make(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    kinds: dict[str, Orbit | None] = {orbit.one + _MOVES: orbit for orbit in puzzle.orbits}
    kinds |= {_GREATEST + kind: orbit for kind, orbit in kinds.items()}
    if puzzle.slot_faces:
        kinds[f"facelet{_MOVES}"] = None
    orbit = kinds[name]
    moves = _chosen(puzzle, name, arguments)
    label = f"{name}({quoted(moves.name)})"
    if orbit is None:
        return table_feature(puzzle, label, _facelets_home(puzzle, moves.moves))
    slots = orbit.slots
    table = moves_home(puzzle, moves.moves, lambda slot, value: slot in slots and value == puzzle.home[slot])
    if name.startswith(_GREATEST):
        return maximum_feature(puzzle, label, table)
    return table_feature(puzzle, label, table)


def _chosen(puzzle: PermutationPuzzle, name: str, arguments: Arguments) -> MoveSet:
    if not arguments:
        return puzzle.move_set(None)
    try:
        (argument,) = arguments
        return puzzle.move_set(str(argument))
    except (ValueError, UnknownName, InvalidRequest):
        known = ", ".join(f'"{m}"' for m in puzzle.move_sets)
        raise FeatureError(f"{name} or {name}(one of {known}, or moves)") from None


def moves_home(puzzle: PermutationPuzzle, moves: Sequence[str], home: Callable[[int, int], bool]) -> Table:
    """For each slot and value, the fewest moves that bring this value from this slot to where it is solved; 0 if no
    moves do.

    :param home: whether a value is solved in a slot
    """
    reached_from = _reached_from(puzzle, tuple(moves))
    table = empty_table(puzzle)
    layer = [(slot, value) for slot, count in enumerate(puzzle.values) for value in range(count) if home(slot, value)]
    seen = set(layer)
    distance = 0
    while layer:
        poll()
        for slot, value in layer:
            table[slot, value] = distance
        found = {before for place in layer for before in reached_from.get(place, ())} - seen
        seen |= found
        layer = list(found)
        distance += 1
    return table


@lru_cache(maxsize=8)
def _reached_from(puzzle: PermutationPuzzle, moves: tuple[str, ...]) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each slot and value, the (slot, value) pairs from which one of the moves brings this value there."""
    found: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for move in moves:
        poll()
        for dst, src, carried in puzzle.touched(move):
            for before, after in enumerate(carried):
                found.setdefault((dst, after), set()).add((src, before))
    return found


def _facelets_home(puzzle: PermutationPuzzle, moves: Sequence[str]) -> Table:
    """Like `moves_home`, summed over the facelets of each piece."""
    faces, orientations = puzzle.slot_faces, puzzle.orientations
    first = {slot: orbit.first for orbit in puzzle.orbits for slot in orbit.slots}

    def home(facelet: int) -> Callable[[int, int], bool]:
        def shows_its_colour(slot: int, value: int) -> bool:
            piece, orientation = divmod(value, orientations[slot])
            colours = faces[first[slot] + piece]
            return facelet < len(colours) and faces[slot][(facelet + orientation) % len(colours)] == colours[facelet]

        return shows_its_colour

    table = empty_table(puzzle)
    for facelet in range(max(map(len, faces))):
        table += moves_home(puzzle, moves, home(facelet))
    return table


MOVES = FeatureKind(PermutationPuzzle, _docs, _make)
