"""The results of a class as flat rows for queries: every figure of the statistics is the answer to a query here.

>>> ask(Rows(gradings), ResultQuery(of="instances", instance="k = 5, 1", valid=True)).count     # doctest: +SKIP
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from statistics import mean, median
from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hstar.errors import TEXT
from hstar.grading.records import exact
from hstar.grading.schema import Grading
from hstar.grading.similar import Line, Same, pairs, shared
from hstar.schema import Out

Text = Annotated[str, Field(max_length=200, pattern=TEXT)]
Of = Literal["students", "items", "instances", "similar"]


class ResultQuery(BaseModel):
    """A query: the rows that match every given parameter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: Of = Field("students", description="a row for each student and ...; similar: for each pair of students")
    student: Text | None = None
    item: Text | None = Field(None, description="item of the rubric, by its name")
    instance: Text | None = None
    k: Annotated[int, Field(ge=0)] | None = None
    reached: Literal["all", "some", "none"] | None = Field(None, description="share of the points")
    submitted: bool | None = Field(None, description="instances: whether there is a line for it")
    valid: bool | None = Field(None, description="instances: whether its solution is valid")
    optimal: bool | None = Field(None, description="instances: whether it is a shortest solution")
    own: bool | None = Field(None, description="instances: whether it is the student's own")
    hardest: bool | None = Field(None, description="instances: whether it is the hardest one of the assignment")
    other: Text | None = Field(
        None, description="with student: instances that both submitted; the rows are the student's"
    )
    same: Same | None = Field(
        None,
        description="with other: the same solution; the same count too; or only_theirs, which no third student has",
    )

    @model_validator(mode="after")
    def _fits(self) -> ResultQuery:
        if self.other is not None and (self.student is None or self.of not in ("instances", "similar")):
            raise ValueError("other is for instances and similar, together with student")
        if self.same is not None and (self.other is None or self.of != "instances"):
            raise ValueError("same is for instances, together with other")
        if self.hardest is not None and self.of != "instances":
            raise ValueError("hardest is for instances")
        return self

    def path(self, base: str) -> str:
        """The query as a path below ``base``, the address of an assignment."""
        asked = self.model_dump(exclude_none=True)
        texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in asked.items()}
        return f"{base}/results?{urlencode(texts)}"


class Result(Out):
    """A result of a student: in total, for an item of the rubric, or on an instance; or two students compared."""

    student: str
    submission: str = Field(description="fingerprint of the submitted file")
    item: str | None = None
    instance: str | None = None
    k: int | None = None
    own: bool | None = None
    score: float | None = None
    max_score: float | None = None
    submitted: bool | None = None
    valid: bool | None = None
    optimal: bool | None = None
    length: int | None = None
    optimal_length: int | None = None
    expanded: int | None = None
    solution: str | None = Field(None, description="fingerprint: equal for equal moves")
    other: str | None = None
    lines: int | None = None
    same_solutions: int | None = None
    same_counts: int | None = None
    shared_by_no_other: int | None = None

    @property
    def reached(self) -> str | None:
        """The share of the points."""
        if self.score is None or self.max_score is None:
            return None
        return "all" if abs(self.score - self.max_score) < 1e-5 else "none" if self.score == 0 else "some"


class ScoreSummary(Out):
    """Scores in short, to six digits."""

    mean: float
    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> ScoreSummary | None:
        """None if there are none."""
        if not scores:
            return None
        found = {"mean": mean(scores), "median": median(scores), "least": min(scores), "greatest": max(scores)}
        return cls(**{name: round(value, 6) for name, value in found.items()})


class Results(Out):
    """The rows of a query, their number, and the mean and median of their scores."""

    count: int
    mean: float | None = Field(description="mean of the scores; null if the rows have none, or there are no rows")
    median: float | None
    items: list[Result]


class Rows:
    """All rows of a class by kind, from one grading for each student."""

    def __init__(self, gradings: Sequence[Grading]) -> None:
        named: Counter[str] = Counter()
        self._gradings = []
        for grading in gradings:
            who = grading.student or grading.name or grading.submission
            named[who] += 1
            self._gradings.append((who if named[who] == 1 else f"{who} ({named[who]})", grading))

    @cached_property
    def students(self) -> list[Result]:
        return [_row(who, grading, score=grading.score, max_score=grading.max_score) for who, grading in self._gradings]

    @cached_property
    def items(self) -> list[Result]:
        return [row for who, grading in self._gradings for row in _items(who, grading)]

    @cached_property
    def instances(self) -> list[Result]:
        return [row for who, grading in self._gradings for row in _instances(who, grading)]

    @cached_property
    def similar(self) -> list[Result]:
        submissions = {row.student: row.submission for row in self.students}
        return [Result(submission=submissions[p.student], **p._asdict()) for p in pairs(self.lines)]

    @cached_property
    def lines(self) -> dict[str, dict[str, Line]]:
        """The submitted lines of each student."""
        found: dict[str, dict[str, Line]] = {}
        for row in self.instances:
            mine = found.setdefault(row.student, {})
            if row.solution is not None and row.instance is not None:
                mine[row.instance] = row.solution, row.expanded
        return found


def ask(rows: Rows, query: ResultQuery, among: Sequence[Result] | None = None) -> Results:
    """The rows that match a query.

    :param among: all rows that can match, if known
    """
    wanted = query.model_dump(exclude={"of", "hardest", "other", "same"}, exclude_none=True)
    asked: Sequence[Result] = getattr(rows, query.of) if among is None else among
    if query.of == "similar":
        who = {wanted.pop("student", None), query.other} - {None}
        asked = [row for row in asked if who <= {row.student, row.other}]
    found = [row for row in asked if all(getattr(row, name) == value for name, value in wanted.items())]
    if query.hardest is not None:
        name = hardest(rows.instances)
        found = [row for row in found if (row.instance == name) is query.hardest]
    if query.of == "instances" and query.other is not None:
        both = shared(rows.lines, query.student or "", query.other, query.same)
        found = [row for row in found if row.instance in both]
    scores = ScoreSummary.of([row.score for row in found if row.score is not None])
    return Results(
        count=len(found),
        mean=None if scores is None else scores.mean,
        median=None if scores is None else scores.median,
        items=found,
    )


def hardest(instances: Sequence[Result]) -> str | None:
    """The instance with the fewest valid, then the fewest shortest solutions; None if all are equal."""
    valid: Counter[str] = Counter()
    optimal: Counter[str] = Counter()
    for row in instances:
        if not row.own and row.instance is not None:
            valid[row.instance] += bool(row.valid)
            optimal[row.instance] += bool(row.optimal)
    solved = {name: (valid[name], optimal[name]) for name in valid}
    if len(set(solved.values())) < 2:
        return None
    return min(solved, key=lambda name: solved[name])


def _items(who: str, grading: Grading) -> Iterator[Result]:
    points: dict[str, tuple[Fraction, Fraction]] = {}
    for part in grading.parts:  # an item has a part for each visibility
        score, most = points.get(part.name, (Fraction(0), Fraction(0)))
        points[part.name] = score + exact(part.score), most + exact(part.max_score)
    for name, (score, most) in points.items():
        yield _row(who, grading, item=name, score=float(score), max_score=float(most))


def _instances(who: str, grading: Grading) -> Iterator[Result]:
    for found in grading.graded:
        optimal = found.valid and found.length == found.optimal_length
        yield _row(
            who, grading, instance=found.instance, k=found.k, own=found.own, submitted=found.row is not None,
            valid=found.valid, optimal=optimal, length=found.length, optimal_length=found.optimal_length,
            expanded=found.expanded, solution=found.solution,
        )  # fmt: skip


def _row(who: str, grading: Grading, **fields: object) -> Result:
    return Result.model_validate({"student": who, "submission": grading.submission, **fields})
