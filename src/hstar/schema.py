"""The objects that the HTTP API uses and the command line prints, defined once for both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from hstar.objects import Out as Out
from hstar.objects import Strict as Strict
from hstar.options import OWN_SOLVER, HeuristicOption, Options, Tuning
from hstar.options import Algorithm as Algorithm
from hstar.options import Method as Method
from hstar.options import TieBreaking as TieBreaking

#: of jobs of every kind
JobStatus = Literal["queued", "running", "done", "cancelled", "failed"]
#: how a search that is done has ended
SolveOutcome = Literal["solved", "exhausted", "limit_reached"]
DuplicateDetection = Literal[
    "exact, reopening",
    "exact",
    "none (tree search), canonical pruning",
    "none (tree search)",
    "by 64-bit hash, within a layer",
    "as the searches it is made of",
]
#: what ended a search without a solution; ``method``: no limit, but the method found none
LimitName = Literal["expanded", "generated", "seconds", "memory", "width", "method"]
Optimality = Literal["proven", "feasible"]

LabelName = Annotated[str, Field(min_length=1, max_length=64)]
MAX_TAGS, MAX_TAG_KEY, MAX_TAG_VALUE = 32, 64, 256
TagKey = Annotated[str, Field(min_length=1, max_length=MAX_TAG_KEY)]
TagValue = Annotated[str, Field(max_length=MAX_TAG_VALUE)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
MAX_SCRAMBLE_LENGTH = 10_000
K = Annotated[int, Field(ge=0, le=MAX_SCRAMBLE_LENGTH)]


def tiles_of(text: str) -> list[int | str]:
    """The tiles of a board written as text, row by row. 0, _ or . is the blank; what is not a tile stays text."""
    tokens = [token for token in re.split(r"[\s,/;|\[\]]+", text[:4096].strip()) if token]
    return [
        0 if token in ("_", ".") else int(token) if token.isascii() and token.isdigit() and len(token) < 5 else token
        for token in tokens
    ]


def read_board(value: object) -> object:
    """A board as a list of integers, from text ("1 2 3 / 4 5 6 / 7 8 0") or from a list of rows.

    Anything else is returned as it is, for the model to refuse.

    :raises ValueError: the text holds something that is not an integer
    """
    if not isinstance(value, str):
        return _in_one_list(value)
    tiles = tiles_of(value)
    if not tiles or any(isinstance(tile, str) for tile in tiles):
        raise ValueError("expected integers, row by row, such as 1 2 3 / 4 5 6 / 7 8 0")
    return tiles


def _in_one_list(value: object) -> object:
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return [tile for row in value for tile in row]
    return value


_INTEGERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
_BOARDS: list[dict[str, Any]] = [{"type": "string"}, _INTEGERS, {"type": "array", "items": _INTEGERS}]
#: the goal board of a sliding-tile puzzle: text, or integers row by row
GoalIn = Annotated[list[int], BeforeValidator(read_board), WithJsonSchema({"anyOf": _BOARDS})]
#: a state in any of the puzzle's formats
StateIn = Annotated[
    str | list[int] | dict[str, Any],
    BeforeValidator(_in_one_list),
    WithJsonSchema({"anyOf": [*_BOARDS, {"type": "object", "additionalProperties": True}]}),
]
GOAL_MEANS = "goal board of a sliding-tile puzzle, row by row, 0 the blank: text or integers"


class LimitsIn(Strict):
    """When a search must stop. A limit that is left out is the service's cap (see ``/v1/limits``)."""

    expanded: Annotated[int, Field(ge=0, le=2**53)] | None = Field(None, description="nodes expanded")
    generated: Annotated[int, Field(ge=0, le=2**53)] | None = Field(None, description="nodes generated")
    seconds: Annotated[float, Field(ge=0, le=86_400 * 7)] | None = Field(
        None, description="seconds until the answer, with those of building tables"
    )
    memory_mib: Annotated[int, Field(ge=1, le=2**20)] | None = Field(
        None, description="MiB for nodes, table and open list"
    )


class ScrambleIn(Strict):
    """k random moves: the same (puzzle, k, seed, moves) gives the same scramble on every machine and in every
    version."""

    k: K = Field(description="number of random moves")
    seed: Seed = Field(description="any integer from 0 to 2^63 - 1")
    moves: str | None = Field(None, description="move set to draw from; left out: the puzzle's scramble move set")


class ScrambleRequest(ScrambleIn):
    """Body of ``POST /v1/scrambles``."""

    puzzle: str
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)


class LabelsIn(Strict):
    """A student's own names for the faces, recognised by their neighbours. Moves and colours are then written in these
    names."""

    neighbours: dict[LabelName, list[LabelName]] = Field(
        description="for each face its neighbours, clockwise seen from outside", max_length=64
    )
    anchors: dict[LabelName, LabelName] | None = Field(
        None, description="our face or colour for some names, needed if several rotations or a mirror image fit"
    )


class SolveRequest(HeuristicOption, Options, Strict):
    """Body of ``POST /v1/solves``: a problem, how to solve it, and when to stop."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    state: StateIn | None = Field(None, description="facelets, tiles, or pieces and orientations")
    scramble: ScrambleIn | str | None = Field(
        None, description="k random moves from a seed, or the id of a stored scramble"
    )
    labels: LabelsIn | None = Field(None, description="names of your own for the faces")
    random: Seed | None = Field(None, description="seed of a uniformly random state among all that the moves reach")
    alg: str | None = Field(None, description='moves from the solved state, such as "R U\'"; may be empty')
    shorten: str | None = Field(
        None, max_length=200_000, description="an alg; a solution is a shorter one that solves what it solves"
    )
    target: StateIn | None = Field(
        None, description='state to reach instead of the solved one; also {"alg": "R U"} or {"random": SEED}'
    )
    moves: str | None = Field(
        None,
        description="move set to solve with, or a list of moves, which may have costs: `U U' U2:2`; part of the "
        "problem, because h* depends on it",
    )
    algorithm: Algorithm = Field(
        "astar",
        description="auto: the strongest one that proves its solutions; anytime if the limits do not suffice. "
        "Left out: astar, anytime for an alg to shorten, or plan with a plan; where none of their "
        "options is given, auto for the Clock and anytime for the Square-1",
    )
    limits: LimitsIn = LimitsIn()
    certificate: bool = Field(
        False, description="also write a proof of the answer that anybody can check: `GET /v1/jobs/{id}/certificate`"
    )
    workers: Annotated[int, Field(ge=1, le=64)] = Field(
        1, description="so many search large iterations of IDA* together (ida_star, auto, plan)"
    )
    tags: dict[TagKey, TagValue] = Field(default_factory=dict, max_length=MAX_TAGS)
    priority: Annotated[int, Field(ge=-100, le=100)] = Field(0, description="higher runs first")

    @model_validator(mode="before")
    @classmethod
    def _implied(cls, given: object) -> object:
        if isinstance(given, dict):
            for name, algorithm in (("shorten", "anytime"), ("plan", "plan")):
                if given.get(name) is not None:
                    given = {"algorithm": algorithm, **given}
            own = OWN_SOLVER.get(str(given.get("puzzle")))
            if own is not None and all(given.get(name) is None for name in ("heuristic", *Tuning.model_fields)):
                given = {"algorithm": own, **given}
        return given

    @model_validator(mode="after")
    def _one_start(self) -> SolveRequest:
        check_one_start(self)
        return self


def check_one_start(request: BaseModel) -> None:
    """Raise ValueError unless exactly one of the fields for the start, as far as the model has them, is given."""
    names = [name for name in ("state", "scramble", "alg", "random", "shorten") if name in type(request).model_fields]
    given = [name for name in names if getattr(request, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) if given else "none of them"
        raise ValueError(f"give exactly one of {', '.join(names[:-1])} and {names[-1]}; found {found}")


class Limits(Out):
    """The limits in force for a solve; null means none."""

    expanded: int | None = None
    generated: int | None = None
    seconds: float | None = None
    memory_mib: int


class Scramble(Out):
    """A scramble: what it was made from, its moves, and the state that they lead to from solved."""

    id: str | None = None
    owner: str | None = None
    puzzle: str
    moves: str
    k: int
    seed: int
    alg: list[str]
    state: dict[str, Any]
    created_at: datetime | None = None


class ScrambleUsed(Out):
    """The scramble that a search started from. The start has its moves and its state."""

    # Rows of earlier versions also have the moves and the state here.
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | None = Field(None, description="id of the stored scramble, if it was stored")
    moves: str = Field(description="move set that it was drawn from")
    k: int
    seed: int


class Labels(Out):
    """Names for the faces: our face by each name, and the neighbours that they were found from."""

    faces: dict[str, str]
    neighbours: dict[str, list[str]]


class Start(Out):
    """The start of the search, in every format of the puzzle, and how it was given."""

    labels: Labels | None = Field(None, description="the names in which moves, facelets and the solution are written")

    given_as: Literal["state", "scramble", "alg", "random", "shorten"]
    scramble: ScrambleUsed | None = None
    random: int | None = Field(None, description="seed of the random state")
    target: dict[str, Any] | None = Field(None, description="the state to reach, if it is not the solved one")
    goal: list[int] | None = Field(
        None, description="goal board of the request, if the state to reach is another board than this"
    )
    alg: list[str] | None = None
    state: dict[str, Any]


class HeuristicUsed(Out):
    """The heuristic of a solve, and what is known about it for the solve's move set."""

    name: str | None = Field(None, description="its name in /v1/heuristics, if it has one")
    expression: str
    admissible: Literal["proven", "refuted", "unknown"]
    consistent: Literal["proven", "refuted", "unknown"]
    reason: str


#: expansions with each f, by f
Layers = tuple[tuple[float, int], ...]
#: more are left out: a heuristic that has many values may have a layer for each node
MOST_LAYERS = 1000


class Counters(Out):
    """What the search did. Re-expansions count as expansions and also as ``reopened``.

    Each counter is declared here only: tables, rows, files and statistics have a column for each, in this order. A
    title is what it is called among the measures of an experiment, if the description is not.
    """

    expanded: int = Field(
        title="nodes expanded", description="nodes other than the goal whose successors were produced"
    )
    expanded_last_layer: int | None = Field(
        None,
        title="nodes expanded with f equal to the solution's cost",
        description="expansions with f equal to the solution's cost",
    )
    expanded_before_last_layer: int | None = Field(
        None, title="nodes expanded before the last f-layer", description="all other expansions"
    )
    generated: int = Field(
        title="nodes generated, duplicates included",
        description="every successor produced, duplicates included; pruned moves are not produced",
    )
    evaluated: int = Field(description="heuristic evaluations")
    reopened: int = Field(
        title="nodes expanded again", description="expansions of a state that had been expanded before"
    )
    stored: int = Field(title="distinct states stored", description="distinct states held at the end")
    max_open: int = Field(description="largest size of the open list")
    branching_generated: float | None = Field(
        None, title="nodes generated per move of the solution", description="generated / length"
    )
    branching_effective: float | None = Field(
        None,
        title="effective branching factor (Russell and Norvig)",
        description="root b of N + 1 = 1 + b + ... + b^length, N = generated",
    )


class Progress(Out):
    """Live counters of a running search, as of ``updated_at``."""

    expanded: int = 0
    generated: int = 0
    stored: int = 0
    lower_bound: int | None = None
    bytes: int = 0
    best_length: int | None = Field(None, description="moves of the shortest solution so far, in anytime")
    best: list[str] | None = Field(None, description="that solution")
    building: str | None = Field(
        None, description="the pattern database that is being built; the search continues after it"
    )
    built: float | None = Field(
        None, description="the fraction that is built, from 0 to 1; null while another process builds it"
    )
    updated_at: datetime | None = None


ABOUT = "its subjects, from general to particular: puzzle, assignment, heuristic"


class Question(Options, Out):
    """The request of a solve, and its state."""

    id: str | None = None
    kind: Literal["solve"] = "solve"
    owner: str | None = None
    status: JobStatus
    outcome: SolveOutcome | None = Field(None, description="how the search ended; null unless it is done")
    about: list[str] = Field(default_factory=list, description=ABOUT)
    puzzle: str
    goal: list[int] | None = None
    moves: str
    algorithm: Algorithm
    method: Method | None = Field(
        default_factory=lambda given: None if given["algorithm"] == "auto" else given["algorithm"],
        description="the algorithm that searches: the one asked for, or what auto chose (null until that is known)",
    )
    heuristic: HeuristicUsed
    duplicate_detection: DuplicateDetection | None = Field(
        None, description="how states that were seen before are recognised"
    )
    limits: Limits
    start: Start
    tags: dict[str, str] = Field(default_factory=dict)
    priority: int = 0
    progress: Progress | None = None


class Answer(Out):
    """What a search found; a field that does not apply is null. Add new fields here; tests say where else they are
    needed.

    As columns it is flat: the counters are next to the other fields.
    """

    solution: list[str] | None = None
    length: int | None = Field(None, description="moves of the solution; what they cost, if they have costs")
    optimality: Optimality | None = None
    lower_bound: int | None = None
    limit: LimitName | None = None
    layers: Layers | None = Field(
        None,
        description="the f-layers of the search that ended it, each [f, expansions], by f, also where a limit ended it;"
        f" null if the algorithm has none, nothing was expanded, or there are more than {MOST_LAYERS:,}",
    )
    counters: Counters | None = None
    seconds: float | None = Field(None, description="seconds from the call to the answer")
    peak_bytes: int | None = Field(None, description="bytes for nodes, table and open list")

    def columns(self) -> dict[str, Any]:
        """The value of each of `ANSWER_COLUMNS`."""
        found = {name: getattr(self, name) for name in Answer.model_fields if name != "counters"}
        return found | (dict.fromkeys(COUNTERS) if self.counters is None else dict(self.counters))

    @staticmethod
    def fields_from(columns: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the answer that has these columns: the inverse of `columns`."""
        found = {name: columns[name] for name in Answer.model_fields if name != "counters"}
        if columns["expanded"] is not None:
            found["counters"] = Counters(**{name: columns[name] for name in COUNTERS})
        return found


COUNTERS = tuple(Counters.model_fields)
#: counters that are no whole numbers
RATES = tuple(name for name, field in Counters.model_fields.items() if float in get_args(field.annotation))
ANSWER_COLUMNS = (*(name for name in Answer.model_fields if name != "counters"), *COUNTERS)


class Certificate(Out):
    """The certificate of an answer: a file that `checker/check.py` checks without hstar (docs/certificates.md)."""

    status: Literal["asked", "made", "none"] = Field(description="asked: it is made when the search has ended")
    proves: str | None = Field(None, description="what it proves, as the checker says it")
    by: str | None = Field(
        None, description="what its bound is proven by; the search may have used other, stronger bounds"
    )
    bytes: int | None = Field(None, description="size of the file")
    sha256: str | None = Field(None, description="SHA-256 of the file, in hexadecimal")
    reason: str | None = Field(None, description="why there is none")


class Solve(Answer, Question):
    """A solve: the request, its state, and its answer."""

    certificate: Certificate | None = Field(None, description="null: none was asked for")
    error: str | None = None
    attempt: int = 0
    cancel_requested: bool = False
    created_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


JobRequest = TypeVar("JobRequest", bound=BaseModel)
JobProgress = TypeVar("JobProgress", bound=BaseModel)
JobAnswer = TypeVar("JobAnswer", bound=BaseModel)


class JobHead(Out):
    """What all jobs have, whatever their kind."""

    id: str
    kind: str
    owner: str
    status: JobStatus
    about: list[str] = Field(default_factory=list, description=ABOUT)
    error: str | None
    priority: int
    attempt: int
    cancel_requested: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Job(JobHead, Generic[JobRequest, JobProgress, JobAnswer]):
    """A job other than a solve: the request, its state, and its answer."""

    request: JobRequest
    progress: JobProgress | None = Field(description="its progress; null until it is known")
    progress_at: datetime | None = Field(description="when the progress was recorded")
    answer: JobAnswer | None
