"""How each part of a puzzle is solved with the words found for it, and so one part after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from random import Random
from typing import Any, NamedTuple

import numpy as np

from hstar.polling import poll
from hstar.puzzles.permutation import parity
from hstar.search.anytime.chains import MOST_PIECES
from hstar.search.anytime.orbit_by_orbit.elements import Element, Elements, Images, Part
from hstar.search.anytime.pair_cycles import PairCycles

__all__ = ["Cycled", "Listed", "Paired", "Stage", "Stages", "after", "cycled", "listed"]


class Told(NamedTuple):
    """Where the piece of each place of a part is, and whether pieces that look alike may be swapped, or one turned."""

    images: Images
    swaps: bool
    turns: bool


@dataclass(frozen=True)
class Listed:
    """All permutations of a part: by the places' images the word that comes last, and the permutation before it."""

    part: Part
    words: list[Element]
    known: dict[bytes, tuple[int, bytes]]

    def solve(self, shown: Images, goal: Images, draw: Random | None) -> list[Element] | None:
        """Words after which the part shows what it does at the goal."""
        here, home = shown[self.part.places], goal[self.part.places]
        ends = np.frombuffer(b"".join(self.known), dtype=np.int64).reshape(-1, self.part.number)
        fitting = np.flatnonzero((home[ends] == here).all(axis=1))
        if not len(fitting):
            return None
        key = ends[int(fitting[0]) if draw is None else draw.choice(fitting.tolist())].tobytes()
        made = []
        while (step := self.known[key])[0] >= 0:
            made.append(self.words[step[0]])
            key = step[1]
        return made[::-1]


@dataclass(frozen=True)
class Cycled:
    """A cycle of three slots of a part, and how the moves take three places to those that it cycles.

    :param step: by triple of places, the move that takes it nearer; -1: it is cycled, -2: it is cycled backwards
    :param far: by triple, how many moves come before the cycle; -1: none lead there
    """

    group: Elements
    part: Part
    base: Element
    step: np.ndarray[Any, np.dtype[np.int16]]
    far: np.ndarray[Any, np.dtype[np.int16]]

    def solve(self, at: Images) -> list[Element] | None:
        """Words that take home what is in these places."""
        part = self.part
        n, size = part.number, part.size
        home = np.arange(n)
        made: list[Element] = []

        def do(element: Element) -> None:
            nonlocal at
            made.append(element)
            at = part.of(element.images)[at]

        while True:
            poll()
            away = np.flatnonzero(at[::size] // size != np.arange(part.slots))
            if not len(away):
                break
            # A cycle that takes a piece home, and perhaps the one that is there, or the one in the third slot.
            pieces, held = away * size, np.argsort(at)
            here = at[pieces]
            thirds = (pieces[:, np.newaxis] + np.arange(size)).reshape(-1)
            far = self.far[(here[:, np.newaxis] * n + pieces[:, np.newaxis]) * n + thirds]
            home_too = (held[pieces][:, np.newaxis] == thirds) * 1 + (held[thirds] == here[:, np.newaxis])
            cost = (2 * far + len(self.base.word)) / (1 + home_too)
            row, column = np.unravel_index(np.argmin(np.where(far < 0, inf, cost)), far.shape)
            if far[row, column] < 0:
                return None
            do(self.cycle(int(here[row]), int(pieces[row]), int(thirds[column])))
        while True:
            wrong = np.flatnonzero((at != home).reshape(-1, size).any(axis=1)).tolist()
            if not wrong:
                return made
            others = [slot for slot in range(part.slots) if slot not in wrong[:2]]
            first, second = (*wrong, *others)[:2]
            through = [slot for slot in (*wrong[2:], *others) if slot not in (first, second)][:3]
            ways = (self._twist(at, first, second, third, len(wrong) <= 2) for third in through)
            twist = next((way for way in ways if way is not None), None)
            if twist is None:
                return None
            for element in twist:
                do(element)

    def cycle(self, a: int, b: int, c: int) -> Element:
        """The cycle that takes what is in place a to b, from there to c, and from there to a."""
        n, begin = self.part.slots * self.part.size, self.part.first
        setup: list[int] = []
        while (move := int(self.step[(a * n + b) * n + c])) >= 0:
            setup.append(move)
            a, b, c = (int(self.group.moves[move, begin + place]) - begin for place in (a, b, c))
        base = self.base if move == -1 else self.group.back(self.base)
        return self.group.conjugate(Element(tuple(setup), self.group.do(tuple(setup))), base)

    def _twist(self, at: Images, first: int, second: int, third: int, both: bool) -> list[Element] | None:
        """Cycles that turn the pieces of the first slot home, and of the second if ``both``, and no other: one cycle of
        these slots, and one back by other orientations."""
        part = self.part
        n, size = part.number, part.size
        a, c = first * size, third * size
        turning: dict[bytes, tuple[int, list[Element]]] = {}
        free = [place for place in range(n) if place // size not in (first, second)]
        for b in range(second * size, second * size + size):
            if self.far[(a * n + b) * n + c] < 0:
                continue
            there = self.cycle(a, b, c)
            for a2, c2 in product(range(a, a + size), range(c, c + size)):
                poll()
                if self.far[(b * n + a2) * n + c2] < 0:
                    continue
                back = self.cycle(b, a2, c2)
                local = part.of(back.images[there.images])
                if (local[free] == free).all():
                    length = len(there.word) + len(back.word)
                    key = local.tobytes()
                    if key not in turning or length < turning[key][0]:
                        turning[key] = length, [there, back]
        rows = [(np.frombuffer(key, dtype=np.int64), elements) for key, (_, elements) in turning.items()]
        slots = (first, second) if both else (first,)
        watched = np.concatenate([np.arange(slot * size, slot * size + size) for slot in slots])
        known: dict[bytes, list[Element]] = {at.tobytes(): []}
        waiting = deque([at])
        while waiting:
            images = waiting.popleft()
            if (images[watched] == watched).all():
                return known[images.tobytes()]
            for row, elements in rows:
                after = row[images]
                if (key := after.tobytes()) not in known:
                    known[key] = [*known[images.tobytes()], *elements]
                    waiting.append(after)
        return None


@dataclass(frozen=True)
class Paired:
    """A cycle of three of a part that has too many places for all triples of them."""

    group: Elements
    part: Part
    base: Element
    pairs: PairCycles

    def solve(self, at: Images) -> list[Element] | None:
        """Words that take home what is in these places."""
        own = self.pairs.solve(at.tolist())
        return None if own is None else [Element(tuple(own), self.group.do(tuple(own)))]


Stage = Listed | Cycled | Paired


class Stages:
    """What solves some parts of a group, in this order; each leaves those before alone."""

    def __init__(self, group: Elements) -> None:
        self._group = group
        #: the numbers of the parts
        self.solved: list[int] = []
        self.all: list[Stage] = []

    def add(self, number: int, stage: Stage) -> None:
        self.solved.append(number)
        self.all.append(stage)

    def through(self, shown: Images, goal: Images, draw: Random | None = None) -> Element | None:
        """A word that solves the parts of all stages so far, and what each place shows after it."""
        made: list[int] = []
        for number, stage in zip(self.solved, self.all, strict=True):
            poll()
            if isinstance(stage, Listed):
                elements = stage.solve(shown, goal, draw)
            else:
                told = self.told(number, shown, goal)
                elements = None if told is None else stage.solve(told.images)
            if elements is None:
                return None
            for element in elements:
                made += element.word
                shown = after(shown, element.images)
        return Element(tuple(made), shown)

    def told(self, number: int, shown: Images, goal: Images) -> Told | None:
        """Where each place's piece is, in a way that is even and whose orientations add up to 0, if pieces that look
        alike allow it; None if the part shows other pieces than at its goal."""
        part, turning = self._group.parts[number], self._group.turning[number]
        if goal is self._group.home:
            return Told(np.argsort(shown[part.places]), False, False)
        here, home = (own[part.places].reshape(part.slots, part.size).tolist() for own in (shown, goal))
        at: dict[tuple[int, ...], list[int]] = {}
        for slot, row in enumerate(here):
            at.setdefault(tuple(sorted(row)), []).append(slot)
        kinds = [tuple(sorted(row)) for row in home]
        if {kind: kinds.count(kind) for kind in kinds} != {kind: len(slots) for kind, slots in at.items()}:
            return None
        to = [-1] * part.slots
        for slot, kind in enumerate(kinds):
            if slot in at[kind]:
                to[slot] = slot
                at[kind].remove(slot)
        to = [at[kind].pop() if slot < 0 else slot for slot, kind in zip(to, kinds, strict=True)]
        swap = next(((i, kinds.index(kind)) for i, kind in enumerate(kinds) if kinds.index(kind) < i), None)
        if swap is not None and parity(to):
            to[swap[0]], to[swap[1]] = to[swap[1]], to[swap[0]]
        ways = [_fitting(home[slot], here[there], turning) for slot, there in enumerate(to)]
        if not all(ways):
            return None
        turned_alike = [slot for slot, own in enumerate(ways) if turning and len(own) > 1]
        free = max(turned_alike, key=lambda slot: len(ways[slot]), default=None)
        images = [[there * part.size + i for i in own[0]] for there, own in zip(to, ways, strict=True)]
        if free is not None:
            for own in ways[free]:
                images[free] = [to[free] * part.size + i for i in own]
                if sum(row[0] % part.size for row in images) % part.size == 0:
                    break
        return Told(np.array(images, dtype=np.int64).reshape(-1), swap is not None, free is not None)


def _fitting(home: Sequence[int], here: Sequence[int], turning: bool) -> list[list[int]]:
    """The ways in which a piece that shows this at home may be in a slot: by facelet, where it is."""
    n = len(home)
    if turning:
        turns = [[(facelet + k) % n for facelet in range(n)] for k in range(n)]
        return [turn for turn in turns if [here[i] for i in turn] == list(home)]
    return [[here.index(one) for one in home]] if len(set(home)) == n else []


def cycled(group: Elements, part: Part, base: Element) -> Cycled | Paired | None:
    """All triples of places that a cycle and the moves cycle; None if they are not enough."""
    n = part.number
    moves, cycle = part.of(group.moves), part.of(base.images)
    if n > MOST_PIECES:
        begin = int(np.flatnonzero(cycle != np.arange(n))[0])
        triple = begin, int(cycle[begin]), int(cycle[cycle[begin]])
        pairs = PairCycles(moves, group.inverse, base.word, triple, group.settings.pairs)
        return Paired(group, part, base, pairs) if pairs.complete else None
    step = np.zeros(n**3, dtype=np.int16)
    far = np.full(n**3, -1, dtype=np.int16)
    first: Images = np.flatnonzero(cycle != np.arange(n))
    back = np.argsort(cycle)
    layers = []
    for code, images in ((-1, cycle), (-2, back)):
        layer = (first * n + images[first]) * n + images[images[first]]
        step[layer], far[layer] = code, 0
        layers.append(layer)
    layer = np.concatenate(layers)
    useful = [move for move, row in enumerate(moves) if (row != np.arange(n)).any()]
    depth = 0
    missing = n * (n - part.size) * (n - 2 * part.size) - 2 * len(first)
    while len(layer) and missing:
        depth += 1
        a, b, c = layer // (n * n), layer // n % n, layer % n
        following = []
        for move in useful:
            poll()
            row: Images = moves[group.inverse[move]]  # from there the move leads here
            there = (row[a] * n + row[b]) * n + row[c]
            there = there[far[there] < 0]
            step[there], far[there] = move, depth
            following.append(there)  # different ones, as those that they come from
            missing -= len(there)
            if not missing:
                break
        layer = np.concatenate(following)
    return Cycled(group, part, base, step, far)


def listed(part: Part, words: list[Element]) -> Listed | None:
    """All permutations of a part that words make; None if they make none."""
    home = np.arange(part.number, dtype=np.int64)
    known: dict[bytes, tuple[int, bytes]] = {home.tobytes(): (-1, b"")}
    waiting = deque([home])
    rows = [part.of(element.images) for element in words]
    while waiting:
        poll()
        images = waiting.popleft()
        before = images.tobytes()
        for i, row in enumerate(rows):
            after = row[images]
            if (key := after.tobytes()) not in known:
                known[key] = i, before
                waiting.append(after)
    return Listed(part, words, known) if len(known) > 1 else None


def after(shown: Images, images: Images) -> Images:
    """What each place shows after an element."""
    found = np.empty_like(shown)
    found[images] = shown
    return found
