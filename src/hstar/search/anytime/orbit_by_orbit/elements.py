"""Words of moves and what they do to places: products, powers, conjugates, commutators, and what these touch."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hstar.groups.permutation_group import block_systems, orbits
from hstar.polling import poll
from hstar.puzzles.permutation import PermutationPuzzle, parity
from hstar.search.anytime.orbit_by_orbit.settings import OrbitSettings

__all__ = ["Element", "Elements", "Images", "Part", "Rows", "Word", "inverse"]

Images = np.ndarray[Any, np.dtype[np.int64]]
Rows = np.ndarray[Any, np.dtype[np.int64]]
Word = tuple[int, ...]

#: the most values of parities and sums that are looked at, each with its word, which takes some 100 bytes
_CHARACTERS = 200_000


class Element(NamedTuple):
    """A word, and where it takes what is in each place."""

    word: Word
    images: Images


@dataclass(frozen=True)
class Part:
    """A set of places that moves take to each other, in slots of ``size`` places each.

    :param first: the first place; those of a slot follow one another
    """

    first: int
    slots: int
    size: int

    @property
    def number(self) -> int:
        """Of its places."""
        return self.slots * self.size

    @property
    def places(self) -> slice:
        return slice(self.first, self.first + self.number)

    def of(self, images: Images) -> Images:
        """The places of one element, or of many, by numbers within the part."""
        return images[..., self.places] - self.first


class Elements:
    """The group that the moves of a puzzle make, by the places that they change, part after part."""

    def __init__(self, puzzle: PermutationPuzzle, generators: Images, settings: OrbitSettings | None = None) -> None:
        """:param generators: by move and place of the puzzle, where it takes what is there"""
        self.settings = settings or OrbitSettings()
        self.kept_places, self.parts = _parts(puzzle, generators)
        number = np.zeros(generators.shape[1], dtype=np.int64)
        number[self.kept_places] = np.arange(len(self.kept_places))
        #: by place of the puzzle that moves change, its number here
        self.number = number
        #: by move and place
        self.moves: Images = number[generators[:, self.kept_places]]
        self.home = np.arange(self.moves.shape[1])
        back = {row.tobytes(): i for i, row in enumerate(self.moves)}
        self.inverse = [back[np.argsort(row).tobytes()] for row in self.moves]
        starts = [part.first + slot * part.size for part in self.parts for slot in range(part.slots)]
        self.starts = np.array(starts, dtype=np.int64)
        self.begins = np.cumsum([0, *(part.slots for part in self.parts[:-1])])
        self.turning = [part.size > 1 and self._turns(part) for part in self.parts]
        self.moduli = np.array([2] * len(self.parts) + [p.size for p in self.parts])
        #: by move
        self.move_characters = np.array([self.character(row) for row in self.moves])

    def do(self, word: Word) -> Images:
        images = self.home
        for move in word:
            images = self.moves[move][images]
        return images

    def undone(self, word: Word) -> Word:
        return tuple(self.inverse[move] for move in reversed(word))

    def conjugate(self, by: Element, element: Element) -> Element:
        images = inverse(by.images)[element.images[by.images]]
        return Element((*by.word, *element.word, *self.undone(by.word)), images)

    def commutator(self, a: Element, b: Element) -> Element:
        images = inverse(b.images)[inverse(a.images)[b.images[a.images]]]
        return Element((*a.word, *b.word, *self.undone(a.word), *self.undone(b.word)), images)

    def product(self, a: Element, b: Element) -> Element:
        return Element((*a.word, *b.word), b.images[a.images])

    def touched(self, images: Images) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """By element and slot, whether the slot's piece is moved or turned."""
        return np.logical_or.reduceat(images != self.home, self.starts, axis=-1)

    def counts(self, images: Images) -> np.ndarray[Any, np.dtype[np.int16]]:
        """By element and part, how many slots are touched."""
        return np.add.reduceat(self.touched(images), self.begins, axis=-1, dtype=np.int16)

    def _turns(self, part: Part) -> bool:
        """Whether every move turns each slot's places by a number, as orientations are."""
        own = part.of(self.moves).reshape(-1, part.slots, part.size)
        turned = (own - own[..., :1]) % part.size
        return bool((turned == np.arange(part.size)).all() and (own // part.size == own[..., :1] // part.size).all())

    def character(self, images: Images) -> tuple[int, ...]:
        """The parity of each part, and the sums of the orientations."""
        odd, sums = [0] * len(self.parts), [0] * len(self.parts)
        for number in np.flatnonzero(self.counts(images)).tolist():
            part = self.parts[number]
            firsts = part.of(images)[:: part.size]
            odd[number] = parity((firsts // part.size).tolist())
            sums[number] = int(firsts.sum()) % part.size if self.turning[number] else 0
        return (*odd, *sums)

    def is_even(self, word: Word) -> bool:
        """Whether its parities and sums are zero: they are the sums of those of its moves."""
        return not (self.move_characters[list(word)].sum(axis=0) % self.moduli).any()

    def back(self, element: Element) -> Element:
        return Element(self.undone(element.word), inverse(element.images))

    def power(self, element: Element, times: int) -> Element:
        images = self.home
        for _ in range(times):
            images = element.images[images]
        return Element(element.word * times, images)

    def characters(self) -> dict[tuple[int, ...], Word]:
        """For each value that can be, a word that has it."""
        known: dict[tuple[int, ...], Word] = {(0,) * len(self.moduli): ()}
        own: dict[tuple[int, ...], int] = {}
        for move, row in enumerate(self.move_characters.tolist()):
            own.setdefault(tuple(row), move)
        waiting = deque(known)
        while waiting and len(known) < _CHARACTERS:
            poll()
            value = waiting.popleft()
            for more, move in own.items():
                both = tuple(((np.array(value) + more) % self.moduli).tolist())
                if both not in known:
                    known[both] = (*known[value], move)
                    waiting.append(both)
        return known


def inverse(images: Images) -> Images:
    """Where what comes to each place was."""
    back = np.empty_like(images)
    back[images] = np.arange(len(images))
    return back


def _parts(puzzle: PermutationPuzzle, generators: Images) -> tuple[Images, list[Part]]:
    """The places that moves change, slot after slot, and their parts. Slots that always stay together are
    one."""
    places: list[int] = []
    parts: list[Part] = []
    slot_of = np.repeat(np.arange(len(puzzle.orientations)), puzzle.orientations)
    for own in orbits(generators.tolist()):
        if len(own) == 1:
            continue
        poll()
        slots: dict[int, list[int]] = {}
        for place in own:
            slots.setdefault(int(slot_of[place]), []).append(place)
        blocks = list(slots.values())
        while systems := _systems(blocks, generators):
            blocks = [[place for number in block for place in blocks[number]] for block in systems[0]]
        parts.append(Part(len(places), len(blocks), len(blocks[0])))
        places += [place for block in blocks for place in block]
    return np.array(places, dtype=np.int64), parts


def _systems(blocks: Sequence[Sequence[int]], generators: Images) -> list[list[list[int]]]:
    """The finest ways in which blocks of places stay together in larger ones; none if a block is the whole."""
    if len(blocks) < 4:
        return []
    number = {place: i for i, block in enumerate(blocks) for place in block}
    rows = [[number[int(row[block[0]])] for block in blocks] for row in generators]
    return block_systems(rows)
