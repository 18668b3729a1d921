"""Statistics of a class on an assignment: by item, by instance, and submissions that are nearly the same.

Each figure is the answer to a query of `hstar.grading.results`, and names that query, which lists the students behind
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from pydantic import Field

from hstar.grading.results import Result, ResultQuery, Results, Rows, ask, hardest
from hstar.grading.schema import Grading
from hstar.grading.similar import Same
from hstar.schema import Out

#: counts of fewer students would tell who reported what
LEAST_STUDENTS = 5
SHOWN = (0.1, 0.25, 0.5, 0.75, 0.9)


class _Figures(Out):
    queries: dict[str, str] = Field(default_factory=dict, description="for each figure, the query that made it")


class ItemStatistics(_Figures):
    """One item of the rubric over a class."""

    item: str
    max_score: float
    mean: float
    median: float
    full: int = Field(description="students with all points")
    none: int = Field(description="students with no points")


class InstanceStatistics(_Figures):
    """One instance over a class."""

    instance: str
    k: int | None
    submitted: int
    valid: int
    optimal: int


class Similar(_Figures):
    """Two submissions whose lines are nearly the same. A hint for a person, not a verdict."""

    students: tuple[str, str]
    lines: int = Field(description="instances that both have")
    same_solutions: int
    same_counts: int = Field(description="equal lines with the same number of nodes")
    shared_by_no_other: int = Field(description="equal lines that no third student has")


class ClassStatistics(_Figures):
    """A class on one assignment."""

    students: int
    mean: float | None
    median: float | None
    items: list[ItemStatistics]
    instances: list[InstanceStatistics] = Field(
        description="instances of the assignment, hardest first: fewest valid, then fewest optimal"
    )
    hardest: str | None = Field(None, description="the hardest instance; null if all are equal")
    similar: list[Similar]


class ClassCounts(Out):
    """The numbers of expanded nodes that a class reports for an instance, without names."""

    instance: str
    students: int = Field(description="who reported a number, in the attempt that counts")
    expanded: dict[str, float] | None = Field(
        description="the quantiles 0.1, 0.25, 0.5, 0.75 and 0.9 of these numbers; null: fewer than five students, or a "
        "student asks whose own attempt that counts has no number for the instance"
    )


class _Class:
    """The rows of a class, and the queries on them."""

    def __init__(self, gradings: Sequence[Grading], base: str | None) -> None:
        self.rows = Rows(gradings)
        self.base = base
        self._by_name: dict[tuple[str | None, str | None], list[Result]] = {}
        for row in [*self.rows.items, *self.rows.instances]:
            self._by_name.setdefault((row.item, row.instance), []).append(row)

    def ask(self, query: ResultQuery) -> Results:
        # Only the rows that can match: a class may have a thousand instances.
        named = query.item is not None or query.instance is not None
        return ask(self.rows, query, self._by_name[query.item, query.instance] if named else None)

    def paths(self, **queries: ResultQuery) -> dict[str, str]:
        return {} if self.base is None else {name: query.path(self.base) for name, query in queries.items()}


def statistics(gradings: Sequence[Grading], base: str | None = None) -> ClassStatistics:
    """The statistics of a class, by item and by instance of the assignment.

    :param gradings: one for each student
    :param base: the address of the assignment, for the queries of the figures; None without a server
    """
    asked = _Class(gradings, base)
    everybody = ResultQuery(of="students")
    whole = asked.ask(everybody)
    items = _first_of_each(asked.rows.items, "item")
    common = _first_of_each((row for row in asked.rows.instances if not row.own), "instance")
    instances = [_instance(asked, row) for row in common]
    instances.sort(key=lambda found: (found.valid, found.optimal))
    return ClassStatistics(
        students=whole.count,
        mean=whole.mean,
        median=whole.median,
        items=[_item(asked, row) for row in items],
        instances=instances,
        hardest=hardest(asked.rows.instances),
        similar=[_similar(asked, row) for row in asked.ask(ResultQuery(of="similar")).items],
        queries=asked.paths(
            students=everybody, mean=everybody, median=everybody, similar=ResultQuery(of="similar"),
            hardest=ResultQuery(of="instances", hardest=True),
        ),
    )  # fmt: skip


def class_counts(gradings: Sequence[Grading], instance: str) -> ClassCounts:
    """What a class reports for an instance; of fewer than `LEAST_STUDENTS` only how many they are."""
    lines = (found for grading in gradings for found in grading.graded if found.instance == instance)
    reported = [found.expanded for found in lines if found.expanded is not None]
    quantiles = None
    if len(reported) >= LEAST_STUDENTS:
        values = np.quantile(reported, SHOWN)
        quantiles = {f"{q:g}": round(float(value), 6) for q, value in zip(SHOWN, values, strict=True)}
    return ClassCounts(instance=instance, students=len(reported), expanded=quantiles)


def _first_of_each(rows: Iterable[Result], field: str) -> list[Result]:
    found: dict[object, Result] = {}
    for row in rows:
        found.setdefault(getattr(row, field), row)
    return list(found.values())


def _item(asked: _Class, row: Result) -> ItemStatistics:
    every = ResultQuery(of="items", item=row.item)
    full, none = (every.model_copy(update={"reached": reached}) for reached in ("all", "none"))
    points = asked.ask(every)
    return ItemStatistics(
        item=row.item or "",
        max_score=row.max_score or 0,
        mean=points.mean or 0,
        median=points.median or 0,
        full=asked.ask(full).count,
        none=asked.ask(none).count,
        queries=asked.paths(mean=every, median=every, full=full, none=none),
    )


def _instance(asked: _Class, row: Result) -> InstanceStatistics:
    queries = {
        name: ResultQuery.model_validate({"of": "instances", "instance": row.instance, name: True})
        for name in ("submitted", "valid", "optimal")
    }
    counts = {name: asked.ask(query).count for name, query in queries.items()}
    return InstanceStatistics(instance=row.instance or "", k=row.k, queries=asked.paths(**queries), **counts)


def _similar(asked: _Class, row: Result) -> Similar:
    pair = row.student, row.other or ""
    both = ResultQuery(of="instances", student=pair[0], other=pair[1])
    one, other = (ResultQuery(of="instances", student=student, submitted=True) for student in pair)
    kinds: dict[str, Same] = {"same_solutions": "solution", "same_counts": "count", "shared_by_no_other": "only_theirs"}
    queries = {figure: both.model_copy(update={"same": same}) for figure, same in kinds.items()}
    figures = row.model_dump(include={"lines", *kinds})
    paths = asked.paths(lines=both, **queries, first=one, second=other)
    return Similar.model_validate({"students": pair, **figures, "queries": paths})
