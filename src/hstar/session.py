"""The library as ``import hstar`` shows it.

>>> import hstar                                                                  # doctest: +SKIP
>>> start = hstar.puzzle("megaminx").scramble(k=5, seed=1)
>>> print(hstar.solve(start, moves="ccw", heuristic="s1-misplaced-facelets"))
>>> print(hstar.heuristic("misplaced_cells", "8-puzzle").check().reason)

Algs (``"U R2'"``), boards (``"2 8 3 / 1 6 4 / 0 7 5"``) and names of move sets may be given as text. What is
refused raises an `HstarError` that lists the faults.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from inspect import Parameter, signature
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args

from pydantic import BaseModel, ValidationError

from hstar import algs, pictures, schema, search
from hstar.certificates import Refused
from hstar.certificates.proofs import Written, can_certify, write_file
from hstar.errors import Fault, InvalidRequest, in_words
from hstar.experiments import local
from hstar.experiments.design import plan
from hstar.experiments.export import arrow_table, rows_csv
from hstar.experiments.instances import read_instances
from hstar.experiments.plots import plot
from hstar.experiments.report import report
from hstar.experiments.rows import COLUMNS, ExperimentRow, with_true_distances
from hstar.experiments.schema import Axis, ExperimentRequest, PlotFormat, PlotMeasure, PlotSize, Report
from hstar.features.functions import named
from hstar.heuristics import Heuristic as _Heuristic
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheck, HeuristicCheckRequest
from hstar.heuristics.check import check as _check
from hstar.options import OPTIONS, LocalOptions
from hstar.picture_files import picture_file
from hstar.puzzles import DefinedPuzzle, added_puzzle, get_puzzle, make_scramble, random_state, read_definition
from hstar.puzzles import Puzzle as _Puzzle
from hstar.puzzles.added import to_json
from hstar.puzzles.formats import read_any_definition
from hstar.search import shortest_if_admissible
from hstar.search.methods import ALGORITHMS

M = TypeVar("M", bound=BaseModel)

#: rows of an experiment that a notebook shows
SHOWN_ROWS = 20

__all__ = [
    "Experiment",
    "Heuristic",
    "Puzzle",
    "Solution",
    "State",
    "algorithms",
    "check",
    "experiment",
    "heuristic",
    "puzzle",
    "shorten",
    "solve",
]


class Drawing(str):
    """A picture as SVG text; notebooks show it."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: SVG, or PNG or PDF by the ending of its name."""
        kind = Path(path).suffix[1:].lower()
        Path(path).write_bytes(picture_file(self, kind) if kind in ("png", "pdf") else self.encode())  # type: ignore[arg-type]

    def _repr_svg_(self) -> str:
        return self


@dataclass(frozen=True, repr=False, init=False)
class Puzzle:
    """A puzzle, by its name (`hstar.puzzles()` lists them) or from generators. It can be pickled and copied."""

    _puzzle: _Puzzle

    def __init__(self, name: str | _Puzzle, goal: str | Sequence[int] | Sequence[Sequence[int]] | None = None) -> None:
        """
        :param goal: goal board of sliding tiles, such as "1 2 3 / 4 5 6 / 7 8 0"
        :raises UnknownName: with the known names
        """
        object.__setattr__(self, "_puzzle", _named(name, goal) if isinstance(name, str) else name)

    @classmethod
    def from_generators(cls, generators: object, name: str = "puzzle") -> Puzzle:
        """A puzzle from its moves as permutations, ``{"a": [1, 2, 0], ...}`` with ``new[i] = old[a[i]]``, or from the
        text or JSON value of any definition that ``hstar puzzle add`` reads.

        :raises InvalidRequest: it is not the definition of a puzzle; with all faults
        """
        return cls(added_puzzle(read_any_definition(generators, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        known = self._puzzle
        if isinstance(known, DefinedPuzzle) and "@" in known.name:
            return _from_definition, (to_json(known.definition), known.name)
        return Puzzle, (known.name, known.goal_board())

    @property
    def name(self) -> str:
        return self._puzzle.name

    @property
    def goal(self) -> list[int] | None:
        """The goal board of sliding tiles, row by row; None for other puzzles."""
        return self._puzzle.goal_board()

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

    @property
    def state_count(self) -> int | None:
        """How many states moves reach; None where it is not known."""
        return self._puzzle.state_count

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
    ``other``, and ``~state`` what undoes it; the last two not of sliding tiles, nor where pieces are identical. Equal
    states hash alike."""

    puzzle: Puzzle
    _state: bytes

    @property
    def is_solved(self) -> bool:
        return self._state == self.puzzle._puzzle.solved

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that can be made here."""
        return tuple(self.puzzle._puzzle.legal(self._state, self.puzzle._puzzle.moves))

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Those of the puzzle's own move set that can be made here."""
        known = self.puzzle._puzzle
        return tuple(known.legal(self._state, known.move_set(None).moves))

    def apply(self, alg: str | Iterable[str] | State) -> State:
        """``state @ alg``."""
        return self @ alg

    def neighbors(self, moves: str | None = None) -> list[State]:
        """The states after one move of a move set."""
        known = self.puzzle._puzzle
        return [State(self.puzzle, after) for _, after in known.successors(self._state, known.move_set(moves).moves)]

    def distance_to(self, target: State | None = None, **options: Any) -> int:
        """The length of the shortest way to another state (solved if None), as `solve` proves it with these options.

        :raises InvalidRequest: it is not proven within the limits; says between which lengths it is
        """
        found = solve(self, target=target, **({"algorithm": "auto"} | options))
        if not found.proven or found.length is None:
            fault = Fault("/limits", f"it is at least {found.lower_bound}, and at most {found.length or 'unknown'}")
            raise InvalidRequest("the distance is not proven within the limits", [fault])
        return found.length

    def solve(self, **options: Any) -> Solution:
        """`hstar.solve` from here."""
        return solve(self, **options)

    def draw(self) -> Drawing:
        """A picture as SVG.

        :raises InvalidRequest: the puzzle cannot be drawn
        """
        return Drawing(pictures.draw(self.puzzle._puzzle, self._state))

    def copy(self) -> State:
        """The state itself, which never changes."""
        return self

    def __matmul__(self, alg: str | Iterable[str] | State) -> State:
        known = self.puzzle._puzzle
        if isinstance(alg, State):
            if alg.puzzle != self.puzzle:
                raise InvalidRequest("these are states of two puzzles", [Fault("/puzzle", alg.puzzle.name)])
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
        known = self.puzzle._puzzle
        faces = known.faces if isinstance(known, DefinedPuzzle) else None
        if faces is not None and all(len(face) == 1 for face in faces.places):
            return f"{self.puzzle!r}.state({faces.text(self._state)!r})"
        shown = formats.get("rows") or {"pieces": formats["pieces"]}
        return f"{self.puzzle!r}.state({shown!r})"

    def _repr_svg_(self) -> str | None:
        if self.puzzle._puzzle.painter is None:
            return None
        return pictures.draw(self.puzzle._puzzle, self._state)


#: a heuristic: a name, an expression, or a function of one's own from a state to a number
HeuristicLike = Union[str, "Heuristic", Callable[[State], float]]


def text_of(heuristic: HeuristicLike, name: str | None = None) -> str:
    """The expression of a heuristic; a function gets a name in this process."""
    if isinstance(heuristic, str):
        return heuristic
    if isinstance(heuristic, Heuristic):
        return heuristic.text
    return named(heuristic, lambda known, state: State(Puzzle(known), state), name)


@dataclass(frozen=True)
class Heuristic:
    """A heuristic for one puzzle. Call it with a state to get h."""

    puzzle: Puzzle
    text: str
    _heuristic: _Heuristic
    _moves: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return heuristic, (self.text, self.puzzle, self._moves)

    def __call__(self, state: State) -> float:
        return self._heuristic(state._state)

    def check(self, moves: str | None = None) -> HeuristicCheck:
        """Is it admissible and consistent for a move set? If not, where does it fail?"""
        known = self.puzzle._puzzle
        request = HeuristicCheckRequest(puzzle=known.name, goal=known.goal_board(), heuristic=self.text, moves=moves)
        return _check(request)

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
    def solution(self) -> tuple[str, ...] | None:
        """The same as `moves`."""
        return self.moves

    def __iter__(self) -> Iterator[str]:
        return iter(self.moves or ())

    def __len__(self) -> int:
        return len(self.moves or ())

    def __bool__(self) -> bool:
        """Whether a solution was found, also one of no moves."""
        return self.moves is not None

    @property
    def _written(self) -> str:
        return self.start.puzzle._puzzle.format_alg(self.moves or ())

    @property
    def states(self) -> list[State]:
        """The states along the solution, from the start; only the start if none was found."""
        return list(accumulate(self, lambda state, move: state @ move, initial=self.start))

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

    def __repr__(self) -> str:
        return f"<Solution: {str(self).partition(';')[0].replace(chr(10), ', ')}>"

    def _repr_html_(self) -> str:
        a = self.answer
        rows = {
            "puzzle": a.puzzle, "status": a.status, "outcome": a.outcome, "solution": self._written,
            "length": a.length, "optimality": a.optimality, "lower bound": a.lower_bound,
            "expanded": f"{self.expanded:,}",
            "seconds": None if a.seconds is None else f"{a.seconds:.2f}",
        }  # fmt: skip
        return _table([], [[name, "" if value is None else value] for name, value in rows.items()])

    def __str__(self) -> str:
        a = self.answer
        work = f"{self.expanded:,} nodes expanded in {a.seconds or 0:.2f} s"
        if self.moves is None:
            ended = (a.outcome or a.status).replace("_", " ") + (f" ({a.limit})" if a.limit else "")
            known = "" if a.lower_bound is None else f"; no solution is shorter than {a.lower_bound}"
            return f"no solution: {ended}{known}; {work}"
        proof = "proven shortest" if self.proven else f"not proven shortest; at least {a.lower_bound} are needed"
        if not self.proven and shortest_if_admissible(a):
            proof = f"shortest if the heuristic is admissible, which is not known; at least {a.lower_bound} are needed"
        moves, cost = ("move", "costs") if len(self) == 1 else ("moves", "cost")
        length = f"{len(self)} {moves}" + ("" if self.length == len(self) else f" that {cost} {self.length}")
        return f"{self._written or '(already solved)'}\n{length}, {proof}; {work}"


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

    def to_arrow(self) -> Any:
        """An Arrow table with a row for each search; needs ``hstar[parquet]``."""
        return arrow_table(self.rows)

    def plot(
        self, path: str | Path | None = None, *, x: Axis = "k", y: PlotMeasure = "expanded", size: PlotSize = "page"
    ) -> Drawing:
        """The plot, which notebooks show; also written to a file (SVG, PNG or PDF) if one is given. Needs
        ``hstar[plot]``."""
        seed = self.request.seed
        if path is not None:
            kind = Path(path).suffix[1:].lower()
            if kind not in get_args(PlotFormat):
                raise InvalidRequest(f"plots are {', '.join(get_args(PlotFormat))}", [Fault("path", str(path))])
            Path(path).write_bytes(plot(self.rows, x=x, y=y, format=cast(PlotFormat, kind), seed=seed, size=size))
        return Drawing(plot(self.rows, x=x, y=y, seed=seed, size=size).decode())

    def to_csv(self, path: str | Path | None = None) -> str:
        """The rows as CSV; also written to a file if one is given."""
        text = "".join(rows_csv(self.rows))
        if path is not None:
            Path(path).write_bytes(text.encode())
        return text

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        ended = self.report.outcomes
        return f"<Experiment on {self.request.puzzle}: {ended.n} searches, {ended.solved} solved>"

    def _repr_html_(self) -> str:
        started = ["k"] if self.request.k is not None else ["instance"] if self.request.instances is not None else []
        ways = ("algorithm", "weight", "width", "tie_breaking")
        varied = [name for name in ways if len({getattr(row, name) for row in self.rows}) > 1]
        shown = (*started, "trial", "heuristic", *varied, "outcome", "length", "expanded", "seconds")
        cells = [[getattr(row, name) for name in shown] for row in self.rows[:SHOWN_ROWS]]
        rows = [["" if cell is None else cell for cell in row] for row in cells]
        more = f"<p>{len(self.rows) - len(rows):,} more rows</p>" if len(rows) < len(self.rows) else ""
        return _table(shown, rows) + more

    def __str__(self) -> str:
        ended = self.report.outcomes
        sentences = [comparison.sentence for comparison in self.report.comparisons]
        return "\n".join([f"{ended.n} searches, {ended.solved} solved", *sentences])


def puzzle(name: str, goal: str | Sequence[int] | Sequence[Sequence[int]] | None = None) -> Puzzle:
    """The puzzle of this name: megaminx, master_pyraminx, 8-puzzle, 15-puzzle, tiles:3x4 ...

    :param goal: goal board of sliding tiles, such as "1 2 3 / 4 5 6 / 7 8 0"
    :raises UnknownName: with the known names
    """
    return Puzzle(name, goal)


def _named(name: str, goal: str | Sequence[int] | Sequence[Sequence[int]] | None) -> _Puzzle:
    try:
        board = schema.read_board(goal if isinstance(goal, str) or goal is None else list(goal))
    except ValueError as error:
        raise InvalidRequest("the goal is not a board", [Fault("goal", str(error))]) from None
    return get_puzzle(name, cast(list[int] | None, board))


def _from_definition(text: str, name: str) -> Puzzle:
    return Puzzle(added_puzzle(read_definition(json.loads(text)), name))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table."""

    def line(cells: Iterable[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + (line(head, "th") if head else "") + "".join(line(row, "td") for row in rows) + "</table>"


def heuristic(text: HeuristicLike, puzzle: str | Puzzle, moves: str | None = None) -> Heuristic:
    """A heuristic by name, as an expression over features such as "ceil(misplaced_facelets / 15)", or a function of
    one's own from a `State` to a number, which is asked once for each of the first 250,000 states.

    :param moves: the move set of pattern databases that name none
    :raises InvalidExpression: with the column and what was expected there
    """
    chosen, text = _puzzle(puzzle), text_of(text)
    known = chosen._puzzle
    return Heuristic(chosen, text, get_heuristic(text, known, known.move_set(moves, costs=True)), moves)


def check(text: HeuristicLike, puzzle: str | Puzzle, moves: str | None = None) -> HeuristicCheck:
    """Is a heuristic admissible and consistent for a move set? If not, where does it fail?"""
    return heuristic(text, puzzle, moves).check(moves)


def algorithms() -> list[str]:
    """The names of all algorithms."""
    return list(ALGORITHMS)


def solve(
    start: str | Puzzle | State,
    *,
    k: int | None = None,
    seed: int = 0,
    alg: str | None = None,
    random: int | None = None,
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

    Ctrl-C ends the search, mostly within 50 ms; the answer then has what it proved, and its best solution so far.

    :param start: a state; or a puzzle, with ``k`` and ``seed`` of a scramble, the ``alg`` that leads to the start, or
        ``random``, the seed of a random state
    :param moves: the move set to solve with; h* depends on it
    :param algorithm: if None, ``astar``; ``plan`` with a plan; ``auto`` of the Clock and ``anytime`` of the Square-1
    :param limits: any of expanded, generated, seconds, memory_mib; the seconds are those until this returns
    :param target: the state to reach; solved if None. Refused where pieces are identical. From ``puzzle(...).solved``,
        this finds moves to any state
    :param control: cancels it from another thread, and shows its progress
    :param certificate: a file to write, which proves the answer to ``checker/check.py``
    :param options: {options}. ``heuristic`` may be a function of your own, from a `State` to a number. That is slow,
        and runs on one core. With it a solution is proven if `check` has proven the function before, on all
        states of a puzzle of at most 200,000, or if it is as short as another proven bound

    :raises HstarError: with all faults of the arguments; `HeuristicFailed` with the state on which a function failed
    """
    began = time.monotonic()
    chosen, fields = _fields(start, k, seed, alg, random, scramble_moves, moves, limits, target)
    path = None if certificate is None else Path(certificate)
    problem, answer, written = _solved(fields | _given(algorithm=algorithm), options, control, began, path)
    first = problem.start if target is None else chosen._puzzle.parse_state(problem.given.state)
    return Solution(State(chosen, first), answer, written)


def _fields(
    start: str | Puzzle | State,
    k: int | None,
    seed: int,
    alg: str | None,
    random: int | None,
    scramble_moves: str | None,
    moves: str | None,
    limits: Mapping[str, float] | None,
    target: State | None,
) -> tuple[Puzzle, dict[str, Any]]:
    """The puzzle, and the fields of a `SolveRequest` that `solve` has as arguments of its own."""
    known = _kept((start.puzzle if isinstance(start, State) else _puzzle(start))._puzzle)
    return Puzzle(known), {
        "puzzle": known.name,
        "goal": known.goal_board(),
        "state": State.to_dict(start) if isinstance(start, State) else None,
        "alg": alg,
        "random": random,
        "scramble": None if k is None else {"k": k, "seed": seed, "moves": scramble_moves},
        "target": None if target is None else target.to_dict(),
        "moves": moves,
        "limits": dict(limits or {}),
    }


def question(
    start: str | Puzzle | State,
    *,
    k: int | None = None,
    seed: int = 0,
    alg: str | None = None,
    random: int | None = None,
    scramble_moves: str | None = None,
    moves: str | None = None,
    algorithm: schema.Algorithm | None = None,
    limits: Mapping[str, float] | None = None,
    target: State | None = None,
    **options: Any,
) -> tuple[Puzzle, schema.SolveRequest]:
    """The puzzle and the request of a `solve` with these arguments, for a server."""
    _no_function(options.get("heuristic"))
    chosen, fields = _fields(start, k, seed, alg, random, scramble_moves, moves, limits, target)
    return chosen, _read(schema.SolveRequest, fields | _given(algorithm=algorithm) | options)


def _no_function(*heuristics: object) -> None:
    """Refuse functions where a server is asked."""
    if any(callable(one) for one in heuristics):
        fault = Fault("/heuristic", "a function of your own runs on this machine: use hstar.solve, or an expression")
        raise InvalidRequest("a server runs no functions of its users", [fault])


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
    if options.get("heuristic") is not None:
        options = {**options, "heuristic": text_of(options["heuristic"])}
    request = _read(schema.SolveRequest, fields | {n: value for n, value in options.items() if n not in local})
    problem = search.prepare(request, costs=True)
    if certificate is not None:
        can_certify(problem)
    result = search.solve_interruptibly(
        problem, control, machine.threads, began, keep=certificate is not None, scratch=machine.scratch
    )
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
    """A shorter alg with the same effect; ``alg`` itself if none is found within the limits. Pieces that look alike end
    where ``alg`` brings them.

    >>> print(hstar.shorten("3x3x3", "R U R' U' R U R' U'", limits={"seconds": 5}))          # doctest: +SKIP

    :param alg: up to 10,000 moves
    :param moves: the move set of both algs; left out: the puzzle's, with other moves of the alg
    """
    began = time.monotonic()
    chosen, fields = _shortened(puzzle, alg, moves, limits)
    problem, answer, _ = _solved(fields, options, None, began)
    start = chosen.state(answer.start.state)  # that of the problem may tell alike pieces apart
    return not_longer(Solution(start, answer), problem.given.alg or [])


def _shortened(
    puzzle: str | Puzzle, alg: str, moves: str | None, limits: Mapping[str, float] | None
) -> tuple[Puzzle, dict[str, Any]]:
    known = _kept(_puzzle(puzzle)._puzzle)
    return Puzzle(known), {
        "puzzle": known.name,
        "goal": known.goal_board(),
        "shorten": alg,
        "moves": algs.shortening(known, alg, moves),
        "limits": dict(limits or {"seconds": 10.0}),
    }


def shortening(
    puzzle: str | Puzzle,
    alg: str,
    *,
    moves: str | None = None,
    limits: Mapping[str, float] | None = None,
    **options: Any,
) -> tuple[Puzzle, schema.SolveRequest]:
    """The puzzle and the request of a `shorten` with these arguments, for a server."""
    chosen, fields = _shortened(puzzle, alg, moves, limits)
    return chosen, _read(schema.SolveRequest, fields | options)


def not_longer(found: Solution, given: Sequence[str]) -> Solution:
    """The solution, or the given moves themselves if it has more of them or none."""
    answer = found.answer
    if answer.solution is not None and len(answer.solution) <= len(given):
        return found
    as_it_is = {
        "solution": list(given),
        "length": len(given),
        "optimality": "feasible",
        "status": "done",
        "outcome": "solved",
    }
    return Solution(found.start, answer.model_copy(update=as_it_is))


def experiment(
    puzzle: str,
    k: int | str | Sequence[int] | None = None,
    heuristics: Sequence[HeuristicLike] = (),
    *,
    trials: int = 5,
    instances: str | PathLike[str] | Iterable[State | str | Sequence[int] | Mapping[str, Any]] | None = None,
    random: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    **fields: Any,
) -> Experiment:
    """Search many instances, on all cores: scrambles for every k and trial, or given or random states. The same seed
    gives the same searches.

    >>> hstar.experiment("8-puzzle", k="3-14", heuristics=["manhattan"]).to_pandas()         # doctest: +SKIP
    >>> hstar.experiment("15-puzzle", instances="korf-15-puzzle", algorithms=["ida_star"])   # doctest: +SKIP

    :param k: numbers of scramble moves: "3-14", or a list
    :param instances: states, each alone or as ``{"state": ..., "name": ..., "optimum": ...}``; a file of them (CSV,
        JSON, or one on each line), or a known set: "korf-15-puzzle", "korf-24-puzzle"
    :param heuristics: names, expressions, or functions of your own, with which searches follow one another on one core
    :param random: so many uniformly random states
    :param fields: other fields of ``POST /v1/experiments``, such as ``moves``, ``algorithms``, ``true_distance``
    """
    texts = [text_of(one) for one in heuristics]
    request = design(puzzle, k, texts, trials=trials, instances=instances, random=random, seed=seed, **fields)
    rows = sorted(local.run(plan(request), jobs=jobs), key=lambda row: row.index)
    return Experiment(tuple(with_true_distances(rows)), request)


def design(
    puzzle: str,
    k: int | str | Sequence[int] | None = None,
    heuristics: Sequence[str] = (),
    *,
    trials: int = 5,
    instances: str | PathLike[str] | Iterable[State | str | Sequence[int] | Mapping[str, Any]] | None = None,
    random: int | None = None,
    seed: int = 0,
    **fields: Any,
) -> ExperimentRequest:
    """The request of an `experiment` with these arguments."""
    _no_function(*heuristics)
    own = {
        "puzzle": puzzle,
        "k": k if isinstance(k, str) or k is None else [k] if isinstance(k, int) else list(k),
        "heuristics": list(heuristics),
        "trials": trials,
        "instances": None if instances is None else _instances(instances),
        "random": random,
        "seed": seed,
    }
    return _read(ExperimentRequest, own | fields)


def _instances(
    given: str | PathLike[str] | Iterable[State | str | Sequence[int] | Mapping[str, Any]],
) -> list[object]:
    if isinstance(given, (str, PathLike)):
        return list(read_instances(Path(given)))

    def plain(one: object) -> object:
        if isinstance(one, State):
            formats = one.to_dict()
            return formats.get("rows") or {"pieces": formats["pieces"]}
        if isinstance(one, Mapping):
            return {name: plain(value) for name, value in one.items()}
        return list(map(plain, one)) if isinstance(one, (list, tuple)) else one

    return [plain(one) for one in given]


def _read(model: type[M], fields: dict[str, Any]) -> M:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        faults = [Fault("/".join(map(str, d["loc"])), in_words(d)) for d in error.errors()]
    # Here, so that pydantic's error is not its context and is freed.
    raise InvalidRequest("this cannot be asked", faults)


def _kept(known: _Puzzle) -> _Puzzle:
    """The puzzle, which requests find by its name: few of those that are only in memory are kept."""
    return (
        added_puzzle(known.definition, known.name) if isinstance(known, DefinedPuzzle) and "@" in known.name else known
    )


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
