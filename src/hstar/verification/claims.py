"""Judging a student's claims about a run: the length, its optimality, h of the start, and node counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hstar import schema, search
from hstar.heuristics import Heuristic
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.remembered import Remembered
from hstar.search.control import Stopped
from hstar.verification import conventions
from hstar.verification.optimum import Optimum
from hstar.verification.replay import Replay
from hstar.verification.schema import ClaimJudged, Claims, Judgement

#: the service's own ways to break ties, used to count long searches
TIES: tuple[Literal["low_h", "lifo", "fifo"], ...] = ("low_h", "lifo", "fifo")


def judge(
    claimed: Claims,
    puzzle: Puzzle,
    start: State,
    moves: MoveSet,
    heuristic: Heuristic,
    replayed: Replay,
    best: Optimum,
    limit: int,
    control: search.Control | None = None,
) -> list[ClaimJudged]:
    """The judgement of each claim.

    :param limit: expansions of each of the service's own searches, if a count is too large for `conventions`
    :raises Stopped: by the control
    """
    judged = []
    length = replayed.length
    if claimed.length is not None:
        right = claimed.length == length
        if moves.costs:
            reason = f"the moves of the solution cost {length}"
        else:
            reason = "the solution has this many moves" if right else f"the solution has {length} moves"
        judged.append(_judged("length", claimed.length, length, "true" if right else "false", reason))
    if claimed.optimal is not None:
        judged.append(_optimal(claimed.optimal, moves, replayed, best))
    if claimed.heuristic is not None:
        value = heuristic(start)
        right = abs(value - claimed.heuristic) < 1e-6
        text = f"{heuristic.expression.text} is {value:g} at the start"
        judged.append(_judged("heuristic", claimed.heuristic, value, "true" if right else "false", text))
    counted: tuple[tuple[Literal["expanded", "generated"], int | None], ...] = (
        ("expanded", claimed.expanded),
        ("generated", claimed.generated),
    )
    for what, count in counted:
        if count is not None:
            judged.append(judge_count(what, count, puzzle, start, moves, heuristic, limit, control))
    return judged


def _judged(
    claim: Literal["length", "expanded", "generated", "optimal", "heuristic"],
    claimed: float,
    found: float | None,
    judgement: Judgement,
    reason: str,
) -> ClaimJudged:
    return ClaimJudged(claim=claim, claimed=claimed, found=found, judgement=judgement, reason=reason)


def _optimal(claimed: bool, moves: MoveSet, replayed: Replay, best: Optimum) -> ClaimJudged:
    length = replayed.length
    if not replayed.valid:
        return _judged("optimal", claimed, False, "false" if claimed else "true", "the solution is not valid")
    if length == best.lower_bound:
        text = f"no solution costs less than {length}" if moves.costs else f"no solution has fewer than {length} moves"
        return _judged("optimal", claimed, True, "true" if claimed else "false", text)
    if best.length is not None:
        text = (
            f"a solution {'that costs' if moves.costs else 'of'} {best.length}{'' if moves.costs else ' moves'} exists"
        )
        return _judged("optimal", claimed, False, "false" if claimed else "true", text)
    text = f"the search ended at its limit; it only proved that h* is at least {best.lower_bound}"
    return _judged("optimal", claimed, None, "unknown", text)


def judge_count(
    what: Literal["expanded", "generated"],
    claimed: int,
    puzzle: Puzzle,
    start: State,
    moves: MoveSet,
    heuristic: Heuristic,
    limit: int,
    control: search.Control | None,
) -> ClaimJudged:
    """The judgement of a number of nodes; parameters and errors as of `judge`."""
    found = conventions.counts(puzzle, moves, heuristic, start, what, control)
    if found is None:
        return _long_count(what, claimed, long_counts(puzzle, start, moves, heuristic, limit, control), limit)
    kept = found.matching(claimed)[:5]
    base = _judged(what, claimed, found.own, "false", "").model_copy(
        update={"low": found.low, "high": found.high, "conventions": kept}
    )
    if claimed == found.own:
        return base.model_copy(
            update={"judgement": "true", "reason": f"as the service counts, ties broken {conventions.TIES['low_h']}"}
        )
    if kept:
        text = f"right under another convention: {conventions.in_words(kept[0])}"
        return base.model_copy(update={"judgement": "convention", "reason": text})
    if found.low <= claimed <= found.high:
        text = (
            f"no documented convention gives this count, but other ties could: all lie between {found.low:,} and "
            f"{found.high:,}"
        )
        return base.model_copy(update={"judgement": "possible", "reason": text})
    if found.unfinished and claimed > found.high:
        text = (
            f"more than {found.high:,}, which the conventions that ended give; {found.unfinished} went beyond the limit"
        )
        return base.model_copy(update={"judgement": "unknown", "reason": text})
    return base.model_copy(
        update={"reason": f"under every documented convention the count is between {found.low:,} and {found.high:,}"}
    )


@dataclass(frozen=True, slots=True)
class Long:
    """The service's counts with each of `TIES`; ``before_last``: without the last layer.

    ``consistent``: whether the heuristic is proven consistent.
    """

    expanded: list[int]
    generated: list[int]
    before_last: list[int]
    consistent: bool


_LONG: Remembered[Long | None] = Remembered("counts of a long search", Long | None)


def long_counts(
    puzzle: Puzzle, start: State, moves: MoveSet, heuristic: Heuristic, limit: int, control: search.Control | None
) -> Long | None:
    """The counts of a search that is too long for `conventions`; None if one went beyond the limit.

    :raises Stopped: by the control
    """
    return _LONG.get(
        [*puzzle.identity, moves.name, heuristic.expression.text, start.hex(), limit],
        lambda: _counted_by_service(puzzle, start, moves, heuristic, limit, control),
    )


def _counted_by_service(
    puzzle: Puzzle, start: State, moves: MoveSet, heuristic: Heuristic, limit: int, control: search.Control | None
) -> Long | None:
    """None if a search went beyond the limit."""
    found = []
    for ties in TIES:
        request = schema.SolveRequest(
            puzzle=puzzle.name, goal=puzzle.goal_board(), state=puzzle.format_state(start), moves=moves.name,
            heuristic=heuristic.expression.text, tie_breaking=ties, limits=schema.LimitsIn(expanded=limit),
        )  # fmt: skip
        counters = search.solve(search.prepare(request), control).counters
        if control is not None and control.cancelled:
            raise Stopped
        if counters.expanded_last_layer is None:
            return None
        found.append((counters.expanded, counters.generated, counters.expanded - counters.expanded_last_layer))
    expanded, generated, before_last = (list(counts) for counts in zip(*found, strict=True))
    return Long(expanded, generated, before_last, heuristic.verdicts(moves).consistent == "proven")


def _long_count(what: Literal["expanded", "generated"], claimed: int, counted: Long | None, limit: int) -> ClaimJudged:
    """Judge a search too long to be counted in Python, by the service's own algorithm with each way to break ties."""
    if counted is None:
        text = f"A* went beyond {limit:,} expansions, the limit, so the count is not known"
        return _judged(what, claimed, None, "unknown", text)
    own = counted.expanded if what == "expanded" else counted.generated
    least = min(counted.before_last)
    base = _judged(what, claimed, own[0], "possible", "")
    if claimed in own:
        text = f"as the service counts, ties broken {conventions.TIES[TIES[own.index(claimed)]]}"
        return base.model_copy(update={"judgement": "true", "reason": text})
    near = [ties for ties, count in zip(TIES, own, strict=True) if abs(count - claimed) == 1]
    if near:
        ties = conventions.TIES[near[0]]
        text = f"right under another convention: ties broken {ties}; the goal or the start counted or not"
        return base.model_copy(update={"judgement": "convention", "reason": text})
    if what == "expanded" and claimed < least - 1 and counted.consistent:
        text = f"every A* with a closed list expands at least the {least:,} states with f below the solution's cost"
        return base.model_copy(update={"judgement": "false", "reason": text, "low": least - 1})
    shown = "; ".join(f"{count:,} with ties {conventions.TIES[ties]}" for ties, count in zip(TIES, own, strict=True))
    text = f"the service counts {shown}; these are too many for the other conventions to be tried"
    return base.model_copy(update={"reason": text})
