"""The state of a running solve: its best solution, its bound, its budget, and what ended its searches."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, TypeVar

from pydantic import BaseModel

from hstar import _kernel
from hstar.databases import Databases
from hstar.errors import SolutionRejected
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.databases import databases_of
from hstar.options import Scratch, Tuning
from hstar.polling import polling
from hstar.puzzles import MoveSet, Puzzle
from hstar.schema import LimitName
from hstar.search.budget import Budget
from hstar.search.control import Control, Stopped
from hstar.search.merging import merged
from hstar.search.problem import Problem, round_up
from hstar.search.subtrees import Queue, Shared

__all__ = ["Found", "Run", "Search", "question"]

T = TypeVar("T")
#: what a search of a method ends with
Found = _kernel.Outcome | Shared


def question(puzzle: Puzzle, moves: MoveSet, start: bytes, asked: str) -> str:
    """The same for the same question. Puzzles of one's own may have one name and other moves."""
    cases = [(move, puzzle.cases(move)) for move in moves.moves]
    return hashlib.sha256(repr((puzzle.name, puzzle.solved, start, asked, cases)).encode()).hexdigest()


@dataclass(frozen=True)
class Search:
    """One call of the kernel: a problem, a heuristic, options, and a share of the budget.

    :param known: a solution; only shorter ones are of use
    :param settings: the method's constants (`hstar.search.method.Constants`)
    :param queue: other workers, which may search parts of it
    :param keep: it keeps the states that prove its bound, if it can
    """

    problem: Problem
    heuristic: Heuristic
    options: Tuning
    budget: Budget
    threads: int = 1
    scratch: Scratch | None = None
    queue: Queue | None = None
    known: Sequence[str] | None = None
    settings: BaseModel | None = None
    keep: bool = False

    @property
    def question(self) -> tuple[_kernel.Puzzle, bytes, list[int]]:
        """Puzzle, start and moves, as the kernel's searches take them."""
        return self.problem.puzzle.kernel, self.problem.start, self.problem.move_numbers

    @property
    def limits(self) -> dict[str, Any]:
        """What the search may use, and its control."""
        return {**self.budget.kernel(), "control": self.budget.search(self._bound_from)}

    @property
    def files(self) -> dict[str, Any]:
        """Where its files may be, and the key of this question, by which they are known to be of it. A function of the
        user may have changed, so no later search goes on with one."""
        if self.scratch is None:
            return {}
        asked = self.problem
        heuristic = token_hex() if self.heuristic.here_only else self.heuristic.expression.text
        return self.scratch.files(question(asked.puzzle, asked.moves, asked.start, heuristic))

    def _bound_from(self, f: float) -> int:
        # Called twice a second by another thread, so it must be cheap.
        return self.bound_from(f, deep=False)

    def bound_from(self, f: float, deep: bool = True) -> int:
        """The proven lower bound on h*(start) when every open node has at least this f; 0 if it proves nothing.

        Blind searches have h = 0, which is admissible, so the depth that they have reached is a bound.
        """
        admissible = f > 0 and self.heuristic.is_admissible(self.problem.moves, deep)
        return round_up(f / self.options.weight) if admissible else 0


@dataclass
class Run:
    """Keeps the shortest solution that it is offered, after replaying it, and publishes it.

    ``searches`` are those of the methods that search once. ``whole`` is the problem in which parts of the solution can
    be made shortest: that of the twin, where pieces look alike. ``kept`` is what methods keep from step to step.
    """

    problem: Problem
    budget: Budget
    searches: Mapping[str, Callable[[Search], Found]]
    threads: int = 1
    keep: bool = False
    scratch: Scratch | None = None
    queue: Queue | None = None
    solution: tuple[str, ...] | None = None
    bound: int = 0
    exhausted: bool = False
    #: the limit of the caller that ended the last search, or what the method itself lacked
    limit: LimitName | None = None
    lacked_memory: bool = False
    #: databases for which there was no time
    unbuilt: list[Databases] = field(default_factory=list)
    whole: Problem = field(init=False)
    kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.whole = self.problem

    @property
    def control(self) -> Control:
        return self.budget.control

    # -- solution and bound ----------------------------------------------------------------------------------------

    def offer(self, alg: Sequence[str], merge: bool = True) -> bool:
        """Keep a solution if it is the shortest so far.

        :param merge: moves that the next one undoes are left out
        :raises SolutionRejected: it does not solve the problem, or has moves of another set, which would be a bug
        """
        if merge:
            alg = merged(self.problem.puzzle, alg, self.problem.moves.moves)
        if self.length is not None and self.problem.moves.length(alg) >= self.length:
            return False
        if not set(self.problem.moves.moves).issuperset(alg):
            raise SolutionRejected("the solution has a move that is not in the move set")
        if self.problem.puzzle.apply_alg(self.problem.start, alg) != self.problem.puzzle.solved:
            raise SolutionRejected("the solution does not solve the puzzle")
        self.solution = tuple(alg)
        self.publish(self.solution)
        return True

    def publish(self, solution: tuple[str, ...]) -> None:
        """Show the best solution so far."""
        self.control.show_best(solution)

    def raise_bound(self, bound: int) -> None:
        """Raise the lower bound on all solutions."""
        if self.problem.parity is not None:
            bound += (bound + self.problem.parity) % 2
        self.bound = max(self.bound, bound)
        self.control.raise_bound(self.bound)

    def raise_root_bound(self) -> None:
        """Raise the bound to what the puzzle's own heuristic proves."""
        try:
            with polling(self.budget.check_late):
                self.raise_bound(self.problem.root_bound())
        except Stopped:
            self.raise_bound(self.problem.root_bound(deep=False))

    @property
    def length(self) -> int | None:
        """Of the best solution; None without one."""
        return None if self.solution is None else self.problem.moves.length(self.solution)

    @property
    def useful(self) -> int | None:
        """The length of the longest solution that is shorter than the best; None without one."""
        return None if self.length is None else self.length - (1 if self.problem.parity is None else 2)

    @property
    def proven(self) -> bool:
        return self.length is not None and self.length <= self.bound

    @property
    def gap(self) -> int | None:
        """By how much the best solution is longer than the bound; None without one."""
        return None if self.length is None else self.length - self.bound

    # -- searches --------------------------------------------------------------------------------------------------

    def search(self, method: str, asked: Search) -> Found:
        """Search once, and count it.

        :raises HeuristicFailed: a function of the user did
        """
        with asked.heuristic.watching(self.control.cancel):
            outcome = self.searches[method](asked)
        self.count(outcome, asked.budget)
        return outcome

    def count(self, outcome: Found, share: Budget) -> None:
        """Count a search that has ended, and note what ended it."""
        share.count(outcome)
        if outcome.limit == "memory":
            self.lacked_memory = True
        elif outcome.limit is not None and share.ended() not in (None, "method"):
            self.limit = outcome.limit

    def load(self, heuristic: Heuristic, share: Budget) -> bool:
        """Build or open the tables of a heuristic; False if that is not done within the share."""
        try:
            with self.control.watching_builds(share.check):
                heuristic.load()
        except Stopped:
            if not self.control.cancelled:
                self.unbuilt += databases_of(heuristic.expression)
            return False
        except MemoryError:
            self.lacked_memory = True
            return False
        return True

    def open(self, databases: Databases, share: Budget) -> bool:
        """Build or open databases that make a step better; False if they do not fit in the share."""
        try:
            with self.control.watching_builds(share.check):
                databases.load()
        except (Stopped, MemoryError):
            return False
        return True

    def make(self, making: Callable[[], T], share: Budget) -> T | None:
        """What long work in Python, or in builders of the kernel, returns; None if it is not done within the share."""
        try:
            with self.control.watching_builds(share.check):
                return making()
        except (Stopped, _kernel.Stopped):
            return None

    def proves(self, asked: Search, f: float) -> None:
        """Raise the bound to what a search has proven that leaves no node with a smaller f."""
        try:
            with polling(self.budget.check_late):
                self.raise_bound(asked.bound_from(f))
        except Stopped:
            self.raise_bound(asked.bound_from(f, deep=False))

    @property
    def why_none(self) -> LimitName:
        """Why there is no solution: a limit of the caller, or what the method lacked."""
        return self.budget.ended() or self.limit or ("memory" if self.lacked_memory else "method")

    def over(self, share: Budget) -> bool:
        """Whether a step must end: nothing can become better, it was cancelled, or its share is used."""
        return self.proven or self.exhausted or share.over()

    def zero(self) -> Heuristic:
        """h = 0, of methods without a heuristic."""
        return get_heuristic("zero", self.problem.puzzle, self.problem.moves)
