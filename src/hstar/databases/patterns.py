"""The pieces of a pattern database, written as orbits and sizes: ``corners:4``, ``edges:2+centres:2``.

A rule chooses the pieces, so that the same text is always the same database: those that symmetries map to the most
different sets of pieces (each set is one more lookup), and among these the ones with the fewest pairs that one move
touches. Pieces far apart are solved by different moves: after 18 random clockwise turns of the Megaminx the maximum
over all symmetries is 13.4 on average for four corners of which no two share more than one face, and 12.5 for four on
one face.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from hstar.errors import FeatureError
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import symmetries

__all__ = ["MAX_ENTRIES", "choose", "entries", "parse", "rank"]

#: entries of the largest database that is built; building takes as many bytes
MAX_ENTRIES = 600_000_000
_PART = re.compile(r"^([A-Za-z][A-Za-z0-9_]*):([0-9]{1,2})$")

Parts = tuple[tuple[str, int], ...]
Integers = np.ndarray[Any, np.dtype[np.int64]]


def parse(puzzle: PermutationPuzzle, text: str) -> Parts:
    """(orbit, number of pieces) for each part of a pattern's text, in the order of the orbits.

    :raises FeatureError: it cannot be parsed, names an unknown orbit, or is too large
    """
    orbits = {orbit.name: orbit for orbit in puzzle.orbits}
    example = " or ".join(f'"{orbit.name}:{min(3, orbit.pieces)}"' for orbit in puzzle.orbits[:2])
    sizes: dict[str, int] = {}
    for part in text.replace(" ", "").split("+"):
        match = _PART.match(part)
        orbit = puzzle.find_orbit(match[1]) if match else None
        if match is None or orbit is None or orbit.name in sizes:
            raise FeatureError(f"orbits of {puzzle.name} and how many pieces of each, such as {example}")
        sizes[orbit.name] = int(match[2])
        if not 1 <= sizes[orbit.name] <= orbit.pieces:
            raise FeatureError(f"1 to {orbit.pieces} {orbit.name}")
    parts = tuple((name, sizes[name]) for name in orbits if name in sizes)
    if entries(puzzle, parts) > MAX_ENTRIES:
        raise FeatureError(f"fewer pieces: {entries(puzzle, parts):,} states are more than {MAX_ENTRIES:,}")
    return parts


def entries(puzzle: PermutationPuzzle, parts: Parts) -> int:
    """The number of states of a pattern."""
    product = 1
    for orbit in puzzle.orbits:
        for i in range(dict(parts).get(orbit.name, 0)):
            product *= (orbit.pieces - i) * orbit.orientations
    return product


@lru_cache(maxsize=256)
def choose(puzzle: PermutationPuzzle, moves: MoveSet, parts: Parts) -> tuple[int, ...]:
    """The pieces of a pattern, ascending, chosen one orbit after the other."""
    permutations = np.array(
        [
            [
                orbit.first + image[i * orbit.orientations] // orbit.orientations
                for orbit, image in zip(puzzle.orbits, symmetry.images, strict=True)
                for i in range(orbit.pieces)
            ]
            for symmetry in symmetries(puzzle, moves)
        ]
    )
    touches = np.zeros((len(moves.moves), len(puzzle.values)), dtype=np.int64)
    for row, move in zip(touches, moves.moves, strict=True):
        row[[dst for dst, _, _ in puzzle.touched(move)]] = 1
    chosen: list[int] = []
    for orbit in puzzle.orbits:
        count = dict(parts).get(orbit.name, 0)
        if count:
            chosen += _best(orbit, count, chosen, permutations, touches)
    return tuple(chosen)


def _best(orbit: Orbit, count: int, chosen: list[int], permutations: Integers, touches: Integers) -> list[int]:
    if comb(orbit.pieces, count) > 200_000:  # too many to try: the first ones
        return list(orbit.slots)[:count]
    sets = np.array([[*chosen, *more] for more in combinations(orbit.slots, count)])
    still = np.zeros(len(sets), dtype=np.int64)
    for permutation in permutations:
        poll()
        still += _same_sets(permutation[sets], sets)
    lookups = len(permutations) // np.maximum(still, 1)
    touched = touches[:, sets].sum(axis=2)
    pairs = (touched * (touched - 1) // 2).sum(axis=0)
    best = np.lexsort((pairs, -lookups))[0]
    return [int(piece) for piece in sets[best][len(chosen) :]]


def _same_sets(a: Integers, b: Integers) -> Integers:
    """1 for each row that has the same numbers in both, in any order."""
    if max(a.max(), b.max()) < 63:
        marks = [np.left_shift(1, sets).sum(axis=1) for sets in (a, b)]
        same = marks[0] == marks[1]
    else:
        same = (np.sort(a, axis=1) == np.sort(b, axis=1)).all(axis=1)
    counts: Integers = same.astype(np.int64)
    return counts


def rank(puzzle: PermutationPuzzle, pieces: Sequence[int], state: bytes) -> int:
    """The number of the pattern's abstract state, as in the kernel: for each orbit the slots as a Lehmer code, then the
    orientations."""
    total = 0
    held = puzzle.contents(state)
    for orbit in puzzle.orbits:
        own = [piece - orbit.first for piece in pieces if piece in orbit.slots]
        where = {value // orbit.orientations: (slot, value % orbit.orientations)
                 for slot, value in enumerate(held[i] for i in orbit.slots)}  # fmt: skip
        code = twist = 0
        for i, piece in enumerate(own):
            slot, orientation = where[piece]
            code = code * (orbit.pieces - i) + slot - sum(where[other][0] < slot for other in own[:i])
            twist = twist * orbit.orientations + orientation
        states = 1
        for i in range(len(own)):
            states *= orbit.pieces - i
        total = total * states * orbit.orientations ** len(own) + code * orbit.orientations ** len(own) + twist
    return total
