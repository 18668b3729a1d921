"""Aggregate statistics of solves, by groups: counts by outcome, censored statistics of the measures, growth.

    with sessions.read() as session:
        found = aggregate(session, Question(principal, group_by=("k", "heuristic"), where={"puzzle": ("megaminx",)}))

**Exactness.** If at most `EXACT_ROWS` ended solves match, their rows are read, and every number equals NumPy's to the
last digit. Beyond that the answer comes from the rollup (`store.statistics.rollup`), which has one row for each
setting, so that the time does not grow with the number of solves: counts, minima and maxima are exact, quantiles have a
relative error of at most `QUANTILE_ERROR`, and `Aggregate.exact` is false. The rollup has no tags and times: a query
that names them reads the solves in pieces, and stores them in buckets if there are more than `EXACT_ROWS`.

**Consistency.** Everything is read in one snapshot: a solve that ends meanwhile is counted before or after, never
twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, FromClause, Row, Select, Table, and_, func, literal, literal_column, select
from sqlalchemy.orm import Session

from hstar.experiments.schema import Outcomes, Summary
from store.database import take_snapshot
from store.ids import least_id
from store.jobs.models import Job
from store.owners.principal import Principal, visible_to
from store.solves.models import Solve, SolveTag
from store.solves.status import OUTCOMES, PENDING, Status
from store.statistics.distributions import Distributions, Integers
from store.statistics.models import Rollup
from store.statistics.observations import WHOLE, Observations, columns, is_bound, number_groups
from store.statistics.regression import Growth, fit
from store.statistics.rollup import uncounted

#: dimensions for grouping and filtering, besides tags
DIMENSIONS = (
    "owner", "puzzle", "goal", "moves", "scramble_moves", "algorithm", "weight", "width", "heuristic",
    "tie_breaking", "k", "length", "status",
)  # fmt: skip
TAG_PREFIX = "tag:"
#: the default measures
USUAL_MEASURES = (
    "expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes", "length", "feasible_length",
    "branching_generated", "branching_effective",
)  # fmt: skip
#: measures whose growth with each move is fitted, as in an experiment's table
GROWING = ("expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes")
#: an answer with more groups than this is refused
MAX_GROUPS = 10_000

#: up to so many ended solves, the rows themselves are read
EXACT_ROWS = 10_000

#: uncounted solves are read in pieces of this size
UNCOUNTED_AT_ONCE = 2000

QUARTILES = {"lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75}

_STATUSES = tuple(Status)
#: columns of the counts: one for each status, and the solved ones that are proven
_PROVEN, _COUNTS = len(_STATUSES), len(_STATUSES) + 1

_jobs = cast(Table, Job.__table__)
_solves = cast(Table, Solve.__table__)
_rollup = cast(Table, Rollup.__table__)
_tags = cast(Table, SolveTag.__table__)


class TooManyGroups(Exception):
    """The answer would have more than `MAX_GROUPS` groups."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query. ``where``: the allowed values of some of `DIMENSIONS`; heuristics are canonical texts.

    ``group_by``: `DIMENSIONS`, and ``tag:KEY`` for the value of a tag. Times are aware; ``created_before`` excludes.
    """

    principal: Principal
    group_by: tuple[str, ...] = ()
    measures: tuple[str, ...] = USUAL_MEASURES
    where: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    created_from: datetime | None = None
    created_before: datetime | None = None

    @property
    def names_solves(self) -> bool:
        """Whether it names something that the rollup does not have."""
        times = self.created_from is not None or self.created_before is not None
        return times or bool(self.tags) or any(name.startswith(TAG_PREFIX) for name in self.group_by)

    @property
    def statuses(self) -> tuple[Status, ...]:
        """The statuses that match."""
        return tuple(map(Status, self.where.get("status", _STATUSES)))

    @property
    def final(self) -> tuple[Status, ...]:
        """The matching statuses that are outcomes."""
        return tuple(status for status in self.statuses if status in OUTCOMES)


@dataclass(frozen=True, slots=True)
class Group:
    """The solves with the same values of ``group_by``, in that order; None: a missing value."""

    values: tuple[Any, ...]
    outcomes: Outcomes
    measures: Mapping[str, Summary]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The answer. ``solves``: ended ones; ``exact``: quantiles are exact, too. Groups are sorted, None last."""

    solves: int
    exact: bool
    groups: list[Group]
    growth: list[Growth]


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of the solves, grouped. ``counts``: groups x `_COUNTS`. For each measure exact values and lower bounds."""

    keys: list[tuple[Any, ...]]
    counts: Integers
    seen: Mapping[str, tuple[Distributions, Distributions]]

    @property
    def ended(self) -> int:
        return int(self.counts[:, [number for number, status in enumerate(_STATUSES) if status.final]].sum())

    @property
    def exact(self) -> bool:
        return all(side.exact for sides in self.seen.values() for side in sides)


def aggregate(session: Session, question: Question, *, exact_rows: int | None = None) -> Aggregate:
    """Answer a query; ``exact_rows`` replaces `EXACT_ROWS`. Raises `TooManyGroups`."""
    exact_rows = EXACT_ROWS if exact_rows is None else exact_rows
    take_snapshot(session)
    pending = _pending(session, question)
    if not question.final:
        whole = pending
    elif question.names_solves:
        whole = _together([_read(session, question, exact_rows), pending])
    else:
        fresh = _read_uncounted(session, question)
        if _count(session, question) + fresh.ended <= exact_rows:
            whole = _together([_read(session, question, exact_rows), pending])
        else:
            whole = _together([_counted(session, question), fresh, pending])
    order = sorted(range(len(whole.keys)), key=lambda place: [_sortable(value) for value in whole.keys[place]])
    summaries = {measure: _summaries(*whole.seen[measure]) for measure in question.measures}
    groups = [
        Group(
            whole.keys[place],
            _outcomes(whole.counts[place]),
            {measure: summaries[measure][place] for measure in question.measures},
        )
        for place in order
    ]
    return Aggregate(whole.ended, whole.exact, groups, _growth(question, whole, order))


def _where(table: Table, question: Question) -> list[ColumnElement[bool]]:
    """The conditions that hold for solves and the rollup alike, except the outcome."""
    found: list[ColumnElement[bool]] = [visible_to(question.principal, table.c.owner)]
    for name, values in question.where.items():
        if name != "status":
            found.append(table.c[name].in_(values))
    return found


def where_solves(question: Question) -> list[ColumnElement[bool]]:
    """The filters on solves, except for the outcome."""
    found = _where(_solves, question)
    for key, value in question.tags.items():
        found.append(_solves.c.id.in_(select(_tags.c.solve_id).where(_tags.c.key == key, _tags.c.value == value)))
    # An id begins with the time of its creation, and ids are indexed.
    if question.created_from is not None:
        found.append(_solves.c.id >= least_id(question.created_from))
    if question.created_before is not None:
        found.append(_solves.c.id < least_id(question.created_before))
    return found


def grouped_by(
    table: Table, question: Question, status: ColumnElement[Any]
) -> tuple[list[ColumnElement[Any]], FromClause]:
    """The columns to group by, and their tables; ``status``: the column of the status."""
    found: list[ColumnElement[Any]] = []
    source: FromClause = table
    for number, name in enumerate(question.group_by):
        if name == "status":
            found.append(status.label(f"by_{number}"))
        elif name.startswith(TAG_PREFIX):
            tag = _tags.alias(f"tag_{number}")
            key = name.removeprefix(TAG_PREFIX)
            source = source.outerjoin(tag, and_(tag.c.solve_id == table.c.id, tag.c.key == key))
            found.append(tag.c.value.label(f"by_{number}"))
        else:
            found.append(table.c[name].label(f"by_{number}"))
    return found, source


def _layer(question: Question) -> bool:
    return "length" in question.group_by or "length" in question.where


def _count(session: Session, question: Question) -> int:
    """The matching solves in the rollup, for a query without tags and times."""
    counted = session.scalar(
        select(func.sum(_rollup.c.solves)).where(
            _rollup.c.by_length == _layer(question), _rollup.c.outcome.in_(question.final), *_where(_rollup, question)
        )
    )
    return int(counted or 0)


def _pending(session: Session, question: Question) -> _Part:
    """The number of solves that have not ended."""
    wanted = [status for status in question.statuses if status in PENDING]
    by, source = grouped_by(_solves, question, _jobs.c.state)
    rows: list[Any] = []
    for status in wanted:
        # A literal in the text, because otherwise the partial indices cannot be used.
        pending = _jobs.c.state == literal_column(f"'{status}'")
        counted: Select[Any] = select(*by, literal(status.value), func.count().label("solves"))
        counted = counted.select_from(source.join(_jobs, _jobs.c.id == _solves.c.id))
        counted = counted.where(pending, *where_solves(question)).group_by(*by)
        # Without groups there is a row even if nothing is pending.
        rows += [row for row in session.execute(counted) if row.solves]
    numbers, groups = number_groups([tuple(row[:-2]) for row in rows])
    counts = np.zeros((len(numbers), _COUNTS), dtype=np.int64)
    for row, group in zip(rows, groups, strict=True):
        counts[group, _STATUSES.index(Status(row[-2]))] += row[-1]
    return _Part(list(numbers), counts, _nothing(question, len(numbers)))


def _read(session: Session, question: Question, size: int) -> _Part:
    """The rows of ended solves, ``size`` at a time."""
    rows = _rows(question).order_by(_solves.c.id).limit(size)
    piece = session.execute(rows).all()
    whole = _part_of_rows(question, piece)
    while len(piece) == size:
        piece = session.execute(rows.where(_solves.c.id > piece[-1][0])).all()
        whole = _together([whole, _part_of_rows(question, piece)])
    return whole


def _read_uncounted(session: Session, question: Question) -> _Part:
    """Ended solves that are not in the rollup: few, as long as a sweeper runs."""
    whole = _part_of_rows(question, [])
    ids = uncounted(session, UNCOUNTED_AT_ONCE)
    while ids:
        piece = session.execute(_rows(question).where(_solves.c.id.in_(ids)).order_by(_solves.c.id)).all()
        whole = _together([whole, _part_of_rows(question, piece)])
        ids = uncounted(session, UNCOUNTED_AT_ONCE, after=ids[-1]) if len(ids) == UNCOUNTED_AT_ONCE else []
    return whole


def _rows(question: Question) -> Select[Any]:
    by, tables = grouped_by(_solves, question, _solves.c.outcome)
    rows: Select[Any] = select(_solves.c.id, *by, *columns(question.measures)).select_from(tables)
    return rows.where(_solves.c.outcome.in_(question.final), *where_solves(question))


def _part_of_rows(question: Question, rows: Sequence[Row[Any]]) -> _Part:
    width = 1 + len(question.group_by)
    numbers, groups = number_groups([tuple(row[1:width]) for row in rows])
    counts = np.zeros((len(numbers), _COUNTS), dtype=np.int64)
    np.add.at(counts, (groups, _numbers(_STATUSES.index(row[width]) for row in rows)), 1)
    np.add.at(counts[:, _PROVEN], groups, _numbers(row[width + 2] == "proven" for row in rows))
    seen = Observations([row[width:] for row in rows], question.measures)
    found = {measure: (exact, bounds) for measure, exact, bounds in seen.distributions(groups, len(numbers))}
    return _Part(list(numbers), counts, found)


def _counted(session: Session, question: Question) -> _Part:
    """Ended solves that are in the rollup."""
    by, source = grouped_by(_rollup, question, _rollup.c.outcome)
    kept = [_rollup.c[f"of_{measure}"] for measure in question.measures]
    rows = session.execute(
        select(*by, _rollup.c.outcome, _rollup.c.algorithm, _rollup.c.optimality, _rollup.c.solves, *kept)
        .select_from(source)
        .where(
            _rollup.c.by_length == _layer(question), _rollup.c.outcome.in_(question.final), *_where(_rollup, question)
        )
    ).all()
    width = len(by)
    numbers, groups = number_groups([tuple(row[:width]) for row in rows])
    size = len(numbers)
    counts = np.zeros((size, _COUNTS), dtype=np.int64)
    statuses_of = _numbers(_STATUSES.index(row[width]) for row in rows)
    np.add.at(counts, (groups, statuses_of), _numbers(row[width + 3] for row in rows))
    proven = _numbers(row[width + 3] if row[width + 2] == "proven" else 0 for row in rows)
    np.add.at(counts[:, _PROVEN], groups, proven)
    found = {}
    for place, measure in enumerate(question.measures, start=width + 4):
        kinds = [is_bound(row[width], row[width + 1], row[width + 2], measure) for row in rows]
        sides = []
        for side in (False, True):
            kind = np.array([one is side for one in kinds], dtype=np.bool_)
            texts = [row[place] for row, wanted in zip(rows, kind, strict=True) if wanted]
            decoded = Distributions.decode(texts, whole=measure in WHOLE)
            apart = len(set(groups[kind].tolist())) == kind.sum()
            sides.append(
                decoded.placed(groups[kind], size) if apart else Distributions.merged([decoded], [groups[kind]], size)
            )
        found[measure] = (sides[0], sides[1])
    return _Part(list(numbers), counts, found)


def _numbers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, dtype=np.int64)


def _nothing(question: Question, size: int) -> dict[str, tuple[Distributions, Distributions]]:
    empty = {whole: Distributions.empty(size, whole=whole) for whole in (True, False)}
    return {measure: (empty[measure in WHOLE],) * 2 for measure in question.measures}


def _together(parts: Sequence[_Part]) -> _Part:
    """One part with all groups, in buckets if several have values. Raises `TooManyGroups`."""
    numbers, places = number_groups([key for part in parts for key in part.keys])
    size = len(numbers)
    if size > MAX_GROUPS:
        raise TooManyGroups
    counts = np.zeros((size, _COUNTS), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([part.counts for part in parts]))
    by_part = np.split(places, np.cumsum([len(part.keys) for part in parts])[:-1])
    having = [(part, place) for part, place in zip(parts, by_part, strict=True) if part.ended] or [
        (parts[0], by_part[0])
    ]

    def side_of(measure: str, side: int) -> Distributions:
        found = [part.seen[measure][side] for part, _ in having]
        if len(having) == 1:
            return found[0].placed(having[0][1], size)
        return Distributions.merged(found, [place for _, place in having], size)

    return _Part(
        list(numbers), counts, {measure: (side_of(measure, 0), side_of(measure, 1)) for measure in parts[0].seen}
    )


def _sortable(value: Any) -> tuple[bool, Any]:
    return value is None, 0 if value is None else value


def _outcomes(counts: Integers) -> Outcomes:
    *numbers, proven = counts.tolist()
    by_status = dict(zip(_STATUSES, numbers, strict=True))
    pending = sum(by_status.pop(status) for status in PENDING)
    ended = {str(name): n for name, n in by_status.items()}
    return Outcomes(n=sum(by_status.values()), pending=pending, proven=proven, **ended)


def _summaries(exact: Distributions, bounds: Distributions) -> list[Summary]:
    """The censored statistics of every group."""
    both = exact.with_lower_bounds(bounds)
    some = exact.count > 0
    columns: dict[str, Any] = {
        "exact": exact.count,
        "lower_bounds": bounds.count,
        "mean": np.where(some, exact.mean, np.nan),
        "standard_deviation": exact.deviation(),
        "minimum": np.where(some, exact.minimum, np.nan),
        "maximum": np.where(some, exact.maximum, np.nan),
    }
    for name, q in QUARTILES.items():
        columns[name] = exact.quantile(q)
        columns[f"{name}_all"] = both.quantile(q)
        columns[f"{name}_all_at_least"] = exact.is_open(q, bounds, both)
    names = list(columns)
    return [
        Summary(**dict(zip(names, values, strict=True)))
        for values in zip(*(_without_nan(column) for column in columns.values()), strict=True)
    ]


def _without_nan(column: NDArray[Any]) -> list[Any]:
    """Its values; None for NaN, which means too few observations."""
    found = column.astype(object)
    found[column != column] = None
    return list(found)


def _growth(question: Question, whole: _Part, order: Sequence[int]) -> list[Growth]:
    """For all groups that differ only in x, the growth of each measure with x: k, or else length."""
    x = next((name for name in ("k", "length") if name in question.group_by), None)
    if x is None:
        return []
    axis = question.group_by.index(x)
    series: dict[tuple[Any, ...], list[int]] = {}
    for place in order:
        key = whole.keys[place]
        series.setdefault(key[:axis] + key[axis + 1 :], []).append(place)
    return [
        fit(key, measure, x, [(whole.keys[place][axis], place) for place in places], *whole.seen[measure])
        for key, places in series.items()
        for measure in question.measures
        if measure in GROWING
    ]
