"""A problem that is ready to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hstar import schema
from hstar.errors import InvalidAlg
from hstar.heuristics import Heuristic, get_heuristic
from hstar.options import Options
from hstar.puzzles import MoveSet, Puzzle, State, invariants
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["Problem", "round_up"]


@dataclass(frozen=True)
class Problem:
    """Start, goal, moves, how to search, and limits: the input of `hstar.search.solve`.

    :param heuristic_text: a name or an expression; the puzzle's own, or what the algorithm chooses, if None
    :param options: those in force
    :param known: a known solution, which is only to be made shorter
    :param known_bound: a lower bound that an earlier search has proven
    :param workers: of a server, that search large iterations of IDA* together
    """

    puzzle: Puzzle
    start: State
    moves: MoveSet
    algorithm: schema.Algorithm
    heuristic_text: str | None
    limits: schema.Limits
    given: schema.Start
    options: Options = field(default_factory=Options)
    known: Sequence[str] | None = None
    known_bound: int = 0
    workers: int = 1

    @cached_property
    def heuristic(self) -> Heuristic:
        """The heuristic of the algorithm; of ``auto``, the last one that it would search with."""
        return get_heuristic(self.heuristic_text, self.puzzle, self.moves)

    def toward(self, puzzle: Puzzle, start: State) -> Problem:
        """The same with another puzzle and start, which have the same moves."""
        return replace(self, puzzle=puzzle, start=start)

    def is_solution(self, alg: Sequence[str]) -> bool:
        """Whether the moves are of the move set and lead from the start to the goal."""
        if not set(self.moves.moves).issuperset(alg):
            return False
        try:
            return self.puzzle.apply_alg(self.start, alg) == self.puzzle.solved
        except InvalidAlg:  # on sliding tiles a move may lead off the board
            return False

    @property
    def unsolvable(self) -> bool:
        """Whether no moves lead to the goal: the group decides, and where pieces look alike an invariant may tell."""
        puzzle, start, moves = self.puzzle, self.start, self.moves
        if isinstance(puzzle, PermutationPuzzle) and not puzzle.all_different:
            return invariants.find(puzzle, moves, puzzle.contents(start)) is not None
        return not puzzle.solvable_with(start, moves)

    @property
    def move_numbers(self) -> list[int]:
        """The kernel's numbers of the solving moves, in the move set's order."""
        return [self.puzzle.moves.index(move) for move in self.moves.moves]

    @cached_property
    def parity(self) -> int | None:
        """Of the lengths of all solutions, if they all have the same; moves with costs have none."""
        return None if self.moves.costs else self.puzzle.length_parity(self.start, self.moves)

    def root_bound(self, deep: bool = True) -> int:
        """A proven lower bound on h*(start) from the puzzle's own admissible heuristic.

        :param deep: see `Heuristic.verdicts`; without it this takes milliseconds, and the bound may be smaller
        """
        own = get_heuristic(None, self.puzzle, self.moves)
        return round_up(own(self.start)) if own.is_admissible(self.moves, deep) else 0

    def describe(self, heuristic: Heuristic, deep: bool = True) -> schema.HeuristicUsed:
        """A heuristic and what is known about it for the problem's moves; ``deep``: see `Heuristic.verdicts`."""
        verdicts = heuristic.verdicts(self.moves, None if deep else False)
        return schema.HeuristicUsed(
            name=heuristic.name,
            expression=heuristic.expression.text,
            admissible=verdicts.admissible,
            consistent=verdicts.consistent,
            reason=verdicts.reason,
        )


def round_up(value: float) -> int:
    """``value`` rounded up to an integer, with a tolerance for rounding errors of doubles; costs are whole numbers."""
    return -int(-(value - 1e-6) // 1)
