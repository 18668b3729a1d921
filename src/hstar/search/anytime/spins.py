"""Pieces that no move takes to another slot, only turns there, such as centres of a cube with pictures on its faces.

They are solved last: a word repeated until all other pieces are at home again turns at most such pieces. By how much is
the sum of what its moves turn, times the number of repetitions. Chains of words (`hstar.search.anytime.chains`) find no
short words for them, because a word that keeps all other pieces is long.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hstar.groups.permutations import cycle_type, order
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.first import First
from hstar.search.method import Constants

__all__ = ["SpinSettings", "Spins", "spins", "spins_of"]

Word = tuple[int, ...]
Turned = tuple[int, ...]
#: by how much each piece is turned by a word, and the word
Spin = tuple[Turned, Word]


class SpinSettings(Constants):
    """``words`` are tried, of so many ``moves`` each; a repeated one has at most ``most``. ``besides``: moves that a
    piece counts as that is turned besides."""

    words: Annotated[int, Field(ge=1, le=1_000_000)] = 4_000
    moves: Annotated[tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(min_length=1)] = (2, 4, 6)
    most: Annotated[int, Field(ge=1, le=1_000_000)] = 20_000
    besides: Annotated[int, Field(ge=0, le=1_000_000)] = 50

    def cost(self, spin: Spin) -> int:
        return len(spin[1]) + self.besides * int(np.count_nonzero(spin[0]))


class Spins:
    """How the pieces that turn in place are solved. ``first``: the puzzle of the others."""

    def __init__(self, chains: Chains, settings: SpinSettings | None = None) -> None:
        puzzle, self._settings = chains.puzzle, settings or SpinSettings()
        self.first = First(puzzle, orbits_that_move(puzzle, chains.names), chains.names)
        self._whole = puzzle
        self._algs, self._axes = chains.algs, chains.axes
        slots = np.repeat(np.arange(len(puzzle.orientations)), puzzle.orientations)
        others = np.isin(slots, self.first.slots)
        self._places = np.flatnonzero(~others & (np.diff(slots, prepend=-1) > 0))
        self._orientations = [puzzle.orientations[slot] for slot in slots[self._places]]
        number = np.cumsum(others) - 1
        self._images: np.ndarray[Any, np.dtype[np.int64]] = number[chains.generators[:, others].astype(np.int64)]
        self._turned = chains.generators[:, self._places].astype(np.int64) - self._places
        self._names = {name: i for i, name in enumerate(chains.names)}
        self._inverse = [self._names[puzzle.inverse(name)] for name in chains.names]
        #: by piece and by how much it turns: a word that leaves the pieces before it, and what it does to all
        self._words: list[dict[int, Spin]] = []
        left, most = self._found(), self._settings.most
        for piece in range(len(self._places)):
            own = [spin for spin in left.items() if spin[0][piece]]
            words = self._closed(piece, own)
            self._words.append(words)
            left = {turned: word for turned, word in left.items() if not turned[piece]}
            sums = (self._together(a, b) for a in words.values() for b in words.values())
            for spin in chain(own, sums):
                poll()
                turned, word = self._rest(spin)
                if any(turned) and len(word) <= min(most, len(left.get(turned, range(most)))):
                    left[turned] = word

    def _closed(self, piece: int, own: list[Spin]) -> dict[int, Spin]:
        """Spins by how much they turn a piece, and their sums; the cheapest that are found."""
        words: dict[int, Spin] = {}
        cost = self._settings.cost
        fresh: Iterable[Spin] = own
        better = own
        while better:
            poll()
            better = []
            for spin in fresh:
                by = spin[0][piece]
                if by and len(spin[1]) <= self._settings.most and (by not in words or cost(spin) < cost(words[by])):
                    words[by] = spin
                    better.append(spin)
            fresh = (self._together(a, b) for a in better for b in tuple(words.values()))
        return words

    def _found(self) -> dict[Turned, Word]:
        """The shortest repeated words by what they do: moves of two axes in turn, of which few have large orders."""
        most = self._settings.most
        random, found, axes = Random(len(self._images)), dict[Turned, Word](), self._axes
        moved = np.array([self._images[axis[0]] != np.arange(self._images.shape[1]) for axis in axes])
        meeting = np.argwhere(moved.astype(int) @ moved.T.astype(int))
        pairs = [(axes[a], axes[b]) for a, b in meeting.tolist() if a != b]
        for _ in range(self._settings.words if pairs else 0):
            poll()
            pair = random.choice(pairs)
            word = tuple(random.choice(pair[i % 2]) for i in range(random.choice(self._settings.moves)))
            if not any(self._sum(word, 1)):
                continue
            images = np.arange(self._images.shape[1])
            for move in word:
                images = self._images[move][images]
            times = order(cycle_type(tuple(images.tolist())))
            turned = self._sum(word, times)
            if any(turned) and len(word) * times <= min(most, len(found.get(turned, range(most)))):
                found[turned] = word * times
                back = tuple(-by % n for by, n in zip(turned, self._orientations, strict=True))
                found[back] = tuple(self._inverse[move] for move in reversed(word * times))
        return found

    def _sum(self, word: Word, times: int) -> Turned:
        turned = self._turned[list(word)].sum(axis=0) * times % self._orientations
        return tuple(turned.tolist())

    def _together(self, a: Spin, b: Spin) -> Spin:
        sums = (by + more for by, more in zip(a[0], b[0], strict=True))
        return tuple(by % n for by, n in zip(sums, self._orientations, strict=True)), a[1] + b[1]

    def _rest(self, spin: Spin) -> Spin:
        """What is left of it after the words that are kept, and all words so far."""
        for piece, words in enumerate(self._words):
            if kept := words.get(-spin[0][piece] % self._orientations[piece]):
                spin = self._together(spin, kept)
        return spin

    def solve(self, start: State, alg: tuple[str, ...]) -> tuple[str, ...] | None:
        """The alg, which solves the first orbits, and moves that solve the rest; None if there are no words for it."""
        made = tuple(move for name in alg for move in self._algs[self._names[name]])
        held = self._whole.contents(self._whole.apply_alg(start, made))
        slots = [slot for slot in range(len(held)) if slot not in self.first.slots]
        turned = tuple(held[slot] % n for slot, n in zip(slots, self._orientations, strict=True))
        turned, word = self._rest((turned, ()))
        return None if any(turned) else (*made, *(move for number in word for move in self._algs[number]))


def orbits_that_move(puzzle: PermutationPuzzle, names: Iterable[str]) -> set[int]:
    """The first slot of each orbit in which these moves take a piece to another slot."""
    return {
        orbit.first
        for orbit in puzzle.orbits
        if any(puzzle.turns[name].source[slot] != slot for name in names for slot in orbit.slots)
    }


def spins(puzzle: PermutationPuzzle, moves: MoveSet) -> bool:
    """Whether some orbits only turn in place, and others do not."""
    return 0 < len(orbits_that_move(puzzle, moves.moves)) < len(puzzle.orbits)


@lru_cache(maxsize=4)
def spins_of(chains: Chains, settings: SpinSettings | None = None) -> Spins:
    """The same object each time; another one for other settings."""
    return Spins(chains, settings)
