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

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from math import factorial, inf, lcm
from random import Random
from typing import Any, NamedTuple

import numpy as np

from hstar.groups.permutation_group import block_systems, group_order, orbits
from hstar.groups.permutations import cycle_type
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle, parity
from hstar.search.anytime.chains import MOST_PIECES, chains_of
from hstar.search.anytime.pair_cycles import PairCycles

__all__ = ["OrbitByOrbit", "orbit_by_orbit"]

Images = np.ndarray[Any, np.dtype[np.int64]]
Word = tuple[int, ...]

#: words and commutators whose powers are looked at, the highest power, and the most moves of one
_WORDS, _COMMUTATORS, _POWER, _LONGEST = 1500, 1500, 60, 600
#: words times places that are looked at
_PLACES = 600_000
#: the most moves of a cycle of three
_MOST = 12_000
#: words that make commutators, words that conjugate one of the two, and powers of moves that do
_SEEDS, _CONJUGATING, _REPEATED = 120, 100, 120
#: words that leave orbits alone from which cycles of three are made, by how often commutators of them are looked at
_KEPT, _ROUNDS = 40, 6
#: words that leave the solved orbits alone whose powers are looked at
_POOL = 150
#: the most permutations of an orbit that are listed, and the words by which they are
_LISTED, _LISTING = 10_000, 12
#: words that are looked at for them, and of how many these are made
_LOOKED_AT, _MADE_OF = 600, 160
#: the most slots of a part whose permutations are counted
_SMALL = 24
#: the most values of parities and sums that are looked at
_CHARACTERS = 200_000
#: tries to tell pieces apart that look alike, and more than there are kinds of pieces
_ALIKE, _MOST_KINDS = 60, 1_000
#: moves before the others that are tried where something is left that these do not tell
_PREFIXES = 12


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


@dataclass(frozen=True)
class Cycled:
    """A cycle of three slots of a part, and how the moves take three places to those that it cycles.

    :param step: by triple of places, the move that takes it nearer; -1: it is cycled, -2: it is cycled backwards
    :param far: by triple, how many moves come before the cycle; -1: none lead there
    """

    part: Part
    base: Element
    step: np.ndarray[Any, np.dtype[np.int16]]
    far: np.ndarray[Any, np.dtype[np.int16]]


@dataclass(frozen=True)
class Paired:
    """A cycle of three of a part that has too many places for all triples of them."""

    part: Part
    base: Element
    pairs: PairCycles


Stage = Listed | Cycled | Paired


class OrbitByOrbit:
    """How the parts of a puzzle with a move set are solved."""

    def __init__(self, puzzle: PermutationPuzzle, moves: MoveSet) -> None:
        self.chains = chains_of(puzzle, moves)
        self._kept_places, self.parts = _parts(puzzle, self.chains.generators.astype(np.int64))
        number = np.full(self.chains.generators.shape[1], -1)
        number[self._kept_places] = np.arange(len(self._kept_places))
        #: by move and place
        self.moves: Images = number[self.chains.generators[:, self._kept_places].astype(np.int64)]
        self._home = np.arange(self.moves.shape[1])
        self._number = number
        back = {row.tobytes(): i for i, row in enumerate(self.moves)}
        self._inverse = [back[np.argsort(row).tobytes()] for row in self.moves]
        starts = [part.first + slot * part.size for part in self.parts for slot in range(part.slots)]
        self._starts = np.array(starts, dtype=np.int64)
        self._begins = np.cumsum([0, *(part.slots for part in self.parts[:-1])])
        self._turning = [part.size > 1 and self._turns(part) for part in self.parts]
        self._moduli = np.array([2] * len(self.parts) + [p.size for p in self.parts])
        self.stages: list[Stage] = []
        self._solved: list[int] = []
        if any(part.slots >= 3 for part in self.parts) and all(
            p.size == 1 or p.number <= MOST_PIECES for p in self.parts
        ):
            self._characters = self._all_characters()
            self._find()

    # -- elements --------------------------------------------------------------------------------------------------

    def _do(self, word: Word) -> Images:
        images = self._home
        for move in word:
            images = self.moves[move][images]
        return images

    def _undone(self, word: Word) -> Word:
        return tuple(self._inverse[move] for move in reversed(word))

    def _conjugate(self, by: Element, element: Element) -> Element:
        back = np.argsort(by.images)
        return Element((*by.word, *element.word, *self._undone(by.word)), back[element.images[by.images]])

    def _commutator(self, a: Element, b: Element) -> Element:
        images = np.argsort(b.images)[np.argsort(a.images)[b.images[a.images]]]
        return Element((*a.word, *b.word, *self._undone(a.word), *self._undone(b.word)), images)

    def _product(self, a: Element, b: Element) -> Element:
        return Element((*a.word, *b.word), b.images[a.images])

    def _touched(self, images: Images) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """By element and slot, whether the slot's piece is moved or turned."""
        return np.logical_or.reduceat(images != self._home, self._starts, axis=-1)

    def _counts(self, images: Images) -> np.ndarray[Any, np.dtype[np.int16]]:
        """By element and part, how many slots are touched."""
        return np.add.reduceat(self._touched(images), self._begins, axis=-1, dtype=np.int16)

    def _turns(self, part: Part) -> bool:
        """Whether every move turns each slot's places by a number, as orientations are."""
        own = part.of(self.moves).reshape(-1, part.slots, part.size)
        turned = (own - own[..., :1]) % part.size
        return bool((turned == np.arange(part.size)).all() and (own // part.size == own[..., :1] // part.size).all())

    def _character(self, images: Images) -> tuple[int, ...]:
        """The parity of each part, and the sums of the orientations."""
        odd, sums = [], []
        for part, turning in zip(self.parts, self._turning, strict=True):
            firsts = part.of(images)[:: part.size]
            odd.append(parity((firsts // part.size).tolist()))
            sums.append(int((firsts % part.size).sum()) % part.size if turning else 0)
        return (*odd, *sums)

    def _all_characters(self) -> dict[tuple[int, ...], Word]:
        """For each value that can be, a word that has it."""
        known: dict[tuple[int, ...], Word] = {(0,) * len(self._moduli): ()}
        own: dict[tuple[int, ...], int] = {}
        for move, row in enumerate(self.moves):
            own.setdefault(self._character(row), move)
        waiting = deque(known)
        while waiting and len(known) < _CHARACTERS:
            poll()
            value = waiting.popleft()
            for more, move in own.items():
                both = tuple(((np.array(value) + more) % self._moduli).tolist())
                if both not in known:
                    known[both] = (*known[value], move)
                    waiting.append(both)
        return known

    # -- words -----------------------------------------------------------------------------------------------------

    def _find(self) -> None:
        """Choose the next part by its words, until no part has any."""
        short = self._short_words()
        seeds, conjugating = self._seeds(short), [*short[:_CONJUGATING], *self._repeated()]
        powers = self._powers([*short, *seeds])
        meeting = Meeting(self, seeds, conjugating)
        self._pools = [powers]
        left = list(range(len(self.parts)))
        orders = [self._order(part) for part in self.parts]
        small = sorted((i for i in left if orders[i] <= _LISTED), key=lambda i: orders[i])

        def take(number: int, stage: Stage) -> None:
            self.stages.append(stage)
            self._solved.append(number)
            left.remove(number)
            meeting.keep(number)

        for number in small:  # those that have no cycles of three
            slots = self.parts[number].slots
            if orders[number] < factorial(slots) // 2 or slots < 5:
                listed = self._listed(number, powers, conjugating)
                if listed is not None:
                    take(number, listed)
        while left:
            poll()
            found = sorted(
                ((len(base.word), i, base) for i in left for base in self._candidates(i, powers, meeting)),
                key=lambda row: row[:2],
            )
            ways: Iterator[tuple[int, Stage | None]] = chain(
                ((i, self._cycled(i, base)) for _, i, base in found),
                (
                    (i, self._cycled(i, base))
                    for i in left
                    for base in self._made_smaller(i, powers, meeting, conjugating)
                ),
                ((i, self._listed(i, powers, conjugating)) for i in small if i in left),
            )
            chosen = next(((i, stage) for i, stage in ways if stage is not None), None)
            if chosen is None:
                break
            take(*chosen)
        self._pools.clear()

    def _order(self, part: Part) -> float:
        """How many permutations of a part there are; infinity for large parts."""
        return group_order(part.of(self.moves).tolist()) if part.slots <= _SMALL else inf

    def _short_words(self) -> list[Element]:
        """Different words of few moves, the shortest first, without the one of none."""
        found, seen = [Element((), self._home)], {self._home.tobytes()}
        most = min(_WORDS, _PLACES // len(self._home))
        for word, images in found:
            poll()
            for move, row in enumerate(self.moves):
                after = row[images]
                if len(found) <= most and (key := after.tobytes()) not in seen:
                    seen.add(key)
                    found.append(Element((*word, move), after))
            if len(found) > most:
                break
        return found[1:]

    def _repeated(self) -> list[Element]:
        """Powers of moves that are no short words: the only way far along a long ring."""
        found: list[Element] = []
        for move, row in enumerate(self.moves):
            element = Element((move,), row)
            times, images = 1, row
            while times < _REPEATED // len(self.moves) + 1 and (images != self._home).any():
                times, images = times + 1, row[images]
                found.append(Element(element.word * times, images))
        return found

    def _seeds(self, short: Sequence[Element]) -> list[Element]:
        """The moves, and commutators of short words that touch few slots."""
        moves = [element for element in short if len(element.word) == 1]
        random, made, seen = Random(len(moves)), [], set()
        most = min(_COMMUTATORS, _PLACES // len(self._home))
        pairs = [(a, b) for a, b in product(moves, moves)][:most]
        few = short[: 4 * len(moves) + 40]
        pairs += [(random.choice(few), random.choice(few)) for _ in range(most - len(pairs))]
        for a, b in pairs:
            poll()
            element = self._commutator(a, b)
            if (key := element.images.tobytes()) not in seen and (element.images != self._home).any():
                seen.add(key)
                made.append(element)
        counts = self._counts(np.array([e.images for e in made]).reshape(-1, len(self._home))).sum(axis=1)
        order = sorted(range(len(made)), key=lambda i: (int(counts[i]), len(made[i].word)))
        return [*moves, *(made[i] for i in order)]

    def _powers(self, elements: Sequence[Element], longest: int = _LONGEST) -> Powers:
        """All powers that leave some part alone, or touch few slots of it."""
        images = np.array([element.images for element in elements]).reshape(-1, len(self._home))
        found, counts = [], []
        current = images
        lengths = np.array([len(element.word) for element in elements])
        live = np.arange(len(elements))
        for power in range(1, _POWER + 1):
            poll()
            own = self._counts(current)
            useful = ((own == 0).any(axis=1) | (own <= 4).any(axis=1) | (power == 1)) & (own > 0).any(axis=1)
            found.append(np.stack([live[useful], np.full(int(useful.sum()), power)], axis=1))
            counts.append(own[useful])
            going = (own > 0).any(axis=1) & (lengths[live] * (power + 1) <= longest)
            live = live[going]
            if not len(live):
                break
            current = np.take_along_axis(images[live], current[going], axis=1)
        if not found:
            return Powers([], np.zeros((0, 2), np.int64), np.zeros((0, len(self.parts)), np.int16))
        rows, own = np.concatenate(found), np.concatenate(counts)
        by_length = np.argsort(lengths[rows[:, 0]] * rows[:, 1], kind="stable")
        return Powers(list(elements), rows[by_length], own[by_length])

    def _power(self, element: Element, times: int) -> Element:
        images = self._home
        for _ in range(times):
            images = element.images[images]
        return Element(element.word * times, images)

    def _candidates(self, number: int, powers: Powers, meeting: Meeting, most: int = 3) -> list[Element]:
        """Words that cycle three slots of a part and leave the solved parts alone, the shortest first."""
        found = [
            cycle
            for element in powers.of(self, self._solved, number, 3, 3, 12)
            if (cycle := self._three(number, element)) is not None
        ]
        found += [
            cycle for element in meeting.of(number, 1, 1, 12) if (cycle := self._three(number, element)) is not None
        ]
        return sorted(found, key=lambda element: len(element.word))[:most]

    def _three(self, number: int, element: Element) -> Element | None:
        """The element if it is a cycle of three slots of this part and touches no solved part, or its shortest power
        that is; parities and sums stay zero."""
        part = self.parts[number]
        touched = self._counts(element.images)
        if touched[number] != 3 or touched[self._solved].any():
            return None
        own = part.of(element.images).reshape(part.slots, part.size) // part.size
        slots = np.flatnonzero((own != np.arange(part.slots)[:, np.newaxis]).any(axis=1))
        if len(slots) != 3:
            return None
        for times in (1, 4, -2, 7, 10, 16):
            made = self._power(element if times > 0 else self._back(element), abs(times))
            local = part.of(made.images)
            if (local[local[local]] == np.arange(len(local))).all() and not any(self._character(made.images)):
                return made if len(made.word) <= _MOST else None
        return None

    def _back(self, element: Element) -> Element:
        return Element(self._undone(element.word), np.argsort(element.images))

    def _made_smaller(
        self, number: int, powers: Powers, meeting: Meeting, conjugating: Sequence[Element]
    ) -> list[Element]:
        """Cycles of three of a part from commutators of words that leave the solved parts alone, of fewer and fewer
        slots."""
        part = self.parts[number]
        pool = self._pool(len(self._solved), conjugating)
        found = [c for e in pool.of(self, self._solved, number, 3, 3, 12) if (c := self._three(number, e)) is not None]
        if found:
            return sorted(found, key=lambda element: len(element.word))
        kept = [
            *powers.of(self, self._solved, number, 1, part.slots, _KEPT),
            *pool.of(self, self._solved, number, 1, part.slots, _KEPT),
            *meeting.of(number, 2, 4, _KEPT),
        ]
        for stage in self.stages:
            if not isinstance(stage, Listed):  # three times a cycle of an earlier part, with what it does to this one
                kept += [self._power(stage.base, 3), *(self._commutator(stage.base, by) for by in conjugating[:20])]
        kept = self._best(number, kept) or self._best(number, self._sifted(number, powers.elements))
        draw = Random(number)
        for _ in range(_ROUNDS if kept else 0):
            poll()
            found = [cycle for element in kept if (cycle := self._three(number, element)) is not None]
            if found:
                return sorted(found, key=lambda element: len(element.word))
            own = Meeting(self, kept, conjugating, number)
            one = [e for e in own.of(number, 1, 1, 12) if self._three(number, e) is not None]
            if one:
                return [cycle for element in one if (cycle := self._three(number, element)) is not None]
            products = [self._product(a, self._conjugate(draw.choice(conjugating), b))
                        for a, b in (draw.choices(kept, k=2) for _ in range(_POOL))]  # fmt: skip
            more = self._powers(products, _MOST // 20)
            found = [
                c for e in more.of(self, self._solved, number, 3, 3, 12) if (c := self._three(number, e)) is not None
            ]
            if found:
                return sorted(found, key=lambda element: len(element.word))
            more_of = more.of(self, self._solved, number, 1, part.slots, _KEPT)
            kept = self._best(number, [*kept, *own.fewest(number, _KEPT), *more_of])
        return self._high_powers(number, powers.elements) if kept else []

    def _high_powers(self, number: int, elements: Sequence[Element]) -> list[Element]:
        """The shortest power of an element with one cycle of three slots of this part, whose other cycles of this and
        the solved parts have lengths that three does not divide."""
        found: list[Element] = []
        most = _MOST
        for element in elements:
            poll()
            times = 1
            for other in (number, *self._solved):
                part = self.parts[other]
                own = (part.of(element.images)[:: part.size] // part.size).tolist()
                lengths = dict(cycle_type(tuple(own)))
                threes = sum(many for length, many in lengths.items() if length % 3 == 0)
                if threes != (other == number) or (threes and 3 not in lengths):
                    times = most
                    break
                times = lcm(times, *(length for length in lengths if length != 3))
            for size in sorted({1, *(part.size for part in self.parts)}):  # orientations that are left
                if len(element.word) * times * size < most:
                    made = self._three(number, self._power(element, times * size))
                    if made is not None and len(made.word) < most:
                        found, most = [made], len(made.word)
        return found

    def _sifted(self, number: int, elements: Sequence[Element]) -> list[Element]:
        """Elements that touch a part and few slots of the solved ones, and then cycles that solve these."""
        counts = self._counts(np.array([e.images for e in elements]))
        rows = sorted(
            (int(own[self._solved].sum()), len(element.word), i)
            for i, (own, element) in enumerate(zip(counts, elements, strict=True))
            if own[number]
        )
        made = []
        for _, _, i in rows[: 4 * _KEPT]:
            poll()
            images = elements[i].images
            if not any(self._character(images)) and (rest := self._through(np.argsort(images), self._home)) is not None:
                made.append(Element((*elements[i].word, *rest[0]), np.argsort(rest[1])))
                if len(made) == _KEPT:
                    break
        return made

    def _pool(self, depth: int, conjugating: Sequence[Element]) -> Powers:
        """Elements that leave the first so many of the solved parts alone, and powers of them."""
        while len(self._pools) <= depth:
            solved = self._solved[: len(self._pools)]
            before = self._pools[-1]
            elements = before.of(self, solved, None, 1, len(self._starts), _POOL)
            if len(self._pools) > 1:  # commutators with anything leave the same parts alone
                elements += [self._commutator(e, by) for e in before.elements[:_KEPT] for by in conjugating[:8]]
            self._pools.append(self._powers(elements))
        return self._pools[depth]

    def _best(self, number: int, elements: Sequence[Element]) -> list[Element]:
        """Different elements that leave the solved parts alone, those that touch the fewest slots of a part first."""
        found: dict[bytes, tuple[int, int, Element]] = {}
        for element in elements:
            counts = self._counts(element.images)
            if counts[number] and not counts[self._solved].any():
                row = (int(counts[number]), len(element.word), element)
                key = self.parts[number].of(element.images).tobytes()
                if key not in found or row[:2] < found[key][:2]:
                    found[key] = row
        return [element for _, _, element in sorted(found.values(), key=lambda row: row[:2])[:_KEPT]]

    def _cycled(self, number: int, base: Element) -> Cycled | Paired | None:
        """All triples of places that a cycle and the moves cycle; None if they are not enough."""
        part = self.parts[number]
        n = part.number
        moves, cycle = part.of(self.moves), part.of(base.images)
        if n > MOST_PIECES:
            begin = int(np.flatnonzero(cycle != np.arange(n))[0])
            triple = begin, int(cycle[begin]), int(cycle[cycle[begin]])
            pairs = PairCycles(moves, self._inverse, base.word, triple)
            return Paired(part, base, pairs) if pairs.complete else None
        step = np.full(n**3, -9, dtype=np.int16)
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
        while len(layer):
            depth += 1
            a, b, c = layer // (n * n), layer // n % n, layer % n
            following = []
            for move in useful:
                poll()
                row: Images = moves[self._inverse[move]]  # from there the move leads here
                there = (row[a] * n + row[b]) * n + row[c]
                there = there[far[there] < 0]
                step[there], far[there] = move, depth
                following.append(np.unique(there))
            layer = np.concatenate(following)
        return Cycled(part, base, step, far)

    def _listed(self, number: int, powers: Powers, conjugating: Sequence[Element]) -> Listed | None:
        """All permutations of a small part by words that leave the solved ones alone; None if it has none."""
        part = self.parts[number]
        own: dict[bytes, Element] = {}
        for element in powers.of(self, self._solved, number, 1, part.slots, _LOOKED_AT):
            poll()
            key = part.of(element.images).tobytes()
            if len(own) < _MADE_OF and key not in own and not any(self._character(element.images)):
                back = self._back(element)
                own[key] = element
                own.setdefault(part.of(back.images).tobytes(), back)
        if self._solved:  # conjugates leave the same parts alone
            for element in list(own.values())[:_KEPT]:
                for by in conjugating[:20]:
                    one = self._conjugate(by, element)
                    own.setdefault(part.of(one.images).tobytes(), one)
        words = self._generating(part, list(own.values()))
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

    def _generating(self, part: Part, elements: Sequence[Element]) -> list[Element]:
        """The first elements that make all permutations that all of them make, and some more of the first."""
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
        chosen += [i for i in range(min(_LISTING, len(rows))) if i not in chosen]
        return [elements[i] for i in sorted(chosen)]

    # -- solving ---------------------------------------------------------------------------------------------------

    def solve(self, state: State) -> tuple[str, ...] | None:
        """Moves that solve a state; None if there are no words for it."""
        element = np.array(self.chains.element(state), dtype=np.int64)
        return self._tried(np.argsort(self._number[element[self._kept_places]]), self._home, _PREFIXES)

    def solve_alike(self, puzzle: PermutationPuzzle, state: State) -> tuple[str, ...] | None:
        """Moves that solve a state of the puzzle whose twin this is, in which pieces are identical."""
        shown, goal = _shown(puzzle, state), _shown(puzzle, puzzle.solved)
        kept = self._kept_places
        if (np.delete(shown, kept) != np.delete(goal, kept)).any():
            return None  # in places that no move changes
        return self._tried(shown[kept], goal[kept], _ALIKE)

    def _tried(self, shown: Images, goal: Images, tries: int) -> tuple[str, ...] | None:
        """Moves to the goal from what each place shows, with other moves before them and other choices each time."""
        prefixes: list[Word] = [(), *((move,) for move in range(len(self.moves)))][:_PREFIXES]
        for number in range(tries if self.stages else 0):
            prefix = prefixes[number % len(prefixes)]
            word = self._solve(_after(shown, self._do(prefix)), goal, Random(number) if number else None)
            if word is not None:
                return tuple(move for one in self._reduced((*prefix, *word)) for move in self.chains.algs[one])
        return None

    def _reduced(self, word: Word) -> list[int]:
        """The word without moves that undo one another."""
        kept: list[int] = []
        for move in word:
            if kept and self._inverse[kept[-1]] == move:
                kept.pop()
            else:
                kept.append(move)
        return kept

    def _solve(self, shown: Images, goal: Images, draw: Random | None) -> Word | None:
        """A word after which every place of the parts with stages shows what it does at the goal."""
        images, free = self._home.copy(), np.zeros(len(self._moduli), dtype=bool)
        for number, part in enumerate(self.parts):
            told = self._told(number, shown, goal)
            if told is None:
                return None
            images[part.places] = told.images + part.first
            free[number], free[len(self.parts) + number] = told.swaps, told.turns
        wanted = -np.array(self._character(images)) % self._moduli
        start = self._characters.get(tuple(wanted.tolist()))
        if start is None and free.any():
            values = np.array(list(self._characters))
            fitting = np.flatnonzero(((values == wanted) | free).all(axis=1))
            start = list(self._characters.values())[fitting[0]] if len(fitting) else None
        if start is None:
            return None
        rest = self._through(_after(shown, self._do(start)), goal, draw)
        many = np.repeat([part.slots > 1 for part in self.parts], [part.number for part in self.parts])
        return (*start, *rest[0]) if rest is not None and (rest[1] == goal)[many].all() else None

    def _through(self, shown: Images, goal: Images, draw: Random | None = None) -> Element | None:
        """A word that solves the parts of all stages so far, and what each place shows after it."""
        made: list[int] = []
        for number, stage in zip(self._solved, self.stages, strict=True):
            poll()
            if isinstance(stage, Listed):
                elements = self._solve_listed(stage, shown, goal, draw)
            else:
                told = self._told(number, shown, goal)
                elements = None if told is None else self._by_cycles(stage, told.images)
            if elements is None:
                return None
            for element in elements:
                made += element.word
                shown = _after(shown, element.images)
        return Element(tuple(made), shown)

    def _by_cycles(self, stage: Cycled | Paired, at: Images) -> list[Element] | None:
        if isinstance(stage, Cycled):
            return self._solve_cycled(stage, at)
        own = stage.pairs.solve(at.tolist())
        return None if own is None else [Element(tuple(own), self._do(tuple(own)))]

    def _told(self, number: int, shown: Images, goal: Images) -> Told | None:
        """Where each place's piece is, in a way that is even and whose orientations add up to 0, if pieces that look
        alike allow it; None if the part shows other pieces than at its goal."""
        part, turning = self.parts[number], self._turning[number]
        if goal is self._home:
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
        ways = [self._fitting(home[slot], here[there], turning) for slot, there in enumerate(to)]
        if not all(ways):
            return None
        free = next((slot for slot, own in enumerate(ways) if turning and len(own) > 1), None)
        images = [[there * part.size + i for i in own[0]] for there, own in zip(to, ways, strict=True)]
        if free is not None:
            for own in ways[free]:
                images[free] = [to[free] * part.size + i for i in own]
                if sum(row[0] % part.size for row in images) % part.size == 0:
                    break
        return Told(np.array(images, dtype=np.int64).reshape(-1), swap is not None, free is not None)

    @staticmethod
    def _fitting(home: Sequence[int], here: Sequence[int], turning: bool) -> list[list[int]]:
        """The ways in which a piece that shows this at home may be in a slot: by facelet, where it is."""
        n = len(home)
        if turning:
            turns = [[(facelet + k) % n for facelet in range(n)] for k in range(n)]
            return [turn for turn in turns if [here[i] for i in turn] == list(home)]
        return [[here.index(one) for one in home]] if len(set(home)) == n else []

    def _solve_listed(self, stage: Listed, shown: Images, goal: Images, draw: Random | None) -> list[Element] | None:
        here, home = shown[stage.part.places], goal[stage.part.places]
        ends = np.frombuffer(b"".join(stage.known), dtype=np.int64).reshape(-1, stage.part.number)
        fitting = np.flatnonzero((home[ends] == here).all(axis=1))
        if not len(fitting):
            return None
        key = ends[int(fitting[0]) if draw is None else draw.choice(fitting.tolist())].tobytes()
        made = []
        while (step := stage.known[key])[0] >= 0:
            made.append(stage.words[step[0]])
            key = step[1]
        return made[::-1]

    def _solve_cycled(self, stage: Cycled, at: Images) -> list[Element] | None:
        part = stage.part
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
            far = stage.far[(here[:, np.newaxis] * n + pieces[:, np.newaxis]) * n + thirds]
            home_too = (held[pieces][:, np.newaxis] == thirds) * 1 + (held[thirds] == here[:, np.newaxis])
            cost = (2 * far + len(stage.base.word)) / (1 + home_too)
            row, column = np.unravel_index(np.argmin(np.where(far < 0, inf, cost)), far.shape)
            if far[row, column] < 0:
                return None
            do(self._cycle(stage, int(here[row]), int(pieces[row]), int(thirds[column])))
        while True:
            wrong = np.flatnonzero((at != home).reshape(-1, size).any(axis=1)).tolist()
            if not wrong:
                return made
            others = [slot for slot in range(part.slots) if slot not in wrong[:2]]
            first, second = (*wrong, *others)[:2]
            third = next((slot for slot in (*wrong[2:], *others) if slot not in (first, second)), None)
            twist = None if third is None else self._twist(stage, at, first, second, third, len(wrong) <= 2)
            if twist is None:
                return None
            for element in twist:
                do(element)

    def _cycle(self, stage: Cycled, a: int, b: int, c: int) -> Element:
        """The cycle that takes what is in place a to b, from there to c, and from there to a."""
        n, begin = stage.part.slots * stage.part.size, stage.part.first
        setup: list[int] = []
        while (move := int(stage.step[(a * n + b) * n + c])) >= 0:
            setup.append(move)
            a, b, c = (int(self.moves[move, begin + place]) - begin for place in (a, b, c))
        base = stage.base if move == -1 else self._back(stage.base)
        return self._conjugate(Element(tuple(setup), self._do(tuple(setup))), base)

    def _twist(
        self, stage: Cycled, at: Images, first: int, second: int, third: int, both: bool
    ) -> list[Element] | None:
        """Cycles that turn the pieces of the first slot home, and of the second if ``both``, and no other: one cycle of
        these slots, and one back by other orientations."""
        part = stage.part
        n, size = part.number, part.size
        a, c = first * size, third * size
        turning: dict[bytes, tuple[int, list[Element]]] = {}
        free = [place for place in range(n) if place // size not in (first, second)]
        for b in range(second * size, second * size + size):
            if stage.far[(a * n + b) * n + c] < 0:
                continue
            there = self._cycle(stage, a, b, c)
            for a2, c2 in product(range(a, a + size), range(c, c + size)):
                poll()
                if stage.far[(b * n + a2) * n + c2] < 0:
                    continue
                back = self._cycle(stage, b, a2, c2)
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
class Powers:
    """Powers of elements by length: ``rows`` are the element and the power, ``counts`` the slots that it touches
    of each part."""

    elements: list[Element]
    rows: np.ndarray[Any, np.dtype[np.int64]]
    counts: np.ndarray[Any, np.dtype[np.int16]]

    def of(
        self, group: OrbitByOrbit, solved: Sequence[int], part: int | None, least: int, most: int, number: int
    ) -> list[Element]:
        """The shortest that leave the solved parts alone and touch so many slots of a part."""
        own = self.counts.sum(axis=1) if part is None else self.counts[:, part]
        good = (own >= least) & (own <= most) & ~self.counts[:, list(solved)].any(axis=1)
        rows = np.flatnonzero(good)
        if least < most:  # few slots count more than few moves
            rows = rows[np.argsort(own[rows], kind="stable")]
            rows = np.concatenate([rows[:number], np.flatnonzero(good)[:number]])
        return [group._power(self.elements[i], times) for i, times in self.rows[rows[: 2 * number]].tolist()]


class Meeting:
    """How many slots of each part elements and conjugates of them have in common."""

    def __init__(
        self, group: OrbitByOrbit, seeds: Sequence[Element], conjugating: Sequence[Element], part: int | None = None
    ) -> None:
        """:param part: only of this one"""
        self._group = group
        self._seeds = list(seeds)[:_SEEDS]
        self._by = [Element((), group._home), *conjugating]
        touched = group._touched(np.array([e.images for e in self._seeds])).astype(np.float32)
        starts = group._starts
        slot_of = np.repeat(np.arange(len(starts)), np.diff([*starts.tolist(), len(group._home)]))
        slots = np.array([slot_of[by.images[starts]] for by in self._by])
        lengths = np.array([len(e.word) for e in self._seeds])
        self._shape = len(self._seeds), len(self._by), len(self._seeds)
        outer = np.array([len(by.word) for by in self._by])
        self._lengths = (2 * (lengths[:, None, None] + lengths + 2 * outer[:, None])).reshape(-1)
        #: by part: seed, conjugating word, conjugated seed
        self._common: dict[int, np.ndarray[Any, np.dtype[np.uint8]]] = {}
        for number, (own, begin) in enumerate(zip(group.parts, group._begins.tolist(), strict=True)):
            if part not in (None, number):
                continue
            columns = slice(begin, begin + own.slots)
            common = np.empty(self._shape, dtype=np.uint8)
            for i, row in enumerate(slots):
                poll()
                common[:, i] = touched[:, columns] @ touched[:, row[columns]].T
            self._common[number] = common.reshape(-1)
        self._clear = np.ones(len(self._lengths), dtype=bool)

    def keep(self, part: int) -> None:
        """From now on only elements that have no slot of this part in common."""
        self._clear &= self._common[part] == 0

    def of(self, part: int, least: int, most: int, number: int) -> Iterator[Element]:
        """Commutators, the shortest first, of elements that have so many slots of a part in common."""
        rows = np.flatnonzero((self._common[part] >= least) & (self._common[part] <= most) & self._clear)
        for row in rows[np.argsort(self._lengths[rows], kind="stable")[:number]].tolist():
            yield self._made(row)

    def fewest(self, part: int, number: int) -> Iterator[Element]:
        """Commutators of elements that have the fewest slots of a part in common, at least two."""
        common = self._common[part]
        rows = np.flatnonzero(common >= 2)
        keys = common[rows].astype(np.int64) * 100_000 + self._lengths[rows]
        for row in rows[np.argsort(keys, kind="stable")[:number]].tolist():
            yield self._made(row)

    def _made(self, row: int) -> Element:
        a, by, b = np.unravel_index(row, self._shape)
        conjugate = self._group._conjugate(self._by[int(by)], self._seeds[int(b)])
        return self._group._commutator(self._seeds[int(a)], conjugate)


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


def _shown(puzzle: PermutationPuzzle, state: State) -> Images:
    """By place the same number for what looks the same there."""
    held = puzzle.contents(state)
    shown: list[int] = []
    for number, orbit in enumerate(puzzle.orbits):
        n = orbit.orientations
        distinct = {puzzle.home[slot] // n: puzzle.distinct_orientations[slot] for slot in orbit.slots}
        for slot in orbit.slots:
            kind, turned = divmod(held[slot], n)
            shown += [(number * _MOST_KINDS + kind) * n + (i - turned) % n % distinct.get(kind, n) for i in range(n)]
    return np.array(shown, dtype=np.int64)


def _after(shown: Images, images: Images) -> Images:
    """What each place shows after an element."""
    after = np.empty_like(shown)
    after[images] = shown
    return after


@lru_cache(maxsize=4)
def orbit_by_orbit(puzzle: PermutationPuzzle, moves: MoveSet) -> OrbitByOrbit:
    """The same object each time."""
    return OrbitByOrbit(puzzle, moves)
