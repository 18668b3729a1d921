"""``hstar plan``: what ``auto`` or ``anytime`` would do, as steps that ``hstar solve --plan`` takes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from hstar import schema, search
from hstar.commands.options import taking_options
from hstar.commands.terminal import Json, PuzzleName, print_json, refusing


@taking_options()
def plan(
    puzzle: PuzzleName,
    algorithm: Annotated[Literal["anytime", "auto"], typer.Option(help="the plan that is shown")] = "anytime",
    moves: Annotated[str | None, typer.Option(help="move set to solve with; `hstar puzzles PUZZLE` lists them")] = None,
    as_json: Json = False,
    *,
    limits: dict[str, Any],
) -> None:
    """Print the steps of a shipped plan for a puzzle as JSON. Change them, and solve with them.

    Example: hstar plan 8-puzzle > plan.json && hstar solve 8-puzzle --k 20 --plan plan.json
    """
    with refusing():
        request = schema.SolveRequest(
            puzzle=puzzle, alg="", moves=moves, algorithm=algorithm, limits=schema.LimitsIn(**limits)
        )
        steps = search.plan_of(search.prepare(request, costs=True))
    print_json([step.model_dump(mode="json", exclude_defaults=True) for step in steps])
