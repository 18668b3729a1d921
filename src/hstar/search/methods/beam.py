"""One beam: layer by layer, keeping the states that look nearest to the goal.

Boards are compared by small additive databases. Pieces are solved one after another: the first ones in stages, one move
at a time, by the distances of triples of pieces; the others by words. Counted as expanded are the states or paths whose
successors were made.
"""

from __future__ import annotations

from hstar import _kernel
from hstar.databases import tile_databases
from hstar.options import Step
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import tiles
from hstar.search.anytime.rankings import Ranking, kernel_ranking, rankings_of
from hstar.search.budget import Budget
from hstar.search.method import Method
from hstar.search.methods import constructive
from hstar.search.run import Run

__all__ = ["METHOD"]


class Settings(constructive.Words):
    """``ranking``: of boards, how states are compared; where it is not given, as is best on the board."""

    ranking: Ranking | None = None


def improve(run: Run, step: Step, share: Budget) -> None:
    width, settings = METHOD.in_force("width", step.width), Settings.model_validate(step.settings)
    if isinstance(run.problem.puzzle, SlidingTiles):
        _board(run, run.problem.puzzle, share, width, settings.ranking)
        return
    found = constructive.pieces(run, share, settings)
    if found is None:
        return
    chains, start = found
    chain = chains.shipped or chains.quick(share.search(), share.seconds_left)
    triples = chains.triples(share.search(), share.seconds_left) if chain.complete else None
    if triples is not None:  # stages need words in their own order
        ordered = chains.shipped or chains.quick_in_order(share.search(), share.seconds_left)
        chain, triples = (ordered, triples) if ordered.complete else (chain, None)
    if chain.complete:
        constructive.descend(run, share, chains, chain, start, width, settings, triples)
    elif not share.over():
        constructive.by_orbits(run, chains, start, share, settings.orbits)


def _board(run: Run, puzzle: SlidingTiles, share: Budget, width: int, ranking: Ranking | None) -> None:
    """States are kept by the ranking. Paths longer than that of filling rows and columns are left out, so that
    it ends."""
    databases = tile_databases(puzzle, f"blocks:{puzzle.small_blocks}")
    if not run.open(databases, share):
        run.lacked_memory |= not share.over()
        return
    # The kernel's own limit of seconds would make the beam narrower.
    limits = share.kernel(held=databases.bytes) | {"seconds": None}
    outcome = _kernel.tile_beam(
        databases.kernel,
        run.problem.start,
        width=width,
        longest=len(tiles.fill(puzzle, run.problem.start)),
        threads=run.threads,
        ranking=kernel_ranking(puzzle, ranking or rankings_of(puzzle)[0]),
        control=share.search(),
        **limits,
    )
    run.count(outcome, share)
    if outcome.status == "solved":
        run.offer([puzzle.moves[number] for number in outcome.path])
    elif outcome.status == "exhausted":
        run.limit = "width"


def why_no_beam(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there is no beam for these moves; None if there is one."""
    if isinstance(puzzle, SlidingTiles) and puzzle.small_blocks is None:
        return "boards of one row, and large ones, have no databases for a beam; anytime takes them"
    return constructive.why_no_solution(puzzle, moves)


METHOD = Method(
    name="beam",
    summary="layer by layer, keeping the states that look nearest to the goal",
    duplicates="by 64-bit hash, within a layer",
    improve=improve,
    options=("width", "threads"),
    settings=Settings,
    refuses=why_no_beam,
)
