"""h against the true distance, on the states nearest to the goal.

>>> found = nearby(NearbyRequest(puzzle="8-puzzle", heuristic="manhattan", states=100))
>>> all(cell.h <= cell.distance for cell in found.cells)
True
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from hstar.errors import Fault, InvalidRequest
from hstar.heuristics import Heuristic, get_heuristic
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle
from hstar.schema import GOAL_MEANS, GoalIn, Out, Strict

__all__ = ["Nearby", "NearbyRequest", "nearby"]

MAX_STATES = 20_000


class HeuristicRequest(Strict):
    """A heuristic for one puzzle and one move set."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    heuristic: str = Field(description="a name from /v1/heuristics or an expression over features")
    moves: str | None = Field(
        None,
        description="move set to solve with; the puzzle's default if left out; moves of a list may have costs",
    )
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)


class NearbyRequest(HeuristicRequest):
    """Body of ``POST /v1/heuristics/nearby``."""

    states: Annotated[int, Field(ge=1, le=MAX_STATES)] = Field(3000, description="number of nearest states to look at")


class NearbyCell(Out):
    """The states with one true distance and one h."""

    distance: int
    h: float
    states: int


class Nearby(Out):
    """The number of states near the goal with each true distance and h. Distances are what the moves cost."""

    puzzle: str
    moves: str
    heuristic: str
    states: int
    whole: bool = Field(description="these are all states of the puzzle")
    radius: int = Field(description="every state up to this distance was looked at")
    cells: list[NearbyCell] = Field(description="by distance, then h")


def require_cheap(heuristic: Heuristic, where: str) -> Heuristic:
    """The heuristic, unless a large pattern database would have to be built or read for it.

    :param where: the place in the request that the fault names
    :raises InvalidRequest: it has one
    """
    if not all(feature.cheap for feature in heuristic.expression.features):
        fault = Fault(where, "it needs a large pattern database; use a smaller one")
        raise InvalidRequest("heuristics with large pattern databases cannot be checked here", [fault])
    return heuristic


class _Frontier:
    """The states that are still to be looked at, by what the cheapest way that is known costs."""

    def __init__(self, puzzle: Puzzle, moves: MoveSet) -> None:
        self.puzzle = puzzle
        self.costs = {puzzle.inverse(move): moves.cost(move) for move in moves.moves}
        self.known = {puzzle.solved: 0}
        self.waiting: dict[int, dict[State, None]] = {0: {puzzle.solved: None}}

    def next(self) -> tuple[int, list[State]]:
        """The nearest states and their distance."""
        distance = min(self.waiting)
        return distance, list(self.waiting.pop(distance))

    def follow(self, layer: list[State], distance: int, most: int) -> None:
        """Go on backwards from states at this distance, until so many are found at the next: a layer may have a hundred
        times as many states as the one before."""
        for state in layer:
            for move, before in self.puzzle.successors(state, self.costs):
                further, known = distance + self.costs[move], self.known.get(before)
                if known is not None and known <= further:
                    continue
                if known is not None:
                    del self.waiting[known][before]
                    if not self.waiting[known]:
                        del self.waiting[known]
                self.known[before] = further
                self.waiting.setdefault(further, {})[before] = None
                if further == distance + 1 and len(self.waiting[further]) >= most:
                    return


def nearby(request: NearbyRequest) -> Nearby:
    """Go backwards from the goal, layer by layer, so that distances are known without a search.

    :raises HstarError: the puzzle, the move set, the goal or the heuristic is not acceptable
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves, costs=True)
    heuristic = require_cheap(get_heuristic(request.heuristic, puzzle, moves), "/heuristic")
    frontier = _Frontier(puzzle, moves)
    cells: Counter[tuple[int, float]] = Counter()
    complete = looked_at = 0
    while frontier.waiting and looked_at < request.states:
        distance, layer = frontier.next()
        taken = layer[: request.states - looked_at]
        cells.update((distance, heuristic(state)) for state in taken)
        looked_at += len(taken)
        if len(taken) < len(layer):
            break
        complete = distance
        frontier.follow(layer, distance, request.states - looked_at + 1)
    return Nearby(
        puzzle=puzzle.name,
        moves=moves.name,
        heuristic=request.heuristic,
        states=looked_at,
        whole=looked_at == puzzle.state_count,
        radius=complete,
        cells=[NearbyCell(distance=d, h=h, states=count) for (d, h), count in sorted(cells.items())],
    )
