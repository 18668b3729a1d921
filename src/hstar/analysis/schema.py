"""The request and the answer of an analysis, for HTTP and Python."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from hstar.schema import (
    GOAL_MEANS,
    Counters,
    GoalIn,
    HeuristicUsed,
    LabelsIn,
    LimitName,
    Optimality,
    Out,
    ScrambleIn,
    Seed,
    SolveOutcome,
    Start,
    StateIn,
    Strict,
    check_one_start,
)
from hstar.verification.schema import ClaimJudged, Convention, Count

#: expansions of each search, if the request does not give a limit
DEFAULT_EXPANDED = 500_000
MAX_TRACE = 900_000
MAX_LINE = 200


class Counts(Strict):
    """Numbers of nodes that somebody's own A* reported."""

    expanded: Count | None = None
    generated: Count | None = None


class AnalysisLimits(Strict):
    """Limits in expansions, never in seconds: the same answer on every machine."""

    expanded: Annotated[int, Field(ge=1)] = Field(
        DEFAULT_EXPANDED, description="expansions of A*, and of the search for each true distance"
    )


class AnalysisRequest(Strict):
    """Body of ``POST /v1/analyses``: a start, a line of moves from there, and a heuristic to look at along it."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    state: StateIn | None = Field(None, description="facelets, tiles, or pieces and orientations")
    scramble: ScrambleIn | None = Field(None, description="k random moves from a seed")
    random: Seed | None = Field(None, description="seed of a uniformly random state among all that the moves reach")
    alg: str | None = Field(None, description='moves from the solved state, such as "R U\'"; may be empty')
    labels: LabelsIn | None = Field(None, description="names of your own for the faces")
    notation: str | None = Field(None, description="notation of the answer's moves; left out: the puzzle's own")
    moves: str | None = Field(None, description="move set to solve with; the puzzle's default if left out")
    heuristic: str | None = Field(None, description="name or expression; the puzzle's default if left out")
    line: str | None = Field(
        None, max_length=20_000, description="moves from the start to look at; left out: a shortest solution"
    )
    counts: Counts = Counts()
    trace: str | None = Field(
        None,
        max_length=MAX_TRACE,
        description="what your own A* printed for each node that it expanded: CSV, JSON or JSON lines with g and h",
    )
    limits: AnalysisLimits = AnalysisLimits()

    @model_validator(mode="after")
    def _one_start(self) -> AnalysisRequest:
        check_one_start(self)
        return self


class Position(Out):
    """A state of the line."""

    move: str | None = Field(description="the move that led here, in our names; null at the start")
    written: str | None = Field(description="the same in the request's labels or notation")
    state: dict[str, Any] = Field(description="in our names")
    h: float
    distance: int | None = Field(description="h*, if it is proven")
    lower_bound: int | None = Field(description="proven bound on h*; null: it cannot be solved")


class Layer(Out):
    """The expansions with one f."""

    f: float
    expanded: int
    own: int | None = Field(None, description="those of the given trace")


class Searched(Out):
    """A* with the heuristic from the start, as the service counts."""

    outcome: SolveOutcome
    limit: LimitName | None = None
    length: int | None = Field(description="moves of the solution that it found")
    counters: Counters
    layers: list[Layer] = Field(description="by f")


class CountOf(Out):
    """A number of nodes, and how many of the documented conventions give it."""

    count: int
    conventions: int


class Counting(Out):
    """The counts of one instance under every documented convention, and the one that is nearest to a given count."""

    what: Literal["expanded", "generated"]
    claimed: int
    judged: ClaimJudged
    spread: list[CountOf] = Field(
        description="by count; of a search too long for all of them, those of the service's own ways to break ties"
    )
    nearest: Convention | None
    nearest_in_words: str | None = Field(None, description="that convention, as part of a sentence")
    nearest_count: int | None


class TraceFault(Out):
    """Something in a trace that cannot be, or that is unusual for A*."""

    row: int = Field(description="from 1")
    kind: Literal["unreadable", "f", "order", "h", "path", "again"]
    message: str


class TraceRead(Out):
    """A trace of somebody's own A*, as it was read."""

    rows: int
    columns: dict[str, str] = Field(description="what each of its columns was taken for")
    layers: list[Layer] = Field(description="its rows by f")
    checked: int = Field(description="rows whose path was followed, and whose h was computed again")
    faults: list[TraceFault] = Field(description="the first of each kind come first; at most 50")
    more_faults: int


class Analysis(Out):
    """One instance, looked at from all sides: a line of moves, the true distances, the search, somebody's counts."""

    puzzle: str
    goal: list[int] | None
    moves: str
    start: Start
    heuristic: HeuristicUsed
    solution: list[str] | None = Field(description="the shortest that is known, in the request's labels or notation")
    length: int | None
    lower_bound: int | None
    optimality: Optimality | None
    line: list[Position] = Field(description="the start, and the state after each move")
    overestimates: int | None = Field(description="number of the first position of the line with h above h*")
    search: Searched
    counting: list[Counting] = Field(description="one for each number of nodes that was given, or that a trace has")
    trace: TraceRead | None
    searched: int = Field(description="expansions of the searches for true distances")
