"""A small search, node by node: what A* expands, in which order, and what another heuristic would have skipped.

>>> found = trace(TraceRequest(puzzle="8-puzzle", alg="U L D", heuristics=["zero", "manhattan"]))
>>> [len(search.nodes) for search in found.searches]
[17, 3]

The searches are those of `hstar.search.reference`, which agree with the kernel on every count.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from hstar.heuristics import get_heuristic
from hstar.heuristics.nearby import require_cheap
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.schema import (
    GOAL_MEANS,
    GoalIn,
    Out,
    ScrambleIn,
    SolveOutcome,
    SolveRequest,
    Start,
    StateIn,
    Strict,
    TieBreaking,
    check_one_start,
)
from hstar.search import reference
from hstar.search.prepare import read_start

__all__ = ["Trace", "TraceRequest", "trace"]

#: most nodes that one search expands here
MAX_EXPANDED = 3000


class TraceRequest(Strict):
    """Body of ``POST /v1/traces``: a start, and one or two heuristics to search from there."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    state: StateIn | None = Field(None, description="facelets, tiles, or pieces and orientations")
    scramble: ScrambleIn | None = Field(None, description="k random moves from a seed")
    alg: str | None = Field(None, description='moves from the solved state, such as "R U\'"; may be empty')
    moves: str | None = Field(None, description="move set to solve with; the puzzle's default if left out")
    heuristics: Annotated[list[str], Field(min_length=1, max_length=2)] = Field(description="names or expressions")
    weight: Annotated[float, Field(ge=0, le=1000)] = Field(1.0, description="f = g + weight * h")
    tie_breaking: TieBreaking = Field("low_h", description="among open nodes with equal f")
    expanded: Annotated[int, Field(ge=1, le=MAX_EXPANDED)] = Field(
        1000, description="each search stops after this many expansions"
    )

    @model_validator(mode="after")
    def _one_start(self) -> TraceRequest:
        check_one_start(self)
        return self


class TraceNode(Out):
    """An expansion."""

    state: int = Field(description="number of the state; both searches number states alike")
    parent: int | None = Field(description="number of the state that it was reached from; null at the start")
    move: str | None = Field(description="the move from there")
    g: int
    h: float


class TracedSearch(Out):
    """One search: its expansions in their order, and how it ended."""

    heuristic: str = Field(description="as it was given")
    expression: str
    outcome: SolveOutcome
    solution: list[str]
    generated: int
    reopened: int
    nodes: list[TraceNode]


class Trace(Out):
    """The searches from one start."""

    puzzle: str
    goal: list[int] | None
    moves: str
    start: Start
    states: int = Field(description="how many different states were expanded, in all searches together")
    searches: list[TracedSearch]


def trace(request: TraceRequest) -> Trace:
    """Search, and keep every expansion.

    :raises HstarError: the start, the move set or a heuristic is not acceptable
    """
    start_fields = request.model_dump(include={"puzzle", "goal", "state", "scramble", "alg"}, exclude_none=True)
    puzzle, given, start = read_start(SolveRequest.model_validate(start_fields))
    moves = puzzle.move_set(request.moves)
    numbers: dict[State, int] = {}
    searches = [_search(request, puzzle, moves, start, text, numbers) for text in request.heuristics]
    return Trace(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        moves=moves.name,
        start=given,
        states=len(numbers),
        searches=searches,
    )


def _search(
    request: TraceRequest, puzzle: Puzzle, moves: MoveSet, start: State, text: str, numbers: dict[State, int]
) -> TracedSearch:
    heuristic = require_cheap(get_heuristic(text, puzzle, moves), "/heuristics")
    nodes: list[TraceNode] = []

    def watch(state: State, parent: State | None, move: str | None, g: int, h: float) -> None:
        number = numbers.setdefault(state, len(numbers))
        nodes.append(TraceNode(state=number, parent=None if parent is None else numbers[parent], move=move, g=g, h=h))

    ended = reference.astar(
        puzzle,
        start,
        moves.moves,
        heuristic,
        weight=request.weight,
        tie_breaking=request.tie_breaking,
        max_expanded=request.expanded,
        watch=watch,
    )
    return TracedSearch(
        heuristic=text,
        expression=heuristic.expression.text,
        outcome=ended.status,
        solution=list(ended.path),
        generated=ended.generated,
        reopened=ended.reopened,
        nodes=nodes,
    )
