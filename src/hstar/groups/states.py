"""The group of a puzzle, and states drawn from it uniformly: the same for the same seed on every machine, for ever.

The random numbers are those of `hstar.puzzles.scrambles`, with the text ``hstar random state 1|<puzzle>|<seed>``. They
choose, one after the other:

- on a permutation puzzle, for each place (slot and orientation) in ascending order the place that its content at home
  shall be in, among those that are possible after the choices before, in ascending order. Only the group decides what
  is possible, so move sets that generate the same group have the same random states.
- on sliding tiles, the cell of the blank; then, row by row, the tile of each other cell among those that are left, in
  their order. The last two are put the way that can be solved. On a board one cell wide only the blank moves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hstar.databases.symmetry import carry
from hstar.errors import Fault, InvalidRequest
from hstar.groups.permutation_group import PermutationGroup
from hstar.puzzles.base import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.scrambles import choose, random_words
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["puzzle_group", "random_state"]


@lru_cache(maxsize=64)
def puzzle_group(puzzle: PermutationPuzzle, moves: MoveSet) -> PermutationGroup:
    """The group that the moves generate on the puzzle's places, orbit after orbit, numbered ``slot * orientations +
    orientation`` in each; a move's permutation says where it carries each place."""
    generators = []
    for move in moves.moves:
        images: list[int] = []
        for orbit in puzzle.orbits:
            images += (carry(puzzle, move, orbit) + len(images)).tolist()
        generators.append(images)
    return PermutationGroup(generators)


def random_state(puzzle: Puzzle, seed: int, moves: str | None = None) -> State:
    """A uniformly random one of the states that the moves (default: the puzzle's) reach from the goal.

    :raises UnknownName: no such move set
    :raises InvalidRequest: the seed is out of range
    """
    if not 0 <= seed < 2**63:
        raise InvalidRequest("no such random state", [Fault("/seed", "expected 0 to 2^63 - 1")])
    move_set = puzzle.move_set(moves)
    words = random_words(f"hstar random state 1|{puzzle.name}|{seed}")
    if isinstance(puzzle, SlidingTiles):
        return _random_board(puzzle, lambda count: choose(words, count))
    if not isinstance(puzzle, PermutationPuzzle):
        raise InvalidRequest("no such random state", [Fault("/puzzle", f"{puzzle.name} has no random states")])
    group = puzzle_group(puzzle, move_set)
    return _state_of(puzzle, group.at([choose(words, size) for size in group.orbit_sizes]))


def _state_of(puzzle: PermutationPuzzle, places: list[int]) -> State:
    """The state in which what is at home in each place is in the place given for it."""
    state = bytearray(puzzle.solved)
    begin = 0
    for orbit in puzzle.orbits:
        n = orbit.orientations
        for piece in range(orbit.pieces):
            slot, orientation = divmod(places[begin + piece * n] - begin, n)
            state[orbit.first + slot] = piece * n + orientation
        begin += orbit.pieces * n
    return bytes(state)


def _random_board(puzzle: SlidingTiles, choose_of: Callable[[int], int]) -> State:
    blank = choose_of(puzzle.cells)
    if min(puzzle.rows, puzzle.columns) == 1:
        tiles = [tile for tile in puzzle.solved if tile]
        return bytes([*tiles[:blank], 0, *tiles[blank:]])
    left = list(range(1, puzzle.cells))
    drawn = []
    while len(left) > 2:
        drawn.append(left.pop(choose_of(len(left))))
    for last in (left, left[::-1]):
        tiles = [*drawn, *last]
        board = bytes([*tiles[:blank], 0, *tiles[blank:]])
        if puzzle.is_solvable(board):
            return board
    raise AssertionError("of two boards that differ by a swap one can be solved")
