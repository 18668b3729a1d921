"""Puzzles with identical pieces, solved as puzzles whose pieces are all different.

The twin of a puzzle has the same moves, and different pieces where the puzzle has identical ones. Each state of the
puzzle is what several states of the twin look like, one for each way to tell the identical pieces apart; a solution
of any of them that the moves reach is a solution of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Annotated

from pydantic import Field

from hstar.options import Tuning
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.orbit_by_orbit import OrbitSettings, orbit_by_orbit
from hstar.search.budget import Budget
from hstar.search.method import Constants
from hstar.search.run import Run, Search

__all__ = ["AlikeSettings", "apart_or_exhausted", "told_apart"]

#: two slots whose pieces are alike and change places; or one slot twice, and a turn of its piece that cannot be seen
Change = tuple[int, int, int]


class AlikeSettings(Constants):
    """``tried``: ways to tell pieces apart; none with more than ``most_orbits``, whose parities are hardly met in so
    many ways, and each takes long to look up. ``expanded``: of the search for solved where none of them is found."""

    tried: Annotated[int, Field(ge=0, le=10**9)] = 2_000
    most_orbits: Annotated[int, Field(ge=0)] = 40
    expanded: Annotated[int, Field(ge=0, le=2**53)] = 20_000


def told_apart(
    puzzle: PermutationPuzzle, state: State, moves: MoveSet, settings: AlikeSettings | None = None
) -> State | None:
    """A state of the twin that looks like this one and that the moves lead to from solved; None if none was found."""
    twin, settings = puzzle.twin, settings or AlikeSettings()
    if twin is None or len(puzzle.orbits) > settings.most_orbits or not twin.has_group:
        return None
    group = twin.group(moves)
    held, first = puzzle.contents(state), list(twin.home)
    swaps: list[Change] = []  # one of each orbit, for the parities of orbits are what most often keeps a state away
    others: list[Change] = []
    for orbit in puzzle.orbits:
        n = orbit.orientations
        homes: dict[int, list[int]] = {}
        for slot in orbit.slots:
            homes.setdefault(puzzle.home[slot] // n, []).append(slot)
        waiting = {kind: list(slots) for kind, slots in homes.items()}
        here = [slot for slot in orbit.slots if held[slot] // n == puzzle.home[slot] // n]
        for slot in (*here, *(slot for slot in orbit.slots if slot not in here)):
            kind, turned = divmod(held[slot], n)
            home = slot if slot in waiting[kind] else waiting[kind][0]
            waiting[kind].remove(home)
            first[slot] = (home - orbit.first) * n + turned
            if (distinct := puzzle.distinct_orientations[home]) < n:
                others.append((slot, slot, distinct))
        alike = [[slot for slot in orbit.slots if held[slot] // n == kind] for kind in homes]
        pairs = [(slots[0], slots[1], 0) for slots in alike if len(slots) > 1]
        swaps += pairs[:1]
        others += pairs[1:]
    for chosen in islice(_chosen(swaps, others), settings.tried):
        tried = list(first)
        for one, two, turn in chosen:
            n = twin.orientations[one]
            if one != two:  # what is seen stays: each slot keeps its orientation
                (piece, turned), (other, its) = divmod(tried[one], n), divmod(tried[two], n)
                tried[one], tried[two] = other * n + turned, piece * n + its
            else:
                piece, turned = divmod(tried[one], n)
                tried[one] = piece * n + (turned + turn) % n
        if twin.permutation_of(twin.state_of(tried)) in group:
            return twin.state_of(tried)
    return None


def apart_or_exhausted(run: Run, share: Budget, settings: AlikeSettings, orbits: OrbitSettings) -> State | None:
    """`told_apart` of the problem's start. If none was found, it is where a solution one orbit after another leads
    backwards, which is offered. If there is none, a short search for solved finds one, or finds that no moves lead
    there, which it notes in ``run``."""
    problem, puzzle = run.problem, run.problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    found, twin = told_apart(puzzle, problem.start, problem.moves, settings), puzzle.twin
    if found is not None or twin is None:
        return found
    alg = run.make(lambda: orbit_by_orbit(twin, problem.moves, orbits).solve_alike(puzzle, problem.start), share)
    if alg is not None:
        run.offer(alg)  # other words may take long to find
        return twin.apply_alg(twin.solved, twin.inverse_alg(alg))
    if share.over():
        return None
    asked = Search(problem, run.zero(), Tuning(), share.share(expanded=settings.expanded))
    outcome = run.search("bidirectional", asked)
    run.exhausted |= outcome.status == "exhausted"
    if outcome.status != "solved":
        return None
    return twin.apply_alg(twin.solved, twin.inverse_alg([puzzle.moves[number] for number in outcome.path]))


def _chosen(swaps: list[Change], others: list[Change]) -> Iterator[tuple[Change, ...]]:
    """Any number of the swaps, few first; then up to three of all changes."""
    for count in range(len(swaps) + 1):
        yield from combinations(swaps, count)
    for count in range(1, 4):
        yield from combinations([*others, *swaps], count)
