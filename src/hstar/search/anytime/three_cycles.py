"""A first solution of large puzzles: orbits one after another, the last ones by cycles of three pieces.

If a move and a conjugate b c b' of another move have exactly one slot in common, their commutator is a cycle of three
pieces and changes nothing else. With a few moves before it and their inverse after it, it cycles any other three pieces
of the orbit. Where moves and conjugates share two or three slots at best, their commutators touch few slots; such
commutators take the place of the moves, and theirs are cycles of three. Where all commutators touch most slots, as
those of random permutations do, a power of a word is a cycle of three. So orbits with such a word can be solved last,
each by itself, with words whose length does not grow with the puzzle: about 15 moves for each piece, more by powers.
Words that keep all earlier pieces (`chains`) get longer from piece to piece. Orbits without such a word, for example
those with orientations, are solved first, by a chain of words for these orbits. A 9x9x9 cube has 15 orbits of 24 pieces
of the first kind, and three of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from math import lcm
from random import Random
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import MOST_PIECES, OUTLOOK, Chains, chains_of
from hstar.search.anytime.first import First
from hstar.search.anytime.pair_cycles import PairCycles

__all__ = ["ThreeCycles", "three_cycles_of"]

Images = np.ndarray[Any, np.dtype[np.int64]]
Touched = np.ndarray[Any, np.dtype[np.bool_]]
Word = tuple[int, ...]

#: slots that a move and a conjugate may have in common for a small commutator, and how many of these are tried
_FEW, _SEEDS = 3, 24
#: the most moves that conjugate others
_MOST_MOVES = 64
#: the most entries of the table of what conjugates of one length touch
_MOST_CONJUGATES = 4_000_000
#: entries of that table that are computed together
_AT_ONCE = 500_000
#: the most commutators that are tried for each orbit and length
_TRIED = 20
#: the most words that are tried for their effect on the parities of orbits
_PARITY_WORDS = 200
#: words whose powers are considered, the most moves of each, and the most moves of a solution by such powers
_POWERS, _POWER_MOVES, _MOST_OF_POWERS = 4000, 12, 500_000
#: the width of the beam of words for the orbits that come first
_WIDTH = 30


@dataclass(frozen=True)
class _Cycles:
    """The words of an orbit: ``base`` takes the piece in slot a to b, from there to c, and from there to a.

    :param step: by triple of slots, the move that takes it nearer to (a, b, c); -1 there
    :param pairs: instead of it in large orbits, where it is empty
    """

    orbit: Orbit
    base: tuple[int, ...]
    triple: tuple[int, int, int]
    step: np.ndarray[Any, np.dtype[np.int16]]
    pairs: PairCycles | None = None


class ThreeCycles:
    """The cycles of a puzzle with a move set; `solve` finds a solution of any state that the moves solve."""

    def __init__(self, puzzle: PermutationPuzzle, moves: MoveSet) -> None:
        self.puzzle = puzzle
        self.chains: Chains = chains_of(puzzle, moves)
        self.names = self.chains.names
        firsts, orientations = [], []
        begin = 0
        for orbit in puzzle.orbits:
            firsts += [begin + i * orbit.orientations for i in range(orbit.pieces)]
            orientations += [orbit.orientations] * orbit.pieces
            begin += orbit.pieces * orbit.orientations
        #: by move and slot: where the slot's piece goes; int64, shape (moves, slots)
        self.slot_of = slot_of = np.repeat(np.arange(len(firsts)), orientations)
        self.whole: Images = self.chains.generators.astype(np.int64)
        self.slots: Images = slot_of[self.whole[:, firsts]]
        #: whether a move moves or turns the piece in a slot
        self.touched = np.zeros(self.slots.shape, dtype=bool)
        where, places = np.nonzero(self.whole != np.arange(self.whole.shape[1]))
        self.touched[where, slot_of[places]] = True
        back = {row.tobytes(): i for i, row in enumerate(self.whole)}
        self.inverse = [back[np.argsort(row).astype(np.int64).tobytes()] for row in self.whole]
        self._levels: list[tuple[list[Word], Images]] = []
        self._making = self._made()
        self.cycles = self._find_cycles()
        self._levels.clear()

    # -- commutators ---------------------------------------------------------------------------------------------

    def _find_cycles(self) -> list[_Cycles]:
        """For each orbit without orientations of its own a commutator of few moves that is a cycle of three of its
        pieces."""
        wanted = {
            orbit.first: orbit for orbit in self.puzzle.orbits if orbit.pieces >= 3 and self.chains.follows(orbit)
        }
        moves: list[Word] = [(move,) for move in range(len(self.whole))]
        found: dict[int, _Cycles] = {}
        self._find(found, wanted, moves, self.touched)
        for orbit in [orbit for first, orbit in wanted.items() if first not in found]:
            seeds = self._small_commutators(orbit)
            if seeds:
                self._find(found, {orbit.first: orbit}, seeds, np.stack([self._touches(word) for word in seeds]))
            if orbit.first not in found and (cycles := self._power(orbit)) is not None:
                found[orbit.first] = cycles
        return list(found.values())

    def _power(self, orbit: Orbit) -> _Cycles | None:
        """The shortest power of some words that is a cycle of three. Such a word has one cycle of length 3, and no
        other whose length is divisible by 3; the power is the least common multiple of the other lengths."""
        letters = np.flatnonzero(self.touched[:, orbit.first : orbit.first + orbit.pieces].any(axis=1)).tolist()
        random, best, most = Random(orbit.first), Word(), _MOST_OF_POWERS // orbit.pieces
        for _ in range(_POWERS if letters else 0):
            poll()
            first, second = (tuple(random.choices(letters, k=random.randint(1, _POWER_MOVES))) for _ in range(2))
            word = random.choice((first, self._commutator(first[:2], (), second[:2])))
            times = _to_a_cycle_of_three(self._do(word).tolist(), most // len(word))
            if times is not None and self._three(word * times, orbit) is not None:
                best, most = word * times, len(word) * times - 1
        triple = self._three(best, orbit)
        return None if triple is None else self._cycles_of(orbit, best, triple)

    def _find(
        self, found: dict[int, _Cycles], wanted: dict[int, Orbit], seeds: Sequence[Word], touched: Touched
    ) -> None:
        """Add the cycles among the commutators of a seed and a conjugate of another, or of itself."""
        for words, images in self._conjugating():
            missing = [orbit for first, orbit in wanted.items() if first not in found]
            if not missing:
                return
            for orbit, pairs in zip(missing, self._meeting(images, missing, touched, 1, 1), strict=True):
                for a, d in pairs:
                    poll()
                    base = self._commutator(seeds[a], words[d // len(seeds)], seeds[d % len(seeds)])
                    triple = self._three(base, orbit)
                    cycles = None if triple is None else self._cycles_of(orbit, base, triple)
                    if cycles is not None:
                        found[orbit.first] = cycles
                        break

    def _commutator(self, a: Word, b: Word, c: Word) -> Word:
        """a, then b c b', then both undone."""
        word = (*b, *c, *self._undone(b))
        return (*a, *word, *self._undone(a), *self._undone(word))

    def _small_commutators(self, orbit: Orbit) -> list[Word]:
        """Commutators of a move and a conjugate that touch few slots, all of this orbit; those that touch fewest first.
        A cycle of three among them is a seed like the others."""
        found: dict[bytes, tuple[int, int, Word]] = {}
        own = np.zeros(self.slots.shape[1], dtype=bool)
        own[orbit.first : orbit.first + orbit.pieces] = True
        for words, images in (*self._conjugating(), self._some_words()):
            for a, d in self._meeting(images, [orbit], self.touched, 2, _FEW)[0]:
                poll()
                word = self._commutator((a,), words[d // len(self.whole)], (d % len(self.whole),))
                touches = self._touches(word)
                if touches.any() and not touches[~own].any():
                    found.setdefault(self._do(word).tobytes(), (int(touches.sum()), len(word), word))
            if len(found) >= _SEEDS:
                break
        return [word for _, _, word in sorted(found.values())[:_SEEDS]]

    def _some_words(self) -> tuple[list[Word], Images]:
        """Words of two moves drawn from all, as many as can be looked at, and where each takes each slot's piece."""
        random = Random(len(self.whole))
        most = max(1, _MOST_CONJUGATES // self.touched.size)
        words: list[Word] = [tuple(random.choices(range(len(self.whole)), k=2)) for _ in range(most)]
        return words, np.stack([self.slots[second][self.slots[first]] for first, second in words])

    def _touches(self, word: Word) -> Touched:
        """Whether a word moves or turns the piece in a slot."""
        images = self._do(word)
        touched = np.zeros(self.slots.shape[1], dtype=bool)
        touched[self.slot_of[np.flatnonzero(images != np.arange(len(images)))]] = True
        return touched

    def _meeting(
        self, images: Images, orbits: list[Orbit], seeds: Touched, least: int, most: int
    ) -> list[list[tuple[int, int]]]:
        """For each orbit some pairs of a seed and a conjugate that have so many slots in common. If it is one, it is of
        this orbit.

        The conjugate b c b' is b, then c, then b undone: it touches what b brings to where c touches. Its number is
        b's row of ``images`` times the number of seeds, plus c.

        :param seeds: by seed and slot: whether it touches the slot
        """
        orbit_of = np.repeat([orbit.first for orbit in self.puzzle.orbits], [o.pieces for o in self.puzzle.orbits])
        number, slots = seeds.shape
        touched = seeds.astype(np.float32)
        # The products tell how many slots are in common, and which slot if it is one.
        both = np.concatenate([touched, touched * np.arange(slots, dtype=np.float32)])
        found: list[list[list[int]]] = [[[] for _ in range(number)] for _ in orbits]
        step = max(1, _AT_ONCE // seeds.size)
        for begin in range(0, len(images), step):
            poll()
            conjugates = seeds[:, images[begin : begin + step]].transpose(1, 0, 2).reshape(-1, slots)
            common, slot = np.split(both @ conjugates.astype(np.float32).T, 2)
            for a in range(number):
                meeting = np.flatnonzero((common[a] >= least) & (common[a] <= most))
                # The mean of the slots in common; only asked of one slot, or where all are of one orbit.
                at = orbit_of[(slot[a, meeting] / common[a, meeting]).astype(np.int64)]
                for orbit, rows in zip(orbits, found, strict=True):
                    own = meeting[at == orbit.first][: _TRIED - len(rows[a])]
                    rows[a] += (own + begin * number).tolist()
        return [[(a, d) for a, row in enumerate(rows) for d in row][:_TRIED] for rows in found]

    def _cycles_of(self, orbit: Orbit, base: tuple[int, ...], triple: tuple[int, int, int]) -> _Cycles | None:
        if orbit.pieces <= MOST_PIECES:
            step = self._steps(orbit, triple)
            return None if step is None else _Cycles(orbit, base, triple, step)
        images = self.slots[:, orbit.first : orbit.first + orbit.pieces] - orbit.first
        pairs = PairCycles(images, self.inverse, base, triple)
        return _Cycles(orbit, base, triple, np.empty(0, np.int16), pairs) if pairs.complete else None

    def _conjugating(self) -> Iterator[tuple[list[Word], Images]]:
        """The same as `_made`, which is kept."""
        for number in count():
            while number >= len(self._levels):
                level = next(self._making, None)
                if level is None:
                    return
                self._levels.append(level)
            yield self._levels[number]

    def _made(self) -> Iterator[tuple[list[Word], Images]]:
        """Words of no move, one move, two moves ..., and where each takes each slot's piece; different words only. Of
        many moves some, from the first to the last. At the end powers of moves."""
        last = len(self.whole) - 1
        some = list(range(last + 1))
        if last >= _MOST_MOVES:
            spread = {i * last // (_MOST_MOVES - 1) for i in range(_MOST_MOVES)}
            some = sorted({*spread, *(self.inverse[move] for move in spread)})
        words: list[Word] = [()]
        images = np.arange(self.slots.shape[1])[np.newaxis]
        seen = {images.tobytes()}
        while words and len(words) * self.touched.size <= _MOST_CONJUGATES:
            yield words, images
            longer, rows = [], []
            for word, row in zip(words, images, strict=True):
                poll()
                for move, after in zip(some, self.slots[some][:, row], strict=True):
                    if after.tobytes() not in seen:
                        seen.add(after.tobytes())
                        longer.append((*word, move))
                        rows.append(after)
            words, images = longer, np.array(rows)
        yield self._repeated(some)

    def _repeated(self, moves: Sequence[int]) -> tuple[list[Word], Images]:
        """The powers of moves, as many as can be looked at: the only short way far along a long ring."""
        words, rows = list[Word](), list[Images]()
        most = max(1, _MOST_CONJUGATES // self.touched.size)
        for move in moves:
            row = self.slots[move]
            for times in range(2, self.slots.shape[1]):
                row = self.slots[move][row]
                if len(words) == most or (row == np.arange(len(row))).all():
                    break
                words.append((move,) * times)
                rows.append(row)
        return words, np.array(rows).reshape(-1, self.slots.shape[1])

    def _undone(self, word: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.inverse[move] for move in reversed(word))

    def _do(self, word: tuple[int, ...]) -> Images:
        images = np.arange(self.whole.shape[1])
        for move in word:
            images = self.whole[move][images]
        return images

    def _three(self, word: tuple[int, ...], orbit: Orbit) -> tuple[int, int, int] | None:
        """The slots of the orbit, by number, that a word takes around, if it does nothing else."""
        images = self._do(word)
        moved = np.unique(self.slot_of[np.flatnonzero(images != np.arange(len(images)))])
        if len(moved) != 3 or moved[0] < orbit.first or moved[-1] >= orbit.first + orbit.pieces:
            return None
        slots = self._slots(images, orbit)
        a = int(moved[0]) - orbit.first
        return a, slots[a], slots[slots[a]]

    def _slots(self, element: Images, orbit: Orbit) -> list[int]:
        """By piece of the orbit, the slot in which it is; numbers within the orbit."""
        begin = self._begin(orbit)
        firsts = element[begin : begin + orbit.pieces * orbit.orientations : orbit.orientations]
        return [int(slot) - orbit.first for slot in self.slot_of[firsts]]

    def _begin(self, orbit: Orbit) -> int:
        return sum(o.pieces * o.orientations for o in self.puzzle.orbits if o.first < orbit.first)

    def _steps(self, orbit: Orbit, triple: tuple[int, int, int]) -> np.ndarray[Any, np.dtype[np.int16]] | None:
        """Breadth-first search backwards from a triple over all triples of slots; None if some are not reached."""
        n = orbit.pieces
        images = self.slots[:, orbit.first : orbit.first + n] - orbit.first
        useful = [move for move, row in enumerate(images.tolist()) if row != list(range(n))]
        step = np.full(n**3, -2, dtype=np.int16)
        layer = np.array([(triple[0] * n + triple[1]) * n + triple[2]])
        step[layer] = -1
        while len(layer):
            a, b, c = layer // (n * n), layer // n % n, layer % n
            following = []
            for move in useful:
                poll()
                row = images[self.inverse[move]]  # from there the move leads here
                there = (row[a] * n + row[b]) * n + row[c]
                there = np.unique(there[step[there] == -2])
                step[there] = move
                following.append(there)
            layer = np.concatenate(following)
        return step if int((step != -2).sum()) == n * (n - 1) * (n - 2) else None

    # -- solving -------------------------------------------------------------------------------------------------

    @cached_property
    def first_places(self) -> list[int]:
        """The places of the orbits that are solved first."""
        last = {cycles.orbit.first for cycles in self.cycles}
        places: list[int] = []
        for orbit in self.puzzle.orbits:
            if orbit.first not in last:
                begin = self._begin(orbit)
                places += range(begin, begin + orbit.pieces * orbit.orientations)
        return places

    @cached_property
    def first(self) -> Chains | None:
        """The chains of the orbits that are solved first; None if there are no such orbits."""
        firsts = {orbit.first for orbit in self.puzzle.orbits} - {cycles.orbit.first for cycles in self.cycles}
        if not firsts:
            return None
        first = First(self.puzzle, firsts, self.names)
        return Chains(first, first.move_set(None))

    def solve(self, state: State, control: _kernel.Control, seconds: float) -> tuple[str, ...] | None:
        """Moves that solve the state; None if this puzzle has no words of this kind, or time was up."""
        if not self.cycles:
            return None
        chain = None if self.first is None else self.first.shipped or self.first.quick(control, seconds)
        element = np.array(self.chains.element(state), dtype=np.int64)
        word = self._first(element, chain, control, seconds)
        if word is None:
            return None
        made = list(word)
        element = self._after(element, word)
        mend = self._parities(element, chain, control, seconds)
        if mend is None:
            return None
        made += mend
        element = self._after(element, mend)
        for cycles in self.cycles:
            own = self._last(element, cycles)
            if own is None:
                return None
            made += own
        if not np.array_equal(self._after(np.array(self.chains.element(state)), made), np.arange(len(element))):
            return None
        return tuple(move for number in self._reduced(made) for move in self.chains.algs[number])

    def _after(self, element: Images, word: list[int] | tuple[int, ...]) -> Images:
        for move in word:
            element = self.whole[move][element]
        return element

    def _first(
        self, element: Images, chain: _kernel.WordChain | None, control: _kernel.Control, seconds: float
    ) -> list[int] | None:
        """Moves that solve the orbits that come first."""
        if chain is None or self.first is None:
            return []
        if not chain.complete:
            return None
        number = {place: i for i, place in enumerate(self.first_places)}
        own = [number[place] for place in element[self.first_places].tolist()]
        way = chain.descend(own, _WIDTH, OUTLOOK, seconds, control)
        if way.ending != "done":
            return None
        whole = {name: number for number, name in enumerate(self.names)}
        return [whole[self.first.names[number]] for number in way.moves]

    def _odd(self, element: Images) -> int:
        """Which of the orbits that come last are an odd permutation, as bits."""
        odd = 0
        for bit, cycles in enumerate(self.cycles):
            own = self._slots(element, cycles.orbit)
            seen, even = set(), True
            for start in range(len(own)):
                at, length = start, 0
                while at not in seen:
                    seen.add(at)
                    at, length = own[at], length + 1
                even ^= length > 0 and length % 2 == 0
            odd |= (not even) << bit
        return odd

    def _parities(
        self, element: Images, chain: _kernel.WordChain | None, control: _kernel.Control, seconds: float
    ) -> list[int] | None:
        """Moves that leave the first orbits as they are and make the others even permutations."""
        wanted = self._odd(element)
        basis: dict[int, tuple[int, list[int]]] = {}  # by highest bit: parities, and a word that has them

        def reduced(bits: int, word: list[int]) -> tuple[int, list[int]]:
            while bits and bits.bit_length() in basis:
                other, more = basis[bits.bit_length()]
                bits, word = bits ^ other, word + more
            return bits, word

        tries = [[move] for move in range(len(self.whole))]
        draw = Random(len(self.whole))
        tries += [draw.choices(range(len(self.whole)), k=2) for _ in range(_PARITY_WORDS)]
        identity = np.arange(self.whole.shape[1])
        left, word = reduced(wanted, [])
        for start in sorted(tries, key=lambda w: bool(self.touched_first[w].any())):
            if not left:
                return word
            moved = self._after(identity, start)
            home = self._first(moved, chain, control, seconds)
            if home is None:
                return None
            bits, own = reduced(self._odd(self._after(moved, home)), start + home)
            if bits:
                basis[bits.bit_length()] = bits, own
                left, word = reduced(left, word)
        return word if not left else None

    @cached_property
    def touched_first(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """By move: whether it touches an orbit that is solved first."""
        places = np.array(self.first_places, dtype=np.int64)
        return np.asarray((self.whole[:, places] != places).any(axis=1))

    def _last(self, element: Images, cycles: _Cycles) -> list[int] | None:
        """Cycles of three that solve one orbit, which is an even permutation."""
        n, at = cycles.orbit.pieces, self._slots(element, cycles.orbit)
        if cycles.pairs is not None:
            return cycles.pairs.solve(at)
        word: list[int] = []
        for piece in range(n):
            if at[piece] == piece:
                continue
            held = {slot: other for other, slot in enumerate(at)}
            # The piece is solved; the piece in its slot goes to its own slot, if possible, or to one that is not
            # solved.
            best = None
            for third in (at[held[piece]], *(s for s in range(piece + 1, n) if at[s] != s)):
                if third in (piece, at[piece]) or at[third] == third or third < piece:
                    continue
                way = self._cycle(cycles, (at[piece], piece, third))
                if best is None or len(way) < len(best[0]):
                    best = way, third
                if third == at[held[piece]]:
                    break
            if best is None:  # two are swapped: no even permutation
                return None
            way, third = best
            first = at[piece]
            moves = {first: piece, piece: third, third: first}
            at = [moves.get(slot, slot) for slot in at]
            word += way
        return word

    def _cycle(self, cycles: _Cycles, triple: tuple[int, int, int]) -> list[int]:
        """A word for the cycle of these three slots."""
        n, first = cycles.orbit.pieces, cycles.orbit.first
        a, b, c = triple
        setup: list[int] = []
        while (move := int(cycles.step[(a * n + b) * n + c])) >= 0:
            setup.append(move)
            a, b, c = (int(self.slots[move, first + slot]) - first for slot in (a, b, c))
        return [*setup, *cycles.base, *self._undone(tuple(setup))]

    def _reduced(self, word: list[int]) -> list[int]:
        """The word without moves that undo one another."""
        kept: list[int] = []
        for move in word:
            if kept and self.inverse[kept[-1]] == move:
                kept.pop()
            else:
                kept.append(move)
        return kept


def _to_a_cycle_of_three(images: Sequence[int], most: int) -> int | None:
    """The power of a permutation that is one cycle of three, if there is one up to ``most``."""
    times, threes = 1, 0
    seen = bytearray(len(images))
    for start in range(len(images)):
        at, length = start, 0
        while not seen[at]:
            seen[at] = 1
            at, length = images[at], length + 1
        if length == 3:
            threes += 1
        elif length > 1:
            times = lcm(times, length)
        if threes > 1 or times > most or times % 3 == 0:
            return None
    return times if threes == 1 else None


@lru_cache(maxsize=8)
def three_cycles_of(puzzle: PermutationPuzzle, moves: MoveSet) -> ThreeCycles:
    """The same object each time."""
    return ThreeCycles(puzzle, moves)
