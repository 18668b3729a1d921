"""The smallest repair, by taking out pieces, of a state that has the right pieces but cannot be reached by moves.

A repair turns single pieces and swaps two of one orbit; the smallest has the fewest of these steps. All sets of steps
are searched, the small ones first, until the group of the moves has the state. Usually several sets of equal size
would do: any corner of a cube may be turned. So one after which pieces are solved is preferred. Where the search ends
at its bound, a repair by one step of each kind is taken, if there is one, and not called the smallest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Protocol

from hstar.puzzles.base import Orbit, State

__all__ = ["Repair", "repair"]

#: the most slots of all states that are looked at for the smallest repair: a tenth of a second
MOST_SLOTS = 100_000
#: of so many states it is tried whether one is of the coset of another
MOST_ALIKE = 12
#: the most sets of steps that are tried for a repair that may not be the smallest
MOST_TRIED = 1000
#: the most steps after those for pieces that are where no moves bring them, of a repair that may not be the smallest
MOST_STEPS = 4
#: the most steps of a repair that solves the puzzle
MOST_HOME = 12
#: of so many connected slots all steps are tried for that, of more slots one of each kind
SMALL = 4


class Turn(Protocol):
    """`hstar.puzzles.permutation.Turn`."""

    @property
    def source(self) -> Sequence[int]: ...

    @property
    def twist(self) -> Sequence[int]: ...


class Mendable(Protocol):
    """The part of `hstar.puzzles.permutation.PermutationPuzzle` that is needed here; that module imports this one."""

    orbits: tuple[Orbit, ...]
    orientations: Sequence[int]
    home: Sequence[int]
    turns_clockwise: bool

    def contents(self, state: State) -> Sequence[int]: ...

    def state_of(self, values: Sequence[int]) -> State: ...

    @property
    def turns(self) -> Mapping[str, Turn]: ...

    def compose(self, first: State, second: State) -> State: ...

    def inverse_state(self, state: State) -> State: ...

    def is_reachable(self, state: State) -> bool: ...

    @property
    def unchanged(self) -> Sequence[tuple[int, int]]: ...

    def invariants(self, state: State) -> list[tuple[int, int]]: ...

    def place_name(self, orbit: Orbit, slot: int) -> str: ...


#: swaps in an orbit, or turns (1): the orbit's number first. Steps are made in this order
Kind = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """The piece in ``slot`` is turned by ``turned``, or swapped with the one in ``other``, an earlier slot."""

    orbit: Orbit
    slot: int
    turned: int = 0
    other: int | None = None

    def apply(self, held: Sequence[int]) -> list[int]:
        """What slots hold after the step."""
        after = list(held)
        if self.other is not None:
            after[self.slot], after[self.other] = after[self.other], after[self.slot]
        else:
            n = self.orbit.orientations
            piece, orientation = divmod(after[self.slot], n)
            after[self.slot] = piece * n + (orientation + self.turned) % n
        return after

    def solves(self, held: Sequence[int], home: Sequence[int]) -> int:
        """How many more pieces are at home after the step."""
        if self.other is None:
            n, value = self.orbit.orientations, held[self.slot]
            after = value // n * n + (value % n + self.turned) % n
            return (after == home[self.slot]) - (value == home[self.slot])
        one, two = held[self.slot], held[self.other]
        there, here = home[self.slot], home[self.other]
        return (two == there) + (one == here) - (one == there) - (two == here)


@dataclass(frozen=True, slots=True)
class Repair:
    """What to do to the pieces, in words, the resulting state, the number of steps, and whether none has fewer."""

    text: str
    state: State
    steps: int
    smallest: bool


def repair(puzzle: Mendable, state: State) -> Repair | None:
    """The smallest repair of a state of different pieces that moves do not reach. If that is not found within the
    bound, another; None if there is none either."""
    held = list(puzzle.contents(state))
    search = _Search(puzzle, held)
    found = search.smallest()
    steps = _by_kinds(puzzle, held) if found is None else found
    if steps is None:
        return None
    for step in steps:
        held = step.apply(held)
    text = "; ".join(_in_words(puzzle, step) for step in steps)
    return Repair(text, puzzle.state_of(held), len(steps), len(steps) <= search.least)


class _TooMany(Exception):
    """The search has looked at as much as it may."""


class _Search:
    """A search for the fewest steps, deeper and deeper; ``least`` is how many are known to be needed.

    Steps are made in one order: by orbit, swaps before turns, and by the slot. What some steps lead to, as many in this
    order do: instead of a turn before a swap, the same piece is turned after it; two turns of a piece are one; and each
    permutation is a product of as few swaps as it needs, whose later slots ascend.
    """

    def __init__(self, puzzle: Mendable, held: Sequence[int]) -> None:
        self.puzzle, self.start = puzzle, list(held)
        self._left = MOST_SLOTS
        self._places = _connected_places(puzzle)
        self._firsts = [orbit.first for orbit in puzzle.orbits for _ in orbit.slots]
        #: what a kind of steps must mend because no move does: a parity, or a sum modulo something
        self._wrong = {
            (orbit, kind): value
            for orbit, values in enumerate(puzzle.invariants(puzzle.state_of(held)))
            for kind, value in enumerate(values)
            if value
        }
        self.least = max(1, len(self._wrong))
        self._seen: dict[object, list[tuple[int, Kind, int, State]]] = {}

    def smallest(self) -> list[Step] | None:
        """The fewest steps; None if the bound ends the search."""
        try:
            while (found := self._deeper(self.start, self.least, (0, 0), -1, self._wrong)) is None:
                self.least += 1
                self._seen.clear()
        except _TooMany:
            return None
        return self._preferred(found)

    def _deeper(
        self, held: list[int], left: int, kind: Kind, index: int, wrong: Mapping[Kind, int]
    ) -> list[Step] | None:
        """That many steps to a state that moves reach, each later than this kind and slot; None if there are none."""
        first = min(wrong, default=None)
        if len(wrong) > left or (first is not None and first < kind):
            return None
        for own in self._kinds(kind):
            if len(wrong) == left and own != first:
                continue
            steps = self._steps(own, index if own == kind else -1)
            if left == 1:
                steps = iter(sorted(steps, key=lambda step: -step.solves(held, self.puzzle.home)))  # stable
            for step in steps:
                self._count()
                rest = self._mended(wrong, own, step)
                if len(rest) >= left:
                    continue
                after = step.apply(held)
                if left == 1:
                    if self.puzzle.is_reachable(self.puzzle.state_of(after)):
                        return [step]
                elif not self._known(after, left - 1, own, step.slot, rest):
                    found = self._deeper(after, left - 1, own, step.slot, rest)
                    if found is not None:
                        return [step, *found]
        return None

    def _kinds(self, begin: Kind) -> Iterator[Kind]:
        for number, orbit in enumerate(self.puzzle.orbits):
            if orbit.pieces > 1 and (number, 0) >= begin:
                yield number, 0
            if orbit.orientations > 1 and (number, 1) >= begin:
                yield number, 1

    def _steps(self, kind: Kind, index: int) -> Iterator[Step]:
        """The steps of a kind with a later slot."""
        orbit = self.puzzle.orbits[kind[0]]
        for slot in range(max(orbit.first, index + 1), orbit.first + orbit.pieces):
            if kind[1]:
                yield from (Step(orbit, slot, turned) for turned in range(1, orbit.orientations))
            else:
                yield from (Step(orbit, slot, other=other) for other in range(orbit.first, slot))

    def _mended(self, wrong: Mapping[Kind, int], kind: Kind, step: Step) -> Mapping[Kind, int]:
        """What is wrong after a step."""
        modulus = self.puzzle.unchanged[kind[0]][kind[1]]
        value = (wrong.get(kind, 0) + (step.turned if kind[1] else 1)) % modulus
        rest = {own: amount for own, amount in wrong.items() if own != kind}
        return rest | {kind: value} if value else rest

    def _known(self, held: list[int], left: int, kind: Kind, index: int, wrong: Mapping[Kind, int]) -> bool:
        """Whether a state of the same coset was looked at, with as many steps left: the same steps mend both."""
        puzzle = self.puzzle
        places = self._places
        # Moves take pieces to connected places only, so elements of a coset have pieces of the same places in a slot.
        key = (
            tuple(sorted(wrong.items())),
            tuple(
                places[first + value // n, -value % n]
                for value, n, first in zip(held, puzzle.orientations, self._firsts, strict=True)
            ),
        )
        state = puzzle.state_of(held)
        others = self._seen.setdefault(key, [])
        for deep, own, at, undone in others[:MOST_ALIKE]:
            if deep >= left and (own, at) <= (kind, index):
                self._count()
                if puzzle.is_reachable(puzzle.compose(state, undone)):
                    return True
        others.append((left, kind, index, puzzle.inverse_state(state)))
        return False

    def _preferred(self, steps: list[Step]) -> list[Step]:
        """As many steps of the same kinds after which more pieces are at home, if there are such."""
        held = self.start
        for number in range(len(steps) if len(steps) > 1 else 0):
            own = (self.puzzle.orbits.index(steps[number].orbit), int(steps[number].other is None))
            for step in sorted(self._steps(own, -1), key=lambda step: -step.solves(held, self.puzzle.home)):
                after = step.apply(held)
                for later in steps[number + 1 :]:
                    after = later.apply(after)
                if self.puzzle.is_reachable(self.puzzle.state_of(after)):
                    steps[number] = step
                    break
            held = steps[number].apply(held)
        return steps

    def _count(self) -> None:
        self._left -= len(self.start)
        if self._left < 0:
            raise _TooMany


def _by_kinds(puzzle: Mendable, held: list[int]) -> list[Step] | None:
    """Steps for pieces that are where no moves bring them, and then few steps, of which one of each kind is tried."""
    places_of = _connected_places(puzzle)
    connected = _connected(places_of)
    first, begun = _strays(puzzle, held, connected, places_of)
    own: list[Step] = []
    small: list[Step] = []
    for slots in connected:
        orbit = next(orbit for orbit in puzzle.orbits if slots[0] in orbit.slots)
        for kind in _alike(orbit, slots):
            steps = sorted(kind, key=lambda step: -step.solves(begun, puzzle.home))  # stable
            own += steps[:1]
            small += steps[1:] if len(slots) <= SMALL else []
    candidates = chain(*(combinations(own + small * (size < MOST_STEPS), size) for size in range(MOST_STEPS + 1)))
    for tried in islice(candidates, MOST_TRIED):
        after = begun
        for step in tried:
            after = step.apply(after)
        if puzzle.is_reachable(puzzle.state_of(after)):
            return [*first, *tried]
    home = _all_home(puzzle, held)
    return home if len(home) <= MOST_HOME else None


def _all_home(puzzle: Mendable, held: list[int]) -> list[Step]:
    """Steps after which every piece is at home."""
    steps: list[Step] = []
    for orbit in puzzle.orbits:
        for slot in reversed(orbit.slots):
            there = next(own for own in orbit.slots if held[own] // orbit.orientations == slot - orbit.first)
            steps += [Step(orbit, slot, other=there)] if there != slot else []
            held = steps[-1].apply(held) if there != slot else held
        turned = ((slot, held[slot] % orbit.orientations) for slot in orbit.slots)
        steps += [Step(orbit, slot, orbit.orientations - amount) for slot, amount in turned if amount]
    return steps


def _strays(
    puzzle: Mendable, held: list[int], connected: list[list[int]], places_of: Mapping[tuple[int, int], int]
) -> tuple[list[Step], list[int]]:
    """Steps for pieces in slots or orientations that no moves reach; and what slots hold after them."""
    steps: list[Step] = []
    slots_of = {slot: number for number, slots in enumerate(connected) for slot in slots}
    for orbit in puzzle.orbits:
        n = orbit.orientations

        def part(slot: int, held: list[int], orbit: Orbit = orbit) -> int:
            """The slots among which the piece in a slot belongs."""
            return slots_of[orbit.first + held[slot] // orbit.orientations]

        for slot in orbit.slots:
            if part(slot, held) != slots_of[slot]:
                there = [other for other in orbit.slots if part(other, held) == slots_of[slot] != slots_of[other]]
                best = max(there, key=lambda other: slots_of[other] == part(slot, held))
                steps.append(Step(orbit, slot, other=best))
                held = steps[-1].apply(held)
        for slot in orbit.slots:
            home, turned = divmod(held[slot], n)
            wanted = places_of[orbit.first + home, 0]
            if places_of[slot, turned] != wanted:
                fitting = [t for t in range(1, n) if places_of[slot, (turned + t) % n] == wanted]
                steps += [Step(orbit, slot, t) for t in fitting[:1]]
                held = steps[-1].apply(held) if fitting else held
    return steps, held


def _connected(places_of: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """The sets of slots that moves connect."""
    found: dict[int, list[int]] = {}
    for (slot, _), number in places_of.items():
        found.setdefault(number, []).append(slot)
    together: list[set[int]] = []
    for slots in map(set, found.values()):
        meeting = [other for other in together if other & slots]
        together = [other for other in together if not other & slots] + [slots.union(*meeting)]
    return sorted(sorted(slots) for slots in together)


def _connected_places(puzzle: Mendable) -> dict[tuple[int, int], int]:
    """A number for each slot and orientation, equal for those that moves connect."""
    number: dict[tuple[int, int], int] = {}
    for slot, n in enumerate(puzzle.orientations):
        for turned in range(n):
            if (slot, turned) in number:
                continue
            todo = [(slot, turned)]
            number[slot, turned] = own = len(number)
            for at, now in todo:
                for turn in puzzle.turns.values():
                    # Backwards as well as forwards: every move has its inverse among them.
                    source = turn.source[at]
                    there = source, (now - turn.twist[at]) % puzzle.orientations[source]
                    if there not in number:
                        number[there] = own
                        todo.append(there)
    return number


def _alike(orbit: Orbit, slots: list[int]) -> Iterator[list[Step]]:
    """The single steps among some slots of an orbit: each turn of any of its pieces, and each swap of two."""
    for turned in range(1, orbit.orientations):
        yield [Step(orbit, slot, turned) for slot in slots]
    if len(slots) > 1:
        yield [Step(orbit, two, other=one) for one, two in combinations(slots, 2)]


def _in_words(puzzle: Mendable, step: Step) -> str:
    orbit = step.orbit
    one = re.sub(r"s?[0-9]*$", "", orbit.name.lower())
    place = puzzle.place_name(orbit, step.slot - orbit.first)
    if step.other is not None:
        return f"swap the {one}s at {place} and {puzzle.place_name(orbit, step.other - orbit.first)}"
    if orbit.orientations == 2:
        return f"flip the {one} at {place}"
    if orbit.orientations == 3 and puzzle.turns_clockwise:
        return f"turn the {one} at {place} {'clockwise' if step.turned == 1 else 'counter-clockwise'}"
    return f"turn the {one} at {place} by {step.turned} of {orbit.orientations}"
