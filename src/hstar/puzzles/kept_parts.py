"""What all symmetries of a puzzle keep of an orbit: blocks of its pieces, and how its pieces are turned.

States that are equal in such parts are a coset of a subgroup that all symmetries keep, so one entry of a table is
enough for all symmetric cosets (`hstar.databases.orbits`). `strongest` puts parts of all orbits together, so that they
tell as many cosets apart as a table has room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import factorial, prod

from hstar.groups.permutation_group import PermutationGroup
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import MOST_VALUES, SMALL, joined
from hstar.puzzles.symmetry import images_of_moves, symmetries

__all__ = [
    "ENTRIES",
    "MOST_TOGETHER",
    "arrangements",
    "count_of",
    "order_of",
    "partitions",
    "strongest",
    "turned_values",
    "zero_of",
]

#: an orbit of more pieces is put into no blocks: there would be too many arrangements
MOST_IN_BLOCKS = 24
#: choices of orientations that count as 0 that are tried
MOST_ZEROS = 10_000
#: values of all parts but the one that has most, and the most choices of parts that are looked at
MOST_TOGETHER, MOST_CHOICES = 10_000_000, 1000
#: entries of the tables of `strongest`, which are built one after the other
ENTRIES = (30_000_000, 8_000_000_000)
#: the most symmetries that a table knows
MOST_SYMMETRIES = 256
#: a table is of use if a coset has at most so many states, because a proof looks at a few times as many,
MOST_LEFT = 10**8
#: and the larger one if it tells so many times more cosets apart
FINER = 100


def order_of(puzzle: PermutationPuzzle, moves: MoveSet, orbits: Sequence[Orbit]) -> int:
    """In how many ways the moves arrange these orbits."""
    generators = []
    for move in moves.moves:
        images: list[int] = []
        for orbit in orbits:
            images += (puzzle.carry(move, orbit) + len(images)).tolist()
        generators.append(images)
    return PermutationGroup(generators).order if orbits else 1


def arrangements(classes: Sequence[int]) -> int:
    """Of pieces of which those of one class are not told apart."""
    return factorial(len(classes)) // prod(factorial(classes.count(block)) for block in set(classes))


def count_of(classes: Sequence[int]) -> int:
    """How many blocks there are."""
    return len(set(classes))


@lru_cache(maxsize=64)
def zero_of(puzzle: PermutationPuzzle, moves: MoveSet, number: int) -> tuple[int, ...] | None:
    """By slot of an orbit the orientation that counts as 0, so that symmetries carry orientations to orientations,
    whichever piece is where; None if there is none.

    A symmetry takes slot j to k, turns the piece there by a(j), and keeps the sense of turns (e = 1) or not (e = -1). A
    piece of slot i that is in slot j, turned by t, counts as t + zero(i) - zero(j). Its image is turned by
    e t + a(j) - a(i). That counts as e times as much, for all i and j, if a(j) + e zero(j) - zero(k) is the same for
    all j.
    """
    orbit = puzzle.orbits[number]
    n = orbit.orientations
    if n == 1 or n ** (orbit.pieces - 1) > MOST_ZEROS:
        return None
    images = [s.images[number] for s in symmetries(puzzle, moves) if not s.reversing]
    for rest in product(range(n), repeat=orbit.pieces - 1):
        poll()
        zero = (0, *rest)

        def carries(image: Sequence[int], zero: tuple[int, ...] = zero) -> bool:
            turns = set()
            for slot in range(orbit.pieces):
                there, turned = divmod(image[slot * n], n)
                way = image[slot * n + 1] % n - turned
                turns.add((way % n, (turned + way * zero[slot] - zero[there]) % n))
            return len(turns) == 1

        if all(map(carries, images)):
            return zero
    return None


def turned_values(puzzle: PermutationPuzzle, moves: MoveSet, number: int) -> int:
    """How many values the orientations of an orbit have at most: the last follows from the others, if the pieces are
    turned by full turns in sum."""
    orbit = puzzle.orbits[number]
    sums = {sum(puzzle.turns[move].twist[slot] for slot in orbit.slots) % orbit.orientations for move in moves.moves}
    return int(orbit.orientations ** (orbit.pieces - (sums <= {0})))


def partitions(puzzle: PermutationPuzzle, moves: MoveSet, orbit: Orbit) -> set[tuple[int, ...]]:
    """The partitions of an orbit's pieces that all symmetries keep and in which the first piece is with some other: by
    piece the number of its block."""
    if orbit.pieces > MOST_IN_BLOCKS:
        return set()
    number, n = puzzle.orbits.index(orbit), orbit.orientations
    pieces = [[s.images[number][i * n] // n for i in range(orbit.pieces)] for s in symmetries(puzzle, moves)]
    return {joined(pieces, orbit.pieces, other) for other in range(1, orbit.pieces)}


@lru_cache(maxsize=64)
def strongest(puzzle: PermutationPuzzle, moves: MoveSet) -> tuple[str, ...]:
    """The parts of orbits that tell most cosets apart in a small table, and in a large one; none if neither is of use.

    One part alone may have more values than `MOST_TOGETHER` with all others, because only the values of the others are
    reduced to classes under the symmetries.
    """
    if not (puzzle.all_different and puzzle.has_group) or {puzzle.inverse(move) for move in moves.moves} != set(
        moves.moves
    ):
        return ()
    still = tuple(range(len(puzzle.orientations)))
    order = puzzle.group(moves).order
    # Symmetries take up to a second, so they are not looked for in vain.
    if order <= SMALL or order > ENTRIES[-1] * MOST_SYMMETRIES * MOST_LEFT:
        return ()
    if all(puzzle.turns[move].source == still for move in moves.moves):
        return ()
    itself = len(images_of_moves(puzzle, moves))
    every = [[("", ()), *_parts(puzzle, moves, number)] for number in range(len(puzzle.orbits))]
    if prod(map(len, every)) > MOST_CHOICES:
        return ()
    found = []
    for choice in product(*every):
        values = sorted(size for _, sizes in choice for size in sizes)
        if values and prod(values[:-1]) <= MOST_TOGETHER:
            found.append((prod(values), "+".join(text for text, _ in choice if text)))
    texts: dict[str, int] = {}
    for most in ENTRIES:
        fitting = [own for own in found if own[0] <= most * itself]
        cosets, text = max(fitting, key=lambda own: (own[0], -len(own[1])), default=(0, ""))
        if cosets * MOST_LEFT >= order and cosets >= FINER * max(texts.values(), default=0):
            texts[text] = cosets
    return tuple(texts)


def _parts(puzzle: PermutationPuzzle, moves: MoveSet, number: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What can be known of an orbit, as the text of a database, with the numbers of values of its coordinates."""
    orbit = puzzle.orbits[number]
    if factorial(orbit.pieces) // 2 <= MOST_VALUES and (alone := order_of(puzzle, moves, [orbit])) <= MOST_VALUES:
        yield orbit.name, (alone,)
    turned = turned_values(puzzle, moves, number)
    oriented = turned <= MOST_VALUES and zero_of(puzzle, moves, number) is not None
    if oriented:
        yield f"{orbit.name}/1o", (turned,)
    sources = [puzzle.turns[move].source for move in moves.moves]
    moving = all(any(source[slot] != slot for source in sources) for slot in orbit.slots)
    for classes in partitions(puzzle, moves, orbit) if moving else ():
        if 1 < (count := count_of(classes)) < orbit.pieces and (size := arrangements(classes)) <= MOST_VALUES:
            yield f"{orbit.name}/{count}", (size,)
            if oriented:
                yield f"{orbit.name}/{count}o", (size, turned)
