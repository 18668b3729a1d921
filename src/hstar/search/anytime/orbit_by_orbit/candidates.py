"""Words to choose from, by the slots of each part that they touch: short ones, powers, and commutators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.search.anytime.orbit_by_orbit.elements import Element, Elements, Images, Rows

__all__ = ["Meeting", "Powers", "powers_of", "repeated", "seeds_of", "short_words"]


@dataclass(frozen=True)
class Powers:
    """Powers of elements by length: ``rows`` are the element and the power, ``counts`` the slots that it touches
    of each part."""

    group: Elements
    elements: list[Element]
    rows: np.ndarray[Any, np.dtype[np.int64]]
    counts: np.ndarray[Any, np.dtype[np.int16]]

    def of(self, solved: Sequence[int], part: int | None, least: int, most: int, number: int) -> list[Element]:
        """The shortest that leave the solved parts alone and touch so many slots of a part."""
        return self.made(self.find(solved, part, least, most, number))

    def find(self, solved: Sequence[int], part: int | None, least: int, most: int, number: int) -> Rows:
        """Their rows."""
        own = self.counts.sum(axis=1) if part is None else self.counts[:, part]
        good = (own >= least) & (own <= most) & ~self.counts[:, list(solved)].any(axis=1)
        rows = np.flatnonzero(good)
        if least < most:  # few slots count more than few moves
            rows = rows[np.argsort(own[rows], kind="stable")]
            rows = np.concatenate([rows[:number], np.flatnonzero(good)[:number]])
        return rows[: 2 * number]

    def made(self, rows: Rows) -> list[Element]:
        return [self.group.power(self.elements[i], times) for i, times in self.rows[rows].tolist()]

    def leave(self, rows: Rows, solved: Sequence[int]) -> bool:
        """Whether they leave these parts alone."""
        return not self.counts[rows][:, list(solved)].any()


class Meeting:
    """How many slots of each part elements and conjugates of them have in common."""

    def __init__(
        self, group: Elements, seeds: Sequence[Element], conjugating: Sequence[Element], part: int | None = None
    ) -> None:
        """:param part: only of this one"""
        self._group = group
        self._seeds = list(seeds)[: group.settings.seeds]
        self._by = [Element((), group.home), *conjugating]
        touched = group.touched(np.array([e.images for e in self._seeds]))
        starts = group.starts
        slot_of = np.repeat(np.arange(len(starts)), np.diff([*starts.tolist(), len(group.home)]))
        slots = np.array([slot_of[by.images[starts]] for by in self._by])
        lengths = np.array([len(e.word) for e in self._seeds])
        self._shape = len(self._seeds), len(self._by), len(self._seeds)
        outer = np.array([len(by.word) for by in self._by])
        #: half of the moves of each commutator
        self._lengths = (lengths[:, None, None] + lengths + 2 * outer[:, None]).reshape(-1)
        #: by part: seed, conjugating word, conjugated seed
        self._common: dict[int, np.ndarray[Any, np.dtype[np.uint8]]] = {}
        for number, (own, begin) in enumerate(zip(group.parts, group.begins.tolist(), strict=True)):
            if part not in (None, number):
                continue
            columns = slice(begin, begin + own.slots)
            common = np.empty(self._shape, dtype=np.uint8)
            here = _words_of_bits(touched[:, columns])
            for i, row in enumerate(slots):
                poll()
                there = _words_of_bits(touched[:, row[columns]])
                both = np.bitwise_count(here[0][:, np.newaxis] & there[0])
                for a, b in zip(here[1:], there[1:], strict=True):
                    more = np.bitwise_count(a[:, np.newaxis] & b)
                    both = np.minimum(both, 255 - more) + more
                common[:, i] = both
            self._common[number] = common.reshape(-1)
        self._clear = np.ones(len(self._lengths), dtype=bool)

    def keep(self, part: int) -> None:
        """From now on only elements that have no slot of this part in common."""
        self._clear &= self._common[part] == 0

    def of(self, part: int, least: int, most: int, number: int) -> Iterator[Element]:
        """Commutators, the shortest first, of elements that have so many slots of a part in common."""
        yield from map(self.made, self.find(part, least, most, number).tolist())

    def find(self, part: int, least: int, most: int, number: int) -> Rows:
        """Their rows."""
        rows = np.flatnonzero((self._common[part] >= least) & (self._common[part] <= most) & self._clear)
        return rows[np.argsort(self._lengths[rows], kind="stable")[:number]]

    def leave(self, rows: Rows) -> bool:
        """Whether they have no slot of the kept parts in common."""
        return bool(self._clear[rows].all())

    def fewest(self, part: int, number: int) -> Iterator[Element]:
        """Commutators of elements that have the fewest slots of a part in common, at least two."""
        common = self._common[part]
        rows = np.flatnonzero(common >= 2)
        for row in rows[np.lexsort((self._lengths[rows], common[rows]))[:number]].tolist():
            yield self.made(row)

    def made(self, row: int) -> Element:
        a, by, b = np.unravel_index(row, self._shape)
        conjugate = self._group.conjugate(self._by[int(by)], self._seeds[int(b)])
        return self._group.commutator(self._seeds[int(a)], conjugate)


def _words_of_bits(rows: np.ndarray[Any, np.dtype[np.bool_]]) -> np.ndarray[Any, np.dtype[Any]]:
    """Each row as bits, 32 or 64 in a word; shape (words, rows)."""
    packed = np.packbits(rows, axis=1)
    word = np.dtype(np.uint32 if packed.shape[1] <= 4 else np.uint64)
    wide = np.zeros((len(rows), -(-packed.shape[1] // word.itemsize) * word.itemsize), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(wide.view(word).T)


def short_words(group: Elements) -> list[Element]:
    """Different words of few moves, the shortest first, without the one of none."""
    found, seen = [Element((), group.home)], {group.home.tobytes()}
    most = min(group.settings.words, group.settings.places // len(group.home))
    for word, images in found:
        poll()
        for move, row in enumerate(group.moves):
            after = row[images]
            if len(found) <= most and (key := after.tobytes()) not in seen:
                seen.add(key)
                found.append(Element((*word, move), after))
        if len(found) > most:
            break
    return found[1:]


def repeated(group: Elements) -> list[Element]:
    """Powers of moves that are no short words: the only way far along a long ring."""
    found: list[Element] = []
    for move, row in enumerate(group.moves):
        element = Element((move,), row)
        times, images = 1, row
        while times < group.settings.repeated // len(group.moves) + 1 and (images != group.home).any():
            times, images = times + 1, row[images]
            found.append(Element(element.word * times, images))
    return found


def seeds_of(group: Elements, short: Sequence[Element]) -> list[Element]:
    """The moves, and commutators of short words that touch few slots."""
    moves = [element for element in short if len(element.word) == 1]
    random, made, seen = Random(len(moves)), [], set()
    most = min(group.settings.commutators, group.settings.places // len(group.home))
    pairs = [(a, b) for a, b in product(moves, moves)][:most]
    few = short[: 4 * len(moves) + group.settings.near]
    pairs += [(random.choice(few), random.choice(few)) for _ in range(most - len(pairs))]
    for a, b in pairs:
        poll()
        element = group.commutator(a, b)
        if (key := element.images.tobytes()) not in seen and (element.images != group.home).any():
            seen.add(key)
            made.append(element)
    counts = group.counts(np.array([e.images for e in made]).reshape(-1, len(group.home))).sum(axis=1)
    order = sorted(range(len(made)), key=lambda i: (int(counts[i]), len(made[i].word)))
    return [*moves, *(made[i] for i in order)]


def powers_of(group: Elements, elements: Sequence[Element]) -> Powers:
    """All elements, and powers of them that leave some part alone or touch few slots of it."""
    images = np.array([element.images for element in elements]).reshape(-1, len(group.home))
    found, counts = list[Images](), list[np.ndarray[Any, np.dtype[np.int16]]]()
    current = images
    lengths = np.array([len(element.word) for element in elements])
    live = np.arange(len(elements))
    for power in range(1, group.settings.power + 1):
        poll()
        own = group.counts(current)
        moves_some = own.any(axis=1)
        useful = np.logical_and(moves_some, own.min(axis=1) <= group.settings.few) if found else moves_some
        found.append(np.stack([live[useful], np.full(int(useful.sum()), power)], axis=1))
        counts.append(own[useful])
        going = np.logical_and(moves_some, lengths[live] * (power + 1) <= group.settings.longest)
        live = live[going]
        if not len(live):
            break
        current = np.take_along_axis(images[live], current[going], axis=1)
    rows, own = np.concatenate(found), np.concatenate(counts)
    by_length = np.argsort(lengths[rows[:, 0]] * rows[:, 1], kind="stable")
    return Powers(group, list(elements), rows[by_length], own[by_length])
