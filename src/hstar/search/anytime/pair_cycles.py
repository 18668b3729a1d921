"""Cycles of three pieces in an orbit with too many pieces for a table of all triples of its slots.

Moves before a cycle take one piece and its slot to two slots of the cycle, found by breadth-first search over pairs;
where the third piece comes from follows from these moves. A cycle fits if that is a slot that is not solved yet. There
are six ways, one for each ordered pair of the cycle's slots. If none fits, the commutator of two cycles that share one
slot is a cycle of the three pieces that are wanted, and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from hstar.polling import poll
from hstar.search.method import Constants

__all__ = ["PairCycles", "PairSettings"]

Images = np.ndarray[Any, np.dtype[np.int64]]


class PairSettings(Constants):
    """``most``: pairs of slots times moves that are looked at for one table; with fewer moves words are longer.
    ``fewest``: moves that are used at least. ``thirds``: slots that are tried for the third piece of a commutator."""

    most: Annotated[int, Field(ge=0, le=10**9)] = 5_000_000
    fewest: Annotated[int, Field(ge=1, le=255)] = 16
    thirds: Annotated[int, Field(ge=1, le=1_000)] = 12


class _Way(NamedTuple):
    """A word that takes the piece in one slot to another one, from there to a third, and from there to the first."""

    word: tuple[int, ...]
    third: int


class PairCycles:
    """
    :param images: by move and slot of the orbit: where the slot's piece goes; int64
    :param inverse: by move: its inverse
    :param base: a word that takes the piece in slot a to b, from there to c, and from there to a, and does nothing else
    :param triple: a, b, c
    """

    def __init__(
        self, images: Images, inverse: Sequence[int], base: tuple[int, ...], triple: tuple[int, int, int],
        settings: PairSettings | None = None,
    ) -> None:  # fmt: skip
        self._images, self._inverse, self._settings = images, inverse, settings or PairSettings()
        self._size = images.shape[1]
        moving = np.flatnonzero((images != np.arange(self._size)).any(axis=1)).tolist()
        most = max(self._settings.fewest, self._settings.most // self._size**2)
        some = {moving[i * (len(moving) - 1) // max(1, most - 1)] for i in range(most)} if moving else set()
        chosen = sorted(some | {inverse[move] for move in some})
        #: by ordered pair of the cycle's slots: the word, its third slot, and for each pair of slots the move that
        #: takes it nearer to this one
        self._tables = []
        for one, two, three in permutations(triple):
            forwards = (triple.index(two) - triple.index(one)) % 3 == 1
            step = self._steps(chosen, one, two)
            if step is None and len(chosen) < len(moving):
                step = self._steps(moving, one, two)
            if step is not None:
                self._tables.append((base if forwards else self._undone(base), three, step))

    @property
    def complete(self) -> bool:
        """Whether the moves take each pair of slots to each other."""
        return len(self._tables) == 6

    def solve(self, places: Sequence[int]) -> list[int] | None:
        """Moves that bring every piece home, from the slot of each piece; None if it is an odd permutation, or there is
        no room for commutators."""
        at = list(places)
        word: list[int] = []
        for piece in range(self._size):
            poll()
            start = at[piece]
            if start == piece:
                continue
            ways = [way for way in self._ways(start, piece) if way.third > piece]
            ways = ways or [*self._commutators(start, piece, at)]
            if not ways:
                return None
            best = min(ways, key=lambda way: len(way.word))
            moves = {start: piece, piece: best.third, best.third: start}
            at = [moves.get(slot, slot) for slot in at]
            word += best.word
        return word

    def _ways(self, start: int, end: int) -> Iterator[_Way]:
        """The cycles of three that take the piece in one slot to another."""
        for base, third, step in self._tables:
            setup: list[int] = []
            a, b = start, end
            while (move := int(step[a * self._size + b])) >= 0:
                setup.append(move)
                a, b = int(self._images[move, a]), int(self._images[move, b])
            for move in reversed(setup):
                third = int(self._images[self._inverse[move], third])
            yield _Way((*setup, *base, *self._undone(setup)), third)

    def _commutators(self, start: int, end: int, at: Sequence[int]) -> Iterator[_Way]:
        """Cycles of two given slots and a third that is not solved."""
        open_slots = [slot for slot, now in enumerate(at) if now != slot and slot not in (start, end)]
        into = list(self._ways(start, end))
        for third in open_slots[: self._settings.thirds]:
            found = []
            for one, two in product(into, self._ways(end, third)):
                if one.third in (third, two.third) or two.third == start:
                    continue  # they share more than one slot
                first = {start: end, end: one.third, one.third: start}
                second = {end: third, third: two.third, two.third: end}
                words = (first, one.word), (second, two.word)
                for (a, a_word), (b, b_word) in (words, words[::-1]):
                    for a_back, b_back in product((False, True), repeat=2):
                        parts = [
                            (a, a_word, a_back),
                            (b, b_word, b_back),
                            (a, a_word, not a_back),
                            (b, b_word, not b_back),
                        ]
                        if _moved(parts) == {start: end, end: third, third: start}:
                            made = [self._undone(w) if back else tuple(w) for _, w, back in parts]
                            found.append(_Way(sum(made, ()), third))
            if found:
                yield min(found, key=lambda way: len(way.word))

    def _undone(self, word: Sequence[int]) -> tuple[int, ...]:
        return tuple(self._inverse[move] for move in reversed(word))

    def _steps(self, moves: Sequence[int], one: int, two: int) -> np.ndarray[Any, np.dtype[np.int16]] | None:
        """By pair of slots the move that takes it nearer to this pair, -1 there; None if some are not reached."""
        n = self._size
        step = np.full(n * n, -2, dtype=np.int16)
        layer = np.array([one * n + two])
        step[layer] = -1
        while len(layer):
            poll()
            a, b = layer // n, layer % n
            following = []
            for move in moves:
                row = self._images[self._inverse[move]]  # from there the move leads here
                there = row[a] * n + row[b]
                there = np.unique(there[step[there] == -2])
                step[there] = move
                following.append(there)
            layer = np.concatenate(following)
        return step if int((step != -2).sum()) == n * (n - 1) else None


def _moved(parts: Sequence[tuple[dict[int, int], Sequence[int], bool]]) -> dict[int, int]:
    """Where cycles, some of them backwards, take slots one after another; slots that stay are left out."""
    result = {}
    for slot in {slot for cycle, _, _ in parts for slot in cycle}:
        there = slot
        for cycle, _, back in parts:
            there = {end: begin for begin, end in cycle.items()}.get(there, there) if back else cycle.get(there, there)
        if there != slot:
            result[slot] = there
    return result
