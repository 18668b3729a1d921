"""The objects of experiments, for the HTTP API and the command line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic.fields import FieldInfo

from hstar.errors import MAX_NAME, clipped
from hstar.experiments.instances import Instances
from hstar.experiments.summaries import Summary as Summary  # part of what answers are made of
from hstar.options import OPTIONS, Options, TieBreaking
from hstar.schema import (
    GOAL_MEANS,
    MAX_SCRAMBLE_LENGTH,
    MAX_TAGS,
    RATES,
    Algorithm,
    Answer,
    Counters,
    GoalIn,
    JobStatus,
    K,
    LimitsIn,
    Out,
    Seed,
    Strict,
    TagKey,
    TagValue,
)

#: the most characters of a text such as 3-14
MAX_KS_TEXT = 1000
#: the most rows of one experiment: searches, and proofs of true distances
MAX_ROWS = 100_000
#: the most values of an option that one experiment compares
MAX_VALUES = 16

Axis = Literal["k", "true_distance"]
PlotMeasure = Literal["expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes"]
PlotFormat = Literal["svg", "png", "pdf"]
#: page: as wide as its content needs; slide: 16 to 9, in large letters
PlotSize = Literal["page", "slide"]
#: statuses of searches that have not ended
PENDING: tuple[JobStatus, ...] = ("queued", "running")
ExperimentStatus = Literal["queued", "running", "done", "cancelled"]


class KRange(Strict):
    """Every k from ``from`` to ``to``, both included."""

    model_config = ConfigDict(serialize_by_alias=True)

    first: K = Field(alias="from")
    last: K = Field(alias="to")

    @model_validator(mode="after")
    def _upwards(self) -> KRange:
        if self.first > self.last:
            raise ValueError(f"from {self.first} to {self.last} has no k")
        return self


def list_ks(text: str) -> list[int]:
    """Every k in a text such as ``3-14`` or ``3,5,8-10``, in the order of the text.

    :raises ValueError: the text is not of this form
    """
    ks: list[int] = []
    # A longer text names more than an experiment may have.
    for part in text.split(",") if len(text) <= MAX_KS_TEXT else [""]:
        found = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        span = range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)
        if not span or span[-1] > MAX_SCRAMBLE_LENGTH:
            raise ValueError(f"expected numbers and ranges such as 3-14 or 3,5,8-10, found {clipped(text, MAX_NAME)!r}")
        ks.extend(span)
    return ks


def _read_ks(given: object) -> object:
    if not isinstance(given, str):
        return given
    ks = list_ks(given)
    whole = ks == list(range(ks[0], ks[-1] + 1))
    return KRange.model_validate({"from": ks[0], "to": ks[-1]}) if whole else ks


def _or_text(field_schema: dict[str, Any]) -> None:
    field_schema["anyOf"].append({"type": "string", "maxLength": MAX_KS_TEXT})


Ks = Annotated[KRange | Annotated[list[K], Field(min_length=1, max_length=1000)], BeforeValidator(_read_ks)]


#: of each option an experiment has a list of values, or one value for all its searches
_FIELDS: dict[str, Any] = {
    option.shown.plural or option.name: (
        list[option.kind] if option.shown.plural else option.kind,  # type: ignore[name-defined]
        Field(default_factory=list, max_length=MAX_VALUES, description=f"{option.help}; one series for each")
        if option.shown.plural
        else Field(option.default, description=option.help),
    )
    for option in OPTIONS.values()
    if not option.shown.local
}
if TYPE_CHECKING:

    class _Swept(Strict):
        """The fields above, as far as they are read by name."""

        heuristics: list[str]
        tie_breaking: TieBreaking = "low_h"

else:
    _Swept = create_model("_Swept", __base__=Strict, **_FIELDS)


class ExperimentRequest(_Swept):
    """Body of ``POST /v1/experiments``: instances, each searched in each of the given ways.

    The instances are a scramble for each k and trial, or given ones, or random states. All algorithms, heuristics and
    weights search the *same* instances, so that they can be compared pair by pair.
    """

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    scramble_moves: str | None = Field(None, description="move set to scramble with; left out: the puzzle's")
    moves: str | None = Field(None, description="move set to solve with; part of the problem, because h* depends on it")
    k: Ks | None = Field(
        None,
        description='numbers of scramble moves: "3-14", "3,5,8-10", a list, or {"from": 3, "to": 14}',
        json_schema_extra=_or_text,
    )
    trials: Annotated[int, Field(ge=1, le=MAX_ROWS)] = Field(5, description="scrambles for each k")
    instances: Instances = Field(
        None,
        description="instead of k: states or algs, each alone or with a name and its known optimum, or a known set",
    )
    random: Annotated[int, Field(ge=1, le=MAX_ROWS)] | None = Field(
        None, description="instead of k: so many uniformly random states"
    )
    seed: Seed = Field(
        0, description="every scramble and random state is derived from it: the same seed, the same experiment"
    )
    algorithms: list[Algorithm] = Field(["astar"], min_length=1, max_length=16)
    limits: LimitsIn = LimitsIn()
    true_distance: bool = Field(False, description="also prove h* of every scramble with the strongest method")
    tags: dict[TagKey, TagValue] = Field(default_factory=dict, max_length=MAX_TAGS)
    priority: Annotated[int, Field(ge=-100, le=100)] = Field(0, description="higher runs first")

    @model_validator(mode="after")
    def _one_kind_of_instances(self) -> ExperimentRequest:
        given = [name for name in ("k", "instances", "random") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"give exactly one of k, instances and random; found {' and '.join(given) or 'none of them'}"
            )
        for name in ("trials", "scramble_moves") if self.k is None else ():
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"only scrambles, which k asks for, have {name}")
        return self

    def values(self, option: str) -> list[Any]:
        """The values of an option; empty if it is left out."""
        shown = OPTIONS[option].shown
        return list(getattr(self, shown.plural)) if shown.plural else [getattr(self, option)]

    def ks(self) -> tuple[int, ...]:
        """Every k once, ascending, because their order does not change the experiment; none for other instances."""
        if self.k is None:
            return ()
        if isinstance(self.k, KRange):
            return tuple(range(self.k.first, self.k.last + 1))
        return tuple(sorted(set(self.k)))

    @property
    def instance_count(self) -> int:
        """The number of instances, each searched in every way."""
        return len(self.ks()) * self.trials if self.k is not None else self.random or len(self.instances or ())


class Outcomes(Out):
    """How many searches there are, and how they ended. ``n`` counts those that have ended."""

    n: int = 0
    solved: int = 0
    proven: int = Field(0, description="of the solved ones, those whose solution is proven shortest")
    limit_reached: int = 0
    exhausted: int = 0
    cancelled: int = 0
    failed: int = 0
    pending: int = Field(0, description="queued or running")

    @classmethod
    def of(cls, counted: Iterable[tuple[str | None, str | None, int]]) -> Outcomes:
        """From the number of searches with each ending (None: not ended) and optimality."""
        found: Counter[str] = Counter()
        for ending, optimality, number in counted:
            if ending in (None, *PENDING):
                found["pending"] += number
            else:
                found["n"] += number
                found[str(ending)] += number
                if ending == "solved" and optimality == "proven":
                    found["proven"] += number
        return cls(**found)


class Series(Options, Out):
    """One way to search: a column of a table, or a colour of a plot."""

    algorithm: str
    heuristic: str | None = Field(description="as it was given; null: the algorithm's own choice")


class Group(Out):
    """A line of the table: the searches of one series at one k or true distance (null: not known)."""

    x: int | None
    series: Series
    outcomes: Outcomes
    measures: dict[str, Summary]


class Fit(Out):
    """The factor by which a measure grows with each move: least squares of its logarithm.

    Only those x are used at which every search was solved, because with only the solved searches of other x the line
    would be too flat. ``low`` and ``high`` enclose the factor with 95 % confidence. ``spread`` is the geometric
    standard deviation around the line: two thirds of the searches are within that factor of it.
    """

    factor: float | None = Field(None, description="null: fewer than two different x could be used")
    low: float | None = Field(None, description="null: fewer than three searches could be used")
    high: float | None = Field(None, description="null too if it is too large for a number")
    spread: float | None = None
    searches: int = Field(0, description="searches used for the fit")
    used: list[int] = Field(default_factory=list, description="the x that were used")
    censored: list[int] = Field(default_factory=list, description="the x left out, because a search was not solved")


class Growth(Fit):
    """The growth of a measure over the searches of one series."""

    series: Series
    measure: str
    x: Axis


class Excess(Out):
    """How many solutions are as short as the true distance, where that is known."""

    compared: int = Field(description="solutions whose true distance is known")
    optimal: int = Field(description="of these, those that are as short as it")
    longest_excess: int | None = Field(None, description="the most moves by which one of them is too long")


class Stated(Excess):
    """The solutions beside the optimum that the instances came with, which hstar has not proven."""

    found: int = Field(description="moves of these solutions in all")
    stated: int = Field(description="moves of the stated optima in all")
    wrong: list[str] = Field(
        description="the first instances whose stated optimum is not right: a solution is shorter, or a bound above it"
    )


class Quality(Excess):
    """How good the answers of a series are, because an inadmissible heuristic can look better than it is."""

    series: Series
    admissible: str = Field(
        description="whether its heuristic is admissible for the experiment's moves: proven, refuted or unknown"
    )
    consistent: str
    reason: str | None = Field(None, description="the counterexample, if the heuristic is refuted")
    solved: int = Field(description="searches that found a solution")
    stated: Stated | None = Field(None, description="null: no instance came with its optimum")
    sentence: str = ""


class Table(Out):
    """The report's table: a line for each x and series, the growth of each series, and how good its answers are."""

    x: Axis
    groups: list[Group]
    growth: list[Growth]
    quality: list[Quality] = Field(default_factory=list)


class Ratios(Out):
    """The ratios first / second of a measure, over the instances on which both are exact and neither is 0."""

    count: int
    geometric_mean: float | None = None
    geometric_standard_deviation: float | None = None
    minimum: float | None = None
    lower_quartile: float | None = None
    median: float | None = None
    upper_quartile: float | None = None
    maximum: float | None = None


class Significance(Out):
    """A two-sided test of whether a difference could be chance, if the instances are a random sample."""

    name: Literal["sign", "signed_rank", "censored"] = Field(
        description="sign: decided pairs; signed_rank: ratios of pairs that were both solved (Wilcoxon); censored: all "
        "pairs, with limits as lower bounds (Akritas)"
    )
    pairs: int = Field(description="pairs that it looks at")
    p: float = Field(description="how probable so large a difference is without a true one")
    effect: float = Field(
        description="sign: the part of the pairs on which the first is smaller; signed_rank: the rank-biserial "
        "correlation; censored: by how much the first stands above the second among all values, from -1 to 1"
    )
    low: float | None = Field(None, description="of a 95 % interval of the effect")
    high: float | None = Field(None, description="of a 95 % interval of the effect")
    sentence: str


class Comparison(Out):
    """Two ways to search, on the same instances. A win is a smaller value.

    A search that stopped at a limit counts with its lower bound: it loses if the other one's exact value is below that
    bound, and is ``undecided`` otherwise. So the median ratio over all pairs is an interval.
    """

    first: Series
    second: Series
    measure: str
    instances: int = Field(description="instances that both searched")
    both_solved: int
    wins: int = Field(description="the first one's value is smaller")
    ties: int
    losses: int = Field(description="the second one's value is smaller")
    undecided: int
    decided_by_limit: int = Field(description="of the wins and losses, those against a search that hit a limit")
    ratios: Ratios
    median_ratio_all: tuple[float | None, float | None] = Field(
        (None, None), description="the median over all pairs lies between these; null: no bound on that side"
    )
    dominance: Literal["first", "second", "equal", "neither", "none"] = Field(
        "none",
        description="the one that never has the larger count on a decided instance, and the smaller one at least once",
    )
    proven: list[str] = Field(default_factory=list, description="what these counts prove about the two heuristics")
    tests: list[Significance] | None = Field(
        None, description="whether the difference could be chance; null where scipy is not installed"
    )
    quality: list[Quality] = Field(default_factory=list, description="how good the answers of the first and second are")
    sentence: str


class ComparisonList(Out):
    """Comparisons, each of two ways to search."""

    items: list[Comparison]


class Experiment(Out):
    """An experiment: the request, and its progress."""

    id: str | None = None
    owner: str | None = None
    status: ExperimentStatus
    request: ExperimentRequest
    rows: int
    outcomes: Outcomes = Field(description="of all rows, including the proofs of true distances")
    running: int = Field(0, description="pending rows that are being searched now; the others are queued")
    fraction_done: float
    seconds_left: float | None = Field(
        None, description="expected; null if nothing is known yet, if it has ended, and in lists"
    )
    quality: list[Quality] | None = Field(
        None, description="how good the answers of each way to search are; null until it has ended, and in lists"
    )
    created_at: datetime | None = None
    finished_at: datetime | None = None


class Report(Experiment):
    """An experiment with its tables and comparisons, as ``hstar experiment --json`` prints it."""

    table: Table
    table_by_true_distance: Table | None = None
    comparisons: list[Comparison] = Field(default_factory=list)


#: the measure of solutions that are not proven shortest
FEASIBLE_LENGTH = "feasible_length"
#: measures whose growth with each move is fitted
GROWING = ("expanded", "expanded_last_layer", "generated", "seconds", "peak_bytes")


def _meaning(field: FieldInfo) -> str:
    return field.title or field.description or ""


_RATES = {name: _meaning(field) for name, field in Counters.model_fields.items() if name in RATES}
#: measures by name, with their meaning (see `hstar.experiments.observations` for searches that stopped)
MEASURES: Mapping[str, str] = {
    **{name: _meaning(field) for name, field in Counters.model_fields.items() if name not in RATES},
    **{name: _meaning(Answer.model_fields[name]) for name in ("seconds", "peak_bytes", "length")},
    FEASIBLE_LENGTH: "moves of a solution that is not proven shortest",
    **_RATES,
}
