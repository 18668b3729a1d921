"""The proven optimum of an instance, remembered: a class submits solutions of the same instances."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from hstar import schema, search
from hstar.puzzles import MoveSet, Puzzle, State

REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Optimum:
    """What a search of at most so many expansions proved: h* if ``length`` is known, else only ``lower_bound``.

    Both are None if no solution exists.
    """

    length: int | None
    lower_bound: int | None
    expanded: int
    cancelled: bool = False


_known: OrderedDict[tuple[Puzzle, State, str, int], Optimum] = OrderedDict()
_lock = Lock()


def optimum(
    puzzle: Puzzle, start: State, moves: MoveSet, expanded: int, control: search.Control | None = None
) -> Optimum:
    """h* of ``start`` by the strongest search that proves, or the bound that so many expansions prove."""
    key = puzzle, start, moves.name, expanded
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    request = schema.SolveRequest(
        puzzle=puzzle.name, goal=puzzle.goal_board(), state=_given(puzzle, start), moves=moves.name, algorithm="auto",
        limits=schema.LimitsIn(expanded=expanded),
    )  # fmt: skip
    result = search.solve(search.prepare(request), control)
    proven = result.optimality == "proven"
    found = Optimum(
        result.length if proven else None, result.lower_bound, result.counters.expanded, result.status == "cancelled"
    )
    if not found.cancelled:
        with _lock:
            _known[key] = found
            while len(_known) > REMEMBERED:
                _known.popitem(last=False)
    return found


def _given(puzzle: Puzzle, state: State) -> dict[str, object]:
    shown = puzzle.format_state(state)
    return {"pieces": shown["pieces"]} if "pieces" in shown else shown
