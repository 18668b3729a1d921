"""The five course reports that hstar started from, with their own settings and their own output format.

>>> system = get_system("s1")                                                     # doctest: +SKIP
>>> for run in system.runs(ks=[3, 4], trials=5, seed=1):                          # doctest: +SKIP
...     print(system.show(run))

A system also has the figures of its report (``reported``), so that a table can show both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hstar import schema
from hstar.errors import UnknownName
from hstar.experiments.design import plan, start_of
from hstar.experiments.schema import ExperimentRequest
from hstar.puzzles import Puzzle
from hstar.puzzles.megaminx.colours import format_colours, format_undone
from hstar.search import Problem, Result, prepare, solve

#: nodes expanded (S5: generated, expanded, length, b*) as the report gives them, by k or by board and heuristic
Reported = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Run:
    """One solved puzzle of a report, named by ``label``."""

    label: str
    problem: Problem
    result: Result


@dataclass(frozen=True)
class System:
    """The puzzle, moves, heuristic and limits of one report, and its way of printing a solution."""

    name: str
    title: str
    puzzle: str
    heuristics: tuple[str, ...]
    moves: str
    scramble_moves: str
    ks: tuple[int, ...]
    limits: schema.LimitsIn
    printer: Callable[[Run], str]
    reported: Reported
    #: with fifo the counts are nearest to those of all five reports, whose queues compared f only
    tie_breaking: schema.TieBreaking = "fifo"
    #: boards that the report gives instead of scrambles, by name
    boards: Mapping[str, str] = field(default_factory=dict)

    def runs(self, ks: Sequence[int] | None = None, trials: int = 5, seed: int = 1) -> Iterator[Run]:
        """Solve its boards, or ``trials`` scrambles for each k (those of `hstar.experiments`)."""
        for label, request in self._requests(ks or self.ks, trials, seed):
            problem = prepare(request)
            yield Run(label, problem, solve(problem))

    def limited_to(self, expanded: int) -> System:
        """The same system with another limit of expansions."""
        return replace(self, limits=self.limits.model_copy(update={"expanded": expanded}))

    def show(self, run: Run) -> str:
        """The run as the report prints it."""
        return self.printer(run)

    def experiment(self, ks: Sequence[int] | None = None, trials: int = 5, seed: int = 1) -> ExperimentRequest:
        """The request that re-runs the report's table."""
        return ExperimentRequest(
            puzzle=self.puzzle, k=list(ks or self.ks), trials=trials, seed=seed, moves=self.moves,
            scramble_moves=self.scramble_moves, heuristics=list(self.heuristics), limits=self.limits,
            tie_breaking=self.tie_breaking,
        )  # fmt: skip

    def _requests(self, ks: Sequence[int], trials: int, seed: int) -> Iterator[tuple[str, schema.SolveRequest]]:
        for name, board in self.boards.items():
            for heuristic in self.heuristics:
                yield f"{name}, {heuristic}", self._request(heuristic, state=board)
        if not self.boards:
            for row in plan(self.experiment(ks, trials, seed)).rows():
                start = start_of(row.k, row.seed, self.scramble_moves, None)
                yield f"k = {row.k}, {row.trial}", self._request(row.configuration.heuristic, **start)

    def _request(
        self, heuristic: str | None, state: str | None = None, scramble: schema.ScrambleIn | None = None
    ) -> schema.SolveRequest:
        return schema.SolveRequest(
            puzzle=self.puzzle, moves=self.moves, heuristic=heuristic, limits=self.limits, state=state,
            scramble=scramble, tie_breaking=self.tie_breaking,
        )  # fmt: skip


def get_system(name: str) -> System:
    """The system s1 to s5; raises `UnknownName`."""
    for system in SYSTEMS:
        if system.name == name.lower():
            return system
    raise UnknownName("system", name, [system.name for system in SYSTEMS])


def _ending(run: Run) -> str:
    result = run.result
    if result.solution is not None:
        return ""
    return f"  no solution: {result.status} {result.limit or ''}, h* >= {result.lower_bound}\n"


def _show_in_scramble_order(run: Run) -> str:
    """S1: colours; the turns that were undone, in the order of the scramble."""
    scramble, solution = run.problem.given.alg or [], run.result.solution
    text = f"{run.label}\n  scramble  {format_colours(scramble)}\n"
    if solution is not None:
        text += f"  solution  {format_undone(solution)}\n  depth     {run.result.length}\n"
    return text + f"  nodes     {run.result.counters.expanded}\n" + _ending(run)


def _show_counts(run: Run) -> str:
    """S2: one line, the nodes expanded."""
    length = run.result.length
    solved = f"length {length}" if length is not None else f"{run.result.status}, h* >= {run.result.lower_bound}"
    return f"{run.label}: {run.result.counters.expanded} nodes expanded, {solved}\n"


def _show_log(run: Run) -> str:
    """S3: the log of the scramble's moves, then the solution with its total cost and depth."""
    log = "".join(f"  {i:2}. {move}\n" for i, move in enumerate(run.problem.given.alg or [], start=1))
    text = f"{run.label}\n  moves of the scramble:\n{log}"
    if run.result.solution is not None:
        text += f"  solution    {' '.join(run.result.solution)}\n"
        text += f"  total cost  {run.result.length}\n  depth       {run.result.length}\n"
    return text + f"  nodes       {run.result.counters.expanded}\n" + _ending(run)


def _show_corner_layer_direction(run: Run) -> str:
    """S4: moves as corner, layer and direction."""
    layers = run.problem.puzzle.notation("s4")
    text = f"{run.label}\n  scramble  {layers.format(run.problem.given.alg or [])}\n"
    if run.result.solution is not None:
        text += f"  solution  {layers.format(run.result.solution)}\n"
    return text + f"  nodes     {run.result.counters.expanded}\n" + _ending(run)


def _show_metrics_and_path(run: Run) -> str:
    """S5: ET, NG, NE, D and b*, and the total path board by board. Its NE does not count the start."""
    result, counters = run.result, run.result.counters
    text = f"{run.label}\n"
    if result.solution is None:
        return text + _ending(run)
    text += (
        f"  ET {result.seconds:.4f} s   NG {counters.generated}   NE {max(counters.expanded - 1, 0)}   "
        f"D {result.length}   b* = NG / D {counters.branching_generated or 0:.1f}\n"
    )
    state = run.problem.start
    boards = [state]
    for move in result.solution:
        state = run.problem.puzzle.apply_alg(state, [move])
        boards.append(state)
    return text + "".join(f"  {i:2}  {board_text(run.problem.puzzle, board)}\n" for i, board in enumerate(boards))


def board_text(puzzle: Puzzle, state: bytes) -> str:
    """A board on one line, its rows separated by slashes."""
    return str(puzzle.format_state(state)["rows"])


_NO_LIMIT = schema.LimitsIn()

SYSTEMS: tuple[System, ...] = (
    System(
        "s1", "Megaminx, misplaced facelets", "megaminx", ("s1-misplaced-facelets",), "ccw", "cw", tuple(range(3, 9)),
        _NO_LIMIT, _show_in_scramble_order,
        {"3": [6, 6, 4, 6, 6], "4": [10, 10, 9, 10, 9], "5": [21, 18, 24, 25, 12], "6": [38, 79, 84, 42, 38],
         "7": [172, 275, 296, 170, 166], "8": [928, 293, 175, 183, 337]},
    ),
    System(
        "s2", "Megaminx, face distance", "megaminx", ("s2-face-distance",), "ccw", "cw", tuple(range(3, 15)),
        schema.LimitsIn(expanded=2_000_000), _show_counts,
        {"3": [5, 5, 5, 6, 8], "4": [9, 9, 9, 16, 9], "5": [15, 24, 31, 26, 12], "6": [56, 71, 52, 53, 27],
         "7": [100, 175, 67, 302, 53], "8": [623, 192, 202, 813, 273], "9": [2901, 6100, 757, 344, 496],
         "10": [12399, 672, 1503, 1973, 4204], "11": [6886, 6362, 15064, 766, 96274],
         "12": [826890, 67910, 30456, 95346, 23871], "13": [783604, 25718, 11947, 209050, 178388],
         "14": [238609, 167494, 192128, 1191114, 392671]},
    ),
    System(
        "s3", "Master Pyraminx, faces out of place", "master_pyraminx", ("s3-faces-out-of-place",), "cw12", "cw12",
        (1, 2, 3, 4), schema.LimitsIn(memory_mib=1024), _show_log, {},
    ),
    System(
        "s4", "Master Pyraminx, cubie groups", "master_pyraminx", ("s4-misplaced-groups",), "layers32", "layers32",
        (1, 2, 3, 4, 5), schema.LimitsIn(memory_mib=1024), _show_corner_layer_direction,
        {"1": [2], "2": [5], "3": [26], "4": [90], "5": [505]},
    ),
    System(
        "s5", "8-puzzle, several heuristics", "8-puzzle",
        ("s5-misplaced-cells", "s5-conflicts-inversions", "s5-clustered-misplaced", "manhattan", "linear-conflict"),
        "slide", "slide", (), _NO_LIMIT, _show_metrics_and_path,
        {"A, s5-misplaced-cells": [27, 8, 6, 4], "A, s5-conflicts-inversions": [20, 6, 6, 3],
         "B, s5-misplaced-cells": [5219, 1873, 18, 289], "B, s5-conflicts-inversions": [34617, 12756, 18, 1923],
         "B, s5-clustered-misplaced": [5649, 2008, 18, 313.8]},
        boards={"A": "2 8 3 / 1 6 4 / 0 7 5", "B": "2 1 6 / 4 0 8 / 7 5 3"},
    ),
)  # fmt: skip
