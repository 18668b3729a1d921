"""The subgroup of some of the moves as a puzzle of its own, which two phases solve, and the ways into it.

The moves of the outer layers of a 4x4x4 cube generate such a subgroup: its puzzle is a 3x3x3 cube. Which moves are left
is found by rule: all or none of those that move as many pieces of each orbit in the same kinds of cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np

from hstar import _kernel
from hstar.errors import InvalidState
from hstar.groups.permutations import CycleType, cycle_type
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.definition import read_definition
from hstar.puzzles.formats.generators import definition_of
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.phases import Phases, fitting

__all__ = ["Reducing", "reducing_of"]

#: kinds of moves: with more of them there are too many choices
_MOST_KINDS = 5
#: pieces that look alike: with more of them, as on a 5x5x5 cube, reductions are not tried
_MOST_ALIKE = 24


class Left:
    """The puzzle of some moves of a chain's puzzle, as far as they move pieces that are told apart.

    :param left: the numbers of the moves
    :param shown: by place, whether it is seen only by what it shows
    """

    def __init__(self, chains: Chains, left: Sequence[int], shown: Sequence[bool]) -> None:
        images = chains.generators[left].astype(np.int64)
        moved = (images != np.arange(images.shape[1])).any(axis=0)
        self._places = [place for place in range(images.shape[1]) if moved[place] and not shown[place]]
        self._number = {place: i for i, place in enumerate(self._places)}
        rows = [[self._number[int(place)] for place in row[self._places]] for row in images]
        generators = {f"m{move}": np.argsort(row).tolist() for move, row in zip(left, rows, strict=True)}
        definition = definition_of(generators, None) | {"name": "subgroup"}
        self.puzzle = DefinedPuzzle(read_definition(definition), held=(None,))
        after = {self.puzzle.turned(self.puzzle.solved, name): name for name in self.puzzle.moves}
        #: by its moves, ours
        self.ours = {after[self._state(row)]: chains.algs[move] for move, row in zip(left, rows, strict=True)}
        self.moves = MoveSet("of the subgroup", tuple(self.ours), "")

    def _state(self, images: Sequence[int]) -> State:
        shown = [0] * len(images)
        for place, there in enumerate(images):
            shown[there] = place
        return self.puzzle.parse_state({"points": shown})

    def state_in(self, element: Sequence[int]) -> State | None:
        """Its state, by where the content of each place is; None if that is not in the subgroup."""
        try:
            state = self._state([self._number[element[place]] for place in self._places])
        except (InvalidState, KeyError):
            return None
        return state if self.puzzle.permutation_of(state) in self.puzzle.group(self.moves) else None


class Reducing:
    """The ways into the subgroup, and its puzzle.

    :raises Stopped: while they are made
    """

    def __init__(
        self, chains: Chains, puzzle: PermutationPuzzle, left: Left, phases: Phases, numbers: Sequence[int],
        perimeter: int, seconds: float, control: _kernel.Control,
    ) -> None:  # fmt: skip
        self._images = chains.generators
        self.left, self.phases, self.chains = left, phases, chains
        slot_of = [slot for slot, n in enumerate(chains.puzzle.orientations) for _ in range(n)]
        flags = [int(number in numbers) for number in range(len(chains.names))]
        alike = [(orbit.first, orbit.pieces) for orbit in puzzle.orbits if _alike(puzzle, orbit)]
        self.kernel = _kernel.Reduction(
            chains.generators, slot_of, flags, puzzle.kinds_in(puzzle.solved), alike, perimeter, seconds, control
        )

    def after(self, element: Sequence[int], way: bytes) -> State | None:
        """The state of the subgroup's puzzle after a way; None if it does not lead there."""
        places = np.array(element)
        for move in way:
            places = self._images[move][places]
        return self.left.state_in(places.tolist())


def _alike(puzzle: PermutationPuzzle, orbit: Orbit) -> bool:
    return len({puzzle.home[slot] for slot in orbit.slots}) < orbit.pieces


@lru_cache(maxsize=8)
def _left(chains: Chains, puzzle: PermutationPuzzle, memory: int) -> tuple[Left, Phases, tuple[int, ...]] | None:
    """The largest subgroup of kinds of moves that two phases solve."""
    homes = [puzzle.home[slot] // n for slot, n in enumerate(puzzle.orientations) for _ in range(n)]
    alike = [_alike(puzzle, orbit) for orbit in puzzle.orbits]
    if list(puzzle.distinct_orientations) != list(puzzle.orientations) or any(
        own and orbit.orientations > 1 for own, orbit in zip(alike, puzzle.orbits, strict=True)
    ):
        return None
    if sum(orbit.pieces for own, orbit in zip(alike, puzzle.orbits, strict=True) if own) > _MOST_ALIKE:
        return None
    sizes = [orbit.pieces * orbit.orientations for orbit in puzzle.orbits]
    shown = [own for own, size in zip(alike, sizes, strict=True) for _ in range(size)]
    begins = np.cumsum([0, *sizes]).tolist()
    kinds: dict[tuple[CycleType, ...], list[int]] = {}
    for number, row in enumerate(chains.generators.astype(np.int64)):
        parts = [tuple((row[a:b] - a).tolist()) for a, b in pairwise(begins)]
        kinds.setdefault(tuple(cycle_type(part) for part in parts), []).append(number)
    if len(kinds) > _MOST_KINDS:
        return None
    best: tuple[int, Left, Phases, tuple[int, ...]] | None = None
    for count in range(1, len(kinds)):
        for chosen in combinations(kinds.values(), count):
            numbers = sorted(number for own in chosen for number in own)
            images = chains.generators[numbers]
            if any(homes[place] != homes[there] for row in images for place, there in enumerate(row) if shown[place]):
                continue
            if not any(place != there and not shown[place] for row in images for place, there in enumerate(row)):
                continue
            left = Left(chains, numbers, shown)
            order = left.puzzle.group(left.moves).order
            if (best is None or order > best[0]) and (phases := fitting(left.puzzle, left.moves, memory)) is not None:
                best = order, left, phases, tuple(numbers)
    return None if best is None else best[1:]


@lru_cache(maxsize=4)
def _kept(chains: Chains, puzzle: PermutationPuzzle, perimeter: int) -> list[Reducing]:
    return []


def reducing_of(
    chains: Chains, puzzle: PermutationPuzzle, perimeter: int, memory: int, seconds: float, control: _kernel.Control
) -> Reducing | None:
    """The same object each time; None if no kinds of moves generate a subgroup that two phases solve.

    :raises Stopped: it was not made in time
    """
    found = _left(chains, puzzle, memory)
    if found is None:
        return None
    kept = _kept(chains, puzzle, perimeter)
    if not kept:
        kept.append(Reducing(chains, puzzle, *found, perimeter, seconds, control))
    return kept[0] if kept[0].kernel.tells else None
