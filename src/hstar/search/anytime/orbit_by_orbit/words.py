"""Words for one part after another: cycles of three that keep the parts before, or all permutations of a part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import factorial, inf, lcm
from random import Random
from typing import NamedTuple

import numpy as np

from hstar.groups.permutation_group import group_order
from hstar.groups.permutations import cycle_type
from hstar.polling import poll
from hstar.search.anytime.orbit_by_orbit.candidates import Meeting, Powers, powers_of, repeated, seeds_of, short_words
from hstar.search.anytime.orbit_by_orbit.elements import Element, Elements, Part, Rows
from hstar.search.anytime.orbit_by_orbit.stages import Listed, Stage, Stages, cycled, listed

__all__ = ["Finder"]


class Known(NamedTuple):
    """The shortest cycle of three of a part, if there is one, and the rows of `Powers` and of `Meeting` that it is one
    of: the first that leave the solved parts alone. Where these leave the next one alone, too, they stay the first."""

    powers: Rows
    meetings: Rows
    cycles: list[Element]


class Finder:
    """The search for words of one part after another."""

    def __init__(self, group: Elements) -> None:
        self._group, self._settings = group, group.settings
        short = short_words(group)
        seeds = seeds_of(group, short)
        self._conjugating = [*short[: self._settings.conjugating], *repeated(group)]
        self._powers = powers_of(group, [*short, *seeds])
        self._meeting = Meeting(group, seeds, self._conjugating)
        self._pools = [self._powers]
        self._stages = Stages(group)
        self._solved = self._stages.solved
        self._left = list(range(len(group.parts)))
        self._known: dict[int, Known] = {}

    def find(self) -> Stages:
        """Choose the next part by its words, until no part has any."""
        parts, left = self._group.parts, self._left
        orders = [self._order(part) for part in parts]
        small = sorted((i for i in left if orders[i] <= self._settings.listed), key=lambda i: orders[i])
        for number in small:  # those that have no cycles of three
            slots = parts[number].slots
            if (orders[number] < factorial(slots) // 2 or slots < 5) and (stage := self._listed(number)) is not None:
                self._take(number, stage)
        while left:
            poll()
            found = sorted(
                ((len(base.word), i, base) for i in left for base in self._candidates(i)), key=lambda row: row[:2]
            )
            ways: Iterator[tuple[int, Stage | None]] = chain(
                ((i, self._cycled(i, base)) for _, i, base in found),
                ((i, self._cycled(i, base)) for i in left for base in self._made_smaller(i)),
                ((i, self._listed(i)) for i in small if i in left),
            )
            chosen = next(((i, stage) for i, stage in ways if stage is not None), None)
            if chosen is None:
                break
            self._take(*chosen)
        return self._stages

    def _take(self, number: int, stage: Stage) -> None:
        self._stages.add(number, stage)
        self._left.remove(number)
        self._meeting.keep(number)

    def _cycled(self, number: int, base: Element) -> Stage | None:
        return cycled(self._group, self._group.parts[number], base)

    def _order(self, part: Part) -> float:
        """How many permutations of a part there are; infinity for large parts."""
        return group_order(part.of(self._group.moves).tolist()) if part.slots <= self._settings.counted else inf

    def _candidates(self, number: int) -> list[Element]:
        """The shortest word that cycles three slots of a part and leaves the solved parts alone; none if none does."""
        known = self._known.get(number)
        if known is None or not (
            self._powers.leave(known.powers, self._solved) and self._meeting.leave(known.meetings)
        ):
            powers = self._powers.find(self._solved, number, 3, 3, self._settings.cycles)
            meetings = self._meeting.find(number, 1, 1, self._settings.cycles)
            made = chain(self._powers.made(powers), map(self._meeting.made, meetings.tolist()))
            cycles = _by_length(self._threes(number, made))[:1]
            known = self._known[number] = Known(powers, meetings, cycles)
        return known.cycles

    def _threes(self, number: int, elements: Iterable[Element]) -> list[Element]:
        return [cycle for element in elements if (cycle := self._three(number, element)) is not None]

    def _three(self, number: int, element: Element) -> Element | None:
        """The element if it is a cycle of three slots of this part and touches no solved part, or its shortest power
        that is; parities and sums stay zero."""
        part = self._group.parts[number]
        touched = self._group.counts(element.images)
        if touched[number] != 3 or touched[self._solved].any():
            return None
        own = part.of(element.images).reshape(part.slots, part.size) // part.size
        slots = np.flatnonzero((own != np.arange(part.slots)[:, np.newaxis]).any(axis=1))
        if len(slots) != 3:
            return None
        for times in (1, 4, -2, 7, 10, 16):
            made = self._group.power(element if times > 0 else self._group.back(element), abs(times))
            local = part.of(made.images)
            if (local[local[local]] == np.arange(len(local))).all() and self._group.is_even(made.word):
                return made if len(made.word) <= self._settings.most else None
        return None

    def _made_smaller(self, number: int) -> list[Element]:
        """Cycles of three of a part from commutators of words that leave the solved parts alone, of fewer and fewer
        slots."""
        group, part, settings = self._group, self._group.parts[number], self._settings
        pool = self._pool(len(self._solved))
        if found := self._threes(number, pool.of(self._solved, number, 3, 3, settings.cycles)):
            return _by_length(found)
        kept = [
            *self._powers.of(self._solved, number, 1, part.slots, settings.kept),
            *pool.of(self._solved, number, 1, part.slots, settings.kept),
            *self._meeting.of(number, 2, settings.few, settings.kept),
        ]
        for stage in self._stages.all:
            if not isinstance(stage, Listed):  # three times a cycle of an earlier part, with what it does to this one
                kept.append(group.power(stage.base, 3))
                kept += [group.commutator(stage.base, by) for by in self._conjugating[: settings.conjugates]]
        kept = self._best(number, kept) or self._best(number, list(islice(self._sifted(number), settings.kept)))
        draw = Random(number)
        for _ in range(settings.rounds if kept else 0):
            poll()
            if found := self._threes(number, kept):
                return _by_length(found)
            own = Meeting(group, kept, self._conjugating, number)
            if found := self._threes(number, own.of(number, 1, 1, settings.cycles)):
                return found
            pairs = (draw.choices(kept, k=2) for _ in range(settings.pool))
            products = [group.product(a, group.conjugate(draw.choice(self._conjugating), b)) for a, b in pairs]
            more = powers_of(group, products)
            if found := self._threes(number, more.of(self._solved, number, 3, 3, settings.cycles)):
                return _by_length(found)
            more_of = more.of(self._solved, number, 1, part.slots, settings.kept)
            kept = self._best(number, [*kept, *own.fewest(number, settings.kept), *more_of])
        return self._high_powers(number) if kept else []

    def _high_powers(self, number: int) -> list[Element]:
        """The shortest power of an element with one cycle of three slots of this part, whose other cycles of this and
        the solved parts have lengths that three does not divide."""
        found: list[Element] = []
        most = self._settings.most
        for element in self._powers.elements:
            poll()
            times = 1
            for other in (number, *self._solved):
                part = self._group.parts[other]
                own = (part.of(element.images)[:: part.size] // part.size).tolist()
                lengths = dict(cycle_type(tuple(own)))
                threes = sum(many for length, many in lengths.items() if length % 3 == 0)
                if threes != (other == number) or (threes and 3 not in lengths):
                    times = most
                    break
                times = lcm(times, *(length for length in lengths if length != 3))
            for size in sorted({1, *(part.size for part in self._group.parts)}):  # orientations that are left
                if len(element.word) * times * size < most:
                    made = self._three(number, self._group.power(element, times * size))
                    if made is not None and len(made.word) < most:
                        found, most = [made], len(made.word)
        return found

    def _sifted(self, number: int) -> Iterator[Element]:
        """Elements that touch a part and few slots of the solved ones, and then cycles that solve these."""
        elements = self._powers.elements
        counts = self._group.counts(np.array([e.images for e in elements]))
        rows = sorted(
            (int(own[self._solved].sum()), len(element.word), i)
            for i, (own, element) in enumerate(zip(counts, elements, strict=True))
            if own[number]
        )
        for _, _, i in rows[: self._settings.sifted]:
            poll()
            images = elements[i].images
            if (
                self._group.is_even(elements[i].word)
                and (rest := self._stages.through(np.argsort(images), self._group.home)) is not None
            ):
                yield Element((*elements[i].word, *rest[0]), np.argsort(rest[1]))

    def _pool(self, depth: int) -> Powers:
        """Elements that leave the first so many of the solved parts alone, and powers of them."""
        while len(self._pools) <= depth:
            solved = self._solved[: len(self._pools)]
            before = self._pools[-1]
            elements = before.of(solved, None, 1, len(self._group.starts), self._settings.pool)
            if len(self._pools) > 1:  # commutators with anything leave the same parts alone
                elements += [
                    self._group.commutator(e, by)
                    for e in before.elements[: self._settings.kept]
                    for by in self._conjugating[: self._settings.pool_conjugates]
                ]
            self._pools.append(powers_of(self._group, elements))
        return self._pools[depth]

    def _best(self, number: int, elements: Sequence[Element]) -> list[Element]:
        """Different elements that leave the solved parts alone, those that touch the fewest slots of a part first."""
        rows = []
        for element in elements:
            counts = self._group.counts(element.images)
            if counts[number] and not counts[self._solved].any():
                rows.append((int(counts[number]), len(element.word), element))
        found: dict[bytes, Element] = {}
        for _, _, element in sorted(rows, key=lambda row: row[:2]):
            found.setdefault(self._group.parts[number].of(element.images).tobytes(), element)
        return list(found.values())[: self._settings.kept]

    def _listed(self, number: int) -> Listed | None:
        """All permutations of a small part by words that leave the solved ones alone; None if it has none."""
        part = self._group.parts[number]
        own: dict[bytes, Element] = {}
        for element in self._powers.of(self._solved, number, 1, part.slots, self._settings.looked_at):
            poll()
            key = part.of(element.images).tobytes()
            if len(own) < self._settings.made_of and key not in own and self._group.is_even(element.word):
                back = self._group.back(element)
                own[key] = element
                own.setdefault(part.of(back.images).tobytes(), back)
        if self._solved:  # conjugates leave the same parts alone
            for element in list(own.values())[: self._settings.kept]:
                for by in self._conjugating[: self._settings.conjugates]:
                    one = self._group.conjugate(by, element)
                    own.setdefault(part.of(one.images).tobytes(), one)
        return listed(part, _generating(part, list(own.values()), self._settings.listing))


def _by_length(elements: Iterable[Element]) -> list[Element]:
    return sorted(elements, key=lambda element: len(element.word))


def _generating(part: Part, elements: Sequence[Element], first: int) -> list[Element]:
    """The first elements that make all permutations that all of them make, and the others of so many at first."""
    rows = [part.of(element.images).tolist() for element in elements]
    chosen: list[int] = []
    whole, reached = group_order(rows) if rows else 1, 1
    for i in range(len(rows)):
        poll()
        if reached == whole:
            break
        if (order := group_order([rows[k] for k in (*chosen, i)])) > reached:
            chosen.append(i)
            reached = order
    chosen += [i for i in range(min(first, len(rows))) if i not in chosen]
    return [elements[i] for i in sorted(chosen)]
