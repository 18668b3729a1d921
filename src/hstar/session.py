"""The library as ``import hstar`` shows it.

>>> import hstar                                                                  # doctest: +SKIP
>>> start = hstar.puzzle("megaminx").scramble(k=5, seed=1)
>>> print(hstar.solve(start, moves="ccw", heuristic="s1-misplaced-facelets"))
>>> print(hstar.heuristic("misplaced_cells", "8-puzzle").check().reason)

Algs (``"U R2'"``), boards (``"2 8 3 / 1 6 4 / 0 7 5"``) and names of move sets may be given as text. Results are
immutable. Every error is an `HstarError` that lists all faults.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from hstar import pictures, schema, search
from hstar.certificates import Refused
from hstar.certificates.proofs import Written, write_file
from hstar.errors import Fault, InvalidRequest, in_words
from hstar.experiments import local
from hstar.experiments.design import plan
from hstar.experiments.report import report
from hstar.experiments.rows import COLUMNS, ExperimentRow, with_true_distances
from hstar.experiments.schema import ExperimentRequest, Report
from hstar.heuristics import Heuristic as _Heuristic
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest, check
from hstar.options import OPTIONS, LocalOptions
from hstar.puzzles import Puzzle as _Puzzle
from hstar.puzzles import get_puzzle, make_scramble, random_state

M = TypeVar("M", bound=BaseModel)

__all__ = [
    "Experiment",
    "Heuristic",
    "Puzzle",
    "Solution",
    "State",
    "experiment",
    "heuristic",
    "puzzle",
    "shorten",
    "solve",
]


@dataclass(frozen=True, repr=False)
class Puzzle:
    """A puzzle: `hstar.puzzle` gives it."""

    _puzzle: _Puzzle

    @property
    def name(self) -> str:
        return self._puzzle.name

    @property
    def moves(self) -> tuple[str, ...]:
        """Every move that the puzzle knows."""
        return self._puzzle.moves

    @property
    def move_sets(self) -> dict[str, tuple[str, ...]]:
        """The moves of each move set, by its name."""
        return {name: chosen.moves for name, chosen in self._puzzle.move_sets.items()}

    @property
    def solved(self) -> State:
        return State(self, self._puzzle.solved)

    def state(self, value: str | Sequence[Any] | Mapping[str, Any]) -> State:
        """The state in any of the puzzle's formats: a board as text or list, facelets, pieces and orientations.

        :raises InvalidState: with all its faults
        """
        given: Any = value
        if isinstance(given, Sequence) and not isinstance(given, str):
            given = [list(row) if isinstance(row, Sequence) else row for row in given]
        return State(self, self._puzzle.parse_state(given))

    def scramble(self, k: int, seed: int = 0, moves: str | None = None) -> State:
        """The state after k random moves, the same on every machine for the same seed."""
        return self.solved @ make_scramble(self._puzzle, k, seed, moves).alg

    def random(self, seed: int = 0, moves: str | None = None) -> State:
        """A uniformly random one of all states that the moves reach, the same on every machine for the same seed."""
        return State(self, random_state(self._puzzle, seed, moves))

    def __repr__(self) -> str:
        goal = self._puzzle.goal_board()
        default = get_puzzle(self.name).goal_board()
        return f"hstar.puzzle({self.name!r}" + (")" if goal == default else f", goal={goal})")


@dataclass(frozen=True, repr=False)
class State:
    """A state of a puzzle. ``state @ "U R2'"`` is the state after these moves, ``state @ other`` that after an alg of
    ``other``, and ``~state`` what undoes it. Equal states hash alike."""

    puzzle: Puzzle
    _state: bytes

    @property
    def is_solved(self) -> bool:
        return self._state == self.puzzle._puzzle.solved

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that can be made here."""
        return tuple(self.puzzle._puzzle.legal(self._state, self.puzzle._puzzle.moves))

    def __matmul__(self, alg: str | Iterable[str] | State) -> State:
        known = self.puzzle._puzzle
        if isinstance(alg, State):
            if alg.puzzle != self.puzzle:
                raise InvalidRequest("these are states of two puzzles", [Fault("puzzle", alg.puzzle.name)])
            return State(self.puzzle, known.compose(self._state, alg._state))
        moves = known.parse_alg(alg if isinstance(alg, str) else " ".join(alg))
        return State(self.puzzle, known.apply_alg(self._state, moves))

    def __invert__(self) -> State:
        return State(self.puzzle, self.puzzle._puzzle.inverse_state(self._state))

    def to_dict(self) -> dict[str, Any]:
        """The state in every format of the puzzle, as the API writes it."""
        return self.puzzle._puzzle.format_state(self._state)

    def kpattern(self) -> dict[str, Any]:
        """The state as the KPattern JSON of cubing.js; `Puzzle.state` reads it.

        :raises InvalidRequest: sliding tiles have none
        """
        return self.puzzle._puzzle.format_kpattern(self._state)

    def __repr__(self) -> str:
        formats = self.to_dict()
        shown = formats.get("rows") or {"pieces": formats["pieces"]}
        return f"{self.puzzle!r}.state({shown!r})"

    def _repr_svg_(self) -> str | None:
        if self.puzzle._puzzle.painter is None:
            return None
        return pictures.draw(self.puzzle._puzzle, self._state)


@dataclass(frozen=True)
class Heuristic:
    """A heuristic for one puzzle. Call it with a state to get h."""

    puzzle: Puzzle
    text: str
    _heuristic: _Heuristic

    def __call__(self, state: State) -> float:
        return self._heuristic(state._state)

    def check(self, moves: str | None = None) -> HeuristicCheck:
        """Is it admissible and consistent for a move set? If not, where does it fail?"""
        known = self.puzzle._puzzle
        request = HeuristicCheckRequest(puzzle=known.name, goal=known.goal_board(), heuristic=self.text, moves=moves)
        return check(request)

    def __repr__(self) -> str:
        return f"hstar.heuristic({self.text!r}, {self.puzzle!r})"


@dataclass(frozen=True)
class Solution:
    """The result of a search. ``print`` shows it; ``answer`` has every field of the API's object; ``certificate`` is
    what was written, or why nothing was, if one was asked for."""

    start: State
    answer: schema.Solve
    certificate: Written | Refused | None = None

    @property
    def moves(self) -> tuple[str, ...] | None:
        """The solution; None if none was found."""
        return None if self.answer.solution is None else tuple(self.answer.solution)

    @property
    def length(self) -> int | None:
        return self.answer.length

    @property
    def proven(self) -> bool:
        """Whether the solution is proven shortest."""
        return self.answer.optimality == "proven"

    @property
    def lower_bound(self) -> int | None:
        """A proven bound on the length of every solution."""
        return self.answer.lower_bound

    @property
    def expanded(self) -> int:
        return 0 if self.answer.counters is None else self.answer.counters.expanded

    def __str__(self) -> str:
        a = self.answer
        work = f"{self.expanded:,} nodes expanded in {a.seconds or 0:.2f} s"
        if self.moves is None:
            ended = a.status.replace("_", " ") + (f" ({a.limit})" if a.limit else "")
            known = "" if a.lower_bound is None else f"; every solution has at least {a.lower_bound} moves"
            return f"no solution: {ended}{known}; {work}"
        proof = "proven shortest" if self.proven else f"not proven shortest; at least {a.lower_bound} are needed"
        return f"{' '.join(self.moves) or '(already solved)'}\n{self.length} moves, {proof}; {work}"


@dataclass(frozen=True)
class Experiment:
    """The searches of an experiment: its ``report`` has the table, ``rows`` a record for each search."""

    rows: tuple[ExperimentRow, ...]
    request: ExperimentRequest

    @cached_property
    def report(self) -> Report:
        return report(self.request, self.rows)

    def to_pandas(self) -> Any:
        """A data frame with a row for each search; needs pandas."""
        try:
            import pandas  # type: ignore[import-untyped]  # nothing else needs it
        except ImportError:
            raise InvalidRequest("pandas is not installed: pip install pandas") from None
        return pandas.DataFrame([{name: getattr(row, name) for name in COLUMNS} for row in self.rows])

    def __str__(self) -> str:
        ended = self.report.outcomes
        sentences = [comparison.sentence for comparison in self.report.comparisons]
        return "\n".join([f"{ended.n} searches, {ended.solved} solved", *sentences])


def puzzle(name: str, goal: str | Sequence[int] | Sequence[Sequence[int]] | None = None) -> Puzzle:
    """The puzzle of this name: megaminx, master_pyraminx, 8-puzzle, 15-puzzle, tiles:3x4 ...

    :param goal: goal board of sliding tiles, such as "1 2 3 / 4 5 6 / 7 8 0"
    :raises UnknownName: with the known names
    """
    try:
        board = schema.read_board(goal if isinstance(goal, str) or goal is None else list(goal))
    except ValueError as error:
        raise InvalidRequest("the goal is not a board", [Fault("goal", str(error))]) from None
    return Puzzle(get_puzzle(name, cast(list[int] | None, board)))


def heuristic(text: str, puzzle: str | Puzzle, moves: str | None = None) -> Heuristic:
    """A heuristic by name or as an expression over features, such as "ceil(misplaced_facelets / 15)".

    :param moves: the move set of pattern databases that name none
    :raises InvalidExpression: with the column and what was expected there
    """
    chosen = _puzzle(puzzle)
    known = chosen._puzzle
    return Heuristic(chosen, text, get_heuristic(text, known, known.move_set(moves)))


def solve(
    start: str | Puzzle | State,
    *,
    k: int | None = None,
    seed: int = 0,
    alg: str | None = None,
    scramble_moves: str | None = None,
    moves: str | None = None,
    algorithm: schema.Algorithm | None = None,
    limits: Mapping[str, float] | None = None,
    target: State | None = None,
    control: search.Control | None = None,
    certificate: str | PathLike[str] | None = None,
    **options: Any,
) -> Solution:
    """Find a shortest solution, and say how good it is proven to be.

    >>> hstar.solve("megaminx", k=7, moves="ccw", heuristic="s1-misplaced-facelets")        # doctest: +SKIP

    Ctrl-C ends the search within 50 ms; the answer then has what it proved, and its best solution so far.

    :param start: a state; or a puzzle, with ``k`` and ``seed`` of a scramble, or the ``alg`` that leads to the start
    :param moves: the move set to solve with; h* depends on it
    :param algorithm: ``astar`` if None; ``plan`` with a plan
    :param limits: any of expanded, generated, seconds, memory_mib; the seconds are those until this returns
    :param target: the state to reach; solved if None. From ``puzzle(...).solved``, this finds moves to any state
    :param control: cancels it from another thread, and shows its progress
    :param certificate: a file to write, which proves the answer to ``checker/check.py``
    :param options: {options}
    :raises HstarError: with all faults of the arguments
    """
    began = time.monotonic()
    known = (start.puzzle if isinstance(start, State) else _puzzle(start))._puzzle
    fields = {
        "puzzle": known.name,
        "goal": known.goal_board(),
        "state": State.to_dict(start) if isinstance(start, State) else None,
        "alg": alg,
        "scramble": None if k is None else {"k": k, "seed": seed, "moves": scramble_moves},
        "target": None if target is None else target.to_dict(),
        "moves": moves,
        "limits": dict(limits or {}),
    }
    path = None if certificate is None else Path(certificate)
    problem, answer, written = _solved(fields | _given(algorithm=algorithm), options, control, began, path)
    first = problem.start if target is None else known.parse_state(problem.given.state)
    return Solution(State(Puzzle(known), first), answer, written)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _solved(
    fields: dict[str, Any],
    options: Mapping[str, Any],
    control: search.Control | None,
    began: float,
    certificate: Path | None = None,
) -> tuple[search.Problem, schema.Solve, Written | Refused | None]:
    """Prepare, search, and write a certificate. Options of this machine go to the search, others to the request."""
    local = {name: value for name, value in options.items() if name in OPTIONS and OPTIONS[name].shown.local}
    machine = _read(LocalOptions, local)
    request = _read(schema.SolveRequest, fields | {n: value for n, value in options.items() if n not in local})
    problem = search.prepare(request)
    result = search.solve_interruptibly(problem, control, machine.threads, began, keep=certificate is not None)
    written: Written | Refused | None = None
    if certificate is not None:
        try:
            written = write_file(problem, result, certificate)
        except Refused as refused:
            written = refused
    return problem, search.answer(problem, result), written


def shorten(
    puzzle: str | Puzzle,
    alg: str,
    *,
    moves: str | None = None,
    limits: Mapping[str, float] | None = None,
    **options: Any,
) -> Solution:
    """A shorter alg with the same effect, or, where pieces are identical, that solves the same state; ``alg`` itself if
    none is found within the limits.

    >>> print(hstar.shorten("3x3x3", "R U R' U' R U R' U'", limits={"seconds": 5}))          # doctest: +SKIP

    :param alg: up to 10,000 moves
    :param moves: the move set that the shorter one may use
    """
    began = time.monotonic()
    known = _puzzle(puzzle)._puzzle
    fields = {
        "puzzle": known.name,
        "goal": known.goal_board(),
        "shorten": alg,
        "moves": moves,
        "limits": dict(limits or {"seconds": 10.0}),
    }
    problem, answer, _ = _solved(fields, options, None, began)
    return Solution(State(Puzzle(problem.puzzle), problem.start), answer)


def experiment(
    puzzle: str,
    k: str | Sequence[int],
    heuristics: Sequence[str] = (),
    *,
    trials: int = 5,
    seed: int = 0,
    jobs: int | None = None,
    **fields: Any,
) -> Experiment:
    """Scramble and search for every k and trial, on all cores; the same seed gives the same searches.

    >>> hstar.experiment("8-puzzle", k="3-14", heuristics=["manhattan"]).to_pandas()         # doctest: +SKIP

    :param k: numbers of scramble moves: "3-14", or a list
    :param fields: other fields of ``POST /v1/experiments``, such as ``moves``, ``algorithms``, ``true_distance``
    """
    request = _read(
        ExperimentRequest,
        {
            "puzzle": puzzle,
            "k": k if isinstance(k, str) else list(k),
            "heuristics": list(heuristics),
            "trials": trials,
            "seed": seed,
        }
        | fields,
    )
    rows = sorted(local.run(plan(request), jobs=jobs), key=lambda row: row.index)
    return Experiment(tuple(with_true_distances(rows)), request)


def _read(model: type[M], fields: dict[str, Any]) -> M:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        faults = [Fault("/".join(map(str, d["loc"])), in_words(d)) for d in error.errors()]
    # Here, so that pydantic's error is not its context and is freed.
    raise InvalidRequest("this cannot be asked", faults)


def _puzzle(given: str | Puzzle) -> Puzzle:
    return puzzle(given) if isinstance(given, str) else given


def _show_options() -> None:
    """Put the options into the signatures and the text of `solve`, for ``help`` and editors."""
    for function in (solve, shorten):
        own = signature(function)
        kept = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        more = [
            Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.kind)
            for option in OPTIONS.values()
        ]
        shown = own.replace(parameters=[*kept, *more])
        setattr(function, "__signature__", shown)  # noqa: B010  # functions have no such attribute for mypy
        words = "; ".join(f"``{option.name}``: {option.help}" for option in OPTIONS.values())
        function.__doc__ = (function.__doc__ or "").replace("{options}", words)


_show_options()
