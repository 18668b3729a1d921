"""Relations between states: composition, inverses, and paths to a state other than the goal."""

from __future__ import annotations

from collections.abc import Sequence

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles import Puzzle, State, get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.puzzles.symmetry import inverse_state

__all__ = ["compose", "inverse", "relative", "toward"]


def compose(puzzle: Puzzle, first: State, second: State) -> State:
    """The state after an alg of ``first`` and then an alg of ``second``, from solved.

    :raises InvalidRequest: possible moves depend on the state, as on sliding tiles, or pieces are identical
    """
    puzzle = _group_like(puzzle)
    held, after = puzzle.contents(first), puzzle.contents(second)
    state = list(held)
    for orbit in puzzle.orbits:
        n = orbit.orientations
        for slot in range(orbit.pieces):
            # If the second state has piece j in this slot, the composition has the piece that the first one has in slot
            # j.
            home, turned = divmod(after[orbit.first + slot], n)
            piece, before = divmod(held[orbit.first + home], n)
            state[orbit.first + slot] = piece * n + (before + turned) % n
    return puzzle.state_of(state)


def inverse(puzzle: Puzzle, state: State) -> State:
    """The inverse of ``state``: composing them in either order gives the solved state.

    :raises InvalidRequest: as `compose`
    """
    return inverse_state(_group_like(puzzle), state)


def _group_like(puzzle: Puzzle) -> PermutationPuzzle:
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.all_different:
        what = "moves depend on the state" if not isinstance(puzzle, PermutationPuzzle) else "some pieces are identical"
        raise InvalidRequest(f"states of {puzzle.name} cannot be composed", [Fault("/puzzle", what)])
    return puzzle


def toward(puzzle: Puzzle, start: State, target: State) -> tuple[Puzzle, State]:
    """A puzzle and a state of it whose solutions are the paths from ``start`` to ``target``.

    :raises InvalidState: on sliding tiles, no moves lead from one to the other
    :raises InvalidRequest: as `compose`
    """
    if isinstance(puzzle, PermutationPuzzle):
        return puzzle, compose(puzzle, inverse(puzzle, target), start)
    if not isinstance(puzzle, SlidingTiles):
        raise InvalidRequest(f"{puzzle.name} can only be solved to its goal", [Fault("/target", "leave it out")])
    there = _board(puzzle, target)
    return there, there.parse_state(list(start))


def relative(puzzle: Puzzle, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
    """A puzzle and a state of it whose solutions are the paths from ``start`` to the state after ``alg``."""
    if isinstance(puzzle, SlidingTiles):
        return _board(puzzle, puzzle.apply_alg(start, alg)), start
    return puzzle, puzzle.apply_alg(puzzle.solved, puzzle.inverse_alg(alg))


def _board(puzzle: SlidingTiles, goal: State) -> Puzzle:
    return get_puzzle(f"tiles:{puzzle.rows}x{puzzle.columns}", list(goal))
