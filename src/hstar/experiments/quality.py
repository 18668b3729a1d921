"""How good the answers of one way to search are: what is proven about its heuristic, and how much longer its solutions
are than the true distance, where that is known."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from hstar.errors import HstarError
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import Excess, Quality, Series, Stated
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle

Key = TypeVar("Key", bound=Hashable)

#: the columns of searches that `stated_of` reads, in this order
STATED = ("optimum", "instance", "length", "lower_bound")
#: the most instances that `Stated.wrong` names
MOST_WRONG = 20


def quality_of(series: Series, rows: Sequence[ExperimentRow]) -> Quality:
    """The quality of the searches of one series. There must be at least one row, and rows must have the true distance
    if it is known (`hstar.experiments.rows.with_true_distances`)."""
    pairs = [(row.length, row.true_distance) for row in rows if row.length is not None]
    stated = stated_of((row.optimum, row.instance, row.length, row.lower_bound) for row in rows)
    return quality_from(series, rows[0], pairs, stated)


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


def stated_of(searches: Iterable[tuple[int | None, str | None, int | None, int | None]]) -> Stated | None:
    """Solutions beside stated optima, from the columns `STATED` of each search; None if no instance came with one."""
    known = [(optimum, name, length, bound) for optimum, name, length, bound in searches if optimum is not None]
    if not known:
        return None
    pairs = [(length, optimum) for optimum, _, length, _ in known if length is not None]
    wrong = [
        name or ""
        for optimum, name, length, bound in known
        if (length is not None and length < optimum) or (bound is not None and bound > optimum)
    ]
    return Stated(
        **dict(excess_of(pairs)),
        found=sum(length for length, _ in pairs),
        stated=sum(optimum for _, optimum in pairs),
        wrong=wrong[:MOST_WRONG],
    )


def quality_from(
    series: Series,
    first: ExperimentRow,
    pairs: Sequence[tuple[int, int | None]],
    stated: Stated | None = None,
) -> Quality:
    """The same from the first search of a series, and the length and true distance (None: unknown) of each solution."""
    found = Quality(
        series=series,
        admissible=first.admissible,
        consistent=first.consistent,
        reason=why_refuted(first),
        solved=len(pairs),
        stated=stated,
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
    return said + (f"; {_beside(q.stated)}" if q.stated is not None else "")


def _beside(stated: Stated) -> str:
    said = f"as short as stated {stated.optimal:,} of {stated.compared:,}"
    said += f", longest +{stated.longest_excess}" if (stated.longest_excess or 0) > 0 else ""
    said += f" ({stated.found:,} moves in all, {stated.stated:,} stated)" if stated.compared else ""
    return said + (f"; the stated optimum is wrong for {', '.join(stated.wrong)}" if stated.wrong else "")


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
