"""What is known about a heuristic: is it admissible, is it consistent, and why?

A heuristic h is *admissible* if it is never above the true distance h*, and *consistent* if h(goal) = 0 and no move
lowers it by more than it costs (1, mostly); a consistent one is admissible. There are three ways to find out, the
fastest first:

- `prove` uses bounds that hold on every state (`hstar.heuristics.bounds`). It looks at no state.
- `look_nearby` looks for a counterexample in the states nearest to the goal; small puzzles are checked on every state.
- `check_whole_space` checks every state of a puzzle with at most some millions.

The verdict is about h as the kernel computes it, in doubles. If doubles exceed a bound by less than `ROUNDING`, exact
fractions decide, with constants as they are written: ``manhattan * 0.1 * 10`` equals manhattan, though doubles differ.
Such a small excess cannot make a solution longer, because costs are whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, Literal

import numpy as np

from hstar.heuristics.bounds import bounds, bounds_of, steep
from hstar.heuristics.expression import Expression, Node
from hstar.heuristics.space import Space, nearest_states
from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Puzzle, State

__all__ = ["NEARBY", "WHOLE", "Verdict", "Verdicts", "check_whole_space", "look_nearby", "looking_proves", "prove"]

Verdict = Literal["proven", "refuted", "unknown"]
Values = np.ndarray[Any, np.dtype[np.float64]]

#: `look_nearby` looks at this many states around the goal, or at all states if there are at most `SMALL`
NEARBY = 4_000
SMALL = 200_000
#: the most states of a puzzle for `check_whole_space`
WHOLE = 4_000_000
#: a larger excess is never explained by rounding
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Whether h is admissible and consistent for one move set, and why.

    :param counterexample: an alg from the goal to a state where h is above the true distance
    :param h: h of that state
    :param true_distance: its true distance
    :param inconsistent_at: an alg from the goal to a state where one move lowers h by more than it costs
    :param inconsistent_move: that move; None if h is not 0 at the goal, which refutes as well
    """

    admissible: Verdict
    consistent: Verdict
    reason: str
    counterexample: tuple[str, ...] | None = None
    h: float | None = None
    true_distance: int | None = None
    inconsistent_at: tuple[str, ...] | None = None
    inconsistent_move: str | None = None

    @property
    def decided(self) -> bool:
        return "unknown" not in (self.admissible, self.consistent)


def prove(e: Expression, moves: MoveSet) -> Verdicts:
    """The verdicts that follow from the bounds."""
    b = bounds(e, moves)
    goal = [feature.at_goal for feature in e.features]
    value = e.root.evaluate(goal)
    if value > ROUNDING or (value > 0 and e.root.evaluate_exactly(goal) > 0):
        why = f"h = {_shown(value)} but h* = 0 after no moves (the goal itself)"
        return Verdicts("refuted", "refuted", why, (), value, 0, ())
    if 2 * b.error <= ROUNDING and (b.drop <= 1 or (moves.costs and not steep(e.root, e, moves))):
        most = "it costs" if moves.costs else _number(b.drop)
        why = f"h is 0 at the goal and no move lowers it by more than {most} (move set {moves.name})"
        return Verdicts("proven", "proven", why)
    if _is_lower_bound(e.root, e, moves):
        return Verdicts("proven", "unknown", f"made of lower bounds on the distance (move set {moves.name})")
    return Verdicts("unknown", "unknown", "not provable from the features' bounds")


def look_nearby(
    e: Expression, h: Callable[[State], float], puzzle: Puzzle, moves: MoveSet, known: Verdicts
) -> Verdicts:
    """`known`, completed by checking the nearest states.

    :param h: the kernel's function, because searches use the kernel's h
    """
    if known.decided:
        return known
    if _states(puzzle) > NEARBY and not all(feature.cheap for feature in e.features):
        return replace(known, reason=f"{known.reason}; did not look for a counterexample")
    near = _look(nearest_states(puzzle, moves, NEARBY), e, h, known)
    if near.decided or not looking_proves(puzzle):
        return near
    return _look(nearest_states(puzzle, moves, int(_states(puzzle))), e, h, known)


def looking_proves(puzzle: Puzzle) -> bool:
    """Whether `look_nearby` looks at all states of the puzzle, so that it can prove a heuristic."""
    return _states(puzzle) <= SMALL


def check_whole_space(
    e: Expression, h: Callable[[State], float], puzzle: Puzzle, moves: MoveSet, known: Verdicts
) -> Verdicts:
    """`known`, completed by checking every state; unchanged if the puzzle has more than `WHOLE`."""
    if known.decided or _states(puzzle) > WHOLE:
        return known
    whole = nearest_states if _states(puzzle) <= SMALL else nearest_states.__wrapped__  # large spaces are not cached
    return _look(whole(puzzle, moves, int(_states(puzzle))), e, h, known)


def _states(puzzle: Puzzle) -> float:
    """The number of states; infinite if unknown."""
    return inf if puzzle.state_count is None else puzzle.state_count


# -- proofs from bounds --------------------------------------------------------------------------------------------


def _is_lower_bound(node: Node, e: Expression, moves: MoveSet) -> bool:
    """Whether ``node``, in doubles, is never above the true distance: because it is consistent, because its feature is
    known to be a lower bound, or because it combines lower bounds in a way that gives a lower bound."""
    if node.op == "feature" and e.features[int(node.operand or 0)].is_lower_bound(moves):
        return True
    own = bounds_of(node, e, moves)
    falls = own.drop > 1 and (not moves.costs or steep(node, e, moves))
    if own.nearest and not falls and node.evaluate([feature.at_goal for feature in e.features]) <= 0:
        return True
    if own.high + own.error <= 0:
        return True
    bounded = [_is_lower_bound(a, e, moves) for a in node.arguments]
    match node.op:
        case "max" | "select":
            return all(bounded[:2])
        case "min":
            return any(bounded)
        case "ceil" | "floor":  # distances are integers
            return bounded[0]
        case "mul" | "div":
            return _shrinks(node, bounded)
    return False


def _shrinks(node: Node, bounded: list[bool]) -> bool:
    """Whether it is a lower bound times a constant from 0 to 1, or divided by one of at least 1. As h* >= 0, it stays
    one."""
    for value, other in ((0, 1), (1, 0)):
        constant = node.arguments[other]
        if bounded[value] and constant.constant:
            if node.op == "mul":
                return 0 <= constant.evaluate(()) <= 1
            return other == 1 and constant.evaluate(()) >= 1
    return False


# -- looking at states ---------------------------------------------------------------------------------------------


def _look(space: Space, e: Expression, h: Callable[[State], float], known: Verdicts) -> Verdicts:
    """`known`, completed by comparing the values on these states."""
    values = _values(space, h)
    if known.admissible != "proven":
        over = _overestimate(space, e, values)
        if over is not None:
            return over
    step = _inconsistency(space, e, values)
    where = f"all {len(space):,} states" if space.complete else f"the {len(space):,} states nearest to the goal"
    if step is None:
        if space.complete:
            return Verdicts("proven", "proven", f"checked on {where} of the puzzle")
        far = f"a cost of {space.radius}" if space.moves.costs else f"{space.radius} moves"
        nothing = f"no counterexample among {where} (up to {far})"
        return replace(known, reason=f"{known.reason}; {nothing}")
    alg, move, fall = step
    costs = f", which costs {space.moves.cost(move)}," if space.moves.costs else ""
    reason = f"{move}{costs} lowers h by {_shown(fall)} after {_after(space.puzzle, alg)}"
    if known.admissible == "proven":
        reason = f"{known.reason}, but {reason}"
    elif space.complete:
        reason = f"h is at most h* on {where}, but {reason}"
    admissible: Verdict = "proven" if space.complete else known.admissible
    return Verdicts(admissible, "refuted", reason, inconsistent_at=alg, inconsistent_move=move)


def _values(space: Space, h: Callable[[State], float]) -> Values:
    """h of every state, as the kernel computes it."""
    width = space.states.shape[1] * space.states.itemsize
    text = space.states.tobytes()
    values = np.empty(len(space), dtype=np.float64)
    for number in range(len(space)):
        if number % 64 == 0:  # a function of one's own may be slow
            poll()
        values[number] = h(text[number * width : (number + 1) * width])
    return values


def _overestimate(space: Space, e: Expression, values: Values) -> Verdicts | None:
    """The refutation by the nearest state where h is above the true distance."""
    distances = space.distances()
    over = np.flatnonzero(values > distances)
    sure = np.flatnonzero(values > distances + ROUNDING)
    for number in (*sure[:1], *over) if len(sure) else over:
        state, distance = space.state(int(number)), int(distances[number])
        if values[number] <= distance + ROUNDING and e.evaluate_exactly(state) <= distance:
            continue
        return _refuted(space, e, state, distance)
    return None


def _refuted(space: Space, e: Expression, state: State, distance: int) -> Verdicts:
    puzzle = space.puzzle
    alg = space.alg_to(state, distance)
    value = e.evaluate(state)
    # Then some move on the way to the goal lowers h by more than it costs.
    at: tuple[str, ...] = ()
    move: str | None = None
    for number, solving in enumerate(puzzle.inverse_alg(alg)):
        after = puzzle.apply_alg(state, [solving])
        cost = space.moves.cost(solving)
        exactly = e.evaluate_exactly(state) > cost + e.evaluate_exactly(after)
        if exactly or e.evaluate(state) > cost + e.evaluate(after):
            at, move = alg[: len(alg) - number], solving
            break
        state = after
    why = f"h = {_shown(value)} but h* = {distance} after {_after(puzzle, alg)}"
    return Verdicts("refuted", "refuted", why, alg, value, distance, at, move)


def _inconsistency(space: Space, e: Expression, values: Values) -> tuple[tuple[str, ...], str, float] | None:
    """An alg to a nearest state where a move lowers h by more than it costs, that move, and by how much."""
    puzzle, found = space.puzzle, []
    for move in space.moves.moves:
        poll()
        cost = space.moves.cost(move)
        after = puzzle.apply_to_all(space.states, move)
        before = space.find(
            puzzle.apply_to_all(after, puzzle.inverse(move))
        )  # the states in which the move is possible
        ends = space.find(after)
        known = ends >= 0  # the move may lead out of a space that is not complete
        before, ends = before[known], ends[known]
        falls = values[before] - values[ends]
        steep = np.flatnonzero(values[before] > cost + values[ends])
        for row in steep[np.argsort(before[steep], kind="stable")]:
            state, end = space.state(before[row]), space.state(ends[row])
            if falls[row] <= cost + ROUNDING and e.evaluate_exactly(state) - e.evaluate_exactly(end) <= cost:
                continue
            found.append((int(before[row]), move, float(falls[row])))
            break
    if not found:
        return None
    number, move, fall = min(found)
    return space.alg_to(space.state(number), int(space.distances()[number])), move, fall


def _after(puzzle: Puzzle, alg: tuple[str, ...]) -> str:
    return puzzle.format_alg(alg) or "no moves (the goal itself)"


def _shown(value: float) -> str:
    """A double as Python writes it, so that differences in the last digit are visible."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.4g}"
