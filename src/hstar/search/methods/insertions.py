"""Cycles of three pieces put in anywhere in an alg, as a step of plans for large puzzles.

The orbits that cycles cannot solve are solved first, and for themselves. Moves that leave them alone are put into that
solution, so that it brings most other pieces home, too; then cycles, where they are shortest (native/core/anytime).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from hstar.options import Step, Width
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.first import First
from hstar.search.anytime.insertions import inserting_of
from hstar.search.anytime.phases import fitting
from hstar.search.budget import Budget
from hstar.search.method import Count, Method, Share
from hstar.search.methods import beams, constructive, reduction, two_phase, windows
from hstar.search.methods.part import Part
from hstar.search.run import Run

__all__ = ["METHOD", "FirstOrbits", "base_of", "first_orbits"]


class FirstOrbits(constructive.Pieces):
    """``first``: end after the first solution. ``first_orbits``: the part of the share for the orbits that come first;
    ``beams``: the part of this after which their beams end."""

    first: bool = False
    first_orbits: Share = 0.15
    beams: Share = 0.8


class Settings(FirstOrbits):
    """``rounds``: the width of the beam, the tries of an annealing before it, and how many of these; the last round
    again and again, where there is a limit of seconds. ``misplaced``: moves that a misplaced piece counts as."""

    rounds: Annotated[tuple[tuple[Width, Count, Count], ...], Field(min_length=1)] = (
        (10, 50_000, 1),
        (50, 400_000, 4),
        (100, 400_000, 12),
    )
    misplaced: Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=1)] = (2.2, 2.0, 2.4)


def improve(run: Run, step: Step, share: Budget) -> None:
    settings = Settings.model_validate(step.settings)
    found = constructive.pieces(run, share, settings)
    if found is None:
        return
    chains, state = found
    puzzle = run.problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    inserting = run.make(lambda: inserting_of(chains, share.search(), share.seconds_left), share)
    if inserting is None:
        return
    first = inserting.first
    base = base_of(
        run, first, share, settings,
        lambda own: first_orbits(run, first, first.state_in(inserting.puzzle, state), own, settings) if first else (),
    )  # fmt: skip
    if base is None:
        return
    number = {name: i for i, name in enumerate(chains.names)}
    start, home = puzzle.kinds_in(run.problem.start), puzzle.kinds_in(puzzle.solved)
    rounds = 0 if settings.first else run.kept.get("insertions done", 0)
    while not run.over(share) and (share.timed or rounds < len(settings.rounds)):
        width, anneals, starts = settings.rounds[min(rounds, len(settings.rounds) - 1)]
        way = inserting.kernel.solve(
            start, home, [number[name] for name in base], width, settings.misplaced[rounds % len(settings.misplaced)],
            rounds, anneals, starts, **share.limits(), control=share.search(), threads=run.threads,
        )  # fmt: skip
        share.count(way)
        rounds += 1
        if not settings.first:
            run.kept["insertions done"] = rounds
        before = run.solution
        alg = chains.alg_of(way.moves)
        if way.ending == "done" and run.problem.is_solution(alg):
            run.offer(alg)
        if settings.first or (rounds == 1 and run.solution is before):  # then others are better
            return


def base_of(
    run: Run,
    first: First | None,
    share: Budget,
    settings: FirstOrbits,
    solve: Callable[[Budget], tuple[str, ...] | None],
) -> tuple[str, ...] | None:
    """Moves that solve the orbits that come first, found once; if their part of the time had passed, those of the
    first solution."""
    own = () if first is None else first.slots
    at_first = f"slots at first: {own}"
    kept = at_first if settings.first else f"slots: {own}"
    if kept not in run.kept:
        run.kept[kept] = solve(share.share(until=settings.first_orbits))
    base: tuple[str, ...] | None = run.kept[kept]
    return run.kept.get(at_first) if base is None else base


def first_orbits(run: Run, first: First, start: bytes, share: Budget, settings: FirstOrbits) -> tuple[str, ...] | None:
    """Moves that solve a puzzle of orbits that come first."""
    own = Part.of(run, first, start, share, told=lambda _: None)
    problem, words = own.problem, {name: getattr(settings, name) for name in constructive.Pieces.model_fields}
    if problem.start == first.solved:
        return ()
    if fitting(first, problem.moves, share.memory_bytes) is not None:
        two_phase.improve(own, Step(method="two_phase", settings={"first": settings.first}), share)
    else:
        constructive.construct(own, Step(method="constructive", settings=words), share)
        if not settings.first:
            if share.timed:
                reduction.improve(own, Step(method="reduction", settings=words), share)
            beams.improve(own, Step(method="beams", settings=words), share.share(until=settings.beams))
    if not settings.first:  # on a 7x7x7 cube it takes longer than everything else
        windows.shorten_parts(own, share, windows.Settings())
    return own.solution


METHOD = Method(
    name="insertions",
    summary="cycles of three pieces put in anywhere in an alg that solves the other orbits",
    duplicates="by 64-bit hash, within a layer",
    improve=improve,
    settings=Settings,
    refuses=constructive.why_no_words,
)
