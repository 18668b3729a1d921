"""The facelets of our puzzles as permutations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, singledispatch

from hstar.errors import Fault, InvalidRequest
from hstar.groups.permutations import Permutation
from hstar.groups.turn_system import TurnSystem
from hstar.puzzles import Puzzle
from hstar.puzzles.permutation import PermutationPuzzle


@cache
def ours(puzzle: Puzzle, moves: tuple[str, ...]) -> TurnSystem:
    """Our own facelets and moves; raises `InvalidRequest` for a puzzle that has no facelets."""
    return _turns(puzzle, moves)


@singledispatch
def _turns(puzzle: Puzzle, _moves: tuple[str, ...]) -> TurnSystem:
    text = "only puzzles whose moves permute facelets have turns of this kind"
    raise InvalidRequest(f"{puzzle.name} has no facelets", [Fault("/puzzle", text)])


@_turns.register(PermutationPuzzle)
def _turns_of_pieces(puzzle: PermutationPuzzle, moves: tuple[str, ...]) -> TurnSystem:
    sizes = [
        len(puzzle.slot_faces[slot]) if puzzle.slot_faces else puzzle.orientations[slot]
        for slot in range(len(puzzle.values))
    ]
    first = [sum(sizes[:slot]) for slot in range(len(sizes))]
    turns = tuple(_facelet_turn(puzzle, move, sizes, first) for move in moves)
    return TurnSystem(moves, turns, tuple(_slot_names(puzzle, sizes)))


def _facelet_turn(puzzle: PermutationPuzzle, move: str, sizes: Sequence[int], first: Sequence[int]) -> Permutation:
    p = list(range(sum(sizes)))
    for dst, src, values in puzzle.touched(move):
        twist = values[0] % puzzle.orientations[dst]
        for j in range(sizes[src]):
            p[first[dst] + (j + twist) % sizes[dst]] = first[src] + j
    return tuple(p)


def _slot_names(puzzle: PermutationPuzzle, sizes: Sequence[int]) -> list[str]:
    names = []
    for orbit in puzzle.orbits:
        for slot in orbit.slots:
            piece = puzzle.piece_name(orbit, slot - orbit.first)
            faces = puzzle.slot_faces[slot] if puzzle.slot_faces else tuple(map(str, range(sizes[slot])))
            names += [f"{orbit.name.removesuffix('s')} {piece} on {face}" for face in faces]
    return names
