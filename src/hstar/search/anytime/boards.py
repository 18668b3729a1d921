"""Shorter and shorter solutions of a board of sliding tiles: beams over additive databases.

Small databases come first, because they are built at once. The large ones follow if building them fits into the time,
or if their files exist. Beams become four times as wide, the last one as wide as the time that is left suffices for.
Where there are several rankings (`rankings`), wide beams are repeated with the others, which miss other solutions.
"""

from __future__ import annotations

from math import inf
from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.options import Width
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime.rankings import Ranking, kernel_ranking, rankings_of
from hstar.search.anytime.widths import Widths, widen
from hstar.search.budget import Budget
from hstar.search.method import Count
from hstar.search.run import Run

__all__ = ["Settings", "beams"]


class Settings(Widths):
    """``rankings``: how beams compare states, where not as is best on the board; wide ones try all. ``small_widest``:
    of the widest beam with the small databases if there are large ones. ``worth_large``: the nodes below which the
    large databases are not worth loading.
    """

    small_widest: Width = 4_000
    worth_large: Count = 5_000_000
    # Less than narrower beams tell: the last layers have few states. A beam gets narrower by itself when time is short.
    slower: Annotated[float, Field(gt=0)] = 0.7
    last: Annotated[float, Field(ge=1)] = 24
    rankings: Annotated[tuple[Ranking, ...], Field(min_length=1)] | None = None


#: bytes, more than a beam takes for each state of its width beside two copies of the state and of its entries of the
#: databases, and a byte for each move of the way
_STATE = 400


def beams(run: Run, share: Budget, settings: Settings) -> None:
    """Offer the solutions of wider and wider beams."""
    puzzle = run.problem.puzzle
    assert isinstance(puzzle, SlidingTiles)
    choices = [tile_databases(puzzle, f"blocks:{size}") for size in puzzle.blocks]
    allowed = _affordable(run, choices, share, settings)
    for databases in allowed:
        if run.open(databases, share):
            _widen(run, databases, share, settings, inf if databases is allowed[-1] else settings.small_widest)


def _affordable(run: Run, choices: list[TileDatabases], share: Budget, settings: Settings) -> list[TileDatabases]:
    """The databases that the limits allow, small ones first. Without a limit of seconds this does not depend on what
    has been built."""
    limits, worth = run.problem.limits, settings.worth_large
    few = min(limits.expanded or worth, limits.generated or worth) < worth
    allowed: list[TileDatabases] = []
    for databases in choices:
        if 2 * max(databases.bytes, databases.build_bytes) > share.memory_bytes:
            break
        # Small ones leave most of the time to the beams.
        times = 2 if allowed else 1
        if times * databases.build_seconds > share.seconds_left or (allowed and few):
            break
        allowed.append(databases)
    return allowed


def _widen(run: Run, databases: TileDatabases, share: Budget, settings: Settings, widest: float) -> None:
    puzzle, memory = run.problem.puzzle, share.memory_bytes - databases.bytes
    assert isinstance(puzzle, SlidingTiles)
    rankings = settings.rankings or rankings_of(puzzle)

    def beam(way: int, width: int) -> float | None:
        if run.over(share):
            return None
        outcome = _beam(run, databases, rankings[way], width, share)
        ended = outcome.status == "limit_reached" or (outcome.status == "exhausted" and outcome.expanded == 0)
        return None if ended else outcome.seconds

    # Without a limit of seconds only the first ranking.
    ways = len(rankings) if share.timed else 1
    widen(share, settings, beam, lambda: memory // _bytes_of_width(run, databases), ways, widest)


def _bytes_of_width(run: Run, databases: TileDatabases) -> int:
    """More than a beam takes for each state of its width: its layers and candidates, and the way to each state."""
    assert run.solution is not None
    entries = databases.kernel.views * len(databases.parts)
    return 2 * (len(run.problem.start) + entries) + _STATE + len(run.solution)


def _beam(run: Run, databases: TileDatabases, ranking: Ranking, width: int, share: Budget) -> _kernel.Outcome:
    problem = run.problem
    assert isinstance(problem.puzzle, SlidingTiles)
    assert run.solution is not None
    outcome = _kernel.tile_beam(
        databases.kernel,
        problem.start,
        ranking=kernel_ranking(problem.puzzle, ranking),
        width=width,
        longest=len(run.solution) - 1,
        threads=run.threads,
        control=share.search(),
        **share.kernel(held=databases.bytes),
    )
    run.count(outcome, share)
    if outcome.status == "solved":
        run.offer([problem.puzzle.moves[number] for number in outcome.path])
    return outcome
