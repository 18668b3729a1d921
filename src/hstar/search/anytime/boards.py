"""Shorter and shorter solutions of a board of sliding tiles: beams over additive databases.

Small databases come first, because they are built at once. The large ones follow if building them fits into the time,
or if their files exist. Beams become four times as wide, until the time that is left decides: the last one is as wide
as it can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.building import cores, watching
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime.best import Best
from hstar.search.control import Stopped

__all__ = ["beams"]

#: width of the first beam, how much wider the next one is, and the widest without a limit of time
_WIDTH, _WIDER, _WIDEST = 1_000, 4, 64_000
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
        if _load(best, databases, share):
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


def _load(best: Best, databases: TileDatabases, share: Callable[[], float]) -> bool:
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
    if best.problem.limits.seconds is None:
        widest = min(widest, _WIDEST)
    width = _WIDTH
    while width <= widest and not best.over() and share() > 0:
        outcome = _beam(best, databases, width, room, threads, share())
        if outcome.status == "limit_reached":
            return
        wider = _WIDER * width
        if best.problem.limits.seconds is not None:
            fits = share() / (_SLOWER * max(outcome.seconds, 1e-4)) * width
            wider = wider if wider * _WIDER / 2 < fits else int(min(fits, wider * _WIDER))
            if wider < 3 * width // 2:
                return
        width = min(wider, room // _bytes_of_width(best, databases))
        if outcome.status == "exhausted" and outcome.expanded == 0:
            return


def _bytes_of_width(best: Best, databases: TileDatabases) -> int:
    """More than a beam takes for each state of its width: its layers and candidates, and the way to each state."""
    assert best.solution is not None
    return 2 * (len(best.problem.start) + 16 * len(databases.parts)) + 150 + 4 * len(best.solution)


def _beam(best: Best, databases: TileDatabases, width: int, room: int, threads: int, seconds: float) -> _kernel.Outcome:
    problem = best.problem
    assert best.solution is not None
    limits = best.limits_for(None, seconds)
    outcome = _kernel.tile_beam(
        databases.kernel,
        problem.start,
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
