"""What a class reached, as flat rows that can be asked for: every figure of its statistics answers a query here.

>>> ask(results(gradings), ResultQuery(of="instances", instance="k = 5, 1", valid=True)).count     # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import mean, median
from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field

from hstar.grading.schema import Grading
from hstar.schema import Out

Text = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]


class ResultQuery(BaseModel):
    """Which rows: those that fit every parameter that is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: Literal["students", "items", "instances"] = Field("students", description="a row for each student and ...")
    student: Text | None = None
    item: Text | None = Field(None, description="of the rubric, by its name")
    instance: Text | None = None
    k: Annotated[int, Field(ge=0)] | None = None
    reached: Literal["all", "some", "none"] | None = Field(None, description="of the points")
    submitted: bool | None = Field(None, description="instances: whether there is a line for it")
    valid: bool | None = Field(None, description="instances: whether its solution is valid")
    optimal: bool | None = Field(None, description="instances: whether it is as short as can be")

    def path(self, base: str) -> str:
        """The query as a path below ``base``, the address of an assignment."""
        asked = self.model_dump(exclude_none=True)
        texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in asked.items()}
        return f"{base}/results?{urlencode(texts)}"


class Result(Out):
    """What a student reached: on the whole, for an item of the rubric, or on an instance."""

    student: str
    submission: str = Field(description="fingerprint of what was handed in")
    item: str | None = None
    instance: str | None = None
    k: int | None = None
    score: float | None = None
    max_score: float | None = None
    submitted: bool | None = None
    valid: bool | None = None
    optimal: bool | None = None
    length: int | None = None
    optimal_length: int | None = None
    expanded: int | None = None

    @property
    def reached(self) -> str | None:
        """Which part of the points."""
        if self.score is None or self.max_score is None:
            return None
        return "all" if abs(self.score - self.max_score) < 1e-5 else "none" if self.score == 0 else "some"


class Results(Out):
    """The rows of a query, how many there are, and the mean and median of their points."""

    count: int
    mean: float | None = Field(description="of the scores; null: the rows have none, or there are no rows")
    median: float | None
    items: list[Result]


def results(gradings: Sequence[Grading]) -> dict[str, list[Result]]:
    """All rows of a class, by what they are of; one grading for each student."""
    return {
        "students": [_row(grading, score=grading.score, max_score=grading.max_score) for grading in gradings],
        "items": [row for grading in gradings for row in _items(grading)],
        "instances": [row for grading in gradings for row in _instances(grading)],
    }


def ask(rows: dict[str, list[Result]], query: ResultQuery) -> Results:
    """The rows that fit a query."""
    wanted = query.model_dump(exclude={"of"}, exclude_none=True)
    found = [row for row in rows[query.of] if all(getattr(row, name) == value for name, value in wanted.items())]
    scores = [row.score for row in found if row.score is not None]
    return Results(
        count=len(found),
        mean=round(mean(scores), 6) if scores else None,
        median=round(median(scores), 6) if scores else None,
        items=found,
    )


def _items(grading: Grading) -> Iterator[Result]:
    points: dict[str, tuple[Fraction, Fraction]] = {}
    for part in grading.parts:  # an item has a part for each visibility
        score, most = points.get(part.name, (Fraction(0), Fraction(0)))
        points[part.name] = score + Fraction(part.score), most + Fraction(part.max_score)
    for name, (score, most) in points.items():
        yield _row(grading, item=name, score=round(float(score), 6), max_score=round(float(most), 6))


def _instances(grading: Grading) -> Iterator[Result]:
    for found in grading.graded:
        optimal = found.valid and found.length == found.optimal_length
        yield _row(
            grading, instance=found.instance, k=found.k, submitted=found.row is not None, valid=found.valid,
            optimal=optimal, length=found.length, optimal_length=found.optimal_length, expanded=found.expanded,
        )  # fmt: skip


def _row(grading: Grading, **fields: object) -> Result:
    who = grading.student or grading.name or grading.submission
    return Result.model_validate({"student": who, "submission": grading.submission, **fields})
