"""The parts of ``anytime``, each as an algorithm of its own: ``constructive``, ``beam``, ``two_phase`` and ``windows``.

They keep all limits, also before their first solution. What `Found` counts as expanded: in ``constructive`` and
``beam`` the paths or states whose successors were made, in ``two_phase`` the nodes of both phases, in ``windows`` those
of the searches for its parts, and of the first solution where none was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import singledispatch
from math import inf
from threading import Timer

from hstar import _kernel
from hstar.databases import tile_databases
from hstar.polling import polling
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import tiles
from hstar.search.anytime.algorithm import FIRST_WIDTH, Exact, InPhases, by_cycles, shorten_parts
from hstar.search.anytime.alike import told_apart
from hstar.search.anytime.best import Best, Found
from hstar.search.anytime.boards import load
from hstar.search.anytime.chains import OUTLOOK, Chains, chains_of
from hstar.search.anytime.phases import phases_of
from hstar.search.anytime.rankings import RANKINGS, kernel_ranking
from hstar.search.control import Control, Stopped
from hstar.search.problem import Problem

__all__ = ["beam", "constructive", "two_phase", "why_no_beam", "why_no_solution", "why_no_subgroup", "windows"]


def constructive(problem: Problem, control: Control) -> Found:
    """The first solution that a direct method finds."""
    return _searched(problem, control, _construct)


def beam(problem: Problem, control: Control, threads: int) -> Found:
    """The solution of one beam of the problem's width."""
    return _searched(problem, control, lambda best: _one_beam(problem.puzzle, best, threads))


def two_phase(problem: Problem, control: Control) -> Found:
    """Shorter and shorter solutions in two phases."""

    def search(best: Best) -> None:
        assert isinstance(problem.puzzle, PermutationPuzzle)
        phased = InPhases.of(best, problem.puzzle)
        if phased is None:
            best.limit = None if control.cancelled else "memory"
        else:
            phased.run(whole=True)

    return _searched(problem, control, search)


def windows(problem: Problem, control: Control, exact: Exact) -> Found:
    """The known solution, or else that of ``constructive``, with its parts made shortest until nothing changes."""

    def search(best: Best) -> None:
        whole = problem
        if problem.known is not None and problem.is_solution(problem.known):
            best.offer(problem.known)
        else:
            whole = _construct(best)
        shorten_parts(best, exact, 1.0, whole)

    return _searched(problem, control, search)


def why_no_solution(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why nothing is constructed with these moves; None if it is."""
    return None if puzzle.answers(moves) else "there is no direct method for these moves; use all moves of the puzzle"


def why_no_beam(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there is no beam for these moves; None if there is one."""
    if isinstance(puzzle, SlidingTiles) and puzzle.small_blocks is None:
        return "boards of one row, and large ones, have no databases for a beam; anytime takes them"
    return why_no_solution(puzzle, moves)


def why_no_subgroup(puzzle: Puzzle, moves: MoveSet) -> str | None:
    """Why there are no two phases with these moves; None if there are."""
    if isinstance(puzzle, PermutationPuzzle) and phases_of(puzzle, moves) is not None:
        return None
    return "no subgroup of these moves is of use for two phases, as there is one of the 3x3x3's"


def _searched(problem: Problem, control: Control, search: Callable[[Best], object]) -> Found:
    """Run a search within the limits; only a proof makes it unnecessary."""
    best = Best(problem, control)
    best.raise_bound(max(problem.root_bound(), problem.known_bound))
    if problem.start == problem.puzzle.solved:
        best.offer(())

    def check() -> None:  # asked within long work in Python
        if best.over():
            raise Stopped

    with suppress(Stopped), polling(check):
        if not best.over():
            search(best)
    if best.limit is None:
        best.over()
    return best.found()


def _construct(best: Best) -> Problem:
    """Offer the first solution, and return the problem that it solves: the twin's where pieces are identical.

    A beam along the chain of words finds it. If the problem has a width, the first pieces are solved in stages before,
    one move at a time, by the distances of triples of pieces.
    """
    problem = best.problem
    if isinstance(problem.puzzle, SlidingTiles):
        best.offer(tiles.fill(problem.puzzle, problem.start))
        return problem
    chains, start = _pieces(best)
    if start is None:
        return problem
    width = problem.width
    tried = width is None and chains.large
    if tried and by_cycles(best, chains, start, best.seconds_left):
        return replace(problem, puzzle=chains.puzzle, start=start)
    chain = _chain(best, chains)
    if chain is not None:
        triples = None if width is None else chains.triples(best.control.part().kernel, best.seconds_left)
        _descend(best, chains, chain, start, width or FIRST_WIDTH, triples)
    elif not tried and not best.over():
        by_cycles(best, chains, start, best.seconds_left)
    return replace(problem, puzzle=chains.puzzle, start=start)


@singledispatch
def _one_beam(_puzzle: Puzzle, best: Best, threads: int) -> None:
    raise NotImplementedError


@_one_beam.register(SlidingTiles)
def _beam_of_boards(puzzle: SlidingTiles, best: Best, threads: int) -> None:
    """States are kept by small additive databases and the first ranking. Paths longer than that of filling rows and
    columns are left out, so that it ends."""
    databases = tile_databases(puzzle, f"blocks:{puzzle.small_blocks}")
    if not load(best, databases):
        best.limit = best.limit or "memory"
        return
    limits, width = best.limits_for(None), best.problem.width
    assert width is not None
    part = best.control.part()
    # The kernel's own limit of seconds would make the beam narrower.
    with _stopping(part, best.seconds_left):
        outcome = _kernel.tile_beam(
            databases.kernel,
            best.problem.start,
            width=width,
            longest=len(tiles.fill(puzzle, best.problem.start)),
            max_expanded=limits.expanded,
            max_generated=limits.generated,
            memory_bytes=max(1, limits.memory_mib * 2**20 - databases.bytes),
            threads=threads,
            ranking=kernel_ranking(puzzle, RANKINGS[0]),
            control=part.kernel,
        )
    best.count(outcome)
    if outcome.status == "solved":
        best.offer([puzzle.moves[number] for number in outcome.path])
    elif outcome.status == "exhausted":
        best.limit = "width"
    elif outcome.limit is not None:
        best.limit = outcome.limit


@_one_beam.register(PermutationPuzzle)
def _beam_of_pieces(_puzzle: PermutationPuzzle, best: Best, _threads: int) -> None:
    """The first pieces in stages, then the others by words."""
    _construct(best)


def _pieces(best: Best) -> tuple[Chains, State | None]:
    """The chains of the puzzle and the start; where pieces are identical, those of the twin, and a state that looks
    like the start, None if none was found."""
    puzzle, moves = best.problem.puzzle, best.problem.moves
    assert isinstance(puzzle, PermutationPuzzle)
    twin = None if puzzle.all_different else puzzle.twin
    if twin is None:
        return chains_of(puzzle, moves), best.problem.start if puzzle.all_different else None
    return chains_of(twin, moves), told_apart(puzzle, best.problem.start, moves)


def _chain(best: Best, chains: Chains) -> _kernel.WordChain | None:
    """The chain that is shipped, or one that is made at once; None where words grow too long, or without the time."""
    if chains.shipped is not None:
        return chains.shipped
    chain = chains.quick(best.control.part().kernel, best.seconds_left)
    return chain if chain.complete else None


def _descend(
    best: Best,
    chains: Chains,
    chain: _kernel.WordChain,
    start: State,
    width: int,
    triples: _kernel.PieceTriples | None = None,
) -> None:
    limits = best.limits_for(None)
    way = chain.descend(
        chains.element(start),
        width,
        OUTLOOK,
        best.seconds_left,
        best.control.part().kernel,
        max_expanded=limits.expanded,
        max_generated=limits.generated,
        memory_bytes=limits.memory_mib * 2**20,
        triples=triples,
        stages=chains.stages(width),
    )
    best.count_beam(way)
    if way.ending == "done":
        best.offer(tuple(move for number in way.moves for move in chains.algs[number]))
    elif way.ending != "stopped":
        best.limit = way.ending
    elif not best.control.cancelled:
        best.limit = "seconds"


@contextmanager
def _stopping(control: Control, seconds: float) -> Iterator[None]:
    """Cancel a part of the search after so many seconds."""
    if seconds == inf:
        yield
        return
    timer = Timer(seconds, control.cancel)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
