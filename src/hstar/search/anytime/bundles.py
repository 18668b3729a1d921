"""What cycles of three in many orbits at once are made of: the puzzle as the kernel's `Bundles` take it, and the orbits
that come first, as in `hstar.search.anytime.insertions`."""

from __future__ import annotations

from hstar import _kernel
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import MOST_PIECES, Chains
from hstar.search.anytime.insertions import MANY_MOVES, Cycles, cycles_of

__all__ = ["bundles", "bundling_of", "first_state"]

#: so many pieces that do not turn make it worth its time, and where an orbit has more than so many, so many orbits: a
#: globe of 9 rows of 50 has 5 of 100
_MANY_PIECES, _LARGE_ORBIT, _MANY_ORBITS = 48, 64, 6
#: bytes of the tables for each cycle of an orbit's slots
_BYTES = 16


def first_state(cycles: Cycles[_kernel.Bundles], puzzle: PermutationPuzzle, state: State) -> State | None:
    """What a state is of the orbits that come first; None if pieces of these look alike."""
    assert cycles.first is not None
    held, values = puzzle.contents(state), []
    for orbit, own in zip(puzzle.orbits, cycles.puzzle.orbits, strict=True):
        if orbit.first not in cycles.first.slots:
            continue
        n = orbit.orientations
        homes = {puzzle.home[slot] // n: slot for slot in orbit.slots}
        if len(homes) < orbit.pieces or any(puzzle.distinct_orientations[slot] != n for slot in orbit.slots):
            return None
        for slot in own.slots:
            kind, turned = divmod(held[slot], n)
            values.append((homes[kind] - orbit.first) * n + turned)
    return cycles.first.state_of(values)


def bundles(puzzle: PermutationPuzzle, moves: MoveSet, memory: int) -> bool:
    """Whether they are looked for: many pieces do not turn, there are many moves, and the tables fit into memory."""
    still = [orbit.pieces for orbit in puzzle.orbits if orbit.orientations == 1]
    if sum(still) < _MANY_PIECES or len(moves.moves) < MANY_MOVES or puzzle.forbids:
        return False
    if max(still) > _LARGE_ORBIT and len(still) < _MANY_ORBITS:
        return False
    return max(still) <= MOST_PIECES and _BYTES * sum(pieces**3 for pieces in still) <= memory


def bundling_of(chains: Chains, control: _kernel.Control, seconds: float) -> Cycles[_kernel.Bundles] | None:
    """`cycles_of`, of orbits that are not too large."""
    return cycles_of(_kernel.Bundles, chains, MOST_PIECES, control, seconds)
