"""Symmetries of a permutation puzzle, found from its moves alone.

A *place* is a slot with an orientation, numbered ``slot * orientations + orientation`` within its orbit. A move
permutes places, and so does a symmetry. Conjugation by a symmetry turns every move of the set into a move of the set
(*direct*), or every one into the inverse of a move of the set (*reversing*). A direct symmetry keeps distances: d(r s
r^-1) = d(s). A reversing one keeps them together with inversion, d(r s^-1 r^-1) = d(s), because the inverse of a
solution of s solves s^-1. Rotations of the whole puzzle are direct. Its reflections are reversing for a set of
clockwise turns, and both for a set that contains the inverse of each move. (Lookups of inverse states are the *dual*
lookups of Felner, Zahavi, Schaeffer and Holte, 2005, and like those they are inconsistent.)

The geometry of the puzzle is not needed: what a symmetry does to the moves determines it, up to what changes no
conjugate. The Megaminx has 60 rotations and 60 reflections; finding them all is a test of its geometry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle, Places

__all__ = ["Symmetry", "images_of_moves", "symmetries"]

#: by letter and move: whether the move may be the letter's image
Fitting = np.ndarray[Any, np.dtype[np.bool_]]
#: layers of places, each with rows (place, source, letter)
Tree = list[Places]

#: the most symmetries that are looked for; a puzzle with independent parts may have very many
MOST = 1000
#: the most images of moves and places that are tried; all symmetries are best, but some are useful too
MOST_TRIALS = 20_000
#: only the identity is used if comparing all pairs of moves would take more entries than this
MOST_PRODUCTS = 30_000_000


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The image of each place of each orbit, and whether states must be inverted too.

    :param images: for each orbit the images of its places
    :param moves: of each move of the puzzle, by number, the number of its image
    """

    images: tuple[tuple[int, ...], ...]
    moves: tuple[int, ...]
    reversing: bool

    def apply(self, puzzle: PermutationPuzzle, state: State) -> State:
        """The image of ``state``, which has the same distance from the goal."""
        if self.reversing:
            state = puzzle.inverse_state(state)
        held = puzzle.contents(state)
        after = list(held)
        for orbit, image in zip(puzzle.orbits, self.images, strict=True):
            n = orbit.orientations
            source = {to: place for place, to in enumerate(image)}
            # What the pieces of each number become, and by how much they are turned before.
            becomes = {}
            for piece in range(orbit.pieces):
                old, turned = divmod(source[piece * n], n)
                becomes[puzzle.home[orbit.first + old] // n] = orbit.first + piece, turned
            for slot, value in enumerate(held[i] for i in orbit.slots):
                piece, turned = becomes[value // n]
                new_slot, orientation = divmod(image[slot * n + (value + turned) % n], n)
                after[orbit.first + new_slot] = puzzle.home[piece] + orientation % puzzle.distinct_orientations[piece]
        return puzzle.state_of(after)


@lru_cache(maxsize=64)
def symmetries(puzzle: PermutationPuzzle, moves: MoveSet) -> tuple[Symmetry, ...]:
    """The symmetries of a puzzle that are also symmetries of a move set and of what its moves cost, including the
    identity.

    Where pieces look alike, those that carry the goal to what looks like it, and none of the reversing ones: such a
    state has no inverse. Where moves are forbidden, the identity alone: the others may not keep what is forbidden.
    """
    chosen = [puzzle.moves.index(move) for move in moves.moves]
    undoing = {puzzle.moves.index(puzzle.inverse(move)): moves.cost(move) for move in moves.moves}
    cost = {number: moves.cost(move) for number, move in zip(chosen, moves.moves, strict=True)}
    found = []
    for places, images in _of_puzzle(puzzle):
        if not (puzzle.all_different or _keeps_looks(puzzle, places)):
            continue
        if puzzle.forbids and any(row != tuple(range(len(row))) for row in map(tuple, places)):
            continue
        to = {images[number]: cost[number] for number in chosen}
        if to == cost:
            found.append(Symmetry(places, images, False))
        if to == undoing and puzzle.all_different:
            found.append(Symmetry(places, images, True))
    return tuple(found)


def images_of_moves(puzzle: PermutationPuzzle, moves: MoveSet) -> list[tuple[Symmetry, list[int]]]:
    """A group of symmetries that do not invert, each with the number of the image of each move; the identity first.

    It has all of them, if all are known. Of very many only some are, which are no group: then it has the identity
    alone.
    """
    number = {puzzle.moves.index(move): i for i, move in enumerate(moves.moves)}
    found = [
        (symmetry, [number[symmetry.moves[move]] for move in number])
        for symmetry in symmetries(puzzle, moves)
        if not symmetry.reversing
    ]
    found.sort(key=lambda item: item[1] != list(range(len(number))))
    return found if _is_group(np.array([images for _, images in found], dtype=np.int64)) else found[:1]


def _is_group(images: Places) -> bool:
    """Whether the products of any two of these permutations are among them; shape (permutations, points)."""
    known = {row.tobytes() for row in images}
    for row in images:
        poll()
        if not all(product.tobytes() in known for product in row[images]):
            return False
    return True


def _keeps_looks(puzzle: PermutationPuzzle, images: Sequence[Sequence[int]]) -> bool:
    """Whether pieces that look alike become pieces that look alike, turned alike."""
    distinct = puzzle.distinct_orientations
    for orbit, image in zip(puzzle.orbits, images, strict=True):
        n = orbit.orientations
        for kind in puzzle.kinds(orbit):
            looks = set()
            for slot in kind:
                there, turned = divmod(image[(slot - orbit.first) * n], n)
                piece = orbit.first + there
                looks.add((puzzle.home[piece], distinct[piece], turned % distinct[slot]))
            if len(looks) > 1 or any(count != distinct[kind[0]] for _, count, _ in looks):
                return False
    return True


@lru_cache(maxsize=16)
def _of_puzzle(puzzle: PermutationPuzzle) -> list[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]]:
    """All symmetries of a puzzle with all its moves: images of the places of each orbit, and images of the moves.

    Only some of them if there are very many or finding them all would take long; always with the identity.
    """
    places = [orbit.pieces * orbit.orientations for orbit in puzzle.orbits]
    identity = tuple(tuple(range(count)) for count in places), tuple(range(len(puzzle.moves)))
    if len(puzzle.moves) ** 2 * sum(places) > MOST_PRODUCTS:
        return [identity]
    found = list(islice(_Search(puzzle).found(), MOST))
    return found if any(images == identity[0] for images, _ in found) else [identity, *found]


class _Search:
    """Tries images of the moves, and keeps those that extend to a permutation of places."""

    def __init__(self, puzzle: PermutationPuzzle) -> None:
        self.puzzle = puzzle
        self.carry = {o.name: np.stack([puzzle.carry(move, o) for move in puzzle.moves]) for o in puzzle.orbits}
        widths = np.cumsum([0, *(o.pieces * o.orientations for o in puzzle.orbits)])
        #: all orbits together; int64, shape (moves, places)
        self.whole = np.concatenate(
            [part + first for part, first in zip(self.carry.values(), widths, strict=False)], axis=1
        )
        self.number = {row.tobytes(): i for i, row in enumerate(self.whole)}
        self.trials = 0
        self._known: dict[tuple[int, int], Fitting] = {}
        self._trees: dict[tuple[str, int], Tree] = {}
        self.colours = self._colours()
        self.letters = self._letters()

    def _colours(self) -> Places:
        """For each pair of moves a number that no symmetry changes, from the cycles of their product, and the same for
        the reversed product."""
        every, marks = np.arange(self.whole.shape[1]), []
        for row in self.whole:
            poll()
            product = row[self.whole]  # the other move, then this one
            own = [(product == self.whole[:, row]).all(axis=1).astype(np.int64)]
            power = product
            for _ in range(6):
                own.append((power == every).sum(axis=1))
                power = np.take_along_axis(product, power, axis=1)
            marks.append(np.stack(own, axis=1))
        colours = np.zeros(len(self.whole) ** 2, dtype=np.int64)
        for column in np.concatenate(marks).T:
            _, colours = np.unique(colours * (column.max() + 1) + column, return_inverse=True)
        return colours.reshape(len(self.whole), len(self.whole))

    def _letters(self) -> list[int]:
        """Moves of which all others are powers. Those that touch most come first, because they have the fewest
        images."""
        letters: list[int] = []
        reached: set[bytes] = set()
        moved = (self.whole != np.arange(self.whole.shape[1])).sum(axis=1)
        for number in np.argsort(-moved, kind="stable").tolist():
            row = self.whole[number]
            if row.tobytes() in reached:
                continue
            letters.append(number)
            power = row
            while power.tobytes() not in reached:
                reached.add(power.tobytes())
                power = row[power]
        return letters

    def found(self) -> Iterator[tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]]:
        for images in self._assign([], self._fitting()):
            parts: list[Places] = []
            for orbit in self.puzzle.orbits:
                part = self._extend(orbit, images)
                if part is None:
                    break
                parts.append(part)
            if len(parts) < len(self.puzzle.orbits):
                continue
            places = tuple(tuple(part.tolist()) for part in parts)
            moves = self._moves(parts)
            if moves is not None:
                yield places, moves

    def _moves(self, parts: Sequence[Places]) -> tuple[int, ...] | None:
        """The image of each move; None if the image of one is not a move."""
        widths = np.cumsum([0, *(len(part) for part in parts)])
        image = np.concatenate([part + first for part, first in zip(parts, widths, strict=False)])
        conjugates = np.empty_like(self.whole)
        conjugates[:, image] = image[self.whole]
        images = [self.number.get(row.tobytes()) for row in conjugates]
        return None if None in images else tuple(number for number in images if number is not None)

    def _may_try(self) -> bool:
        """Count one more image of a move or a place; False after `MOST_TRIALS`."""
        poll()
        self.trials += 1
        return self.trials <= MOST_TRIALS

    def _fitting(self) -> Fitting:
        """By letter and move: whether the move, by itself, may be the letter's image."""
        own = self.colours.diagonal()
        return np.asarray(own == own[self.letters][:, np.newaxis])

    def _agreeing(self, letter: int, to: int) -> Fitting:
        """By letter and move: whether the move may be its image if ``to`` is that of this letter."""
        if (letter, to) not in self._known:
            number = self.letters[letter]
            before = self.colours[self.letters, number][:, np.newaxis]
            after = self.colours[number, self.letters][:, np.newaxis]
            agreeing = (self.colours[:, to] == before) & (self.colours[to] == after)
            agreeing[:, to] = False  # no two letters have one image
            self._known[letter, to] = agreeing
        return self._known[letter, to]

    def _assign(self, images: list[int], fitting: Fitting) -> Iterator[list[int]]:
        """All ways to map the letters to moves that keep the colours of all pairs."""
        i = len(images)
        if i == len(self.letters):
            yield images
            return
        for to in np.flatnonzero(fitting[i]).tolist():
            if not self._may_try():
                return
            left = fitting & self._agreeing(i, to)
            if left[i + 1 :].any(axis=1).all():  # every other letter has an image left
                yield from self._assign([*images, to], left)

    def _extend(self, orbit: Orbit, images: Sequence[int]) -> Places | None:
        """The permutation r of an orbit's places with r(m(x)) = m'(r(x)) for every letter m and its image m'."""
        before, after = self.carry[orbit.name][self.letters], self.carry[orbit.name][list(images)]
        places, n = np.arange(before.shape[1]), orbit.orientations
        image: Places = np.full(len(places), -1)
        # Slots that no letter touches stay, with their orientations turned like those of the others. Other places
        # that the letters do not connect are mapped one after another.
        resting = (before == places).all(axis=0).reshape(-1, n).all(axis=1)
        moving = np.flatnonzero(~resting)
        for start in (place for slot in moving for place in range(slot * n, slot * n + n)):
            if image[start] >= 0:
                continue
            # A fixed place of a move maps to a fixed place of the move's image.
            alike = ((after == places) == (before[:, start] == start)[:, np.newaxis]).all(axis=0)
            tree = self._tree(orbit, before, int(start))
            for to in np.flatnonzero(alike).tolist():
                if not self._may_try():
                    return None
                trial = _propagate(before, after, image, tree, to)
                if trial is not None and _keeps_slots(trial, n):
                    image = trial
                    break
            else:
                return None
        sense = 1 if not len(moving) or n < 3 else (image[moving[0] * n + 1] - image[moving[0] * n]) % n
        for slot in np.flatnonzero(resting):
            image[slot * n : slot * n + n] = slot * n + sense * np.arange(n) % n
        return image

    def _tree(self, orbit: Orbit, before: Places, start: int) -> Tree:
        """How the letters connect a place with others: the place, then layer by layer other places, from where a letter
        leads to each, and that letter."""
        if (orbit.name, start) not in self._trees:
            layers, seen, here = [np.array([[start], [start], [0]])], {start}, [start]
            while here:
                found = {}
                for place in here:
                    for letter, there in enumerate(before[:, place].tolist()):
                        if there not in seen:
                            seen.add(there)
                            found[there] = place, letter
                if found:
                    layers.append(np.array([[place, *found[place]] for place in found]).T)
                here = list(found)
            self._trees[orbit.name, start] = layers
        return self._trees[orbit.name, start]


def _propagate(before: Places, after: Places, image: Places, tree: Tree, to: int) -> Places | None:
    """``image`` with the first place of a tree mapped to ``to`` and the others as follows; None if that is
    contradictory."""
    image = image.copy()
    image[tree[0][0]] = to
    for places, sources, letters in tree[1:]:
        image[places] = after[letters, image[sources]]
    places = np.concatenate([layer[0] for layer in tree])
    return image if bool((image[before[:, places]] == after[:, image[places]]).all()) else None


def _keeps_slots(image: Places, n: int) -> bool:
    """Whether the known part is one-to-one, and maps each slot to one slot with its orientations turned one way."""
    if np.bincount(image[image >= 0]).max(initial=0) > 1:
        return False
    slots = image.reshape(-1, n)
    known = slots[(slots >= 0).all(axis=1)]
    if not bool((known // n == known[:, :1] // n).all()):
        return False
    turned = (known - known[:, :1]) % n
    return any(bool((turned == sense * np.arange(n) % n).all()) for sense in (1, -1))
