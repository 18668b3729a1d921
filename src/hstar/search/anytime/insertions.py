"""What cycles of three are put into: the puzzle as the kernel's `Insertions` take it, and the orbits that come first.

Orbits whose pieces turn, such as the corners of a cube, have no cycles of three by short words. They are a puzzle of
their own, whose solution leaves the other orbits as they come (`hstar.search.anytime.orbit_by_orbit`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from hstar import _kernel
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.first import First

__all__ = ["MANY_MOVES", "Cycles", "cycles_of", "inserting_of", "inserts"]

#: so many pieces that do not turn, and so many moves, make cycles of three worth their time
_MANY_PIECES, MANY_MOVES = 24, 12
#: with more of them, or more in one orbit, the first solution takes longer than a minute
_MOST_PIECES, _LARGEST_ORBIT = 500, 160


K = TypeVar("K", _kernel.Insertions, _kernel.Bundles)


class Cycles(Generic[K]):
    """The cycles of three of a puzzle with a move set, and the puzzle of the orbits that come first.

    :param kind: the kernel's
    :param orbits: those that cycles may solve; those that have not all their cycles come first, too
    :raises Stopped: while they are made
    """

    def __init__(
        self, kind: type[K], chains: Chains, orbits: Sequence[Orbit], control: _kernel.Control, seconds: float
    ) -> None:
        self.puzzle = puzzle = chains.puzzle
        slot_of = [slot for slot, n in enumerate(puzzle.orientations) for _ in range(n)]
        until = control.now + seconds
        while True:
            own = [(orbit.first, orbit.pieces) for orbit in orbits]
            self.kernel: K = kind(chains.generators, slot_of, own, until - control.now, control)
            kept = [orbit for number, orbit in enumerate(orbits) if self.kernel.has_all(number)]
            if len(kept) == len(orbits):
                break
            orbits = kept
        self.complete = bool(orbits)
        firsts = {orbit.first for orbit in puzzle.orbits} - {orbit.first for orbit in orbits}
        self.first = First(puzzle, firsts, chains.names) if firsts else None


@lru_cache(maxsize=8)
def _kept(kind: str, puzzle: PermutationPuzzle, moves: MoveSet) -> list[Any]:
    return []


def cycles_of(kind: type[K], chains: Chains, most: int, control: _kernel.Control, seconds: float) -> Cycles[K] | None:
    """The same object each time; None if the puzzle has no such cycles.

    :param most: pieces of an orbit
    :raises Stopped: it was not made in time
    """
    kept: list[Cycles[K]] = _kept(kind.__name__, chains.puzzle, chains.moves)
    if not kept:
        orbits = [orbit for orbit in chains.puzzle.orbits if 3 <= orbit.pieces <= most and chains.follows(orbit)]
        kept.append(Cycles(kind, chains, orbits, control, seconds))
    (made,) = kept
    return made if made.complete else None


def inserts(puzzle: PermutationPuzzle, moves: MoveSet) -> bool:
    """Whether cycles are to be put in: many pieces do not turn, and there are many moves, so that words are short."""
    still = sum(orbit.pieces for orbit in puzzle.orbits if orbit.orientations == 1)
    return _MANY_PIECES <= still <= _MOST_PIECES and len(moves.moves) >= MANY_MOVES and puzzle.twin is not None


def inserting_of(chains: Chains, control: _kernel.Control, seconds: float) -> Cycles[_kernel.Insertions] | None:
    """`cycles_of`; None, too, if an orbit has too many pieces for all of them."""
    if any(orbit.pieces > _LARGEST_ORBIT for orbit in chains.puzzle.orbits):
        return None
    return cycles_of(_kernel.Insertions, chains, _LARGEST_ORBIT, control, seconds)
