"""The smallest repair, by taking out pieces, of a state that has the right pieces but cannot be reached by moves.

A repair turns single pieces and swaps two of one orbit. Usually several pieces would do: any corner of a cube may be
turned. So a piece that is solved afterwards is preferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Protocol

from hstar.errors import Fault
from hstar.puzzles.base import Orbit, State

__all__ = ["Repair", "repair"]

#: the most pieces that are turned or swapped
MOST_STEPS = 4
#: all single steps are tried if there are at most this many; for larger puzzles, one of each kind
MOST_SINGLE = 200
#: if there are at most this many pieces, all steps are combined with others
SMALL = 4
#: the most combinations of steps that are tried
MOST_TRIED = 1000


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
    solved: State
    turns_clockwise: bool

    def contents(self, state: State) -> Sequence[int]: ...

    def state_of(self, values: Sequence[int]) -> State: ...

    @property
    def turns(self) -> Mapping[str, Turn]: ...

    def is_reachable(self, state: State) -> bool: ...

    def reachability_faults(self, state: State) -> list[Fault]: ...

    def place_name(self, orbit: Orbit, slot: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Step:
    """The piece in ``slot`` is turned by ``turned``, or swapped with the one in ``other``."""

    orbit: Orbit
    slot: int
    turned: int = 0
    other: int | None = None

    def apply(self, state: State, puzzle: Mendable) -> State:
        after = list(puzzle.contents(state))
        if self.other is not None:
            after[self.slot], after[self.other] = after[self.other], after[self.slot]
        else:
            n = self.orbit.orientations
            piece, orientation = divmod(after[self.slot], n)
            after[self.slot] = piece * n + (orientation + self.turned) % n
        return puzzle.state_of(after)


@dataclass(frozen=True, slots=True)
class Repair:
    """What to do to the pieces, in words, and the resulting state."""

    text: str
    state: State


def repair(puzzle: Mendable, state: State) -> Repair | None:
    """A repair with the fewest steps, after swapping or turning pieces that are where no moves bring them. None if none
    was found within some hundred tries."""
    places_of = _connected_places(puzzle)
    connected = _connected(places_of)
    first, begun = _strays(puzzle, state, connected, places_of)
    own: list[Step] = []
    small: list[Step] = []
    every: list[Step] = []
    for slots in connected:
        orbit = next(orbit for orbit in puzzle.orbits if slots[0] in orbit.slots)
        for kind in _kinds(orbit, slots):
            steps = sorted(kind, key=lambda step: -_at_home(puzzle, step.apply(begun, puzzle)))  # stable
            own += steps[:1]
            small += steps[1:] if len(slots) <= SMALL else []
            every += steps
    if len(every) > MOST_SINGLE:
        every = own + small
    candidates = chain(
        combinations(own, 0), combinations(every, 1), combinations(own, 2), combinations(own + small, 2),
        combinations(own, 3), combinations(own + small, 3), combinations(own, MOST_STEPS),
    )  # fmt: skip
    for tried in islice(candidates, MOST_TRIED):
        after = begun
        for step in tried:
            after = step.apply(after, puzzle)
        if puzzle.is_reachable(after):
            return Repair("; ".join(_in_words(puzzle, step) for step in (*first, *tried)), after)
    return _fault_by_fault(puzzle, first, own + small, begun)


def _fault_by_fault(puzzle: Mendable, first: list[Step], steps: list[Step], state: State) -> Repair | None:
    """Repair greedily, with the step that leaves the fewest faults."""
    made = list(first)
    for _ in range(MOST_STEPS):
        best = min(steps, key=lambda step: len(puzzle.reachability_faults(step.apply(state, puzzle))), default=None)
        if best is None:
            return None
        made.append(best)
        state = best.apply(state, puzzle)
        if puzzle.is_reachable(state):
            return Repair("; ".join(_in_words(puzzle, step) for step in made), state)
    return None


def _strays(
    puzzle: Mendable, state: State, connected: list[list[int]], places_of: Mapping[tuple[int, int], int]
) -> tuple[list[Step], State]:
    """Steps for pieces in slots or orientations that no moves reach; and the state after them."""
    steps: list[Step] = []
    slots_of = {slot: number for number, slots in enumerate(connected) for slot in slots}
    for orbit in puzzle.orbits:
        n = orbit.orientations

        def part(slot: int, state: State, orbit: Orbit = orbit) -> int:
            """The slots among which the piece in a slot belongs."""
            return slots_of[orbit.first + puzzle.contents(state)[slot] // orbit.orientations]

        for slot in orbit.slots:
            if part(slot, state) != slots_of[slot]:
                there = [other for other in orbit.slots if part(other, state) == slots_of[slot] != slots_of[other]]
                best = max(there, key=lambda other: slots_of[other] == part(slot, state))
                steps.append(Step(orbit, slot, other=best))
                state = steps[-1].apply(state, puzzle)
        for slot in orbit.slots:
            home, turned = divmod(puzzle.contents(state)[slot], n)
            wanted = places_of[orbit.first + home, 0]
            if places_of[slot, turned] != wanted:
                fitting = [t for t in range(1, n) if places_of[slot, (turned + t) % n] == wanted]
                steps += [Step(orbit, slot, t) for t in fitting[:1]]
                state = steps[-1].apply(state, puzzle) if fitting else state
    return steps, state


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


def _kinds(orbit: Orbit, slots: list[int]) -> Iterator[list[Step]]:
    """The single steps among some slots of an orbit: each turn of any of its pieces, and each swap of two."""
    for turned in range(1, orbit.orientations):
        yield [Step(orbit, slot, turned) for slot in slots]
    if len(slots) > 1:
        yield [Step(orbit, one, other=two) for one, two in combinations(slots, 2)]


def _at_home(puzzle: Mendable, state: State) -> int:
    return sum(value == home for value, home in zip(state, puzzle.solved, strict=True))


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
