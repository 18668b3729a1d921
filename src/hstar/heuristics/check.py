"""A quick check of a heuristic: is it admissible, if not where does it fail, and how strong is it compared with named
ones?

>>> found = check(HeuristicCheckRequest(puzzle="megaminx", heuristic="s2-face-distance"))         # doctest: +SKIP
>>> found.admissible, found.counterexample.scramble                               # doctest: +SKIP
('refuted', ['U', 'U', 'F'])
"""

from __future__ import annotations

from functools import lru_cache
from statistics import fmean

from pydantic import Field

from hstar.heuristics import Heuristic, get_heuristic, named_for
from hstar.heuristics.analysis import Verdict
from hstar.heuristics.nearby import HeuristicRequest, require_cheap
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble
from hstar.schema import Out

__all__ = ["HeuristicCheck", "HeuristicCheckRequest", "check"]

#: heuristics are compared on this many scrambles of this many moves
SCRAMBLES, SCRAMBLE_LENGTH = 50, 20


class HeuristicCheckRequest(HeuristicRequest):
    """Body of ``POST /v1/heuristics/check``: a heuristic for one puzzle and one move set."""


class Counterexample(Out):
    """A state whose true distance the heuristic exceeds."""

    scramble: list[str] = Field(description="the moves from solved to the state; none of them: the goal itself")
    h: float
    true_distance: int


class Inconsistency(Out):
    """A state where one move lowers h by more than it costs, 1 mostly."""

    scramble: list[str] = Field(description="the moves from solved to the state")
    move: str | None = Field(description="the move that lowers h; null: h is not 0 at the goal, which the state is")


class HeuristicBounds(Out):
    """Bounds on h that hold on every state."""

    low: float = Field(description="h is at least this")
    high: float = Field(description="h is at most this")
    drop: float = Field(description="one move lowers h by at most this")
    rise: float = Field(description="one move raises h by at most this")
    integer: bool = Field(description="whether every value is an integer")


class Beside(Out):
    """A named heuristic on the same states."""

    name: str
    expression: str
    mean: float = Field(description="mean h on the same scrambles")
    admissible: Verdict


class HeuristicCheck(Out):
    """What is known of a heuristic for one move set."""

    puzzle: str
    goal: list[int] | None
    moves: str
    written: str = Field(description="the heuristic as it was given")
    name: str | None = Field(description="its name in /v1/heuristics, if it has one")
    expression: str = Field(description="its canonical text")
    admissible: Verdict = Field(description="h is never above the true distance: proven, refuted, or unknown")
    consistent: Verdict = Field(description="h(goal) = 0, and no move lowers h by more than it costs, 1 mostly")
    reason: str
    counterexample: Counterexample | None = Field(description="if it is not admissible")
    inconsistency: Inconsistency | None = Field(description="if it is not consistent")
    bounds: HeuristicBounds
    scrambles: int = Field(description="on how many scrambles heuristics are compared")
    scramble_length: int = Field(description="how many moves each of these has")
    mean: float = Field(description="mean h on these scrambles")
    beside: list[Beside] = Field(description="the named heuristics on the same scrambles, the strongest first")


def check(request: HeuristicCheckRequest, whole: bool = False, *, build: bool = True) -> HeuristicCheck:
    """What is known of a heuristic. A fraction of a second, unless a pattern database has to be built for it.

    :param whole: look at every state of a puzzle of up to four million, which takes seconds
    :param build: False: refuse a heuristic that needs a large pattern database
    :raises HstarError: the puzzle, the move set, the goal or the heuristic is not acceptable
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves, costs=True)
    heuristic = get_heuristic(request.heuristic, puzzle, moves)
    if not build:
        require_cheap(heuristic, "/heuristic")
    verdicts = heuristic.check_whole_space(moves) if whole else heuristic.verdicts(moves, deep=True)
    b = heuristic.bounds(moves)
    low, high, drop, rise = b.of_doubles()
    refuted = verdicts.counterexample is not None and verdicts.h is not None and verdicts.true_distance is not None
    return HeuristicCheck(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        moves=moves.name,
        written=request.heuristic,
        name=heuristic.name,
        expression=heuristic.expression.text,
        admissible=verdicts.admissible,
        consistent=verdicts.consistent,
        reason=verdicts.reason,
        counterexample=Counterexample(
            scramble=list(verdicts.counterexample or ()),
            h=verdicts.h or 0.0,
            true_distance=verdicts.true_distance or 0,
        )
        if refuted
        else None,
        inconsistency=None
        if verdicts.inconsistent_at is None
        else Inconsistency(scramble=list(verdicts.inconsistent_at), move=verdicts.inconsistent_move),
        bounds=HeuristicBounds(low=max(0.0, low), high=high, drop=drop, rise=rise, integer=b.integer),
        scrambles=SCRAMBLES,
        scramble_length=SCRAMBLE_LENGTH,
        mean=_mean(heuristic, puzzle),
        beside=_beside(puzzle, moves),
    )


@lru_cache(maxsize=64)
def _sample(puzzle: Puzzle) -> tuple[State, ...]:
    algs = (make_scramble(puzzle, SCRAMBLE_LENGTH, seed).alg for seed in range(SCRAMBLES))
    return tuple(puzzle.apply_alg(puzzle.solved, alg) for alg in algs)


def _mean(heuristic: Heuristic, puzzle: Puzzle) -> float:
    return fmean(heuristic(state) for state in _sample(puzzle))


@lru_cache(maxsize=64)
def _beside(puzzle: Puzzle, moves: MoveSet) -> list[Beside]:
    found = []
    for named in named_for(puzzle):
        heuristic = get_heuristic(named.name, puzzle, moves)
        found.append(
            Beside(
                name=named.name,
                expression=heuristic.expression.text,
                mean=_mean(heuristic, puzzle),
                admissible=heuristic.verdicts(moves).admissible,
            )
        )
    return sorted(found, key=lambda one: -one.mean)
