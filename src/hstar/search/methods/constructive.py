"""The first solution of a direct method: rows and columns of tiles, words that keep solved pieces.

Counted as expanded are the paths whose successors were made.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.options import Step, Width
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import tiles
from hstar.search.anytime.alike import AlikeSettings, apart_or_exhausted
from hstar.search.anytime.chains import Chains, ChainSettings, chains_of
from hstar.search.anytime.orbit_by_orbit import OrbitSettings, orbit_by_orbit
from hstar.search.anytime.spins import SpinSettings, spins, spins_of
from hstar.search.budget import Budget
from hstar.search.method import Constants, Count, Method
from hstar.search.methods.part import Part
from hstar.search.run import Run

__all__ = [
    "METHOD", "Pieces", "Settings", "Words", "all_but_spins", "by_orbits", "construct", "descend", "pieces",
    "why_no_solution",
]  # fmt: skip


class Pieces(Constants):
    """Of all methods that solve pieces: of what their words are made, ``chains`` of them, those of one orbit after
    another, and those of pieces that only turn in place; and how pieces that look ``alike`` are told apart."""

    chains: ChainSettings = ChainSettings()
    orbits: OrbitSettings = OrbitSettings()
    spins: SpinSettings = SpinSettings()
    alike: AlikeSettings = AlikeSettings()


class Words(Pieces):
    """Of every beam of words. ``outlook``: weight of the estimate of the rest. ``long_stages_width``: from this width
    of the beam its stages have at least ``long_stage`` pieces."""

    #: 0.25 was the best of 0, 0.2, 0.25, 0.4, 0.6, 0.8 and 1 on the Megaminx
    outlook: Annotated[float, Field(ge=0)] = 0.25
    long_stages_width: Count = 10_000
    long_stage: Count = 7

    def stages(self, chains: Chains, width: int, ranked: bool = False) -> list[int]:
        """The levels of the stages of a beam; those with a ranking are long."""
        return chains.stages(self.long_stage if ranked or width >= self.long_stages_width else 0, ranked)


class Settings(Words):
    """``width``: of the beam of words. ``again``: how many times as wide it is once more where a shipped chain gave
    a long solution, which has one very long word. ``seconds``: the most for finding words, or cycles of three."""

    width: Width = 100
    again: Count = 4
    seconds: Annotated[float, Field(ge=0)] | None = None


def construct(run: Run, step: Step, share: Budget) -> None:
    """Offer the first solution. Where pieces are identical it is that of a puzzle whose pieces are all different."""
    puzzle = run.problem.puzzle
    if isinstance(puzzle, SlidingTiles):
        if puzzle.constructs(run.problem.moves):
            run.offer(tiles.fill(puzzle, run.problem.start))
        return
    settings = Settings.model_validate(step.settings)
    found = pieces(run, share, settings)
    if found is None:
        return
    chains, start = found
    building = share.share(seconds=settings.seconds)
    if chains.large and by_orbits(run, chains, start, building, settings.orbits):
        return
    chain = chains.shipped or chains.quick(share.search(), building.seconds_left)
    if chain.complete:
        descend(run, share, chains, chain, start, settings.width, settings)
        long = run.length is not None and run.length > settings.chains.too_long * len(chains.base)
        if chain is chains.shipped and long and not run.over(share):
            descend(run, share, chains, chain, start, settings.again * settings.width, settings)
        if chains.words_too_long and not run.over(share):
            by_orbits(run, chains, start, building, settings.orbits)
    elif not share.over():
        part = all_but_spins(run, chains, start, share, settings.spins)
        if part is not None:
            construct(part, step, share)
        elif not chains.large:
            by_orbits(run, chains, start, building, settings.orbits)


def all_but_spins(run: Run, chains: Chains, start: State, share: Budget, settings: SpinSettings) -> Part | None:
    """The solve of the pieces that do not only turn in place, if there are others; with each of its solutions the
    others are turned, and the whole is offered."""
    if not spins(chains.puzzle, chains.moves):
        return None
    last = run.make(lambda: spins_of(chains, settings), share)
    if last is None:
        return None

    def told(alg: tuple[str, ...]) -> None:
        if (whole := last.solve(start, alg)) is not None:
            run.offer(whole)

    return Part.of(run, last.first, last.first.state_in(chains.puzzle, start), share, told)


def descend(
    run: Run,
    share: Budget,
    chains: Chains,
    chain: _kernel.WordChain,
    start: State,
    width: int,
    settings: Words,
    triples: _kernel.PieceTriples | None = None,
) -> None:
    """Offer the solution of one beam along the chain; with ``triples`` the first pieces are solved in stages before."""
    way = chain.descend(
        chains.puzzle.permutation_of(start),
        width,
        settings.outlook,
        **share.kernel(),
        control=share.search(),
        triples=triples,
        stages=settings.stages(chains, width),
    )
    share.count(way)
    if way.ending == "done":
        run.offer(chains.alg_of(way.moves))
    elif way.ending == "memory":
        run.lacked_memory = True
    elif way.ending != "stopped":
        run.limit = way.ending
        share.reach(way.ending)


def pieces(run: Run, share: Budget, settings: Pieces) -> tuple[Chains, State] | None:
    """The chains of the puzzle and the start; where pieces are identical, those of the twin, and a state that looks
    like the start. None if the puzzle has none."""
    puzzle, state = run.problem.puzzle, run.problem.start
    if not isinstance(puzzle, PermutationPuzzle):
        return None
    if not puzzle.all_different:
        if puzzle.twin is None or (apart := apart_or_exhausted(run, share, settings.alike, settings.orbits)) is None:
            return None
        puzzle, state = puzzle.twin, apart
        run.whole = run.problem.toward(puzzle, state)
    chains = run.make(lambda: chains_of(puzzle, run.problem.moves, settings.chains), share)
    return None if chains is None else (chains, state)


def why_no_solution(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why nothing is constructed with these moves; None if it is."""
    return None if puzzle.answers(moves) else "there is no direct method for these moves; use all moves of the puzzle"


def why_no_words(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there are no words of these moves, which boards need none of; None if there are."""
    return why_no_solution(puzzle, moves) if isinstance(puzzle, PermutationPuzzle) else None


def by_orbits(run: Run, chains: Chains, start: State, share: Budget, settings: OrbitSettings) -> bool:
    """Whether the start is solved one orbit after another; then the solution is kept if it is the shortest so far."""
    alg = run.make(lambda: orbit_by_orbit(chains.puzzle, chains.moves, settings).solve(start), share)
    return alg is not None and run.offer(alg)


METHOD = Method(
    name="constructive",
    summary="the first solution of a direct method: rows and columns of tiles, words that keep solved pieces",
    duplicates="by 64-bit hash, within a layer",
    improve=construct,
    settings=Settings,
    refuses=why_no_solution,
)
