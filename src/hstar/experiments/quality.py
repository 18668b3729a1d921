"""How good the answers of one way to search are: what is proven about its heuristic, and how much longer its solutions
are than the true distance, where that is known."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from hstar.errors import HstarError
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Excess, Quality, Series
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle

Key = TypeVar("Key", bound=Hashable)


def quality_of(series: Series, rows: Sequence[ExperimentRow]) -> Quality:
    """The quality of the searches of one series. There must be at least one row, and rows must have the true distance
    if it is known (`hstar.experiments.rows.with_true_distances`)."""
    return quality_from(series, rows[0], [(row.length, row.true_distance) for row in rows if row.length is not None])


def solutions(
    keys: Sequence[Key], lengths: Sequence[int | None], distances: Sequence[int | None]
) -> dict[Key, list[tuple[int, int | None]]]:
    """By key, the length and the true distance (None: unknown) of each search that found a solution."""
    found: dict[Key, list[tuple[int, int | None]]] = {}
    for key, length, distance in zip(keys, lengths, distances, strict=True):
        if length is not None:
            found.setdefault(key, []).append((length, distance))
    return found


def excess_of(pairs: Iterable[tuple[int, int | None]]) -> Excess:
    """From the length and the true distance (None: unknown) of each solution."""
    excess = [length - distance for length, distance in pairs if distance is not None]
    return Excess(compared=len(excess), optimal=excess.count(0), longest_excess=max(excess, default=None))


def quality_from(series: Series, first: ExperimentRow, pairs: Sequence[tuple[int, int | None]]) -> Quality:
    """The same from the first search of a series, and the length and true distance (None: unknown) of each solution."""
    found = Quality(
        series=series,
        admissible=first.admissible,
        consistent=first.consistent,
        reason=why_refuted(first),
        solved=len(pairs),
        **dict(excess_of(pairs)),
    )
    return found.model_copy(update={"sentence": _sentence(found)})


def why_refuted(row: ExperimentRow) -> str | None:
    """Why the heuristic of a search is not admissible, with the counterexample; None if it is not refuted."""
    return _reason(row.puzzle, row.goal, row.expression, row.moves) if row.admissible == "refuted" else None


def _sentence(q: Quality) -> str:
    said = {"proven": "admissible", "refuted": "not admissible", "unknown": "not known to be admissible"}[q.admissible]
    if q.reason is not None:
        said = f"refuted: {q.reason}"
    if q.compared:
        said += f"; optimal {q.optimal:,} of {q.compared:,}"
        said += f", longest +{q.longest_excess}" if q.longest_excess else ""
    if q.solved > q.compared:
        said += f"; {q.solved - q.compared:,} of unknown optimum"
    return said


@lru_cache(maxsize=256)
def _reason(puzzle: str, goal: str | None, expression: str, moves: str) -> str | None:
    """Why the heuristic is refuted, in the words of the verdict."""
    try:
        board = get_puzzle(puzzle, None if goal is None else [int(tile) for tile in goal.split()])
        chosen = board.move_set(moves)
        verdicts = get_heuristic(expression, board, chosen).verdicts(chosen)
    except HstarError:  # a row of another version: its own verdict still counts
        return None
    return verdicts.reason if verdicts.admissible == "refuted" else None
