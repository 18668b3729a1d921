"""A problem that is ready to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hstar import schema
from hstar.errors import InvalidAlg
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.databases import named_by
from hstar.puzzles import MoveSet, Puzzle, State


@dataclass(frozen=True)
class Strategy:
    """A way to search, and the number of expansions after which the next one is tried (None: never).

    :param partitions: IDA* learns cost partitions, and uses them instead of the heuristic, which is one of them
    """

    method: schema.Method
    heuristic: Heuristic
    expanded: int | None = None
    partitions: bool = False


@dataclass(frozen=True)
class Problem:
    """Start, goal, moves, and strategies: the input of `hstar.search.solve`.

    :param strategies: tried in this order; only `auto` has more than one
    :param answers: if the strategies reach a limit, anytime continues, so that there is a solution nevertheless
    :param known: a known solution, which anytime makes shorter
    :param known_bound: a lower bound that an earlier search has proven
    :param width: states that a beam keeps of each layer
    """

    puzzle: Puzzle
    start: State
    moves: MoveSet
    algorithm: schema.Algorithm
    strategies: tuple[Strategy, ...]
    weight: float
    tie_breaking: schema.TieBreaking
    limits: schema.Limits
    given: schema.Start
    answers: bool = False
    known: Sequence[str] | None = None
    known_bound: int = 0
    width: int | None = None

    @property
    def method(self) -> schema.Method:
        """The algorithm of the last strategy."""
        return self.strategies[-1].method

    @property
    def heuristic(self) -> Heuristic:
        """That algorithm's heuristic."""
        return self.strategies[-1].heuristic

    @property
    def databases(self) -> dict[str, int]:
        """The identity of each pattern database that may be built for it, and its largest size in bytes."""
        return named_by(strategy.heuristic.expression for strategy in self.strategies)

    def only(self, strategy: Strategy, limits: schema.Limits) -> Problem:
        """The problem with one strategy, within these limits."""
        return replace(self, strategies=(strategy,), limits=limits)

    def is_solution(self, alg: Sequence[str]) -> bool:
        """Whether the moves are of the move set and lead from the start to the goal."""
        if not set(self.moves.moves).issuperset(alg):
            return False
        try:
            return self.puzzle.apply_alg(self.start, alg) == self.puzzle.solved
        except InvalidAlg:  # on sliding tiles a move may lead off the board
            return False

    @property
    def move_numbers(self) -> list[int]:
        """The kernel's numbers of the solving moves, in the move set's order."""
        return [self.puzzle.moves.index(move) for move in self.moves.moves]

    def root_bound(self, deep: bool = True) -> int:
        """A proven lower bound on h*(start) from the puzzle's own admissible heuristic."""
        own = get_heuristic(None, self.puzzle, self.moves)
        return round_up(own(self.start)) if own.is_admissible(self.moves, deep) else 0

    def bound_from(self, f: float, deep: bool = True) -> int:
        """The proven lower bound on h*(start) when every open node has at least this f.

        :param deep: see `Heuristic.verdicts`; without it this takes milliseconds, and the bound may be smaller

        Blind searches have h = 0, which is admissible, so the depth that they have reached is a bound.
        """
        bound = max(self.root_bound(deep), self.known_bound)
        if self.heuristic.is_admissible(self.moves, deep):
            bound = max(bound, round_up(f / self.weight))
        return bound

    def describe(self, heuristic: Heuristic, deep: bool = True) -> schema.HeuristicUsed:
        """A heuristic and what is known about it for the problem's moves; ``deep``: see `Heuristic.verdicts`."""
        verdicts = heuristic.verdicts(self.moves, deep)
        return schema.HeuristicUsed(
            name=heuristic.name,
            expression=heuristic.expression.text,
            admissible=verdicts.admissible,
            consistent=verdicts.consistent,
            reason=verdicts.reason,
        )

    def to_object(self, deep: bool = True) -> schema.Solve:
        """The problem as the API shows it before it has been searched; ``deep``: see `Heuristic.verdicts`."""
        return schema.Solve(
            status="queued",
            puzzle=self.puzzle.name,
            goal=self.puzzle.goal_board(),
            moves=self.moves.name,
            algorithm=self.algorithm,
            method=self.method if len(self.strategies) == 1 else None,
            weight=self.weight,
            width=self.width,
            heuristic=self.describe(self.heuristic, deep),
            tie_breaking=self.tie_breaking,
            limits=self.limits,
            start=self.given,
        )


def round_up(value: float) -> int:
    """``value`` rounded up to an integer, with a tolerance for rounding errors of doubles; all moves cost 1."""
    return -int(-(value - 1e-6) // 1)
