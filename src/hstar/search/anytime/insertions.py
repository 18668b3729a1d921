"""What cycles of three are put into: the puzzle as the kernel's `Insertions` take it, and the orbits that come first.

Orbits whose pieces turn, such as the corners of a cube, have no cycles of three by short words. They are a puzzle of
their own, whose solution leaves the other orbits as they come (`hstar.search.anytime.orbit_by_orbit`).
"""

from __future__ import annotations

from functools import lru_cache

from hstar import _kernel
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.first import First

__all__ = ["MANY_MOVES", "Inserting", "inserting_of", "inserts"]

#: so many pieces that do not turn, and so many moves, make cycles of three worth their time
_MANY_PIECES, MANY_MOVES = 24, 12
#: with more of them, or more in one orbit, the first solution takes longer than a minute
_MOST_PIECES, _LARGEST_ORBIT = 500, 160


class Inserting:
    """The cycles of three of a puzzle with a move set, and the puzzle of the orbits that come first.

    :raises Stopped: while they are made
    """

    def __init__(self, chains: Chains, control: _kernel.Control, seconds: float) -> None:
        self.puzzle = puzzle = chains.puzzle
        orbits = [orbit for orbit in puzzle.orbits if orbit.pieces >= 3 and chains.follows(orbit)]
        turned = [orbit.orientations for orbit in puzzle.orbits for _ in orbit.slots]
        slot_of = [slot for slot, n in enumerate(turned) for _ in range(n)]
        until = control.now + seconds
        while True:
            own = [(orbit.first, orbit.pieces) for orbit in orbits]
            self.kernel = _kernel.Insertions(chains.generators, slot_of, own, until - control.now, control)
            if self.kernel.complete or not orbits:
                break  # orbits that have not all their cycles come first, too
            orbits = [orbit for number, orbit in enumerate(orbits) if self.kernel.has_all(number)]
        self.complete = self.kernel.complete and bool(orbits)
        firsts = {orbit.first for orbit in puzzle.orbits} - {orbit.first for orbit in orbits}
        self.first = First(puzzle, firsts, chains.names) if firsts else None


def inserts(puzzle: PermutationPuzzle, moves: MoveSet) -> bool:
    """Whether cycles are to be put in: many pieces do not turn, and there are many moves, so that words are short."""
    still = sum(orbit.pieces for orbit in puzzle.orbits if orbit.orientations == 1)
    return _MANY_PIECES <= still <= _MOST_PIECES and len(moves.moves) >= MANY_MOVES and puzzle.twin is not None


@lru_cache(maxsize=4)
def _kept(puzzle: PermutationPuzzle, moves: MoveSet) -> list[Inserting]:
    return []


def inserting_of(chains: Chains, control: _kernel.Control, seconds: float) -> Inserting | None:
    """The same object each time; None if the puzzle has no such cycles, or too many pieces for all of them.

    :raises Stopped: it was not made in time
    """
    if any(orbit.pieces > _LARGEST_ORBIT for orbit in chains.puzzle.orbits):
        return None
    kept = _kept(chains.puzzle, chains.moves)
    if not kept:
        kept.append(Inserting(chains, control, seconds))
    (made,) = kept
    return made if made.complete else None
