"""The rows of an experiment: one search each, flat, with its whole setting, as in CSV and Parquet.

Rows come from `row_of` or from a database. All computations in this package take only rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import groupby

from hstar import schema
from hstar.experiments.design import Design, PlannedRow, Role
from hstar.experiments.schema import Outcomes, Series

#: statuses of searches that have not ended
PENDING: tuple[schema.Status, ...] = ("queued", "running")


@lru_cache(1024)
def _series(algorithm: str, heuristic: str | None, weight: float, width: int | None) -> Series:
    """Cached: thousands of rows share a few series, and are often grouped by them."""
    return Series(algorithm=algorithm, heuristic=heuristic, weight=weight, width=width)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow:
    """One search. Counters are None until it has run, and if they have no meaning (no solution, no last layer).

    ``method`` is the algorithm that ``auto`` chose. ``true_distance`` is h* of the instance, if any search of it has
    proven it (`with_true_distances`). ``seconds`` is wall-clock time of the search only, ``peak_bytes`` the memory of
    its nodes, table and open list.
    """

    index: int
    role: Role
    k: int
    trial: int
    seed: int
    puzzle: str
    goal: str | None = None
    scramble_moves: str
    moves: str
    scramble: str | None = None
    algorithm: schema.Algorithm
    method: schema.Method | None = None
    weight: float = 1.0
    width: int | None = None
    heuristic: str | None = None
    expression: str
    admissible: str = "unknown"
    consistent: str = "unknown"
    tie_breaking: schema.TieBreaking
    limit_expanded: int | None = None
    limit_generated: int | None = None
    limit_seconds: float | None = None
    limit_memory_mib: int | None = None
    status: schema.Status = "queued"
    limit: schema.LimitName | None = None
    length: int | None = None
    optimality: schema.Optimality | None = None
    lower_bound: int | None = None
    true_distance: int | None = None
    solution: str | None = None
    expanded: int | None = None
    expanded_last_layer: int | None = None
    expanded_before_last_layer: int | None = None
    generated: int | None = None
    evaluated: int | None = None
    reopened: int | None = None
    stored: int | None = None
    max_open: int | None = None
    branching_generated: float | None = None
    branching_effective: float | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    error: str | None = None

    @property
    def series(self) -> Series:
        return _series(self.algorithm, self.heuristic, self.weight, self.width)

    @property
    def feasible_length(self) -> int | None:
        """The length of a solution that is not proven shortest."""
        return self.length if self.optimality == "feasible" else None

    @property
    def instance(self) -> tuple[str, str | None, str, int, int]:
        """The identity of the start: (puzzle, goal, scramble moves, k, seed)."""
        return self.puzzle, self.goal, self.scramble_moves, self.k, self.seed


#: the columns of CSV and Parquet, in order
COLUMNS = tuple(field.name for field in fields(ExperimentRow))


def row_of(
    design: Design, planned: PlannedRow, solve: schema.Solve | None = None, error: str | None = None
) -> ExperimentRow:
    """The row of a planned search, with its answer, or the reason why there is none."""
    problem = design.problem
    heuristic = design.heuristics[design.configurations.index(planned.configuration)]
    verdicts = heuristic.verdicts(problem.moves)
    goal = problem.puzzle.goal_board()
    limits = problem.limits
    row = ExperimentRow(
        index=planned.index,
        role=planned.configuration.role,
        k=planned.k,
        trial=planned.trial,
        seed=planned.seed,
        puzzle=problem.puzzle.name,
        goal=None if goal is None else " ".join(map(str, goal)),
        scramble_moves=design.scramble_moves,
        moves=problem.moves.name,
        algorithm=planned.configuration.algorithm,
        method=planned.configuration.algorithm if planned.configuration.algorithm != "auto" else None,
        weight=planned.configuration.weight,
        width=planned.configuration.width,
        heuristic=planned.configuration.heuristic,
        expression=heuristic.expression.text,
        admissible=verdicts.admissible,
        consistent=verdicts.consistent,
        tie_breaking=problem.tie_breaking,
        limit_expanded=limits.expanded,
        limit_generated=limits.generated,
        limit_seconds=limits.seconds,
        limit_memory_mib=limits.memory_mib,
    )
    if error is not None:
        return replace(row, status="failed", error=error)
    return row if solve is None else with_answer(row, solve)


def with_answer(row: ExperimentRow, solve: schema.Solve) -> ExperimentRow:
    """The row with the answer of the search."""
    answer = solve.columns()
    if solve.solution is not None:
        answer["solution"] = " ".join(solve.solution)
    return replace(
        row,
        scramble=None if solve.start.alg is None else " ".join(solve.start.alg),
        method=solve.method,
        expression=solve.heuristic.expression,
        status=solve.status,
        error=solve.error,
        **answer,
    )


def with_true_distances(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    """The rows, each with h* of its instance if any search of that instance has proven it.

    h* also depends on the solving moves. It is known too if one search's solution equals another's lower bound.

    :raises ValueError: a proven lower bound is above a solution, so the rows contradict each other
    """
    rows = list(rows)
    least: dict[tuple[object, str], int] = {}
    bound: dict[tuple[object, str], int] = {}
    for row in rows:
        key: tuple[object, str] = (row.instance, row.moves)
        if row.length is not None:
            least[key] = min(least.get(key, row.length), row.length)
        proven = row.length if row.optimality == "proven" else row.lower_bound
        if proven is not None:
            bound[key] = max(bound.get(key, 0), proven)
    for key, length in least.items():
        if bound.get(key, 0) > length:
            raise ValueError(f"a solution of {length} moves is below a proven bound of {bound[key]}: {key}")
    known = {key: length for key, length in least.items() if bound.get(key) == length}
    return [
        row if row.true_distance == distance else replace(row, true_distance=distance)
        for row in rows
        for distance in (known.get((row.instance, row.moves)),)
    ]


def with_true_distances_in_turn(rows: Iterable[ExperimentRow]) -> Iterator[ExperimentRow]:
    """The same for rows that are sorted by instance, with only the rows of one instance in memory."""
    for _, group in groupby(rows, key=lambda row: row.instance):
        yield from with_true_distances(group)


def outcomes(rows: Iterable[ExperimentRow]) -> Outcomes:
    """How many there are, and how they ended."""
    rows = list(rows)
    counts: dict[str, int] = Counter(row.status for row in rows)
    pending = sum(counts.pop(status, 0) for status in PENDING)
    proven = sum(row.status == "solved" and row.optimality == "proven" for row in rows)
    return Outcomes(n=sum(counts.values()), pending=pending, proven=proven, **counts)


def searches(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    """The rows for statistics, in their order, without the proofs of true distances."""
    return sorted((row for row in rows if row.role == "search"), key=lambda row: row.index)


def series_of(rows: Sequence[ExperimentRow]) -> list[Series]:
    """The ways to search that occur, in the order of their first row."""
    return list(dict.fromkeys(row.series for row in rows))
