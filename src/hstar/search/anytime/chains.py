"""Solutions of permutation puzzles from words that keep solved pieces.

Pieces are solved one after another. For each piece and each place that it may be in, the kernel has words: algs that
solve it and move none of the earlier pieces. A beam search of partial solutions follows this chain (see
native/core/anytime). The moves determine the order of the pieces: axes of moves are given up one after another, and
pieces that no remaining move turns come next, so that short words exist as long as possible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from math import inf
from random import Random
from typing import Annotated, Any
from zlib import decompress

import numpy as np
from pydantic import Field

from hstar import _kernel
from hstar.groups.isomorphism import find
from hstar.groups.permutation_group import PermutationGroup, orbits
from hstar.groups.turn_system import TurnSystem
from hstar.polling import poll
from hstar.puzzles import get_puzzle
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import symmetries
from hstar.search.anytime import learned
from hstar.search.method import Constants, Share

__all__ = ["ChainSettings", "Chains", "Effort", "Variant", "chains_of"]

Images = np.ndarray[Any, np.dtype[np.uint16]]


#: moves of a half of a word, as the kernel packs them
Half = Annotated[int, Field(ge=1, le=8)]
#: all halves of a kind are in memory, with what they do to each place
Halves = Annotated[int, Field(ge=1, le=1_000_000)]
Words = Annotated[int, Field(ge=1, le=1_000)]
Matches = Annotated[int, Field(ge=1, le=10**9)]


class Effort(Constants):
    """How many words a chain is made of; the default is made in a fraction of a second.

    ``half``: the moves of each half of a word. ``last_halves``: those of words of the last three and four axes alone.
    ``most``: the most halves of each kind. ``words``: kept for each place of a piece. ``matches``: the most pairs of
    halves that are looked at for a piece.
    """

    half: Half = 3
    last_halves: tuple[Half, Half] = (6, 5)
    most: Halves = 20_000
    words: Words = 24
    matches: Matches = 50_000


class Thorough(Effort):
    """One that takes some seconds to a minute."""

    half: Half = 4
    last_halves: tuple[Half, Half] = (8, 7)
    most: Halves = 150_000
    words: Words = 64
    matches: Matches = 1_000_000


class ChainSettings(Constants):
    """Of what chains of words are made, and the ends of stages.

    ``quick``: the first chain; ``thorough``: that of wide beams. ``before_last``: the part of the pieces that words of
    all axes are enough for. ``large``: with an orbit of more pieces cycles of three are tried first.

    ``long``: a chain whose solutions have more moves for each piece has long words, which another order may not need;
    ``too_long``: with more even in the best order, stages bring the first pieces home, in the order made for them. This
    is told by the beams of ``probe_width`` and ``probe_outlook`` of ``probes`` random states, each of ``probe_moves``.

    ``endings``: the group of a solution's last moves has at most so many elements; ``perimeter``: so many of its states
    are kept.
    """

    quick: Effort = Effort()
    thorough: Thorough = Thorough()
    before_last: Share = 0.4
    large: Annotated[int, Field(ge=1, le=65_536)] = 128
    long: Annotated[float, Field(ge=0)] = 3.0
    too_long: Annotated[float, Field(ge=0)] = 6.0
    probes: Annotated[int, Field(ge=1, le=1_000)] = 8
    probe_moves: Annotated[int, Field(ge=1, le=10_000)] = 200
    probe_width: Annotated[int, Field(ge=1, le=10_000)] = 20
    probe_outlook: Annotated[float, Field(ge=0)] = 0.25
    endings: Annotated[int, Field(ge=1, le=10**18)] = 10**14
    perimeter: Annotated[int, Field(ge=1, le=50_000_000)] = 4_000_000


#: a quick chain of at most this many pieces is kept for the next state; it takes some megabytes
_KEPT = 64
#: of an orbit with more places there is no table of all triples, which has their third power of entries
MOST_PIECES = 128


@dataclass(frozen=True)
class Variant:
    """The problem under a symmetry, or inverted; ``algs[i]`` are our moves for the variant's move number i."""

    element: list[int]
    algs: tuple[tuple[str, ...], ...]
    backwards: bool

    def read(self, puzzle: PermutationPuzzle, path: bytes) -> tuple[str, ...]:
        """The solution of the problem from a solution of the variant."""
        alg = tuple(move for number in path for move in self.algs[number])
        return puzzle.inverse_alg(alg) if self.backwards else alg


class Chains:
    """The chains of words of a puzzle with a move set: a quick one that is built at once, and a better one if it is
    shipped.

    Words are made of the moves and their inverses; an inverse that is not in the set is a power of its move.

    :param settings: of what the others are made
    :param file: the name of the shipped one, if it is known
    :raises ValueError: there are more than 255 moves
    """

    def __init__(
        self, puzzle: PermutationPuzzle, moves: MoveSet, settings: ChainSettings | None = None, file: str | None = None
    ) -> None:
        self.puzzle = puzzle
        self.moves = moves
        self.settings = settings or ChainSettings()
        with_inverses = {*moves.moves, *(puzzle.inverse(move) for move in moves.moves)}
        self.names = tuple(move for move in puzzle.moves if move in with_inverses)
        self.generators: Images = puzzle.images(self.names).astype(np.uint16)
        self._file = file
        self._like = _like_shipped(puzzle, self.generators) if file is None else None
        if self._like is not None:
            self._file = self._like.chains._file
            self.names = tuple(self.names[number] for number in self._like.numbers)
            self.generators = self.generators[self._like.numbers]
        #: whether words that keep earlier pieces get so long that cycles of three are tried first
        self.large = any(orbit.pieces > self.settings.large for orbit in puzzle.orbits)
        self.algs = tuple(self._alg(move) for move in self.names)
        self.axes = _axes(self.generators)
        self._quick_base: list[int] | None = None
        #: whether the words of the best quick chain are too long to be all of a good solution
        self.words_too_long = False
        self._kept: _kernel.WordChain | None = None
        self._triples: _kernel.PieceTriples | None = None
        self._triples_fit = True
        self._perimeters: list[_kernel.Perimeter] = []

    def _alg(self, move: str) -> tuple[str, ...]:
        """The move, or the fewest repetitions of its inverse with the same effect."""
        if move in self.moves.moves:
            return (move,)
        inverse = self.puzzle.inverse(move)
        return (inverse,) * (self.puzzle.order(inverse) - 1)  # few: see `PermutationPuzzle.answers`

    def alg_of(self, path: Iterable[int]) -> tuple[str, ...]:
        """The moves of a path of the kernel's."""
        return tuple(move for number in path for move in self.algs[number])

    @cached_property
    def order(self) -> tuple[list[int], list[list[int]]]:
        """The base, one place for each piece, and the moves of each axis in the order in which they are given up."""
        if self._like is not None:
            own, given_up = self._like.chains.order
            return [self._slots[self._like.places[place]] for place in own], given_up
        firsts = np.concatenate(
            [
                np.arange(orbit.pieces) * orbit.orientations + begin
                for orbit, begin in zip(self.puzzle.orbits, self._begins, strict=True)
            ]
        )
        turned = [(self.generators[axis[0]] != np.arange(self.generators.shape[1])) for axis in self.axes]
        counts = [orbit.orientations for orbit in self.puzzle.orbits for _ in orbit.slots]
        touched: Any = np.array(
            [[bool(t[f : f + n].any()) for t in turned] for f, n in zip(firsts.tolist(), counts, strict=True)]
        )
        live, given_up, base = list(range(len(self.axes))), [], list[int]()
        while live:
            best = max(live, key=lambda axis: _merit(touched, live, axis, len(base) > 0))
            live.remove(best)
            given_up.append(self.axes[best])
            still_turned = touched[:, live].any(axis=1).tolist()
            base += [f for f, turns in zip(firsts.tolist(), still_turned, strict=True) if not turns and f not in base]
        return base, given_up

    def follows(self, orbit: Orbit) -> bool:
        """Whether a piece's orientation follows from its slot, as that of the wings of a 4x4x4 cube does: then no two
        places of a slot are in one orbit of the moves."""
        begin, n = self._begins[self.puzzle.orbits.index(orbit)], orbit.orientations
        own = self.generators[:, begin : begin + orbit.pieces * n].astype(np.int64) - begin
        return all(len({place // n for place in part}) == len(part) for part in orbits(own.tolist()))

    def stages(self, pieces: int = 0, ranked: bool = False) -> list[int]:
        """The levels of the stages, without those that would have fewer pieces. Wide beams do not need many stages, and
        long ones waste fewer moves. ``ranked``: with that of the ranking in place of those that it is instead of."""
        kept = self.levels[-1:]
        for level in reversed(self.levels[:-1]):
            if level >= pieces and kept[0] - level >= pieces:
                kept.insert(0, level)
        if ranked and self._learned is not None:
            until = len(self._learned.weights)
            after = self._learned.after
            return [*(n for n in kept if n <= after - max(1, pieces)), after, until, *(n for n in kept if n > until)]
        return kept

    @property
    def _learned(self) -> learned.Learned | None:
        return None if self._file is None else learned.read(self._file)

    @cached_property
    def ranking(self) -> _kernel.StageRanking | None:
        """What was learned for one of the stages; None if nothing was."""
        if self._learned is None:
            return None
        own, slots = self.order[0], np.array(self._slots)
        sizes, places = np.bincount(slots, minlength=len(slots)), np.arange(len(slots))
        ours = self._like.places if self._like is not None else dict(enumerate(range(len(slots))))
        theirs = self._like.chains.order[0] if self._like is not None else own
        back = np.empty_like(places)
        back[[ours[x] for x in range(len(slots))]] = places
        found = np.full((len(self._learned.weights), len(slots)), -1)
        for k in range(len(found)):
            # Its own place may be another of its slot than that of theirs.
            home, size = ours[theirs[k]], sizes[slots[own[k]]]
            possible = sizes[slots] == size
            turned = slots + (places - slots + home - own[k]) % size
            found[k, possible] = back[turned[possible]]
        return self._learned.ranking(found)

    @cached_property
    def levels(self) -> list[int]:
        """How many pieces of the base no move turns once each axis is given up, without none and all."""
        base, given_up = self.order
        solved = set()
        for count in range(1, len(given_up)):
            rest = self.generators[list(chain.from_iterable(given_up[count:]))]
            solved.add(sum(not (rest[:, place] != place).any() for place in base))
        return sorted(solved - {0, len(base)})

    @cached_property
    def last_moves(self) -> list[int]:
        """The moves of the last axes whose group is small enough to be searched, in ascending order; none of a single
        axis, and none if they turn all pieces."""
        base, given_up = self.order
        found: list[int] = []
        for count in range(2, len(given_up)):
            moves = self._last_axes(count)
            turns_all = bool((self.generators[moves][:, base[0]] != base[0]).any())
            if turns_all or PermutationGroup(self.generators[moves].tolist()).order > self.settings.endings:
                break
            found = moves
        return found

    def _last_axes(self, count: int) -> list[int]:
        """The moves of this many axes, those that are given up last."""
        return sorted(chain.from_iterable(self.order[1][-count:]))

    def perimeters(
        self, control: _kernel.Control, seconds: float = inf, memory_bytes: int | None = None
    ) -> list[_kernel.Perimeter]:
        """The states from which the moves of one more axis than the last moves lead into the group of these, and those
        from which the last moves bring the rest home: both near their ends. They are found once, in about two seconds;
        empty if there are no such moves, or if it is not done in time.

        :param memory_bytes: the most that one takes while it is found; with less it has a smaller radius
        """
        if self._perimeters or not self.last_moves:
            return self._perimeters
        base, given_up = self.order
        axes = sum(not set(moves).isdisjoint(self.last_moves) for moves in given_up)
        wider = self._last_axes(axes + 1)
        until, found = control.now + seconds, list[_kernel.Perimeter]()
        for moves, up_to in ((wider, self.last_moves), (self.last_moves, [])):
            level = next(n for n, place in enumerate(base) if (self.generators[moves][:, place] != place).any())
            if level == 0:
                continue
            made = _kernel.Perimeter(
                self.generators, base, level, moves, self.settings.perimeter, until - control.now, control, up_to,
                self._slots, memory_bytes,
            )  # fmt: skip
            if not made.complete:
                return []
            found.append(made)
        self._perimeters = found
        return found

    def triples(self, control: _kernel.Control, seconds: float = inf) -> _kernel.PieceTriples | None:
        """The distances by which stages are searched, which are made once, in some tenths of a second; None if they
        are not made in time, would be too large, or if the chains have another order than the stages."""
        if self.base != self.order[0]:
            return None
        if self._triples is None and self._triples_fit:
            base, symmetric = self.order[0], np.stack(self._symmetries)
            made = _kernel.PieceTriples(
                self.generators, base, symmetric, self._slots, self.last_moves, seconds, control
            )
            self._triples_fit = not made.too_large
            self._triples = made if made.complete else None
        return self._triples

    @property
    def base(self) -> list[int]:
        """The base of the chains that are built for beams: of the best quick one, if its words are short; else that of
        the stages, for which they are only the end."""
        return self.order[0] if self.words_too_long else self._quick_base or self.order[0]

    @property
    def bases(self) -> list[list[int]]:
        """The base, and others with the same pieces in another order: orbits with orientations first, whose last pieces
        otherwise need long words, and small orbits first."""
        base, _ = self.order
        ends = [begin + orbit.pieces * orbit.orientations
                for begin, orbit in zip(self._begins, self.puzzle.orbits, strict=True)]  # fmt: skip
        orbit_of = {
            place: next(o for o, end in zip(self.puzzle.orbits, ends, strict=True) if place < end) for place in base
        }
        turned_first = sorted(base, key=lambda place: -orbit_of[place].orientations)
        small_first = sorted(base, key=lambda place: orbit_of[place].pieces)
        return [base, *(other for other in (turned_first, small_first) if other != base)]

    @property
    def _begins(self) -> list[int]:
        sizes = [orbit.pieces * orbit.orientations for orbit in self.puzzle.orbits]
        return [sum(sizes[:number]) for number in range(len(sizes))]

    @property
    def _slots(self) -> list[int]:
        """For each place the first one of its slot."""
        return [
            begin + number // orbit.orientations * orbit.orientations
            for orbit, begin in zip(self.puzzle.orbits, self._begins, strict=True)
            for number in range(orbit.pieces * orbit.orientations)
        ]

    def quick(self, control: _kernel.Control, seconds: float = inf) -> _kernel.WordChain:
        """A chain that takes a fraction of a second to build. If its solutions are long, pieces are tried in other
        orders, and the order of the best is kept."""
        if self._kept is not None:
            return self._kept
        if self._quick_base is not None:
            return self._quick(self._quick_base, control, seconds)
        until = control.now + seconds
        own, *others = self.bases
        best = first = self._quick(own, control, seconds)
        if not best.complete:
            return best
        base, length = own, self._typical(best)
        for next_base in others if length > self.settings.long * len(own) else ():
            other = self._quick(next_base, control, until - control.now)
            if not other.complete and (control.cancelled or control.now >= until):
                return first  # cut short: the next call looks for the best
            if other.complete and (its_length := self._typical(other)) < length:
                best, base, length = other, next_base, its_length
        self._quick_base, self.words_too_long = base, length > self.settings.too_long * len(own)
        self._kept = best if len(base) <= _KEPT else None
        return best

    def quick_in_order(self, control: _kernel.Control, seconds: float = inf) -> _kernel.WordChain:
        """A quick chain in the order of `base`, as stages need it: the one of `quick` if that has this order."""
        if self._kept is not None and self._quick_base == self.base:
            return self._kept
        return self._quick(self.base, control, seconds)

    def _quick(self, base: list[int], control: _kernel.Control, seconds: float) -> _kernel.WordChain:
        return self.build(self.settings.quick, control, seconds, base)

    def _typical(self, chain: _kernel.WordChain) -> float:
        """The mean length of solutions of a few random states, the same for each chain."""
        random, settings = Random(len(self.generators)), self.settings
        lengths = []
        for _ in range(settings.probes):
            poll()
            element = np.arange(self.generators.shape[1])
            for move in random.choices(range(len(self.generators)), k=settings.probe_moves):
                element = self.generators[move][element]
            control = _kernel.Control()
            way = chain.descend(element.tolist(), settings.probe_width, settings.probe_outlook, control=control)
            lengths.append(sum(len(self.algs[number]) for number in way.moves))
        return sum(lengths) / len(lengths)

    def thorough(self, control: _kernel.Control, seconds: float = inf) -> _kernel.WordChain:
        """A better chain, which takes some seconds to a minute to build."""
        return self.build(self.settings.thorough, control, seconds, self.base)

    def build(self, effort: Effort, control: _kernel.Control, seconds: float, base: list[int]) -> _kernel.WordChain:
        """A chain of words of all moves, and of longer ones of the last three and four axes for the last pieces."""
        given_up = self.order[1]
        kinds = [(list(range(len(self.generators))), effort.half, effort.most, 0)]
        for axes, longest in zip((3, 4), effort.last_halves, strict=True):
            if len(given_up) > axes:
                kinds.append((self._last_axes(axes), longest, effort.most, int(len(base) * self.settings.before_last)))
        return _kernel.WordChain(self.generators, base, kinds, effort.words, effort.matches, seconds, control)

    @cached_property
    def shipped(self) -> _kernel.WordChain | None:
        """The chain that is shipped with hstar, or None."""
        if self._file is None:
            return None
        return _kernel.WordChain(self.generators, self.order[0], decompress((_words() / self._file).read_bytes()), poll)

    def variants(self, state: State) -> list[Variant]:
        """The state and its images under the symmetries of the moves, and the inverses of all of them if moves can be
        undone."""
        element = np.array(self.puzzle.permutation_of(state), dtype=np.uint16)
        number = {row.tobytes(): i for i, row in enumerate(self.generators)}
        directions = [(element, False)]
        if set(self.names) == set(self.moves.moves):
            directions.append((np.argsort(element).astype(np.uint16), True))
        found = []
        for images in self._symmetries:
            back = np.argsort(images)
            # A move of the variant is the image of one of ours, or of several that have one effect.
            ours = [number[back[row[images]].astype(np.uint16).tobytes()] for row in self.generators]
            algs = [self.algs[own] for own in ours]
            for seen, backwards in directions:
                found.append(Variant(images[seen[back]].tolist(), tuple(algs), backwards))
        return found

    @cached_property
    def _symmetries(self) -> list[Images]:
        """The symmetries that map each move to a move, the identity first; uint16, the image of each place."""
        places = self.generators.shape[1]
        all_images = [np.arange(places, dtype=np.uint16)]
        for symmetry in symmetries(self.puzzle, self.moves):
            if not symmetry.reversing:
                parts = [
                    np.array(part, dtype=np.uint16) + begin
                    for part, begin in zip(symmetry.images, self._begins, strict=True)
                ]
                images = np.concatenate(parts).astype(np.uint16)
                if not np.array_equal(images, all_images[0]):
                    all_images.append(images)
        return all_images


@dataclass(frozen=True)
class _Like:
    """How a puzzle is one whose chain is shipped.

    :param numbers: our move for each of its moves
    :param places: our place for each of its places
    """

    chains: Chains
    numbers: list[int]
    places: dict[int, int]


def _words() -> Traversable:
    return files("hstar.search.anytime") / "words"


@cache
def _shipped(name: str) -> list[Chains]:
    """The chains of a puzzle that are shipped, one for each of its sets of moves that have one."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    found = [file.name for file in _words().iterdir() if file.name.startswith(f"{name}-")]
    return [Chains(puzzle, puzzle.move_set(file.removesuffix(".zlib").partition("-")[2]), file=file) for file in found]


def _like_shipped(puzzle: PermutationPuzzle, generators: Images) -> _Like | None:
    """The shipped puzzle that this one is, whatever the numbers of its pieces and the names of its moves. It may have
    moves of other kinds, too, which are not used then."""
    sizes = sorted((orbit.pieces, orbit.orientations) for orbit in puzzle.orbits)
    for name in sorted({file.name.partition("-")[0] for file in _words().iterdir()}):
        own = get_puzzle(name)
        if not isinstance(own, PermutationPuzzle) or sizes != sorted((o.pieces, o.orientations) for o in own.orbits):
            continue
        for chains in _shipped(name):
            if np.array_equal(chains.generators, generators):
                same = range(generators.shape[1])
                return _Like(chains, list(range(len(generators))), dict(zip(same, same, strict=True)))
            ours, theirs = _system(generators), _system(chains.generators)
            alike = [number for number, kind in enumerate(ours.types) if kind in theirs.types]
            found = find(theirs, ours.only(alike), symmetries=())
            if found is not None:
                return _Like(chains, [alike[number] for number in found.turns], found.slots)
    return None


def _system(generators: Images) -> TurnSystem:
    return TurnSystem(tuple(map(str, range(len(generators)))), tuple(tuple(row) for row in generators.tolist()))


@lru_cache(maxsize=16)
def chains_of(puzzle: PermutationPuzzle, moves: MoveSet, settings: ChainSettings | None = None) -> Chains:
    """The same object each time; another one for other settings."""
    return Chains(puzzle, moves, settings)


def _axes(generators: Images) -> list[list[int]]:
    """Moves that turn the same places, in the order of their first moves."""
    found: dict[bytes, list[int]] = {}
    places = np.arange(generators.shape[1])
    for number, images in enumerate(generators):
        found.setdefault((images != places).tobytes(), []).append(number)
    return list(found.values())


def _merit(touched: Any, live: list[int], axis: int, begun: bool) -> tuple[int, int]:
    """How good it is to give up an axis next: the pieces that no remaining axis turns, then those that fewer axes
    turn."""
    rest = [other for other in live if other != axis]
    after = touched[:, rest].sum(axis=1)
    freed = int(((after == 0) & touched[:, live].any(axis=1)).sum())
    shared = int((touched[:, axis] & (after < touched.sum(axis=1) - 1)).sum())
    return (freed if begun else 0, shared)
