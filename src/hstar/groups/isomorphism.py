"""Is a system of turns another one under other names and numbers?

Two systems are isomorphic if turns can be assigned to turns, and slots to slots, so that every turn does the same. The
search is complete. Turns are assigned one by one, and each pair of turns must agree in `TurnSystem.pair`, which leaves
few assignments. Then the slots follow: turns connect all slots of an orbit, so the image of one slot determines the
images of the whole orbit, and there are at most as many ways as the orbit has slots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hstar.groups.turn_system import TurnSystem
from hstar.polling import poll

#: our turn by the number of theirs
Assignment = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Isomorphism:
    """Our turn for each of theirs, and our slot for each of theirs that moves."""

    turns: Assignment
    slots: dict[int, int]


def find(theirs: TurnSystem, ours: TurnSystem, symmetries: Sequence[Assignment] | None = None) -> Isomorphism | None:
    """An isomorphism, or None if there is none.

    :param symmetries: the symmetries of our system, which make it quick to see that there is none; computed if None
    """
    if sorted(theirs.types) != sorted(ours.types) or len(theirs.moved) != len(ours.moved):
        return None
    for assignment in assignments(theirs, ours, symmetries=symmetries):
        found = with_turns(theirs, ours, assignment)
        if found is not None:
            return found
    return None


def assignments(
    theirs: TurnSystem,
    ours: TurnSystem,
    numbers: Sequence[int] | None = None,
    symmetries: Sequence[Assignment] | None = None,
) -> Iterator[Assignment]:
    """The assignments of turns in which every pair of turns agrees, one for each class of assignments that symmetries
    of our system map to each other.

    :param numbers: their turns to assign; all if None
    :param symmetries: the symmetries of our system; computed if None
    """
    wanted = list(range(len(theirs.turns)) if numbers is None else numbers)
    in_order = _meeting(theirs, wanted)
    parts = [theirs.only(in_order[:count]) for count in range(len(wanted) + 1)]
    chosen: list[int] = []

    def fits(number: int, candidate: int) -> bool:
        poll()
        if candidate in chosen or theirs.types[number] != ours.types[candidate]:
            return False
        if any(
            theirs.pair(before, number) != ours.pair(image, candidate)
            for before, image in zip(in_order, chosen, strict=False)
        ):
            return False
        count = len(chosen) + 1
        return count < 3 or with_turns(parts[count], ours.only([*chosen, candidate]), range(count)) is not None

    def extend(fixing: Sequence[Assignment]) -> Iterator[Assignment]:
        if len(chosen) == len(wanted):
            images = dict(zip(in_order, chosen, strict=True))
            yield tuple(images[number] for number in wanted)
            return
        for candidate in range(len(ours.turns)):
            if any(symmetry[candidate] < candidate for symmetry in fixing):
                continue  # the smallest of its class is used
            if fits(in_order[len(chosen)], candidate):
                chosen.append(candidate)
                yield from extend([symmetry for symmetry in fixing if symmetry[candidate] == candidate])
                chosen.pop()

    yield from extend(symmetries_of(ours) if symmetries is None else symmetries)


def _meeting(system: TurnSystem, numbers: Sequence[int]) -> list[int]:
    """The turns in an order in which each commutes with as few earlier ones as possible, so that wrong assignments end
    early."""
    left = list(numbers)
    found = left[:1]
    del left[:1]
    while left:
        best = max(left, key=lambda n: sum(bool(system.commutator_types(n, before)) for before in found))
        left.remove(best)
        found.append(best)
    return found


@cache
def symmetries_of(system: TurnSystem) -> list[Assignment]:
    """The permutations of its turns that do not change a system: rotations and reflections."""
    return list(assignments(system, system, symmetries=()))


def with_turns(theirs: TurnSystem, ours: TurnSystem, assignment: Sequence[int]) -> Isomorphism | None:
    """The isomorphism with this assignment of turns, or None."""
    if len(theirs.moved) != len(ours.moved):
        return None
    carried: dict[int, int] = {}
    used: set[int] = set()
    for orbit in theirs.orbits:
        found = _orbit(theirs, ours, assignment, orbit, used)
        if found is None:
            return None
        carried |= found
        used.update(found.values())
    return Isomorphism(tuple(assignment), carried)


def _orbit(
    theirs: TurnSystem, ours: TurnSystem, assignment: Sequence[int], orbit: tuple[int, ...], used: set[int]
) -> dict[int, int] | None:
    """The images of one orbit. If several of our orbits are equal, any of them will do."""
    start = orbit[0]
    movers = frozenset(assignment[number] for number in theirs.movers[start])
    same = start < len(ours.movers) and ours.movers[start] == movers
    candidates = [slot for slot in ours.pieces.get(movers, ()) if slot not in used]
    if same and start in candidates:  # keeps the numbers if the student did not renumber
        candidates.remove(start)
        candidates.insert(0, start)
    # The candidates are moved by turns of the same kinds, but need not fit, so all are tried.
    for candidate in candidates:
        found = _walk(theirs, ours, assignment, start, candidate)
        if found is not None:
            return found
    return None


def _walk(
    theirs: TurnSystem, ours: TurnSystem, assignment: Sequence[int], start: int, image: int
) -> dict[int, int] | None:
    """The images of all slots of an orbit if one of them goes to ``image``; None if that is contradictory."""
    carried = {start: image}
    taken = {image}
    todo = [start]
    pairs = [(turn, ours.turns[assignment[number]]) for number, turn in enumerate(theirs.turns)]
    while todo:
        slot = todo.pop()
        there = carried[slot]
        for turn, our_turn in pairs:
            source, our_source = turn[slot], our_turn[there]
            known = carried.get(source)
            if known is None:
                if our_source in taken:
                    return None
                carried[source] = our_source
                taken.add(our_source)
                todo.append(source)
            elif known != our_source:
                return None
    return carried
