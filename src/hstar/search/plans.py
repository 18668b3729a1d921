"""The plans that are shipped, as data: what ``auto`` and ``anytime`` do for a problem, with every share and constant.

``anytime``:

1. A direct solution, within a fraction of a second: rows and columns of sliding tiles, two phases over a subgroup where
   there is one that is of use, a quick chain of words for the other puzzles, or cycles of three pieces where the words
   of a chain grow too long.
2. What `auto` would try without tables, for a short while: near states are solved and proven.
3. The two phases, with the first one longer and longer, and the last search of `auto` if all its tables are there,
   which takes more than half of the seconds; for the other puzzles wider and wider beams, after the last search of
   `auto` if its tables are there and leave so few states to look at that it will end. Boards without databases have A*
   with smaller and smaller weights.
4. Parts of the best solution are made shortest, until nothing changes.
5. If the bound is close, what `auto` would do, until it is proven or the limits are reached.

With limits on nodes instead of seconds the result is the same on every machine. The first solution may exceed the
limits on nodes; after it they are kept.

``auto`` proves with most of the limits. The rest goes to a short solution, by the same steps without 2 and 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from hstar.databases.orbits import OrbitTable
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import databases_of
from hstar.options import Options, Step
from hstar.puzzles.base import ZERO, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime.bundles import bundles
from hstar.search.anytime.insertions import inserts
from hstar.search.anytime.looks import looks
from hstar.search.anytime.phases import fitting
from hstar.search.anytime.spins import spins
from hstar.search.commuting import wheels_of
from hstar.search.problem import Problem

__all__ = ["anytime", "auto", "improving", "proof", "proving"]

#: expansions of the short exact search, and of that where two phases follow
_NEAR, _NEAR_BEFORE_PHASES = 300_000, 30_000
#: and of the last one, where there is no limit of seconds
_LAST = 30_000_000
#: the part of the seconds that the short one may take, however long the first solution took
_NEAR_SHARE = 0.05
#: the last exact search is done only if length and bound differ by at most this; on boards with beams
_CLOSE, _CLOSE_ON_BOARDS = 8, 24
#: the seconds of two phases before a proof whose tables are there: with limits of 10 s a whole one found nothing
#: shorter; the largest part of all seconds that they take, and what part goes to both
_PHASES_SECONDS, _BEFORE_PROOF, _WITH_PROOF = 0.5, 0.35, 0.98
#: tables of which the strongest are at most so many times larger are as good for a proof
_AS_STRONG = 10
#: a search over tables will end where so many states at most look alike to them: it expands a few times as many
_FEW_ALIKE = 1_000_000
#: a puzzle with so few states is searched at once, and this many points of its group are counted for that
_FEW_STATES, _FEW_POINTS = 1_000_000, 150
#: A* with smaller and smaller weights on a row of pieces
_ON_ROWS = {"weights": (2.0, 1.5, 1.3, 1.2, 1.15, 1.1, 1.07, 1.05, 1.03), "expanded": 10_000}
#: what part of the limits beams on such a row may use before the proof
_BEAMS_ON_ROWS = 0.7
#: with more moves, of which some turn pieces in place, insertions are not the first solution
_MANY_MOVES = 100
#: what part of the seconds goes to reductions; where no cycles are put in afterwards, with at least so many expansions
#: of two phases
_REDUCED = 0.7
_REDUCED_LEAST = 4_000_000
#: and to cycles in many orbits at once
_BUNDLED = 0.8
#: with more pieces cycles in many orbits at once come first, by one quick round; later the orbits that cycles cannot
#: solve, which take few of the moves, have a smaller part of the seconds
_VERY_MANY_PIECES, _QUICK, _FEW_FIRST = 200, (200_000, 1.2, 300_000, 1.2, 1), 0.1
#: expansions of the short exact search where there are very many pieces
_NEAR_OF_MANY = 2_000
#: the most seconds for the words of a first solution
_WORDS_SECONDS = 20
#: what part of the limits `auto` proves with, before the rest goes to a solution that is not proven; and the most
#: seconds that it looks for a short one before it proves on boards, where the proof then need not look for one as short
PROVING, ANSWERING = 0.75, 15.0


def auto(problem: Problem) -> tuple[Step, ...]:
    """Prove with the strongest searches for the puzzle; then have an answer in any case."""
    first = _if_moves_commute(problem)
    answers = not problem.moves.costs and problem.puzzle.answers(problem.moves)
    nodes = until = PROVING if answers else 1.0
    steps = [step.model_copy(update={"until": until, "nodes": nodes, "together": True}) for step in proving(problem)]
    if not answers:
        return (*first, *steps)
    board = isinstance(problem.puzzle, SlidingTiles) and bool(problem.puzzle.blocks)
    if board and problem.known is None and problem.limits.seconds is not None and len(steps) > 1:
        most = min((1 - PROVING) * problem.limits.seconds, ANSWERING)
        answer = Step(method="anytime", when="unsolved", seconds=most, steps=list(improving(problem)))
        # There is a solution then, so the proof may use all that is left; without time for its tables, the solution.
        steps = [*steps[:-1], answer, steps[-1].model_copy(update={"until": 1.0, "nodes": 1.0})]
    return (*first, *steps, Step(method="anytime", steps=list(improving(problem))))


def _if_moves_commute(problem: Problem) -> tuple[Step, ...]:
    return () if wheels_of(problem.puzzle, problem.moves) is None else (Step(method="commuting", beyond=True),)


def anytime(problem: Problem) -> tuple[Step, ...]:
    """A solution soon, then shorter ones and a higher bound."""
    return improving(problem, proves=True)


def proving(problem: Problem) -> tuple[Step, ...]:
    """The exact searches of `auto` whose tables fit into the limit of memory; the last one has no limit of its own.

    With a limit of seconds those between the first and the last whose tables are there are left out.
    """
    if problem.moves.costs:  # until memory is full, and then without
        return Step(method="astar"), Step(method="ida_star")
    memory = problem.limits.memory_mib * 2**20
    choices = [
        choice
        for choice in problem.puzzle.auto(problem.moves)
        if get_heuristic(choice.heuristic, problem.puzzle, problem.moves).build_bytes <= memory
    ]
    if problem.limits.seconds is not None:
        there = (n for n in range(len(choices) - 1, 1, -1) if _tables_kept(problem, choices[n].heuristic))
        choices[1 : next(there, 1)] = []
    return tuple(
        Step(
            method=choice.method,
            heuristic=None if choice.heuristic == ZERO.name else choice.heuristic,
            expanded=choice.expanded if number < len(choices) else None,
            settings={"partitions": True} if choice.partitions else {},
        )
        for number, choice in enumerate(choices, start=1)
    )


def _tables_kept(problem: Problem, heuristic: str | None) -> bool:
    own = get_heuristic(heuristic, problem.puzzle, problem.moves)
    return own.build_bytes > 0 and own.kept


def _at_hand(problem: Problem) -> Step | None:
    """Of the strongest searches of `auto` one whose tables are there and fit into the limit of memory, if there is a
    limit of seconds."""
    if problem.limits.seconds is None or problem.moves.costs:
        return None
    strongest = get_heuristic(problem.puzzle.auto(problem.moves)[-1].heuristic, problem.puzzle, problem.moves)
    for step in reversed(proving(problem)):
        own = get_heuristic(step.heuristic, problem.puzzle, problem.moves)
        if own.build_bytes * _AS_STRONG < strongest.build_bytes:
            break
        if _tables_kept(problem, step.heuristic):
            return step.model_copy(update={"expanded": None})
    return None


def _ends_soon(problem: Problem, heuristic: str | None) -> bool:
    """Whether there is a limit of seconds, and a heuristic is the distance in a table of orbits that is there, to which
    few states look alike."""
    if problem.limits.seconds is None or problem.moves.costs:
        return False
    own = get_heuristic(heuristic, problem.puzzle, problem.moves)
    tables = [table for databases in databases_of(own.expression) for table in databases.own]
    if len(tables) != 1 or not isinstance(tables[0], OrbitTable):  # whether others are there takes long to know
        return False
    states = problem.puzzle.state_count
    return states is not None and tables[0].cosets * _FEW_ALIKE >= states and own.kept


def proof(problem: Problem) -> Problem:
    """The problem of ``auto``, all of whose limits are for the proof."""
    return replace(problem, algorithm="plan", options=Options(plan=[
        step.model_copy(update={"together": True}) for step in proving(problem)
    ]))  # fmt: skip


def _near(problem: Problem, expanded: int) -> list[Step]:
    """A short search that proves near states."""
    seconds = None if problem.limits.seconds is None else _NEAR_SHARE * problem.limits.seconds
    near = {"seconds": seconds, "expanded": expanded, "tables": False}
    return [step.model_copy(update=near) for step in proving(problem)]


def _few_states(puzzle: Puzzle) -> bool:
    return (
        isinstance(puzzle, PermutationPuzzle)
        and not puzzle.in_a_row  # these have short words
        and sum(puzzle.orientations) <= _FEW_POINTS
        and puzzle.state_count is not None
        and puzzle.state_count <= _FEW_STATES
    )


def _among_forbidden(problem: Problem, proves: bool) -> tuple[Step, ...]:
    """Where moves are forbidden: near states, and A* with smaller and smaller weights, whose last one proves."""
    first = _near(problem, _NEAR) if proves else []
    return (Step(method="by_shape", beyond=proves, until=0.5), *first, Step(method="ara_star"))


def _of_very_many_pieces(problem: Problem, proves: bool) -> tuple[Step, ...]:
    """With very many pieces what proofs are planned by takes longer than a solution."""
    assert isinstance(problem.puzzle, PermutationPuzzle)
    first: dict[str, Any] = {"first": True, "first_orbits": 0.5}
    steps = [Step(method="bundles", beyond=proves, settings=first | {"anew": _QUICK})]
    if cycles := inserts(problem.puzzle, problem.moves):  # where there are none of many orbits
        steps.append(
            Step(method="insertions", when="unsolved", beyond=proves, settings=first | {"rounds": [[1, 50_000, 1]]})
        )
    steps.append(Step(method="constructive", when="unsolved", beyond=proves, settings={"seconds": _WORDS_SECONDS}))
    if proves:
        steps.append(Step(method="bidirectional", expanded=_NEAR_OF_MANY))
    steps.append(Step(method="bundles", settings={"first_orbits": _FEW_FIRST}))
    return (*steps, Step(method="insertions")) if cycles else tuple(steps)


def improving(problem: Problem, proves: bool = False) -> tuple[Step, ...]:
    """A solution soon, then shorter ones.

    :param proves: near states are also proven, and the end is a proof if it is near; the first solution may exceed the
        limits on nodes
    """
    puzzle, moves = problem.puzzle, problem.moves
    if puzzle.forbids:
        return _among_forbidden(problem, proves)
    if isinstance(puzzle, PermutationPuzzle) and not puzzle.answers(moves):  # nor do words of moves solve pieces
        return (*_if_moves_commute(problem), *(proving(problem) if proves else ()))
    timed = problem.limits.seconds is not None
    phases = fitting(puzzle, moves, problem.limits.memory_mib * 2**20)
    board = isinstance(puzzle, SlidingTiles) and bool(puzzle.blocks)
    different = isinstance(puzzle, PermutationPuzzle) and puzzle.all_different
    row = isinstance(puzzle, PermutationPuzzle) and puzzle.turns_over(moves)
    if not different:
        phases = None
    many = (
        phases is None
        and not row
        and isinstance(puzzle, PermutationPuzzle)
        and bundles(puzzle, moves, problem.limits.memory_mib * 2**20)
    )
    if many and len(puzzle.values) > _VERY_MANY_PIECES:
        return _of_very_many_pieces(problem, proves)
    near = _near(problem, _NEAR if phases is None else _NEAR_BEFORE_PHASES) if proves else []
    steps = list(_if_moves_commute(problem))
    if _few_states(puzzle):  # all are searched before words are found
        steps.append(Step(method="bidirectional", expanded=_FEW_STATES))
    if phases is not None:
        steps.append(Step(method="two_phase", beyond=proves, seconds=_WORDS_SECONDS, settings={"first": True}))
    direct: dict[str, Any] = {"seconds": _WORDS_SECONDS}
    unless: Literal["always", "unimproved", "unsolved"] = "always" if phases is None else "unimproved"
    cycles = phases is None and not row and isinstance(puzzle, PermutationPuzzle) and inserts(puzzle, moves)
    if cycles:
        assert isinstance(puzzle, PermutationPuzzle)
        # Any solution will do, also on a busy machine.
        first = {"first": True, "first_orbits": 0.5, "rounds": [[1, 50_000, 1]]}
        if len(moves.moves) > _MANY_MOVES and spins(puzzle, moves):  # to put cycles into a long alg takes long
            steps.append(Step(method="constructive", beyond=proves, settings=direct))
        steps.append(Step(method="insertions", beyond=proves, settings=first))
        unless = "unsolved"
    if not row:
        steps.append(Step(method="constructive", when=unless, beyond=proves, settings=direct))
    if not cycles and isinstance(puzzle, PermutationPuzzle) and spins(puzzle, moves):
        steps.append(Step(method="spins", beyond=proves, until=0.9))
    steps += near
    windows_until = 1.0
    at_hand = None
    if proves and (phases is not None or (different and _ends_soon(problem, puzzle.auto(moves)[-1].heuristic))):
        at_hand = _at_hand(problem)
    if phases is None and at_hand is not None:
        steps.append(at_hand.model_copy(update={"until": _WITH_PROOF}))
    if phases is not None:
        until = 0.9
        if at_hand is not None and problem.limits.seconds:
            until = min(_PHASES_SECONDS / problem.limits.seconds, _BEFORE_PROOF)
        steps += [
            Step(method="windows", when="known", until=0.25),
            Step(method="two_phase", when="solved", until=until),
        ]
        if at_hand is not None:
            steps.append(at_hand.model_copy(update={"until": _WITH_PROOF}))
    elif board:
        steps += [Step(method="windows", when="known", until=0.25), Step(method="beams", until=0.96)]
    elif isinstance(puzzle, SlidingTiles):
        if puzzle.constructs(moves):
            steps += [Step(method="windows", when="known", until=0.25), Step(method="weights", until=0.9)]
    elif row:
        # Beams may be lost where only some of the rows can be turned over.
        steps += [
            Step(method="beams", until=_BEAMS_ON_ROWS),
            Step(method="weights", heuristic="gaps", when="unsolved", until=0.9, settings=_ON_ROWS),
        ]
    elif cycles:
        if timed:
            steps.append(Step(method="reduction", until=_REDUCED))
        if timed and many:
            steps.append(Step(method="bundles", until=_BUNDLED))
        steps.append(Step(method="insertions", until=0.9))
    elif isinstance(puzzle, PermutationPuzzle) and looks(puzzle, moves):
        steps.append(Step(method="beams", until=0.9))
    elif different:
        windows_until = 0.75
        assert isinstance(puzzle, PermutationPuzzle)
        if timed and len({len(puzzle.touched(move)) for move in moves.moves}) > 1:  # there are several kinds of moves
            steps.append(Step(method="reduction", until=_REDUCED, settings={"least": _REDUCED_LEAST}))
        steps += [Step(method="windows", when="known", until=0.25), Step(method="beams", until=0.6)]
    steps.append(Step(method="windows", when="solved", until=windows_until))
    if windows_until < 1:
        steps += [
            Step(method="beams", until=0.93, when="solved", gap_least=_CLOSE + 1),  # far from any proof
            Step(method="windows", when="improved"),
        ]
    if proves:
        exact = proving(problem)
        for step in exact[-1:] if board else exact:
            steps.append(
                step.model_copy(
                    update={
                        "expanded": None if timed else _LAST,
                        "gap_most": _CLOSE_ON_BOARDS if board else _CLOSE,
                    }
                )
            )
    return tuple(steps)
