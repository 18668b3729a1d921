"""The pieces of a pattern database, written as orbits and sizes: ``corners:4``, ``edges:2+centres:2``.

A rule chooses the pieces, so that the same text is always the same database: those that symmetries map to the most
different sets of pieces (each set is one more lookup), and among these the ones with the fewest pairs that one move
touches. Where pieces look alike the size counts kinds, and a pattern has all pieces of a kind: the rarest kinds,
because they have the fewest states. Pieces far apart are solved by different moves: after 18 random clockwise turns of
the Megaminx the maximum over all symmetries is 13.4 on average for four corners of which no two share more than one
face, and 12.5 for four on one face.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np

from hstar.errors import FeatureError
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.permutation import PATTERN_PIECES, PermutationPuzzle
from hstar.puzzles.symmetry import symmetries

__all__ = ["MAX_ENTRIES", "choose", "entries", "parse", "rank"]

#: the most pieces whose sets are numbered by bits
WIDE = 63
#: the most sets of pieces of which the best is looked for
MOST_CHOICES = 200_000
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
        most = len(puzzle.kinds(orbit))
        if not 1 <= sizes[orbit.name] <= most:
            raise FeatureError(f"1 to {most} {'' if most == orbit.pieces else 'kinds of '}{orbit.name}")
    parts = tuple((name, sizes[name]) for name in orbits if name in sizes)
    for name, count in parts:
        if not puzzle.fits_in_words(orbits[name], count):
            raise FeatureError(f"fewer {name}: too many orientations of {count} pieces together")
    if entries(puzzle, parts) > MAX_ENTRIES:
        raise FeatureError(f"fewer pieces: {entries(puzzle, parts):,} states are more than {MAX_ENTRIES:,}")
    pieces = sum(len(kind) for name, count in parts for kind in puzzle.rarest_kinds(orbits[name])[:count])
    if pieces > PATTERN_PIECES:
        raise FeatureError(f"fewer pieces: {pieces} are more than {PATTERN_PIECES}")
    return parts


def entries(puzzle: PermutationPuzzle, parts: Parts) -> int:
    """The number of states of a pattern."""
    product = 1
    for name, count in parts:
        product *= puzzle.pattern_states(puzzle.orbit(name), count)
    return product


@lru_cache(maxsize=256)
def choose(puzzle: PermutationPuzzle, moves: MoveSet, parts: Parts) -> tuple[int, ...]:
    """The pieces of a pattern, chosen one orbit after the other, by the slots in which they are at the goal; ascending,
    but with all pieces of a kind side by side."""
    found = symmetries(puzzle, moves)
    permutations = np.concatenate(
        [
            orbit.first + np.array([s.images[number] for s in found])[:, :: orbit.orientations] // orbit.orientations
            for number, orbit in enumerate(puzzle.orbits)
        ],
        axis=1,
    )
    touches = np.zeros((len(moves.moves), len(puzzle.values)), dtype=np.int64)
    for row, move in zip(touches, moves.moves, strict=True):
        row[[dst for dst, _, _ in puzzle.touched(move)]] = 1
    chosen: list[int] = []
    for orbit in puzzle.orbits:
        count = dict(parts).get(orbit.name, 0)
        if count:
            chosen += _best(puzzle, orbit, count, chosen, permutations, touches)
    return tuple(chosen)


def _best(
    puzzle: PermutationPuzzle,
    orbit: Orbit,
    count: int,
    chosen: list[int],
    permutations: Integers,
    touches: Integers,
) -> list[int]:
    def looks(kinds: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
        return sorted((len(kind), puzzle.distinct_orientations[kind[0]]) for kind in kinds)

    kinds, rarest = puzzle.kinds(orbit), puzzle.rarest_kinds(orbit)[:count]
    if comb(len(kinds), count) > MOST_CHOICES:  # the first ones
        return [piece for kind in sorted(rarest) for piece in kind]
    alike = len(set(looks(kinds))) == 1
    choices: list[int] = []
    for number, more in enumerate(combinations(kinds, count)):
        if number % 256 == 0:
            poll()
        if alike or looks(more) == looks(rarest):
            choices += chain(chosen, *more)
    size = len(chosen) + sum(map(len, rarest))
    sets = np.array(choices).reshape(-1, size).T  # a row for each place in a set
    still = np.zeros(sets.shape[1], dtype=np.int64)
    wide = permutations.shape[1] > WIDE
    own = _marks(sets, wide)
    found, times = np.unique(permutations, axis=0, return_counts=True)
    for permutation, often in zip(found, times, strict=True):
        poll()
        still += often * (_marks(permutation[sets], wide) == own).all(axis=0)
    lookups = len(permutations) // np.maximum(still, 1)
    pairs = np.zeros(sets.shape[1], dtype=np.int64)
    for touched in touches:
        poll()
        both = touched[sets].sum(axis=0)
        pairs += both * (both - 1) // 2
    best = np.lexsort((pairs, -lookups))[0]
    return [int(piece) for piece in sets[len(chosen) :, best]]


def _marks(sets: Integers, wide: bool) -> Integers:
    """For each column what only columns of the same numbers have, in whatever order they are."""
    if wide:
        return np.sort(sets, axis=0)
    marks: Integers = sum(np.left_shift(1, row) for row in sets)[np.newaxis]
    return marks


def rank(puzzle: PermutationPuzzle, pieces: Sequence[int], state: bytes) -> int:
    """The number of the pattern's abstract state, as in the kernel: for each orbit the slots, then the orientations.
    The slots of each kind are a combination of those that the kinds before leave free, numbered by binomial
    coefficients; for different pieces this is their Lehmer code."""
    total = 0
    held = puzzle.contents(state)
    for orbit in puzzle.orbits:
        code = twist = 0
        states = turns = 1
        taken: list[int] = []
        for kind in puzzle.kinds(orbit):
            if kind[0] not in pieces:
                continue
            number, distinct = puzzle.home[kind[0]] // orbit.orientations, puzzle.distinct_orientations[kind[0]]
            here = [slot for slot in range(orbit.pieces) if held[orbit.first + slot] // orbit.orientations == number]
            choices = comb(orbit.pieces - len(taken), len(kind))
            code *= choices
            states *= choices
            for i, slot in enumerate(here, start=1):
                code += comb(slot - sum(other < slot for other in taken), i)
                twist = twist * distinct + held[orbit.first + slot] % orbit.orientations
                turns *= distinct
            taken += here
        total = total * states * turns + code * turns + twist
    return total
