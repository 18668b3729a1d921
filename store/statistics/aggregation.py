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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Row,
    Select,
    String,
    Table,
    and_,
    case,
    func,
    literal,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session

from hstar.experiments.grouped import NUMBER, Grouped, kept_as
from hstar.experiments.observations import KIND, needed
from hstar.experiments.quality import excess_of, solutions
from hstar.experiments.rows import true_distances
from hstar.experiments.schema import Excess, Fit, Outcomes, Summary
from store.database import take_snapshot
from store.database.options import OPTION_COLUMNS
from store.ids import least_id
from store.jobs.models import Job
from store.jobs.states import State
from store.owners.principal import Principal, visible_to
from store.solves.models import Solve, SolveTag
from store.solves.status import DONE, OUTCOMES, PENDING, Status
from store.statistics.columns import by_name, select_from
from store.statistics.models import Rollup
from store.statistics.rollup import uncounted

#: dimensions for grouping and filtering, besides tags
DIMENSIONS = (
    "owner", "puzzle", "goal", "moves", "scramble_moves", "algorithm", "heuristic", *OPTION_COLUMNS, "k", "length",
    "status", "outcome",
)  # fmt: skip
TAG_PREFIX = "tag:"
#: the default measures
USUAL_MEASURES = (
    "expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes", "length", "feasible_length",
    "branching_generated", "branching_effective",
)  # fmt: skip
#: an answer with more groups than this is refused
MAX_GROUPS = 10_000

#: up to so many ended solves, the rows themselves are read
EXACT_ROWS = 10_000

#: uncounted solves are read in pieces of this size
UNCOUNTED_AT_ONCE = 2000

#: an instance: what it is, its solving moves, and its scramble
_INSTANCE = ("puzzle", "goal", "moves", "scramble_moves", "k", "seed")

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
    def endings(self) -> tuple[Status, ...]:
        """The statuses and outcomes that match."""
        statuses, outcomes = self.where.get("status", tuple(State)), self.where.get("outcome", tuple(Status))
        return tuple(one for one in Status if one.state in statuses and one in outcomes)

    @property
    def final(self) -> tuple[Status, ...]:
        """Those of them with which a solve can end."""
        return tuple(one for one in self.endings if one in OUTCOMES)


@dataclass(frozen=True, slots=True)
class Group:
    """The solves with the same values of ``group_by``, in that order; None: a missing value."""

    values: tuple[Any, ...]
    outcomes: Outcomes
    measures: Mapping[str, Summary]


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of a measure with x: k, or else length, for the groups that share ``series``."""

    series: tuple[Any, ...]
    measure: str
    x: str
    fit: Fit


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The answer. ``solves``: ended ones; ``exact``: quantiles are exact, too. Groups are sorted, None last."""

    solves: int
    exact: bool
    groups: list[Group]
    growth: list[Growth]


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
    order = sorted(range(len(whole.keys)), key=lambda place: [(value is None, value) for value in whole.keys[place]])
    outcomes, summaries = whole.outcomes(), {measure: whole.summaries(measure) for measure in question.measures}
    groups = [
        Group(whole.keys[place], outcomes[place], {name: found[place] for name, found in summaries.items()})
        for place in order
    ]
    x = next((name for name in ("k", "length") if name in question.group_by), None)
    growth = [] if x is None else whole.growth(question.group_by.index(x), order)
    return Aggregate(
        whole.ended, whole.exact, groups, [Growth(series, measure, x or "", fit) for series, measure, fit in growth]
    )


def _where(table: Table, question: Question) -> list[ColumnElement[bool]]:
    """The conditions that hold for solves and the rollup alike, except the outcome."""
    found: list[ColumnElement[bool]] = [visible_to(question.principal, table.c.owner)]
    for name, values in question.where.items():
        if name not in ("status", "outcome"):
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
    table: Table, question: Question, ending: ColumnElement[Any]
) -> tuple[list[ColumnElement[Any]], FromClause]:
    """The columns to group by, and their tables; ``ending``: the column of the outcome or state."""
    found: list[ColumnElement[Any]] = []
    source: FromClause = table
    for number, name in enumerate(question.group_by):
        if name in ("status", "outcome"):
            # Without parameters, because it is grouped by.
            told = type_coerce(ending, String)
            done = told.in_([literal_column(f"'{one}'") for one in sorted(DONE)])
            shown = case((done, literal_column("'done'")), else_=told) if name == "status" else case((done, told))
            found.append(shown.label(f"by_{number}"))
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


def _pending(session: Session, question: Question) -> Grouped:
    """The number of solves that have not ended."""
    wanted = [one for one in question.endings if one in PENDING]
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
    none = dict.fromkeys(("algorithm", "optimality", *map(kept_as, question.measures)), [None] * len(rows))
    columns = none | by_name(("ending", NUMBER), rows, len(by))
    return Grouped.of_cells(columns, [tuple(row[: len(by)]) for row in rows], question.measures)


def _read(session: Session, question: Question, size: int) -> Grouped:
    """The rows of ended solves, ``size`` at a time."""
    rows = _rows(question).order_by(_solves.c.id).limit(size)
    piece = session.execute(rows).all()
    whole = _of_rows(question, piece)
    while len(piece) == size:
        piece = session.execute(rows.where(_solves.c.id > piece[-1][0])).all()
        whole = _together([whole, _of_rows(question, piece)])
    return whole


def _read_uncounted(session: Session, question: Question) -> Grouped:
    """Ended solves that are not in the rollup: few, as long as a sweeper runs."""
    whole = _of_rows(question, [])
    ids = uncounted(session, UNCOUNTED_AT_ONCE)
    while ids:
        piece = session.execute(_rows(question).where(_solves.c.id.in_(ids)).order_by(_solves.c.id)).all()
        whole = _together([whole, _of_rows(question, piece)])
        ids = uncounted(session, UNCOUNTED_AT_ONCE, after=ids[-1]) if len(ids) == UNCOUNTED_AT_ONCE else []
    return whole


def _rows(question: Question) -> Select[Any]:
    by, tables = grouped_by(_solves, question, _solves.c.outcome)
    rows: Select[Any] = select(_solves.c.id, *by, *select_from(_solves, needed(question.measures)))
    return rows.select_from(tables).where(_solves.c.outcome.in_(question.final), *where_solves(question))


def _of_rows(question: Question, rows: Sequence[Row[Any]]) -> Grouped:
    width = 1 + len(question.group_by)
    columns = by_name(needed(question.measures), rows, width)
    return Grouped.of(columns, [tuple(row[1:width]) for row in rows], question.measures)


def _counted(session: Session, question: Question) -> Grouped:
    """Ended solves that are in the rollup."""
    by, source = grouped_by(_rollup, question, _rollup.c.outcome)
    names = (*KIND, NUMBER, *map(kept_as, question.measures))
    rows = session.execute(
        select(*by, *select_from(_rollup, names))
        .select_from(source)
        .where(
            _rollup.c.by_length == _layer(question), _rollup.c.outcome.in_(question.final), *_where(_rollup, question)
        )
    ).all()
    return Grouped.of_cells(by_name(names, rows, len(by)), [tuple(row[: len(by)]) for row in rows], question.measures)


def _together(parts: Sequence[Grouped]) -> Grouped:
    """One with all groups. Raises `TooManyGroups`."""
    if len({key for part in parts for key in part.keys}) > MAX_GROUPS:
        raise TooManyGroups
    return Grouped.together(parts)


def excesses(session: Session, question: Question, most: int) -> Mapping[tuple[Any, ...], Excess] | None:
    """How many of the solutions in each group are as short as the true distance, where any solve that matches proves
    it; by the group's values, and None if more than ``most`` solves match, because all of them are read.

    Instances are compared by their scrambles; a solve of another start can only prove its own solution.
    """
    by, source = grouped_by(_solves, question, _solves.c.outcome)
    names = ("id", *_INSTANCE, "length", "optimality", "lower_bound")
    rows = session.execute(
        select(*by, *select_from(_solves, names))
        .select_from(source)
        .where(_solves.c.outcome.in_(question.final), *where_solves(question))
        .limit(most + 1)
    ).all()
    if len(rows) > most:
        return None
    columns = by_name(names, rows, len(by))
    instances = [
        own if instance[-1] is None else tuple(instance)
        for own, *instance in zip(*(columns[name] for name in ("id", *_INSTANCE)), strict=True)
    ]
    lengths = columns["length"]
    distances = true_distances(instances, lengths, columns["optimality"], columns["lower_bound"], refuse=False)
    groups = [tuple(row[: len(by)]) for row in rows]
    return {group: excess_of(pairs) for group, pairs in solutions(groups, lengths, distances).items()}
