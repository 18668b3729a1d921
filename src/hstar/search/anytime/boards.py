"""Shorter and shorter solutions of a board of sliding tiles: beams over additive databases.

Small databases come first, because they are built at once. The large ones follow if building them fits into the time,
or if their files exist. Beams become four times as wide, as long as the time that is left suffices for a few more. Wide
ones are repeated with other rankings (`rankings`), which miss other solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.building import cores, watching
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime.best import Best
from hstar.search.anytime.rankings import RANKINGS, Ranking, kernel_ranking
from hstar.search.control import Stopped

__all__ = ["beams", "load"]

#: width of the first beam, how much wider the next one is, and the widest without a limit of time
_WIDTH, _WIDER, _WIDEST = 1_000, 4, 64_000
#: the width from which on all rankings are tried, and how many beams there should be time for at the next width
_VARIED, _FEW = 50_000, 3
#: the widest beam with the small databases if there are large ones
_SMALL_WIDEST = 4_000
#: nodes below which the large databases are not worth loading
_WORTH_LARGE = 5_000_000
#: processor seconds to build a table, for each of its states
_BUILD_SECONDS = 3e-8
#: a beam takes longer than a narrower one did, for each state
_SLOWER = 1.15


def beams(best: Best, threads: int, share: Callable[[], float]) -> None:
    """Offer the solutions of wider and wider beams.

    :param share: the seconds that are left for them
    """
    puzzle = best.problem.puzzle
    assert isinstance(puzzle, SlidingTiles)
    choices = [tile_databases(puzzle, f"blocks:{size}") for size in puzzle.blocks]
    for databases, last in _affordable(best, choices, share):
        if load(best, databases, share):
            _widen(best, databases, threads, share, inf if last else _SMALL_WIDEST)


def _affordable(
    best: Best, choices: list[TileDatabases], share: Callable[[], float]
) -> Iterator[tuple[TileDatabases, bool]]:
    """The databases that the limits allow, small ones first, and whether they are the last. Without a limit of seconds
    this does not depend on what has been built."""
    limits = best.problem.limits
    few = min(limits.expanded or _WORTH_LARGE, limits.generated or _WORTH_LARGE) < _WORTH_LARGE
    allowed = []
    for number, databases in enumerate(choices):
        needed = max(databases.bytes, databases.build_bytes)
        if 2 * needed > limits.memory_mib * 2**20:
            break
        if number > 0 and (few or (not databases.kept and share() < 2 * _BUILD_SECONDS * databases.states / cores())):
            break
        allowed.append(databases)
    for databases in allowed:
        yield databases, databases is allowed[-1]


def load(best: Best, databases: TileDatabases, share: Callable[[], float] = lambda: inf) -> bool:
    """Build or open the databases, unless the limits are reached meanwhile."""

    def watch(_what: str, _done: int, _total: int) -> None:
        if best.over() or share() == 0:
            raise Stopped

    try:
        with watching(watch):
            databases.load()
    except (Stopped, MemoryError):
        return False
    return True


def _widen(best: Best, databases: TileDatabases, threads: int, share: Callable[[], float], widest: float) -> None:
    room = best.problem.limits.memory_mib * 2**20 - databases.bytes
    timed = best.problem.limits.seconds is not None
    if not timed:
        widest = min(widest, _WIDEST)
    width, fits = _WIDTH, inf
    while width <= widest:
        for ranking in RANKINGS if timed and width >= _VARIED else RANKINGS[:1]:
            if best.over() or share() == 0:
                return
            outcome = _beam(best, databases, ranking, width, room, threads, share())
            if outcome.status == "limit_reached" or (outcome.status == "exhausted" and outcome.expanded == 0):
                return
            fits = share() / (_SLOWER * max(outcome.seconds, 1e-4)) * width if timed else inf
            if fits < 3 * width // 2:
                return
        wider = min(_next_width(width, fits), room // _bytes_of_width(best, databases))
        if wider <= width:
            return
        width = wider


def _next_width(width: int, fits: float) -> int:
    """Wider, if there is the time for a few such beams; otherwise as wide that there is, or as one can be.

    :param fits: the width of one beam for which the time suffices
    """
    wider = _WIDER * width
    beams = _FEW if wider >= _VARIED else 1
    if beams * wider <= fits:
        return wider
    return int(fits / beams if fits >= beams * 3 * width / 2 else fits)


def _bytes_of_width(best: Best, databases: TileDatabases) -> int:
    """More than a beam takes for each state of its width: its layers and candidates, and the way to each state."""
    assert best.solution is not None
    return 2 * (len(best.problem.start) + 16 * len(databases.parts)) + 150 + 4 * len(best.solution)


def _beam(
    best: Best, databases: TileDatabases, ranking: Ranking, width: int, room: int, threads: int, seconds: float
) -> _kernel.Outcome:
    problem = best.problem
    assert isinstance(problem.puzzle, SlidingTiles)
    assert best.solution is not None
    limits = best.limits_for(None, seconds)
    outcome = _kernel.tile_beam(
        databases.kernel,
        problem.start,
        ranking=kernel_ranking(problem.puzzle, ranking),
        width=width,
        longest=len(best.solution) - 1,
        max_expanded=limits.expanded,
        max_generated=limits.generated,
        seconds=limits.seconds,
        memory_bytes=room,
        threads=threads,
        control=best.control.part().kernel,
    )
    best.count(outcome)
    if outcome.status == "solved":
        best.offer([problem.puzzle.moves[number] for number in outcome.path])
    return outcome
