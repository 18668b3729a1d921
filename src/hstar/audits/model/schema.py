"""The request and the answer of an audit of a model, for HTTP and the command line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from hstar.schema import GOAL_MEANS, GoalIn, LabelName, LabelsIn, Out, StateIn, Strict

MAX_TURNS = 64
MAX_SLOTS = 4096
MAX_STATES = 1000

TurnName = Annotated[str, Field(min_length=1, max_length=64)]
Turn = Annotated[list[Any], Field(max_length=MAX_SLOTS)]
ModelVerdict = Literal["same", "mirrored", "wrong"]
#: from the shortest explanation to the longest
ReasonKind = Literal[
    "permutation", "turns", "facelets", "order", "cycles", "turn", "pieces", "commutator", "scramble", "table", "state"
]


class PrintedState(Strict):
    """A state that a student's program printed after an alg."""

    alg: str
    state: StateIn


class ClaimedResult(Strict):
    """A result that the student reports: a scramble, and the solution that their program found, in their turns."""

    alg: list[TurnName] = Field(max_length=10_000)
    solution: list[TurnName] = Field(max_length=10_000)


class ModelAuditRequest(Strict):
    """Body of ``POST /v1/audits/model``: a student's turns, or neighbours of faces, or printed states."""

    puzzle: str = Field(description="name from /v1/puzzles")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    turns: dict[TurnName, Turn] | None = Field(
        None, description="for each turn, p with new[i] = old[p[i]] over the student's own slots", max_length=MAX_TURNS
    )
    anchors: dict[TurnName, str] | None = Field(
        None, description="our move for some names of turns, needed to recognise a mirror image"
    )
    neighbours: dict[LabelName, list[LabelName]] | None = Field(
        None, description="for each face its neighbours, clockwise seen from outside", max_length=64
    )
    states: list[PrintedState] | None = Field(None, min_length=1, max_length=MAX_STATES)
    labels: LabelsIn | None = Field(None, description="names in which printed states and their algs are given")
    results: list[ClaimedResult] = Field(default_factory=list, max_length=MAX_STATES)

    @model_validator(mode="after")
    def _one_model(self) -> ModelAuditRequest:
        given = [name for name in ("turns", "neighbours", "states") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) if given else "none of them"
            raise ValueError(f"give exactly one of turns, neighbours and states; found {found}")
        return self


class Reason(Out):
    """One thing that is wrong with a model, with the turns and slots that show it."""

    kind: ReasonKind
    message: str
    turns: list[str] = Field(default_factory=list, description="the turns that show it, in the student's names")
    slots: list[int] = Field(default_factory=list, description="the student's slots that show it")


class FirstScramble(Out):
    """The shortest scramble whose result in the model differs from the puzzle's."""

    alg: list[str] = Field(description="in the student's names")
    ours: list[str] = Field(description="the same in ours")
    theirs_order: int = Field(description="how often the model repeats the scramble until it is solved again")
    ours_order: int = Field(description="how often the puzzle does")
    message: str


class ResultTouched(Out):
    """Whether the error affects a result."""

    number: int = Field(description="which result, counted from 1")
    touched: bool
    solves_theirs: bool = Field(description="the solution solves the student's model")
    solves_ours: bool | None = Field(description="it solves the puzzle; null if its turns have no counterpart")
    reason: str


class ModelAudit(Out):
    """The verdict on a model."""

    puzzle: str
    verdict: ModelVerdict
    summary: str
    labels: dict[str, str] | None = Field(None, description="our move or face for each of theirs")
    facelets: list[str | None] | None = Field(
        None, description="our facelet for each of their slots; null: never moves"
    )
    reasons: list[Reason] = Field(default_factory=list, description="the shortest explanation first")
    scramble: FirstScramble | None = None
    claims: list[ResultTouched] = Field(default_factory=list, description="which results the error affects")
