"""The request and the answer of an audit of a heuristic, for HTTP and the command line."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hstar.schema import GOAL_MEANS, GoalIn, LabelsIn, Out, StateIn, Strict

#: the verdict on a heuristic: proven on the whole space or by bounds, refuted by a counterexample, or neither
AuditVerdict = Literal["proven", "refuted", "unrefuted"]
MAX_RADIUS = 1000
MAX_VALUES = 20_000


class AuditLimits(Strict):
    """Limits in states, never in seconds: the same verdict on every machine."""

    states: Annotated[int, Field(ge=1, le=2**40)] = Field(20_000_000, description="states looked at")
    memory_mib: Annotated[int, Field(ge=1, le=2**20)] = Field(1024, description="memory for the states")


class ClaimedValue(Strict):
    """One line that a student's program printed: an instance, and its h there."""

    alg: str | None = Field(None, description="the instance as moves from the solved state")
    state: StateIn | None = Field(None, description="the instance as a state")
    h: Annotated[float, Field(ge=-1e9, le=1e9)]

    @model_validator(mode="after")
    def _one_instance(self) -> ClaimedValue:
        if (self.alg is None) == (self.state is None):
            raise ValueError("give exactly one of alg and state")
        return self


class HeuristicAuditRequest(Strict):
    """Body of ``POST /v1/audits/heuristic``: a named one, an expression, or printed values."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    moves: str | None = Field(None, description="move set; h* depends on it")
    heuristic: str | None = Field(None, description="a name from /v1/heuristics or an expression over features")
    values: list[ClaimedValue] | None = Field(
        None, description="instead: values of a heuristic of the student's own", min_length=1, max_length=MAX_VALUES
    )
    labels: LabelsIn | None = Field(None, description="the student's names for the faces, used in the values")
    radius: Annotated[int, Field(ge=0, le=MAX_RADIUS)] = Field(4, description="distance from the goal to look at")
    dominates: str | None = Field(None, description="another heuristic, to be compared state by state")
    limits: AuditLimits = AuditLimits()

    @model_validator(mode="after")
    def _one_heuristic(self) -> HeuristicAuditRequest:
        if (self.heuristic is None) == (self.values is None):
            raise ValueError("give exactly one of heuristic and values")
        if self.values is not None and self.dominates is not None:
            raise ValueError("values cannot be compared with another heuristic; leave dominates out")
        return self


class Distance(Out):
    """All states at one true distance from the goal."""

    distance: int
    states: int
    inadmissible: int = Field(description="states with h above the distance")
    inconsistent: int = Field(description="states with a move that lowers h by more than it costs, 1 mostly")
    largest_excess: float = Field(description="the largest h - distance; 0 if h is never above it")
    mean_ratio: float | None = Field(description="mean of h / distance; null at the goal")


class AuditCounterexample(Out):
    """A nearest state on which h is above the distance, in the student's names if there are any."""

    alg: list[str] | None = Field(description="moves from the solved state; null if only the state was given")
    h: float
    distance: int
    solution: list[str] | None = Field(None, description="moves that solve it, which cost its distance")
    row: int | None = Field(None, description="for printed values: the number of the row, from 1")


class AuditInconsistency(Out):
    """A nearest state with a move that lowers h by more than it costs, 1 mostly."""

    alg: list[str] | None = Field(description="moves from the solved state")
    move: str
    h: float
    h_after: float


class Dominance(Out):
    """Two heuristics compared on every state that was looked at."""

    other: str = Field(description="expression of the other heuristic")
    larger: int = Field(description="states on which the audited heuristic is larger")
    equal: int
    smaller: int
    dominates: bool = Field(description="it is nowhere smaller, on the states that were looked at")


class ExpectedNodes(Out):
    """What A* should expand for an instance at one distance, on average."""

    distance: int
    expanded: float


class HeuristicAudit(Out):
    """The verdict on a heuristic."""

    puzzle: str
    goal: list[int] | None = None
    moves: str
    heuristic: str | None = Field(description="its name, if it has one")
    expression: str | None = Field(description="null for printed values")
    radius: int = Field(description="distance up to which every state was looked at")
    whole_space: bool = Field(description="these are all states of the puzzle")
    states: int
    verdict: AuditVerdict = Field(description="admissible: never above the true distance")
    reason: str
    consistent: AuditVerdict
    consistent_reason: str
    h_at_goal: float | None
    by_distance: list[Distance]
    counterexample: AuditCounterexample | None = None
    inconsistency: AuditInconsistency | None = None
    largest_excess: float
    dominance: Dominance | None = None
    expected: list[ExpectedNodes] = Field(
        default_factory=list, description="sum over i of (states at distance i) * P(h <= d - i), h of random states"
    )
    limit: Literal["states", "memory"] | None = Field(
        None, description="the limit that ended it before the radius was reached"
    )
