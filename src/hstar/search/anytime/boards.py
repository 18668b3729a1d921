"""Shorter and shorter solutions of a board of sliding tiles: beams over additive databases.

Small databases come first, because they are built at once. The large ones follow if building them fits into the time,
or if their files exist. Beams become four times as wide, the last one as wide as the time that is left suffices for.
Wide beams are repeated in other ways, which miss other solutions: with the other rankings, if there are several
(`rankings`), and each from the start and from the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import inf
from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.blocks import board_images
from hstar.databases.tiles import with_goal
from hstar.options import Width
from hstar.puzzles.base import State
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
    last: Annotated[float, Field(ge=1)] = 40
    rankings: Annotated[tuple[Ranking, ...], Field(min_length=1)] | None = None


#: bytes, more than a beam takes for each state of its width beside two copies of the state and of its entries of the
#: databases, and a byte for each move of the way
_STATE = 400
#: the part of the time that building tables for the way back may take
_SOON = 0.1


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


@dataclass(frozen=True)
class _Side:
    """A board as beams solve it: that of the problem, or the way back, whose solutions are as long.

    ``image``: for the way back, of each cell of the problem's board.
    """

    start: State
    databases: TileDatabases
    image: bytes | None = None

    @property
    def puzzle(self) -> SlidingTiles:
        return self.databases.puzzle

    def read(self, path: Sequence[int]) -> list[str]:
        """The solution of the problem, from the numbers of moves."""
        puzzle = self.puzzle
        moves = [puzzle.moves[number] for number in path]
        if self.image is None:
            return moves
        cells = [self.start.index(0)]
        for move in moves:
            cells.append(puzzle.beside[cells[-1], move])
        named = {(cell, beside): move for (cell, move), beside in puzzle.beside.items()}
        return [named[step] for step in pairwise(self.image.index(cell) for cell in reversed(cells))]


def _back(databases: TileDatabases, start: State) -> _Side:
    """From the goal to the start: its tiles get other names, and the board is turned so that the blank ends in one of
    its last cells. So the goal differs from the problem's only in where the blank and the tile of its cell are, and
    nearly all tables are the same."""
    puzzle = databases.puzzle
    image = max(board_images(puzzle), key=lambda image: image[start.index(0)])
    goal = bytearray(puzzle.solved)
    blank = image[start.index(0)]
    goal[puzzle.home[0]], goal[blank] = goal[blank], 0
    name = {tile: goal[image[cell]] for cell, tile in enumerate(start)}
    turned = bytearray(goal)
    for cell, tile in enumerate(puzzle.solved):
        turned[image[cell]] = name[tile]
    there = puzzle.with_goal(bytes(goal))
    return _Side(bytes(turned), with_goal(databases, there), image)


def _sides(run: Run, databases: TileDatabases, share: Budget) -> list[_Side]:
    """The way back first, which is the shorter one more often, if its tables are at hand soon."""
    sides, back = [_Side(run.problem.start, databases)], _back(databases, run.problem.start)
    if back.databases.build_seconds <= _SOON * share.seconds_left and run.open(back.databases, share):
        sides.insert(0, back)
    return sides


def _widen(run: Run, databases: TileDatabases, share: Budget, settings: Settings, widest: float) -> None:
    puzzle, memory, sides = run.problem.puzzle, share.memory_bytes - databases.bytes, _sides(run, databases, share)
    assert isinstance(puzzle, SlidingTiles)
    ways = list(product(settings.rankings or rankings_of(puzzle), sides))

    def beam(way: int, width: int) -> float | None:
        if run.over(share):
            return None
        # A share of the time for each of the wide ones that there is time for.
        several = max(1, min(settings.few, len(ways)) - way) if width >= settings.varied else 1
        own = share.begun().share(until=1 / several)
        ranking, side = ways[way]
        outcome = _beam(run, side, ranking, width, own)
        late = outcome.status == "limit_reached" and (outcome.limit != "seconds" or run.over(share))
        return None if late or (outcome.status == "exhausted" and outcome.expanded == 0) else outcome.seconds

    # Without a limit of seconds only the first way.
    count = len(ways) if share.timed else 1
    widen(share, settings, beam, lambda: memory // max(_bytes_of_width(run, side) for side in sides), count, widest)


def _bytes_of_width(run: Run, side: _Side) -> int:
    """More than a beam takes for each state of its width: its layers and candidates, and the way to each state."""
    assert run.solution is not None
    entries = side.databases.kernel.views * len(side.databases.parts)
    return 2 * (len(run.problem.start) + entries) + _STATE + len(run.solution)


def _beam(run: Run, side: _Side, ranking: Ranking, width: int, share: Budget) -> _kernel.Outcome:
    assert run.solution is not None
    outcome = _kernel.tile_beam(
        side.databases.kernel,
        side.start,
        ranking=kernel_ranking(side.puzzle, ranking),
        width=width,
        longest=len(run.solution) - 1,
        threads=run.threads,
        control=share.search(),
        **share.kernel(held=side.databases.bytes),
    )
    run.count(outcome, share)
    if outcome.status == "solved":
        run.offer(side.read(outcome.path))
    return outcome
