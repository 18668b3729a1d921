"""Assignments, submissions and gradings, defined once for HTTP, files and the command line."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, model_validator

from hstar.audits.model.schema import ModelAuditRequest
from hstar.audits.schema import ClaimedValue
from hstar.errors import IDENTIFIER, NAME
from hstar.schema import GOAL_MEANS, GoalIn, K, LabelsIn, Out, Seed, StateIn, Strict
from hstar.verification.schema import SearchLimits

MAX_INSTANCES = 1000
#: random moves of all instances together: they are made again whenever the assignment is read
MAX_SCRAMBLED = 100_000
MAX_ROWS = 20_000

Visibility = Literal["visible", "hidden", "after_due_date"]
#: a student's views: the visible parts, and after the due date also the parts visible then
StudentsView = Literal["visible", "after_due_date"]
ItemKind = Literal[
    "valid", "optimal", "expanded_at_most", "heuristic_admissible", "model_right", "claims_true", "covers_k", "manual"
]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Points = Annotated[float, Field(gt=0, le=10_000)]
Course = Annotated[str, Field(pattern=NAME)]
#: dates are text in JSON
Moment = Annotated[AwareDatetime, Field(strict=False)]


class InstanceIn(Strict):
    """One instance, or scrambles for several k: ``each`` of them, from ``seed`` on."""

    name: Name | None = Field(None, description="left out: made from k and a number")
    alg: str | None = Field(None, description="moves from the solved state")
    state: StateIn | None = None
    k: K | list[K] | None = Field(None, description="number of random moves from the assignment's scramble move set")
    seed: Seed = 1
    each: Annotated[int, Field(ge=1, le=200)] = 1
    visibility: Visibility = "visible"

    @model_validator(mode="after")
    def _one_instance(self) -> InstanceIn:
        given = [name for name in ("alg", "state", "k") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of alg, state and k; found {' and '.join(given) or 'none of them'}")
        if self.k is None and self.each != 1:
            raise ValueError("each is for k only")
        return self


class Criterion(Strict):
    """A part of an item that a person marks."""

    name: Name
    points: Points
    description: Annotated[str, Field(max_length=2000)] | None = None


class RubricItem(Strict):
    """Points for one criterion. An item about instances shares its points equally among them."""

    kind: ItemKind
    points: Points
    name: Name | None = Field(None, description="left out: its kind")
    visibility: Visibility = Field("visible", description="hidden instances are also hidden in a visible item")
    excess: Annotated[int, Field(ge=0)] = Field(
        0, description="optimal: the most moves above the optimum that still give points"
    )
    at_most: Annotated[int, Field(ge=0)] | None = Field(None, description="expanded_at_most: the most nodes expanded")
    radius: Annotated[int, Field(ge=0, le=1000)] = Field(4, description="heuristic_admissible: radius of the audit")
    mirrored: Annotated[float, Field(ge=0, le=1)] = Field(
        0.5, description="model_right: share of the points for a mirror image"
    )
    k: list[K] | None = Field(None, description="covers_k: the k that must have a valid solution", min_length=1)
    criteria: list[Criterion] | None = Field(
        None, description="manual: what a person marks, if not the item as a whole", min_length=1, max_length=50
    )

    @model_validator(mode="after")
    def _fits(self) -> RubricItem:
        needs = {"expanded_at_most": "at_most", "covers_k": "k"}
        for kind, field in needs.items():
            if (self.kind == kind) != (getattr(self, field) is not None):
                raise ValueError(f"{field} is {'needed' if self.kind == kind else 'only'} for {kind}")
        if self.criteria is not None:
            if self.kind != "manual":
                raise ValueError("criteria is only for manual")
            if len({one.name for one in self.criteria}) < len(self.criteria):
                raise ValueError("two criteria have the same name")
            total = sum((Fraction(one.points) for one in self.criteria), Fraction(0))
            if abs(total - Fraction(self.points)) > Fraction(1, 10**6):
                raise ValueError(f"the criteria have {float(total):g} points together, the item {self.points:g}")
        return self


class Late(Strict):
    """The penalty of late submissions."""

    percent_a_day: Annotated[float, Field(ge=0, le=100)] = 10
    days: Annotated[int, Field(ge=0, le=365)] = Field(
        0, description="submissions later than this many days are worth nothing; 0: no such limit"
    )


class TokenBucket(Strict):
    """Prevents guessing by many submissions: each takes a token, and tokens come back with time."""

    tokens: Annotated[int, Field(ge=1, le=1000)] = Field(
        description="the most that a student can have, and the number at the beginning"
    )
    hours_a_token: Annotated[float, Field(gt=0, le=24 * 365)] = Field(description="hours until one comes back")


class AssignmentIn(Strict):
    """Body of ``POST /v1/assignments``: instances and a rubric as data."""

    title: Name
    id: Annotated[str, Field(pattern=IDENTIFIER)] | None = Field(
        None, description="the column's id in Canvas, the tool's in others"
    )
    puzzle: str
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    moves: str | None = Field(None, description="move set of solutions")
    scramble_moves: str | None = Field(None, description="move set of scrambles")
    instances: list[InstanceIn] = Field(default_factory=list, max_length=MAX_INSTANCES)
    own_scrambles: bool = Field(False, description="students may add their own instances")
    heuristic: str | None = Field(None, description="heuristic for judging claimed node counts, if none is submitted")
    limits: SearchLimits = SearchLimits()
    rubric: list[RubricItem] = Field(min_length=1, max_length=50)
    attempts: Annotated[int, Field(ge=1, le=1000)] | None = Field(None, description="null: as many as they like")
    bucket: TokenBucket | None = Field(
        None, description="limits how fast attempts may follow each other; null: no limit"
    )
    due: Moment | None = None
    late: Late = Late()
    counts: Literal["best", "last"] = Field("best", description="which attempt's score counts")
    regrade_requests_until: Moment | None = Field(None, description="null: students may ask at any time")
    submitted: Literal["files", "program"] = Field(
        "files",
        description="files: students hand in solutions, so every instance must be visible; program: an autograder runs "
        "their program on the instances, so some may be hidden",
    )
    course: Course | None = Field(
        None, description="the course whose roster counts; with a key of a course always that course"
    )
    opens: Moment | None = Field(None, description="students neither see nor submit before; null: at once")
    closes: Moment | None = Field(None, description="nothing is accepted after; null: late work is accepted for ever")
    release: Moment | None = Field(None, description="students see scores and reasons from then on; null: at once")
    reasons_from_attempt: Annotated[int, Field(ge=1, le=1000)] = Field(
        1, description="students see reasons and results by instance from this attempt on; before that the points alone"
    )

    @model_validator(mode="after")
    def _in_order(self) -> AssignmentIn:
        if self.opens is not None and self.closes is not None and self.opens >= self.closes:
            raise ValueError("opens must be before closes")
        return self


class SubmissionRow(Strict):
    """One line of a submission."""

    instance: str | None = Field(None, description="its name in the assignment")
    scramble: str | None = Field(None, description="the instance as moves from solved")
    state: StateIn | None = Field(None, description="the instance as a state")
    solution: str
    length: Annotated[int, Field(ge=0)] | None = None
    nodes: Annotated[int, Field(ge=0)] | None = Field(None, description="nodes expanded")
    generated: Annotated[int, Field(ge=0)] | None = None
    optimal: bool | None = None
    heuristic: float | None = Field(None, description="h of the instance")


class Submission(Strict):
    """A student's whole submission, read from any format."""

    student: Annotated[str, Field(max_length=200)] | None = Field(None, description="their id")
    name: Annotated[str, Field(max_length=200)] | None = None
    email: Annotated[str, Field(max_length=200)] | None = None
    labels: LabelsIn | None = None
    notation: str | None = None
    heuristic: str | None = Field(None, description="their heuristic as an expression")
    values: list[ClaimedValue] | None = Field(None, description="or its values, printed by the student's program")
    model: ModelAuditRequest | None = None
    results: list[SubmissionRow] = Field(default_factory=list, max_length=MAX_ROWS)


class ReadFault(Out):
    """A part of a submission that could not be read; the rest is graded."""

    where: str
    message: str


class Overestimate(Out):
    """A state on which the submitted heuristic is above the true distance."""

    heuristic: str = Field(description="the submitted expression")
    alg: list[str] = Field(description="moves from solved to the state")


class Deduction(Out):
    """Points that were not given, the reason, and a command that shows it."""

    points: float
    reason: str
    command: str | None = None
    instance: str | None = None
    row: int | None = Field(None, description="line of the submission, from 1")
    overestimate: Overestimate | None = Field(None, description="what to put on a board to see it")


class Part(Out):
    """The points of one item of the rubric, for its instances of one visibility."""

    number: str
    name: str
    kind: ItemKind
    visibility: Visibility
    score: float
    max_score: float
    passed: bool
    notes: list[str] = Field(default_factory=list, description="remarks, such as a recognised convention")
    deductions: list[Deduction] = Field(default_factory=list)


class Graded(Out):
    """The result for one instance."""

    instance: str
    k: int | None
    visibility: Visibility
    row: int | None = Field(description="the line that was graded, counted from 1; null: none")
    valid: bool
    length: int | None
    optimal_length: int | None
    expanded: int | None = Field(description="nodes expanded, as claimed")
    solution: str | None = Field(None, description="fingerprint of the solution: equal for equal moves; null: no line")
    own: bool = Field(False, description="the student's own, named by its scramble")


class Counting(Out):
    """The convention that explains most node counts of a submission, found on its visible instances."""

    convention: str
    explained: int = Field(description="counts that it explains")
    of: int = Field(description="counts that any documented convention explains")


class StudentsPart(Out):
    """What students see instead of the instructor's view: as if hidden parts did not exist."""

    version: str = Field(description="version of the student's copy of the assignment")
    ignored: list[str]


class Grading(Out):
    """A submission's score. The same submission and version of the assignment give the same bytes."""

    assignment: str
    version: str = Field(description="version of the assignment: changes only with its instances, limits and rubric")
    student: str | None
    name: str | None
    email: str | None
    submission: str = Field(description="fingerprint of the submitted file")
    named_in_file: str | None = Field(None, description="somebody else whose id or name is in the file")
    score: float
    max_score: float
    parts: list[Part]
    graded: list[Graded]
    counting: Counting | None = Field(None, description="null: no count fits a documented convention")
    faults: list[ReadFault] = Field(default_factory=list)
    ignored: list[str] = Field(default_factory=list, description="lines that were not graded, and why")
    students: dict[StudentsView, StudentsPart] = Field(
        default_factory=dict,
        description="the student's view, before and after the due date; not in the student's own view",
    )
