"""Rotations and reflections of the whole puzzle, and states that are valid only after one of these.

A rotation is a map of slots, like a move, but need not be reachable by moves. If it maps every move to a move it is
found from the moves. For puzzles with a fixed piece, such as the 2x2x2, the definition names it (``hstar.rotations``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from hstar.groups.permutations import cycle_type, order
from hstar.puzzles.base import Orbit, State
from hstar.puzzles.permutation import PermutationPuzzle, Turn
from hstar.puzzles.symmetry import Symmetry, symmetries

__all__ = ["Hold", "closure", "hold", "in_words", "reflections", "rotated", "rotation_home", "rotations"]

#: the most rotations that are considered
MOST = 120


def rotations(puzzle: PermutationPuzzle) -> list[Turn]:
    """The rotations of the whole puzzle that are symmetries of its moves; none if orientations do not distinguish them
    from reflections."""
    found = [_settled(puzzle, _turn(puzzle, own)) for own, sense in _of_moves(puzzle) if sense == 1]
    # What a rotation is known up to does not matter, and it leaves not every slot alone.
    return closure((turn for turn in found if turn is not None and not turn.is_identity), puzzle.orientations)


def _settled(puzzle: PermutationPuzzle, turn: Turn) -> Turn | None:
    """The turn with the orientations that a rotation has, None if they are not known.

    The moves determine a symmetry up to maps that commute with all moves, such as twisting all corners equally. If
    moves can reach such a map, it does not matter. Otherwise the order of the rotation decides: repeated that often, it
    must be the identity.
    """
    source, twist = turn.source, list(turn.twist)
    times = order(cycle_type(tuple(source)))
    for slots in _connected(puzzle):
        n = puzzle.orientations[slots[0]]
        if n == 1 or puzzle.is_reachable(_twisted(puzzle, puzzle.solved, slots)):
            continue
        if gcd(times, n) > 1 or not all(source[slot] in slots for slot in slots):
            return None
        # So often, a twist of all the slots comes to times * twist.
        power = turn
        for _ in range(times - 1):
            power = power.then(turn, puzzle.orientations)
        too_much = {power.twist[slot] % n for slot in slots}
        if len(too_much) > 1:
            return None
        back = -too_much.pop() * pow(times, -1, n)
        for slot in slots:
            twist[slot] = (twist[slot] + back) % n
    return Turn(source, tuple(twist))


def _connected(puzzle: PermutationPuzzle) -> list[list[int]]:
    """The sets of slots that moves connect."""
    parts, seen = [], set[int]()
    for start in range(len(puzzle.orientations)):
        if start not in seen:
            part = [start]
            seen.add(start)
            for slot in part:
                fresh = {turn.source[slot] for turn in puzzle.turns.values()} - seen
                seen |= fresh
                part += sorted(fresh)
            parts.append(sorted(part))
    return parts


def _twisted(puzzle: PermutationPuzzle, state: State, slots: Sequence[int]) -> State:
    after = list(puzzle.contents(state))
    for slot in slots:
        n = puzzle.orientations[slot]
        piece, turned = divmod(after[slot], n)
        after[slot] = piece * n + (turned + 1) % n
    return puzzle.state_of(after)


def reflections(puzzle: PermutationPuzzle) -> list[Symmetry]:
    """The reflections that are symmetries of its moves."""
    return [own for own, sense in _of_moves(puzzle) if sense == -1]


def _of_moves(puzzle: PermutationPuzzle) -> Iterator[tuple[Symmetry, int]]:
    """The symmetries of the moves, and whether they keep the sense in which orientations count (1, or -1)."""
    telling = [number for number, orbit in enumerate(puzzle.orbits) if orbit.orientations > 2]
    if puzzle.all_different and telling:
        for own in symmetries(puzzle, puzzle.move_set("all")):
            if not own.reversing:
                image, n = own.images[telling[0]], puzzle.orbits[telling[0]].orientations
                yield own, 1 if (image[1] - image[0]) % n == 1 else -1


def _turn(puzzle: PermutationPuzzle, symmetry: Symmetry) -> Turn:
    source, twist = [0] * len(puzzle.orientations), [0] * len(puzzle.orientations)
    for orbit, image in zip(puzzle.orbits, symmetry.images, strict=True):
        for slot in range(orbit.pieces):
            there, turned = divmod(image[slot * orbit.orientations], orbit.orientations)
            source[orbit.first + there], twist[orbit.first + there] = orbit.first + slot, turned
    return Turn(tuple(source), tuple(twist))


def closure(generators: Iterable[Turn], orientations: Sequence[int]) -> list[Turn]:
    """All products of the rotations, one for each map of the slots, without the identity."""
    generators = list({turn.source: turn for turn in generators}.values())
    found = {turn.source: turn for turn in generators}
    waiting = list(generators)
    for turn in waiting:
        for after in generators:
            made = turn.then(after, orientations)
            if made.source not in found and len(found) <= MOST:
                found[made.source] = made
                waiting.append(made)
    found.pop(tuple(range(len(orientations))), None)
    return list(found.values())


def rotated(puzzle: PermutationPuzzle, state: State, turn: Turn) -> State:
    """The state after the whole puzzle was rotated."""
    held = puzzle.contents(state)
    after = list(held)
    for orbit in puzzle.orbits:
        n = orbit.orientations
        for slot in orbit.slots:
            piece, turned = divmod(held[turn.source[slot]], n)
            after[slot] = piece * n + (turned + turn.twist[slot]) % n
    return puzzle.state_of(after)


def rotation_home(puzzle: PermutationPuzzle, state: State, known: Sequence[Turn]) -> Turn | None:
    """The rotation after which moves reach the state; of several the one with the most solved pieces; None if there is
    none."""
    fitting = [turn for turn in known if puzzle.is_reachable(rotated(puzzle, state, turn))]

    def at_home(turn: Turn) -> int:
        held, home = puzzle.contents(rotated(puzzle, state, turn)), puzzle.contents(puzzle.solved)
        return sum(a == b for a, b in zip(held, home, strict=True))

    return max(fitting, key=at_home, default=None)


def in_words(puzzle: PermutationPuzzle, turn: Turn) -> str:
    """The images of two slots, which say how to rotate the whole puzzle."""
    moved: list[tuple[Orbit, int, int]] = [
        (orbit, turn.source[slot] - orbit.first, slot - orbit.first)
        for orbit in sorted(puzzle.orbits, key=lambda orbit: -orbit.orientations)
        for slot in orbit.slots
        if turn.source[slot] != slot
    ]
    parts = [f"what is at {puzzle.place_name(o, a)} comes to {puzzle.place_name(o, b)}" for o, a, b in moved[:2]]
    return "rotate it as a whole so that " + " and ".join(parts)


@dataclass(frozen=True)
class Hold:
    """What stays in its place while a puzzle is turned, so that its rotations as a whole do not matter: every piece of
    an orbit that moves only rotate (the centres of a cube), or one piece with its orientation (a corner of a 2x2x2).

    :param slots: the slots held
    :param turned: whether their orientations are held too
    :param orientations: the number of orientations of every slot
    """

    rotations: Sequence[Turn]
    slots: Sequence[int]
    turned: bool
    orientations: Sequence[int]

    @cached_property
    def _by_image(self) -> dict[tuple[int, ...], Turn]:
        found: dict[tuple[int, ...], Turn] = {}
        for turn in self.rotations:
            found.setdefault(self._of(turn.source, turn.twist), turn)
        return found

    def _of(self, source: Sequence[int], twist: Sequence[int]) -> tuple[int, ...]:
        key = [source[slot] for slot in self.slots]
        return (*key, *(twist[slot] % self.orientations[slot] for slot in self.slots)) if self.turned else tuple(key)

    @property
    def is_one_way(self) -> bool:
        """Whether what is held tells every rotation."""
        return len(self._by_image) == len(self.rotations)

    def back(self, turn: Turn) -> Turn | None:
        """The rotation after which a turn leaves in place what is held; None if none does."""
        return self.way_back(turn.inverse(self.orientations))

    def way_back(self, undone: Turn) -> Turn | None:
        """`back`, of the inverse of a turn."""
        return self._by_image.get(self._of(undone.source, undone.twist))

    def keeps(self, turn: Turn) -> bool:
        """Whether a turn leaves in place what is held."""
        return (rotation := self.back(turn)) is not None and rotation.is_identity

    def follows(self, turn: Turn) -> bool:
        """Whether the rotation that brings home what is held is about the axis of the turn. Else the square of both
        together would be two turns of different layers, and no power of one."""
        rotation = self.back(turn)
        return rotation is not None and (
            turn.then(rotation, self.orientations) == rotation.then(turn, self.orientations)
        )

    def home(self, puzzle: PermutationPuzzle, state: State) -> State:
        """The state rotated as a whole, so that what is held is at home; as it is, if that cannot be."""
        held = puzzle.contents(state)
        where = {held[slot] // self.orientations[slot]: slot for slot in self._same_orbit(puzzle)}
        source, twist = list(range(len(held))), [0] * len(held)
        if len(where) < len(self._same_orbit(puzzle)):
            return state
        for slot in self.slots:
            there = where.get(puzzle.home[slot] // self.orientations[slot])
            if there is None:
                return state
            source[slot], twist[slot] = there, -held[there] % self.orientations[slot]
        rotation = self._by_image.get(self._of(source, twist))
        return state if rotation is None else rotated(puzzle, state, rotation)

    def _same_orbit(self, puzzle: PermutationPuzzle) -> range:
        return next(orbit.slots for orbit in puzzle.orbits if self.slots[0] in orbit.slots)


def hold(
    different: Sequence[Orbit],
    orientations: Sequence[int],
    turning: Mapping[str, Turn],
    powers: Sequence[Turn],
    rotations: Sequence[Turn],
    usual: Sequence[str],
) -> Hold | None:
    """What to hold; None if nothing tells all rotations.

    :param different: the orbits whose pieces all look different
    :param turning: the moves that do not rotate the whole puzzle
    :param powers: of these, among them what undoes each: after each of them some rotation brings home what is held
    :param usual: those whose names should stay as they are, if that is possible
    """
    size = len(orientations)
    every = [Turn(tuple(range(size)), (0,) * size), *rotations]
    undone = [turn.inverse(orientations) for turn in powers]  # once, not for everything that may be held
    undone_of = {name: turn.inverse(orientations) for name, turn in turning.items()}
    for orbit in different:
        whole = Hold(every, tuple(orbit.slots), False, orientations)
        if (
            whole.is_one_way
            and all(whole.keeps(turning[name]) for name in usual)
            and all(whole.way_back(turn) is not None for turn in undone)
            and all(map(whole.follows, turning.values()))
        ):
            return whole
    best: tuple[object, ...] | None = None
    found = None
    first = [name for name in ("U", "R", "F") if name in turning]
    for orbit in different:
        for slot in orbit.slots:
            one = Hold(every, (slot,), True, orientations)
            if not one.is_one_way or any(one.way_back(turn) is None for turn in undone):
                continue
            if not all(map(one.follows, turning.values())):
                continue
            ways = {name: one.way_back(turn) for name, turn in undone_of.items()}
            moved = {name for name, way in ways.items() if way is None or not way.is_identity}
            # A corner rather than a centre, which looks like others on a puzzle in the hand.
            key = (
                -orbit.orientations,
                len(moved & set(usual)),
                len(moved),
                [name in moved for name in first],
                orbit.first,
                slot,
            )
            if best is None or key < best:
                best, found = key, one
    return found
