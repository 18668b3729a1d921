"""Pieces that no move takes to another slot, only turns there, such as centres of a cube with pictures on its faces.

They are solved last: a word repeated until all other pieces are at home again turns at most such pieces. By how much is
the sum of what its moves turn, times the number of repetitions. Chains of words (`hstar.search.anytime.chains`) find no
short words for them, because a word that keeps all other pieces is long.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.held import order_of
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import Chains
from hstar.search.anytime.first import First

__all__ = ["Spins", "spins", "spins_of"]

#: words that are tried, how many moves they may have, and the most moves of a repeated one
_WORDS, _MOVES, _MOST = 4000, (2, 4, 6), 20_000

Word = tuple[int, ...]
Turned = tuple[int, ...]


class Spins:
    """How the pieces that turn in place are solved. ``first``: the puzzle of the others."""

    def __init__(self, chains: Chains) -> None:
        puzzle = chains.puzzle
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
        #: by piece and by how much it turns: a word that leaves the pieces before it, and what it does to all
        self._words: list[dict[int, tuple[Turned, Word]]] = [{} for _ in self._places]
        found = sorted(self._found().items(), key=lambda item: (np.count_nonzero(item[0]), len(item[1])))
        for turned, word in found:
            first = next(piece for piece, by in enumerate(turned) if by)
            self._words[first].setdefault(turned[first], (turned, word))
        for turned, word in [*found, *(kept for words in self._words for kept in words.values())]:
            self._close(turned, word)

    def _found(self) -> dict[Turned, Word]:
        """The shortest repeated words by what they do: moves of two axes in turn, of which few have large orders."""
        random, found, axes = Random(len(self._images)), dict[Turned, Word](), self._axes
        moved = np.array([self._images[axis[0]] != np.arange(self._images.shape[1]) for axis in axes])
        meeting = np.argwhere(moved.astype(int) @ moved.T.astype(int))
        pairs = [(axes[a], axes[b]) for a, b in meeting.tolist() if a != b]
        for _ in range(_WORDS if pairs else 0):
            poll()
            pair = random.choice(pairs)
            word = tuple(random.choice(pair[i % 2]) for i in range(random.choice(_MOVES)))
            if not any(self._sum(word, 1)):
                continue
            images = np.arange(self._images.shape[1])
            for move in word:
                images = self._images[move][images]
            times = order_of(images.tolist())
            turned = self._sum(word, times)
            if any(turned) and len(word) * times <= min(_MOST, len(found.get(turned, range(_MOST)))):
                found[turned] = word * times
        return found

    def _sum(self, word: Word, times: int) -> Turned:
        turned = self._turned[list(word)].sum(axis=0) * times % self._orientations
        return tuple(turned.tolist())

    def _close(self, turned: Turned, word: Word) -> None:
        """Keep a word for the first piece for which it does something new, and what it makes of those that are kept."""
        left = [(turned, word)]
        while left:
            turned, word = self._rest(*left.pop())
            piece = next((i for i, by in enumerate(turned) if by), None)
            if piece is not None and len(word) <= _MOST:
                self._words[piece][turned[piece]] = turned, word
                left += [self._together(turned, word, *kept) for kept in self._words[piece].values()]

    def _together(self, turned: Turned, word: Word, other: Turned, longer: Word) -> tuple[Turned, Word]:
        sums = (a + b for a, b in zip(turned, other, strict=True))
        return tuple(by % n for by, n in zip(sums, self._orientations, strict=True)), word + longer

    def _rest(self, turned: Turned, word: Word) -> tuple[Turned, Word]:
        """What is left of a turn after the words that are kept, and all words so far."""
        for piece, n in enumerate(self._orientations):
            if turned[piece] and (kept := self._words[piece].get(n - turned[piece])):
                turned, word = self._together(turned, word, *kept)
        return turned, word

    def solve(self, start: State, alg: tuple[str, ...]) -> tuple[str, ...] | None:
        """The alg, which solves the first orbits, and moves that solve the rest; None if there are no words for it."""
        made = tuple(move for name in alg for move in self._algs[self._names[name]])
        held = self._whole.contents(self._whole.apply_alg(start, made))
        slots = [slot for slot in range(len(held)) if slot not in self.first.slots]
        turned = tuple(held[slot] % n for slot, n in zip(slots, self._orientations, strict=True))
        turned, word = self._rest(turned, ())
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
def spins_of(chains: Chains) -> Spins:
    """The same object each time."""
    return Spins(chains)
