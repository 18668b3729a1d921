"""The algorithm ``anytime``: the searches, their order, and their shares of the time.

1. A direct solution, within a fraction of a second: rows and columns of sliding tiles, two phases over a subgroup where
   there is one that is of use (`phases`), a quick chain of words for the other puzzles, or cycles of three pieces where
   the words of a chain grow too long.
2. What `auto` would try without databases, for a short while: near states are solved and proven.
3. The two phases, with the first one longer and longer; for the other puzzles beams, wider and wider, first in stages
   of several pieces, one move at a time, then along the chain of words. Both for the state, its inverse and its images
   under the symmetries of the moves.
   Boards have beams over additive databases (`boards`), or, with no databases, A* with smaller and smaller weights.
4. Parts of the best solution are made shortest (`windows`), until nothing changes.
5. If the bound is close, what `auto` would do, until it is proven or time is up.

It also ends without a limit. With limits on nodes instead of seconds the result is the same on every machine. The first
solution may exceed the limits on nodes; after it they are kept, and the limit on memory too. At the end of `auto`,
whose own searches reached a limit, steps 2 and 5 are left out, and the first solution also keeps the limits on nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import singledispatch
from math import inf
from typing import Literal

from hstar import _kernel
from hstar.databases.building import watching
from hstar.heuristics import get_heuristic
from hstar.polling import polling
from hstar.puzzles import Puzzle, State
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime import boards, tiles
from hstar.search.anytime.alike import told_apart
from hstar.search.anytime.best import Best, Found
from hstar.search.anytime.chains import OUTLOOK, Chains, chains_of
from hstar.search.anytime.phases import Phases, phases_of
from hstar.search.anytime.three_cycles import three_cycles_of
from hstar.search.anytime.windows import shorten
from hstar.search.control import Control, Stopped
from hstar.search.problem import Problem, Strategy, round_up

__all__ = ["FIRST_WIDTH", "Exact", "InPhases", "by_cycles", "search", "shorten_parts"]

#: a function that searches a problem with one strategy, by the strategy's method
Exact = Callable[[Problem, Control, int], _kernel.Outcome]

#: the fractions of the time at which the short exact search ends, then beams, windows, and beams again
_FIRST, _KNOWN, _BEAMS, _WINDOWS, _LATE_BEAMS = 0.05, 0.25, 0.6, 0.75, 0.93
#: expansions of the short exact search
_NEAR = 300_000
#: expansions of A* with one weight in the first round, the weights, and the part of the time after which rounds end
_WEIGHTED = 500_000
_WEIGHTS = (5.0, 3.0, 2.0, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1)
_ROUNDS = 0.9
#: the most seconds for building a quick chain
_QUICK_SECONDS = 20
#: the part of the time after which the beams over boards end
_BOARDS = 0.9
#: the last exact search is done only if length and bound differ by at most this; on boards with beams
_CLOSE, _CLOSE_ON_BOARDS = 8, 24
#: the part of the time after which two phases end, and their expansions where there is no limit of time
_PHASES = 0.9
_PHASED = 3_000_000
#: two phases never have more moves
_MOST_MOVES = 250
#: the width from which the last moves are worth their time
_ENDS_WIDTH = 3_000
#: beams over pieces end in perimeters if there is so much memory, which building them takes
_PERIMETER_MIB = 512
#: width of the beam that finds the first solution; of the others, and how many variants of the state each is tried on
FIRST_WIDTH = 100
_WIDTHS = ((300, 2), (1_000, 4), (3_000, 2), (10_000, 4), (30_000, 240))


def search(problem: Problem, control: Control, threads: int, exact: Exact) -> Found:
    """A solution of any valid state, as short as the limits allow, and a proven bound.

    :param exact: runs one strategy of `auto`
    :raises SolutionRejected: a part of this found a wrong solution, which would be a bug
    """
    best = Best(problem, control)

    def check() -> None:  # asked within long work in Python; no time limit ends the search for the first solution
        if control.cancelled or (best.solution is not None and best.over()):
            raise Stopped

    with suppress(Stopped), polling(check):
        _improve(best, threads, exact)
    best.over()
    return best.found()


def _improve(best: Best, threads: int, exact: Exact) -> None:
    """All steps, one after another. May end by `Stopped`."""
    problem = best.problem
    best.raise_bound(problem.root_bound())
    if problem.start == problem.puzzle.solved:
        best.offer(())
    best.raise_bound(problem.known_bound)
    if problem.known is not None and problem.is_solution(problem.known):
        best.offer(problem.known)
    beams, whole = _first_solutions(problem.puzzle, best, threads, exact)
    if best.solution is not None:
        shorten_parts(best, exact, _WINDOWS if beams is not None else 1.0, whole)
        if beams is not None and len(best.solution) - best.bound > _CLOSE:  # far from any proof
            before = len(best.solution)
            beams.run(_LATE_BEAMS)
            if len(best.solution) < before:
                shorten_parts(best, exact, 1.0)
    if not best.over():
        _prove(best, threads, exact)


@singledispatch
def _first_solutions(_puzzle: Puzzle, best: Best, threads: int, exact: Exact) -> tuple[_Beams | None, Problem]:
    """The first solutions, by what suits the puzzle. Returns the beams that may be run again, and the problem in which
    parts of the solution can be made shortest."""
    _near(best, threads, exact)
    return None, best.problem


@_first_solutions.register(SlidingTiles)
def _of_board(puzzle: SlidingTiles, best: Best, threads: int, exact: Exact) -> tuple[_Beams | None, Problem]:
    if not puzzle.constructs(best.problem.moves):
        _near(best, threads, exact)
        return None, best.problem
    best.offer(tiles.fill(puzzle, best.problem.start))
    _near(best, threads, exact)
    _known(best, exact)
    if puzzle.blocks:
        boards.beams(best, threads, lambda: _share(best, _BOARDS))
    else:
        _weighted(best, puzzle, exact)
    return None, best.problem


@_first_solutions.register(PermutationPuzzle)
def _of_pieces(puzzle: PermutationPuzzle, best: Best, threads: int, exact: Exact) -> tuple[_Beams | None, Problem]:
    if not puzzle.all_different:
        whole = _told_apart(best, puzzle)
        _near(best, threads, exact)
        return None, whole
    chains = chains_of(puzzle, best.problem.moves)
    phased = InPhases.of(best, puzzle)
    chained = (phased is None or not phased.at_once()) and _at_once(best, chains)
    _near(best, threads, exact, _NEAR if phased is None else _NEAR // 10)
    _known(best, exact)
    if phased is not None:
        phased.run()
    if phased is not None or not chained or best.over():
        return None, best.problem
    beams = _Beams(best, chains, threads)
    beams.run(_BEAMS)
    return beams, best.problem


def _told_apart(best: Best, puzzle: PermutationPuzzle) -> Problem:
    """The first solution where pieces are identical: that of a state whose pieces are all different. Returns that
    state's problem; the best's own if there is none."""
    state, twin = told_apart(puzzle, best.problem.start, best.problem.moves), puzzle.twin
    if state is None or twin is None:
        return best.problem
    _at_once(best, chains_of(twin, best.problem.moves), state)
    return replace(best.problem, puzzle=twin, start=state)


def _known(best: Best, exact: Exact) -> None:
    """Shorten a solution that was known from the beginning, unless a better one was found at once."""
    known = best.problem.known
    if known is not None and best.solution is not None and len(best.solution) >= len(known):
        shorten_parts(best, exact, _KNOWN)


def _share(best: Best, part: float) -> float:
    """The seconds left until this fraction of the time has passed."""
    allowed = best.problem.limits.seconds
    return inf if allowed is None else max(0.0, part * allowed - best.seconds)


def _at_once(best: Best, chains: Chains, start: State | None = None) -> bool:
    """Find the first solution, even if no time is left; only cancelling prevents it, and in `auto` the limits on nodes.
    Returns whether there is a chain of words for beams."""
    if best.over() and best.limit != "seconds" and (best.limit is None or best.problem.answers):
        return True
    start = best.problem.start if start is None else start
    if chains.large and by_cycles(best, chains, start, _QUICK_SECONDS):
        return False
    chain = chains.shipped or chains.quick(best.control.part().kernel, _QUICK_SECONDS)
    if not chain.complete:
        if not chains.large:
            by_cycles(best, chains, start, _QUICK_SECONDS)
    else:
        most = best.limits_for(None) if best.problem.answers else None
        way = chain.descend(
            chains.element(start),
            FIRST_WIDTH,
            OUTLOOK,
            inf,
            best.control.part().kernel,
            max_expanded=most.expanded if most else None,
            max_generated=most.generated if most else None,
        )
        best.count_beam(way)
        if way.ending == "done":
            best.offer(tuple(move for number in way.moves for move in chains.algs[number]))
        elif way.ending in ("expanded", "generated"):
            best.limit = way.ending
    return chain.complete


def by_cycles(best: Best, chains: Chains, start: State, seconds: float) -> bool:
    """Whether cycles of three pieces solve the start; then the solution is kept."""
    alg = three_cycles_of(chains.puzzle, chains.moves).solve(start, best.control.part().kernel, seconds)
    return alg is not None and best.offer(alg)


def _strategies(best: Best, with_databases: bool) -> Iterator[Strategy]:
    """The strategies of `auto` that fit into memory."""
    problem = best.problem
    for choice in problem.puzzle.auto(problem.moves):
        heuristic = get_heuristic(choice.heuristic, problem.puzzle, problem.moves)
        if heuristic.build_bytes <= (problem.limits.memory_mib * 2**20 if with_databases else 0):
            yield Strategy(choice.method, heuristic, partitions=choice.partitions)


def _near(best: Best, threads: int, exact: Exact, expanded: int = _NEAR) -> None:
    if best.problem.answers:
        return
    for strategy in _strategies(best, with_databases=False):
        _run(best, strategy, _share(best, _FIRST), expanded, threads, exact)


def _prove(best: Best, threads: int, exact: Exact) -> None:
    """Run the remaining strategies of `auto`, if they can succeed."""
    puzzle = best.problem.puzzle
    on_board = isinstance(puzzle, SlidingTiles) and bool(puzzle.blocks)
    close = _CLOSE_ON_BOARDS if on_board else _CLOSE
    if best.problem.answers or (best.solution is not None and len(best.solution) - best.bound > close):
        return
    most = None if best.problem.limits.seconds is not None else 100 * _NEAR
    strategies = list(_strategies(best, with_databases=True))
    for strategy in strategies[-1:] if on_board else strategies:
        _run(best, strategy, best.seconds_left, most, threads, exact)


def _run(best: Best, strategy: Strategy, seconds: float, expanded: int | None, threads: int, exact: Exact) -> None:
    """Run one exact search within a share of the limits, and keep its solution and its bound."""
    if best.over() or seconds == 0:
        return
    part = best.problem.only(strategy, best.limits_for(expanded, seconds))
    if best.solution is not None:
        part = replace(part, known=best.solution)

    def watch(_what: str, _done: int, _total: int) -> None:
        if best.over():
            raise Stopped

    try:
        with watching(watch):
            strategy.heuristic.load()
        outcome = exact(part, best.control.part(), threads)
    except Stopped:
        return
    except MemoryError:
        best.lacked_memory = True
        return
    best.count(outcome)
    if strategy.heuristic.is_admissible(part.moves):
        best.raise_bound(round_up(outcome.f_bound))
    if outcome.status == "solved":
        best.offer([part.puzzle.moves[number] for number in outcome.path])


class InPhases:
    """Shorter and shorter solutions in two phases; can be continued."""

    def __init__(self, best: Best, phases: Phases) -> None:
        self.best = best
        self.phases = phases
        self.kernel, self.variants = phases.search(best.problem.start)

    @classmethod
    def of(cls, best: Best, puzzle: PermutationPuzzle) -> InPhases | None:
        """None if the puzzle has no phases, they do not fit into memory, or it was cancelled."""
        phases = phases_of(puzzle, best.problem.moves)
        if best.proven or phases is None or phases.table_bytes > best.problem.limits.memory_mib * 2**20:
            return None

        def watch(_what: str, _done: int, _total: int) -> None:
            if best.control.cancelled:
                raise Stopped

        try:
            with watching(watch):
                return cls(best, phases)
        except (Stopped, MemoryError):
            return None

    def at_once(self) -> bool:
        """Find a first solution, even if no time is left; in `auto` the limits on nodes are kept. Returns whether one
        was found, or will not be looked for."""
        best = self.best
        if best.over() and best.limit != "seconds" and (best.limit is None or best.problem.answers):
            return True
        most = (
            best.limits_for(None)
            if best.problem.answers
            else best.problem.limits.model_copy(update={"expanded": None, "generated": None})
        )
        outcome = self._step(most.expanded, most.generated, _QUICK_SECONDS)
        if outcome.limit in ("expanded", "generated"):
            best.limit = outcome.limit
        return outcome.status == "solved" or best.limit is not None

    def run(self, *, whole: bool = False) -> None:
        """Continue until most of the time has passed, or all expansions are used where there is no limit of time.

        :param whole: use all of the time
        """
        best, used = self.best, 0
        timed = best.problem.limits.seconds is not None
        while not best.over() and (timed or used < _PHASED):
            seconds = best.seconds_left if whole else _share(best, _PHASES)
            limits = best.limits_for(None if timed else _PHASED - used, seconds)
            outcome = self._step(limits.expanded, limits.generated, limits.seconds)
            used += outcome.expanded
            if outcome.status != "solved":
                return

    def _step(self, expanded: int | None, generated: int | None, seconds: float | None) -> _kernel.Outcome:
        """Search until a shorter solution is found, and keep it."""
        best, problem = self.best, self.best.problem
        outcome = self.kernel.run(
            len(best.solution) if best.solution is not None else _MOST_MOVES,
            max_expanded=expanded,
            max_generated=generated,
            seconds=seconds,
            control=best.control.part().kernel,
        )
        best.count(outcome)
        if outcome.status == "solved":
            path = [problem.puzzle.moves[number] for number in outcome.path]
            best.offer(self.variants[self.kernel.variant].read(path))
        return outcome


#: how a beam brings the pieces home: all by words, the first ones in stages and the others by words, or in stages and
#: the others by the last moves
_Way = Literal["words", "stages", "last moves"]


class _Beams:
    """Beam searches along the chain with growing widths, for more and more variants of the state; they can be
    continued. Those of the first width are done by words and in stages, the first ones of a width that the last moves
    need in both kinds of stages, every other one of greater widths with last moves unless words are the shortest, the
    rest as it gave the shortest solution."""

    def __init__(self, best: Best, chains: Chains, threads: int) -> None:
        self.best = best
        self.chains = chains
        self.threads = threads
        self.chain: _kernel.WordChain | None = None
        self.triples: _kernel.PieceTriples | None = None
        variants = chains.variants(best.problem.start)
        widths = _WIDTHS if best.problem.limits.seconds is not None else _WIDTHS[:-1]
        #: the lengths of the shortest solutions; the first of equals is used
        self.shortest: dict[_Way, float] = {"last moves": inf, "stages": inf, "words": inf}
        # Neighbouring variants are similar, so they are taken from the whole list.
        self.waiting = [
            (width, variants[number * 7919 % len(variants)], way)
            for width, count in widths
            for number in range(min(count, len(variants)))
            for way in _ways(width, number)
        ]
        self.waiting.reverse()

    def run(self, until: float) -> None:
        """Continue until this fraction of the time has passed."""
        best = self.best
        if self.chain is None and not best.over():
            self.chain = self._build(until)
            self.triples = self.chains.triples(best.control.part().kernel, _share(best, until / 2))
        while self.chain is not None and self.waiting and not best.over() and _share(best, until) > 0:
            width, variant, wanted = self.waiting.pop()
            chosen = self._shortest_way() if wanted is None else wanted
            if width > _ENDS_WIDTH and self._shortest_way() == "words":
                chosen = "words"
            # A cancel reaches the last part that was made, so the beam's is made after the perimeters'.
            perimeters = self._perimeters(until) if chosen == "last moves" else []
            seconds, limits = _share(best, until), best.limits_for(None)
            way = self.chain.descend(
                variant.element,
                width,
                OUTLOOK,
                seconds,
                best.control.part().kernel,
                max_expanded=limits.expanded,
                max_generated=limits.generated,
                memory_bytes=limits.memory_mib * 2**20,
                triples=self.triples if chosen != "words" else None,
                stages=self.chains.stages(width),
                perimeters=perimeters,
                threads=self.threads,
            )
            best.count_beam(way)
            if way.ending == "done":
                alg = variant.read(self.chains.puzzle, way.moves)
                self.shortest[chosen] = min(self.shortest[chosen], len(alg))
                best.offer(alg)
            elif way.ending == "stopped":  # there may be time for it later
                self.waiting.append((width, variant, wanted))
            elif way.ending == "memory":
                self.waiting = [beam for beam in self.waiting if beam[0] < width]
            else:
                best.limit = way.ending

    def _shortest_way(self) -> _Way:
        return min(self.shortest.items(), key=lambda way: way[1])[0]

    def _perimeters(self, until: float) -> list[_kernel.Perimeter]:
        if self.best.problem.limits.memory_mib < _PERIMETER_MIB:
            return []
        return self.chains.perimeters(self.best.control.part().kernel, _share(self.best, until / 2))

    def _build(self, until: float) -> _kernel.WordChain | None:
        if self.chains.shipped is not None:
            return self.chains.shipped
        chain = self.chains.thorough(self.best.control.part().kernel, _share(self.best, until / 2))
        if not chain.complete:
            chain = self.chains.quick(self.best.control.part().kernel, _QUICK_SECONDS)
        return chain if chain.complete else None


def _ways(width: int, number: int) -> tuple[_Way | None, ...]:
    """The ways in which beams of a width are done on this variant; None is what has been the best."""
    if width == _WIDTHS[0][0]:
        return ("stages", "words")
    if width == _ENDS_WIDTH:
        return ("last moves", "stages") if number == 0 else (None,)
    # Last moves are not always found, and are the better ones if they are.
    return ("last moves",) if width > _ENDS_WIDTH and number % 2 == 0 else (None,)


def _weighted(best: Best, board: SlidingTiles, exact: Exact) -> None:
    """A* with smaller and smaller weights, from the start and from the goal. Smaller weights give shorter solutions but
    take longer. A search that exceeds a round's expansions waits for the next round, which has four times as many."""
    problem, most = best.problem, _WEIGHTED
    backwards = SlidingTiles(board.name, "", board.rows, board.columns, problem.start)
    waiting = {side: list(_WEIGHTS) for side in ((board, problem.start), (backwards, board.solved))}
    while any(waiting.values()) and not best.over() and _share(best, _ROUNDS) > 0:
        before = best.solution
        for (puzzle, start), weights in waiting.items():
            while weights and not best.over() and _share(best, _ROUNDS) > 0:
                outcome = _weighted_astar(best, puzzle, start, weights[0], most)
                if outcome.status != "solved":
                    if outcome.limit == "memory":
                        weights.clear()
                    break
                del weights[0]
                path = [puzzle.moves[number] for number in outcome.path]
                best.offer(path if puzzle is board else puzzle.inverse_alg(path))
        if best.solution != before:
            shorten_parts(best, exact, _ROUNDS)
        if problem.limits.seconds is None and most > 4 * _WEIGHTED:
            return  # without a limit of time this ends as well
        most *= 4


def _weighted_astar(best: Best, puzzle: SlidingTiles, start: State, weight: float, expanded: int) -> _kernel.Outcome:
    limits = best.limits_for(expanded, _share(best, _ROUNDS))
    moves = best.problem.moves
    outcome = _kernel.astar(
        puzzle.kernel,
        start,
        [puzzle.moves.index(move) for move in moves.moves],
        get_heuristic(None, puzzle, moves).kernel,
        weight=weight,
        tie_breaking="low_h",
        max_expanded=limits.expanded,
        max_generated=limits.generated,
        seconds=limits.seconds,
        memory_bytes=limits.memory_mib * 2**20,
        control=best.control.part().kernel,
    )
    best.count(outcome)
    return outcome


def shorten_parts(best: Best, exact: Exact, until: float, problem: Problem | None = None) -> None:
    """Make parts of the best solution shortest, in this problem if it is not the best's own."""
    problem = problem or best.problem
    puzzle = problem.puzzle
    if not puzzle.all_different:
        return  # what replaces a part of a solution may take other pieces around that look alike only when solved
    if best.solution is not None and not problem.is_solution(best.solution):
        return  # it was found without telling pieces apart, and takes them elsewhere

    def shortest(part: Problem) -> tuple[str, ...] | None:
        """A shortest solution of a part, if a short search finds one."""
        for choice in part.puzzle.auto(part.moves):
            heuristic = get_heuristic(choice.heuristic, part.puzzle, part.moves)
            if heuristic.build_bytes == 0 and not best.over():
                strategy = Strategy(choice.method, heuristic, choice.expanded)
                limits = best.limits_for(part.limits.expanded)
                outcome = exact(part.only(strategy, limits), best.control.part(), 1)
                best.count(outcome)
                if outcome.status == "solved":
                    return tuple(part.puzzle.moves[number] for number in outcome.path)
        return None

    if best.solution is not None and not best.over():
        shorten(problem, best.solution, shortest, best.offer, lambda: best.over() or _share(best, until) == 0)
