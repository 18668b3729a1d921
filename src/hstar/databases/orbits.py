"""Distances of whole orbits, where each entry is that of all states that symmetries carry onto one another.

>>> databases = databases_named(puzzle, puzzle.move_set(None), "edges+centres")                    # doctest: +SKIP

``edges+centres`` ignores all pieces but those of two orbits. ``wings/4`` also forgets which wing is which within each
of four blocks, sets of pieces that all symmetries carry onto one another; ``edges/3o`` also knows how each edge is
turned, and ``edges/1o`` only that. So they are cosets of subgroups that all symmetries keep, and one entry is enough
for all symmetric states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial, prod
from typing import Any

from hstar import _kernel
from hstar.databases.coset_table import CosetTable, OverCosets, few
from hstar.databases.permutation import PieceDatabases, PieceTable
from hstar.errors import FeatureError
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.kept_parts import (
    ENTRIES,
    MOST_TOGETHER,
    arrangements,
    count_of,
    order_of,
    partitions,
    turned_values,
    zero_of,
)
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, Coordinate
from hstar.puzzles.symmetry import Symmetry, images_of_moves

__all__ = ["OrbitDatabases", "OrbitTable", "examples", "forget", "read"]

#: entries of the largest table that is built
MAX_ENTRIES = ENTRIES[-1]
#: values of the coordinates that are not reduced, if they are several
MOST_NOT_REDUCED = 4_000_000
#: for larger puzzles no example of blocks is looked for, because finding their symmetries takes up to a second
MOST_FOR_EXAMPLE = 64
_PART = re.compile(r"^([A-Za-z][A-Za-z0-9_]*)(/[0-9]{1,2}o?)?$")

#: orbits, and into how many blocks their pieces are put and whether it is known how they are turned, as it is written
#: (empty: all are told apart)
Parts = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class OrbitTable(CosetTable, PieceTable):
    """The table of some orbits, for one puzzle and move set."""

    puzzle: PermutationPuzzle
    moves: MoveSet
    parts: Parts
    coordinates: tuple[Coordinate, ...]

    @property
    def name(self) -> str:
        return "+".join(orbit + blocks for orbit, blocks in self.parts)

    @cached_property
    def split(self) -> tuple[list[Coordinate], list[Coordinate]]:
        """The coordinates that are reduced, the largest and as many of the smallest as fit; and the others. If these
        have too many values, all but the largest."""
        last, *others = sorted(self.coordinates, key=lambda c: -c.size)
        if others and prod(c.size for c in others) > MOST_NOT_REDUCED:
            return others, [last]
        reduced = [last]
        while others and prod(c.size for c in reduced) * others[-1].size <= MOST_VALUES:
            reduced.append(others.pop())
        return reduced, others

    @cached_property
    def carried(self) -> list[list[int]]:
        return few([images for _, images in images_of_moves(self.puzzle, self.moves)])

    @property
    def views(self) -> list[tuple[Symmetry, list[int]]]:
        return images_of_moves(self.puzzle, self.moves)[:1]

    @property
    def normal(self) -> bool:
        """Where all pieces of its orbits are told apart."""
        return not any(blocks for _, blocks in self.parts)

    @property
    def made_of(self) -> dict[str, Any]:
        return {"kind": "orbits", "coordinates": [[c.key for c in part] for part in self.split]}


class OrbitDatabases(OverCosets, PieceDatabases[OrbitTable]):
    """The maximum of some tables of orbits."""

    @cached_property
    def kernel(self) -> _kernel.CosetHeuristic:
        return _kernel.CosetHeuristic(self.puzzle.kernel_space, [table.kernel for table in self.own], False)


def read(puzzle: PermutationPuzzle, moves: MoveSet, text: str) -> OrbitDatabases | None:
    """The databases of a text, the same object each time; None if it does not name orbits without sizes.

    :raises FeatureError: there are no such tables
    """
    found = [_PART.match(part) for part in text.replace(" ", "").split("+")]
    blocks = {match[1].lower(): match[2] or "" for match in found if match and puzzle.find_orbit(match[1])}
    if len(blocks) < len(found):
        return None
    own = [(orbit.name, blocks[orbit.name.lower()]) for orbit in puzzle.orbits if orbit.name.lower() in blocks]
    parts = tuple((name, re.sub("/0+(?=[0-9])", "/", text)) for name, text in own)
    return OrbitDatabases.of(puzzle, moves, (_table(puzzle, moves, parts),))


def examples(puzzle: PermutationPuzzle, moves: MoveSet) -> list[str]:
    """A text of whole orbits, as many as two if there is a table of them together, and one of an orbit in blocks; as
    far as the puzzle has such tables."""

    def exists(text: str) -> bool:
        try:
            return read(puzzle, moves, text) is not None
        except FeatureError:
            return False

    whole = [orbit.name for orbit in puzzle.orbits if exists(orbit.name)]
    pair = "+".join(whole[:2])
    found = [text for text in dict.fromkeys([pair, *whole]) if text and exists(text)][:1]
    if not puzzle.all_different or len(puzzle.orientations) > MOST_FOR_EXAMPLE:
        return found
    for orbit in puzzle.orbits:
        counts = set() if orbit.name in whole else set(map(count_of, partitions(puzzle, moves, orbit))) - {1}
        fitting = [text for count in sorted(counts, reverse=True) if exists(text := f"{orbit.name}/{count}")]
        if fitting:
            return [*found, fitting[0]]
    return found


@lru_cache(maxsize=64)
def _table(puzzle: PermutationPuzzle, moves: MoveSet, parts: Parts) -> OrbitTable:
    if not puzzle.all_different or {puzzle.inverse(move) for move in moves.moves} != set(moves.moves):
        raise FeatureError("orbits and sizes: whole orbits need different pieces, and the inverse of each move")
    coordinates: list[Coordinate] = []
    whole: list[Orbit] = []
    for name, blocks in parts:
        orbit = puzzle.orbit(name)
        if blocks:
            others = [puzzle.orbit(other) for other, _ in parts if other != name]
            coordinates += _in_blocks(puzzle, moves, orbit, int(blocks.strip("/o")), blocks.endswith("o"), others)
            continue
        coordinates.append(_whole(puzzle, moves, whole, orbit))
        whole.append(orbit)
    table = OrbitTable(puzzle, moves, parts, tuple(coordinates))
    # The symmetries, which divide the entries, take time to find, and most tables are small enough without them.
    if prod(c.size for c in coordinates) > MAX_ENTRIES and table.states > MAX_ENTRIES:
        raise FeatureError(f"fewer orbits: {table.states:,} entries are more than {MAX_ENTRIES:,}")
    if (size := prod(c.size for c in table.split[0])) > MOST_TOGETHER:
        raise FeatureError(f"fewer orbits: {size:,} values together are more than {MOST_TOGETHER:,}")
    return table


def forget() -> None:
    """Drop all tables that this process keeps in memory."""
    _table.cache_clear()


def _whole(puzzle: PermutationPuzzle, moves: MoveSet, before: Sequence[Orbit], orbit: Orbit) -> Coordinate:
    """All that is known of an orbit, if others are known. Where these say which of its pieces is where, only
    orientations are left. Where they say less, such as whether it is permuted evenly, moves do not lead to all values
    of both together."""
    number, n = puzzle.orbits.index(orbit), orbit.orientations
    if factorial(orbit.pieces) // 2 > MOST_VALUES:
        raise FeatureError(f"{orbit.name}:4 or {orbit.name}/4, for there are too many arrangements of all {orbit.name}")
    alone = order_of(puzzle, moves, [orbit])
    left = order_of(puzzle, moves, [*before, orbit]) // order_of(puzzle, moves, before)
    zero = zero_of(puzzle, moves, number) if left in (n**orbit.pieces, n ** (orbit.pieces - 1)) else None
    if left == alone or zero is None or left > MOST_VALUES:
        if alone > MOST_VALUES:
            raise FeatureError(f"fewer {orbit.name}: {alone:,} arrangements are more than {MOST_VALUES:,}")
        return Coordinate(number, tuple(range(orbit.pieces)), n > 1, (0,) * orbit.pieces, alone)
    return Coordinate(number, (0,) * orbit.pieces, True, zero, left)


def _in_blocks(
    puzzle: PermutationPuzzle, moves: MoveSet, orbit: Orbit, count: int, oriented: bool, others: Sequence[Orbit]
) -> Iterator[Coordinate]:
    """Which block's pieces are where, and how they are turned.

    :param others: the other orbits of the table. Of several partitions into so many blocks it is the one that most
        moves leave as it is together with these: few cosets are then near the goal, so that most are far. Of such, the
        one of which the moves that leave its blocks where they are carry most other pieces.
    """
    number = puzzle.orbits.index(orbit)
    if oriented:
        zero, turned = zero_of(puzzle, moves, number), turned_values(puzzle, moves, number)
        if zero is None or turned > MOST_VALUES:
            raise FeatureError(f"{orbit.name}/{count}: no orientations of the {orbit.name} are kept by symmetries")
        yield Coordinate(number, (0,) * orbit.pieces, True, zero, turned)
        if count == 1:
            return
    found = partitions(puzzle, moves, orbit)
    fitting = [classes for classes in found if count_of(classes) == count]
    if not fitting:
        counts = sorted(set(map(count_of, found)) - {1, orbit.pieces})
        known = " or ".join(f"{orbit.name}/{count}" for count in counts) or f"{orbit.name}:3"
        raise FeatureError(f"{known}: symmetries keep no partition of the {orbit.name} into {count} blocks")

    def kept(classes: tuple[int, ...]) -> tuple[int, int]:
        keeping = carried = 0
        for move in moves.moves:
            touched = [(dst, src) for dst, src, _ in puzzle.touched(move)]
            own = [(dst - orbit.first, src - orbit.first) for dst, src in touched if dst in orbit.slots]
            if all(classes[dst] == classes[src] for dst, src in own):
                keeping += not any(dst in other.slots for dst, _ in touched for other in others)
                carried += len(touched) - len(own)
        return keeping, carried

    classes = max(sorted(fitting), key=kept)
    size = arrangements(classes)
    if size > MOST_VALUES:
        raise FeatureError(f"fewer blocks: {size:,} arrangements are more than {MOST_VALUES:,}")
    yield Coordinate(number, classes, False, (0,) * orbit.pieces, size)
