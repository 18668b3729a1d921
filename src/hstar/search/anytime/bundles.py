"""What cycles of three in many orbits at once are made of: the puzzle as the kernel's `Bundles` take it, and the orbits
that come first, as in `hstar.search.anytime.insertions`."""

from __future__ import annotations

from functools import lru_cache

from hstar import _kernel
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import MOST_PIECES, Chains
from hstar.search.anytime.first import First
from hstar.search.anytime.insertions import MANY_MOVES

__all__ = ["Bundling", "bundles", "bundling_of"]

#: so many pieces that do not turn, in so many orbits, make it worth its time: a globe of 9 rows of 50 has 5
_MANY_PIECES, _MANY_ORBITS = 96, 6
#: bytes of the tables for each cycle of an orbit's slots
_BYTES = 16


class Bundling:
    """The cycles of three of a puzzle with a move set, and the puzzle of the orbits that come first.

    :raises Stopped: while they are made
    """

    def __init__(self, chains: Chains, control: _kernel.Control, seconds: float) -> None:
        self.puzzle = puzzle = chains.puzzle
        orbits = _still(puzzle, chains)
        slot_of = [slot for slot, n in enumerate(puzzle.orientations) for _ in range(n)]
        until = control.now + seconds
        while True:
            own = [(orbit.first, orbit.pieces) for orbit in orbits]
            self.kernel = _kernel.Bundles(chains.generators, slot_of, own, until - control.now, control)
            kept = [orbit for number, orbit in enumerate(orbits) if self.kernel.has_all(number)]
            if len(kept) == len(orbits):
                break
            orbits = kept  # orbits that have not all their cycles come first, too
        self.complete = bool(orbits)
        firsts = {orbit.first for orbit in puzzle.orbits} - {orbit.first for orbit in orbits}
        self.first = First(puzzle, firsts, chains.names) if firsts else None

    def first_state(self, puzzle: PermutationPuzzle, state: State) -> State | None:
        """What a state is of the orbits that come first; None if pieces of these look alike."""
        assert self.first is not None
        held, values = puzzle.contents(state), []
        for orbit, own in zip(puzzle.orbits, self.puzzle.orbits, strict=True):
            if orbit.first not in self.first.slots:
                continue
            n = orbit.orientations
            homes = {puzzle.home[slot] // n: slot for slot in orbit.slots}
            if len(homes) < orbit.pieces or any(puzzle.distinct_orientations[slot] != n for slot in orbit.slots):
                return None
            for slot in own.slots:
                kind, turned = divmod(held[slot], n)
                values.append((homes[kind] - orbit.first) * n + turned)
        return self.first.state_of(values)


def _still(puzzle: PermutationPuzzle, chains: Chains) -> list[Orbit]:
    return [orbit for orbit in puzzle.orbits if 3 <= orbit.pieces <= MOST_PIECES and chains.follows(orbit)]


def bundles(puzzle: PermutationPuzzle, moves: MoveSet, memory: int) -> bool:
    """Whether they are looked for: many pieces do not turn, there are many moves, and the tables fit into memory."""
    still = [orbit.pieces for orbit in puzzle.orbits if orbit.orientations == 1]
    few = sum(still) < _MANY_PIECES or len(still) < _MANY_ORBITS or len(moves.moves) < MANY_MOVES
    if few or puzzle.forbids:
        return False
    return max(still) <= MOST_PIECES and _BYTES * sum(pieces**3 for pieces in still) <= memory


@lru_cache(maxsize=4)
def _kept(puzzle: PermutationPuzzle, moves: MoveSet) -> list[Bundling]:
    return []


def bundling_of(chains: Chains, control: _kernel.Control, seconds: float) -> Bundling | None:
    """The same object each time; None if the puzzle has no such cycles.

    :raises Stopped: it was not made in time
    """
    kept = _kept(chains.puzzle, chains.moves)
    if not kept:
        kept.append(Bundling(chains, control, seconds))
    (made,) = kept
    return made if made.complete else None
