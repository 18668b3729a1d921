"""A subgroup of a puzzle's group whose cosets are a product of small coordinates, found from the moves alone.

On the 3x3x3 it is that of U, D and half turns of the other faces, as in Kociemba's algorithm (1992). Of each move all
powers, some of them or none are left; a power that is not a move of the set, such as a half turn among quarter turns,
is a word of moves. What these keep solved are orientations of an orbit, counted from the right orientation in each
slot, and which sets of slots pieces are in. If the order of the subgroup says that nothing else is kept, then such
coordinates tell its cosets apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from math import factorial, prod
from typing import Any

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import Symmetry, images_of_moves

__all__ = [
    "COSETS", "MOST_VALUES", "Coordinate", "Subgroup", "blocks_of", "coset_of", "finer_of", "generated_by", "joined",
    "subgroup_of", "text_of", "with_blocks",
]  # fmt: skip

#: the text of databases of cosets, where others have orbits and sizes
COSETS = "cosets"

#: moves one after another
Word = tuple[str, ...]

#: the most powers of a move that are looked at
MOST_POWERS = 1000
#: the most choices of moves that are looked at, and the most whose order is computed
MOST_CHOICES, MOST_ORDERS = 1000, 30
#: groups of at most so many elements need no subgroup, and one with more elements or cosets is of no use
SMALL, LARGE = 10**8, 10**12
#: of subgroups that have at most so many times more elements or cosets than the best, the one with most moves is taken
ALIKE = 10
#: the most values of a coordinate, and the most coordinates of a phase, as in the kernel
MOST_VALUES, MOST_COORDINATES = 400_000, 8
#: the most cosets with blocks, of which symmetric ones count once, and the most if a set of slots has blocks too: in a
#: table four of them take a byte
MOST_ENTRIES, MOST_FINER = 10**10, 3 * 10**10


@dataclass(frozen=True)
class Coordinate:
    """What is left of an orbit when pieces of one class are not told apart, and how many values it has.

    ``unordered``: classes of equally many pieces are not told apart either.
    """

    orbit: int
    classes: tuple[int, ...]
    oriented: bool
    zero: tuple[int, ...]
    size: int
    unordered: bool = False

    @property
    def kernel(self) -> tuple[int, list[int], bool, list[int], bool]:
        return self.orbit, list(self.classes), self.oriented, list(self.zero), self.unordered

    @property
    def key(self) -> list[Any]:
        """What it is, as values for JSON."""
        known = [self.orbit, list(self.classes), self.oriented, list(self.zero)]
        return [*known, "unordered"] if self.unordered else known

    @property
    def orders(self) -> list[list[int]]:
        """By class the class that counts as it, for each order of those that are not told apart."""
        every = range(1 + max(self.classes))
        if not self.unordered:
            return [[*every]]
        size = [self.classes.count(own) for own in every]
        return [[*order] for order in permutations(every) if [size[own] for own in order] == size]


@dataclass(frozen=True)
class Subgroup:
    """The subgroup that ``moves`` generate: ``cosets`` are solved by the first phase, ``own`` by the second.

    :param moves: moves of the puzzle, not all of them of the move set
    :param words: for each of them the fewest moves of the set that do the same
    """

    moves: tuple[str, ...]
    words: tuple[Word, ...]
    cosets: tuple[Coordinate, ...]
    own: tuple[Coordinate, ...]

    @property
    def index(self) -> int:
        """The number of its cosets."""
        return prod(coordinate.size for coordinate in self.cosets)

    def looked_up(self, puzzle: PermutationPuzzle, symmetry: Symmetry) -> frozenset[int]:
        """The puzzle's numbers of the moves of the subgroup to which a state has the distance that the state's image
        under a symmetry has to this one: those whose images are its moves. It is not the image of this one, if the
        symmetry is not its own inverse."""
        own = {puzzle.moves.index(move) for move in self.moves}
        return frozenset(number for number, image in enumerate(symmetry.moves) if image in own)

    def symmetries(self, puzzle: PermutationPuzzle, moves: MoveSet) -> list[tuple[Symmetry, list[int]]]:
        """Those that carry it onto itself, each with the number of the image of each move; the identity first."""
        every = images_of_moves(puzzle, moves)
        itself = self.looked_up(puzzle, every[0][0])
        return [(symmetry, images) for symmetry, images in every if self.looked_up(puzzle, symmetry) == itself]


@lru_cache(maxsize=16)
def subgroup_of(puzzle: PermutationPuzzle, moves: MoveSet) -> Subgroup | None:
    """The subgroup for a puzzle with these moves; None if none is of use. It has about as many elements as cosets."""
    if not puzzle.all_different or {puzzle.inverse(move) for move in moves.moves} != set(moves.moves):
        return None
    order = puzzle.group(moves).order
    if not SMALL < order <= LARGE**2:
        return None

    def hardness(found: Subgroup) -> int:
        return max(found.index, order // found.index)

    fitting = list(filter(None, (_generated_by(puzzle, moves, *choice) for choice in _choices(puzzle, moves))))
    least = min(map(hardness, fitting), default=0)
    # Of those that are about as good, the one with the most moves has the most symmetries.
    fitting.sort(key=lambda found: (hardness(found) > ALIKE * least, -len(found.moves), hardness(found)))
    for found in fitting[:MOST_ORDERS]:
        own = puzzle.group(MoveSet("of a subgroup", found.moves, "")).order
        if max(found.index, own) <= LARGE and own * found.index == order:
            return found
    return None


@lru_cache(maxsize=16)
def blocks_of(puzzle: PermutationPuzzle, moves: MoveSet, subgroup: Subgroup) -> tuple[Coordinate, ...]:
    """Into which blocks of equal size the pieces of an orbit can be put, so that the symmetries of the subgroup carry
    blocks onto blocks. The elements that keep them too are a smaller subgroup. Only orbits are looked at of which the
    larger one tells no pieces apart.

    The first leaves the fewest cosets one move away: then few ways lead to the others, so they are far.
    """
    own = subgroup.symmetries(puzzle, moves)
    apart = {c.orbit for c in subgroup.cosets if len(set(c.classes)) > 1}
    found = dict[Coordinate, int]()
    for number, orbit in enumerate(puzzle.orbits):
        if number in apart:
            continue
        for classes, count, length in _equal_blocks(_images(puzzle, own, number)):
            size = factorial(orbit.pieces) // factorial(length) ** count
            if size <= MOST_VALUES and subgroup.index * size <= MOST_ENTRIES * len(own):
                blocks = Coordinate(number, classes, False, (0,) * orbit.pieces, size)
                states = (puzzle.turned(puzzle.solved, move) for move in moves.moves)
                found[blocks] = len({coset_of(puzzle, (*subgroup.cosets, blocks), state) for state in states})
    return tuple(sorted(found, key=found.__getitem__))


@lru_cache(maxsize=16)
def finer_of(puzzle: PermutationPuzzle, moves: MoveSet, subgroup: Subgroup, blocks: Coordinate) -> Coordinate | None:
    """What may take the place of the coordinate of an orbit that tells in which sets of slots its pieces are: those of
    one set are in blocks, which the symmetries of the subgroup carry onto one another and which are not told apart. Of
    these the one with which the table with ``blocks`` grows least; None if it would be too large.
    """
    own = subgroup.symmetries(puzzle, moves)
    found = dict[Coordinate, int]()
    for c in subgroup.cosets:
        images = _images(puzzle, own, c.orbit)
        for block in set(c.classes) if not c.oriented else ():
            slots = [slot for slot, its in enumerate(c.classes) if its == block]
            if any(image[slot] not in slots for image in images for slot in slots):
                continue
            inside = [[slots.index(image[slot]) for slot in slots] for image in images]
            others = [its for its in sorted(set(c.classes)) if its != block]
            for parts, count, length in _equal_blocks(inside):
                if length in map(c.classes.count, others):
                    continue
                classes = [others.index(its) if its != block else len(others) for its in c.classes]
                for slot, part in zip(slots, parts, strict=True):
                    classes[slot] += part
                more = factorial(len(slots)) // (factorial(length) ** count * factorial(count))
                finer = Coordinate(c.orbit, tuple(classes), False, c.zero, c.size * more, unordered=True)
                if finer.size <= MOST_VALUES and subgroup.index * blocks.size * more <= MOST_FINER * len(own):
                    found[finer] = more
    return min(found, key=found.__getitem__, default=None)


def _images(puzzle: PermutationPuzzle, own: Sequence[tuple[Symmetry, list[int]]], number: int) -> list[list[int]]:
    """Of each symmetry the image of each slot of an orbit."""
    n = puzzle.orbits[number].orientations
    return [[image // n for image in symmetry.images[number][::n]] for symmetry, _ in own]


def _equal_blocks(permutations: Sequence[Sequence[int]]) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """The partitions into several blocks of equal size that the permutations keep: by point the number of its block,
    how many there are, and how many points each has."""
    points = len(permutations[0])
    for other in range(1, points):
        classes = joined(permutations, points, other)
        count = len(set(classes))
        length = points // count
        if 1 < count < points and all(classes.count(block) == length for block in classes):
            yield classes, count, length


def text_of(puzzle: PermutationPuzzle, *parts: Coordinate | None) -> str:
    """The text of databases with such blocks."""
    return "+".join([COSETS, *(f"{puzzle.orbits[c.orbit].name}/{len(set(c.classes))}" for c in parts if c is not None)])


def with_blocks(puzzle: PermutationPuzzle, moves: MoveSet) -> dict[str, tuple[Coordinate, Coordinate | None]]:
    """The texts of databases with blocks, and these: first those of `blocks_of`, in that order, and last the finer ones
    with the first."""
    subgroup = subgroup_of(puzzle, moves)
    if subgroup is None:
        return {}
    found = dict[str, tuple[Coordinate, Coordinate | None]]()
    for blocks in blocks_of(puzzle, moves, subgroup):
        found.setdefault(text_of(puzzle, blocks), (blocks, None))
    for blocks, _ in [*found.values()][:1]:
        if finer := finer_of(puzzle, moves, subgroup, blocks):
            found[text_of(puzzle, blocks, finer)] = (blocks, finer)
    return found


def coset_of(puzzle: PermutationPuzzle, coordinates: Iterable[Coordinate], state: State) -> tuple[tuple[int, int], ...]:
    """What the coordinates know of a state: by slot the class of its piece, and the orientation if it counts."""
    contents, values = puzzle.contents(state), []
    for c in coordinates:
        orbit, own = puzzle.orbits[c.orbit], []
        for slot in range(orbit.pieces):
            piece, turned = divmod(contents[orbit.first + slot], orbit.orientations)
            counted = (turned + c.zero[piece] - c.zero[slot]) % orbit.orientations if c.oriented else 0
            own.append((c.classes[piece], counted))
        values += min([(order[number], counted) for number, counted in own] for order in c.orders)
    return tuple(values)


def joined(permutations: Sequence[Sequence[int]], points: int, other: int) -> tuple[int, ...]:
    """The finest partition that has 0 and another point in one block and that the permutations keep: by point the
    number of its block."""
    block = list(range(points))
    waiting = [(0, other)]
    for a, b in waiting:
        if block[a] == block[b]:
            continue
        old, new = max(block[a], block[b]), min(block[a], block[b])
        block = [new if own == old else own for own in block]
        waiting += [(image[a], image[b]) for image in permutations]
    numbers = {own: i for i, own in enumerate(dict.fromkeys(block))}
    return tuple(numbers[own] for own in block)


def _choices(puzzle: PermutationPuzzle, moves: MoveSet) -> Iterator[tuple[dict[str, Word], list[str]]]:
    """The moves that are left, with their words, if of each cycle of powers all, some or none are; and moves of which
    these are all powers."""
    effects = {puzzle.turned(puzzle.solved, move): move for move in puzzle.moves}
    powers = {move: frozenset(_powers(puzzle, effects, move)) for move in puzzle.moves}
    of_set = [powers[move] for move in moves.moves]
    cycles = dict.fromkeys(own for own in of_set if not any(own < other for other in of_set))
    parts = []
    for cycle in cycles:
        inside = [move for move in puzzle.moves if move in cycle]
        words = _words(puzzle, effects, [move for move in moves.moves if move in cycle])
        parts.append({powers[move]: (move, _left(powers, powers[move], words)) for move in inside if move in words})
    if prod(1 + len(part) for part in parts) > MOST_CHOICES:
        return
    for choice in product(*([*part.values(), None] for part in parts)):
        poll()
        chosen = [own for own in choice if own is not None]
        left = {move: word for _, words in chosen for move, word in words.items()}
        if left and left.keys() != set(moves.moves):
            yield {move: left[move] for move in puzzle.moves if move in left}, [generator for generator, _ in chosen]


def _left(powers: Mapping[str, frozenset[str]], own: frozenset[str], words: Mapping[str, Word]) -> dict[str, Word]:
    """The words of moves that generate a subgroup of a cycle: of moves of the set if one generates it, else of all."""
    inside = [move for move in own if len(words[move]) == 1]
    return {move: words[move] for move in (inside if any(powers[move] == own for move in inside) else own)}


def _words(puzzle: PermutationPuzzle, effects: Mapping[State, str], steps: Sequence[str]) -> dict[str, Word]:
    """The moves of a puzzle that some moves lead to, which are powers of one: each as the fewest of these."""
    reached: dict[State, Word] = {puzzle.solved: ()}
    waiting = [puzzle.solved]
    for state in waiting:
        for step in steps:
            after = puzzle.turned(state, step)
            if after not in reached and len(reached) < MOST_POWERS:
                reached[after] = (*reached[state], step)
                waiting.append(after)
    return {effects[state]: word for state, word in reached.items() if state in effects}


def _powers(puzzle: PermutationPuzzle, effects: Mapping[State, str], move: str) -> Iterator[str]:
    """The moves that are powers of a move."""
    state = puzzle.turned(puzzle.solved, move)
    for _ in range(MOST_POWERS):
        if state == puzzle.solved:
            return
        if state in effects:
            yield effects[state]
        state = puzzle.turned(state, move)


def generated_by(puzzle: PermutationPuzzle, moves: MoveSet, left: tuple[str, ...]) -> Subgroup | None:
    """The subgroup that moves of the set generate, as coordinates; None if they are too many or too large."""
    return _generated_by(puzzle, moves, {move: (move,) for move in left}, left)


def _generated_by(
    puzzle: PermutationPuzzle, moves: MoveSet, left: Mapping[str, Word], generators: Sequence[str]
) -> Subgroup | None:
    cosets, own = list[Coordinate](), list[Coordinate]()
    for number, orbit in enumerate(puzzle.orbits):
        whole, never_turned, balanced = _with_all(puzzle, moves, number)
        parts, zero = _parts(puzzle, number, generators)
        n = orbit.orientations
        if zero is not None and never_turned is None:
            turning = orbit.pieces - len(whole) if balanced else orbit.pieces
            cosets.append(Coordinate(number, (0,) * orbit.pieces, True, zero, n**turning))
        arrangements = prod(factorial(len(part)) for part in whole) // prod(factorial(len(part)) for part in parts)
        classes = [0] * orbit.pieces
        for i, part in enumerate(parts):
            own_classes = [0] * orbit.pieces
            for place, slot in enumerate(part):
                classes[slot], own_classes[slot] = i, 1 + place
            size = factorial(len(part)) * (1 if zero is not None else n ** len(part))
            if size > 1:
                own.append(Coordinate(number, tuple(own_classes), zero is None, (0,) * orbit.pieces, size))
        cosets.append(Coordinate(number, tuple(classes), False, (0,) * orbit.pieces, arrangements))
    both = [tuple(c for c in some if c.size > 1) for some in (cosets, own)]
    if any(not some or len(some) > MOST_COORDINATES or max(c.size for c in some) > MOST_VALUES for some in both):
        return None
    return Subgroup(tuple(left), tuple(left.values()), *both)


@lru_cache(maxsize=64)
def _with_all(
    puzzle: PermutationPuzzle, moves: MoveSet, number: int
) -> tuple[list[list[int]], tuple[int, ...] | None, bool]:
    """The parts of an orbit under all moves, and whether each move turns its pieces by full turns in sum."""
    orbit = puzzle.orbits[number]
    sums = {sum(puzzle.turns[move].twist[slot] for slot in orbit.slots) % orbit.orientations for move in moves.moves}
    return *_parts(puzzle, number, moves.moves), sums <= {0}


def _parts(
    puzzle: PermutationPuzzle, number: int, moves: Sequence[str]
) -> tuple[list[list[int]], tuple[int, ...] | None]:
    """The sets of an orbit's slots between which moves carry pieces, and by slot the orientation that counts as 0, so
    that no move changes any; None if there are no such orientations."""
    orbit = puzzle.orbits[number]
    n = orbit.orientations
    zero: list[int | None] = [None] * orbit.pieces
    parts, fits = list[list[int]](), True
    carried = [_carried(puzzle, number, move) for move in moves]
    for first in range(orbit.pieces):
        if zero[first] is not None:
            continue
        zero[first], part = 0, [first]
        for slot in part:
            turned = zero[slot] or 0
            for to in carried:
                if slot not in to:
                    continue
                there, twist = to[slot]
                wanted = (turned + twist) % n
                if zero[there] is None:
                    zero[there] = wanted
                    part.append(there)
                elif zero[there] != wanted:
                    fits = False
        parts.append(sorted(part))
    return parts, tuple(z or 0 for z in zero) if fits else None


@lru_cache(maxsize=4096)
def _carried(puzzle: PermutationPuzzle, number: int, move: str) -> dict[int, tuple[int, int]]:
    """By slot of an orbit whose piece a move carries or turns: the slot where it comes to, and by how much it turns."""
    orbit, turn = puzzle.orbits[number], puzzle.turns[move]
    return {
        turn.source[dst] - orbit.first: (dst - orbit.first, turn.twist[dst])
        for dst in orbit.slots
        if turn.source[dst] != dst or turn.twist[dst]
    }
