"""A class on an assignment: by item, by instance, and which submissions are nearly the same.

Each figure is the answer to a query of `hstar.grading.results`, and names it, so that one can see who is behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from pydantic import Field

from hstar.grading.results import Result, ResultQuery, Results, ask, results
from hstar.grading.schema import Grading
from hstar.grading.submissions import Read
from hstar.schema import Out

#: two submissions are shown from this share of equal lines on
SIMILAR = 0.8
#: and from so many lines on
SIMILAR_LINES = 3


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
    same_counts: int = Field(description="of these, with the same number of nodes")
    shared_by_no_other: int = Field(description="equal lines that no third student has")


class ClassStatistics(_Figures):
    """A class on one assignment."""

    students: int
    mean: float | None
    median: float | None
    items: list[ItemStatistics]
    instances: list[InstanceStatistics] = Field(description="hardest first: fewest valid, then fewest optimal")
    hardest: str | None = Field(None, description="the instance with the fewest valid solutions; null: all had as many")
    similar: list[Similar]


class _Class:
    """The rows of a class, and the queries that were made of them."""

    def __init__(self, gradings: Sequence[Grading], base: str | None) -> None:
        self.rows = results(gradings)
        self.base = base
        self._by_name: dict[tuple[str | None, str | None], list[Result]] = {}
        for row in [*self.rows["items"], *self.rows["instances"]]:
            self._by_name.setdefault((row.item, row.instance), []).append(row)

    def ask(self, query: ResultQuery) -> Results:
        # Only the rows that can fit: a class may have a thousand instances.
        rows = self.rows["students"] if query.of == "students" else self._by_name[query.item, query.instance]
        return ask({query.of: rows}, query)

    def paths(self, **queries: ResultQuery) -> dict[str, str]:
        return {} if self.base is None else {name: query.path(self.base) for name, query in queries.items()}


def statistics(gradings: Sequence[Grading], reads: Sequence[Read] = (), base: str | None = None) -> ClassStatistics:
    """The class, by item and by instance.

    :param gradings: one for each student
    :param reads: their submissions in the same order, for those that are nearly the same
    :param base: address of the assignment, below which figures have their queries; None: there is no server
    """
    asked = _Class(gradings, base)
    everybody = ResultQuery(of="students")
    whole = asked.ask(everybody)
    items = _first_of_each(asked.rows["items"], "item")
    instances = [_instance(asked, row) for row in _first_of_each(asked.rows["instances"], "instance")]
    instances.sort(key=lambda found: (found.valid, found.optimal))
    return ClassStatistics(
        students=whole.count,
        mean=whole.mean,
        median=whole.median,
        items=[_item(asked, row) for row in items],
        instances=instances,
        hardest=_hardest(instances),
        similar=_similar(asked, gradings, reads),
        queries=asked.paths(students=everybody, mean=everybody, median=everybody),
    )


def _hardest(instances: Sequence[InstanceStatistics]) -> str | None:
    """The first of the sorted ones, unless all were equally hard."""
    easiest = max(((found.valid, found.optimal) for found in instances), default=(0, 0))
    first = next(iter(instances), None)
    return None if first is None or (first.valid, first.optimal) == easiest else first.instance


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


Line = tuple[str, int | None]


def _similar(asked: _Class, gradings: Sequence[Grading], reads: Sequence[Read]) -> list[Similar]:
    """Pairs of students with nearly the same lines. Short instances have few shortest solutions, so equal lines count
    most where no third student has them."""
    lines = [_lines(grading, read) for grading, read in zip(gradings, reads, strict=False)]
    shared = Counter((instance, line) for found in lines for instance, line in found.items())
    pairs = []
    for (a, first), (b, second) in combinations(enumerate(lines), 2):
        both = first.keys() & second.keys()
        if len(both) < SIMILAR_LINES:
            continue
        solutions = [instance for instance in both if first[instance][0] == second[instance][0]]
        counts = [i for i in solutions if first[i][1] is not None and first[i][1] == second[i][1]]
        alone = sum(shared[i, first[i]] == 2 for i in counts)
        if len(counts) >= SIMILAR * len(both) and alone:
            who = _who(gradings[a]), _who(gradings[b])
            one, other = (ResultQuery(of="instances", student=student, submitted=True) for student in who)
            pairs.append(
                Similar(
                    students=who,
                    lines=len(both),
                    same_solutions=len(solutions),
                    same_counts=len(counts),
                    shared_by_no_other=alone,
                    queries=asked.paths(first=one, second=other),
                )
            )
    return sorted(pairs, key=lambda pair: (-pair.shared_by_no_other, pair.students))


def _who(grading: Grading) -> str:
    return grading.student or grading.name or grading.submission


def _lines(grading: Grading, read: Read) -> dict[str, Line]:
    rows = dict(read.rows)
    graded: Iterable[tuple[str, int]] = ((g.instance, g.row) for g in grading.graded if g.row is not None)
    return {name: (" ".join(rows[row].solution.split()), rows[row].nodes) for name, row in graded if row in rows}
