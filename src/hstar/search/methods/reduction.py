"""Into the subgroup of some kinds of moves by beams, and home within it in two phases, for large puzzles.

A 4x4x4 cube becomes a 3x3x3 cube. Counted as expanded are the cosets of the beams and the nodes of both phases.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.options import Step, Width
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.reduction import Reducing, reducing_of
from hstar.search.anytime.widths import fitting_width
from hstar.search.budget import Budget
from hstar.search.method import Count, Method
from hstar.search.methods import constructive
from hstar.search.run import Run

__all__ = ["METHOD"]

#: the most moves into the subgroup where no solution is known; bytes for each state that a beam looks at
_MOST, _CANDIDATE = 100, 64

Weight = Annotated[float, Field(ge=0, le=1_000)]


class Settings(constructive.Pieces):
    """``rounds``: the width of a beam, the weights of pieces in relation to each other and of pieces that look alike,
    and the power to which the distances of the latter are raised: with squares they need not be home first. Where there
    is a limit of seconds, the first beam is ``by_second`` wide for each second that is left and each thread, and the
    others as wide as takes ``part`` of what is left, by the time that the one before took. A beam ends after ``most``
    of the moves of the best solution. ``perimeter``: cosets near the subgroup; ``tables_mib``: the memory that they and
    the distances take; with a smaller limit there are no reductions. ``second``: expansions after which a second phase
    is given up; ``share``: expansions of the phases for each coset that a beam looked at; they are at ``least`` so
    many."""

    rounds: Annotated[tuple[tuple[Width, Weight, Weight, Weight], ...], Field(min_length=1)] = (
        (20_000, 1.0, 0.4, 2.0),
        (40_000, 1.0, 1.4, 1.0),
        (40_000, 1.0, 0.4, 2.0),
    )
    by_second: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    part: Annotated[float, Field(gt=0, le=1)] = 0.5
    most: Annotated[float, Field(gt=0, le=1)] = 0.5
    perimeter: Annotated[int, Field(ge=1, le=50_000_000)] = 1_500_000
    tables_mib: Count = 400
    second: Count = 2_000
    share: Annotated[float, Field(gt=0, le=1_000)] = 2.0
    least: Count = 400_000


def improve(run: Run, step: Step, share: Budget) -> None:
    settings = Settings.model_validate(step.settings)
    puzzle = run.problem.puzzle
    if not isinstance(puzzle, PermutationPuzzle) or share.memory_bytes < settings.tables_mib * 2**20:
        return
    if (found := constructive.pieces(run, share, settings)) is None:
        return
    chains, state = found
    reducing = run.make(
        lambda: reducing_of(chains, puzzle, settings.perimeter, share.memory_bytes, share.seconds_left, share.search()),
        share,
    )
    if reducing is None:
        return
    element, kinds = chains.puzzle.permutation_of(state), puzzle.kinds_in(run.problem.start)
    rounds, fits = run.kept.get("reductions done", 0), settings.by_second * run.threads * share.seconds_left
    while not run.over(share) and rounds < len(settings.rounds):
        width, related, alike, power = settings.rounds[rounds]
        if share.timed:
            room = (share.memory_bytes - settings.tables_mib * 2**20) // (_CANDIDATE * len(chains.names))
            width = max(1, min(int(fits), room))
        known, left = run.length, share.seconds_left
        reduced = reducing.kernel.search(
            element, kinds, width, related, alike, power,
            _MOST if known is None else int(settings.most * known),
            **share.limits(), control=share.search(), threads=run.threads,
        )  # fmt: skip
        share.count(reduced)
        took = left - share.seconds_left
        rounds += 1
        run.kept["reductions done"] = rounds
        if reduced.ways:
            _finish(run, reducing, element, reduced, share, settings)
        if share.timed:
            fits = fitting_width(width, took, settings.part * share.seconds_left)


def _finish(
    run: Run, reducing: Reducing, element: list[int], reduced: _kernel.Reduced, share: Budget, settings: Settings
) -> None:
    """Offer what two phases find from where the ways lead, the shortest ways first."""
    by_length: dict[int, dict[bytes, tuple[str, ...]]] = {}
    for way in reduced.ways:
        there = reducing.after(element, way)
        if there is not None:
            by_length.setdefault(len(way), {}).setdefault(there, reducing.chains.alg_of(way))
    expanded = max(settings.least, int(settings.share * reduced.generated))
    for length in sorted(by_length):
        expanded //= 2
        own = share.share(expanded=max(1, expanded))
        _phases(run, reducing, by_length[length], own, settings)


def _phases(
    run: Run, reducing: Reducing, ways: dict[bytes, tuple[str, ...]], share: Budget, settings: Settings
) -> None:
    phases, left = reducing.phases, reducing.left
    with_cosets = share.timed and run.open(phases.all_cosets, share.share(until=0.3))
    variants = [(way, variant) for state, way in ways.items() for variant in phases.variants(state)]
    starts = [variant.start for _, variant in variants]
    cosets = phases.all_cosets.kernel if with_cosets else None
    search = _kernel.PhaseSearch(*phases.kernel, starts, settings.second, cosets, run.threads)
    shortest = min(len(way) for way in ways.values())
    while not run.over(share):
        below = 250 if run.useful is None else run.useful + 1 - shortest
        if below <= 0:
            return
        outcome = search.run(below, **share.limits(), control=share.search())
        run.count(outcome, share)
        if outcome.status != "solved":
            return
        way, variant = variants[search.variant]
        path = [left.puzzle.moves[number] for number in outcome.path]
        run.offer((*way, *(move for one in variant.read(path) for move in left.ours[one])))


METHOD = Method(
    name="reduction",
    summary="into the subgroup of some kinds of moves by beams, and home within it in two phases",
    duplicates="by 64-bit hash, within a layer",
    improve=improve,
    settings=Settings,
    refuses=constructive.why_no_words,
)
