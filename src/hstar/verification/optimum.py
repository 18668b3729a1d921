"""The proven optimum of an instance, cached because a class submits solutions of the same instances."""

from __future__ import annotations

from dataclasses import dataclass

from hstar import schema, search
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.remembered import Remembered


@dataclass(frozen=True, slots=True)
class Optimum:
    """What a search with a limit of expansions proved: h* if ``length`` is known, else only ``lower_bound``.

    Both are None if no solution exists. ``solution``: one of that length.
    """

    length: int | None
    lower_bound: int | None
    expanded: int
    cancelled: bool = False
    solution: tuple[str, ...] | None = None


_OPTIMA: Remembered[Optimum] = Remembered("optimum", Optimum)


def optimum(
    puzzle: Puzzle, start: State, moves: MoveSet, expanded: int, control: search.Control | None = None
) -> Optimum:
    """h* of ``start`` by the strongest proving search, or the lower bound that this many expansions prove."""
    question = [*puzzle.identity, moves.name, start.hex(), expanded]
    return _OPTIMA.get(question, lambda: _searched(puzzle, start, moves, expanded, control), lambda o: not o.cancelled)


def _searched(puzzle: Puzzle, start: State, moves: MoveSet, expanded: int, control: search.Control | None) -> Optimum:
    request = schema.SolveRequest(
        puzzle=puzzle.name, goal=puzzle.goal_board(), state=_given(puzzle, start), moves=moves.name, algorithm="auto",
        limits=schema.LimitsIn(expanded=expanded),
    )  # fmt: skip
    # A solution that is not proven says nothing of the optimum.
    result = search.solve(search.proof(search.prepare(request, costs=True)), control)
    proven = result.optimality == "proven"
    return Optimum(
        result.length if proven else None,
        result.lower_bound,
        result.counters.expanded,
        result.status == "cancelled",
        tuple(result.solution) if proven and result.solution is not None else None,
    )


def _given(puzzle: Puzzle, state: State) -> dict[str, object]:
    shown = puzzle.format_state(state)
    return {"pieces": shown["pieces"]} if "pieces" in shown else shown
