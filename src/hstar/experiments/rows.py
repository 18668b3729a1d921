"""The rows of an experiment: one search each, flat, with its whole setting, as in CSV and Parquet.

Rows come from `row_of` or from a database. All computations in this package take only rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hstar import schema
from hstar.experiments.design import Design, PlannedRow, Role
from hstar.experiments.instances import Instance
from hstar.experiments.schema import Outcomes, Series
from hstar.options import Options


@lru_cache(1024)
def _series(algorithm: str, heuristic: str | None, options: tuple[Any, ...]) -> Series:
    """Cached: thousands of rows share a few series, and are often grouped by them."""
    return Series(algorithm=algorithm, heuristic=heuristic, **dict(zip(Options.model_fields, options, strict=True)))


#: a field for each option of a search, and for each of `hstar.schema.Counters`
_Flat: Any = make_dataclass(
    "_Flat",
    [(name, info.annotation, field(default=info.default)) for name, info in Options.model_fields.items()]
    + [(name, float | None if name in schema.RATES else int | None, None) for name in schema.COUNTERS],
    frozen=True,
    slots=True,
    kw_only=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRow(_Flat):  # type: ignore[misc]  # its fields are those of other classes
    """One search. Counters are None until it has run, and if they have no meaning (no solution, no last layer).

    ``k`` and ``scramble_moves`` are those of a scramble, ``seed`` is that of a scramble or of a random state;
    ``instance`` is the name of a given instance, ``start`` its state or alg, ``optimum`` the length that it came with.
    ``method`` is the algorithm that ``auto`` chose. ``true_distance`` is h* of the instance, if any search of it has
    proven it (`with_true_distances`). ``seconds`` is wall-clock time, with that of building tables; ``peak_bytes`` the
    memory of nodes, table and open list.
    """

    index: int
    role: Role
    k: int | None = None
    trial: int
    seed: int | None = None
    instance: str | None = None
    start: str | None = None
    optimum: int | None = None
    puzzle: str
    goal: str | None = None
    scramble_moves: str | None = None
    moves: str
    scramble: str | None = None
    algorithm: schema.Algorithm
    method: schema.Method | None = None
    heuristic: str | None = None
    expression: str
    admissible: str = "unknown"
    consistent: str = "unknown"
    limit_expanded: int | None = None
    limit_generated: int | None = None
    limit_seconds: float | None = None
    limit_memory_mib: int | None = None
    status: schema.JobStatus = "queued"
    outcome: schema.SolveOutcome | None = None
    limit: schema.LimitName | None = None
    length: int | None = None
    optimality: schema.Optimality | None = None
    lower_bound: int | None = None
    true_distance: int | None = None
    solution: str | None = None
    layers: schema.Layers | None = None
    seconds: float | None = None
    peak_bytes: int | None = None
    error: str | None = None

    @property
    def series(self) -> Series:
        return _series(self.algorithm, self.heuristic, tuple(getattr(self, name) for name in Options.model_fields))

    @property
    def ending(self) -> schema.JobStatus | schema.SolveOutcome:
        """How it ended, for statistics: its outcome, or the status if it has none."""
        return self.outcome or self.status

    @property
    def feasible_length(self) -> int | None:
        """The length of a solution that is not proven shortest."""
        return self.length if self.optimality == "feasible" else None

    @property
    def identity(self) -> tuple[str, str | None, str | None, int | None, int | None, str | None, str | None]:
        """The identity of the start: equal for searches of one instance, also in two experiments."""
        return self.puzzle, self.goal, self.scramble_moves, self.k, self.seed, self.instance, self.start


#: where the options and the counters stand among the other columns
_BEFORE = {"heuristic": tuple(Options.model_fields), "seconds": schema.COUNTERS}
#: the columns of CSV and Parquet, in order
COLUMNS = tuple(
    name
    for own in (field.name for field in fields(ExperimentRow))
    if own not in {*Options.model_fields, *schema.COUNTERS}
    for name in (*_BEFORE.get(own, ()), own)
)


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
        **({} if planned.given is None else columns_of_given(planned.given)),
        puzzle=problem.puzzle.name,
        goal=None if goal is None else " ".join(map(str, goal)),
        scramble_moves=design.scramble_moves,
        moves=problem.moves.name,
        algorithm=planned.configuration.algorithm,
        method=planned.configuration.algorithm if planned.configuration.algorithm != "auto" else None,
        **dict(planned.configuration.options),
        heuristic=planned.configuration.heuristic,
        expression=heuristic.expression.text,
        admissible=verdicts.admissible,
        consistent=verdicts.consistent,
        limit_expanded=limits.expanded,
        limit_generated=limits.generated,
        limit_seconds=limits.seconds,
        limit_memory_mib=limits.memory_mib,
    )
    if error is not None:
        return replace(row, status="failed", error=error)
    return row if solve is None else with_answer(row, solve)


def columns_of_given(given: Instance) -> dict[str, Any]:
    """The columns of a given instance."""
    return {"instance": given.name, "start": given.text, "optimum": given.optimum}


def with_answer(row: ExperimentRow, solve: schema.Solve) -> ExperimentRow:
    """The row with the answer of the search."""
    answer = solve.columns()
    if solve.solution is not None:
        answer["solution"] = " ".join(solve.solution)
    return replace(
        row,
        scramble=None if solve.start.scramble is None else " ".join(solve.start.alg or ()),
        method=solve.method,
        expression=solve.heuristic.expression,
        status=solve.status,
        outcome=solve.outcome,
        error=solve.error,
        **answer,
    )


def with_true_distances(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    """The rows, each with h* of its instance if any search of that instance has proven it.

    h* also depends on the solving moves. It is known too if one search's solution equals another's lower bound.

    :raises ValueError: a proven lower bound is above a solution, so the rows contradict each other
    """
    rows = list(rows)
    found = true_distances(
        [(row.identity, row.moves) for row in rows],
        [row.length for row in rows],
        [row.optimality for row in rows],
        [row.lower_bound for row in rows],
    )
    return [
        row if row.true_distance == distance else replace(row, true_distance=distance)
        for row, distance in zip(rows, found, strict=True)
    ]


def true_distances(
    instances: Sequence[Hashable],
    lengths: Sequence[int | None],
    optimality: Sequence[str | None],
    bounds: Sequence[int | None],
    *,
    refuse: bool = True,
) -> list[int | None]:
    """For each search h* of its instance, None where it is not known.

    It is known if a solution of any search of the instance is as short as the greatest bound that any of them has
    proven. ``instances`` are equal for the same start, goal and moves.

    :param refuse: otherwise the distance of an instance whose searches contradict each other is not known
    :raises ValueError: a proven lower bound is above a solution
    """
    least: dict[Hashable, int] = {}
    greatest: dict[Hashable, int] = {}
    for instance, length, proven, bound in zip(instances, lengths, optimality, bounds, strict=True):
        if length is not None:
            least[instance] = min(least.get(instance, length), length)
        greatest[instance] = max(greatest.get(instance, 0), (length if proven == "proven" else bound) or 0)
    for instance, length in least.items() if refuse else ():
        if (bound := greatest[instance]) > length:
            raise ValueError(f"a solution of {length} moves is below a proven bound of {bound}: {instance}")
    known = {instance: length for instance, length in least.items() if greatest[instance] == length}
    return [known.get(instance) for instance in instances]


def with_true_distances_in_turn(rows: Iterable[ExperimentRow]) -> Iterator[ExperimentRow]:
    """The same for rows that are sorted by instance, with only the rows of one instance in memory."""
    for _, group in groupby(rows, key=lambda row: row.identity):
        yield from with_true_distances(group)


def outcomes(rows: Iterable[ExperimentRow]) -> Outcomes:
    """How many there are, and how they ended."""
    return Outcomes.of((row.ending, row.optimality, 1) for row in rows)


def columns_of(rows: Iterable[ExperimentRow], names: Iterable[str]) -> dict[str, list[Any]]:
    """The values of some fields, by name."""
    rows = list(rows)
    return {name: [getattr(row, name) for row in rows] for name in names}


def number_groups(keys: Sequence[Any]) -> tuple[dict[Any, int], NDArray[np.int64]]:
    """Number the distinct keys in order of their first occurrence; returns them, and the number of each key."""
    numbers: dict[Any, int] = {}
    found = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), dtype=np.int64, count=len(keys))
    return numbers, found


def searches(rows: Iterable[ExperimentRow]) -> list[ExperimentRow]:
    """The rows for statistics, in their order, without the proofs of true distances."""
    return sorted((row for row in rows if row.role == "search"), key=lambda row: row.index)


def series_of(rows: Sequence[ExperimentRow]) -> list[Series]:
    """The ways to search that occur, in the order of their first row."""
    return list(dict.fromkeys(row.series for row in rows))
