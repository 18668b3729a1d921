"""A first solution of any puzzle: its orbits one after another, with words that keep the orbits before.

Elements of the group that leave some orbits alone are a normal subgroup: conjugates of them leave these alone, too. So
one word that cycles three slots of the next orbit, whatever it does to later ones, gives with moves before it and their
inverses after it all cycles of three that the moves allow, with all orientations. Such a word is a commutator [x, y] of
words that have no slot of the solved orbits in common, and exactly one of the next orbit; or a power of a word. Where
there is none, commutators of words that leave the solved orbits alone have fewer and fewer slots in common. Orbits in
which moves make few permutations, such as the 1,512 of PGammaL(2, 8), are solved first, along a table of all of these.

The parities of all orbits and the sums of their orientations are made zero before, by a few moves; all words here leave
them so. (Seress, Permutation Group Algorithms, 2003, chapter 10: giants are recognised by their cycles of three.)
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice, product
from random import Random

import numpy as np

from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import MOST_PIECES, ChainSettings, chains_of
from hstar.search.anytime.orbit_by_orbit.elements import Elements, Images, Word
from hstar.search.anytime.orbit_by_orbit.settings import OrbitSettings
from hstar.search.anytime.orbit_by_orbit.stages import Stages, after
from hstar.search.anytime.orbit_by_orbit.words import Finder

__all__ = ["OrbitByOrbit", "OrbitSettings", "orbit_by_orbit"]

#: more than there are kinds of pieces
_MOST_KINDS = 1_000


class OrbitByOrbit:
    """How the parts of a puzzle with a move set are solved."""

    def __init__(self, puzzle: PermutationPuzzle, moves: MoveSet, settings: OrbitSettings | None = None) -> None:
        self.chains = chains_of(puzzle, moves, ChainSettings())
        self.group = Elements(puzzle, self.chains.generators.astype(np.int64), settings)
        self.stages, parts = Stages(self.group), self.group.parts
        if any(part.slots >= 3 for part in parts) and all(p.size == 1 or p.number <= MOST_PIECES for p in parts):
            self._characters = self.group.characters()
            self.stages = Finder(self.group).find()

    def solve(self, state: State) -> tuple[str, ...] | None:
        """Moves that solve a state; None if there are no words for it."""
        element = np.array(self.chains.puzzle.permutation_of(state), dtype=np.int64)
        return self._tried(np.argsort(self.group.number[element[self.group.kept_places]]), self.group.home)

    def solve_alike(self, puzzle: PermutationPuzzle, state: State) -> tuple[str, ...] | None:
        """Moves that solve a state of the puzzle whose twin this is, in which pieces are identical."""
        shown, goal = _shown(puzzle, state), _shown(puzzle, puzzle.solved)
        kept = self.group.kept_places
        if not np.array_equal(np.delete(shown, kept), np.delete(goal, kept)):
            return None  # in places that no move changes
        return self._tried(shown[kept], goal[kept])

    def _tried(self, shown: Images, goal: Images) -> tuple[str, ...] | None:
        """Moves to the goal from what each place shows, with other words before them and other choices each time."""
        tries = self.group.settings.tries
        words = chain.from_iterable(product(range(len(self.group.moves)), repeat=length) for length in range(3))
        prefixes: list[Word] = list(islice(words, tries))
        for number in range(tries if self.stages.all else 0):
            prefix = prefixes[number % len(prefixes)]
            word = self._solve(after(shown, self.group.do(prefix)), goal, Random(number) if number else None)
            if word is not None:
                return self.chains.alg_of(self._reduced((*prefix, *word)))
        return None

    def _reduced(self, word: Word) -> list[int]:
        """The word without moves that undo one another."""
        kept: list[int] = []
        for move in word:
            if kept and self.group.inverse[kept[-1]] == move:
                kept.pop()
            else:
                kept.append(move)
        return kept

    def _solve(self, shown: Images, goal: Images, draw: Random | None) -> Word | None:
        """A word after which every place shows what it does at the goal."""
        images, free = self.group.home.copy(), np.zeros(len(self.group.moduli), dtype=bool)
        for number, part in enumerate(self.group.parts):
            told = self.stages.told(number, shown, goal)
            if told is None:
                return None
            images[part.places] = told.images + part.first
            free[number], free[len(self.group.parts) + number] = told.swaps, told.turns
        wanted = -np.array(self.group.character(images)) % self.group.moduli
        start = self._characters.get(tuple(wanted.tolist()))
        if start is None and free.any():
            values = np.array(list(self._characters))
            fitting = np.flatnonzero(((values == wanted) | free).all(axis=1))
            start = list(self._characters.values())[fitting[0]] if len(fitting) else None
        if start is None:
            return None
        rest = self.stages.through(after(shown, self.group.do(start)), goal, draw)
        return (*start, *rest[0]) if rest is not None and np.array_equal(rest[1], goal) else None


def _shown(puzzle: PermutationPuzzle, state: State) -> Images:
    """By place the same number for what looks the same there."""
    held = puzzle.contents(state)
    shown: list[int] = []
    for number, orbit in enumerate(puzzle.orbits):
        n = orbit.orientations
        distinct = {puzzle.home[slot] // n: puzzle.distinct_orientations[slot] for slot in orbit.slots}
        for slot in orbit.slots:
            kind, turned = divmod(held[slot], n)
            shown += [(number * _MOST_KINDS + kind) * n + (i - turned) % distinct.get(kind, n) for i in range(n)]
    return np.array(shown, dtype=np.int64)


@lru_cache(maxsize=4)
def orbit_by_orbit(puzzle: PermutationPuzzle, moves: MoveSet, settings: OrbitSettings | None = None) -> OrbitByOrbit:
    """The same object each time; another one for other settings."""
    return OrbitByOrbit(puzzle, moves, settings)
