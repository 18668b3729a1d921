"""Wider and wider beams, as a step of plans: for a state, its inverse, and its images under symmetries of the moves.

Boards: `hstar.search.anytime.boards`; rows that are turned over: `hstar.search.anytime.rows`; pieces that look alike,
and few moves: `hstar.search.anytime.looks`. Other pieces are solved one after another: first in stages of several
pieces, one move at a time, then along a chain of words, or by last moves that lead into a perimeter.
"""

from __future__ import annotations

from math import inf
from typing import Annotated, Literal

from pydantic import Field

from hstar import _kernel
from hstar.options import Step, Width
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import boards, looks, rows
from hstar.search.anytime.chains import Chains, Variant, chains_of
from hstar.search.anytime.looks import Settings as LooksSettings
from hstar.search.anytime.widths import fitting_width
from hstar.search.budget import Budget
from hstar.search.method import Count, Method, Share
from hstar.search.methods.constructive import Words, why_no_words
from hstar.search.run import Run

__all__ = ["METHOD", "Ladder", "Settings"]

#: how a beam brings the pieces home: all by words, the first ones in stages and the others by words, or in stages and
#: then by last moves into a perimeter, or so with a stage whose ranking was learned
_Way = Literal["words", "stages", "last moves", "learned"]


#: a prime: one variant and the next one that is taken are so far apart
_APART = 7919


class Settings(Words):
    """Of pieces. Those of boards are in ``board``, those of rows that are turned over in ``row``, and those of few
    moves with pieces that look alike in ``looks``.

    ``widths``: of the beams, and on how many variants of the state each is tried; the last only with a limit of
    seconds. ``learned``: where a ranking was learned, beams of this width may take ``narrow`` of the seconds. Then the
    variant with the shortest solution has a beam that takes ``part`` of the seconds that are left, if it is ``wider``
    times as wide or more, at most ``widest``, and so on with other variants. ``last_moves``: the width from which
    the last moves are worth their time. ``perimeter_mib``: the memory that a perimeter may take while it is found; with
    a smaller limit beams do not end in perimeters. ``words_seconds``: for a quick chain where there is no time for a
    better one.
    """

    widths: tuple[tuple[Width, Count], ...] = ((300, 2), (1_000, 4), (3_000, 2), (10_000, 6), (30_000, 240))
    learned: Count = 10_000
    narrow: Share = 0.4
    part: Share = 0.8
    wider: Annotated[int, Field(gt=1)] = 3
    widest: Width = 300_000
    last_moves: Count = 3_000
    perimeter_mib: Count = 512
    words_seconds: Annotated[float, Field(ge=0)] = 20
    board: boards.Settings = boards.Settings()
    row: rows.Settings = rows.Settings()
    looks: LooksSettings = LooksSettings()


def improve(run: Run, step: Step, share: Budget) -> None:
    puzzle, settings = run.problem.puzzle, Settings.model_validate(step.settings)
    if isinstance(puzzle, PermutationPuzzle) and puzzle.turns_over(run.problem.moves):
        rows.beams(run, share, settings.row)
    elif isinstance(puzzle, PermutationPuzzle) and looks.looks(puzzle, run.problem.moves):
        looks.beams(run, share, settings.looks)
    elif run.solution is None:
        return
    elif isinstance(puzzle, SlidingTiles):
        if puzzle.blocks:
            boards.beams(run, share, settings.board)
    elif isinstance(puzzle, PermutationPuzzle) and puzzle.all_different:
        ladder = run.kept.get("beams") or Ladder(run, chains_of(puzzle, run.problem.moves, settings.chains), settings)
        run.kept["beams"] = ladder
        ladder.climb(share)


class Ladder:
    """The beams of a state with pieces; the next step with the same method continues."""

    def __init__(self, run: Run, chains: Chains, settings: Settings) -> None:
        self.run = run
        self.chains = chains
        self.settings = settings
        self.chain: _kernel.WordChain | None = None
        self.triples: _kernel.PieceTriples | None = None
        variants = chains.variants(run.problem.start)
        widths = settings.widths if run.budget.timed else settings.widths[:-1]
        #: the lengths of the shortest solutions; the first of equals is used
        self.shortest: dict[_Way, float] = {"learned": inf, "last moves": inf, "stages": inf, "words": inf}
        #: variants that narrow beams with a learned ranking solved, with the lengths of their solutions
        self.solved: list[tuple[int, Variant]] = []
        self.narrow_seconds = 0.0
        # Neighbouring variants are similar, so they are taken from the whole list.
        self.waiting: list[tuple[int, Variant, _Way | None]] = [
            (width, variants[number * _APART % len(variants)], way)
            for width, count in widths
            for number in range(min(count, len(variants)))
            for way in self._ways(width, number)
        ]
        self.waiting.reverse()

    def climb(self, share: Budget) -> None:
        """Go on until the share is used."""
        run, settings = self.run, self.settings
        if self.chain is None and not run.over(share):
            half = share.share(until=0.5)
            self.chain = self._build(half, share)
            self.triples = self.chains.triples(share.search(), half.seconds_left)
        while self.chain is not None and self.waiting and not run.over(share):
            width, variant, wanted = self.waiting.pop()
            chosen = self._shortest_way() if wanted is None else wanted
            if width > settings.last_moves and self._shortest_way() == "words":
                chosen = "words"
            perimeters = self._perimeters(share) if chosen in ("last moves", "learned") else []
            ranking = self.chains.ranking if chosen == "learned" else None
            left = share.seconds_left
            way = self.chain.descend(
                variant.element,
                width,
                settings.outlook,
                **share.kernel(held=sum(perimeter.bytes for perimeter in perimeters)),
                control=share.search(),
                triples=self.triples if chosen != "words" else None,
                stages=settings.stages(self.chains, width, ranking is not None),
                perimeters=perimeters,
                threads=run.threads,
                ranking=ranking,
            )
            share.count(way)
            if way.ending == "done":
                alg = variant.read(self.chains.puzzle, way.moves)
                self.shortest[chosen] = min(self.shortest[chosen], len(alg))
                run.offer(alg)
                if chosen == "learned" and share.timed and width >= settings.learned:
                    if width == settings.learned:
                        self.solved.append((len(alg), variant))
                    self._widen(width, left - share.seconds_left, share.seconds_left)
            elif way.ending == "stopped":  # there may be time for it later
                self.waiting.append((width, variant, wanted))
            elif way.ending == "memory":
                self.waiting = [beam for beam in self.waiting if beam[0] < width]
            else:
                share.reach(way.ending)
                return

    def _widen(self, width: int, took: float, left: float) -> None:
        """The variant with the shortest solution is next, as wide as there is time for, or at least as wide as the one
        before; but first the others, if there is time for them."""
        settings = self.settings
        self.narrow_seconds += took
        others = self.waiting and self.waiting[-1][0] == width == settings.learned
        if others and self.narrow_seconds + took <= settings.narrow * (self.narrow_seconds + left):
            return
        fits = min(settings.widest, int(fitting_width(width, took, settings.part * left)))
        if self.waiting and fits >= (width if width > settings.learned else settings.wider * width):
            self.solved.sort(key=lambda solved: -solved[0])
            variant = self.solved.pop()[1] if self.solved else self.waiting[-1][1]
            self.waiting.append((fits, variant, "learned"))

    def _shortest_way(self) -> _Way:
        return min(self.shortest.items(), key=lambda way: way[1])[0]

    def _ways(self, width: int, number: int) -> tuple[_Way | None, ...]:
        """The ways in which beams of a width are done on this variant; None is what has been the best."""
        if width == self.settings.widths[0][0]:
            return ("stages", "words")
        best: tuple[_Way, ...] = ("last moves",) if self.chains.ranking is None else ("learned",)
        if width == self.settings.last_moves:
            return (*best, "stages") if number == 0 else (None,)
        # Last moves are not always found, and are the better ones if they are.
        return (None,) if width < self.settings.last_moves or number % 2 else best

    def _perimeters(self, share: Budget) -> list[_kernel.Perimeter]:
        memory = self.settings.perimeter_mib * 2**20
        if share.memory_bytes < memory:
            return []
        return self.chains.perimeters(share.search(), share.share(until=0.5).seconds_left, memory)

    def _build(self, half: Budget, share: Budget) -> _kernel.WordChain | None:
        if self.chains.shipped is not None:
            return self.chains.shipped
        chain = self.chains.thorough(share.search(), half.seconds_left)
        if not chain.complete:
            quick = share.share(seconds=self.settings.words_seconds)
            chain = self.chains.quick_in_order(share.search(), quick.seconds_left)
        return chain if chain.complete else None


METHOD = Method(
    name="beams",
    summary="wider and wider beams, for variants of the state",
    duplicates="by 64-bit hash, within a layer",
    improve=improve,
    settings=Settings,
    refuses=why_no_words,
)
