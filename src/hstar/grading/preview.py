"""A preview of instances with their true distances, from which an assignment's are chosen."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar import schema, search
from hstar.errors import Fault, InvalidRequest
from hstar.grading.assignments import Assignment, Instance
from hstar.grading.schema import AssignmentIn, InstanceIn, RubricItem
from hstar.grading.views import written_out
from hstar.schema import GOAL_MEANS, GoalIn, Out, Strict

__all__ = ["Preview", "PreviewRequest", "preview"]

MAX_PREVIEWED = 50
MAX_EXPANDED = 200_000


class PreviewRequest(Strict):
    """Body of ``POST /v1/assignments/preview``: the instances of an assignment."""

    puzzle: str
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    moves: str | None = Field(None, description="move set of solutions")
    scramble_moves: str | None = Field(None, description="move set of scrambles")
    instances: list[InstanceIn] = Field(min_length=1, max_length=MAX_PREVIEWED)
    expanded: Annotated[int, Field(ge=0, le=MAX_EXPANDED)] = Field(
        100_000, description="expansions of all searches together"
    )


class Previewed(Out):
    """An instance, and how far from the goal it is."""

    instance: InstanceIn = Field(description="written out, as an assignment takes it")
    name: str
    k: int | None
    distance: int | None = Field(description="h* with the moves of solutions; null: not proven within the expansions")
    lower_bound: int | None = Field(description="proven bound on h*; null: there is no solution")
    collapsed: bool | None = Field(description="whether it is nearer than k moves; null: not known")


class Preview(Out):
    """The instances with their distances."""

    items: list[Previewed]
    expanded: int = Field(description="expansions that the searches needed")


def preview(given: PreviewRequest) -> Preview:
    """The instances with their distances, by A* in one process, without a pattern database.

    :raises InvalidRequest: the puzzle, a move set or an instance is wrong; has all faults
    """
    fields = given.model_dump(include={"puzzle", "goal", "moves", "scramble_moves"})
    made = Assignment.of(
        AssignmentIn(
            title="preview", instances=given.instances, submitted="program",
            rubric=[RubricItem(kind="valid", points=1.0)], **fields,
        )
    )  # fmt: skip
    if len(made.instances) > MAX_PREVIEWED:
        fault = Fault("/instances", f"there are {len(made.instances)}; at most {MAX_PREVIEWED} in one preview")
        raise InvalidRequest("too many instances", [fault])
    left = given.expanded
    items = []
    for instance in made.instances:
        found = _distance(made, instance, left)
        left -= found.counters.expanded
        distance = found.length if found.optimality == "proven" else None
        nearer = None if instance.k is None else distance < instance.k if distance is not None else None
        items.append(
            Previewed(
                instance=written_out(instance, made), name=instance.name, k=instance.k, distance=distance,
                lower_bound=found.lower_bound, collapsed=nearer,
            )
        )  # fmt: skip
    return Preview(items=items, expanded=given.expanded - left)


def _distance(made: Assignment, instance: Instance, expanded: int) -> search.Result:
    shown = made.puzzle.format_state(instance.state)
    state = {"pieces": shown["pieces"]} if "pieces" in shown else shown
    request = schema.SolveRequest(
        puzzle=made.puzzle.name, goal=made.puzzle.goal_board(), state=state, moves=made.moves.name, algorithm="astar",
        limits=schema.LimitsIn(expanded=max(0, expanded)),
    )  # fmt: skip
    return search.solve(search.prepare(request))
