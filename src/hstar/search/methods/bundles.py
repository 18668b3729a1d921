"""Cycles of three pieces in many orbits at once, as a step of plans (native/core/anytime).

The orbits that cycles cannot solve are solved first, and for themselves, as for `hstar.search.methods.insertions`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.options import Step
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.bundles import bundles, bundling_of, first_state
from hstar.search.anytime.chains import chains_of
from hstar.search.anytime.insertions import Cycles
from hstar.search.budget import Budget
from hstar.search.method import Count, Method, Share
from hstar.search.methods import constructive, insertions
from hstar.search.run import Run

__all__ = ["METHOD"]

Weight = Annotated[float, Field(ge=0, le=1_000)]
Heat = Annotated[float, Field(gt=0, le=1_000)]
Starts = Annotated[int, Field(ge=1, le=64)]
#: tries of an annealing, the moves that a misplaced piece counts as in it, the cycles that are looked at before words
#: are put in, the heat at first in moves, and how many annealings
Round = tuple[Count, Weight, Count, Heat, Starts]


class Settings(insertions.FirstOrbits):
    """``anew``: a round that makes an alg from that of the orbits that come first. ``better``: one that makes the best
    solution shorter. ``every``: of so many rounds the first makes a new alg; more than two only if there is a limit of
    seconds."""

    first_orbits: Share = 0.3
    anew: Round = (4_000_000, 1.5, 16_000_000, 1.2, 2)
    better: Round = (1_000_000, 1.5, 16_000_000, 0.3, 1)
    every: Annotated[int, Field(ge=1)] = 16


def improve(run: Run, step: Step, share: Budget) -> None:
    settings, puzzle = Settings.model_validate(step.settings), run.problem.puzzle
    if not isinstance(puzzle, PermutationPuzzle) or not bundles(puzzle, run.problem.moves, share.memory_bytes):
        return
    twin = None if share.over() else puzzle.twin  # it takes half a second to make that of a 19x19x19
    if twin is None:
        return
    chains = run.make(lambda: chains_of(twin, run.problem.moves, settings.chains), share)
    if chains is None:
        return
    bundling = run.make(lambda: bundling_of(chains, share.search(), share.seconds_left), share)
    if bundling is None:
        return
    base = insertions.base_of(run, bundling.first, share, settings, lambda own: _first(run, bundling, own, settings))
    if base is None:
        return
    number = {name: i for i, name in enumerate(chains.names)}
    home, rounds = puzzle.kinds_in(puzzle.solved), 0 if settings.first else run.kept.get("bundles done", 0)
    while not run.over(share) and (share.timed or rounds < 2):
        alg = run.solution if rounds % settings.every and run.solution else base
        anneals, misplaced, cells, heat, starts = settings.anew if alg is base else settings.better
        way = bundling.kernel.solve(
            puzzle.kinds_in(run.problem.start), home, [number[name] for name in alg], misplaced, rounds,
            anneals, cells, heat, starts, **share.limits(), control=share.search(), threads=run.threads,
        )  # fmt: skip
        share.count(way)
        rounds += 1
        if not settings.first:
            run.kept["bundles done"] = rounds
        if way.ending == "done":
            run.offer(chains.alg_of(way.moves))
        if settings.first:
            return


def _first(run: Run, bundling: Cycles[_kernel.Bundles], share: Budget, settings: Settings) -> tuple[str, ...] | None:
    """Moves that solve the orbits that come first."""
    first, puzzle = bundling.first, run.problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    if first is None:
        return ()
    start = first_state(bundling, puzzle, run.problem.start)
    if start is None and (found := constructive.pieces(run, share, settings)) is not None:
        start = first.state_in(bundling.puzzle, found[1])
    return None if start is None else insertions.first_orbits(run, first, start, share, settings)


METHOD = Method(
    name="bundles",
    summary="cycles of three pieces in many orbits at once, put in anywhere in an alg that solves the other orbits",
    duplicates="none (tree search)",
    improve=improve,
    settings=Settings,
    refuses=constructive.why_no_words,
)
