"""The models that only the service has: pages of lists, the catalogue, parameters. The others are in `hstar`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)

from hstar.errors import TEXT
from hstar.experiments.schema import (
    MEASURES,
    Axis,
    Excess,
    Experiment,
    Fit,
    Outcomes,
    PlotMeasure,
    PlotSize,
    Summary,
)
from hstar.keys import in_utc
from hstar.options import OPTIONS, Options
from hstar.schema import (
    GOAL_MEANS,
    Algorithm,
    GoalIn,
    HeuristicUsed,
    JobHead,
    JobStatus,
    LabelsIn,
    Out,
    Scramble,
    ScrambleIn,
    Seed,
    SolveOutcome,
    Start,
    StateIn,
    Strict,
    check_one_start,
)
from service.headers import KEY_PATTERN
from store.database.options import OPTION_COLUMNS
from store.statistics.aggregation import DIMENSIONS, TAG_PREFIX

MAX_PAGE = 200
METRIC = "move set in which its community counts, for shorter algs and scrambles on the page; null: the usual one"

_DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")


class ScramblePage(Out):
    """One page of a list of scrambles, newest first."""

    items: list[Scramble]
    next: str | None = Field(description="path of the next page; null on the last one")


class ExperimentPage(Out):
    """One page of a list of experiments, newest first."""

    items: list[Experiment]
    next: str | None = Field(description="path of the next page; null on the last one")


class JobBatch(Out):
    """The jobs of a batch, in the order of its items."""

    items: list[JobHead]
    url: str = Field(description="where these jobs are listed whole, page by page")


class RowInShort(Options, Out):
    """A row of an experiment: one search, and how it ended."""

    index: int
    id: str = Field(description="of its solve")
    role: str
    k: int | None = Field(description="null: no scramble")
    trial: int
    seed: int | None = Field(description="of its scramble or random state")
    instance: str | None = Field(description="name of a given instance")
    algorithm: str
    method: str | None
    heuristic: str | None
    status: JobStatus
    outcome: SolveOutcome | None = Field(description="how it ended; null: it is not done")
    length: int | None
    lower_bound: int | None
    true_distance: int | None = Field(description="h*, where a search of this instance has proven it")
    expanded: int | None
    generated: int | None
    seconds: float | None
    peak_bytes: int | None


class RowsPart(Out):
    """Some rows of an experiment, in their order."""

    rows: int = Field(description="number of rows of the experiment")
    items: list[RowInShort]


class StatsQuality(Excess):
    """How many solutions are as short as the true distance, where the solves of the request prove that."""


class StatsGroup(Out):
    """The solves with the same values of the `group_by` fields; a null is a missing value."""

    values: dict[str, str | int | float | None]
    heuristic: HeuristicUsed | None = Field(
        None, description="verdict on the heuristic, if group and filter fix one puzzle, move set and heuristic"
    )
    quality: StatsQuality | None = Field(
        None, description="how good the solutions are; null beyond 10,000 solves, and for groups without a solution"
    )
    outcomes: Outcomes
    measures: dict[str, Summary]


class StatsGrowth(Fit):
    """The factor by which a measure grows with each move, for the groups with the same ``series``."""

    series: dict[str, str | int | float | None]
    measure: str
    x: Literal["k", "length"]


class Stats(Out):
    """Aggregate statistics of solves."""

    solves: int = Field(description="number of ended solves, in all groups together")
    exact: bool = Field(description="whether quantiles are exact, too")
    quantile_error: float = Field(description="greatest relative error of quantiles")
    groups: list[StatsGroup] = Field(description="sorted by their values, nulls last")
    growth: list[StatsGrowth]


class MoveSet(Out):
    """A named set of moves, each of cost 1."""

    moves: list[str]
    count: int
    description: str


class PuzzleSummary(Out):
    """A puzzle, in short."""

    name: str
    title: str
    state_count: str | None = Field(description="number of reachable states, as a decimal text; null: not known")
    move_sets: list[str]
    default_moves: str = Field(description="move set of a solve that names none")
    default_scramble_moves: str = Field(description="move set of a scramble that names none")
    metric: str | None = Field(None, description=METRIC)
    default_heuristic: str = Field(description="heuristic of a solve that names none")
    owner: str | None = Field(description="who added it; null: it is one of hstar's own")
    url: str


class PuzzleRequest(Strict):
    """Body of ``POST /v1/puzzles``: a definition in one of the formats that are read, and its name."""

    definition: dict[str, Any] | list[Any] | str = Field(
        description="KPuzzle JSON of cubing.js, or generators as lists of integers; as text also a definition of "
        "twsearch (.tws) and generators of GAP"
    )
    name: str | None = Field(
        None, max_length=40, description="letters, digits, dots, dashes, underscores; left out: the definition's"
    )


class PuzzleList(Out):
    """The built-in puzzles, and those that were added."""

    items: list[PuzzleSummary]


class NotationInfo(Out):
    """A way to write algs."""

    name: str
    description: str
    example: str


class PuzzleDescription(Out):
    """A puzzle in full; besides these fields, those of its family: faces, rows, columns, goal."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    title: str
    state_count: str | None = Field(description="number of reachable states, as a decimal text; null: not known")
    moves: list[str] = Field(description="every move, in the order in which searches generate successors")
    move_sets: dict[str, MoveSet]
    default_moves: str
    default_scramble_moves: str
    metric: str | None = Field(None, description=METRIC)
    default_heuristic: str
    features: dict[str, str] = Field(description="the features for heuristics: signature and meaning by name")
    notations: list[NotationInfo] = Field(description="ways to write its algs; the first is used in answers")
    orbits: list[dict[str, Any]] = Field(description="sets of pieces that moves carry onto one another")


class Verdict(Out):
    """The verdict on a heuristic for one move set."""

    admissible: Literal["proven", "refuted", "unknown"]
    consistent: Literal["proven", "refuted", "unknown"]
    reason: str
    counterexample: list[str] | None = Field(description="an alg to a state that the heuristic overestimates")


class NamedHeuristic(Out):
    """A named heuristic of one puzzle."""

    name: str
    puzzle: str
    expression: str
    source: str
    integer: bool = Field(description="whether every value is an integer; the open list is then a bucket queue")
    move_sets: dict[str, Verdict]


class HeuristicList(Out):
    """The named heuristics, each once for each registered puzzle that it fits."""

    items: list[NamedHeuristic]
    features: dict[str, str] | None = Field(
        None, description="with ?puzzle=: what heuristics of this puzzle are written from, by signature"
    )


class StateRequest(Strict):
    """Body of ``POST /v1/states``: a start, and moves made from there."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    moves: str | None = Field(
        None, description="move set of a random state and of a proof; left out: the puzzle's default"
    )
    state: StateIn | None = Field(None, description="facelets, tiles, or pieces and orientations")
    scramble: ScrambleIn | None = Field(None, description="k random moves from a seed")
    alg: str | None = Field(None, description='moves from the solved state, such as "R U\'"; may be empty')
    random: Seed | None = Field(None, description="seed of a uniformly random state among all that the moves reach")
    shorten: str | None = Field(None, max_length=20_000, description="an alg: the start is the state that it solves")
    labels: LabelsIn | None = Field(None, description="names of your own for the faces, which the start has")
    compose: list[str | dict[str, Any]] = Field(
        default_factory=list,
        max_length=100,
        description="states, or algs from the solved state, applied to the start (solved if none is given) in turn",
    )
    then: str | None = Field(None, max_length=20_000, description="moves from the start, in any notation of the puzzle")

    @model_validator(mode="after")
    def _one_start(self) -> StateRequest:
        starts = (self.state, self.scramble, self.alg, self.random, self.shorten)
        if not self.compose or any(start is not None for start in starts):
            check_one_start(self)
        return self


class MoveMade(Out):
    """A move, and the state that it leads to."""

    move: str
    written: str = Field(
        description="as an alg of the puzzle is written; a word for several moves is at the last, the others have none"
    )
    state: dict[str, Any]


class StateAnswer(Out):
    """A start in every format of the puzzle, and the states along the moves made from there."""

    puzzle: str
    goal: list[int] | None
    start: Start
    written: str | None = Field(description="the start's alg, as the puzzle writes it")
    composed: dict[str, Any] | None = Field(description="the start followed by the states of `compose`")
    path: list[MoveMade] = Field(description="one for each move of `then`")
    solved: bool = Field(description="whether the last of these states is the goal")


class Caps(Out):
    """The greatest limits that a solve may ask for, which are also the defaults; null: no cap."""

    expanded: int | None
    generated: int | None
    seconds: float | None
    memory_mib: int


class ServiceLimits(Out):
    """The limits of this service."""

    caps: Caps
    default_memory_mib: int = Field(description="memory limit of a solve that names none")
    wait_seconds: float = Field(description="greatest Prefer: wait that is honoured")
    body_bytes: int = Field(description="greatest size of a body")
    json_depth: int = Field(description="greatest nesting of a body")
    page_items: int = Field(description="greatest `limit` of a list")
    queued: int = Field(description="jobs that may wait; beyond them new ones are refused with 429")
    owner_queued: int | None = Field(description="the same for your own jobs, by the role of the key; null: no limit")
    owner_running: int | None = Field(description="jobs of one owner that run at once; null: no limit")
    owner_databases: int | None = Field(
        description="different pattern databases that one owner's requests may name in a day; null: no limit"
    )
    owner_databases_mib: int | None = Field(description="their greatest total size; null: no limit")
    requests_per_minute: int | None = Field(description="of one owner; see the header `RateLimit`; null: no limit")
    experiment_rows: int = Field(description="greatest number of rows of an experiment")
    tags: int = Field(description="most tags of a job")
    tag_key_letters: int
    tag_value_letters: int
    idempotency_key_letters: int
    idempotency_hours: float = Field(description="how long an Idempotency-Key is remembered")


class Alive(Out):
    """The answer of ``/health/live``."""

    status: Literal["alive"]


class Readiness(Out):
    """The answer of ``/health/ready`` when requests can be served."""

    status: Literal["ready", "degraded"] = Field(
        description="degraded: requests are answered and jobs are taken, but a part is away, and jobs start later"
    )
    database: Literal["answers"]
    migrations: Literal["current"]
    broker: Literal["answers", "away"]
    worker: Literal["works", "away"] = Field(description="away: no worker has looked for jobs lately")
    sweeper: Literal["works", "away"] = Field(description="away: no sweeper has looked for lost jobs lately")


class Parameters(BaseModel):
    """Base of models of query parameters and headers; numbers and times are parsed from text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _written_out(text: object) -> object:
    # pydantic would also accept a number of seconds, which nobody means as a date.
    if not isinstance(text, str) or not _DATE_AND_TIME.match(text):
        raise ValueError("expected a time such as 2026-01-31T12:00:00Z")
    return text


Moment = Annotated[AwareDatetime, BeforeValidator(_written_out), AfterValidator(in_utc)]


def _matching(pattern: str, words: str) -> tuple[Any, ...]:
    """Text that matches a pattern; ``words`` describe it in the error message."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(words)
        return text

    return AfterValidator(check), Field(json_schema_extra={"pattern": f"^({pattern})$"})


TagFilter = Annotated[str, *_matching(r"[^:\x00]{1,64}:[^\x00]{0,256}", "expected key:value")]
Text = Annotated[str, Field(max_length=2000, pattern=TEXT)]


class Paging(Parameters):
    """The size and start of a page of a list."""

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = Field(50, description="greatest number of items in the answer")
    cursor: str | None = Field(None, max_length=64, description="start of the page; part of `next`")


class PictureOptions(Parameters):
    """The state of a solve to draw."""

    step: int = Field(0, ge=-1, le=100_000, description="number of moves of the solution to make; -1: all")
    path: bool = Field(False, description="every state along the solution in one picture")


class DrawnState(Parameters):
    """The state of a puzzle to draw."""

    state: str | None = Field(None, max_length=20_000, description="as text, or as JSON; left out: the solved one")


class Times(Parameters):
    """A range of times."""

    created_after: Moment | None = Field(None, description="not before this time (RFC 3339)")
    created_before: Moment | None = Field(None, description="before this time (RFC 3339)")

    @field_validator("created_before")
    @classmethod
    def _onwards(cls, before: datetime | None, info: ValidationInfo) -> datetime | None:
        after = info.data.get("created_after")
        if before is not None and after is not None and before <= after:
            raise ValueError("created_before must be later than created_after")
        return before


JobId = Annotated[str, Field(max_length=64)]


class JobFilter(Paging, Times):
    """Filters of jobs; all must fit. One that may be given more than once fits any of its values, if not said
    otherwise."""

    kind: list[Annotated[str, Field(max_length=32, pattern=r"^[a-z-]*$")]] = Field(
        [], description="such as solve, database, verification, heuristic-audit, model-audit, analysis, grading"
    )
    status: list[JobStatus] = []
    first: JobId | None = Field(None, description="not before the job with this id")
    last: JobId | None = Field(None, description="not after the job with this id")
    outcome: list[SolveOutcome] = Field([], description="how their searches ended")
    puzzle: Text | None = None
    moves: Text | None = Field(None, description="move set")
    algorithm: Algorithm | None = None
    heuristic: Text | None = Field(None, description="name or expression")
    experiment: JobId | None = Field(None, description="id of their experiment")
    tag: list[TagFilter] = Field([], description="`key:value`; given more than once, all must fit")


def _one_of(names: Iterable[str]) -> tuple[Any, ...]:
    return _matching("|".join(names), f"expected one of {', '.join(names)}")


Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
#: tags that can be grouped by without `tag:`
TAG_NAMES = {name: TAG_PREFIX + name for name in ("student", "assignment")}
GROUPED_BY = f"{', '.join([*DIMENSIONS, *TAG_NAMES])} or `tag:KEY`"
GroupName = Annotated[
    str,
    *_matching("|".join([*DIMENSIONS, *TAG_NAMES, TAG_PREFIX + r"[^:\x00]{1,64}"]), f"expected one of {GROUPED_BY}"),
]
AnyMeasure = Annotated[str, *_one_of([*MEASURES, "all"])]


Name = Annotated[str, Field(max_length=64, pattern=TEXT)]


def _each_once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _any_of(description: str, most: int = 8) -> Any:
    return Field([], max_length=most, description=f"{description}; given more than once, any may fit")


def _filter_kind(name: str) -> Any:
    """The type of a filter by an option."""
    kind = OPTIONS[name].kind
    return Text if get_origin(kind) is Annotated and get_args(kind)[0] is str else kind


if TYPE_CHECKING:
    _OptionFilters = Times
else:
    _OptionFilters = create_model(
        "_OptionFilters",
        __base__=Times,
        **{name: (list[_filter_kind(name)], _any_of(OPTIONS[name].help)) for name in OPTION_COLUMNS},
    )


class StatsQuery(_OptionFilters):
    """Filters of solves, and the groups and measures of their statistics."""

    group_by: Annotated[list[GroupName], AfterValidator(_each_once)] = Field(
        [], max_length=8, description=f"{GROUPED_BY}; may be given more than once"
    )
    measure: Annotated[list[AnyMeasure], AfterValidator(_each_once)] = Field(
        [], description="left out: the most common ones; may be given more than once"
    )
    owner: list[Name] = _any_of("only your own solves are counted")
    puzzle: list[Name] = _any_of("puzzle")
    goal: list[Text] = _any_of("goal board, its cells joined by commas", 2)
    moves: list[Name] = _any_of("move set")
    scramble_moves: list[Name] = _any_of("move set of the scramble")
    algorithm: list[Algorithm] = _any_of("search algorithm")
    heuristic: list[Text] = _any_of("name or expression", 2)
    k: list[Number] = _any_of("moves of the scramble", 100)
    length: list[Number] = _any_of("moves of the solution", 100)
    status: list[JobStatus] = _any_of("of their jobs")
    outcome: list[SolveOutcome] = _any_of("how searches that are done ended")
    tag: list[TagFilter] = Field([], description="`key:value`; given more than once, all must fit")


class ExperimentFilter(Paging):
    """Filters of experiments."""

    puzzle: Text | None = None


class TableOptions(Parameters):
    """The rows of an experiment's table."""

    x: Axis = Field("k", description="moves of the scramble, or the proven distance to the goal")


class TableMeasures(TableOptions):
    """The rows and measures of an experiment's table."""

    measure: Annotated[list[Annotated[str, *_one_of(MEASURES)]], AfterValidator(_each_once)] = Field(
        [], description="left out: all; may be given more than once"
    )


class RowsOptions(Parameters):
    """A range of rows of an experiment."""

    first: int = Field(0, ge=0, le=10**7, description="number of the first row, from 0")
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = Field(100, description="greatest number of rows in the answer")


class PlotOptions(TableOptions):
    """The measure and the x axis of a plot."""

    y: PlotMeasure = Field("expanded", description="the measure")
    size: PlotSize = Field("page", description="slide: 16:9, with large letters")


class ComparisonOptions(Parameters):
    """The measure and the two sides of a comparison."""

    measure: Annotated[str, *_one_of(MEASURES)] = Field("expanded", description="the smaller value wins")
    other: str | None = Field(None, max_length=64, description="id of another experiment")
    first: Text | None = Field(None, description="heuristic of the first side, by name or expression")
    second: Text | None = Field(None, description="heuristic of the second side")


class HeuristicFilter(Parameters):
    """Filters of heuristics."""

    puzzle: Text | None = Field(None, description="only those that fit this puzzle")


class ScrambleFilter(Paging):
    """Filters of scrambles."""

    puzzle: Text | None = None


class WaitHeader(Parameters):
    """The header of a poll."""

    prefer: str | None = Field(None, description="`wait=N`: answer when the solve has finished, or after N seconds")


class EtagHeader(Parameters):
    """The header of a conditional request."""

    if_none_match: str | None = Field(None, description="ETag of an earlier answer: 304 if nothing changed")


class ConditionalHeaders(EtagHeader, WaitHeader):
    """Headers of a conditional poll."""


class KeyHeader(Parameters):
    """The header that makes a POST safe to repeat."""

    idempotency_key: str | None = Field(
        None,
        description="a text of your choice, new for each new request; sent again with it, a request makes nothing new",
        json_schema_extra={"pattern": KEY_PATTERN},
    )


class SubmitHeaders(KeyHeader, WaitHeader):
    """Headers of ``POST /v1/solves``."""
