"""Words that lead from the goal's shape back to it, and make all its states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from hstar.groups import PermutationGroup, orbits
from hstar.polling import poll
from hstar.search.anytime.shapes.graph import Bits, Rows, Shapes

__all__ = ["Loops"]

#: so many loops are looked at, the shortest, and so many others
SHORTEST, OTHERS = 4_000, 36_000
#: of these so many random products tell whether there are states that the loops that are taken do not make
PRODUCTS = 16
#: the most parts whose parities are looked at, and the most places of one
PARTS, PLACES = 8, 32
#: shapes whose loops are made at a time
AT_ONCE = 1_000


class Loops:
    """``short`` loops, the shortest of which each makes states that those before do not make; and ``more``, if the
    short ones make half of the states of the goal's shape. ``odd``: by shape and move, whether it leads to the other
    half, if that is a matter of parities; else None."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        self._group = PermutationGroup([], len(shapes.slot_of))
        self._rows: list[Rows] = []
        words, orders = list[tuple[int, ...]](), [1]
        for shape, move, row in self._found():
            if new := row.tolist() not in self._group:
                self._rows.append(row)
                self._group = PermutationGroup([own.tolist() for own in self._rows])
            words.append(shapes.loop(shape, move))
            orders.append(self._group.order if new else orders[-1])
        half = next(count for count, order in enumerate(orders) if 2 * order >= orders[-1])
        self.short, self.more = words[:half], words[half:]
        self.odd = self._parities() if self.more else None

    def _found(self) -> Iterator[tuple[int, int, Rows]]:
        """Loops that make new states, and those of one move."""
        shapes, choose = self._shapes, np.random.default_rng(0)
        first, move = np.nonzero(shapes.after >= 0)
        some = np.argsort(shapes.depth[first] + shapes.depth[shapes.after[first, move]], kind="stable")
        if len(some) > SHORTEST + OTHERS:
            others = SHORTEST + np.sort(choose.choice(len(some) - SHORTEST, OTHERS, replace=False))
            some = np.concatenate([some[:SHORTEST], some[others]])
        first, move = first[some], move[some]
        rows = shapes.loops(first, move)
        once = np.sort(np.unique(rows, axis=0, return_index=True)[1]) if len(rows) else some
        for i in once[once < SHORTEST].tolist():
            poll()
            single = shapes.depth[first[i]] == shapes.depth[shapes.after[first[i], move[i]]] == 0
            if (single and (rows[i] != shapes.images[0]).any()) or rows[i].tolist() not in self._group:
                yield int(first[i]), int(move[i]), rows[i]
        # If a loop makes new states, each random product of all does with a probability of a half.
        for _ in range(PRODUCTS if len(once) else 0):
            poll()
            whole = _product(rows[once[choose.random(len(once)) < 0.5]], shapes.images[0])
            while whole.tolist() not in self._group:
                i = next(i for i in once.tolist() if rows[i].tolist() not in self._group)
                yield int(first[i]), int(move[i]), rows[i]

    def _parities(self) -> Bits | None:
        shapes = self._shapes
        rows = np.array([shapes.do(word) for word in (*self.short, *self.more)])
        parts = [part for part in orbits(rows.tolist()) if 1 < len(part) <= PLACES][:PARTS]
        signs = np.array([_are_odd(rows[:, part]) for part in parts], dtype=np.int8).reshape(len(parts), len(rows))
        for chosen in product((0, 1), repeat=len(parts)):
            odd = np.array(chosen, dtype=np.int8) @ signs % 2
            if not odd[: len(self.short)].any() and odd[len(self.short) :].any():
                break
        else:
            return None
        found = np.zeros(shapes.after.shape, dtype=np.int8)
        for begin in range(0, len(found), AT_ONCE):
            poll()
            first, move = np.nonzero(shapes.after[begin : begin + AT_ONCE] >= 0)
            rows = shapes.loops(begin + first, move)
            for part in (part for part, taken in zip(parts, chosen, strict=True) if taken):
                found[begin + first, move] ^= _are_odd(rows[:, part])
        return found


def _are_odd(rows: Rows) -> Bits:
    """By permutation, whether it is odd."""
    found = np.zeros(len(rows), dtype=np.int8)
    for i in range(rows.shape[1] - 1):
        found ^= ((rows[:, i : i + 1] > rows[:, i + 1 :]).sum(axis=1) % 2).astype(np.int8)
    return found


def _product(rows: Rows, home: Rows) -> Rows:
    """What all of these do, one after another."""
    while len(rows) > 1:
        pairs = len(rows) // 2
        both = np.take_along_axis(rows[1 : 2 * pairs : 2], rows[: 2 * pairs : 2].astype(np.int64), axis=1)
        rows = np.concatenate([both, rows[2 * pairs :]])
    return rows[0] if len(rows) else home
